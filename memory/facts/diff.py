"""Compares two states of a fact and gives the reason for the difference. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from ...schemas import Fact
from ...schemas.fact import FactStatus, Sensitivity
from .clusters import Resolved

ActionKind = Literal["ADD", "UPDATE", "DELETE", "NONE"]
"""The kind of change, named as in Mem0. ADD: a fact is new; UPDATE: its content or validity changed; DELETE: it holds
no more; NONE: only its evidence changed.
"""


@dataclass(frozen=True, slots=True)
class FactState:
    """The fields of a fact's version that distinguish it from another."""

    value: str
    content: str
    negated: bool
    status: FactStatus
    valid_from: datetime | None
    valid_to: datetime | None
    superseded_by: UUID | None
    retires: tuple[UUID, ...]
    beside: bool
    history: bool
    importance: int
    sensitivity: Sensitivity
    evidence: tuple[object, ...]
    """The evidence of the fact."""


def fact_state(fact: Resolved | Fact) -> FactState:
    """Return the state of a resolved or stored fact."""
    return FactState(
        value=fact.value,
        content=fact.content,
        negated=fact.negated,
        status=fact.status,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        superseded_by=fact.superseded_by,
        retires=fact.retires,
        beside=fact.beside,
        history=fact.history,
        importance=fact.importance,
        sensitivity=fact.sensitivity,
        evidence=fact.statements if isinstance(fact, Resolved) else fact.evidence,
    )


Lookup = Callable[[UUID], FactState | None]


def change_of(old: FactState | None, new: FactState | None, present: Lookup) -> tuple[ActionKind, str]:
    """Return the kind of change of a fact, with a short reason.

    Args:
        old: the previous state; None if the fact is new.
        new: the current state; None if nothing supports the fact any more.
        present: looks up the current state of other facts.
    """
    if new is None:
        return "DELETE", "no statement supports it any more"
    if old is None:
        return "ADD", _reason_for_new(new, present)
    if new.status != old.status:
        if new.status == "active":
            return "UPDATE", "holds again"
        return ("DELETE" if new.status == "retracted" else "UPDATE"), _reason_for_end(new, present)
    if new.superseded_by != old.superseded_by and new.superseded_by is not None:
        return "UPDATE", _reason_for_end(new, present)
    if replace(new, evidence=()) != replace(old, evidence=()):
        return "UPDATE", _reason_for_change(old, new)
    return "NONE", _reason_for_new_evidence(old, new)


def _reason_for_new_evidence(old: FactState, new: FactState) -> str:
    if new.evidence != old.evidence:
        more = len(new.evidence) - len(old.evidence)
        return "repeated" if more > 0 else "rests on fewer statements" if more < 0 else "rests on other statements"
    return "context: the facts it is linked with changed"  # a version recorded by stores before format 5


def _reason_for_new(new: FactState, present: Lookup) -> str:
    if new.status != "active":
        return _reason_for_end(new, present)
    if not new.retires:
        return "new, beside another value" if new.beside else "new"
    ended = [each for key in new.retires if (each := present(key)) is not None]
    verb = "retracts" if any(each.status == "retracted" for each in ended) else "supersedes"
    return f"{verb} {_quoted_values(ended)}" if ended else "new"


def _reason_for_end(new: FactState, present: Lookup) -> str:
    if new.superseded_by is None:
        return "was over when it was said"
    by = present(new.superseded_by)
    verb = "retracted by" if new.status == "retracted" else "superseded by"
    return f"{verb} {_quoted_values([by])}" if by is not None else f"{verb} {new.superseded_by}"


def _quoted_values(facts: Iterable[FactState]) -> str:
    return ", ".join(f"{'not ' if fact.negated else ''}“{fact.value}”" for fact in facts)


def _reason_for_change(old: FactState, new: FactState) -> str:
    changes = [
        (old.value != new.value, f"now reads “{new.value}”"),
        (old.content != new.content and old.value == new.value, "other words"),
        (old.valid_from != new.valid_from, f"holds since {_day(new.valid_from)}"),
        (
            old.valid_to != new.valid_to,
            "has no end" if new.valid_to is None else f"holds until {_day(new.valid_to)}",
        ),
        (old.retires != new.retires, "ends other facts"),
        (old.importance != new.importance or old.sensitivity != new.sensitivity, "weighs otherwise"),
    ]
    return ", ".join(text for changed, text in changes if changed) or "told otherwise"


def _day(time: datetime | None) -> str:
    return "an unknown day" if time is None else time.date().isoformat()
