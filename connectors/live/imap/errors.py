"""Errors of IMAP that no other source has."""

from __future__ import annotations

from ...errors import UnavailableError


class ProtocolError(UnavailableError):
    """The server sends what is no IMAP, or more than is accepted: nothing behind it on this connection can be read.

    Texts tell the kind of the damage, never what the server sent: that may be private.
    """
