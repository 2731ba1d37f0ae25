"""What an ingest read is about, for people and for programs: when, in which chats, by whom."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from .terminal import counted, local_time, one_line, say

if TYPE_CHECKING:
    from ....schemas import Document

MOST_NAMES = 10_000
"""Chats, and people, that are told apart; others are not counted."""
SHOWN_NAMES = 5
_HARMLESS = re.compile(r"\w[\w .-]{0,40}")


@dataclass(slots=True)
class ReadContents:
    """Counts documents; in constant memory, however many there are."""

    chats: Counter[str] = field(default_factory=Counter[str])
    people: Counter[str] = field(default_factory=Counter[str])
    """By name, their messages."""
    users: set[str] = field(default_factory=set[str])
    """The names of whom the exports belong to."""
    texts: int = 0
    first: datetime | None = None
    last: datetime | None = None

    def add(self, document: Document) -> None:
        """Count its messages, or the text that it is."""
        from ....schemas import ConversationDocument
        from ....schemas.message import SYSTEM_SPEAKER

        if not isinstance(document, ConversationDocument):
            self.texts += 1
            self._span(document.timestamp)
            return
        chat = document.metadata.get("title") or document.metadata.get("chat") or document.id
        _count(self.chats, chat, len(document.messages))
        if len(self.users) < MOST_NAMES:
            self.users.add(document.conversation.user)
        for message in document.messages:
            if message.speaker != SYSTEM_SPEAKER:
                _count(self.people, message.speaker, 1)
            self._span(message.time)

    def _span(self, time: datetime | None) -> None:
        if time is None:
            return
        if self.first is None or time < self.first:
            self.first = time
        if self.last is None or time > self.last:
            self.last = time

    def to_wire(self) -> dict[str, Any]:
        """One JSON object: counts, the names with most messages, the first and the last time."""
        others = Counter({name: count for name, count in self.people.items() if name not in self.users})
        return {
            "first": _utc(self.first),
            "last": _utc(self.last),
            "chats": _names(self.chats),
            "people": _names(self.people),
            "others": [name for name, _ in others.most_common(1)],
            "texts": self.texts,
        }


def _count(names: Counter[str], name: str, number: int) -> None:
    if name in names or len(names) < MOST_NAMES:
        names[name] += number


def _names(names: Counter[str]) -> dict[str, Any]:
    return {"count": len(names), "names": [name for name, _ in names.most_common(SHOWN_NAMES)]}


def _utc(time: datetime | None) -> str | None:
    if time is None:
        return None
    from ....schemas.times import rfc3339

    try:
        return rfc3339(time.astimezone(UTC))
    except OverflowError:  # hours before the year 1 and after 9999, which have no name there
        return rfc3339(time)


def print_contents(contents: Mapping[str, Any]) -> None:
    """The object of `ReadContents.to_wire` in one line, and one next step."""
    days = list(dict.fromkeys(_local_day(contents[name]) for name in ("first", "last") if contents[name]))
    parts = [" to ".join(days)]
    parts += [_told(contents["chats"], "chat"), _told(contents["people"], "person", "people")]
    parts += [counted(contents["texts"], "text")] if contents["texts"] else []
    if told := " · ".join(part for part in parts if part):
        say(told)
    if contents["people"]["count"]:
        who = (contents["others"] or contents["people"]["names"])[0]
        # Somebody will copy it into a shell: what a name of strangers' making could do there is not tried.
        who = who if _HARMLESS.fullmatch(who) else "somebody"
        say(f'next: ask it, as in  memd query "what did {who} say about the weekend?"')
    elif contents["texts"]:
        say('next: ask it, as in  memd query "where did I write about the garden?"')


def _local_day(time: str) -> str:
    return local_time(time)[:10]


def _told(names: Mapping[str, Any], singular: str, plural: str = "") -> str:
    if not names["count"]:
        return ""
    more = ", …" if names["count"] > len(names["names"]) else ""
    listed = ", ".join(one_line(name, 30) for name in names["names"])
    return f"{counted(names['count'], singular, plural)}: {listed}{more}"
