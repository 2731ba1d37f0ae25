"""Messages of the Web API as day documents and threads, as an export of the same workspace has them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ....schemas import ConversationDocument, Notice, Rejected
from ...connector import ReadOptions
from ...formats.slack.body import BodyReader
from ...formats.slack.channels import Channel
from ...formats.slack.chat import ChatContext, ChatReader, ChatTally
from ...formats.slack.mrkdwn import Names
from ...formats.slack.notices import after_reading
from ...formats.slack.records import Found
from ...formats.slack.values import JSONObject, microseconds_of, text_of
from .directory import Directory

NAME = "slack"
_TOLD = frozenset({"unknown-subtype", "unknown-block", "empty-message", "person-unknown"})
"""The notices that make sense for one page; the facts behind the others are repeated on, or found only on, other pages.
"""
_THREADED = "message_replied"
"""The subtype of an event that repeats the first message of a thread, since somebody replied to it."""


@dataclass(slots=True)
class ReadMessages:
    """The documents, rejections and notices made of some messages."""

    documents: list[ConversationDocument] = field(default_factory=list[ConversationDocument])
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    notices: list[Notice] = field(default_factory=list[Notice])


def read_messages(
    directory: Directory, team: str, channel: Channel, records: Iterable[JSONObject], options: ReadOptions
) -> ReadMessages:
    """Return the documents of some messages of one conversation.

    Args:
        directory: the names of people and conversations.
        team: the workspace.
        channel: the conversation.
        records: as the Web API sends them, in any order.
        options: the zone.
    """
    people = directory.people
    bodies = BodyReader(
        Names(
            lambda identifier, label: label if label and not people.knows(identifier) else people.name(identifier),
            directory.channels.name,
        )
    )
    where = place_of(channel)
    context = ChatContext(NAME, team, directory.user_name, people, bodies, frozenset(), options)
    tally = ChatTally()
    reading = ReadMessages()
    ordered = sorted(map(_plain, records), key=_instant)
    places = (Found(f"{where}: {text_of(each, 'ts') or 'a message'}", None, each) for each in ordered)
    for record in ChatReader(context, channel, f"{team}:{channel.id}", channel.title, tally).read_found(places):
        if isinstance(record, Rejected):
            reading.rejected.append(record)
        else:
            reading.documents.append(record)
    notices = after_reading(tally, bodies.unknown, where, options, user_listed=True)
    reading.notices = [notice for notice in notices if notice.code in _TOLD]
    return reading


def place_of(channel: Channel) -> str:
    """Return the locator of a conversation, for messages to people."""
    return f"slack:{channel.title}"


def _plain(record: JSONObject) -> JSONObject:
    """Return the present state of a message from an event that changed it, unless its text was edited.

    Slack sends such events also when a link gets its preview, and when somebody answers: nobody edited anything then.
    """
    subtype = text_of(record, "subtype")
    now = record.get("message")
    if subtype not in ("message_changed", _THREADED) or not isinstance(now, dict):
        return record
    message: JSONObject = now  # pyright: ignore[reportUnknownVariableType]
    if subtype == "message_changed" and ("edited" in message or text_of(message, "subtype") == "tombstone"):
        return record
    return message


def _instant(record: JSONObject) -> int:
    """Return the sort key of a message; the record of an edit comes after the message that it changes."""
    return microseconds_of(record.get("ts")) or 0


def threads_of(records: Sequence[JSONObject]) -> dict[str, int]:
    """Return the first messages of threads that some messages begin or belong to, by their timestamps; each with the
    microseconds of its last reply, or 0 if not known.
    """
    threads: dict[str, int] = {}
    for record in records:
        root = text_of(record, "thread_ts")
        if microseconds_of(root) is None:
            continue
        if root == text_of(record, "ts"):
            if record.get("reply_count") == 0:
                continue
            threads[root] = max(threads.get(root, 0), microseconds_of(record.get("latest_reply")) or 0)
        else:
            threads[root] = max(threads.get(root, 0), microseconds_of(record.get("ts")) or 0)
    return threads
