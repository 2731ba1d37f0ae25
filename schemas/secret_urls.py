"""Which addresses secrets may be sent to, and addresses without the secrets in them. The standard library alone."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_USER = re.compile(r"://[^/?#\s]*@")


def usable_url(url: str) -> bool:
    """Whether an address is one of a web server, by an encrypted connection or on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK))


def without_password(text: str) -> str:
    """The same text; an address in it with a user and a password shows neither."""
    return _USER.sub("://…@", text)
