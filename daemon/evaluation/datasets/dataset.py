"""The nouns of an evaluation: a data set is a series of scopes, each a memory of its own with its questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import orjson

from ....schemas import Document
from ....schemas.errors import SourceError

Raw = Mapping[str, Any]
"""An object of a file, as JSON has it."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what its data set says about it."""

    id: str
    text: str
    category: str
    """The name of its kind, never its number."""
    evidence: frozenset[str] = frozenset()
    """The ids that answer it: of messages, of documents, or the readable ids of pieces (``path#chunk_2``)."""
    quotes: tuple[str, ...] = ()
    """Words that the text of a hit must hold; evidence that no cutting of texts changes."""
    answer: str = ""
    """The answer of the data set. No prompt ever holds it."""
    unanswerable: bool = False
    """True if the right answer is that it is not in memory."""
    alone: bool = False
    """True if nothing else than the evidence may come back (PrecisionMemBench)."""
    forbidden: frozenset[str] = frozenset()
    """Ids that must not come back."""
    ignored: frozenset[str] = frozenset()
    """Ids that count neither way."""
    companions: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Ids of documents that come back with another one."""
    chats: tuple[str, ...] = ()
    """Titles of the chats that are asked; empty: all."""
    tags: tuple[str, ...] = ()
    """Labels of the documents that are asked; empty: all."""
    asked_at: datetime | None = None
    """The time that "last week" refers to; None: now."""
    group: str = ""
    """A part of the data set that has figures of its own, such as a half."""

    @property
    def wanted(self) -> int:
        """Return the number of pieces of evidence."""
        return len(self.evidence) + len(self.quotes)


@dataclass(frozen=True, slots=True)
class Scope:
    """Documents that are stored together in a fresh memory, and the questions to it."""

    name: str
    batches: Sequence[Sequence[Document]]
    """Documents that are stored one batch after the other, as several imports would."""
    questions: Sequence[Question]
    repeats: bool = False
    """True if other scopes have the same questions: they count once in totals."""

    @property
    def documents(self) -> Iterator[Document]:
        """Yield the documents of all batches."""
        for batch in self.batches:
            yield from batch


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set on disk. ``scopes`` reads its files anew at each call, one after the other."""

    name: str
    form: str
    files: Sequence[Path]
    scopes: Callable[[], Iterator[Scope]]
    hits: int = 50
    """The number of hits that each question asks for."""
    left_out: dict[str, int] = field(default_factory=dict[str, int])
    """Counts of what a reader could not use, by reason; complete when the scopes have been read."""

    def leave_out(self, reason: str) -> None:
        """Count something that is left out."""
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


def json_of(path: Path) -> Any:  # noqa: ANN401 - as JSON has it
    """Return the content of a JSON file, or of a file of JSON lines as a list.

    Raises:
        SourceError: it cannot be read, or is no JSON.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error
    try:
        if path.suffix == ".jsonl":
            return [orjson.loads(line) for line in content.splitlines() if line.strip()]
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise SourceError(f"{path} is no JSON: {error}", hint="--format names another form") from error


def objects_of(path: Path) -> list[Raw]:
    """Return the objects of a file that holds one or a list of them.

    Raises:
        SourceError: as `json_of`, or it holds something else.
    """
    content: object = json_of(path)
    items = cast("list[object]", content) if isinstance(content, list) else [content]
    if not all(isinstance(item, dict) for item in items):
        raise SourceError(f"{path} holds no object, nor a list of objects")
    return cast("list[Raw]", items)


def text_of(value: object) -> str:
    """Return a value of a file as text: some answers are numbers, some lists."""
    if isinstance(value, list):
        return ", ".join(map(text_of, cast("list[object]", value)))
    return "" if value is None else str(value).strip()
