"""Tombstones for a whole chat: a forgotten message stays out whichever document of the chat it comes in. Pure.

An export of another day has the same message in another document (`known_messages`), and the key of a message depends
on its document. So a message with an id also leaves tombstones without a document: hashes of its chat, id and time,
with each name of its speaker and with each of its wordings. Ids may restart in every file of a chat; so a message that
has neither the name nor the words is another one, unless its source says that it was edited.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from ...schemas import ConversationDocument, ConversationMessage
from ...schemas.keys import chat_tombstone_key
from ...schemas.times import utc_microseconds
from ..records import StoredDocument, StoredMessage
from ..text.names import folded

Scope = tuple[str, str, str]
"""The source, account and chat within which an id is unique; the ids of mails are globally unique, so their chat is
empty.
"""


def scopes_of(source: str, account: str, chat: str, document: str) -> Sequence[Scope]:
    """Return the scope of the chat; for a document that is a chat by itself, such as a mail thread, also that of the
    account.
    """
    scopes = [(source, account, chat)]
    return [*scopes, (source, account, "")] if chat == document else scopes


def chat_tombstone_keys(row: StoredDocument, message: ConversationMessage, names: Iterable[str]) -> set[UUID]:
    """Return the tombstones that a forgotten message leaves; ``names`` are all names of its speaker."""
    if message.id is None or "chat" not in row.metadata:
        return set()
    details = [("id", ""), *(("speaker", name) for name in names), *_wordings(message)]
    return {
        chat_tombstone_key(*scope, message.id, utc_microseconds(message.time), *detail)
        for scope in scopes_of(row.source, row.account, row.metadata["chat"], row.id)
        for detail in details
        if scope[2] or detail[0] == "id"
    }


class ChatTombstones:
    """The tombstones that match messages of one document; a few hashes for each message with an id."""

    def __init__(self, document: ConversationDocument) -> None:
        chat = document.metadata.get("chat")
        account = document.metadata.get("account", "")
        self._scopes = () if chat is None else scopes_of(document.source, account, chat, document.id)

    def of(self, message: ConversationMessage) -> set[UUID]:
        """Return the tombstones of an incoming message; any of them keeps it out."""
        if message.id is None or not self._scopes:
            return set()
        micros = utc_microseconds(message.time)
        flagged = message.edited or message.edits or message.deleted
        details = [("id", "")] if flagged else [("speaker", message.speaker), *_wordings(message)]
        return {
            chat_tombstone_key(*scope, message.id, micros, *detail)
            for scope in self._scopes
            for detail in (details if scope[2] else [("id", "")])
        }

    def has_instant(self, message: ConversationMessage, forgotten: Collection[UUID]) -> bool:
        """Return whether a message with this id and time was forgotten."""
        micros = utc_microseconds(message.time)
        return message.id is not None and any(
            chat_tombstone_key(*scope, message.id, micros, "id", "") in forgotten for scope in self._scopes
        )


def is_stored(message: ConversationMessage, rows: Iterable[StoredMessage]) -> bool:
    """Return whether a document still holds this very message, which then was not forgotten."""
    name = message.id, utc_microseconds(message.time)
    named = [row.message for row in rows if row.message.id == message.id]
    return any(
        (each.id, utc_microseconds(each.time)) == name
        and (folded(each.speaker) == folded(message.speaker) or not set(_wordings(each)).isdisjoint(_wordings(message)))
        for each in named
    )


def tombstone_keys_asked(document: ConversationDocument) -> Collection[UUID]:
    """Return all tombstones that may match messages of a document."""
    marks = ChatTombstones(document)
    return {key for message in document.messages for key in marks.of(message)}


def _wordings(message: ConversationMessage) -> list[tuple[str, str]]:
    return [("words", words) for words in dict.fromkeys([message.content, *(edit.content for edit in message.edits)])]
