"""What goes wrong between memd and a server that holds an index."""

from __future__ import annotations

from ...schemas.errors import StoreError


class IndexServerError(StoreError):
    """The server of an index fails, or refuses; its own words are in the message."""


class UnreachableServerError(IndexServerError):
    """The server of an index does not answer, or not in time. It ends by itself: what is stored is kept meanwhile."""
