"""The region of an abbreviation such as EST, whose clocks change: a log that begins with it may end with EDT. Pure."""

from __future__ import annotations

from datetime import datetime, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from .windows_zones import windows_zone

_REGIONS = {
    "EST": "America/New_York", "EDT": "America/New_York", "CST": "America/Chicago", "CDT": "America/Chicago",
    "MST": "America/Denver", "MDT": "America/Denver", "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles",
    "AKST": "America/Anchorage", "AKDT": "America/Anchorage", "AST": "America/Halifax", "ADT": "America/Halifax",
    "NST": "America/St_Johns", "NDT": "America/St_Johns", "GMT": "Europe/London", "BST": "Europe/London",
    "WET": "Europe/Lisbon", "WEST": "Europe/Lisbon", "CET": "Europe/Berlin", "CEST": "Europe/Berlin",
    "MEZ": "Europe/Berlin", "MESZ": "Europe/Berlin", "EET": "Europe/Helsinki", "EEST": "Europe/Helsinki",
    "AEST": "Australia/Sydney", "AEDT": "Australia/Sydney", "ACST": "Australia/Adelaide",
    "ACDT": "Australia/Adelaide", "NZST": "Pacific/Auckland", "NZDT": "Pacific/Auckland",
}  # fmt: skip
"""By abbreviation the region where most people use it."""


@lru_cache(maxsize=1024)
def region_at(name: str, wall: datetime, offset: timezone) -> tzinfo:
    """Return the region that an abbreviation or a name of Windows means, if its clocks have this offset at this time; else
    the offset.
    """
    key = _REGIONS.get(name.strip().upper())
    region = ZoneInfo(key) if key else windows_zone(name)
    return (
        region if region is not None and wall.replace(tzinfo=region).utcoffset() == offset.utcoffset(None) else offset
    )
