"""Plain messages that follow each other are read together, and each of the others by itself. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import compress, count, pairwise
from operator import not_
from typing import Any, TypeVar

from ..record_faults import Failure, attempt

T = TypeVar("T")
Raw = dict[str, Any]

FEW = 4
"""The number of messages up to which they are read one by one, which takes no longer for so few."""


def read_in_runs(
    raws: Sequence[Raw], others: Iterable[int], together: Callable[[Sequence[Raw]], list[T]], alone: Callable[[Raw], T]
) -> list[T]:
    """Return the results of reading the messages, in their order.

    Args:
        raws: the messages.
        others: the places of those that are not plain.
        together: reads plain messages that follow each other.
        alone: reads any message.
    """
    results: list[T] = []
    for begin, end in pairwise([-1, *others, len(raws)]):
        results += together_or_alone(raws[begin + 1 : end], together, alone)
        results += map(alone, raws[end : end + 1])
    return results


def together_or_alone(
    raws: Sequence[Raw], together: Callable[[Sequence[Raw]], list[T]], alone: Callable[[Raw], T]
) -> list[T]:
    """Read plain messages together; if that fails unexpectedly, read each alone, so that only the faulty one is
    reported.
    """
    results = attempt(together, raws)
    return [*map(alone, raws)] if isinstance(results, Failure) else results


def places_with_other_keys(raws: Collection[Raw], plain: frozenset[str]) -> Iterable[int]:
    """Return the indexes of the objects that have keys which plain messages do not have."""
    return compress(count(), map(not_, map(plain.issuperset, raws)))
