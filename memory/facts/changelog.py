"""The change behind each version of a fact: added, changed, ended or repeated, with a reason. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from ..records import StoredFact
from .diff import ActionKind, FactState, change_of, fact_state


@dataclass(frozen=True, slots=True)
class FactChange:
    """A version of a fact, or the end of its last one, with the reason."""

    stored: StoredFact
    kind: ActionKind
    reason: str
    ended: bool = False
    """True if nothing supports the fact any more: this version was the last."""


def fact_changes(
    before: Mapping[UUID, StoredFact], after: Iterable[StoredFact], gone: Iterable[UUID] = ()
) -> list[FactChange]:
    """Return the change of each fact.

    Args:
        before: the versions before the change; facts missing here are new.
        after: the new versions.
        gone: facts without a new version.
    """
    listed = list(after)
    state = {**before, **{each.fact.id: each for each in listed}}
    changes = [_change_of(before.get(each.fact.id), each, state) for each in listed]
    changes += [
        FactChange(before[key], *change_of(fact_state(before[key].fact), None, _none), ended=True)
        for key in gone
        if key in before
    ]
    return changes


def version_changes(versions: Sequence[StoredFact]) -> list[FactChange]:
    """Return the change between each version and the previous one of the same fact, in the order of recording; the end
    of a fact is listed at its time.
    """
    latest: dict[UUID, StoredFact] = {}
    for each in versions:
        latest[each.fact.id] = each
    before: dict[UUID, StoredFact] = {}
    changes: list[FactChange] = []
    for each in versions:
        old = before.get(each.fact.id)
        if old is not None and old.replaced_at != each.fact.recorded_at:
            old = None  # the fact had ended, and was added again
        changes.append(_change_of(old, each, latest))
        before[each.fact.id] = each
    starts = {(each.fact.id, each.fact.recorded_at) for each in versions}
    changes += [
        FactChange(each, *change_of(fact_state(each.fact), None, _none), ended=True)
        for each in versions
        if each.replaced_at is not None and (each.fact.id, each.replaced_at) not in starts
    ]
    return sorted(changes, key=_when)


def _when(each: FactChange) -> tuple[float, bool]:
    at = each.stored.replaced_at if each.ended and each.stored.replaced_at else each.stored.fact.recorded_at
    return at.timestamp(), each.ended


def _change_of(old: StoredFact | None, new: StoredFact, state: Mapping[UUID, StoredFact]) -> FactChange:
    def present(key: UUID) -> FactState | None:
        return fact_state(state[key].fact) if key in state else None

    return FactChange(new, *change_of(None if old is None else fact_state(old.fact), fact_state(new.fact), present))


def _none(_: UUID) -> None:
    return None
