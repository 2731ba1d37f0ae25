"""An address that only programs of this machine reach, as a setting or a flag gives it."""

from __future__ import annotations

import ipaddress


def loopback_address(text: str) -> tuple[str, int]:
    """Return host and port of ``127.0.0.1:8377``, ``[::1]:8377`` or ``localhost:8377``; port 0 is any free one.

    Raises:
        ValueError: it is no address, or not one of this machine alone.
    """
    host, colon, port = text.rpartition(":")
    number = int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else -1
    name = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not colon or not 0 <= number <= 65535:
        raise ValueError("must be an address and a port like 127.0.0.1:8377")
    if name == "localhost":
        return "127.0.0.1", number
    try:
        loopback = ipaddress.ip_address(name).is_loopback
    except ValueError:
        raise ValueError("must be an address and a port like 127.0.0.1:8377") from None
    if not loopback:
        raise ValueError("must be an address of this machine alone, 127.0.0.1 or ::1: others would read your memory")
    return name, number
