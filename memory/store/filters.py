"""Compiles a Filter against the store: resolves names with their aliases and builds the SQL conditions for a chunk."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ...schemas.times import utc_microseconds
from ..search_types import CROWD, CompiledFilter, Filter, NameFilter
from ..text.names import folded
from .name_filter import Condition, any_name, marks, name_filter
from .sql import rows_for


def compile_filter(connection: sqlite3.Connection, where: Filter) -> CompiledFilter | None:
    """Return the filter with aliases resolved; None if everything passes."""
    if where.empty:
        return None
    people = name_filter(connection, where.people)
    return CompiledFilter(
        speakers=name_filter(connection, where.speakers),
        people=people,
        sources=tuple(dict.fromkeys(where.sources)),
        tags=tuple(tuple(dict.fromkeys(group)) for group in (where.tags, *where.scope) if group),
        kinds=tuple(dict.fromkeys(where.kinds)),
        since=None if where.since is None else utc_microseconds(where.since),
        until=None if where.until is None else utc_microseconds(where.until),
        chats=_chats(connection, where.chats) if where.chats else None,
        crowds=() if people is None else _crowds(connection, people),
        without_kinds=where.without_kinds,
        only=where.only,
    )


def _chats(connection: sqlite3.Connection, names: Sequence[str]) -> tuple[bytes, ...]:
    """Return the keys of chats with one of these titles or ids; scans all chats, of which there are few."""
    names_folded = set(map(folded, names))
    rows = connection.execute("SELECT key, id, title FROM conversations ORDER BY key")
    return tuple(key for key, *either in rows if names_folded & set(map(folded, either)))


def _crowds(connection: sqlite3.Connection, people: NameFilter) -> tuple[int, ...]:
    """Return the large documents (see ``CROWD``) with one of these people. They are few and have an index of their own,
    so they are checked first.
    """
    text, values = any_name(people, "p.folded IN ({})")
    statement = (
        f"SELECT DISTINCT c.document FROM people c CROSS JOIN documents d ON d.id = c.document"
        f" CROSS JOIN people p ON p.document = c.document WHERE c.ordinal = {CROWD} AND {text} ORDER BY 1"
    )
    return tuple(row[0] for row in connection.execute(statement, values))


def chunk_conditions(where: CompiledFilter) -> Condition:
    """Return the SQL condition for a chunk ``c`` of document ``d`` and perhaps message ``m``."""
    parts: list[Condition] = []
    if where.only is not None:
        parts.append((f"c.message IS {'NOT ' if where.only == 'message' else ''}NULL", []))
    if where.speakers is not None:
        parts.append(any_name(where.speakers, "m.speaker IN (SELECT id FROM speakers WHERE folded IN ({}))"))
    if where.kinds:
        parts.append(_within("coalesce(m.kind, 'text')", where.kinds))
    if where.without_kinds:
        text, values = _within("coalesce(m.kind, 'text')", where.without_kinds)
        parts.append((f"NOT {text}", values))
    for sign, bound in ((">=", where.since), ("<", where.until)):
        if bound is not None:
            at_time = f"CASE WHEN m.id IS NULL THEN d.micros ELSE m.micros END {sign} ?"
            beside = f" OR c.id IN ({marks(where.beside)})" if where.beside else ""
            parts.append((f"({at_time}{beside})", [bound, *where.beside]))
    return _all([*parts, *_document_parts(where)])


def document_conditions(where: CompiledFilter) -> Condition:
    """Return the SQL condition for a document ``d`` that holds a passing chunk; evaluated document by document."""
    parts: list[Condition] = []
    if where.people is not None:
        one = "EXISTS (SELECT 1 FROM people p WHERE p.document = d.id AND p.folded IN ({}))"
        parts.append(any_name(where.people, one))
    if where.sources:
        parts.append(_within("d.source", where.sources))
    if where.chats is not None:
        parts.append(_within("d.chat", where.chats))
    for group in where.tags:
        text, values = _within("t.tag", group)
        parts.append((f"EXISTS (SELECT 1 FROM tags t WHERE t.document = d.id AND {text})", values))
    inner, text_parts = _message_parts(where), _text_parts(where)
    # The plus keeps SQLite from scanning all messages of a time range once for each document.
    inner += [(f"+{text}", values) for text, values in _times(where, "m.micros")]
    if inner or text_parts is None:
        text, values = _all(inner)
        holds = f"EXISTS (SELECT 1 FROM messages m WHERE m.document = d.id AND {text})"
        if text_parts is not None:
            text_own, values_own = _all(text_parts)
            parts.append((f"({holds} OR (d.kind = 'text' AND {text_own}))", [*values, *values_own]))
        else:
            parts.append((holds, values))
    return _all(parts)


PRESENT = "d.kind <> 'retired'"
"""The SQL condition of a document ``d`` that is not retired, see `retired`."""
FEW = 1_000
"""The most rows that a listing reads beforehand to find the documents of a rare name or tag, and the most messages of a
time that are read before the speaker is looked at.
"""


def rare_documents(connection: sqlite3.Connection, where: CompiledFilter) -> list[int] | None:
    """Return the row ids of all documents that may pass (a superset) if a name, chat, kind or tag restricts them to
    few; otherwise None.
    """
    queries: list[Condition] = []
    if where.speakers is not None:
        names = where.speakers.every
        speakers = f"SELECT id FROM speakers WHERE folded IN ({marks(names)})"
        queries.append((f"SELECT document FROM messages WHERE speaker IN ({speakers})", names))
    if where.people is not None:
        names = where.people.every
        queries.append((f"SELECT document FROM people WHERE folded IN ({marks(names)})", names))
    if where.chats is not None:
        text, values = _within("chat", where.chats)
        queries.append((f"SELECT id FROM documents WHERE {text}", values))
    for group in where.tags:
        text, values = _within("tag", group)
        queries.append((f"SELECT document FROM tags WHERE {text}", values))
    if where.kinds and "text" not in where.kinds:
        text, values = _within("kind", where.kinds)
        queries.append((f"SELECT document FROM messages WHERE kind <> 'text' AND {text}", values))
    for statement, values in queries:
        rows = connection.execute(f"{statement} LIMIT {FEW}", values).fetchall()
        if len(rows) < FEW:
            return sorted({row[0] for row in rows})
    return None


def _message_parts(where: CompiledFilter) -> list[Condition]:
    """Return the conditions on a message ``m`` except those on its time."""
    parts: list[Condition] = [("0", [])] if where.only == "chunk" else []
    if where.speakers is not None:
        parts.append(any_name(where.speakers, "m.speaker IN (SELECT id FROM speakers WHERE folded IN ({}))"))
    if where.kinds:
        text, values = _within("m.kind", where.kinds)
        # Both conditions are needed: the index by kind excludes texts.
        parts.append((text if "text" in where.kinds else f"m.kind <> 'text' AND {text}", values))
    if where.without_kinds:
        text, values = _within("m.kind", where.without_kinds)
        parts.append((f"NOT {text}", values))
    return parts


def _text_parts(where: CompiledFilter) -> list[Condition] | None:
    """Return the extra conditions on a text document ``d``; None if no text document can pass."""
    if where.only == "message" or where.speakers is not None or (where.kinds and "text" not in where.kinds):
        return None
    return _times(where, "d.micros")


def message_conditions(where: CompiledFilter | None) -> Condition:
    """Return the SQL condition for a message ``m`` of document ``d``."""
    if where is None:
        return _all([])
    return _all([*_message_parts(where), *_times(where, "m.micros"), *_document_parts(where)])


def text_conditions(where: CompiledFilter | None, *, undated: bool = False) -> Condition | None:
    """Return the SQL condition for a text document ``d`` with a time, or without one; None if no text can pass."""
    parts: list[Condition] | None = [] if where is None else _text_parts(where)
    if parts is None:
        return None
    of_texts: Condition = (f"d.kind = 'text' AND d.micros IS {'' if undated else 'NOT '}NULL", [])
    return _all([of_texts, *parts, *([] if where is None else _document_parts(where))])


def _times(where: CompiledFilter, column: str) -> list[Condition]:
    bounds = ((">=", where.since), ("<", where.until))
    return [(f"{column} {sign} ?", [bound]) for sign, bound in bounds if bound is not None]


def _document_parts(where: CompiledFilter) -> list[Condition]:
    parts: list[Condition] = []
    if where.people is not None:
        condition = "d.id IN (SELECT document FROM people WHERE folded IN ({}))"
        parts.append(any_name(where.people, condition))
    if where.sources:
        parts.append(_within("d.source", where.sources))
    if where.chats is not None:
        parts.append(_within("d.chat", where.chats))
    for group in where.tags:
        text, values = _within("tag", group)
        parts.append((f"d.id IN (SELECT document FROM tags WHERE {text})", values))
    return parts


def _within(column: str, values: Sequence[str] | Sequence[bytes]) -> Condition:
    return f"{column} IN ({marks(values)})", list(values)


def _all(parts: Sequence[Condition]) -> Condition:
    texts = [text for text, _ in parts] or ["1"]
    return " AND ".join(texts), [value for _, values in parts for value in values]


_CHUNKS = """
FROM chunks c JOIN documents d ON d.id = c.document LEFT JOIN messages m ON m.id = c.message WHERE
"""


_FROM_MESSAGES = "messages m CROSS JOIN chunks c ON c.message = m.id CROSS JOIN documents d ON d.id = c.document"
_FROM_DOCUMENTS = "documents d CROSS JOIN messages m ON m.document = d.id CROSS JOIN chunks c ON c.message = m.id"
_TEXTS = "documents d CROSS JOIN chunks c ON c.document = d.id WHERE d.kind = 'text' AND c.message IS NULL AND"


def matching_chunks(connection: sqlite3.Connection, where: CompiledFilter, limit: int) -> list[int]:
    """Return row ids of at most ``limit`` passing chunks.

    Queries messages and texts separately, so that indexes are used; a single query, or SQLite's own table order, scans
    all chunks for some filters. The most selective conditions come first: a time with few messages, speakers and rare
    kinds, tags, then other times.
    """
    if where.rows is not None:
        return sorted(passing(connection, where, where.rows))[:limit]
    parts, times = _document_parts(where), _times(where, "m.micros")
    of_few = where.speakers is not None or (where.kinds and "text" not in where.kinds)
    by_document = bool(parts) and not of_few and (bool(where.tags) or where.chats is not None or not times)
    text, values = _all([*_message_parts(where), *times, *parts])
    order = _FROM_DOCUMENTS if by_document else _FROM_MESSAGES
    if where.speakers is not None and times and _are_few(connection, times):
        order = f"messages m INDEXED BY messages_by_time{order.removeprefix('messages m')}"
    statement = f"SELECT c.id FROM {order} WHERE {text} LIMIT ?"
    rows_found = [row[0] for row in connection.execute(statement, [*values, limit])]
    text_parts = _text_parts(where)
    if text_parts is not None and len(rows_found) < limit:
        text, values = _all([*text_parts, *parts])
        rows = connection.execute(f"SELECT c.id FROM {_TEXTS} {text} LIMIT ?", [*values, limit - len(rows_found)])
        rows_found += [row[0] for row in rows]
    return rows_found


def _are_few(connection: sqlite3.Connection, times: Sequence[Condition]) -> bool:
    """Return whether so few messages are of a time that reading them all costs less than those of a speaker."""
    text, values = _all(times)
    statement = f"SELECT count(*) FROM (SELECT 1 FROM messages m WHERE {text} LIMIT {FEW})"
    return bool(connection.execute(statement, values).fetchone()[0] < FEW)


def passing(connection: sqlite3.Connection, where: CompiledFilter, chunks: Sequence[int]) -> set[int]:
    """Return the subset of these chunks that pass."""
    if where.rows is not None:
        chunks = sorted({*where.rows}.intersection(chunks))
    text, values = chunk_conditions(where)
    statement = f"SELECT c.id {_CHUNKS} c.id IN ({{}}) AND {text}"
    return {row[0] for row in rows_for(connection, statement, chunks, *values)}
