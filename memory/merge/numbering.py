"""Ids of messages between two readings of a document: where they count, and what is compared without them. Pure.

An id names a message of its chat. Three cases are compared by minute, order, author and words instead, as for a source
without ids:

* One reading has ids and the other none: another form of an export leaves them out.
* A source gives ids only later: then a part of what is stored has none.
* Each account counts for itself, as in a basic group of Telegram: an id of one member's export names another message in
  that of another member. See `is_renumbered`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

from ...schemas import SYSTEM_SPEAKER, ConversationMessage
from ...schemas.keys import MessageForm
from ...schemas.times import utc_microseconds, utc_minute, wall_minute
from .message_distance import is_distinctive, is_naive, second_of

_Person = Callable[[str], str]
"""One name for all names of a person."""


def is_renumbered(old: Sequence[ConversationMessage], new: Sequence[ConversationMessage], person: _Person) -> bool:
    """Whether the ids of two readings name different messages.

    A message keeps its time when it is edited, its words when a zone is corrected, and one of both when its author is
    renamed. So an id names two messages where time, words and author differ. And a message has two ids where each reading
    has it under one that the other does not have, or has for another message.
    """
    holders: defaultdict[str, list[ConversationMessage]] = defaultdict(list)
    for message in old:
        if message.id is not None:
            holders[message.id].append(message)
    if not holders:
        return False
    fresh: list[ConversationMessage] = []
    for message in new:
        others = holders.get(message.id or "", [])
        if message.id is None or _is_among(message, others):
            continue
        if others and all(person(each.speaker) != person(message.speaker) for each in others):
            return True
        if others or is_distinctive(message):
            fresh.append(message)
    if not fresh:
        return False
    ids = {message.id for message in new if _is_among(message, holders.get(message.id or "", []))}
    places = {_place(message, person) for message in old if message.id is not None and message.id not in ids}
    return any(_place(message, person) in places for message in fresh)


def _place(message: ConversationMessage, person: _Person) -> tuple[int, str, str]:
    return utc_microseconds(message.time), person(message.speaker), message.content


def _is_among(message: ConversationMessage, others: Collection[ConversationMessage]) -> bool:
    """Whether a message may be one of others with its id: by its words or its time."""
    return any(_may_be_one(each, message) for each in others)


def _may_be_one(one: ConversationMessage, other: ConversationMessage) -> bool:
    if one.content == other.content or one.deleted or other.deleted or SYSTEM_SPEAKER in (one.speaker, other.speaker):
        return True
    if not _wordings(one).isdisjoint(_wordings(other)):
        return True
    seconds = second_of(one), second_of(other)
    if None not in seconds and seconds[0] != seconds[1]:
        return False
    return utc_minute(one.time) == utc_minute(other.time) or wall_minute(one.time) == wall_minute(other.time)


def _wordings(message: ConversationMessage) -> set[str]:
    return {message.content, *(edit.content for edit in message.edits)}


def without_ids(
    old: Sequence[ConversationMessage],
    new: Sequence[ConversationMessage],
    matches: Sequence[int | None],
    *,
    renumbered: bool,
) -> tuple[Sequence[ConversationMessage], Sequence[ConversationMessage]]:
    """Both readings, in which those messages have an id that are not compared by anything else.

    Args:
        old: what is stored.
        new: what comes in.
        matches: for each new message the index of the old one that its id names.
        renumbered: ids count for nothing.
    """
    if renumbered:
        return _bared(old, range(len(old))), _bared(new, range(len(new)))
    taken = set(matches)
    olds = [index for index in range(len(old)) if index not in taken]
    news = [index for index, match in enumerate(matches) if match is None]
    # Two messages with different ids are two. So the messages with ids of one side alone are compared without them.
    if any(new[index].id is None for index in news):
        return _bared(old, olds), new
    return (old, _bared(new, news)) if any(old[index].id is None for index in olds) else (old, new)


def _bared(messages: Sequence[ConversationMessage], indexes: Collection[int]) -> Sequence[ConversationMessage]:
    if all(messages[index].id is None for index in indexes):
        return messages
    bared = list(messages)
    for index in indexes:
        bared[index] = without_id(bared[index])
    return bared


def without_id(message: ConversationMessage) -> ConversationMessage:
    """The message as an export without ids has it."""
    return message if message.id is None else message.model_copy(update={"id": None})


def in_one_clock(*readings: Sequence[ConversationMessage]) -> Sequence[Sequence[ConversationMessage]]:
    """The readings, with minutes in UTC where a wall clock's minutes are to be compared with UTC's."""
    naive = {is_naive(message) for messages in readings for message in messages}
    return [[in_utc(message) for message in messages] for messages in readings] if len(naive) > 1 else readings


def form_of(message: ConversationMessage) -> MessageForm:
    """How a message is known."""
    return "named" if message.id is not None else "wall" if is_naive(message) else "utc"


def in_clock(message: ConversationMessage, clocks: Collection[MessageForm]) -> ConversationMessage:
    """The message, named by its minute of one of these clocks."""
    if ("wall" if is_naive(message) else "utc") in clocks:
        return message
    return message.model_copy(update={"zone_origin": "explicit" if is_naive(message) else "assumed"})


def in_utc(message: ConversationMessage) -> ConversationMessage:
    """The message, named by its minute in UTC."""
    return message.model_copy(update={"zone_origin": "explicit"}) if is_naive(message) else message
