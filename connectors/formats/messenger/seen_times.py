"""How often each time occurred in a chat, to tell messages of the same time apart. Pure."""

from __future__ import annotations

from operator import gt, lt

_REMEMBERED = 100_000
"""Times after which all are forgotten."""


class SeenTimes:
    """Counts times, of which nearly all lie beyond all before them: those are only listed.

    They are put into the table when a time comes that may be among them, which in most chats never happens.
    """

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self._listed: list[int] = []
        """Times that occurred once and are not in the table."""
        self._lowest = self._highest = 0
        """Of all times, if there are any."""

    def are_new(self, times: list[int]) -> bool:
        """Whether none of them occurred before or occurs twice here, and all can be remembered."""
        if self._held + len(times) > _REMEMBERED:
            return False
        if self._are_beyond(times):
            return True
        self._fill_table()
        return len({*times}) == len(times) and self._counts.keys().isdisjoint(times)

    def add_all(self, times: list[int]) -> None:
        """Count times that are new."""
        if not times:
            return
        first, last = min(times), max(times)
        self._lowest = min(first, self._lowest) if self._held else first
        self._highest = max(last, self._highest) if self._held else last
        self._listed += times

    def count(self, time: int) -> int:
        """How often a time occurred, with this one."""
        if self._are_beyond([time]):
            found = 1
        else:
            self._fill_table()
            found = self._counts.get(time, 0) + 1
        if found > 1:
            self._counts[time] = found
            return found
        if self._held >= _REMEMBERED:
            self._counts, self._listed = {}, []
        self.add_all([time])
        return 1

    @property
    def _held(self) -> int:
        return len(self._counts) + len(self._listed)

    def _are_beyond(self, times: list[int]) -> bool:
        """Whether they rise, or fall, and do so above or below all before them."""
        if not times or not self._held:
            rest = True
        else:
            rest = min(times[0], times[-1]) > self._highest or max(times[0], times[-1]) < self._lowest
        return rest and (all(map(lt, times, times[1:])) or all(map(gt, times, times[1:])))

    def _fill_table(self) -> None:
        self._counts.update(dict.fromkeys(self._listed, 1))
        self._listed = []
