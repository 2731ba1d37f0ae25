"""Routes messages to the stored document of their chat that already holds them, whatever document an export puts them
in. Pure.

A message belongs to one document. Exports of different days put the same message into different documents: the first
message of a thread is an ordinary message of its day until it is answered, a day begins at another hour in another
zone, and a mail thread is named after the oldest mail in a mailbox. A message that comes with the same id and time as a
stored one is a further reading of that message.

A reply that only names the mail it answers arrives as a thread named after that mail. It joins the thread that holds
the mail; if the reply is stored first, a thread that starts with the mail joins it. A thread stored under its own name
is never moved.

The message ids of apps are unique within a chat, those of mails globally. Ids written by other programs may restart in
every file. So besides the id and the time, the speaker (under any name known in the chat) or the words must agree, and
both if the exports belong to two users.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from ...schemas import (
    SYSTEM_SPEAKER,
    UNKNOWN_USER,
    ConversationDocument,
    ConversationMessage,
    Document,
    EmailThreadDocument,
)
from ...schemas.identity_links import IDENTITIES, identities_without
from ...schemas.keys import document_key
from ...schemas.times import utc_microseconds
from ..records import MessageHome, Rename, StoredDocument
from ..text.names import NamesOf, folded
from .chat_tombstones import Scope, scopes_of
from .plan import chat_key, key_of

_Name = tuple[Scope, str, int]
"""The scope, id and microseconds of a message."""


def names_of(documents: Iterable[Document]) -> dict[tuple[str, int], set[UUID]]:
    """Return the (id, microseconds) of messages that may be stored elsewhere, with the documents in which they come."""
    homes_by_name: dict[tuple[str, int], set[UUID]] = {}
    for document in documents:
        conversation = document.as_conversation()
        if conversation is None or "chat" not in conversation.metadata:
            continue
        key = key_of(conversation)
        for message in conversation.messages:
            if message.id is not None:
                homes_by_name.setdefault((message.id, utc_microseconds(message.time)), set()).add(key)
    return homes_by_name


@dataclass(frozen=True, slots=True)
class ThreadNames:
    """The names that may identify mail threads: a thread is named after one of its mails, ``SOURCE:ID``."""

    answered: frozenset[str] = frozenset()
    """Ids of the mails after which threads are named that do not contain them."""
    keys: frozenset[UUID] = frozenset()
    """Keys of the threads that would be named after one of the mails."""
    together: bool = False
    """True if some of these threads may belong together."""


def thread_names_of(documents: Iterable[Document]) -> ThreadNames:
    """Return the names under which other threads may overlap with these."""
    answered: set[str] = set()
    keys: set[UUID] = set()
    ids: set[str] = set()
    names: set[UUID] = set()
    for document in documents:
        if isinstance(document, EmailThreadDocument) and (conversation := document.as_conversation()) is not None:
            held = [message.id for message in conversation.messages if message.id is not None]
            name = conversation.id.removeprefix(f"{conversation.source}:")
            answered |= {name} - {*held}
            account = conversation.metadata.get("account", "")
            ids |= {*held}
            names.add(key_of(conversation))
            others = (f"{conversation.source}:{each}" for each in held if each != name and name in held)
            keys |= {document_key(conversation.source, account, each) for each in others}
    together = not answered.isdisjoint(ids) or not keys.isdisjoint(names)
    return ThreadNames(frozenset(answered), frozenset(keys), together)


@dataclass(frozen=True, slots=True)
class _Home:
    """A document that is stored, or comes earlier in the same batch."""

    key: UUID
    id: str
    source: str
    user: str
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Known:
    """A message with a certain name, and its document."""

    home: _Home
    speaker: str
    wordings: frozenset[str]


class HomeFinder:
    """Splits documents so that each message comes in the document that already has it.

    Args:
        homes: the stored messages with these names.
        rows: their documents, and the existing ones among incoming mail threads.
        renames: the renames in their chats.
        holders: the documents among `rows` that hold a mail, by the mail's id.
    """

    def __init__(
        self,
        homes: Iterable[MessageHome],
        rows: Mapping[UUID, StoredDocument],
        renames: Iterable[Rename] = (),
        holders: Mapping[str, Sequence[UUID]] | None = None,
    ) -> None:
        self._threads: dict[UUID, _Home] = {}
        """Threads by their keys."""
        self._holders: dict[tuple[str, str, str], _Home] = {}
        """The thread that holds a mail, by source, account and the mail's id."""
        for row in rows.values():
            if row.metadata.get("chat") == row.id:
                self._threads[row.key] = _Home(row.key, row.id, row.source, row.user, row.metadata)
        for identifier, keys in (holders or {}).items():
            for each in reversed(keys):
                if (home := self._threads.get(each)) is not None:
                    self._holders[home.source, rows[each].account, identifier] = home
        self._known: defaultdict[_Name, list[_Known]] = defaultdict(list)
        self._renames: defaultdict[UUID, set[tuple[str, str]]] = defaultdict(set)
        for rename in renames:
            self._renames[rename.chat].add((rename.old, rename.new))
        self._people: dict[UUID, NamesOf] = {}
        self._held: set[tuple[UUID, str, int]] = set()
        """(document, id, microseconds) of stored messages: an older memd stored some messages in two documents."""
        self._there = set(rows)
        for each in homes:
            if (row := rows.get(each.document)) is None:
                continue
            self._held.add((row.key, each.id, each.micros))
            home = _Home(row.key, row.id, row.source, row.user, row.metadata)
            stored = _Known(home, each.speaker, each.wordings)
            for scope in scopes_of(row.source, row.account, row.metadata.get("chat", ""), row.id):
                self._known[scope, each.id, each.micros].append(stored)

    def divided(self, document: Document) -> list[Document]:
        """Return the document itself if none of its messages is stored elsewhere, otherwise one document per home."""
        conversation = document.as_conversation()
        if conversation is None or "chat" not in conversation.metadata:
            return [document]
        is_mail = isinstance(document, EmailThreadDocument)
        chat = "" if is_mail else conversation.metadata["chat"]
        scope = (conversation.source, conversation.metadata.get("account", ""), chat)
        key = key_of(conversation)
        day_home = _Home(
            key, conversation.id, conversation.source, conversation.conversation.user, conversation.metadata
        )
        names = [_name(scope, message) for message in conversation.messages]
        people = self._people_of(conversation)
        homes = [
            day_home
            if name is None or (key, *name[1:]) in self._held
            else self._home_of(name, message, day_home, people)
            for name, message in zip(names, conversation.messages, strict=True)
        ]
        if is_mail and key not in self._there:
            homes = _joined(homes, day_home)
            if all(home is day_home for home in homes) and (relative := self._relative_of(conversation)) is not None:
                homes = [relative] * len(homes)
        if is_mail:
            self._note_thread(conversation, day_home, homes)
        for name, home, message in zip(names, homes, conversation.messages, strict=True):
            if name is not None and all(entry.home.key != home.key for entry in self._known[name]):
                self._known[name].append(_Known(home, message.speaker, _wordings(message)))
        if any(home.key == key for home in homes):
            self._there.add(key)
        if all(home is day_home or home.key == key for home in homes):
            return [document]
        parts: dict[UUID, list[ConversationMessage]] = {}
        by_key = {home.key: home for home in homes}
        for message, home in zip(conversation.messages, homes, strict=True):
            parts.setdefault(home.key, []).append(message)
        return [_part(document, conversation, by_key[each], messages) for each, messages in parts.items()]

    def _relative_of(self, conversation: ConversationDocument) -> _Home | None:
        """Return the thread that holds the mail after which this one is named. If this one holds that mail itself,
        return a thread named after another of its mails: that one was stored before its first mail came.
        """
        source, account = conversation.source, conversation.metadata.get("account", "")
        name = conversation.id.removeprefix(f"{source}:")
        if all(message.id != name for message in conversation.messages):
            return self._holders.get((source, account, name))
        ids = (f"{source}:{message.id}" for message in conversation.messages if message.id is not None)
        keys = (document_key(source, account, each) for each in ids if each != conversation.id)
        return next((self._threads[each] for each in keys if each in self._threads), None)

    def _note_thread(self, conversation: ConversationDocument, day_home: _Home, homes: Sequence[_Home]) -> None:
        """Record a thread of the batch for the documents after it."""
        if any(home is day_home for home in homes):
            self._threads.setdefault(day_home.key, day_home)
        account = conversation.metadata.get("account", "")
        for home, message in zip(homes, conversation.messages, strict=True):
            if message.id is not None:
                self._holders.setdefault((conversation.source, account, message.id), home)

    def _people_of(self, conversation: ConversationDocument) -> NamesOf:
        chat = chat_key(
            conversation.source, conversation.metadata.get("account", ""), conversation.metadata.get("chat", "")
        )
        if chat not in self._people:
            self._people[chat] = NamesOf(self._renames.get(chat, ()))
        return self._people[chat]

    def _home_of(self, name: _Name, message: ConversationMessage, day_home: _Home, people: NamesOf) -> _Home:
        """Return the first document that has this message, or the one that it comes in."""
        homes = (each.home for each in self._known.get(name, ()) if _is_same(name, each, message, day_home, people))
        return next(homes, day_home)


