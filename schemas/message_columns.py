"""Columns of consecutive plain messages: a list per field costs less than a dict per message, for millions of messages.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any


@dataclass(slots=True)
class MessageColumns:
    """Consecutive messages with exactly the same fields. Their times have one offset."""

    columns: dict[str, list[Any]]
    """A list for each field, including ``speaker``, ``content`` and ``time``."""
    same: Mapping[str, Any]
    """The fields with equal values in all messages."""

    def __len__(self) -> int:
        return len(self.columns["time"])

    @property
    def times(self) -> list[datetime]:
        """Return the time of each message."""
        return self.columns["time"]

    def part(self, begin: int, end: int) -> MessageColumns:
        """Return the messages between two indexes."""
        return MessageColumns({name: column[begin:end] for name, column in self.columns.items()}, self.same)

    def turn(self) -> None:
        """Reverse the order of the messages."""
        for column in self.columns.values():
            column.reverse()

    def joins(self, other: MessageColumns) -> bool:
        """Return whether other messages have the same fields, so that `put` accepts them."""
        return other.same == self.same and other.columns.keys() == self.columns.keys()

    def put(self, at: int, other: MessageColumns) -> None:
        """Insert messages with the same fields at an index."""
        for name, column in self.columns.items():
            column[at:at] = other.columns[name]

    def messages(self) -> list[dict[str, Any]]:
        """Return each message as a dict."""
        names, same = self.columns.keys(), self.same
        return [{**dict(zip(names, row, strict=True)), **same} for row in zip(*self.columns.values(), strict=True)]


def joined(runs: Sequence[MessageColumns]) -> MessageColumns:
    """Return the messages of several runs with the same fields, one after the other."""
    first = runs[0]
    columns = {name: [*chain.from_iterable(run.columns[name] for run in runs)] for name in first.columns}
    return MessageColumns(columns, first.same)


def speakers_of(items: Iterable[Mapping[str, Any] | MessageColumns]) -> list[str]:
    """Return the speaker of each message; some messages are given by columns."""
    found: list[str] = []
    for item in items:
        found += item.columns["speaker"] if isinstance(item, MessageColumns) else (item["speaker"],)
    return found


def as_messages(items: Sequence[dict[str, Any] | MessageColumns]) -> list[dict[str, Any]]:
    """Return each message as a dict; some messages are given by columns."""
    found: list[dict[str, Any]] = []
    for item in items:
        found += item.messages() if isinstance(item, MessageColumns) else (item,)
    return found
