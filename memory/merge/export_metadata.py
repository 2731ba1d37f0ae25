"""Metadata that carries a document's keys and renames from one store to another.

Two facts are known only to a store: the keys given to messages when they arrived, and the renames in a chat. An export
writes them into metadata where they are needed; storing a document removes them again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import orjson
from msgspec import structs

from ...schemas import ConversationDocument, ConversationMessage
from ..records import Rename, StoredMessage
from .alignment import identity
from .message_keys import KEY, KeyAssigner, KeyOrigin, claim_of

RENAMED = "memd-renamed"
"""Metadata of an exported document: pairs of older and newer names in its chat, as JSON."""


@dataclass(frozen=True, slots=True)
class ExportMetadata:
    """The metadata removed from a document: key origins by message index, and renames."""

    claims: dict[int, KeyOrigin] = field(default_factory=dict[int, KeyOrigin])
    renamed: tuple[tuple[str, str], ...] = ()


def with_carried(
    document: ConversationDocument, rows: Sequence[StoredMessage], renames: Sequence[Rename]
) -> ConversationDocument:
    """Return a document as exported. ``rows`` are its messages, ``renames`` those of its chat."""
    keyer = KeyAssigner(document, set())
    minutes = Counter(identity(row.message).minute for row in rows)
    messages: list[ConversationMessage] = []
    changed = False
    for row in rows:
        message = row.message
        if not keyer.gives(message, row.key):
            claim = keyer.claim(message, row.key, minutes[identity(message).minute])
            if claim is None:
                keyer.key(message)
            else:
                message = structs.replace(message, metadata={**message.metadata, KEY: claim.to_text()})
                changed = True
        messages.append(message)
    people = set(document.conversation.people)
    pairs = [(each.old, each.new) for each in renames if not people.isdisjoint((each.old, each.new))]
    if not changed and not pairs:
        return document
    metadata = dict(document.metadata)
    if pairs:
        metadata[RENAMED] = orjson.dumps(pairs).decode()
    conversation = document.conversation.model_copy(update={"conversation": tuple(messages)})
    return document.model_copy(update={"conversation": conversation, "metadata": metadata})


def taken_out(document: ConversationDocument) -> tuple[ConversationDocument, ExportMetadata]:
    """Return the document without the carried metadata, and that metadata. Values that memd did not write stay in
    place.
    """
    claims: dict[int, KeyOrigin] = {}
    messages = list(document.messages)
    for index, message in enumerate(messages):
        claim = claim_of(message.metadata[KEY]) if KEY in message.metadata else None
        if claim is not None:
            claims[index] = claim
            metadata = {name: value for name, value in message.metadata.items() if name != KEY}
            messages[index] = structs.replace(message, metadata=metadata)
    renamed = _pairs(document.metadata[RENAMED]) if RENAMED in document.metadata else ()
    if not claims and not renamed:
        return document, _NOTHING
    metadata = {name: value for name, value in document.metadata.items() if not renamed or name != RENAMED}
    conversation = document.conversation.model_copy(update={"conversation": tuple(messages)})
    update = {"conversation": conversation, "metadata": metadata}
    return document.model_copy(update=update), ExportMetadata(claims, renamed)


_NOTHING = ExportMetadata()


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    try:
        value: Any = orjson.loads(text)
    except orjson.JSONDecodeError:
        return ()
    if not isinstance(value, list):
        return ()
    pairs: list[tuple[str, str]] = []
    for item in cast("list[Any]", value):
        pair = cast("list[Any]", item) if isinstance(item, list) else []
        if len(pair) != 2 or not all(isinstance(name, str) and name for name in pair):
            return ()
        pairs.append((pair[0], pair[1]))
    return tuple(pairs)
