"""Matches incoming messages with stored ones: by the source's id, else by minute, order, author and wording. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ...schemas import ConversationMessage
from .aliases import Aliases
from .document_comparison import DocumentComparison, PartlyForgotten, common_minutes
from .message_distance import HOLE, UNFLAGGED, minute_of
from .numbering import in_one_clock, is_renumbered, without_ids
from .overlap import crossed, overlap
from .overlap_table import MinutePair, Step
from .renames import renamed_names, renamed_people


class Identity(NamedTuple):
    """The properties that identify a message. ``minute`` is in wall-clock time for a source without zones, else in UTC."""

    id: str
    minute: str
    kind: str
    text: str


def identity(message: ConversationMessage) -> Identity:
    """Return the identity of a message's current state, without the author, since contacts get renamed."""
    minute = minute_of(message)
    if message.id is not None:
        return Identity(message.id, minute, "", "")
    return Identity("", minute, message.kind, message.content if message.kind == "text" else "")


@dataclass(frozen=True, slots=True)
class Aligned:
    """The index of the matching old message for each new one, or None; each old message is matched at most once.

    ``places``: the index of the old message before which a new one is inserted, for unmatched messages whose minute
    tells it and for matched ones that stand elsewhere. ``names``: stored to incoming names of people who were renamed.
    """

    matches: list[int | None]
    places: dict[int, int] = field(default_factory=dict[int, int])
    names: dict[str, str] = field(default_factory=dict[str, str])


def align(
    old: Sequence[ConversationMessage],
    new: Sequence[ConversationMessage],
    renames: Collection[tuple[str, str]] = (),
    export: PartlyForgotten | None = None,
) -> Aligned:
    """Align two readings of one document minute by minute; `overlap` explains how.

    Messages with ids are matched by id as far as `numbering` allows. Authors are compared under all names that the chat
    knows for them. A person under a name unknown to the other side may have been renamed: this is accepted if it
    explains more than one message that would otherwise be kept twice, or one message in a place where both readings are
    complete.

    Args:
        old: the stored messages in order.
        new: the incoming messages in order.
        renames: pairs of names of one person.
        export: the complete incoming reading, if a part of the document was forgotten.
    """
    result = Aligned([None] * len(new))
    if not old:
        return result
    aliases = Aliases({message.speaker for message in old}, {message.speaker for message in new}, renames)
    renumbered = is_renumbered(old, new if export is None else export.messages, aliases.person)
    if not renumbered:
        _match_ids(old, new, result.matches)
    both_sides = old, new
    old, new = without_ids(old, new, result.matches, renumbered=renumbered)
    if export is None:
        old, new = in_one_clock(old, new)
    else:
        old, new, messages = in_one_clock(old, new, export.messages)
        export = replace(export, messages=messages)
    minutes = common_minutes(old, new, export)
    comparison = DocumentComparison(old, new, aliases)
    renamed = renamed_people(comparison, minutes)
    for pieces in minutes:
        steps: list[Step] = []
        moved: set[int] = set()
        for piece in pieces:
            sides = comparison.sides(piece, renamed)
            laid, crossing = crossed(sides, _laid(sides))
            steps += [(None if i is None else piece.old[i], None if j is None else piece.new[j]) for i, j in laid]
            moved.update(piece.new[j] for j in crossing)
        _take(result, steps, moved)
    _match_without_ids(*both_sides, result, aliases)
    result.names.update(renamed_names(old, new, result.matches, aliases))
    return result


