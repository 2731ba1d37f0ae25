"""Plain messages that follow each other, field by field: a list for each field costs less than a dict for each message, and
there are millions. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any


@dataclass(slots=True)
class MessageColumns:
    """Messages that have the same fields and nothing else, in their order. Their times have one offset."""

    columns: dict[str, list[Any]]
    """A list for each field, ``speaker``, ``content`` and ``time`` among them."""
    same: Mapping[str, Any]
    """The fields in which they do not differ."""

    def __len__(self) -> int:
        return len(self.columns["time"])

    @property
    def times(self) -> list[datetime]:
        """The time of each."""
        return self.columns["time"]

    def part(self, begin: int, end: int) -> MessageColumns:
        """The messages between two places."""
        return MessageColumns({name: column[begin:end] for name, column in self.columns.items()}, self.same)

    def turn(self) -> None:
        """Turn their order around."""
        for column in self.columns.values():
            column.reverse()

    def joins(self, other: MessageColumns) -> bool:
        """Whether others have the same fields, so that `put` may take them."""
        return other.same == self.same and other.columns.keys() == self.columns.keys()

    def put(self, at: int, other: MessageColumns) -> None:
        """Put messages of the same fields at a place."""
        for name, column in self.columns.items():
            column[at:at] = other.columns[name]

    def messages(self) -> list[dict[str, Any]]:
        """Each as a dict."""
        names, same = self.columns.keys(), self.same
        return [{**dict(zip(names, row, strict=True)), **same} for row in zip(*self.columns.values(), strict=True)]


def joined(runs: Sequence[MessageColumns]) -> MessageColumns:
    """Messages of several, one after the other, which have the same fields."""
    first = runs[0]
    columns = {name: [*chain.from_iterable(run.columns[name] for run in runs)] for name in first.columns}
    return MessageColumns(columns, first.same)


def speakers_of(items: Iterable[Mapping[str, Any] | MessageColumns]) -> list[str]:
    """The speaker of each message, of which some are given by columns."""
    found: list[str] = []
    for item in items:
        found += item.columns["speaker"] if isinstance(item, MessageColumns) else (item["speaker"],)
    return found


def as_messages(items: Sequence[dict[str, Any] | MessageColumns]) -> list[dict[str, Any]]:
    """Messages of which some are given by columns, each as a dict."""
    found: list[dict[str, Any]] = []
    for item in items:
        found += item.messages() if isinstance(item, MessageColumns) else (item,)
    return found
