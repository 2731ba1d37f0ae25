"""Keys for the messages of one document: by the source's ids, else by minute, kind, first wording and number among equals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, get_args
from uuid import UUID

from ...schemas import ConversationDocument, ConversationMessage, MessageKind
from ...schemas.keys import derived_message_key, message_key
from ...schemas.times import utc_minute, wall_minute
from .alignment import Identity, identity

KEY = "memd-key"
"""Metadata of a message in an export: what its key was made of, where its present state does not tell."""
_CLAIM = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d) ([a-z]+) (content|edit\d{1,4}|-) (\d{1,6})")
_KINDS: tuple[str, ...] = get_args(MessageKind)
_ID = "id"
_TRIES = 20_000
"""How much is tried to find what a key was made of: a minute of many equals, a message of many wordings."""


def origin(message: ConversationMessage) -> Identity:
    """The name of a message as it read first: an edit and a deletion leave the wording that its key was made of."""
    own = identity(message)
    if own.id or not message.edits or message.kind not in ("text", "deleted"):
        return own
    return own._replace(kind="text", text=message.edits[0].content)


class KeyOrigin(NamedTuple):
    """What a key was made of. ``kind`` is the message's first, or ``id`` where its source's id counted.

    ``wording``: ``content``, ``edit`` with a number, or ``-`` where no words count.
    """

    minute: str
    kind: str
    wording: str
    ordinal: int

    def to_text(self) -> str:
        """As it travels, ``2024-01-15T12:01 text edit0 1``."""
        return f"{self.minute} {self.kind} {self.wording} {self.ordinal}"

    def words(self, message: ConversationMessage) -> str | None:
        """The wording that counted; None when the message has no such wording."""
        if self.wording == "-":
            return ""
        if self.wording == "content":
            return message.content
        number = int(self.wording[4:])
        return message.edits[number].content if number < len(message.edits) else None


def claim_of(text: str) -> KeyOrigin | None:
    """The inverse of ``KeyOrigin.to_text``; None for anything else."""
    match = _CLAIM.fullmatch(text)
    if match is None or match[2] not in (*_KINDS, _ID) or (match[3] == "-") == (match[2] == "text"):
        return None
    return KeyOrigin(match[1], match[2], match[3], int(match[4]))


class KeyAssigner:
    """Keys for new messages of one document; equals are numbered in their order. ``used`` grows with them."""

    def __init__(self, document: ConversationDocument, used: set[UUID]) -> None:
        self._parts = (document.source, document.metadata.get("account", ""), document.id)
        self._used = used
        self._next: dict[Identity, int] = {}

    def key(self, message: ConversationMessage, claim: KeyOrigin | None = None) -> UUID:
        """The key of the next message; a claim that leads to a key of another message does not count."""
        if claim is not None:
            claimed = self.claimed(message, claim)
            if claimed is not None and claimed not in self._used:
                self._used.add(claimed)
                return claimed
        return self._use(*self._following(message))

    def gives(self, message: ConversationMessage, key: UUID) -> bool:
        """Whether ``key`` would be the answer now; only then it is used up."""
        following = self._following(message)
        return following[2] == key and bool(self._use(*following))

    def _use(self, own: Identity, ordinal: int, key: UUID) -> UUID:
        self._next[own] = ordinal + 1
        self._used.add(key)
        return key

    def _following(self, message: ConversationMessage) -> tuple[Identity, int, UUID]:
        own = origin(message)
        ordinal = self._next.get(own, 0)
        while (key := self._make(message, own, ordinal)) in self._used:
            ordinal += 1
        return own, ordinal, key

    def claim(self, message: ConversationMessage, key: UUID, equals: int) -> KeyOrigin | None:
        """What ``key`` was made of, if it can be found among the message's wordings; marks it as used.

        ``equals``: how many messages its minute may have had.
        """
        for claim in islice(_claims(message, equals), _TRIES):
            if self.claimed(message, claim) == key:
                self._used.add(key)
                return claim
        return None

    def claimed(self, message: ConversationMessage, claim: KeyOrigin) -> UUID | None:
        """The key that a claim leads to; None when the message has no such wording or id."""
        if claim.kind == _ID:
            return None if message.id is None else self._of_id(message.id, claim.ordinal)
        words = claim.words(message)
        if words is None:
            return None
        return derived_message_key(*self._parts, claim.minute, claim.kind, words, claim.ordinal)

    def _make(self, message: ConversationMessage, own: Identity, ordinal: int) -> UUID:
        if message.id is not None:
            return self._of_id(message.id, ordinal)
        return derived_message_key(*self._parts, own.minute, own.kind, own.text, ordinal)

    def _of_id(self, identifier: str, ordinal: int) -> UUID:
        return message_key(*self._parts, identifier if ordinal == 0 else f"{identifier}\0{ordinal}")


def _claims(message: ConversationMessage, equals: int) -> Iterator[KeyOrigin]:
    """All that a key of this message may have been made of, the likely first."""
    minutes = dict.fromkeys((wall_minute(message.time), utc_minute(message.time)))
    wordings: Sequence[str] = ["content", *(f"edit{number}" for number in range(len(message.edits)))]
    named = [("text", wording) for wording in wordings]
    named += [(kind, "-") for kind in dict.fromkeys((message.kind, *_KINDS)) if kind != "text"]
    if message.id is not None:
        named.append((_ID, "-"))
    for ordinal in range(equals + 1):
        for minute in minutes:
            for kind, wording in named:
                yield KeyOrigin(minute, kind, wording, ordinal)
