"""Dates as Google Chat writes them in a Takeout, in the language of the account and always in UTC. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from ...schemas.times import fixed_offset
from ..llm_chats.activity_dates import activity_date

_WEEKDAYS = re.compile(r"\b(?:mardi|martes|martedì|martedi|середа|середу|marți)\b", re.IGNORECASE)
"""Days of the week that begin like months."""
_CLOCK_FIRST = re.compile(r"\A\s*(\d{1,2}[:.]\d{2}[:.]\d{2}(?:\s?[AaPp]\.?\s?[Mm]\.?)?)\s+(.*)\Z", re.DOTALL)


def chat_date(text: str, zone: tzinfo) -> datetime | None:
    """The time that ``Friday, May 29, 2026 at 3:00:29 PM UTC`` or ``2026年5月29日星期五 UTC 03:00:29`` is; None for all else.

    Args:
        text: a full date and time.
        zone: in which it is given back, with a fixed offset.
    """
    plain = _WEEKDAYS.sub("", text)
    found = activity_date(plain, UTC)
    if found is None and (turned := _CLOCK_FIRST.match(plain)):
        found = activity_date(f"{turned[2].replace('UTC', '')} {turned[1]}", UTC)
    if found is None:
        return None
    try:
        return fixed_offset(found[0].astimezone(zone))
    except (ValueError, OverflowError):
        return None
