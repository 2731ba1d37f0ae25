"""Updates of the Bot API as day documents, as an export of the same chats has them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....schemas import UNKNOWN_USER, ConversationDocument, Notice, Rejected
from ....schemas.identity_links import account_link
from ...chats.day_documents import DayDocuments, DayRecord, Message
from ...connector import ReadOptions
from ...formats.telegram.chats import Chat
from ...formats.telegram.message import MessageReader
from ...formats.telegram.speakers import Speakers
from ...formats.telegram.times import Times
from ...formats.telegram.values import Object, integer_of, object_of, text_of
from ...record_faults import attempt
from .peers import chat_of, peer_of
from .records import record_of

NAME = "telegram"
MESSAGE_UPDATES = ("message", "edited_message", "channel_post", "edited_channel_post")
"""The kinds of updates that are requested: those with a whole message. Reactions and votes have only the message's id.
"""


@dataclass(slots=True)
class ReadUpdates:
    """The documents, rejections and notices made of some updates."""

    documents: list[ConversationDocument] = field(default_factory=list[ConversationDocument])
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    notices: list[Notice] = field(default_factory=list[Notice])


@dataclass(slots=True)
class _Talk:
    """One chat in these updates."""

    chat: Chat
    reader: MessageReader
    speakers: Speakers
    messages: dict[object, Message] = field(default_factory=dict[object, Message])
    """By their ids: of several wordings of one message the last."""
    links: dict[str, list[str | None]] = field(default_factory=dict[str, list[str | None]])


def read_updates(updates: Sequence[Object], bot: int, options: ReadOptions, where: str) -> ReadUpdates:
    """Return the documents of some updates, in the order in which they came.

    Args:
        updates: as the Bot API sends them.
        bot: the id of the bot.
        options: the zone, the user's own name, and the chat where its name was given.
        where: the account, for what cannot be read.
    """
    reading = ReadUpdates()
    talks: dict[str, _Talk] = {}
    times = Times(options.zone, options.zone_origin)
    for update in updates:
        number = update.get("update_id")
        reason = attempt(_read, update, bot, options, talks, times)
        if reason:
            reading.rejected.append(Rejected(locator=f"{where}: update {number}", reason=reason))
    unknown: Counter[str] = Counter()
    for talk in talks.values():
        for record in _documents(talk, options):
            if isinstance(record, Rejected):
                reading.rejected.append(record)
            else:
                reading.documents.append(record)
        unknown.update(talk.reader.unknown)
    if unknown:
        counted = ", ".join(f"{name} ({count})" for name, count in sorted(unknown.items())[:20])
        hint = f"messages hold what this version does not know; it was kept as metadata or placeholder: {counted}"
        reading.notices.append(Notice(code="unknown-content", locator=where, hint=hint))
    return reading


def _read(update: Object, bot: int, options: ReadOptions, talks: dict[str, _Talk], times: Times) -> str:
    """Take a message; returns why there is none."""
    raw = next((object_of(update[kind]) for kind in MESSAGE_UPDATES if kind in update), None)
    if raw is None:
        kinds = ", ".join(sorted(key for key in update if key != "update_id"))[:80]
        return f"an update of another kind: {kinds}" if kinds else "an empty update"
    chat = chat_of(raw.get("chat"), bot, options.chat)
    if chat is None:
        return "it names no chat"
    talk = talks.get(chat.key)
    if talk is None:
        speakers = Speakers(None, "")
        talk = talks[chat.key] = _Talk(chat, MessageReader(chat, speakers, times), speakers)
    message = talk.reader.read(record_of(raw))
    if isinstance(message, str):
        return message
    _topic(raw, message)
    for key in ("from", "sender_chat"):
        _link(talk, object_of(raw.get(key)))
    former = talk.messages.pop(message["id"], None)
    if former is not None and former["content"] != message["content"]:
        message["edits"] = [*former.get("edits", []), {"content": former["content"]}]
    talk.messages[message["id"]] = message
    return ""


def _topic(raw: Object, message: dict[str, Any]) -> None:
    """Set the topic of a message, which the Bot API names itself; a reply to nothing in particular is marked there as a
    reply to the topic.
    """
    topic = integer_of(raw.get("message_thread_id")) if raw.get("is_topic_message") else None
    if topic is None:
        return
    message["thread"] = str(topic)
    if message.get("reply_to") == str(topic):
        del message["reply_to"]
    created = object_of(object_of(raw.get("reply_to_message")).get("forum_topic_created"))
    if name := text_of(created.get("name")):
        message.setdefault("metadata", {})["topic"] = name


def _link(talk: _Talk, peer: Object) -> None:
    number = integer_of(peer.get("id"))
    if number:
        handle = text_of(peer.get("username"))
        talk.links[peer_of(number)] = [
            account_link(peer_of(number)),
            *([account_link(f"@{handle}")] if handle else []),
        ]


def _documents(talk: _Talk, options: ReadOptions) -> Iterator[DayRecord]:
    def links(name: str) -> list[str | None]:
        return talk.links.get(talk.speakers.peer_of(name), [])

    days = DayDocuments(NAME, talk.chat.key, options.me or UNKNOWN_USER, talk.chat.metadata, links)
    for message in sorted(talk.messages.values(), key=lambda each: each["time"]):
        day = message["time"].date().isoformat()
        if day != days.current:
            yield from days.start_day(day)
        days.day_messages.append(message)
    yield from days.close()
