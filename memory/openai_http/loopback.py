"""Checks whether an endpoint is on this machine, for users who want no text to leave it."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

from ...schemas.errors import ConfigError

Resolve = Callable[[str], list[str]]
"""Maps a host name to its addresses."""


def resolved(host: str) -> list[str]:
    """Return all addresses of a name, as the system resolves it; empty for an unknown name."""
    try:
        return [str(entry[4][0]) for entry in socket.getaddrinfo(host, None)]
    except OSError:
        return []


def is_loopback(url: str, resolve: Resolve = resolved) -> bool:
    """Return whether data sent to this address stays on this machine.

    True for a literal loopback address, and for ``localhost`` (RFC 6761, 6.3) or a name below it if it resolves to
    loopback addresses only. Every other name is refused without a lookup, because its resolution may change later.
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".").lower()
    except ValueError:
        return False
    if parts.scheme not in {"http", "https"} or not host:
        return False
    try:
        return _loopback(host)
    except ValueError:
        pass
    if host != "localhost" and not host.endswith(".localhost"):
        return False
    addresses = resolve(host)
    return bool(addresses) and all(_loopback(address) for address in addresses)


def _loopback(address: str) -> bool:
    parsed = ipaddress.ip_address(address.partition("%")[0])
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return (mapped or parsed).is_loopback


def require_local(url: str, section: str, resolve: Resolve = resolved) -> None:
    """Require that an address is on this machine.

    Raises:
        ConfigError: the address leads, or may lead, elsewhere.
    """
    if not is_loopback(url, resolve):
        raise ConfigError(
            f"the {section} endpoint is not on this machine, and only local ones are allowed",
            hint=f"set {section}.base_url to a loopback address such as http://127.0.0.1:11434/v1, or turn local_only off",
        )
