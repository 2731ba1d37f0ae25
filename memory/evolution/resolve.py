"""From all statements of a group to its facts: a pure function, so that the order in which they came changes nothing.

A group is what one speaker said about one attribute of one subject. Nobody's words change what rests on another's.
Within a group statements are taken in the order they were said:

* the same value again adds evidence to the fact it repeats;
* another value of a functional attribute supersedes the fact before it, which stays with its time of validity;
* a negation retracts the fact it denies and is kept itself;
* a statement about a time that was over when it was said is history: it supersedes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from ...schemas.fact import FactStatus, Sensitivity
from ...schemas.keys import uuid5
from ..extraction.statement import Statement
from .attributes import OPPOSITES, functional
from .wording import Relation, normal, relation, terms_of

Judge = Callable[[Statement, Statement], bool | None]
"""Whether a statement says something that the earlier one cannot be true beside; None: nobody was asked."""


@dataclass(frozen=True, slots=True)
class Group:
    """The name of a group. Names of people are already one for each person."""

    speaker: str
    subject: str
    family: str
    """The attribute; for opposites the one that comes first in the alphabet."""
    of: str = ""
    """For ``favourite``: of what."""


@dataclass(slots=True)
class Run:
    """Statements that say one thing: what becomes a fact."""

    statements: list[Statement]
    attribute: str
    negated: bool = False
    status: FactStatus = "active"
    ended: datetime | None = None
    history: bool = False
    supersedes: Run | None = field(default=None, repr=False)
    superseded_by: Run | None = field(default=None, repr=False)

    @property
    def value(self) -> Statement:
        """The statement that says most; among equals the last."""
        return max(self.statements, key=lambda each: (len(terms_of(each.value)), each.observed_at, each.key))

    @property
    def begins(self) -> datetime:
        """From when it holds: as it was said, else since it was first said."""
        stated = [each.valid_from for each in self.statements if each.valid_from is not None]
        return min(stated) if stated else self.statements[0].observed_at


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
    superseded_by: UUID | None
    importance: int
    sensitivity: Sensitivity
    confidence: float


def group_of(statement: Statement, who: Callable[[str], str]) -> Group:
    """The group of a statement; ``who`` gives a person's one name for any of theirs."""
    opposite = OPPOSITES.get(statement.attribute, statement.attribute)
    family = min(statement.attribute, opposite)
    of = ""
    if statement.attribute == "favourite" and ":" in statement.value:
        of = normal(statement.value.partition(":")[0])
    return Group(who(statement.speaker).casefold(), who(statement.subject).casefold(), family, of)


def resolve(group: Group, statements: Iterable[Statement], judge: Judge | None = None) -> list[Resolved]:
    """The facts of one group, in the order they began to be said."""
    ordered = sorted({each.key: each for each in statements}.values(), key=lambda each: (each.observed_at, each.key))
    runs = _functional(ordered, judge) if functional(group.family) else _coexisting(ordered)
    return _named(group, runs)


def undecided(group: Group, statements: Iterable[Statement]) -> list[tuple[Statement, Statement]]:
    """Pairs of a statement and an earlier one that only somebody who understands them can tell apart."""
    asked: list[tuple[Statement, Statement]] = []

    def note(new: Statement, old: Statement) -> bool | None:
        asked.append((new, old))
        return None

    resolve(group, statements, note)
    return asked


def _functional(ordered: Sequence[Statement], judge: Judge | None) -> list[Run]:
    runs: list[Run] = []
    current: Run | None = None
    for statement in ordered:
        if _is_history(statement):
            _join_history(runs, statement)
            continue
        told = "other" if current is None else _relation(statement, current, judge)
        if statement.negated:
            run = Run([statement], statement.attribute, negated=True)
            runs.append(_repeated(runs, run))
            if current is not None and told in ("same", "wider", "narrower"):
                current.status, current.ended = "retracted", statement.observed_at
                current.superseded_by, run.supersedes = run, current
                current = None
        elif current is not None and told in ("same", "wider", "narrower"):
            current.statements.append(statement)
        else:
            run = Run([statement], statement.attribute)
            if current is not None:
                current.status, current.ended = "superseded", _boundary(current, run)
                current.superseded_by, run.supersedes = run, current
            runs.append(run)
            current = run
    return [run for run in runs if run.statements]


