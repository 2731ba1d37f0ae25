"""The difference of two states of facts as actions, for tests of the kinds and reasons of changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from memd.memory.facts.clusters import Resolved
from memd.memory.facts.diff import ActionKind, change_of, fact_state


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
    kind, reason = change_of(
        None if old is None else fact_state(old),
        None if new is None else fact_state(new),
        lambda key: fact_state(present[key]) if key in present else None,
    )
    some = new if new is not None else old
    assert some is not None
    return Action(kind, some.key, reason, old, new)


def _order(action: Action) -> tuple[str, UUID]:
    some = action.after if action.after is not None else action.before
    return ("" if some is None else some.observed_at.isoformat(), action.key)
