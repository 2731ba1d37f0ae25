"""Claims: the statements that say one thing, from which a fact is made; and the index of the claims of a cluster."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from ...schemas.fact import FactStatus
from ..extraction.statement import Statement
from .value_similarity import normalized_value, terms_of

MOST_ALIKE = 20
"""Claims that a statement is compared with for each of its words, the latest; equal ones are found however many there are."""


@dataclass(slots=True, eq=False)
class Claim:
    """Statements that say one thing: what becomes a fact."""

    statements: list[Statement]
    value: Statement
    """The statement that says most; among equals the first, so that a repetition changes no words."""
    number: int
    """Its place in the order in which claims began to be said."""
    attribute: str
    negated: bool = False
    status: FactStatus = "active"
    ended: datetime | None = None
    floor: datetime | None = None
    """It cannot have begun before: until then another value held."""
    past: bool = False
    """It was over when it was said, or it never came true."""
    additional: bool = False
    """It holds in addition to the value that a functional attribute has."""
    ended_claims: list[Claim] = field(default_factory=list["Claim"], repr=False)
    ended_by: Claim | None = field(default=None, repr=False)

    @property
    def began(self) -> datetime:
        """From when it holds as it was said, else since it was first said; a plan holds from then until it is due."""
        if self.attribute == "plan":
            return self.statements[0].observed_at
        stated = [each.valid_from for each in self.statements if each.valid_from is not None]
        return min(stated) if stated else self.statements[0].observed_at

    @property
    def stated_end(self) -> datetime | None:
        """When it ends as it was last said, unless it was still said to be so after that."""
        if self.attribute == "plan" and not self.past:
            return self._due
        ends = [each.valid_to for each in self.statements if each.valid_to is not None]
        last = self.statements[-1].observed_at
        return ends[-1] if ends and (self.past or ends[-1] > last or self.statements[-1].valid_to is not None) else None

    @property
    def _due(self) -> datetime | None:
        """The end of the time that a plan was last said to be for; None when none was named, or it was already over."""
        last = next((each for each in reversed(self.statements) if each.valid_from or each.valid_to), None)
        if last is None:
            return None
        due = last.valid_to or (last.valid_from + timedelta(days=1) if last.valid_from else None)
        return due if due is not None and due > last.observed_at else None


class ClaimIndex:
    """The claims of a cluster, and the open ones by attribute, value and word."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []
        self._open: defaultdict[tuple[str, bool], dict[int, Claim]] = defaultdict(dict)
        self._same: dict[tuple[str, bool, bool, str], Claim] = {}
        self._words: defaultdict[tuple[str, bool, str], dict[int, Claim]] = defaultdict(dict)

    def add(self, statement: Statement, *, past: bool = False) -> Claim:
        """A claim of one statement."""
        claim = Claim([statement], statement, len(self.claims), statement.attribute, statement.negated, past=past)
        self.claims.append(claim)
        if not past:
            self._open[claim.attribute, claim.negated][claim.number] = claim
        self._note(claim, statement)
        return claim

    def join(self, claim: Claim, statement: Statement) -> None:
        """The statement says the same."""
        claim.statements.append(statement)
        if len(terms_of(statement.value)) > len(terms_of(claim.value.value)):
            claim.value = statement
        self._note(claim, statement)

    def close(self, claim: Claim) -> None:
        """The claim holds no more: it is compared with nothing that is said later."""
        self._open[claim.attribute, claim.negated].pop(claim.number, None)
        for statement in claim.statements:
            self._same.pop((claim.attribute, claim.negated, False, normalized_value(statement.value)), None)
            for term in terms_of(statement.value):
                self._words[claim.attribute, claim.negated, term].pop(claim.number, None)

    def reopen(self, claim: Claim) -> None:
        """What ended it was taken back."""
        claim.status, claim.ended, claim.ended_by = "active", None, None
        self._open[claim.attribute, claim.negated][claim.number] = claim
        for statement in claim.statements:
            self._note(claim, statement)

    def same(self, statement: Statement, *, past: bool = False) -> Claim | None:
        """The open claim that says this in the same words; with ``past`` one that was over when it was said."""
        return self._same.get((statement.attribute, statement.negated, past, normalized_value(statement.value)))

    def alike(self, attribute: str, value: str, *, negated: bool) -> list[Claim]:
        """Open claims that share a word with a value, those that share most first, then the latest."""
        shared: defaultdict[int, int] = defaultdict(int)
        found: dict[int, Claim] = {}
        for term in terms_of(value):
            with_it = self._words.get((attribute, negated, term), _NONE)
            for claim in islice(reversed(with_it.values()), MOST_ALIKE):
                shared[claim.number] += 1
                found[claim.number] = claim
        return sorted(found.values(), key=lambda claim: (-shared[claim.number], -claim.number))

    def open(self, attribute: str, *, negated: bool, most: int = MOST_ALIKE) -> list[Claim]:
        """The open claims of an attribute, the latest of many, in their order."""
        return list(islice(reversed(self._open[attribute, negated].values()), most))[::-1]

    def open_of(self, attributes: Iterable[str], *, negated: bool) -> list[Claim]:
        """The open claims of several attributes."""
        return [claim for attribute in sorted(attributes) for claim in self.open(attribute, negated=negated)]

    def _note(self, claim: Claim, statement: Statement) -> None:
        self._same.setdefault((claim.attribute, claim.negated, claim.past, normalized_value(statement.value)), claim)
        if not claim.past:
            for term in terms_of(statement.value):
                self._words[claim.attribute, claim.negated, term].setdefault(claim.number, claim)


_NONE: dict[int, Claim] = {}
