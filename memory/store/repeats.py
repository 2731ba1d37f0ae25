"""Runs that brought documents in a form that is known already: a row for each run, not for each document.

Exports grow, and are imported again: of two thousand days of a chat one changes, the others come as they were. A row of
``repeats`` says that a run brought each document of a set in the form which it had ``back`` forms before the latest one; only
rows of ``inputs`` with smaller numbers count as forms. Later forms have larger numbers, so that a row stays right for ever.
"""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson

from .errors import decoding

TABLES = """
CREATE TABLE repeats (
    number INTEGER PRIMARY KEY, run TEXT NOT NULL, back INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    documents BLOB NOT NULL
);
CREATE INDEX repeats_by_run ON repeats (run, back);
"""
"""``documents``: row ids between ``first`` and ``last``, as lengths of a gap and a span in turn, in compressed JSON."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """Documents that a run brought in a known form."""

    number: int
    run: str
    back: int
    """0: their latest form."""
    documents: Sequence[range]
    """Row ids, ascending."""

    def among(self, documents: Sequence[int]) -> Iterator[int]:
        """Those of these row ids, ascending, that it names."""
        for span in self.documents:
            yield from documents[bisect_left(documents, span.start) : bisect_left(documents, span.stop)]


def last_number(connection: sqlite3.Connection) -> int:
    """The largest number; a new form of a document gets a larger one."""
    (number,) = connection.execute("SELECT coalesce(max(number), 0) FROM repeats").fetchone()
    return int(number)


def of_run(connection: sqlite3.Connection, run: str) -> list[Repeat]:
    """The rows of a run."""
    return list(_read(connection, "run = ?", run))


def of_documents(connection: sqlite3.Connection, documents: Sequence[int]) -> Iterator[Repeat]:
    """The rows that may name one of these row ids, ascending; by number."""
    if documents:
        yield from _read(connection, "last >= ? AND first <= ?", documents[0], documents[-1])


def put(connection: sqlite3.Connection, run: str, back: int, forms: Mapping[int, int]) -> None:
    """Note that a run brought documents in a known form; with what it brought before, where their order stays told.

    Args:
        connection: in whose transaction.
        run: its id.
        back: how many forms of each came after that one.
        forms: by row id of a document, the number of its latest form.
    """
    rest = dict(forms)
    newest = list(
        _read(connection, "number >= (SELECT max(number) FROM repeats WHERE run = ? AND back = ?)", run, back)
    )
    if newest:
        joinable = sorted(document for document, form in forms.items() if form < newest[0].number)
        for later in newest[1:]:
            named = set(later.among(joinable))
            joinable = [document for document in joinable if document not in named]
        spans = _joined([*newest[0].documents, *(range(each, each + 1) for each in joinable)])
        _put_spans(connection, newest[0].number, spans)
        for document in joinable:
            del rest[document]
    if rest:
        number = max(last_number(connection), *rest.values()) + 1
        spans = _joined(range(each, each + 1) for each in rest)
        connection.execute("INSERT INTO repeats VALUES (?, ?, ?, ?, ?, ?)", (number, run, back, *_packed(spans)))


def drop(connection: sqlite3.Connection, documents: Iterable[int]) -> None:
    """Forget of these row ids that any run brought them again."""
    gone = sorted(documents)
    for each in list(of_documents(connection, gone)):
        if not any(each.among(gone)):
            continue
        if left := [part for span in each.documents for part in _without(span, gone)]:
            _put_spans(connection, each.number, left)
        else:
            connection.execute("DELETE FROM repeats WHERE number = ?", (each.number,))


def _without(span: range, gone: Sequence[int]) -> Iterator[range]:
    start = span.start
    for each in [*gone[bisect_left(gone, span.start) : bisect_left(gone, span.stop)], span.stop]:
        if start < each:
            yield range(start, each)
        start = each + 1


def _put_spans(connection: sqlite3.Connection, number: int, spans: Sequence[range]) -> None:
    statement = "UPDATE repeats SET first = ?, last = ?, documents = ? WHERE number = ?"
    connection.execute(statement, (*_packed(spans), number))


def _read(connection: sqlite3.Connection, condition: str, *values: str | int) -> Iterator[Repeat]:
    statement = f"SELECT number, run, back, documents FROM repeats WHERE {condition} ORDER BY number"
    for number, run, back, packed in connection.execute(statement, values):
        yield Repeat(number, run, back, _unpacked(packed))


@decoding
def _unpacked(packed: bytes) -> list[range]:
    lengths = orjson.loads(zlib.decompress(packed))
    spans: list[range] = []
    end = 0
    for gap, length in zip(lengths[::2], lengths[1::2], strict=True):
        spans.append(range(end + gap, end + gap + length))
        end = spans[-1].stop
    return spans


def _packed(spans: Sequence[range]) -> tuple[int, int, bytes]:
    lengths: list[int] = []
    end = 0
    for span in spans:
        lengths += (span.start - end, len(span))
        end = span.stop
    return spans[0].start, spans[-1].stop - 1, zlib.compress(orjson.dumps(lengths))


def _joined(spans: Iterable[range]) -> list[range]:
    """The same numbers in the fewest spans, ascending."""
    joined: list[range] = []
    for span in sorted(spans, key=lambda each: each.start):
        if joined and span.start <= joined[-1].stop:
            joined[-1] = range(joined[-1].start, max(joined[-1].stop, span.stop))
        else:
            joined.append(span)
    return joined
