"""Whole documents in a stable order, some at a time: by source, then id. Each piece is one state of the store."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from typing import Any
from uuid import UUID

from ..records import ExportCursor, WholeDocument
from ..search_types import Filter
from .codec import DOCUMENT
from .documents_read import complete, messages, renames
from .filters import compile_filter, document_conditions


def exported(
    connection: sqlite3.Connection,
    where: Filter,
    after: ExportCursor | None,
    limit: int,
    among: Collection[UUID] | None,
) -> list[WholeDocument]:
    """The next documents behind ``after``, until they hold ``limit`` messages or more; see `SQLiteStore.export`."""
    rows: list[tuple[Any, ...]] = []
    size = 0
    for row, count, characters in _following(connection, where, after, among):
        rows.append(row)
        size += 1 + count + characters // 1000
        if size >= limit:
            break
    documents = complete(connection, rows, digests=False)
    found = messages(connection, [document.key for document in documents])
    renamed = renames(connection, {document.chat for document in documents if document.chat is not None})
    return [
        WholeDocument(
            document=document,
            messages=found.get(document.key, []),
            renames=[each for each in renamed if each.chat == document.chat],
        )
        for document in documents
    ]


def _following(
    connection: sqlite3.Connection, where: Filter, after: ExportCursor | None, among: Collection[UUID] | None
) -> Iterator[tuple[tuple[Any, ...], int, int]]:
    """Rows of ``DOCUMENT`` and the content, with how many messages and characters of text each has; only those that
    are asked for are read.
    """
    resolved = compile_filter(connection, where)
    condition, values = ("1", []) if resolved is None else document_conditions(resolved)
    if among is not None:
        condition += f" AND d.key IN ({','.join('?' * len(among))})"
        values = [*values, *(key.bytes for key in among)]
    first = "" if after is None else after.source
    for source in _sources(connection, first):
        begin = (after.id, after.key.bytes) if after is not None and source == after.source else ("", b"")
        # The plus keeps SQLite from taking the index by source, after which it would have to sort all of it each time.
        yield from (
            (row[:-2], row[-2], row[-1])
            for row in connection.execute(
                f"SELECT {DOCUMENT}, d.content, (SELECT count(*) FROM messages m WHERE m.document = d.id),"
                " coalesce(length(d.content), 0) FROM documents d"
                f" WHERE +d.source = ? AND d.name >= ? AND (d.name, d.key) > (?, ?) AND {condition}"
                " ORDER BY d.name, d.key",
                [source, begin[0], *begin, *values],
            )
        )


def _sources(connection: sqlite3.Connection, first: str) -> Iterator[str]:
    """The sources from this one on, in order; each is one step in the index."""
    sign = ">="
    while True:
        (found,) = connection.execute(f"SELECT min(source) FROM documents WHERE source {sign} ?", (first,)).fetchone()
        if found is None:
            return
        yield found
        first, sign = found, ">"
