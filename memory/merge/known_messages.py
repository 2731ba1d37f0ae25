"""Messages that another document of their chat holds already: they go there, whatever document an export puts them in. Pure.

A message has one home. Exports of different days tell the same message as part of different documents: the first message of
a thread is nothing but a message of its day until somebody answers, a day begins at another hour in another zone, and
a thread of mail is named after the oldest mail that a mailbox holds. Who comes second with the same id and the same instant
brings a further reading of the message that is stored, not another message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from ...schemas import ConversationDocument, ConversationMessage, Document, EmailThreadDocument
from ...schemas.times import utc_microseconds
from ..records import MessageHome, StoredDocument
from .plan import chat_key, key_of

Scope = tuple[str, str, str]
"""Source, account and chat within which an id means one message; mails carry ids of the whole world, so their chat is empty."""
_Name = tuple[Scope, str, int]
"""Of a message: its scope, id and microseconds."""


def names_of(documents: Iterable[Document]) -> dict[tuple[str, int], set[UUID]]:
    """Ids and microseconds of the messages that may be known elsewhere, with the documents in which they come."""
    found: dict[tuple[str, int], set[UUID]] = {}
    for document in documents:
        conversation = document.as_conversation()
        if conversation is None or "chat" not in conversation.metadata:
            continue
        key = key_of(conversation)
        for message in conversation.messages:
            if message.id is not None:
                found.setdefault((message.id, utc_microseconds(message.time)), set()).add(key)
    return found


@dataclass(frozen=True, slots=True)
class _Home:
    """A document that is stored, or comes before in the same batch."""

    key: UUID
    id: str
    source: str
    user: str
    metadata: Mapping[str, str]


class HomeFinder:
    """Divides documents so that each message comes in the document that has it. ``homes``: where the store has messages of
    these names; ``rows``: those documents, and of incoming threads of mail those that exist.
    """

    def __init__(self, homes: Iterable[MessageHome], rows: Mapping[UUID, StoredDocument]) -> None:
        self._homes: dict[_Name, _Home] = {}
        self._held: set[tuple[UUID, str, int]] = set()
        """Where a message is, with the id and the microseconds: an older memd stored some in two documents."""
        self._there = set(rows)
        for each in homes:
            if (row := rows.get(each.document)) is None:
                continue
            self._held.add((row.key, each.id, each.micros))
            home = _Home(row.key, row.id, row.source, row.user, row.metadata)
            for scope in _scopes_of(row):
                self._homes.setdefault((scope, each.id, each.micros), home)

    def divided(self, document: Document) -> list[Document]:
        """The document itself where none of its messages is known elsewhere, else one for each home."""
        conversation = document.as_conversation()
        if conversation is None or "chat" not in conversation.metadata:
            return [document]
        is_mail = isinstance(document, EmailThreadDocument)
        chat = "" if is_mail else conversation.metadata["chat"]
        scope = (conversation.source, conversation.metadata.get("account", ""), chat)
        key = key_of(conversation)
        own = _Home(key, conversation.id, conversation.source, conversation.conversation.user, conversation.metadata)
        names = [_name(scope, message) for message in conversation.messages]
        homes = [
            own if name is None or (key, *name[1:]) in self._held else self._homes.get(name, own) for name in names
        ]
        if is_mail and key not in self._there:
            homes = _joined(homes, own)
        for name, home in zip(names, homes, strict=True):
            if name is not None:
                self._homes.setdefault(name, home)
        self._there.add(key)
        if all(home is own or home.key == key for home in homes):
            return [document]
        parts: dict[UUID, list[ConversationMessage]] = {}
        by_key = {home.key: home for home in homes}
        for message, home in zip(conversation.messages, homes, strict=True):
            parts.setdefault(home.key, []).append(message)
        return [_part(document, conversation, by_key[each], messages) for each, messages in parts.items()]


def _joined(homes: Sequence[_Home], own: _Home) -> list[_Home]:
    """A thread under a name that is not stored goes on in the document that has most of it."""
    known = Counter(home.key for home in homes if home.key != own.key)
    if not known:
        return list(homes)
    most = known.most_common(1)[0][0]
    into = next(home for home in homes if home.key == most)
    return [into if home is own else home for home in homes]


def _name(scope: Scope, message: ConversationMessage) -> _Name | None:
    return None if message.id is None else (scope, message.id, utc_microseconds(message.time))


def _scopes_of(row: StoredDocument) -> Collection[Scope]:
    """The chat; of a document that is a chat by itself, as a thread of mail is, the account too."""
    chat = row.metadata.get("chat", "")
    scopes = [(row.source, row.account, chat)]
    return [*scopes, (row.source, row.account, "")] if row.chat == chat_key(row.source, row.account, row.id) else scopes


def _part(
    document: Document, whole: ConversationDocument, home: _Home, messages: Sequence[ConversationMessage]
) -> Document:
    """The messages of a document that belong into one home."""
    people: Iterable[str] = whole.conversation.people
    if home.id != whole.id:
        people = dict.fromkeys([*(message.speaker for message in messages), whole.conversation.user])
    body = whole.conversation.model_copy(update={"people": tuple(people), "conversation": tuple(messages)})
    if home.id == whole.id and isinstance(document, ConversationDocument):
        return document.model_copy(update={"conversation": body})
    return ConversationDocument.model_construct(
        id=home.id, conversation=body, tags=whole.tags, metadata=dict(home.metadata)
    )
