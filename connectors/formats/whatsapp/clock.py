"""Parser of clock times: a header's time text to hour, minute and second. Pure."""

from __future__ import annotations

import re

from ...times.day_periods import DayPart, fold_period, hour_of_day

_NUMBERS = re.compile(r"\d+")
_CACHE_LIMIT = 20_000


class Clock:
    """Parses time texts with a cache: a chat with times to the minute has at most 1,440."""

    def __init__(self, periods: dict[str, DayPart]) -> None:
        self._periods = sorted(periods.items(), key=lambda item: -len(item[0]))
        self.seen: dict[str, tuple[int, int, int] | None] = {}
        """The cache of parsed times, for a caller that cannot afford a call for each message."""

    def read(self, text: str) -> tuple[int, int, int] | None:
        """Return hour, minute and second; None for a time that does not exist."""
        try:
            return self.seen[text]
        except KeyError:
            pass
        if len(self.seen) >= _CACHE_LIMIT:
            self.seen.clear()
        moment = self._read(text)
        self.seen[text] = moment
        return moment

    def _read(self, text: str) -> tuple[int, int, int] | None:
        part: DayPart | None = None
        if self._periods:
            folded = fold_period(text)
            part = next((p for word, p in self._periods if word in folded), None)
        numbers = [int(number) for number in _NUMBERS.findall(text)]
        hour, minute, second = hour_of_day(numbers[0], part), numbers[1], numbers[2] if len(numbers) > 2 else 0
        return (hour, minute, second) if hour < 24 and minute < 60 and second < 60 else None
