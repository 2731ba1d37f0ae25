"""The zone in which times are shown: of the settings, else the one that a command named last, else the machine's.

``memd config zone`` names one, and so does the first ``--zone`` of a command that reads exports, on a machine in UTC.

A machine in UTC is most often a server, and its clock tells nothing of where its user lives; the first ``--zone`` does.

Rule 1 of the light path: standard library only; `zoneinfo` only where a zone is named.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import tzinfo
from typing import TYPE_CHECKING

from ...memory.private_files import create_anew, open_private

if TYPE_CHECKING:
    from .paths import ResolvedPaths

NAMED_ZONE = "zone"
"""The file in the data directory with the last zone that was named, where the settings name none."""
_LONGEST_NAME = 100
_UTC = frozenset({"UTC", "Etc/UTC", "UCT", "Etc/UCT", "Zulu", "Etc/Zulu", "Universal", "Etc/Universal", "Etc/GMT", ""})


def home_zone(places: ResolvedPaths, environ: Mapping[str, str] | None = None) -> tzinfo | None:
    """Return the zone in which this user reads times; None for the machine's own, also where the name is of no zone."""
    variables = os.environ if environ is None else environ
    configured: object = variables.get("MEMD_ZONE") or places.table.get("zone")
    return _zone(configured if isinstance(configured, str) else named_zone(places.data_dir))


def named_zone(data_dir: str | os.PathLike[str]) -> str:
    """Return the zone that a command named last; empty if none did, or if the file cannot be read or names no zone."""
    try:
        with os.fdopen(open_private(os.path.join(data_dir, NAMED_ZONE), os.O_RDONLY), "rb") as file:
            name = file.read(_LONGEST_NAME).decode("ascii", "replace").strip()
    except OSError:
        return ""
    return name if _zone(name) else ""


def is_utc(name: str) -> bool:
    """Return whether a zone is UTC, by any of its names."""
    return name in _UTC


def remember_zone(data_dir: str | os.PathLike[str], name: str) -> None:
    """Keep the zone that a command named.

    Args:
        data_dir: an existing folder.
        name: of a zone.

    Raises:
        OSError: it cannot be written.
    """
    path = os.path.join(data_dir, NAMED_ZONE)
    with os.fdopen(create_anew(f"{path}.new"), "w", encoding="ascii") as file:
        file.write(f"{name}\n")
    os.replace(f"{path}.new", path)


def _zone(name: str) -> tzinfo | None:
    if not name:
        return None
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
