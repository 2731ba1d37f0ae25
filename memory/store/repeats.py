"""Records runs that bring documents in a known version: one row per run, not one per document.

Exports grow and are imported again: of two thousand days of a chat, one changes and the others are the same. A row of
``repeats`` says that a run brought each document of a set in the version that it had ``back`` versions before the
latest one, counting only rows of ``inputs`` with smaller numbers. Later versions get larger numbers, so a row stays
valid.
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
"""``documents``: row ids between ``first`` and ``last`` as alternating lengths of gaps and spans, in compressed JSON.
"""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A set of documents that a run brought in a known version."""

    number: int
    run: str
    back: int
    """The number of versions since that one; 0 for the latest."""
    documents: Sequence[range]
    """Row ids of documents in ascending spans."""

    def among(self, documents: Sequence[int]) -> Iterator[int]:
        """Yield the members of this set among `documents`, which are ascending row ids."""
        for span in self.documents:
            yield from documents[bisect_left(documents, span.start) : bisect_left(documents, span.stop)]


def last_number(connection: sqlite3.Connection) -> int:
    """Return the largest number; a new version of a document gets a larger one."""
    (number,) = connection.execute("SELECT coalesce(max(number), 0) FROM repeats").fetchone()
    return int(number)


def of_run(connection: sqlite3.Connection, run: str) -> list[Repeat]:
    """Return the rows of a run."""
    return list(_read(connection, "run = ?", run))


def of_documents(connection: sqlite3.Connection, documents: Sequence[int]) -> Iterator[Repeat]:
    """Yield the rows that may include one of these row ids (ascending), by number."""
    if documents:
        yield from _read(connection, "last >= ? AND first <= ?", documents[0], documents[-1])


def put(connection: sqlite3.Connection, run: str, back: int, forms: Mapping[int, int]) -> None:
    """Record that a run brought documents in a known version; extends the run's last row where the order allows it.

    Args:
        connection: to the database, within a transaction.
        run: the id of the run.
        back: the number of later versions that each document had.
        forms: the number of the latest version by row id of the document.
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
    """Remove these documents from all rows."""
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
    """Return the same numbers in the fewest ascending spans."""
    joined: list[range] = []
    for span in sorted(spans, key=lambda each: each.start):
        if joined and span.start <= joined[-1].stop:
            joined[-1] = range(joined[-1].start, max(joined[-1].stop, span.stop))
        else:
            joined.append(span)
    return joined
