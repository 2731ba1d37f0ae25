"""Counts the occurrences of each time in a chat, to give messages of the same time different ids. Pure."""

from __future__ import annotations

from operator import gt, lt

_REMEMBERED = 100_000
"""The largest number of times that are remembered; then all are forgotten."""


class SeenTimes:
    """Counts times; nearly all come in order, beyond all earlier ones, and are only listed.

    The table is filled only when a time may repeat an earlier one, which never happens in most chats.
    """

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self._listed: list[int] = []
        """Times that occurred once and are not in the table."""
        self._lowest = self._highest = 0
        """The lowest and the highest of all times, if there are any."""

    def are_new(self, times: list[int]) -> bool:
        """Return whether none of these times occurred before or occurs twice among them, and all can be remembered."""
        if self._held + len(times) > _REMEMBERED:
            return False
        if self._are_beyond(times):
            return True
        self._fill_table()
        return len({*times}) == len(times) and self._counts.keys().isdisjoint(times)

    def add_all(self, times: list[int]) -> None:
        """Count times that are known to be new."""
        if not times:
            return
        first, last = min(times), max(times)
        self._lowest = min(first, self._lowest) if self._held else first
        self._highest = max(last, self._highest) if self._held else last
        self._listed += times

    def count(self, time: int) -> int:
        """Count a time; return its number of occurrences including this one."""
        if self._are_beyond([time]):
            number = 1
        else:
            self._fill_table()
            number = self._counts.get(time, 0) + 1
        if number > 1:
            self._counts[time] = number
            return number
        if self._held >= _REMEMBERED:
            self._counts, self._listed = {}, []
        self.add_all([time])
        return 1

    @property
    def _held(self) -> int:
        return len(self._counts) + len(self._listed)

    def _are_beyond(self, times: list[int]) -> bool:
        """Return whether the times strictly rise or fall, and lie entirely above or below all earlier ones."""
        if not times or not self._held:
            rest = True
        else:
            rest = min(times[0], times[-1]) > self._highest or max(times[0], times[-1]) < self._lowest
        return rest and (all(map(lt, times, times[1:])) or all(map(gt, times, times[1:])))

    def _fill_table(self) -> None:
        self._counts.update(dict.fromkeys(self._listed, 1))
        self._listed = []
