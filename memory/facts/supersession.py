"""Resolves all statements of a cluster to its facts: a pure function, so that their order of arrival does not matter.

A cluster contains the statements of one speaker about one subject and one group of related attributes (see
`ClusterKey`). Nobody's words change facts that rest on another's. Within a cluster statements are processed in the
order of time:

* the same value again adds evidence to the fact it repeats;
* another value of a functional attribute supersedes the previous fact, which is kept with its time of validity; unless
  it is stated in addition or temporarily: then both hold;
* a negation retracts the fact it denies and is kept itself; if that fact had not come true yet, the facts that it had
  superseded hold again;
* a statement about a time that was over when it was made is history: it supersedes nothing.

The meaning of "the same", "another" and "denies" is decided in `supersession_rules`, with a judge for cases that words
alone do not decide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from uuid import UUID

from ...schemas.fact import Sensitivity
from ...schemas.keys import uuid5
from ..extraction.attributes import AKIN, ATTRIBUTES, FAMILIES, OPPOSITES, doubt_of, functional, lasts
from ..extraction.statement import Statement
from . import supersession_rules as rules
from .change_markers import marks_past
from .claims import Claim, ClaimIndex
from .clusters import ClusterKey, Judge, Resolved
from .supersession_rules import Verdict
from .value_similarity import normalized_value


def resolve_cluster(cluster: ClusterKey, statements: Iterable[Statement], judge: Judge | None = None) -> list[Resolved]:
    """Return the facts of one cluster, in the order in which they were first stated."""
    resolver = _Resolver(judge)
    for statement in _ordered(statements):
        resolver.take(statement)
    _remove_overlaps(resolver.index.claims)
    return _with_keys(cluster, resolver.index.claims)


def undecided(
    cluster: ClusterKey, statements: Iterable[Statement], judge: Judge | None = None
) -> list[tuple[Statement, Statement]]:
    """Return pairs of a statement and an earlier one that only a judge can decide.

    Args:
        cluster: the cluster of all statements.
        statements: all statements.
        judge: gives the verdicts known so far; they may lead to new questions.
    """
    pairs: list[tuple[Statement, Statement]] = []

    def note(new: Statement, old: Statement) -> bool | None:
        verdict = None if judge is None else judge(new, old)
        if verdict is None:
            pairs.append((new, old))
        return verdict

    resolve_cluster(cluster, statements, note)
    return pairs


MOST_ASKED = 4
"""The most questions about one statement; beyond them the rules decide."""


def _ordered(statements: Iterable[Statement]) -> list[Statement]:
    """Return the statements in the order of time, within a message ends before beginnings; of several with the same key
    always the same one is chosen, in any order of arrival.
    """
    distinct: dict[UUID, Statement] = {}
    for each in statements:
        earlier = distinct.get(each.key)
        if earlier is None or (each.confidence, repr(each)) > (earlier.confidence, repr(earlier)):
            distinct[each.key] = each
    return sorted(distinct.values(), key=lambda each: (each.observed_at, not each.of_known, each.key))


class _Resolver:
    """Processes the statements of one cluster in the order of time, and collects their claims."""

    def __init__(self, judge: Judge | None) -> None:
        self.index = ClaimIndex()
        self._judge = judge
        self._asked = 0

    def take(self, statement: Statement) -> None:
        """Process the next statement."""
        self._asked = 0
        index = self.index
        if _is_history(statement):
            claim = index.same(statement, past=True)
            if claim is not None:
                index.join(claim, statement)
            else:
                index.add(statement, past=True)
            return
        claim = index.same(statement) or self._elaborated(statement)
        if claim is not None:
            index.join(claim, statement)
            return
        ended = self._denied(statement) if statement.negated else self._replaced(statement)
        if statement.of_known and not ended:
            return
        rivals = [] if statement.negated else index.open(statement.attribute, negated=False)
        claim = index.add(statement)
        for old in ended:
            self._end(old, claim)
        if is_functional(statement) and any(not old.additional and old.status == "active" for old in rivals):
            claim.additional = True

    def _elaborated(self, statement: Statement) -> Claim | None:
        """Return the open claim of a functional attribute with the same content in more or fewer words."""
        if statement.negated or not is_functional(statement):
            return None
        open_ones = self.index.open(statement.attribute, negated=False)
        return next((claim for claim in reversed(open_ones) if rules.is_same_claim(statement, claim)), None)

    def _replaced(self, statement: Statement) -> list[Claim]:
        """Return the claims that a positive statement ends."""
        index, attribute = self.index, statement.attribute
        ended: list[Claim] = []
        if is_functional(statement):
            open_ones = index.open(attribute, negated=False)
            ended += [old for old in open_ones if self._ends(statement, old, rules.on_other_value(statement, old))]
        else:
            asks = doubt_of(attribute) == "ask"
            near = index.alike(attribute, statement.value, negated=False) if asks else []
            if attribute not in ATTRIBUTES:  # unknown whether it has one value at a time
                near = list(dict.fromkeys([*near, *reversed(index.open(attribute, negated=False, most=MOST_ASKED))]))
            for claim in near:
                if self._ends(statement, claim, rules.on_detail(statement, claim)):
                    ended.append(claim)
        for claim in index.alike(attribute, statement.value, negated=True):
            if self._ends(statement, claim, rules.on_affirmation(statement, claim)):
                ended.append(claim)
        opposite = OPPOSITES.get(attribute)
        if opposite is not None:
            for claim in index.alike(opposite, statement.value, negated=False):
                if self._ends(statement, claim, rules.on_opposite(statement, claim)):
                    ended.append(claim)
        family = FAMILIES.get(attribute, attribute)
        relatives = {each for each, name in FAMILIES.items() if name == family} | {family}
        for claim in index.open_of(relatives - {attribute}, negated=False) if is_functional(statement) else ():
            if self._ends(statement, claim, rules.on_related_attribute(statement, claim)):
                ended.append(claim)
        return ended

    def _denied(self, statement: Statement) -> list[Claim]:
        """Return the claims that a negation ends."""
        attribute = statement.attribute
        claims: dict[int, Claim] = {}
        for each in sorted({attribute} | AKIN.get(attribute, frozenset[str]())):
            near = self.index.alike(each, statement.value, negated=False)
            claims.update({claim.number: claim for claim in (*near, *self._any(each, statement))})
        return [claim for claim in claims.values() if self._ends(statement, claim, rules.on_denial(statement, claim))]

    def _any(self, attribute: str, statement: Statement) -> list[Claim]:
        """Return the claims that share no word with a denial and may still be meant by it: "no pets", "the shop", "das
        Rauchen".
        """
        whole = attribute == statement.attribute and rules.names_anything(attribute, statement.value)
        other_form = attribute == "habit" or (statement.of_known and attribute == "possession")
        return self.index.open(attribute, negated=False) if whole or other_form or functional(attribute) else []

    def _ends(self, statement: Statement, claim: Claim, verdict: Verdict) -> bool:
        if verdict.asks and self._judge is not None and self._asked < MOST_ASKED:
            self._asked += 1
            decided = self._judge(statement, claim.value)
            return verdict.ends if decided is None else decided
        return verdict.ends

    def _end(self, old: Claim, claim: Claim) -> None:
        """End ``old`` by ``claim``. If ``old`` had not begun and is called off, the claims that it would have ended are
        reopened.
        """
        said = claim.statements[0]
        denial = claim.negated != old.negated or claim.attribute == OPPOSITES.get(old.attribute)
        old.status = "retracted" if denial else "superseded"
        old.ended = claim.began if claim.began >= old.began else said.observed_at
        old.ended_by = claim
        claim.ended_claims.append(old)
        self.index.close(old)
        if claim.negated and old.began > said.observed_at:
            old.past = True
            for former in old.ended_claims:
                self.index.reopen(former)
            old.ended_claims = []


def is_functional(statement: Statement) -> bool:
    """Return whether the attribute has one value at a time; a favourite is unique only among things of a named kind."""
    if statement.attribute == "favourite":
        return ":" in statement.value
    return functional(statement.attribute)


def _is_history(statement: Statement) -> bool:
    if statement.negated or not lasts(statement.attribute):
        return False
    over = statement.valid_to is not None and statement.valid_to <= statement.observed_at
    return over or (statement.valid_to is None and statement.attribute not in _TIMELESS and marks_past(statement))


_TIMELESS = frozenset({"origin", "birthday", "allergy", "child", "parent", "sibling", "plan", "goal"})
"""Attributes that still hold if they are stated about the past: "as a child I lived in …" names the origin. Plans have
their own dates.
"""


def _remove_overlaps(claims: Sequence[Claim]) -> None:
    """Limit the values of functional attributes to successive, non-overlapping times."""
    chains: defaultdict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        if functional(claim.attribute) and not (claim.negated or claim.additional or claim.past):
            chains[claim.attribute].append(claim)
    for chain in chains.values():
        for earlier, later in zip(reversed(chain[:-1]), reversed(chain[1:]), strict=True):
            if later.ended is not None and earlier.ended is not None:
                earlier.ended = min(earlier.ended, later.ended)
        for earlier, later in pairwise(chain):
            later.floor = earlier.ended


def _with_keys(cluster: ClusterKey, claims: Sequence[Claim]) -> list[Resolved]:
    seen: defaultdict[tuple[str, str, bool], int] = defaultdict(int)
    keys: dict[int, UUID] = {}
    for claim in claims:
        name = (normalized_value(claim.statements[0].value), claim.attribute, claim.negated)
        parts = (
            cluster.speaker,
            cluster.subject,
            cluster.family,
            cluster.of,
            name[0],
            name[1],
            "not" if name[2] else "",
        )
        keys[claim.number] = uuid5("fact", *parts, str(seen[name]))
        seen[name] += 1
    return [_resolved(cluster, claim, keys) for claim in claims]


_ORDER: Mapping[Sensitivity, int] = {"low": 0, "medium": 1, "high": 2}


def _resolved(cluster: ClusterKey, claim: Claim, keys: Mapping[int, UUID]) -> Resolved:
    latest = claim.value
    end = claim.ended if claim.ended is not None else claim.stated_end
    begins = claim.began if claim.floor is None else max(claim.began, claim.floor)
    ended = sorted(claim.ended_claims, key=lambda each: (each.statements[-1].observed_at, each.number), reverse=True)
    return Resolved(
        key=keys[claim.number],
        cluster=cluster,
        subject=latest.subject,
        attribute=claim.attribute,
        value=latest.value,
        content=latest.content,
        speaker=latest.speaker,
        negated=claim.negated,
        status="superseded" if claim.past and claim.ended_by is None else claim.status,
        valid_from=begins if end is None else min(begins, end),
        valid_to=end,
        observed_at=claim.statements[-1].observed_at,
        statements=tuple(claim.statements),
        supersedes=keys[ended[0].number] if ended else None,
        superseded_by=None if claim.ended_by is None else keys[claim.ended_by.number],
        importance=max(each.importance for each in claim.statements),
        sensitivity=max((each.sensitivity for each in claim.statements), key=lambda each: _ORDER[each]),
        confidence=max(each.confidence for each in claim.statements),
        retires=tuple(keys[each.number] for each in ended),
        beside=claim.additional,
        history=claim.past,
    )
