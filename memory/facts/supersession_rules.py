"""Whether a statement ends what an earlier one said: surely, surely not, or only somebody who understands them can tell.

The rules lean to keeping: a fact too many is corrected by whoever reads it, a fact retired by mistake is missed by nobody.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..extraction.attributes import ATTRIBUTES, doubt_of, functional
from ..extraction.statement import Statement
from .change_markers import beside, changed, ended, passing
from .claims import ClaimGroup
from .value_similarity import Relation, overlap
from .value_types import any_of, compare, details_differ, elaborates, exclusive, idle, kind_of, perhaps_one

ALIKE = 0.5
"""Share of common terms from which "likes" and "dislikes" may speak of one thing."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether it ends the earlier one; ``asks``: a better answer may be had, and this one holds until then."""

    ends: bool
    asks: bool = False


KEEPS = Verdict(ends=False)
ENDS = Verdict(ends=True)
MAY_KEEP = Verdict(ends=False, asks=True)
MAY_END = Verdict(ends=True, asks=True)


def one_thing(statement: Statement, run: ClaimGroup) -> bool:
    """Whether a statement of a functional attribute says what the run says, perhaps more or less of it."""
    told = compare(run.attribute, statement.value, run.value.value)
    return told == "same" or (
        told in ("narrower", "wider") and (elaborates(statement.value, run.value.value) or not changed(statement))
    )


def on_value(statement: Statement, run: ClaimGroup) -> Verdict:
    """Another value of a functional attribute."""
    told = compare(run.attribute, statement.value, run.value.value)
    doubt = doubt_of(run.attribute)
    if doubt == "always":
        return ENDS
    if passing(statement) or beside(statement):
        return KEEPS
    if run.beside:
        return MAY_KEEP
    if exclusive(run.attribute, statement.value, run.value.value) or changed(statement):
        return ENDS
    if told == "other" and doubt == "supersede" and not perhaps_one(statement.value, run.value.value):
        return MAY_END
    return MAY_KEEP


def on_detail(statement: Statement, run: ClaimGroup) -> Verdict:
    """Another value of an attribute whose values coexist."""
    if doubt_of(run.attribute) != "ask":
        return KEEPS
    if beside(statement):
        return KEEPS
    if details_differ(statement.value, run.value.value):
        return ENDS if changed(statement) else MAY_KEEP
    told = compare(run.attribute, statement.value, run.value.value)
    if run.attribute not in ATTRIBUTES and changed(statement):
        return MAY_KEEP
    return MAY_KEEP if told == "near" else KEEPS


def on_denial(statement: Statement, run: ClaimGroup) -> Verdict:
    """A negation, of what the run says or of something else."""
    if run.attribute == statement.attribute and any_of(statement.attribute, statement.value):
        return ENDS if functional(run.attribute) or run.attribute == "pet" else MAY_KEEP
    told = _related(statement, run)
    if told == "same":
        return ENDS
    if told == "wider":
        if functional(run.attribute):
            return ENDS
        return ENDS if ended(statement) and not _taste(run) else MAY_KEEP
    return KEEPS if told == "other" else MAY_KEEP


def on_opposite(statement: Statement, run: ClaimGroup) -> Verdict:
    """What is liked was disliked, or the other way round."""
    told = _related(statement, run)
    if told == "same":
        return ENDS
    if told == "near":
        return MAY_KEEP if overlap(statement.value, run.value.value) >= ALIKE else KEEPS
    return KEEPS if told == "other" else MAY_KEEP


def on_affirmation(statement: Statement, run: ClaimGroup) -> Verdict:
    """It is so, after it was said not to be so."""
    told = _related(statement, run)
    return ENDS if told == "same" else KEEPS if told == "other" else MAY_KEEP


def across(statement: Statement, run: ClaimGroup) -> Verdict:
    """A value that bears on another attribute: who is single has no partner, who is retired no employer."""
    pair = (statement.attribute, run.attribute)
    if pair == ("marital_status", "partner"):
        kind = kind_of("marital_status", statement.value)
        return ENDS if kind == "single" else MAY_KEEP if kind in ("divorced", "separated", "widowed") else KEEPS
    if pair == ("partner", "marital_status"):
        return ENDS if kind_of("marital_status", run.value.value) == "single" else KEEPS
    if pair == ("occupation", "employer"):
        return ENDS if idle(statement.value) else KEEPS
    if pair == ("employer", "occupation"):
        return MAY_END if idle(run.value.value) else KEEPS
    return KEEPS


def _related(statement: Statement, run: ClaimGroup) -> Relation:
    told: list[Relation] = [compare(run.attribute, statement.value, each.value) for each in run.statements[-8:]]
    return min(told, key=_NEAREST.index)


_NEAREST: tuple[Relation, ...] = ("same", "wider", "narrower", "near", "other")


def _taste(run: ClaimGroup) -> bool:
    return run.attribute in ("likes", "dislikes", "belief")
