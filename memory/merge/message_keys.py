"""Keys for the messages of one document: from the source's ids, else from minute, kind, first wording and ordinal among
equals.
"""

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
"""Metadata of an exported message: the origin of its key, if the current state does not reveal it."""
_CLAIM = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d) ([a-z]+) (content|edit\d{1,4}|-) (\d{1,6})")
_KINDS: tuple[str, ...] = get_args(MessageKind)
_ID = "id"
_TRIES = 20_000
"""The most candidates tried to find the origin of a key: a minute may have many equal messages, a message many
wordings.
"""


def origin(message: ConversationMessage) -> Identity:
    """Return the identity of a message's first state: edits and deletion do not change the wording its key was derived
    from.
    """
    stated = identity(message)
    if stated.id or not message.edits or message.kind not in ("text", "deleted"):
        return stated
    return stated._replace(kind="text", text=message.edits[0].content)


class KeyOrigin(NamedTuple):
    """The parts from which a key was derived. ``kind`` is the message's first kind, or ``id`` if the source's id was
    used.

    ``wording``: ``content``, ``edit`` with a number, or ``-`` if no words were used.
    """

    minute: str
    kind: str
    wording: str
    ordinal: int

    def to_text(self) -> str:
        """Return the exported form, for example ``2024-01-15T12:01 text edit0 1``."""
        return f"{self.minute} {self.kind} {self.wording} {self.ordinal}"

    def words(self, message: ConversationMessage) -> str | None:
        """Return the wording used for the key; None if the message has no such wording."""
        if self.wording == "-":
            return ""
        if self.wording == "content":
            return message.content
        number = int(self.wording[4:])
        return message.edits[number].content if number < len(message.edits) else None


def claim_of(text: str) -> KeyOrigin | None:
    """Parse the result of ``KeyOrigin.to_text``; None for any other text."""
    match = _CLAIM.fullmatch(text)
    if match is None or match[2] not in (*_KINDS, _ID) or (match[3] == "-") == (match[2] == "text"):
        return None
    return KeyOrigin(match[1], match[2], match[3], int(match[4]))


class KeyAssigner:
    """Assigns keys to new messages of one document, numbering equal ones in order. ``used`` grows with them."""

    def __init__(self, document: ConversationDocument, used: set[UUID]) -> None:
        self._parts = (document.source, document.metadata.get("account", ""), document.id)
        self._used = used
        self._next: dict[Identity, int] = {}

    def key(self, message: ConversationMessage, claim: KeyOrigin | None = None) -> UUID:
        """Return the key of the next message; a claim that leads to the key of another message is ignored."""
        if claim is not None:
            claimed = self.claimed(message, claim)
            if claimed is not None and claimed not in self._used:
                self._used.add(claimed)
                return claimed
        return self._use(*self._following(message))

    def gives(self, message: ConversationMessage, key: UUID) -> bool:
        """Return whether the next key of `message` would be ``key``; only then it is marked as used."""
        following = self._following(message)
        return following[2] == key and bool(self._use(*following))

    def _use(self, stated: Identity, ordinal: int, key: UUID) -> UUID:
        self._next[stated] = ordinal + 1
        self._used.add(key)
        return key

    def _following(self, message: ConversationMessage) -> tuple[Identity, int, UUID]:
        stated = origin(message)
        ordinal = self._next.get(stated, 0)
        while (key := self._make(message, stated, ordinal)) in self._used:
            ordinal += 1
        return stated, ordinal, key

    def claim(self, message: ConversationMessage, key: UUID, equals: int) -> KeyOrigin | None:
        """Find the origin of ``key`` among the message's wordings and mark the key as used; None if there is none.

        ``equals``: the most equal messages that its minute may have had.
        """
        for claim in islice(_claims(message, equals), _TRIES):
            if self.claimed(message, claim) == key:
                self._used.add(key)
                return claim
        return None

    def claimed(self, message: ConversationMessage, claim: KeyOrigin) -> UUID | None:
        """Return the key that a claim leads to; None if the message has no such wording or id."""
        if claim.kind == _ID:
            return None if message.id is None else self._of_id(message.id, claim.ordinal)
        words = claim.words(message)
        if words is None:
            return None
        return derived_message_key(*self._parts, claim.minute, claim.kind, words, claim.ordinal)

    def _make(self, message: ConversationMessage, stated: Identity, ordinal: int) -> UUID:
        if message.id is not None:
            return self._of_id(message.id, ordinal)
        return derived_message_key(*self._parts, stated.minute, stated.kind, stated.text, ordinal)

    def _of_id(self, identifier: str, ordinal: int) -> UUID:
        return message_key(*self._parts, identifier if ordinal == 0 else f"{identifier}\0{ordinal}")


def _claims(message: ConversationMessage, equals: int) -> Iterator[KeyOrigin]:
    """Yield all possible origins of this message's key, the likely ones first."""
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
