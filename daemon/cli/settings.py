"""The settings that reading needs: the zone of times without one, and the user's own name."""

from __future__ import annotations

import os
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ...schemas.errors import ConfigError
from .owner import places_of

if TYPE_CHECKING:
    import argparse

    from ...schemas import ZoneOrigin


def zone_in_force(arguments: argparse.Namespace) -> tuple[tzinfo, ZoneOrigin, str | None]:
    """The zone, where it came from, and the user's name of the configuration.

    Raises:
        ConfigError: a zone that does not exist.
    """
    settings = places_of(arguments).table
    me = settings.get("me")
    name = str(me) if isinstance(me, str) and me.strip() else None
    if arguments.zone:
        return zone_named(arguments.zone), "option", name
    given = os.environ.get("MEMD_ZONE") or settings.get("zone")
    if given:
        return zone_named(str(given)), "configuration", name
    return system_zone(), "assumed", name


def zone_named(name: str) -> tzinfo:
    """A zone of the tz database.

    Raises:
        ConfigError: there is none of that name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ConfigError("there is no such time zone", hint="use a name like Europe/Berlin") from None


def system_zone() -> tzinfo:
    """The machine's own zone: ``TZ``, else what /etc/localtime leads to, else the offset of this moment."""
    link = Path("/etc/localtime").resolve().as_posix()
    names = [os.environ.get("TZ", "").lstrip(":"), link.partition("/zoneinfo/")[2]]
    for name in names:
        try:
            if name:
                return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            continue
    local = datetime.now().astimezone().tzinfo
    assert local is not None
    return local
