"""A model of forgetting between exports: the store holds what was exported without what was forgotten, once and in order.

Stories of `stories`, in which an export begins at a minute's beginning and ends anywhere, so that it can be known which
message is which; nobody is renamed and nothing is edited. Between exports one speaker, one span of minutes, or one speaker
in one span is forgotten. Stories whose union is not the true one without any forgetting are left to `merging`; a story ends where an export becomes undecidable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from random import Random
from uuid import UUID

from memd.memory.forgetting.selection import Candidate, ForgetSelection, plan_forgetting
from memd.memory.merge.plan import Stored, plan_conversation
from memd.schemas import ConversationDocument
from memd.tests.torture.home import Broken
from memd.tests.torture.stories import DAY, NAMES, NEVER, Export, Story, Told, story


@dataclass
class DayStore:
    """What a store holds of a day and what of it was told, and forgotten."""

    stored: Stored | None = None
    tombstones: frozenset[UUID] = frozenset()
    told: set[Told] = field(default_factory=set[Told])
    gone: set[Told] = field(default_factory=set[Told])

    def left(self) -> list[Told]:
        """What the store should hold."""
        return sorted(self.told - self.gone, key=lambda told: told.number)

    def read(self, document: ConversationDocument) -> int:
        """Merge as a store does; returns how much that changed."""
        plan = plan_conversation(self.stored, document, b"digest", self.tombstones)
        if plan is None:
            return 0
        rows = {} if self.stored is None else {row.key: row for row in self.stored.messages}
        for key, position in plan.moved.items():
            rows[key] = replace(rows[key], position=position)
        rows |= {row.key: row for row in (*plan.added, *plan.updated)}
        self.stored = Stored(plan.document, sorted(rows.values(), key=lambda row: row.position))
        return len(plan.added) + len(plan.updated) + len(plan.moved)

    def forget(self, selection: ForgetSelection) -> None:
        """Remove as a store does."""
        if self.stored is None:
            return
        plan = plan_forgetting(selection, [Candidate(self.stored.document, self.stored.messages, ["Chat"])])
        self.tombstones |= {key for keys in plan.removal.tombstones.values() for key in keys}
        if plan.removal.documents:
            self.stored = None
        elif plan.affected:
            gone, moved = set(plan.removal.messages), plan.removal.changes.moved
            rows = [
                replace(row, position=moved.get(row.key, row.position))
                for row in self.stored.messages
                if row.key not in gone
            ]
            self.stored = Stored(plan.removal.changes.documents[0], rows)


def plain(told: Story) -> Story:
    """The same chat without edits and renames, seen on one phone."""
    messages = tuple(replace(each, edited=NEVER, deleted=NEVER) for each in told.told)

    def begin(export: Export) -> int:
        at = messages[export.begin]
        same = (each.number for each in messages if (each.day, each.minute) == (at.day, at.minute))
        return min(same)

    exports = tuple(replace(each, phone=0, media=False, begin=begin(each)) for each in told.exports)
    return Story(messages, exports, ())


def difference(told: Story, seed: str) -> str:
    """What is wrong with the store after a story; empty when nothing is."""
    chance = Random(seed)
    days: dict[int, DayStore] = {}
    untouched: dict[int, DayStore] = {}
    for export in told.exports:
        for some, document in told.documents(export):
            day = days.setdefault(some[0].day, DayStore())
            whole = untouched.setdefault(some[0].day, DayStore(told=day.told))
            day.told.update(some)
            whole.read(document)
            if _wrong(told, export, whole) or _is_undecidable(some, day):
                return ""
            day.read(document)
            wrong = _wrong(told, export, day)
            if day.read(document):
                wrong = wrong or "the same export again changes something"
            if wrong:
                return f"after {export}: {wrong}"
        if chance.random() < 0.6:
            _forget(told, export, days, chance)
            for day in days.values():
                if wrong := _wrong(told, export, day):
                    return f"after forgetting: {wrong}"
    return ""


def _is_undecidable(some: Sequence[Told], day: DayStore) -> bool:
    """Whether an export ends in the middle of a minute, between equal messages of one person one of which was forgotten:
    which of the others it still has, nothing tells.
    """
    last = some[-1]

    def equals(all_told: Iterable[Told]) -> set[Told]:
        return {each for each in all_told if (each.day, each.minute) == (last.day, last.minute)}

    behind = {each for each in equals(day.told) if each.number > last.number}
    words = [{(each.person, each.words) for each in side} for side in (behind, equals(day.gone), equals(some))]
    return bool(words[0] & words[1] & words[2])


def _forget(told: Story, export: Export, days: dict[int, DayStore], chance: Random) -> None:
    person = chance.choice([*NAMES, None])
    start = chance.randrange(4) if person is None or chance.random() < 0.3 else None
    number = chance.choice(sorted(days))
    since = None if start is None else DAY + timedelta(days=number, minutes=start)
    until = None if since is None else since + timedelta(minutes=chance.randint(1, 2))
    speakers = () if person is None else (told.name(person, export),)
    for day in days.values():
        day.forget(ForgetSelection(speakers=speakers, since=since, until=until))
        for each in day.told:
            at = DAY + timedelta(days=each.day, minutes=each.minute)
            his = person is None or (each.person == person and each.kind != "system")
            if his and (since is None or until is None or since <= at < until):
                day.gone.add(each)


def _wrong(told: Story, export: Export, day: DayStore) -> str:
    messages = () if day.stored is None else [row.message for row in day.stored.messages]
    found = [(each.time.replace(second=0), each.speaker, each.content) for each in messages]
    shown = (told.shown(each, export) for each in day.left())
    wanted = [(each.time.replace(second=0), each.speaker, each.content) for each in shown]
    return "" if found == wanted else f"there is\n  {_lines(found)}\nand should be\n  {_lines(wanted)}"


def _lines(entries: Sequence[tuple[object, ...]]) -> str:
    return "\n  ".join(" ".join(map(str, entry)) for entry in entries)


class Forgetting:
    """Stories by their number."""

    AT_ONCE = 10

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def round(self, number: int) -> str:
        """Ten stories.

        Raises:
            Broken: with the story that breaks.
        """
        for each in range(number * self.AT_ONCE, (number + 1) * self.AT_ONCE):
            told = plain(story(self._seed, each))
            if wrong := difference(told, f"{self._seed} {each}"):
                raise Broken(f"forgetting {number}: story {each}: {wrong}\n{told.text()}")
        return f"forgetting {number}: {self.AT_ONCE} stories"
