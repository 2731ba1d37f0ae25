"""Times of day as apps write them: 13:05, 1:05 PM, 午後1:05, 오후 1:05. Pure."""

from __future__ import annotations

import re

from .day_periods import BEFORE_CLOCK

_MARK = "[AaPp]\\.?[ \u00a0\u202f]?[Mm]\\.?"
TIME = rf"(?:(?:{BEFORE_CLOCK[0]}|{BEFORE_CLOCK[1]})[ \u00a0\u202f]?)?\d{{1,2}}:\d\d(?::\d\d)?(?:[ \u00a0\u202f]?(?:{_MARK})(?!\w))?"
"""An expression without groups."""
_PARTS = re.compile(
    rf"(?:(?P<am>{BEFORE_CLOCK[0]})|(?P<pm>{BEFORE_CLOCK[1]}))?[ \u00a0\u202f]?(?P<hour>\d{{1,2}}):(?P<minute>\d\d)"
    rf"(?::(?P<second>\d\d))?[ \u00a0\u202f]?(?P<mark>{_MARK})?"
)
_CACHE_LIMIT = 20_000
ClockTime = tuple[int, int, int]


class ClockTimes:
    """Reads time texts; remembers them, because a chat of minutes has at most 1,440."""

    def __init__(self) -> None:
        self._seen: dict[str, ClockTime | None] = {}

    def read(self, text: str) -> ClockTime | None:
        """Hour, minute, second; None when the clock never shows that. An hour of 24 is midnight."""
        if text in self._seen:
            return self._seen[text]
        if len(self._seen) >= _CACHE_LIMIT:
            self._seen.clear()
        clock = self._seen[text] = _read(text)
        return clock


def _read(text: str) -> ClockTime | None:
    match = _PARTS.fullmatch(text)
    if match is None:
        return None
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    mark = (match["mark"] or "").casefold()
    before = bool(match["am"]) or mark.startswith("a")
    after = bool(match["pm"]) or mark.startswith("p")
    if hour == 24:
        hour = 0
    if hour > 23 or minute > 59 or second > 59:
        return None
    if before and hour == 12:
        hour = 0
    elif after and hour < 12:
        hour += 12
    return hour, minute, second
