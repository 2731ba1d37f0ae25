"""The search for replies in old threads, which the history of a conversation does not contain. No I/O.

Results of a question are kept by Slack for a while, so that each is asked in other words; days are those of the person's zone,
and pages beyond the hundredth are the first again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from ...formats.slack.values import JSONObject, microseconds_of, number_of, object_of, objects_of, text_of

LAST_PAGE = 100
COUNT = 100
LATE_S = 900
"""Seconds in which a reply may be found later than one that was written after it."""
_ZONES = timedelta(days=2)
"""More than any two zones are apart, and a day, since ``after:`` leaves its own day out."""


class Sweep:
    """One search for replies.

    Args:
        through: the stamp of the last reply that was found before; empty: nobody looked, and there is nothing to look for.
        now: seconds since 1970.
    """

    def __init__(self, through: str, now: float) -> None:
        self.found: list[tuple[str, str, str]] = []
        """The replies, each as its conversation, the timestamp of its thread's first message, and a timestamp right
        before its own.
        """
        self.reached = through or f"{int(now)}.000000"
        """The stamp of the latest reply."""
        self._floor = (microseconds_of(through) or 0) - LATE_S * 1_000_000
        self._page = 1 if through else 0
        self._now = now

    def question(self) -> Mapping[str, str | int] | None:
        """Return the arguments of the next request; None at the end."""
        if not self._page:
            return None
        day = (datetime.fromtimestamp(max(0, self._floor) / 1_000_000, UTC) - _ZONES).date()
        words = f"threads:replies after:{day.isoformat()} -memd{int(self._now)}"
        return {"query": words, "sort": "timestamp", "sort_dir": "desc", "count": COUNT, "page": self._page}

    def take(self, answer: JSONObject) -> None:
        """Take a page of results, the latest first."""
        messages = object_of(answer, "messages")
        matches = objects_of(messages, "matches")
        earliest = None
        for match in matches:
            stamp = text_of(match, "ts")
            micros = microseconds_of(stamp)
            if micros is None:
                continue
            earliest = micros if earliest is None else min(earliest, micros)
            if micros <= self._floor:
                continue
            if micros > (microseconds_of(self.reached) or 0):
                self.reached = stamp
            before = f"{(micros - 1) // 1_000_000}.{(micros - 1) % 1_000_000:06d}"
            self.found.append((text_of(object_of(match, "channel"), "id"), _root(match) or stamp, before))
        pages = min(number_of(object_of(messages, "paging"), "pages"), LAST_PAGE)
        is_over = earliest is None or earliest <= self._floor or self._page >= pages
        self._page = 0 if is_over else self._page + 1


def _root(match: JSONObject) -> str:
    """Return the timestamp of the thread's first message, from the link to the reply."""
    try:
        stamp = parse_qs(urlsplit(text_of(match, "permalink")).query).get("thread_ts", [""])[0]
    except ValueError:
        return ""
    return stamp if microseconds_of(stamp) is not None else ""