def _coexisting(ordered: Sequence[Statement]) -> list[Run]:
    runs: list[Run] = []
    for statement in ordered:
        if _is_history(statement):
            _join_history(runs, statement)
            continue
        same = [
            run
            for run in runs
            if run.status == "active" and relation(statement.value, run.statements[0].value) == "same"
        ]
        joined = [run for run in same if (run.attribute, run.negated) == (statement.attribute, statement.negated)]
        if joined:
            joined[-1].statements.append(statement)
            continue
        run = Run([statement], statement.attribute, negated=statement.negated)
        for denied in same:
            if _denies(statement, denied):
                denied.status, denied.ended = "retracted", statement.observed_at
                denied.superseded_by, run.supersedes = run, denied
        runs.append(run)
    return runs


def _denies(statement: Statement, run: Run) -> bool:
    """Whether the same value is said to be so and not so, or liked and disliked."""
    if statement.attribute == run.attribute:
        return statement.negated != run.negated
    return not statement.negated and not run.negated


def _is_history(statement: Statement) -> bool:
    return statement.valid_to is not None and statement.valid_to <= statement.observed_at and not statement.negated


def _join_history(runs: list[Run], statement: Statement) -> None:
    for run in runs:
        if run.history and relation(statement.value, run.statements[0].value) == "same":
            run.statements.append(statement)
            return
    runs.append(Run([statement], statement.attribute, status="superseded", ended=statement.valid_to, history=True))


def _repeated(runs: list[Run], run: Run) -> Run:
    """The run itself; a denial that only repeats an earlier one, with nothing said between, is evidence of that."""
    if runs and runs[-1].negated and relation(run.statements[0].value, runs[-1].statements[0].value) == "same":
        run.statements = [*runs[-1].statements, *run.statements]
        run.supersedes = runs[-1].supersedes
        if run.supersedes is not None:
            run.supersedes.superseded_by = run
        runs.pop()
    return run


def _relation(statement: Statement, run: Run, judge: Judge | None) -> Relation:
    told = relation(statement.value, run.value.value)
    if told == "near" and judge is not None:
        verdict = judge(statement, run.value)
        if verdict is not None:
            return "other" if verdict else "same"
    return told


def _boundary(old: Run, new: Run) -> datetime:
    """When the old one ceased to hold: when the new one began, but not before the old one was last said."""
    begins = new.begins
    return begins if begins >= old.begins else new.statements[0].observed_at


def _named(group: Group, runs: Sequence[Run]) -> list[Resolved]:
    seen: defaultdict[tuple[str, str, bool], int] = defaultdict(int)
    keys: dict[int, UUID] = {}
    for run in runs:
        name = (normal(run.statements[0].value), run.attribute, run.negated)
        parts = (group.speaker, group.subject, group.family, group.of, name[0], name[1], "not" if name[2] else "")
        keys[id(run)] = uuid5("fact", *parts, str(seen[name]))
        seen[name] += 1
    return [_resolved(group, run, keys) for run in runs]


_ORDER: Mapping[Sensitivity, int] = {"low": 0, "medium": 1, "high": 2}


def _resolved(group: Group, run: Run, keys: Mapping[int, UUID]) -> Resolved:
    told = run.value
    ends = [each.valid_to for each in run.statements if each.valid_to is not None]
    end = run.ended if run.ended is not None else max(ends) if ends else None
    begins = run.begins
    return Resolved(
        key=keys[id(run)],
        group=group,
        subject=told.subject,
        attribute=run.attribute,
        value=told.value,
        content=told.content,
        speaker=told.speaker,
        negated=run.negated,
        status=run.status,
        valid_from=begins if end is None else min(begins, end),
        valid_to=end,
        observed_at=run.statements[-1].observed_at,
        statements=tuple(run.statements),
        supersedes=None if run.supersedes is None else keys.get(id(run.supersedes)),
        superseded_by=None if run.superseded_by is None else keys.get(id(run.superseded_by)),
        importance=max(each.importance for each in run.statements),
        sensitivity=max((each.sensitivity for each in run.statements), key=lambda each: _ORDER[each]),
        confidence=max(each.confidence for each in run.statements),
    )


def resolve_all(
    statements: Collection[Statement], who: Callable[[str], str] = str, judge: Judge | None = None
) -> list[Resolved]:
    """The facts of many statements, group by group."""
    groups: defaultdict[Group, list[Statement]] = defaultdict(list)
    for statement in statements:
        groups[group_of(statement, who)].append(statement)
    return [fact for group in sorted(groups, key=_order_of) for fact in resolve(group, groups[group], judge)]


def _order_of(group: Group) -> tuple[str, str, str, str]:
    return group.speaker, group.subject, group.family, group.of
