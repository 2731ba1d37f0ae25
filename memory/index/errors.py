"""Errors between memd and an index server."""

from __future__ import annotations

from ...schemas.errors import StoreError


class IndexServerError(StoreError):
    """The index server fails or refuses; its own words are in the message."""


class UnreachableServerError(IndexServerError):
    """The index server does not answer, or not in time. This usually passes; stored data is kept meanwhile."""