def _is_same(name: _Name, stored: _Known, message: ConversationMessage, day_home: _Home, people: NamesOf) -> bool:
    """Return whether a message of this name is the known one."""
    if not name[0][2]:  # a mail
        return True
    # A deletion notice without content has neither the author nor the words of its message.
    speaker = _is_one(stored.speaker, message.speaker, people) or (
        message.deleted and message.speaker == SYSTEM_SPEAKER
    )
    words = not stored.wordings.isdisjoint(_wordings(message))
    users = stored.home.user, day_home.user
    one_user = any(user in ("", UNKNOWN_USER) for user in users) or _is_one(*users, people)
    return (speaker or words) if one_user else (speaker and words)


def _is_one(name: str, other: str, people: NamesOf) -> bool:
    return name == other or folded(other) in people.of(name)


def _wordings(message: ConversationMessage) -> frozenset[str]:
    return frozenset([message.content, *(edit.content for edit in message.edits)])


def _joined(homes: Sequence[_Home], day_home: _Home) -> list[_Home]:
    """Assign the new messages of a thread with an unknown name to the document that holds most of its known messages."""
    counts = Counter(home.key for home in homes if home.key != day_home.key)
    if not counts:
        return list(homes)
    most = counts.most_common(1)[0][0]
    into = next(home for home in homes if home.key == most)
    return [into if home is day_home else home for home in homes]


