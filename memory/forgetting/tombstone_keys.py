"""The tombstones of a message: the keys under which it must not come back, in this document and in others. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from uuid import UUID

from ...schemas import UNTERMINATED, ConversationMessage
from ...schemas.keys import (
    author_tombstone_key,
    caption_tombstone_key,
    cut_tombstone_key,
    derived_message_key,
    form_tombstone_key,
    message_key,
    reworded_tombstone_key,
    unnamed_document,
    worded_tombstone_key,
)
from ..merge.alignment import identity
from ..merge.chat_tombstones import chat_tombstone_keys
from ..merge.message_distance import second_of
from ..merge.numbering import form_of, in_utc, without_id
from ..merge.revisions import caption, without_invisible
from ..records import StoredDocument, StoredMessage
from ..text.names import NamesOf

_MOST_EQUALS = 1 << 24
_EQUALS = 32
"""The most equal messages of a minute that are tried to find the wording from which a message's key was derived."""


def tombstone_keys_of(
    row: StoredDocument, stored: StoredMessage, others: Collection[UUID], people: NamesOf, taken: set[UUID]
) -> set[UUID]:
    """Return the tombstones of a message: its key, the keys that its other wordings would get from another export, with
    each of its speaker's names, the hashes that match later wordings, and those for other documents of its chat.

    Args:
        row: the document.
        stored: one of its messages.
        others: the keys of all its messages.
        people: the names of people in its chat.
        taken: the tombstones of the document; extended by the key that the message has in exports without ids, so that
            equal messages that are forgotten one after the other get different ones.
    """
    message = stored.message
    elsewhere = chat_tombstone_keys(row, message, people.of(message.speaker))
    other_forms = {form_tombstone_key(row.source, row.account, row.id, form_of(message))}
    if message.id is not None:
        other_forms |= _unnamed_tombstone_keys(row, stored, people, taken)
    return elsewhere | _own_tombstone_keys(row, stored, others, people) | other_forms


def _unnamed_tombstone_keys(row: StoredDocument, stored: StoredMessage, people: NamesOf, taken: set[UUID]) -> set[UUID]:
    """Return the tombstones that a message with an id would leave without it; adds the first of them to ``taken``."""
    message = stored.message
    unnamed = replace(row, id=unnamed_document(row.id))
    bare = in_utc(without_id(message))
    key = _first_free(partial(derived_message_key, row.source, row.account, unnamed.id, *identity(bare)[1:]), taken)
    taken.add(key)
    return _own_tombstone_keys(unnamed, replace(stored, key=key, message=bare), taken, people)


def _own_tombstone_keys(
    row: StoredDocument, stored: StoredMessage, others: Collection[UUID], people: NamesOf
) -> set[UUID]:
    keys = {stored.key}
    message = stored.message
    if message.id is not None:
        first = message_key(row.source, row.account, row.id, message.id)
        by_id = (
            message_key(row.source, row.account, row.id, f"{message.id}\0{ordinal}") for ordinal in range(1, _EQUALS)
        )
        if stored.key == first or stored.key in by_id:
            return keys | (_details(stored.key, message, people) if "chat" in row.metadata else set())
        if first not in others:
            keys.add(first)  # it was stored before its source gave ids
    minute = identity(message).minute
    wordings = dict.fromkeys((message.content, *(edit.content for edit in message.edits)))
    bared = [spelled for wording in wordings if (spelled := without_invisible(wording)) not in wordings]
    named = [("text", words) for words in (*wordings, *bared)] if message.kind == "text" else [(message.kind, "")]
    named += [("text", edit.content) for edit in message.edits]
    for kind, words in dict.fromkeys(named):
        numbered = (
            derived_message_key(row.source, row.account, row.id, minute, kind, words, ordinal)
            for ordinal in range(_EQUALS)
        )
        first = next(numbered)
        if stored.key != first and first not in others and stored.key not in numbered:
            keys.add(first)
    names = people.of(message.speaker)
    marks = {author_tombstone_key(key, name, second_of(message)) for key in keys for name in names}
    marks |= {reworded_tombstone_key(row.source, row.account, row.id, minute, name) for name in names}
    if UNTERMINATED in message.metadata:
        begun = without_invisible(message.content).rstrip("\ufffd")
        marks |= {cut_tombstone_key(row.source, row.account, row.id, minute, name, begun) for name in names}
    captions = {caption(message), *map(caption, message.edits)} - {""}
    media = message.kind == "media"
    marks |= {
        caption_tombstone_key(row.source, row.account, row.id, minute, name, each, media=media)
        for name in names
        for each in captions
    }
    return keys | marks


def _first_free(key_of: Callable[[int], UUID], taken: Collection[UUID]) -> UUID:
    """Return the key of the first free ordinal by binary search; all ordinals below it are taken."""
    first = key_of(0)
    if first not in taken:
        return first
    return key_of(bisect_left(range(_MOST_EQUALS), True, key=lambda ordinal: key_of(ordinal) not in taken))


def _details(key: UUID, message: ConversationMessage, people: NamesOf) -> set[UUID]:
    """Return the hashes that tell a message from another one with its id: two accounts may number the messages of a
    chat separately.
    """
    wordings = [message.content, *(edit.content for edit in message.edits)]
    authors = {author_tombstone_key(key, name, second_of(message)) for name in people.of(message.speaker)}
    return authors | {worded_tombstone_key(key, words) for words in wordings}
