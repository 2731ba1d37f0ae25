"""Runs: the statements that say one thing, from which a fact is made; and the shelf on which the open ones are found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from ...schemas.fact import FactStatus
from ..extraction.statement import Statement
from .value_similarity import normal, terms_of

MOST_ALIKE = 20
"""Runs that a statement is compared with for each of its words, the latest; equal ones are found however many there are."""


@dataclass(slots=True, eq=False)
class ClaimGroup:
    """Statements that say one thing: what becomes a fact."""

    statements: list[Statement]
    value: Statement
    """The statement that says most; among equals the first, so that a repetition changes no words."""
    number: int
    """Its place in the order in which runs began to be said."""
    attribute: str
    negated: bool = False
    status: FactStatus = "active"
    ended: datetime | None = None
    floor: datetime | None = None
    """It cannot have begun before: until then another value held."""
    history: bool = False
    """It was over when it was said, or it never came true."""
    beside: bool = False
    """It holds in addition to the value that a functional attribute has."""
    retires: list[ClaimGroup] = field(default_factory=list["ClaimGroup"], repr=False)
    retired_by: ClaimGroup | None = field(default=None, repr=False)

    @property
    def began(self) -> datetime:
        """From when it holds as it was said, else since it was first said."""
        stated = [each.valid_from for each in self.statements if each.valid_from is not None]
        return min(stated) if stated else self.statements[0].observed_at

    @property
    def stated_end(self) -> datetime | None:
        """When it ends as it was last said, unless it was still said to be so after that."""
        ends = [each.valid_to for each in self.statements if each.valid_to is not None]
        last = self.statements[-1].observed_at
        return (
            ends[-1] if ends and (self.history or ends[-1] > last or self.statements[-1].valid_to is not None) else None
        )


class ClaimIndex:
    """The runs of a group, and the open ones by attribute, value and word."""

    def __init__(self) -> None:
        self.runs: list[ClaimGroup] = []
        self._open: defaultdict[tuple[str, bool], dict[int, ClaimGroup]] = defaultdict(dict)
        self._same: dict[tuple[str, bool, bool, str], ClaimGroup] = {}
        self._words: defaultdict[tuple[str, bool, str], dict[int, ClaimGroup]] = defaultdict(dict)

    def add(self, statement: Statement, *, history: bool = False) -> ClaimGroup:
        """A run of one statement."""
        run = ClaimGroup(
            [statement], statement, len(self.runs), statement.attribute, statement.negated, history=history
        )
        self.runs.append(run)
        if not history:
            self._open[run.attribute, run.negated][run.number] = run
        self._note(run, statement)
        return run

    def join(self, run: ClaimGroup, statement: Statement) -> None:
        """The statement says the same."""
        run.statements.append(statement)
        if len(terms_of(statement.value)) > len(terms_of(run.value.value)):
            run.value = statement
        self._note(run, statement)

    def close(self, run: ClaimGroup) -> None:
        """The run holds no more: it is compared with nothing that is said later."""
        self._open[run.attribute, run.negated].pop(run.number, None)
        for statement in run.statements:
            self._same.pop((run.attribute, run.negated, False, normal(statement.value)), None)
            for term in terms_of(statement.value):
                self._words[run.attribute, run.negated, term].pop(run.number, None)

    def reopen(self, run: ClaimGroup) -> None:
        """What ended it was taken back."""
        run.status, run.ended, run.retired_by = "active", None, None
        self._open[run.attribute, run.negated][run.number] = run
        for statement in run.statements:
            self._note(run, statement)

    def same(self, statement: Statement, *, history: bool = False) -> ClaimGroup | None:
        """The open run that says this in the same words; with ``history`` one that was over when it was said."""
        return self._same.get((statement.attribute, statement.negated, history, normal(statement.value)))

    def alike(self, attribute: str, value: str, *, negated: bool) -> list[ClaimGroup]:
        """Open runs that share a word with a value, those that share most first, then the latest."""
        shared: defaultdict[int, int] = defaultdict(int)
        found: dict[int, ClaimGroup] = {}
        for term in terms_of(value):
            with_it = self._words.get((attribute, negated, term), _NONE)
            for run in islice(reversed(with_it.values()), MOST_ALIKE):
                shared[run.number] += 1
                found[run.number] = run
        return sorted(found.values(), key=lambda run: (-shared[run.number], -run.number))

    def open(self, attribute: str, *, negated: bool, most: int = MOST_ALIKE) -> list[ClaimGroup]:
        """The open runs of an attribute, the latest of many, in their order."""
        return list(islice(reversed(self._open[attribute, negated].values()), most))[::-1]

    def open_of(self, attributes: Iterable[str], *, negated: bool) -> list[ClaimGroup]:
        """The open runs of several."""
        return [run for attribute in sorted(attributes) for run in self.open(attribute, negated=negated)]

    def _note(self, run: ClaimGroup, statement: Statement) -> None:
        self._same.setdefault((run.attribute, run.negated, run.history, normal(statement.value)), run)
        if not run.history:
            for term in terms_of(statement.value):
                self._words[run.attribute, run.negated, term].setdefault(run.number, run)


_NONE: dict[int, ClaimGroup] = {}
