"""Compares message ids between two readings of a document, and decides where they count. Pure.

An id identifies a message of its chat. In three cases messages are compared by minute, order, author and words instead,
as for a source without ids:
* One reading has ids and the other none: another export format leaves them out.
* A source adds ids only later: then a part of the stored messages has none.
* Each account numbers for itself, as in a basic group of Telegram: the same id means different messages in the exports
  of two members. See `is_renumbered`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

from msgspec import structs

from ...schemas import SYSTEM_SPEAKER, ConversationMessage
from ...schemas.keys import MessageForm
from ...schemas.times import utc_microseconds, utc_minute, wall_minute
from .message_distance import is_distinctive, is_naive, second_of

_Person = Callable[[str], str]
"""Maps any name of a person to one name."""


def is_renumbered(old: Sequence[ConversationMessage], new: Sequence[ConversationMessage], person: _Person) -> bool:
    """Return whether the ids of two readings identify different messages.

    A message keeps its time when it is edited, its words when a zone is corrected, and one of both when its author is
    renamed. So an id means two messages if time, words and author all differ. And a message has two ids if each reading
    has it under an id that the other lacks, or uses for another message.
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
    """Return whether a message may be one of others with its id, by its words or its time."""
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
    """Return both readings; messages that must be compared without ids have them removed.

    Args:
        old: the stored messages.
        new: the incoming messages.
        matches: the index of the old message with the same id, for each new one.
        renumbered: ignore all ids.
    """
    if renumbered:
        return _bared(old, range(len(old))), _bared(new, range(len(new)))
    taken = set(matches)
    olds = [index for index in range(len(old)) if index not in taken]
    news = [index for index, match in enumerate(matches) if match is None]
    # Two messages with different ids are two. So ids are removed on one side only.
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
    """Return the message as in an export without ids."""
    return message if message.id is None else structs.replace(message, id=None)


def in_one_clock(*readings: Sequence[ConversationMessage]) -> Sequence[Sequence[ConversationMessage]]:
    """Return the readings, converted to UTC minutes if wall-clock minutes must be compared with UTC ones."""
    naive = {is_naive(message) for messages in readings for message in messages}
    return [[in_utc(message) for message in messages] for messages in readings] if len(naive) > 1 else readings


def form_of(message: ConversationMessage) -> MessageForm:
    """Return how a message is identified: by its id, its wall-clock minute or its UTC minute."""
    return "named" if message.id is not None else "wall" if is_naive(message) else "utc"


def in_clock(message: ConversationMessage, clocks: Collection[MessageForm]) -> ConversationMessage:
    """Return the message, identified by its minute in one of these clocks."""
    if ("wall" if is_naive(message) else "utc") in clocks:
        return message
    return structs.replace(message, zone_origin="explicit" if is_naive(message) else "assumed")


def in_utc(message: ConversationMessage) -> ConversationMessage:
    """Return the message, identified by its minute in UTC."""
    return structs.replace(message, zone_origin="explicit") if is_naive(message) else message
