"""Collects names, titles, edits, reactions, votes and redactions in a first walk through the events of Matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from ....schemas.model import valid_unicode
from ...text.json_fields import object_of, words_of
from .content import new_content, poll_of, relation_of, votes_of

_WANTED = (
    b"m.room.member",
    b"m.room.name",
    b"m.room.redaction",
    b"m.replace",
    b"m.annotation",
    b"poll.response",
    b"poll.start",
    b"matrix.to/#/@",
)
_MOST = 200_000
"""The largest number of edits, reactions and votes held in memory. Later ones become messages or are only counted."""
_MOST_BYTES = 128 << 20
"""The largest size of the contents of held edits, and of the edits that wait for their events."""
REACTION, VOTE = "m.reaction", "poll.response"


def wanted(raw: bytes) -> bool:
    """Return whether the first walk needs the event in these bytes."""
    return any(mark in raw for mark in _WANTED)


@dataclass(frozen=True, slots=True)
class EventEdit:
    """A later wording of an event."""

    sender: str
    time: int | float
    content: bytes
    """The content as JSON, which takes less memory than objects."""

    @property
    def value(self) -> dict[str, Any]:
        """The content, parsed."""
        return object_of(orjson.loads(self.content))


@dataclass(slots=True)
class Relations:
    """Edits, reactions and redactions by the ids of their target events; readers remove what they use."""

    names: dict[str, str] = field(default_factory=dict[str, str])
    """The latest display names in the export, by account."""
    rooms: dict[str, str] = field(default_factory=dict[str, str])
    """The titles, by room."""
    edits: dict[str, list[EventEdit]] = field(default_factory=dict[str, list[EventEdit]])
    reactions: dict[str, dict[str, dict[str, None]]] = field(default_factory=dict[str, dict[str, dict[str, None]]])
    """The accounts of each emoji or poll answer, by target event."""
    redacted: set[str] = field(default_factory=set[str])
    _mentioned: dict[str, str] = field(default_factory=dict[str, str])
    _polls: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    _votes: dict[tuple[str, str], list[str]] = field(default_factory=dict[tuple[str, str], list[str]])
    _told: dict[tuple[str, str], int | float] = field(default_factory=dict[tuple[str, str], int | float])
    """The time of the latest event that set a name, a title or a vote."""
    most_bytes: int = _MOST_BYTES
    _held: int = 0
    _bytes: int = 0
    _refused: int = 0
    _waiting_bytes: int = 0

    def learn(self, events: Iterable[dict[str, Any]]) -> None:
        """Process the events of a file; only those that `wanted` accepts are needed."""
        for event in events:
            content = object_of(event.get("content"))
            kind = words_of(event.get("type"))
            if kind == "m.room.member":
                self._name(words_of(event.get("state_key")), content, event)
            elif kind == "m.room.name" and words_of(content.get("name")):
                if self._is_newer("room", words_of(event.get("room_id")), event):
                    self.rooms[words_of(event.get("room_id"))] = words_of(content.get("name"))
            elif kind == "m.room.redaction":
                self.redacted.add(words_of(event.get("redacts")) or words_of(content.get("redacts")))
            else:
                self._relate(kind, event, content)
        self._count_votes()

    def left(self) -> int:
        """Return the number of edits, reactions, votes and deletions without a target among the events."""
        reactions = sum(len(people) for emoji in self.reactions.values() for people in emoji.values())
        return reactions + len(self.redacted - {""}) + self._refused

    def may_wait(self, event: dict[str, Any]) -> bool:
        """Reserve memory for an edit that waits for its event; return whether it fits.

        Events of Matrix have at most 64 KiB; a file made by hand may hold any number of larger ones.
        """
        try:
            self._waiting_bytes += len(orjson.dumps(event))
        except TypeError:  # lone surrogates, or nested deeper than orjson writes: its size is not known
            return False
        return self._waiting_bytes <= self.most_bytes

    def name_of(self, account: str) -> str:
        """Return the display name of an account; empty if the export has none."""
        return self.names.get(account) or self._mentioned.get(account, "")

    def _name(self, account: str, content: dict[str, Any], event: dict[str, Any]) -> None:
        if (name := words_of(content.get("displayname"))) and self._is_newer("name", account, event):
            self.names[account] = name

    def _is_newer(self, what: str, of: str, event: dict[str, Any]) -> bool:
        """Return whether this is the latest event so far for the key, and record its time.

        Lists of a server begin with the newest event.
        """
        time = _time_of(event)
        last = self._told.get((what, of))
        if last is not None and last > time:
            return False
        self._told[what, of] = time
        return True

    def _relate(self, kind: str, event: dict[str, Any], content: dict[str, Any]) -> None:
        relation = relation_of(content)
        target, sender = words_of(relation.get("event_id")), words_of(event.get("sender"))
        if target and relation.get("rel_type") == "m.replace":
            edit = EventEdit(sender, _time_of(event), _packed(new_content(content)))
            if self._room_for_more(len(edit.content)):
                self.edits.setdefault(target, []).append(edit)
        elif target and kind == REACTION and words_of(relation.get("key")) and self._room_for_more():
            self.reactions.setdefault(target, {}).setdefault(words_of(relation.get("key")), {})[sender] = None
        elif target and kind.endswith(VOTE) and self._room_for_more():
            if self._is_newer(target, sender, event):  # the last vote of a person counts
                self._votes[target, sender] = votes_of(content)
        elif "poll.start" in kind and self._room_for_more():
            self._polls[words_of(event.get("event_id"))] = poll_of(content)[1]
        for account, name in _mentions(content.get("formatted_body")):
            self._mentioned.setdefault(account, name)

    def _room_for_more(self, size: int = 0) -> bool:
        self._held += 1
        self._bytes += size
        fits = self._held <= _MOST and self._bytes <= self.most_bytes
        self._refused += not fits
        return fits

    def _count_votes(self) -> None:
        for (poll, sender), answers in self._votes.items():
            shown = self._polls.get(poll, {})
            for answer in answers:
                self.reactions.setdefault(poll, {}).setdefault(shown.get(answer, answer), {})[sender] = None
        self._votes.clear()
        self._polls.clear()


def _time_of(event: dict[str, Any]) -> int | float:
    time = event.get("origin_server_ts")
    return time if isinstance(time, int | float) else 0


def _packed(content: dict[str, Any]) -> bytes:
    """Return content as JSON.

    Keeps only its texts if the whole has lone surrogates or is nested deeper than orjson can write.
    """
    try:
        return orjson.dumps(content)
    except TypeError:
        words = {
            str(valid_unicode(key)): valid_unicode(value) for key, value in content.items() if isinstance(value, str)
        }
        return orjson.dumps(words)


def _mentions(html: object) -> Iterator[tuple[str, str]]:
    """Yield the accounts and names of mentions: the link targets and link texts of pills."""
    if not isinstance(html, str):
        return
    for piece in html.split("https://matrix.to/#/@")[1:]:
        account, quote, rest = piece.partition('">')
        name, end, _ = rest.partition("</a>")
        plain = 0 < len(name) < 256 and name[0] != "@" and "<" not in name and "&" not in name
        if quote and end and plain and ":" in account and len(account) < 256:
            yield f"@{account}", name
