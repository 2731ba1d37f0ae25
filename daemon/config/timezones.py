"""Time zones by name, and the machine's own."""

from __future__ import annotations

import os
from datetime import datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ...schemas.errors import ConfigError


def zone_named(name: str) -> tzinfo:
    """Return a zone of the tz database.

    Raises:
        ConfigError: there is none of that name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ConfigError("there is no such time zone", hint="use a name like Europe/Berlin") from None


def system_zone() -> tzinfo:
    """Return the machine's own zone: ``TZ``, else the target of /etc/localtime, else the present offset."""
    link = Path("/etc/localtime").resolve().as_posix()
    for name in (os.environ.get("TZ", "").lstrip(":"), link.partition("/zoneinfo/")[2]):
        try:
            if name:
                return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            continue
    local = datetime.now().astimezone().tzinfo
    assert local is not None
    return local
