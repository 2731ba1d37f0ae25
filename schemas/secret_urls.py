"""Checks the addresses that secrets may be sent to, and removes secrets from addresses. Standard library only."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_USER = re.compile(r"://[^/?#\s]*@")


def usable_url(url: str) -> bool:
    """Return whether an address is one of a web server over an encrypted connection or on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK))


def without_password(text: str) -> str:
    """Return the text without the user and password of an address in it."""
    return _USER.sub("://…@", text)
