"""Describes the contents of an ingest for people: dates, chats, authors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from .terminal import counted, one_line, say, say_command
from .wall_clock import local_time

_NEXT = "next: ask it, as in "
_HARMLESS = re.compile(r"\w[\w .-]{0,40}")


_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
"""Not those of the locale: the question is in English."""


def print_contents(contents: Mapping[str, Any], query: str = "memd query") -> None:
    """The object of `ContentCounts.to_wire` in one line, and one next step; ``query`` is how the same memory is asked."""
    days = list(dict.fromkeys(_local_day(contents[name]) for name in ("first", "last") if contents[name]))
    parts = [" to ".join(days)]
    parts += [_told(contents["chats"], "chat"), _told(contents["people"], "person", "people")]
    parts += [counted(contents[f"{name}s"], name) for name in ("text", "event") if contents.get(f"{name}s")]
    if line := " · ".join(part for part in parts if part):
        say(line)
    if contents["people"]["count"]:
        who = (contents["others"] or contents["people"]["names"])[0]
        # Somebody will copy it into a shell: what a name of strangers' making could do there is not tried.
        who = who if _HARMLESS.fullmatch(who) else "somebody"
        last = (contents["others_last"] or [contents["last"]])[0]
        say_command(_NEXT, f'{query} "what did {who} say{_month(last)}?"')
    elif contents["texts"]:
        say_command(_NEXT, f'{query} "what did I write{_month(contents["last"])}?"')
    elif contents.get("events") and contents["last"]:
        say_command(_NEXT, f'{query} "what was{_month(contents["last"])}?"')


def _month(time: str | None) -> str:
    """`` in May 2024``, which a question finds; nothing where there is no time, or one that counts from 1970 for want of a day."""
    if not time:
        return ""
    year, month, _ = _local_day(time).split("-")
    if int(year) == 1970:
        return ""
    return f" in {_MONTHS[int(month) - 1]} {int(year)}"


def _local_day(time: str) -> str:
    return local_time(time)[:10]


def _told(names: Mapping[str, Any], singular: str, plural: str = "") -> str:
    if not names["count"]:
        return ""
    more = ", …" if names["count"] > len(names["names"]) else ""
    often = Counter[str](names["names"])
    listed = ", ".join(one_line(name, 30) + (f" ({number})" if number > 1 else "") for name, number in often.items())
    return f"{counted(names['count'], singular, plural)}: {listed}{more}"
