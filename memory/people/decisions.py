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
from .forest import Forest

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
    undone = undone_numbers([(each.id, each.target) for each in decisions])
    return [each for each in decisions if each.action != "undo" and each.id not in undone]


def undone_numbers(decisions: Sequence[tuple[int, int | None]]) -> set[int]:
    """Of these, by number and target in their order, those that a standing undo took back."""
    undone: set[int] = set()
    for number, target in reversed(decisions):
        if target is not None and number not in undone:
            undone.add(target)
    return undone


def persons(decisions: Iterable[Decision], own: Collection[UUID] = ()) -> dict[UUID, str]:
    """The person of each identity that is one of several, or the user's; see `labels_by_key`."""
    steps: list[tuple[Action, Sequence[bytes]]] = [
        (each.action, [key.bytes for key in each.keys]) for each in decisions
    ]
    return {UUID(bytes=key): label for key, label in labels_by_key(steps, [key.bytes for key in own]).items()}


def labels_by_key(steps: Iterable[tuple[Action, Sequence[bytes]]], own: Collection[bytes] = ()) -> dict[bytes, str]:
    """The person of each identity that is one of several, or the user's.

    A step costs the same however many names are one person.

    Args:
        steps: merges and splits that stand, in their order, with the bytes of the keys; see `standing`.
        own: identities of the user. They are one before anything is decided, so that a split can take one out.

    Returns:
        By key of an identity the person's label: of the smallest of its keys, or `THE_USER`.
    """
    users, forest = set(own), Forest()
    forest.join(list(users))
    for action, keys in steps:
        if action == "merge":
            forest.join(keys)
        else:
            forest.part(keys)
            users.difference_update(keys)  # until something merges them with the user again
    return labels_of(forest, users)


def labels_of(forest: Forest, users: Collection[bytes]) -> dict[bytes, str]:
    """The labels of groups, some keys in which are the user's."""
    labels: dict[bytes, str] = {}
    own = set(users)
    for some in forest.groups():
        if not own.isdisjoint(some):
            labels |= dict.fromkeys(some, THE_USER)
        elif len(some) > 1:
            labels |= dict.fromkeys(some, f"person:{min(some).hex()}")
    return labels


def split_pairs(decisions: Iterable[Decision], labels: Mapping[UUID, str]) -> frozenset[UUID]:
    """Identities that the user took out of a person and that nothing merged again: nobody proposes them."""
    taken = {key for each in decisions if each.action == "split" for key in each.keys}
    return frozenset(taken - labels.keys())
