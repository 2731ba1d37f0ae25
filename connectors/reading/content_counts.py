"""The counts of documents by time, chat and person, made while they are read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

from ...schemas import SYSTEM_SPEAKER, ConversationDocument, Document
from ...schemas.times import in_utc, rfc3339, utc_microseconds

MOST_NAMES = 10_000
"""The largest number of chats, and of people, that are distinguished; others are not counted."""
LONGEST_NAME = 200
"""Characters of a name; longer ones are cut."""
SHOWN_NAMES = 5
TOLD_NAMES = 100
"""The largest number of chats, and of people, that a receipt names: those with the most messages."""

CALENDAR = "calendar"
"""The source of texts that are calendar events, tasks or entries."""


@dataclass(slots=True)
class ContentCounts:
    """Counts documents; in constant memory, however many there are."""

    documents: int = 0
    messages: int = 0
    """The number of messages in conversations, plus one per text."""
    texts: int = 0
    """The number of texts that are not calendar events."""
    events: int = 0
    """The number of calendar events."""
    chats: Counter[str] = field(default_factory=Counter[str])
    """The number of messages of each chat, by a key that identifies it: two chats may have the same title."""
    titles: dict[str, str] = field(default_factory=dict[str, str])
    people: Counter[str] = field(default_factory=Counter[str])
    """The number of messages of each person, by name."""
    latest: dict[str, datetime] = field(default_factory=dict[str, datetime])
    """The time of the last message of each person, by name."""
    users: set[str] = field(default_factory=set[str])
    """The names of the owners of the exports."""
    named: set[str] = field(default_factory=set[str])
    """The chats that `memd chats` lists by a title or an id; the others are conversations without either."""
    first: datetime | None = None
    last: datetime | None = None

    def add(self, document: Document) -> int:
        """Count its messages, or the text that it is; returns how many."""
        self.documents += 1
        conversation = document.as_conversation()
        if conversation is None:
            of_calendar = document.metadata.get("source") == CALENDAR and "component" not in document.metadata
            self.events += of_calendar
            self.texts += not of_calendar
            self.messages += 1
            self._span(document.timestamp)
            return 1
        title = conversation.metadata.get("title") or conversation.metadata.get("chat")
        chat = (title or conversation.id)[:LONGEST_NAME]
        self._note_chat(_chat_of(conversation), chat, len(conversation.messages))
        if title and len(self.named) < MOST_NAMES:
            self.named.add(chat)
        if len(self.users) < MOST_NAMES:
            self.users.add(conversation.conversation.user[:LONGEST_NAME])
        for name, number in Counter([message.speaker for message in conversation.messages]).items():
            if name != SYSTEM_SPEAKER:
                _count(self.people, name, number)
        for message in conversation.messages:
            self._note_latest(message.speaker, message.time)
        times = [message.time for message in conversation.messages]
        self._span(min(times))
        self._span(max(times))
        self.messages += len(times)
        return len(times)

    def receipt(self) -> dict[str, Any]:
        """Return the counts for a receipt: it names only chats that `memd chats` lists, since forgetting removes their
        names again.
        """
        fields = self.to_wire(TOLD_NAMES)
        titles = dict.fromkeys(self.titles[chat] for chat, _ in self.chats.most_common())
        chats = [title for title in titles if title in self.named][:TOLD_NAMES]
        body: dict[str, Any] = {
            "documents": self.documents,
            "messages": self.messages,
            "chats": {"count": len(self.chats), "names": chats},
            "people": fields["people"],
        }
        return body | ({} if fields["first"] is None else {"first": fields["first"], "last": fields["last"]})

    def merge(self, other: ContentCounts) -> None:
        """Add the counts of another object."""
        self.documents += other.documents
        self.messages += other.messages
        self.texts += other.texts
        self.events += other.events
        self.users |= other.users
        self.named |= other.named
        for chat, number in other.chats.items():
            self._note_chat(chat, other.titles[chat], number)
        for name, number in other.people.items():
            _count(self.people, name, number)
        for name, time in other.latest.items():
            self._note_latest(name, time)
        self._span(other.first)
        self._span(other.last)

    def _titles(self, shown: int) -> list[str]:
        """Return the titles of the chats with the most messages; a title appears once for each such chat."""
        return [self.titles[chat] for chat, _ in self.chats.most_common(shown)]

    def _note_chat(self, chat: str, title: str, number: int) -> None:
        _count(self.chats, chat, number)
        if chat in self.chats:
            self.titles[chat] = title

    def _note_latest(self, name: str, time: datetime) -> None:
        name = name[:LONGEST_NAME]
        if name in self.people and (name not in self.latest or time > self.latest[name]):
            self.latest[name] = time

    def _span(self, time: datetime | None) -> None:
        if time is None:
            return
        if self.first is None or time < self.first:
            self.first = time
        if self.last is None or time > self.last:
            self.last = time

    def to_wire(self, shown: int = SHOWN_NAMES) -> dict[str, Any]:
        """Return a JSON object: counts, the ``shown`` names with the most messages, the first and the last time;
        ``others`` is a list of the person other than the user who wrote most, ``others_last`` of the time of that
        person's last message.
        """
        others = Counter({name: count for name, count in self.people.items() if name not in self.users})
        most = [name for name, _ in others.most_common(1)]
        return {
            "first": _utc(self.first),
            "last": _utc(self.last),
            "chats": _names(self.chats, shown) | {"names": self._titles(shown)},
            "people": _names(self.people, shown),
            "others": most,
            "others_last": [_utc(self.latest[name]) for name in most],
            "texts": self.texts,
            "events": self.events,
        }


def _chat_of(document: ConversationDocument) -> str:
    """Return the key that identifies a conversation's chat: the source's own key of the chat, else the document's id.
    Hashed, so that it stays short however long these are.
    """
    source, account = document.conversation.source, document.metadata.get("account", "")
    chat = document.metadata.get("chat") or document.id
    return sha256(f"{source}\0{account}\0{chat}".encode("utf-8", "replace")).hexdigest()


def _count(names: Counter[str], name: str, number: int) -> None:
    name = name[:LONGEST_NAME]
    if name in names or len(names) < MOST_NAMES:
        names[name] += number


def _names(names: Counter[str], shown: int) -> dict[str, Any]:
    return {"count": len(names), "names": [name for name, _ in names.most_common(shown)]}


def _utc(time: datetime | None) -> str | None:
    return None if time is None else rfc3339(in_utc(utc_microseconds(time)))
