"""What a run did to the facts of a memory: the difference of two states, fact by fact, with the reason. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from .resolve import Resolved

ActionKind = Literal["ADD", "UPDATE", "DELETE", "NONE"]
"""As Mem0 names them: a fact is new; it says or holds otherwise now; it holds no more; it only gained or lost evidence."""


@dataclass(frozen=True, slots=True)
class Action:
    """What became of one fact. ``before`` is None for a new one, ``after`` for one that nothing supports any more."""

    kind: ActionKind
    key: UUID
    reason: str
    before: Resolved | None
    after: Resolved | None

    @property
    def undone(self) -> Action:
        """What takes it back."""
        return _action(self.after, self.before, {} if self.before is None else {self.before.key: self.before})


def difference(before: Iterable[Resolved], after: Iterable[Resolved]) -> list[Action]:
    """The actions that lead from one state to the other, in the order in which facts were last said; untouched ones are
    left out.
    """
    old = {fact.key: fact for fact in before}
    new = {fact.key: fact for fact in after}
    keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    actions = [_action(old.get(key), new.get(key), new) for key in keys]
    return sorted(actions, key=_order)


def applied(before: Iterable[Resolved], actions: Iterable[Action]) -> list[Resolved]:
    """The state after some actions, by key."""
    state = {fact.key: fact for fact in before}
    for action in actions:
        if action.after is None:
            state.pop(action.key, None)
        else:
            state[action.key] = action.after
    return [state[key] for key in sorted(state)]


def _action(old: Resolved | None, new: Resolved | None, present: Mapping[UUID, Resolved]) -> Action:
    kind, reason = _told(old, new, present)
    some = new if new is not None else old
    assert some is not None
    return Action(kind, some.key, reason, old, new)


def _told(old: Resolved | None, new: Resolved | None, present: Mapping[UUID, Resolved]) -> tuple[ActionKind, str]:
    if new is None:
        return "DELETE", "no statement supports it any more"
    if old is None:
        return "ADD", _newly(new, present)
    if new.status != old.status:
        if new.status == "active":
            return "UPDATE", "holds again"
        return ("DELETE" if new.status == "retracted" else "UPDATE"), _ended(new, present)
    if new.superseded_by != old.superseded_by and new.superseded_by is not None:
        return "UPDATE", _ended(new, present)
    if replace(new, statements=(), observed_at=old.observed_at, confidence=old.confidence) == replace(
        old, statements=(), confidence=old.confidence
    ):
        more = len(new.statements) - len(old.statements)
        return (
            "NONE",
            "repeated" if more > 0 else "rests on fewer statements" if more < 0 else "rests on other statements",
        )
    return "UPDATE", _changes(old, new)


def _newly(new: Resolved, present: Mapping[UUID, Resolved]) -> str:
    if new.status != "active":
        return _ended(new, present)
    if not new.retires:
        return "new, beside another value" if new.beside else "new"
    ended = [present[key] for key in new.retires if key in present]
    verb = "retracts" if any(each.status == "retracted" for each in ended) else "supersedes"
    return f"{verb} {_values(ended)}" if ended else "new"


def _ended(new: Resolved, present: Mapping[UUID, Resolved]) -> str:
    if new.superseded_by is None:
        return "was over when it was said"
    by = present.get(new.superseded_by)
    verb = "retracted by" if new.status == "retracted" else "superseded by"
    return f"{verb} {_values([by])}" if by is not None else f"{verb} {new.superseded_by}"


def _values(facts: Iterable[Resolved]) -> str:
    return ", ".join(f"{'not ' if fact.negated else ''}“{fact.value}”" for fact in facts)


def _changes(old: Resolved, new: Resolved) -> str:
    told = [
        (old.value != new.value, f"now reads “{new.value}”"),
        (old.content != new.content and old.value == new.value, "other words"),
        (old.valid_from != new.valid_from, f"holds since {new.valid_from.date().isoformat()}"),
        (old.valid_to != new.valid_to, _until(new)),
        (old.retires != new.retires, "ends other facts"),
        (old.importance != new.importance or old.sensitivity != new.sensitivity, "weighs otherwise"),
    ]
    return ", ".join(text for changed, text in told if changed) or "told otherwise"


def _until(new: Resolved) -> str:
    return "has no end" if new.valid_to is None else f"holds until {new.valid_to.date().isoformat()}"


def _order(action: Action) -> tuple[str, UUID]:
    some = action.after if action.after is not None else action.before
    return ("" if some is None else some.observed_at.isoformat(), action.key)
