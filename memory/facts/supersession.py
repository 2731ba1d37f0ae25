"""From all statements of a group to its facts: a pure function, so that the order in which they came changes nothing.

A group is what one speaker said about one attribute of one subject. Nobody's words change what rests on another's.
Within a group statements are taken in the order they were said:

* the same value again adds evidence to the fact it repeats;
* another value of a functional attribute supersedes the fact before it, which stays with its time of validity; unless it
  is told as something in addition or for a while, then it holds beside it;
* a negation retracts the fact it denies and is kept itself; if that fact had not come true yet, what it had superseded
  holds again;
* a statement about a time that was over when it was said is history: it supersedes nothing.

What is meant by "the same", "another" and "denies" is decided in `conflict_rules`, with a judge for what words alone do not tell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from ...schemas.fact import FactStatus, Sensitivity
from ...schemas.keys import uuid5
from ..extraction.attributes import AKIN, ATTRIBUTES, FAMILIES, OPPOSITES, doubt_of, functional, lasts
from ..extraction.statement import Statement
from . import supersession_rules as conflict_rules
from .change_markers import past
from .claims import ClaimGroup, ClaimIndex
from .supersession_rules import Verdict
from .value_similarity import normal

Judge = Callable[[Statement, Statement], bool | None]
"""Whether a statement says something that the earlier one cannot be true beside; None: nobody was asked."""


@dataclass(frozen=True, slots=True)
class Group:
    """The name of a group. Names of people are already one for each person."""

    speaker: str
    subject: str
    family: str
    """The attribute, or for several that bear on each other their common name; see `attributes.FAMILIES`."""
    of: str = ""
    """For ``favourite``: of what."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A fact without the time it was recorded at."""

    key: UUID
    group: Group
    subject: str
    attribute: str
    value: str
    content: str
    speaker: str
    negated: bool
    status: FactStatus
    valid_from: datetime
    valid_to: datetime | None
    observed_at: datetime
    statements: tuple[Statement, ...]
    """In the order they were said: the evidence."""
    supersedes: UUID | None
    """The fact that this one ended; of several the one that was said last."""
    superseded_by: UUID | None
    importance: int
    sensitivity: Sensitivity
    confidence: float
    retires: tuple[UUID, ...] = ()
    """All facts that this one ended, the last said first: those whose ``superseded_by`` it is."""
    beside: bool = False
    """It holds in addition to another value of a functional attribute, or for a while."""
    history: bool = False
    """It was over when it was said, or was called off before it began; nothing superseded it for that."""


def group_of(statement: Statement, who: Callable[[str], str]) -> Group:
    """The group of a statement; ``who`` gives a person's one name for any of theirs."""
    family = FAMILIES.get(statement.attribute, statement.attribute)
    of = ""
    if statement.attribute == "favourite" and ":" in statement.value:
        of = normal(statement.value.partition(":")[0])
    return Group(who(statement.speaker).casefold(), who(statement.subject).casefold(), family, of)


def resolve_group(group: Group, statements: Iterable[Statement], judge: Judge | None = None) -> list[Resolved]:
    """The facts of one group, in the order they began to be said."""
    course = _Resolver(judge)
    for statement in _ordered(statements):
        course.take(statement)
    _lay_out(course.shelf.runs)
    return _named(group, course.shelf.runs)


def undecided(
    group: Group, statements: Iterable[Statement], judge: Judge | None = None
) -> list[tuple[Statement, Statement]]:
    """Pairs of a statement and an earlier one that only somebody who understands them can tell apart.

    Args:
        group: their group.
        statements: all of them.
        judge: gives the verdicts known by now; they may raise questions that were not there before.
    """
    asked: list[tuple[Statement, Statement]] = []

    def note(new: Statement, old: Statement) -> bool | None:
        verdict = None if judge is None else judge(new, old)
        if verdict is None:
            asked.append((new, old))
        return verdict

    resolve_group(group, statements, note)
    return asked


MOST_ASKED = 4
"""Questions about one statement; what is beyond is kept."""


