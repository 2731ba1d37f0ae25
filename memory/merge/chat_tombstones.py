"""Tombstones that hold for a whole chat: a forgotten message stays out in whichever of its documents it comes. Pure.

An export of another day tells the same message as part of another document (`known_messages`), and the key of a message is
made of its document. So a message with an id also leaves marks that know no document: hashes of its chat, its id and
its instant, with each name of its speaker and with each of its wordings. An id may count anew in every file of a chat; so
a message that has neither the name nor the words is another one, unless its source says that it was reworded.
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
"""Source, account and chat within which an id means one message; mails carry ids of the whole world, so their chat is empty."""


def scopes_of(source: str, account: str, chat: str, document: str) -> Sequence[Scope]:
    """The chat; of a document that is a chat by itself, as a thread of mail is, the account too."""
    scopes = [(source, account, chat)]
    return [*scopes, (source, account, "")] if chat == document else scopes


def chat_tombstone_keys(row: StoredDocument, message: ConversationMessage, names: Iterable[str]) -> set[UUID]:
    """The marks that a message leaves when it is forgotten; ``names``: all names of its speaker."""
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
    """By which marks messages of one document may be known; one hash or two for each message with an id."""

    def __init__(self, document: ConversationDocument) -> None:
        chat = document.metadata.get("chat")
        account = document.metadata.get("account", "")
        self._scopes = () if chat is None else scopes_of(document.source, account, chat, document.id)

    def of(self, message: ConversationMessage) -> set[UUID]:
        """The marks of a message that comes in, any of which holds it out."""
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
        """Whether a message of this id and this instant was forgotten."""
        micros = utc_microseconds(message.time)
        return message.id is not None and any(
            chat_tombstone_key(*scope, message.id, micros, "id", "") in forgotten for scope in self._scopes
        )


def is_stored(message: ConversationMessage, rows: Iterable[StoredMessage]) -> bool:
    """Whether a document holds this very message: whatever was forgotten elsewhere, this was not."""
    name = message.id, utc_microseconds(message.time)
    named = [row.message for row in rows if row.message.id == message.id]
    return any(
        (each.id, utc_microseconds(each.time)) == name
        and (folded(each.speaker) == folded(message.speaker) or not set(_wordings(each)).isdisjoint(_wordings(message)))
        for each in named
    )


def tombstone_keys_asked(document: ConversationDocument) -> Collection[UUID]:
    """All marks by which messages of a document may be known."""
    marks = ChatTombstones(document)
    return {key for message in document.messages for key in marks.of(message)}


def _wordings(message: ConversationMessage) -> list[tuple[str, str]]:
    return [("words", words) for words in dict.fromkeys([message.content, *(edit.content for edit in message.edits)])]