def _match_ids(
    old: Sequence[ConversationMessage], new: Sequence[ConversationMessage], matches: list[int | None]
) -> None:
    """Match messages with ids: a message keeps its id whatever its time and words become. If a reading uses an id
    several times, the id counts only together with the words or the time.
    """
    if all(message.id is None for message in new):
        return
    repeated = {
        identifier for side in (old, new) for identifier, count in Counter(m.id for m in side).items() if count > 1
    }
    names: tuple[Callable[[ConversationMessage], Hashable], ...] = (
        lambda message: (message.id, message.content),
        lambda message: (message.id, message.time),
        lambda message: None if message.id in repeated else message.id,
    )
    taken: set[int] = set()
    for name in names:
        waiting: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        for index, message in enumerate(old):
            if message.id is not None and index not in taken:
                waiting[name(message)].append(index)
        for position, message in enumerate(new):
            if message.id is None or matches[position] is not None or name(message) is None:
                continue
            equals = waiting.get(name(message))
            if equals:
                index = matches[position] = equals.popleft()
                taken.add(index)


def _match_without_ids(
    old: Sequence[ConversationMessage], new: Sequence[ConversationMessage], result: Aligned, aliases: Aliases
) -> None:
    """Match equal messages of which one reading has the id and the other none: a source may add ids later."""

    def name(message: ConversationMessage) -> Hashable:
        return (message.time, message.kind, message.content, aliases.person(message.speaker))

    taken = set(result.matches)
    waiting: defaultdict[Hashable, tuple[deque[int], deque[int]]] = defaultdict(lambda: (deque(), deque()))
    if len({message.id is None for side in (old, new) for message in side}) > 1:
        for index, message in enumerate(old):
            if index not in taken:
                waiting[name(message)][message.id is None].append(index)
    for position, message in enumerate(new if waiting else ()):
        if result.matches[position] is None:
            equals = waiting.get(name(message))
            if equals is not None and equals[message.id is not None]:
                result.matches[position] = equals[message.id is not None].popleft()
                result.places.pop(position, None)


def _laid(sides: MinutePair) -> list[Step]:
    """Return the union of a piece. Different wordings without an edit flag are matched only if their place tells so
    (see `_doubtful`) and nothing else explains the readings; otherwise the piece is aligned without such pairs.
    """
    laid = overlap(sides)
    pairs = _paired(laid.steps)
    unflagged = sum(sides.distance(i, j) == UNFLAGGED for i, j in pairs)
    if not unflagged:
        return laid.steps
    apart = overlap(sides.without(UNFLAGGED))
    others = len(_paired(apart.steps))
    if all(sides.edges):
        # Both may be complete pieces of few words each; then equal numbers of messages are required.
        certain = len(pairs) == len(laid.steps) and not others
    else:
        # A gap in what is stored explains as many equal messages.
        certain = apart.cost // HOLE > laid.cost // HOLE or others < len(pairs) - unflagged
    return laid.steps if certain and not _doubtful(sides, laid.steps) else apart.steps


def _paired(steps: Sequence[Step]) -> list[tuple[int, int]]:
    return [(i, j) for i, j in steps if i is not None and j is not None]


def _doubtful(sides: MinutePair, steps: Sequence[Step]) -> bool:
    """Return whether the place of some pair of unflagged wordings does not prove that it is one message. In a minute
    where a reading begins or ends, the pair must lie between two common messages; where one may end and the other
    begin, nothing proves it unless both consist of that minute alone.
    """
    meeting = sides.edges.meeting and not all(sides.edges)
    is_open = any(sides.edges)
    unflagged = alone = False
    for i, j in steps:
        if i is None or j is None:
            alone = True
        elif sides.distance(i, j) == UNFLAGGED:
            unflagged = True
        else:
            if unflagged and (alone or is_open or meeting):
                return True
            unflagged = alone = is_open = False
    return unflagged and (alone or any(sides.edges))


def _take(result: Aligned, steps: Sequence[Step], moved: Collection[int]) -> None:
    """Write the union of a minute into the result."""
    place = max(old for old, _ in steps if old is not None) + 1
    for old, new in reversed(steps):
        if new is not None:
            result.matches[new] = old
        if new is not None and (old is None or new in moved):
            result.places[new] = place
        elif old is not None:
            place = old
