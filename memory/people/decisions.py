"""Computes persons from the standing decisions and the user's names. Pure.

Rule 1: a merge is never written into a message; undoing a decision restores exactly the result of the others.
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
"""The label of the person who owns the memory."""


def identity_key(source: str, name: str) -> UUID:
    """Return the key of a name in a source, in any spelling; decisions store nothing else of it."""
    return uuid5("identity", source, folded(name))


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of the user; ``id`` gives the order."""

    id: int
    action: Action
    at: datetime
    keys: tuple[UUID, ...] = ()
    """For a merge: one identity of each merged person. For a split: the identities that are separated again."""
    target: int | None = None
    """For an undo: the decision that it takes back, which may be an undo itself."""


def standing(decisions: Sequence[Decision]) -> list[Decision]:
    """Return the merges and splits that no standing undo takes back."""
    undone = undone_numbers([(each.id, each.target) for each in decisions])
    return [each for each in decisions if each.action != "undo" and each.id not in undone]


def undone_numbers(decisions: Sequence[tuple[int, int | None]]) -> set[int]:
    """Return the numbers of decisions, given with their targets in order, that a standing undo takes back."""
    undone: set[int] = set()
    for number, target in reversed(decisions):
        if target is not None and number not in undone:
            undone.add(target)
    return undone


def persons(decisions: Iterable[Decision], users: Collection[UUID] = ()) -> dict[UUID, str]:
    """Return the person of each identity that is merged with others or the user's; see `labels_by_key`."""
    steps: list[tuple[Action, Sequence[bytes]]] = [
        (each.action, [key.bytes for key in each.keys]) for each in decisions
    ]
    return {UUID(bytes=key): label for key, label in labels_by_key(steps, [key.bytes for key in users]).items()}


def labels_by_key(
    steps: Iterable[tuple[Action, Sequence[bytes]]], user_keys: Collection[bytes] = ()
) -> dict[bytes, str]:
    """Return the person of each identity that is merged with others or the user's. The cost of a step does not depend
    on the number of names.

    Args:
        steps: standing merges and splits in order, with the bytes of the keys; see `standing`.
        user_keys: identities of the user. They are merged before any decision, so that a split can separate one.

    Returns:
        The person's label by identity key: derived from the smallest of its keys, or `THE_USER`.
    """
    users, forest = set(user_keys), Forest()
    forest.join(list(users))
    for action, keys in steps:
        if action == "merge":
            forest.join(keys)
        else:
            forest.part(keys)
            users.difference_update(keys)  # until a later step merges them with the user again
    return labels_of(forest, users)


def labels_of(forest: Forest, users: Collection[bytes]) -> dict[bytes, str]:
    """Return the labels of the groups in a forest; groups with a key in ``users`` get the user's."""
    labels: dict[bytes, str] = {}
    user_labels = set(users)
    for some in forest.groups():
        if not user_labels.isdisjoint(some):
            labels |= dict.fromkeys(some, THE_USER)
        elif len(some) > 1:
            labels |= dict.fromkeys(some, f"person:{min(some).hex()}")
    return labels


def split_pairs(decisions: Iterable[Decision], labels: Mapping[UUID, str]) -> frozenset[UUID]:
    """Return the identities that the user separated and that no decision merged again: they are never proposed."""
    taken = {key for each in decisions if each.action == "split" for key in each.keys}
    return frozenset(taken - labels.keys())