def _ordered(statements: Iterable[Statement]) -> list[Statement]:
    """In the order they were said; of several of one name always the same one, whichever came first."""
    distinct: dict[UUID, Statement] = {}
    for each in statements:
        known = distinct.get(each.key)
        if known is None or (each.confidence, repr(each)) > (known.confidence, repr(known)):
            distinct[each.key] = each
    return sorted(distinct.values(), key=lambda each: (each.observed_at, each.key))


class _Resolver:
    """The course of what was said of one group."""

    def __init__(self, judge: Judge | None) -> None:
        self.shelf = ClaimIndex()
        self._judge = judge
        self._asked = 0

    def take(self, statement: Statement) -> None:
        """The next statement in order."""
        self._asked = 0
        shelf = self.shelf
        if _is_history(statement):
            run = shelf.same(statement, history=True)
            if run is not None:
                shelf.join(run, statement)
            else:
                shelf.add(statement, history=True)
            return
        run = shelf.same(statement) or self._elaborated(statement)
        if run is not None:
            shelf.join(run, statement)
            return
        ended = self._denied(statement) if statement.negated else self._replaced(statement)
        rivals = [] if statement.negated else shelf.open(statement.attribute, negated=False)
        run = shelf.add(statement)
        for old in ended:
            self._retire(old, run)
        if is_functional(statement) and any(not old.beside and old.status == "active" for old in rivals):
            run.beside = True

    def _elaborated(self, statement: Statement) -> ClaimGroup | None:
        """The open run of a functional attribute that says the same with more words or fewer."""
        if statement.negated or not is_functional(statement):
            return None
        open_ones = self.shelf.open(statement.attribute, negated=False)
        return next((run for run in reversed(open_ones) if conflict_rules.one_thing(statement, run)), None)

    def _replaced(self, statement: Statement) -> list[ClaimGroup]:
        """The runs that a positive statement ends."""
        shelf, attribute = self.shelf, statement.attribute
        ended: list[ClaimGroup] = []
        if is_functional(statement):
            open_ones = shelf.open(attribute, negated=False)
            ended += [run for run in open_ones if self._ends(statement, run, conflict_rules.on_value(statement, run))]
        else:
            asks = doubt_of(attribute) == "ask"
            near = shelf.alike(attribute, statement.value, negated=False) if asks else []
            if attribute not in ATTRIBUTES:  # nobody knows whether it has one value at a time
                near = list(dict.fromkeys([*near, *reversed(shelf.open(attribute, negated=False, most=MOST_ASKED))]))
            for run in near:
                if self._ends(statement, run, conflict_rules.on_detail(statement, run)):
                    ended.append(run)
        for run in shelf.alike(attribute, statement.value, negated=True):
            if self._ends(statement, run, conflict_rules.on_affirmation(statement, run)):
                ended.append(run)
        opposite = OPPOSITES.get(attribute)
        if opposite is not None:
            for run in shelf.alike(opposite, statement.value, negated=False):
                if self._ends(statement, run, conflict_rules.on_opposite(statement, run)):
                    ended.append(run)
        family = FAMILIES.get(attribute, attribute)
        relatives = {each for each, name in FAMILIES.items() if name == family} | {family}
        for run in shelf.open_of(relatives - {attribute}, negated=False) if is_functional(statement) else ():
            if self._ends(statement, run, conflict_rules.across(statement, run)):
                ended.append(run)
        return ended

    def _denied(self, statement: Statement) -> list[ClaimGroup]:
        """The runs that a negation ends."""
        attribute = statement.attribute
        found: dict[int, ClaimGroup] = {}
        for each in sorted({attribute} | AKIN.get(attribute, frozenset[str]())):
            near = self.shelf.alike(each, statement.value, negated=False)
            found.update({run.number: run for run in (*near, *self._any(each, statement))})
        return [run for run in found.values() if self._ends(statement, run, conflict_rules.on_denial(statement, run))]

    def _any(self, attribute: str, statement: Statement) -> list[ClaimGroup]:
        """The runs that share no word with a denial and may still be meant by it: "no pets", "no car"."""
        whole = attribute == statement.attribute and conflict_rules.any_of(attribute, statement.value)
        return self.shelf.open(attribute, negated=False) if whole or functional(attribute) else []

    def _ends(self, statement: Statement, run: ClaimGroup, verdict: Verdict) -> bool:
        if verdict.asks and self._judge is not None and self._asked < MOST_ASKED:
            self._asked += 1
            told = self._judge(statement, run.value)
            return verdict.ends if told is None else told
        return verdict.ends

    def _retire(self, old: ClaimGroup, run: ClaimGroup) -> None:
        """``run`` ends ``old``; what was to begin only later and is called off gives back what it would have ended."""
        said = run.statements[0]
        denial = run.negated != old.negated or run.attribute == OPPOSITES.get(old.attribute)
        old.status = "retracted" if denial else "superseded"
        old.ended = run.began if run.began >= old.began else said.observed_at
        old.retired_by = run
        run.retires.append(old)
        self.shelf.close(old)
        if run.negated and old.began > said.observed_at:
            old.history = True
            for former in old.retires:
                self.shelf.reopen(former)
            old.retires = []


