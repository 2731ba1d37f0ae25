"""Which stored message an incoming one is: by its source's id, else by minute, kind and wording, else by its place."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from datetime import UTC
from typing import NamedTuple

from ..schemas import ConversationMessage
from ..schemas.times import wall_minute


class Identity(NamedTuple):
    """What a message is named by. ``minute`` is the wall clock's for a source without zones, else UTC's."""

    id: str
    minute: str
    kind: str
    text: str


def identity(message: ConversationMessage) -> Identity:
    """The name of a message as it reads now; the author is not part of it, for contacts get renamed."""
    naive = message.zone_origin is not None and message.zone_origin != "explicit"
    minute = wall_minute(message.time if naive else message.time.astimezone(UTC))
    if message.id is not None:
        return Identity(message.id, minute, "", "")
    return Identity("", minute, message.kind, message.content if message.kind == "text" else "")


def align(old: Sequence[ConversationMessage], new: Sequence[ConversationMessage]) -> list[int | None]:
    """For each new message the index of the old one that it is, or None. No old one is taken twice.

    Equals are matched in their order. Then wordings that one side has as an earlier edit. Then what stands at the
    same place of the same minute, where flags or both neighbours tell that it is an edit or a deletion.
    """
    if not old:
        return [None] * len(new)
    matches: list[int | None] = [None] * len(new)
    taken: set[int] = set()
    _match(matches, taken, new, ((index, _named(message)) for index, message in enumerate(old)), current=True)
    _match(matches, taken, new, ((i, form) for i, m in enumerate(old) for form in _earlier(m)), current=True)
    _match(matches, taken, new, ((index, _named(message)) for index, message in enumerate(old)), current=False)
    _match_places(matches, taken, old, new)
    return matches


def _named(message: ConversationMessage) -> Identity:
    own = identity(message)
    # A message with an id keeps it whatever its time becomes.
    return own._replace(minute="") if own.id else own


def _earlier(message: ConversationMessage) -> list[Identity]:
    if message.id is not None:
        return []
    own = identity(message)
    return [own._replace(kind="text", text=edit.content) for edit in message.edits]


def _match(
    matches: list[int | None],
    taken: set[int],
    new: Sequence[ConversationMessage],
    old_forms: Iterable[tuple[int, Identity]],
    *,
    current: bool,
) -> None:
    """Match what is still free: new messages (or, not ``current``, their earlier wordings) with forms of old ones."""
    free: defaultdict[Identity, deque[int]] = defaultdict(deque)
    for index, form in old_forms:
        if index not in taken:
            free[form].append(index)
    if not free:
        return
    for position, message in enumerate(new):
        if matches[position] is not None:
            continue
        for form in [_named(message)] if current else _earlier(message):
            waiting = free.get(form)
            while waiting:
                index = waiting.popleft()
                if index not in taken:
                    matches[position] = index
                    taken.add(index)
                    break
            if matches[position] is not None:
                break


def _match_places(
    matches: list[int | None],
    taken: set[int],
    old: Sequence[ConversationMessage],
    new: Sequence[ConversationMessage],
) -> None:
    """Pair an unmatched old and an unmatched new message at the same place of the same minute."""
    if len(taken) == len(old) or None not in matches:
        return
    gaps: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    before = -1
    for index, message in enumerate(old):
        if index in taken:
            before = index
        elif message.id is None:
            gaps[before, identity(message).minute].append(index)
    before = -1
    for position, message in enumerate(new):
        match = matches[position]
        if match is not None:
            before = match
            continue
        if message.id is not None:
            continue
        candidates = gaps.get((before, identity(message).minute), [])
        for index in candidates:
            if _same_thing(old[index], message, sure=_enclosed(matches, taken, position, index, len(old))):
                matches[position] = index
                taken.add(index)
                candidates.remove(index)
                break


def _enclosed(matches: Sequence[int | None], taken: set[int], position: int, index: int, olds: int) -> bool:
    """Whether both direct neighbours of the place are matched with each other: then both sides cover it."""
    if position == 0 or position + 1 >= len(matches) or index == 0 or index + 1 >= olds:
        return False
    return (
        matches[position - 1] == index - 1
        and matches[position + 1] == index + 1
        and index - 1 in taken
        and index + 1 in taken
    )


def _same_thing(old: ConversationMessage, new: ConversationMessage, *, sure: bool) -> bool:
    """An edit or a deletion of one another: flagged and by the same author, or enclosed by the same neighbours.

    Without a flag the place alone decides, and only where both sides are known to cover it: at the rim of an export
    that was cut in mid-minute, two different messages may stand at what looks like the same place.
    """
    if old.deleted or new.deleted:
        return (old.speaker == new.speaker or sure) and old.deleted != new.deleted
    if old.kind != new.kind or old.kind != "text":
        return False
    return sure or (old.speaker == new.speaker and (old.edited or new.edited))
