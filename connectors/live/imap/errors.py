"""Errors of IMAP that no other source has."""

from __future__ import annotations

from ...errors import UnavailableError


class ProtocolError(UnavailableError):
    """The server sent invalid IMAP, or more than the limits allow: no later data on this connection can be read.

    Texts tell the kind of the damage, never what the server sent: that may be private.
    """
