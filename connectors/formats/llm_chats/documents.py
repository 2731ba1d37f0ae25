"""From the messages of one chat with a model to its document, and who the user is. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import Any

from pydantic import ValidationError

from ....schemas import ConversationDocument, Notice, Rejected, TextDocument
from ....schemas.construction import conversation_document
from ....schemas.message_columns import MessageColumns, speakers_of
from ....schemas.validation import messages_of
from ...chats.notices import HINTS, chat_ignored, counted
from ...connector import ReadOptions, Record
from ...opening.limits import MESSAGE_CAP, is_too_large
from ...record_faults import document_of, records_at

Message = dict[str, Any]

NOBODY = "nothing tells the name of whose chats these are"
_HINTS = {
    **HINTS,
    "branches-left-out": "message(s) of versions that were edited or answered anew, beside the one last shown, were left out",
    "hidden-messages": "message(s) that the app itself does not show were left out",
    "time-assumed": "message(s) have no time of their own; they got that of the message before",
    "activity-left-out": "record(s) are no words of a conversation (feedback, settings, made files) and were left out",
}


@dataclass(slots=True)
class Tally:
    """Things that many messages of one export have in common, counted: one notice tells them all."""

    counts: Counter[str] = field(default_factory=Counter[str])

    def add(self, code: str, count: int = 1) -> None:
        """Count it; the code is that of the notice."""
        self.counts[code] += count

    def notices(self, locator: str) -> Iterator[Notice]:
        """What was counted."""
        return counted(self.counts, locator, _HINTS)


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat of one user and one model, before it is a document."""

    source: str
    id: str
    title: str
    user: str
    metadata: dict[str, str]
    messages: Sequence[Message] | MessageColumns
    locator: str
    """Where it stands in the export."""


def chat_records(chat: Chat) -> Iterator[Record]:
    """The document, and what of it cannot be kept."""
    given = chat.messages
    if isinstance(given, MessageColumns):
        if max(map(len, given.columns["content"])) * 4 <= MESSAGE_CAP:
            yield from _documents(chat, [given])
            return
        given = given.messages()
    kept = [message for message in given if not is_too_large(message["content"])]
    if len(kept) < len(given):
        for number, message in enumerate(given):
            if is_too_large(message["content"]):
                yield Rejected(locator=chat.locator, reason=f"message {number}: more than {MESSAGE_CAP} bytes")
    if not kept:
        return
    for message in kept:
        message.setdefault("zone_origin", "explicit")
    yield from _documents(chat, kept)


def _documents(chat: Chat, kept: Sequence[Message | MessageColumns]) -> Iterator[Record]:
    return document_of(partial(_document, chat), kept, lambda index: f"{chat.locator}/{index}")


def _document(chat: Chat, kept: Sequence[Message | MessageColumns]) -> ConversationDocument:
    people = dict.fromkeys([*speakers_of(kept), chat.user])
    metadata = {"title": chat.title, "chat": chat.id, **chat.metadata}
    return conversation_document(
        {
            "id": f"{chat.source}:{chat.id}",
            "conversation": {
                "source": chat.source,
                "people": list(people),
                "user": chat.user,
                "conversation": [*kept],
            },
            "metadata": {key: value for key, value in metadata.items() if value},
        }
    )


def text_records(document: dict[str, Any], locator: str) -> Iterator[Record]:
    """A text beside the chats, such as a file of a project; nothing where it is blank."""
    content: str = document["content"]
    if not content.strip():
        return
    if is_too_large(content):
        yield Rejected(locator=locator, reason=f"more than {MESSAGE_CAP} bytes")
        return
    document["metadata"] = {key: value for key, value in document["metadata"].items() if value}
    try:
        yield TextDocument.model_validate(document)
    except ValidationError as error:
        yield Rejected(locator=locator, reason="; ".join(messages_of(error)[:3]))


def named(chats: Iterator[Chat | Record], options: ReadOptions, locator: str) -> Iterator[Record]:
    """The documents of all chats; the name that was given counts if there is but one."""
    waiting: Chat | None = None
    given = options.chat
    for found in chats:
        if not isinstance(found, Chat):
            yield found
        elif not given:
            yield from records_at(found.locator, chat_records, found)
        elif waiting is None:
            waiting = found
        else:
            yield chat_ignored(locator)
            given = None
            yield from records_at(waiting.locator, chat_records, waiting)
            yield from records_at(found.locator, chat_records, found)
            waiting = None
    if waiting is not None and given:
        yield from records_at(waiting.locator, chat_records, replace(waiting, id=given, title=given))


def hash_of_beginning(first: object) -> str:
    """What a conversation without an id is known by: how it began, which is the same in later exports."""
    text = json.dumps(first, sort_keys=True, default=str)
    return "began-" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def assistant_name(assistant: str, user: str) -> str:
    """The assistant's name in a chat with somebody who may be called the same."""
    return f"{assistant} (assistant)" if user.casefold() == assistant.casefold() else assistant
