"""Which stored message an incoming one is: by its source's id, else by minute, kind and wording, else by its place."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..schemas import SYSTEM_SPEAKER, ConversationMessage
from ..schemas.times import utc_minute, wall_minute
from .places import Cell, cells, paired
from .wording import caption


class Identity(NamedTuple):
    """What a message is named by. ``minute`` is the wall clock's for a source without zones, else UTC's."""

    id: str
    minute: str
    kind: str
    text: str


def identity(message: ConversationMessage) -> Identity:
    """The name of a message as it reads now; the author is not part of it, for contacts get renamed."""
    naive = message.zone_origin is not None and message.zone_origin != "explicit"
    minute = wall_minute(message.time) if naive else utc_minute(message.time)
    if message.id is not None:
        return Identity(message.id, minute, "", "")
    return Identity("", minute, message.kind, message.content if message.kind == "text" else "")


def align(old: Sequence[ConversationMessage], new: Sequence[ConversationMessage]) -> list[int | None]:
    """For each new message the index of the old one that it is, or None. No old one is taken twice.

    Equals are matched in their order, first those that agree in all words and the author. Then wordings that one side has as an earlier edit.
    Then what stands at the same place of the same minute, where flags or the neighbours tell that it is an edit or a
    deletion. Placeholders of deleted messages are all equal, so that only their place tells them apart; those that
    it does not pair are matched in their order.
    """
    found = _Alignment(old, new)
    if not old:
        return found.matches
    found.match(_spoken, _spoken)
    found.match(_current, _current)
    found.match(_earlier, _current)
    found.match(_current, _earlier)
    found.match_places()
    found.match_places()  # what the first found may have told that a contact was renamed
    found.match(_anything, _anything)
    return found.matches


Form = tuple[object, ...]
Forms = Callable[[ConversationMessage], Iterable[Form]]
"""The names under which a message may be met."""


def _named(message: ConversationMessage) -> Identity:
    own = identity(message)
    # A message with an id keeps it whatever its time becomes.
    return own._replace(minute="") if own.id else own


def _anything(message: ConversationMessage) -> Iterable[Form]:
    return [_named(message)]


def _current(message: ConversationMessage) -> Iterable[Form]:
    return [] if message.deleted and message.id is None else [_named(message)]


def _spoken(message: ConversationMessage) -> Iterable[Form]:
    return [(*form, message.content, message.speaker) for form in _current(message)]


def _earlier(message: ConversationMessage) -> Iterable[Form]:
    if message.id is not None:
        return []
    own = identity(message)
    return [own._replace(kind="text", text=edit.content) for edit in message.edits]


def renamed(
    old: Sequence[ConversationMessage], new: Sequence[ConversationMessage], matches: Sequence[int | None]
) -> dict[str, str]:
    """Stored name to incoming name, where every shared message of one name carries another one now, and neither name
    is used by both sides: then a contact was renamed. Anything less clear is not in it.
    """
    ours, theirs = {message.speaker for message in old}, {message.speaker for message in new}
    seen: dict[str, set[str]] = {}
    for message, match in zip(new, matches, strict=True):
        if match is not None and old[match].speaker != message.speaker:
            seen.setdefault(old[match].speaker, set()).add(message.speaker)
    return {
        name: next(iter(others))
        for name, others in seen.items()
        if len(others) == 1
        and name not in theirs
        and not others & ours
        and SYSTEM_SPEAKER not in {name, *others}
        and sum(others == candidate for candidate in seen.values()) == 1
    }


class _Alignment:
    """The matches so far, and which old messages are taken."""

    def __init__(self, old: Sequence[ConversationMessage], new: Sequence[ConversationMessage]) -> None:
        self._old = old
        self._new = new
        self.matches: list[int | None] = [None] * len(new)
        self._taken: set[int] = set()

    def match(self, old_forms: Forms, new_forms: Forms) -> None:
        """Match what is still free and has a form in common, in order."""
        if None not in self.matches:
            return
        free: defaultdict[Form, deque[int]] = defaultdict(deque)
        for index, message in enumerate(self._old):
            if index not in self._taken:
                for form in old_forms(message):
                    free[form].append(index)
        if not free:
            return
        for position, message in enumerate(self._new):
            if self.matches[position] is None:
                self._match_one(position, (free.get(form) for form in new_forms(message)))

    def _match_one(self, position: int, waiting: Iterable[deque[int] | None]) -> None:
        for indexes in waiting:
            while indexes:
                index = indexes.popleft()
                if index not in self._taken:
                    self.matches[position] = index
                    self._taken.add(index)
                    return

    def match_places(self) -> None:
        """Pair what stands at the same place of the same minute."""
        if len(self._taken) == len(self._old) or None not in self.matches:
            return
        names = renamed(self._old, self._new, self.matches)
        strangers = _strangers(self._old, self._new)
        minutes = [[identity(message).minute for message in side] for side in (self._old, self._new)]
        free = [[message.id is None for message in side] for side in (self._old, self._new)]
        for cell in cells(self.matches, minutes[0], minutes[1], free[0], free[1]):
            for index, position in self._pairs(cell, names, strangers):
                self.matches[position] = index
                self._taken.add(index)

    def _pairs(
        self, cell: Cell, names: Mapping[str, str], strangers: tuple[set[str], set[str]]
    ) -> list[tuple[int, int]]:
        def fits(index: int, position: int, *, sure: bool) -> bool:
            old, new = self._old[index], self._new[position]
            same = names.get(old.speaker, old.speaker) == new.speaker
            if sure and old.speaker in strangers[0] and new.speaker in strangers[1]:
                same = True  # a contact that was renamed, of whom this is all that both sides have
            return same and _same_thing(old, new, sure=sure)

        return paired(cell, fits)


def _strangers(old: Sequence[ConversationMessage], new: Sequence[ConversationMessage]) -> tuple[set[str], set[str]]:
    """Names that only one side uses."""
    ours, theirs = {message.speaker for message in old}, {message.speaker for message in new}
    return ours - theirs, theirs - ours


_FILES = frozenset({"media", "contact"})
"""An export without its files tells of a contact's card as of any other file."""
_UNDELETABLE = frozenset({"system", "call"})


def _same_thing(old: ConversationMessage, new: ConversationMessage, *, sure: bool) -> bool:
    """An edit, a deletion or another reading of one another, given that place and author agree.

    Without a flag the place alone decides, and only where both sides are known to cover it (``sure``): at the rim of
    an export that was cut in mid-minute, two different messages may stand at what looks like the same place.
    """
    if old.deleted or new.deleted:
        kinds = {message.kind for message in (old, new) if not message.deleted}
        return not kinds & _UNDELETABLE
    if old.kind != new.kind:
        return {old.kind, new.kind} <= _FILES or (
            "media" in {old.kind, new.kind} and caption(old) == caption(new) != ""
        )
    return old.kind == "text" and (sure or old.edited or new.edited)
