"""Exports whole documents page by page, ordered by source, then id. Each page is one snapshot of the store."""

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
from .filters import PRESENT, compile_filter, document_conditions


def exported(
    connection: sqlite3.Connection,
    where: Filter,
    after: ExportCursor | None,
    limit: int,
    among: Collection[UUID] | None = None,
) -> list[WholeDocument]:
    """Return the next documents after `after`, until they hold `limit` messages or more."""
    rows: list[tuple[Any, ...]] = []
    size = 0
    for row, count, characters in _following(connection, where, after, among):
        rows.append(row)
        size += 1 + count + characters // 1000
        if size >= limit:
            break
    documents = complete(connection, rows, digests=False)
    by_document = messages(connection, [document.key for document in documents])
    renamed = renames(connection, {document.chat for document in documents if document.chat is not None})
    return [
        WholeDocument(
            document=document,
            messages=by_document.get(document.key, []),
            renames=[each for each in renamed if each.chat == document.chat],
        )
        for document in documents
    ]


def _following(
    connection: sqlite3.Connection, where: Filter, after: ExportCursor | None, among: Collection[UUID] | None
) -> Iterator[tuple[tuple[Any, ...], int, int]]:
    """Yield rows of ``DOCUMENT`` plus content, with the number of messages and of characters of each document. Reads
    lazily.
    """
    resolved = compile_filter(connection, where)
    condition, values = ("1", []) if resolved is None else document_conditions(resolved)
    if among is not None:
        condition += f" AND d.key IN ({','.join('?' * len(among))})"
        values = [*values, *(key.bytes for key in among)]
    first = "" if after is None else after.source
    for source in _sources(connection, first):
        begin = (after.id, after.key.bytes) if after is not None and source == after.source else ("", b"")
        # The plus keeps SQLite from using the index by source, which would require sorting all of its rows.
        yield from (
            (row[:-2], row[-2], row[-1])
            for row in connection.execute(
                f"SELECT {DOCUMENT}, d.content, (SELECT count(*) FROM messages m WHERE m.document = d.id),"
                " coalesce(length(d.content), 0) FROM documents d"
                f" WHERE +d.source = ? AND d.name >= ? AND (d.name, d.key) > (?, ?) AND {condition} AND {PRESENT}"
                " ORDER BY d.name, d.key",
                [source, begin[0], *begin, *values],
            )
        )


def _sources(connection: sqlite3.Connection, first: str) -> Iterator[str]:
    """Yield the sources from `first` on, in order, each by one index lookup."""
    sign = ">="
    while True:
        (source,) = connection.execute(f"SELECT min(source) FROM documents WHERE source {sign} ?", (first,)).fetchone()
        if source is None:
            return
        yield source
        first, sign = source, ">"
