"""Who is one person: a function of the decisions that stand and of what the user is called. Pure.

Rule 1: what is merged is never written into a message; undoing a decision leaves exactly what the others give.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from ...schemas.keys import uuid5
from ..text.names import folded

Action = Literal["merge", "split", "undo"]
THE_USER = "person:user"
"""The person who owns the memory."""


def identity_key(source: str, name: str) -> UUID:
    """The key of a name in a source, in any spelling: all that a decision keeps of it."""
    return uuid5("identity", source, folded(name))


@dataclass(frozen=True, slots=True)
class Decision:
    """What the user decided, in the order of ``id``."""

    id: int
    action: Action
    at: datetime
    keys: tuple[UUID, ...] = ()
    """Of a merge: one identity of each person that became one. Of a split: those that stand by themselves again."""
    target: int | None = None
    """Of an undo: the decision that does not stand any more, which may be an undo itself."""


def standing(decisions: Sequence[Decision]) -> list[Decision]:
    """The merges and splits that no standing undo took back."""
    undone: set[int] = set()
    kept: list[Decision] = []
    for each in reversed(decisions):
        if each.id in undone:
            continue
        if each.action == "undo":
            undone |= set() if each.target is None else {each.target}
        else:
            kept.append(each)
    return kept[::-1]


def last_standing(decisions: Sequence[Decision]) -> Decision | None:
    """The latest decision that can be taken back without naming it: a merge or split that stands."""
    found = standing(decisions)
    return found[-1] if found else None


def persons(decisions: Iterable[Decision], own: Collection[UUID] = ()) -> dict[UUID, str]:
    """The person of each identity that is one of several, or the user's.

    Args:
        decisions: those that stand, in their order; see `standing`.
        own: identities of the user. They are one before anything is decided, so that a split can take one out.

    Returns:
        By key of an identity the person's label: of the smallest of its keys, or `THE_USER`.
    """
    group: dict[UUID, set[UUID]] = {}
    users, mine = set(own), set(own)
    group.update(dict.fromkeys(mine, mine))
    for each in decisions:
        if each.action == "merge":
            groups = [group.get(key) or {key} for key in each.keys]
            whole = set[UUID]().union(*groups)
            group.update(dict.fromkeys(whole, whole))
        elif each.action == "split":
            for key in each.keys:
                group.pop(key, set[UUID]()).discard(key)
                users.discard(key)  # until something merges it with the user again
    labels: dict[UUID, str] = {}
    for key, members in group.items():
        if not users.isdisjoint(members):
            labels[key] = THE_USER
        elif len(members) > 1:
            labels[key] = f"person:{min(members).hex}"
    return labels


def split_pairs(decisions: Iterable[Decision], labels: Mapping[UUID, str]) -> frozenset[UUID]:
    """Identities that the user took out of a person and that nothing merged again: nobody proposes them."""
    taken = {key for each in decisions if each.action == "split" for key in each.keys}
    return frozenset(taken - labels.keys())
