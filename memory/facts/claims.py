"""Claims: groups of statements with the same content, each of which becomes a fact; and the index of a cluster's
claims.
"""

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
"""The most claims that a statement is compared with for each of its words, the latest first; equal claims are always
found.
"""


@dataclass(slots=True, eq=False)
class Claim:
    """Statements with the same content, which become one fact."""

    statements: list[Statement]
    value: Statement
    """The most detailed statement; among equals the first, so that a repetition changes no words."""
    number: int
    """The position in the order in which the claims of a cluster were first stated."""
    attribute: str
    negated: bool = False
    status: FactStatus = "active"
    ended: datetime | None = None
    floor: datetime | None = None
    """The earliest beginning: until then another value held."""
    past: bool = False
    """True if it was over when it was stated, or never came true."""
    additional: bool = False
    """True if it holds in addition to the value of a functional attribute."""
    ended_claims: list[Claim] = field(default_factory=list["Claim"], repr=False)
    ended_by: Claim | None = field(default=None, repr=False)

    @property
    def began(self) -> datetime:
        """The stated beginning, else the time of the first statement; a plan holds from its first statement until it is
        due.
        """
        if self.attribute == "plan":
            return self.statements[0].observed_at
        stated = [each.valid_from for each in self.statements if each.valid_from is not None]
        return min(stated) if stated else self.statements[0].observed_at

    @property
    def stated_end(self) -> datetime | None:
        """The last stated end, unless a later statement repeats the claim; for a plan its due date."""
        if self.attribute == "plan" and not self.past:
            return self._due
        ends = [each.valid_to for each in self.statements if each.valid_to is not None]
        last = self.statements[-1].observed_at
        return ends[-1] if ends and (self.past or ends[-1] > last or self.statements[-1].valid_to is not None) else None

    @property
    def _due(self) -> datetime | None:
        """The end of the period last stated for a plan; None if none was stated, or it was already over."""
        last = next((each for each in reversed(self.statements) if each.valid_from or each.valid_to), None)
        if last is None:
            return None
        due = last.valid_to or (last.valid_from + timedelta(days=1) if last.valid_from else None)
        return due if due is not None and due > last.observed_at else None


class ClaimIndex:
    """The claims of a cluster, with the open ones by attribute, value and word."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []
        self._open: defaultdict[tuple[str, bool], dict[int, Claim]] = defaultdict(dict)
        self._same: dict[tuple[str, bool, bool, str], Claim] = {}
        self._words: defaultdict[tuple[str, bool, str], dict[int, Claim]] = defaultdict(dict)

    def add(self, statement: Statement, *, past: bool = False) -> Claim:
        """Add a claim of one statement."""
        claim = Claim([statement], statement, len(self.claims), statement.attribute, statement.negated, past=past)
        self.claims.append(claim)
        if not past:
            self._open[claim.attribute, claim.negated][claim.number] = claim
        self._note(claim, statement)
        return claim

    def join(self, claim: Claim, statement: Statement) -> None:
        """Add a statement with the same content to a claim."""
        claim.statements.append(statement)
        if len(terms_of(statement.value)) > len(terms_of(claim.value.value)):
            claim.value = statement
        self._note(claim, statement)

    def close(self, claim: Claim) -> None:
        """Close a claim: later statements are not compared with it."""
        self._open[claim.attribute, claim.negated].pop(claim.number, None)
        for statement in claim.statements:
            self._same.pop((claim.attribute, claim.negated, False, normalized_value(statement.value)), None)
            for term in terms_of(statement.value):
                self._words[claim.attribute, claim.negated, term].pop(claim.number, None)

    def reopen(self, claim: Claim) -> None:
        """Reopen a claim whose end was taken back."""
        claim.status, claim.ended, claim.ended_by = "active", None, None
        self._open[claim.attribute, claim.negated][claim.number] = claim
        for statement in claim.statements:
            self._note(claim, statement)

    def same(self, statement: Statement, *, past: bool = False) -> Claim | None:
        """Return the open claim with the same words; with ``past`` one that was over when it was stated."""
        return self._same.get((statement.attribute, statement.negated, past, normalized_value(statement.value)))

    def alike(self, attribute: str, value: str, *, negated: bool) -> list[Claim]:
        """Return open claims that share a word with a value; those with the most common words come first, then the
        latest.
        """
        shared: defaultdict[int, int] = defaultdict(int)
        matches: dict[int, Claim] = {}
        for term in terms_of(value):
            with_it = self._words.get((attribute, negated, term), _NONE)
            for claim in islice(reversed(with_it.values()), MOST_ALIKE):
                shared[claim.number] += 1
                matches[claim.number] = claim
        return sorted(matches.values(), key=lambda claim: (-shared[claim.number], -claim.number))

    def open(self, attribute: str, *, negated: bool, most: int = MOST_ALIKE) -> list[Claim]:
        """Return the latest ``most`` open claims of an attribute, in their order."""
        return list(islice(reversed(self._open[attribute, negated].values()), most))[::-1]

    def open_of(self, attributes: Iterable[str], *, negated: bool) -> list[Claim]:
        """Return the open claims of several attributes."""
        return [claim for attribute in sorted(attributes) for claim in self.open(attribute, negated=negated)]

    def _note(self, claim: Claim, statement: Statement) -> None:
        self._same.setdefault((claim.attribute, claim.negated, claim.past, normalized_value(statement.value)), claim)
        if not claim.past:
            for term in terms_of(statement.value):
                self._words[claim.attribute, claim.negated, term].setdefault(claim.number, claim)


_NONE: dict[int, Claim] = {}
