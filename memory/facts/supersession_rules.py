"""Decides whether a statement contradicts an earlier one: yes, no, or undecided (then a model is asked).

If in doubt, a rule keeps both facts: a reader notices a superfluous fact, but not one that was ended by mistake.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..extraction.attributes import ATTRIBUTES, doubt_of, functional
from ..extraction.statement import Statement
from ..text.analyzer import fold
from .change_markers import marks_addition, marks_change, marks_correction, marks_end, marks_temporary
from .claims import Claim
from .value_similarity import Relation, overlap
from .value_types import (
    are_exclusive,
    calls_off,
    compare_values,
    details_differ,
    elaborates,
    elaborates_from_front,
    is_kind_of,
    is_without_employer,
    kind_of,
    may_be_mistyped,
    may_be_same,
    names_anything,
    names_subject,
)

_SPOUSES = "husband|wife|hubby|spouse|ehemann|ehefrau|mann|frau|marido|esposo|esposa|mujer"
_CALLED_SPOUSE = (
    rf"(?<![^\W_])(?:my|our|the|mein|meine|mi) (?:{_SPOUSES}),? {{name}}(?![^\W_])"
    rf"|(?<![^\W_]){{name}}(?:['’]?s| is|,|:) (?:my|mein|meine|mi) (?:{_SPOUSES})(?![^\W_])"
)
"""Matches a phrase that calls a name a husband or a wife; for folded text, with ``{name}`` for the name."""
_MOVE = re.compile(
    r"(?<![^\W_])(?:mov(?:e|ing)|liv(?:e|ing)|relocat\w+|emigrat\w+|stud(?:y|ying)|zieh\w*|umzieh\w*|mud\w+|vivir)(?![^\W_])"
)
ALIKE = 0.5
"""The share of common terms from which on "likes" and "dislikes" may be about one thing."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision whether the earlier statement ends. ``asks``: a judge may know better, and this decision holds until
    then.
    """

    ends: bool
    asks: bool = False


KEEPS = Verdict(ends=False)
ENDS = Verdict(ends=True)
MAY_KEEP = Verdict(ends=False, asks=True)
MAY_END = Verdict(ends=True, asks=True)


_OF_A_KIND = frozenset({"possession", "occupation"})
"""Attributes whose values may later be named by their kind alone: a bookshop "the shop"."""


def is_same_claim(statement: Statement, claim: Claim) -> bool:
    """Return whether a statement of a functional attribute has the same content as the claim, perhaps with more or less
    detail.
    """
    relation = compare_values(claim.attribute, statement.value, claim.value.value)
    return relation == "same" or (
        relation in ("narrower", "wider")
        and not marks_correction(statement)
        and (elaborates(statement.value, claim.value.value) or not marks_change(statement))
    )


def on_other_value(statement: Statement, claim: Claim) -> Verdict:
    """Decide on another value of a functional attribute."""
    relation = compare_values(claim.attribute, statement.value, claim.value.value)
    doubt = doubt_of(claim.attribute)
    if doubt == "always":
        return ENDS
    if marks_correction(statement) and may_be_mistyped(statement.value, claim.value.value):
        return ENDS
    if marks_temporary(statement) or marks_addition(statement):
        return KEEPS
    if claim.additional:
        return MAY_KEEP
    if are_exclusive(claim.attribute, statement.value, claim.value.value) or marks_change(statement):
        return ENDS
    if relation == "other" and doubt == "supersede" and not may_be_same(statement.value, claim.value.value):
        return MAY_END
    return MAY_KEEP


def on_detail(statement: Statement, claim: Claim) -> Verdict:
    """Decide on another value of an attribute whose values coexist."""
    if doubt_of(claim.attribute) != "ask":
        return KEEPS
    if marks_addition(statement):
        return KEEPS
    if claim.attribute == "plan" and marks_change(statement) and calls_off(statement.value, claim.value.value):
        return ENDS
    if details_differ(statement.value, claim.value.value):
        return ENDS if marks_change(statement) else MAY_KEEP
    relation = compare_values(claim.attribute, statement.value, claim.value.value)
    if claim.attribute not in ATTRIBUTES and marks_change(statement):
        return MAY_KEEP
    return MAY_KEEP if relation == "near" else KEEPS


def on_denial(statement: Statement, claim: Claim) -> Verdict:
    """Decide on a negation of the claim or of something else."""
    if claim.attribute == statement.attribute and names_anything(statement.attribute, statement.value):
        return ENDS if functional(claim.attribute) or claim.attribute == "pet" else MAY_KEEP
    relation = _closest_relation(statement, claim)
    if statement.of_known:
        near = relation in ("same", "wider", "narrower") and (
            claim.attribute != "plan" or _may_be_over(statement, claim)
        )
        near = near or (claim.attribute in _OF_A_KIND and is_kind_of(statement.value, claim.value.value))
        return ENDS if near else KEEPS
    if relation == "same" or (
        claim.attribute == statement.attribute == "plan" and calls_off(statement.value, claim.value.value)
    ):
        return ENDS
    if claim.attribute == statement.attribute == "study" and names_subject(statement.value, claim.value.value):
        return ENDS
    if relation == "narrower" and marks_end(statement) and not _is_preference(claim):
        studies = claim.attribute == "study"
        return ENDS if studies or elaborates_from_front(statement.value, claim.value.value) else MAY_KEEP
    if relation == "wider":
        if functional(claim.attribute):
            return ENDS
        return ENDS if marks_end(statement) and not _is_preference(claim) else MAY_KEEP
    return KEEPS if relation == "other" else MAY_KEEP


def on_opposite(statement: Statement, claim: Claim) -> Verdict:
    """Decide on a liking after a dislike, or the reverse."""
    relation = _closest_relation(statement, claim)
    if relation == "same":
        return ENDS
    if relation == "near":
        return MAY_KEEP if overlap(statement.value, claim.value.value) >= ALIKE else KEEPS
    return KEEPS if relation == "other" else MAY_KEEP


def on_affirmation(statement: Statement, claim: Claim) -> Verdict:
    """Decide on an affirmation after a denial."""
    relation = _closest_relation(statement, claim)
    return ENDS if relation == "same" else KEEPS if relation == "other" else MAY_KEEP


def on_related_attribute(statement: Statement, claim: Claim) -> Verdict:
    """Decide on the value of a related attribute: a single person has no partner, a retired one no employer."""
    pair = (statement.attribute, claim.attribute)
    if pair == ("marital_status", "partner"):
        kind = kind_of("marital_status", statement.value)
        if kind in ("divorced", "widowed") and _is_spouse(claim):
            return ENDS
        return ENDS if kind == "single" else MAY_KEEP if kind in ("divorced", "separated", "widowed") else KEEPS
    if pair == ("partner", "marital_status"):
        return ENDS if kind_of("marital_status", claim.value.value) == "single" else KEEPS
    if pair == ("occupation", "employer"):
        return ENDS if is_without_employer(statement.value) else KEEPS
    if pair == ("employer", "occupation"):
        return MAY_END if is_without_employer(claim.value.value) else KEEPS
    return KEEPS


def _is_spouse(claim: Claim) -> bool:
    """Return whether a partner was called husband or wife: a divorced person no longer has one."""
    return any(
        re.search(_CALLED_SPOUSE.format(name=re.escape(fold(each.value))), fold(each.wording)) is not None
        for each in claim.statements[-8:]
    )


def _may_be_over(statement: Statement, claim: Claim) -> bool:
    """Return whether a returned person may have carried out a plan: it does not lie ahead, and is no move."""
    ahead = claim.stated_end is not None and claim.stated_end > statement.observed_at
    return not ahead and _MOVE.search(fold(claim.value.value)) is None


def _closest_relation(statement: Statement, claim: Claim) -> Relation:
    relations: list[Relation] = [
        compare_values(claim.attribute, statement.value, each.value) for each in claim.statements[-8:]
    ]
    return min(relations, key=_NEAREST.index)


_NEAREST: tuple[Relation, ...] = ("same", "wider", "narrower", "near", "other")


def _is_preference(claim: Claim) -> bool:
    return claim.attribute in ("likes", "dislikes", "belief")