def is_functional(statement: Statement) -> bool:
    """Whether its attribute has one value at a time; something is the favourite only among things of one kind."""
    if statement.attribute == "favourite":
        return ":" in statement.value
    return functional(statement.attribute)


def _is_history(statement: Statement) -> bool:
    if statement.negated or not lasts(statement.attribute):
        return False
    over = statement.valid_to is not None and statement.valid_to <= statement.observed_at
    return over or (statement.valid_to is None and statement.attribute not in _TIMELESS and past(statement))


_TIMELESS = frozenset({"origin", "birthday", "allergy", "child", "parent", "sibling", "plan", "goal"})
"""Told of former times they still hold: "as a child I lived in …" names the origin. Plans say themselves when."""


def _lay_out(runs: Sequence[ClaimGroup]) -> None:
    """Validity of the values of functional attributes one after the other, without overlap."""
    chains: defaultdict[str, list[ClaimGroup]] = defaultdict(list)
    for run in runs:
        if functional(run.attribute) and not (run.negated or run.beside or run.history):
            chains[run.attribute].append(run)
    for chain in chains.values():
        for earlier, later in zip(reversed(chain[:-1]), reversed(chain[1:]), strict=True):
            if later.ended is not None and earlier.ended is not None:
                earlier.ended = min(earlier.ended, later.ended)
        for earlier, later in pairwise(chain):
            later.floor = earlier.ended


def _named(group: Group, runs: Sequence[ClaimGroup]) -> list[Resolved]:
    seen: defaultdict[tuple[str, str, bool], int] = defaultdict(int)
    keys: dict[int, UUID] = {}
    for run in runs:
        name = (normal(run.statements[0].value), run.attribute, run.negated)
        parts = (group.speaker, group.subject, group.family, group.of, name[0], name[1], "not" if name[2] else "")
        keys[run.number] = uuid5("fact", *parts, str(seen[name]))
        seen[name] += 1
    return [_resolved(group, run, keys) for run in runs]


_ORDER: Mapping[Sensitivity, int] = {"low": 0, "medium": 1, "high": 2}


def _resolved(group: Group, run: ClaimGroup, keys: Mapping[int, UUID]) -> Resolved:
    told = run.value
    end = run.ended if run.ended is not None else run.stated_end
    begins = run.began if run.floor is None else max(run.began, run.floor)
    retires = sorted(run.retires, key=lambda each: (each.statements[-1].observed_at, each.number), reverse=True)
    return Resolved(
        key=keys[run.number],
        group=group,
        subject=told.subject,
        attribute=run.attribute,
        value=told.value,
        content=told.content,
        speaker=told.speaker,
        negated=run.negated,
        status="superseded" if run.history and run.retired_by is None else run.status,
        valid_from=begins if end is None else min(begins, end),
        valid_to=end,
        observed_at=run.statements[-1].observed_at,
        statements=tuple(run.statements),
        supersedes=keys[retires[0].number] if retires else None,
        superseded_by=None if run.retired_by is None else keys[run.retired_by.number],
        importance=max(each.importance for each in run.statements),
        sensitivity=max((each.sensitivity for each in run.statements), key=lambda each: _ORDER[each]),
        confidence=max(each.confidence for each in run.statements),
        retires=tuple(keys[each.number] for each in retires),
        beside=run.beside,
        history=run.history,
    )