def moved_messages(document: Document, parts: Iterable[Document]) -> dict[str, UUID]:
    """Return the other document in which each message of a split document comes, by message id."""
    whole = document.as_conversation()
    own_key = None if whole is None else key_of(whole)
    moves: dict[str, UUID] = {}
    for part in parts:
        conversation = part.as_conversation()
        if conversation is not None and (key := key_of(conversation)) != own_key:
            moves |= {message.id: key for message in conversation.messages if message.id is not None}
    return moves


def _name(scope: Scope, message: ConversationMessage) -> _Name | None:
    return None if message.id is None else (scope, message.id, utc_microseconds(message.time))


def _part(
    document: Document, whole: ConversationDocument, home: _Home, messages: Sequence[ConversationMessage]
) -> Document:
    """Return the messages of a document that belong to one home, as a document."""
    inner = whole.conversation
    if home.id == whole.id:
        body = inner.model_copy(update={"conversation": tuple(messages)})
        if isinstance(document, ConversationDocument):
            return document.model_copy(update={"conversation": body})
        return whole.model_copy(update={"conversation": body})
    user = inner.user if home.user in ("", UNKNOWN_USER) else home.user
    people = tuple(dict.fromkeys([*(message.speaker for message in messages), user]))
    body = inner.model_copy(update={"user": user, "people": people, "conversation": tuple(messages)})
    metadata = identities_without(_metadata(home, whole), set(inner.people).difference(people))
    return ConversationDocument.model_construct(id=home.id, conversation=body, tags=whole.tags, metadata=metadata)


def _metadata(home: _Home, whole: ConversationDocument) -> dict[str, str]:
    """Return the metadata that a later document of the home would have: the incoming values win, but in another chat,
    such as a mail thread, the home keeps its own. `merge.plan` unites the identities.
    """
    mine = {name: value for name, value in home.metadata.items() if name != IDENTITIES}
    if home.metadata.get("chat") == whole.metadata["chat"]:
        return {**mine, **whole.metadata}
    return {**whole.metadata, **mine}
