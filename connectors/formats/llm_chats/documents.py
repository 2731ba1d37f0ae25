"""Converts the messages of one chat with a model to its document. Pure."""

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
    """Counts of things that occur in many messages of one export, for one notice each."""

    counts: Counter[str] = field(default_factory=Counter[str])

    def add(self, code: str, count: int = 1) -> None:
        """Add to the count of a notice's code."""
        self.counts[code] += count

    def notices(self, locator: str) -> Iterator[Notice]:
        """Yield a notice for each code with a count."""
        return counted(self.counts, locator, _HINTS)


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat between one user and one model, before conversion to a document."""

    source: str
    id: str
    title: str
    user: str
    metadata: dict[str, str]
    messages: Sequence[Message]
    locator: str
    """The place of the chat in the export."""


def chat_records(chat: Chat) -> Iterator[Record]:
    """Yield the document of a chat, and a rejection for each message that is too large."""
    kept = [message for message in chat.messages if not is_too_large(message["content"])]
    if len(kept) < len(chat.messages):
        for number, message in enumerate(chat.messages):
            if is_too_large(message["content"]):
                yield Rejected(locator=chat.locator, reason=f"message {number}: more than {MESSAGE_CAP} bytes")
    if not kept:
        return
    for message in kept:
        message.setdefault("zone_origin", "explicit")
    yield from document_of(partial(_document, chat), kept, lambda index: f"{chat.locator}/{index}")


def _document(chat: Chat, kept: Sequence[Message]) -> ConversationDocument:
    people = dict.fromkeys([*(message["speaker"] for message in kept), chat.user])
    metadata = {"title": chat.title, "chat": chat.id, **chat.metadata}
    return ConversationDocument.model_validate(
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
    """Yield the document of a text beside the chats, such as a file of a project; nothing if it is blank."""
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
    """Yield the documents of all chats; a chat name given by the user applies only if there is a single chat."""
    waiting: Chat | None = None
    chat_name = options.chat
    for each_chat in chats:
        if not isinstance(each_chat, Chat):
            yield each_chat
        elif not chat_name:
            yield from records_at(each_chat.locator, chat_records, each_chat)
        elif waiting is None:
            waiting = each_chat
        else:
            yield chat_ignored(locator)
            chat_name = None
            yield from records_at(waiting.locator, chat_records, waiting)
            yield from records_at(each_chat.locator, chat_records, each_chat)
            waiting = None
    if waiting is not None and chat_name:
        yield from records_at(waiting.locator, chat_records, replace(waiting, id=chat_name, title=chat_name))


def hash_of_beginning(first: object) -> str:
    """Return an id for a conversation without one: a hash of its beginning, which is the same in later exports."""
    text = json.dumps(first, sort_keys=True, default=str)
    return "began-" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def assistant_name(assistant: str, user: str) -> str:
    """Return the assistant's name, made different from the user's if they are the same."""
    return f"{assistant} (assistant)" if user.casefold() == assistant.casefold() else assistant
