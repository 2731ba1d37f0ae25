"""Counts for a part of the store, some chats or sources; computed on demand, not maintained."""

# ruff: noqa: S608 - statements are put together of conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from typing import Any

from ..records import PartStats
from ..search_types import Filter
from .codec import utc_of
from .documents_read import RESERVED
from .filters import PRESENT, compile_filter, document_conditions
from .name_filter import marks
from .vectors import current_model


def part_stats(connection: sqlite3.Connection, where: Filter) -> PartStats:
    """Count the documents that pass a filter by sources and chats, and their messages, people, facts and vectors."""
    compiled = compile_filter(connection, where)
    text, values = ("1", []) if compiled is None else document_conditions(compiled)
    part = f"WITH part (id) AS MATERIALIZED (SELECT d.id FROM documents d WHERE {text} AND {PRESENT})"

    def one(statement: str, *more: object) -> tuple[Any, ...]:
        row: tuple[Any, ...] = connection.execute(f"{part} {statement}", [*values, *more]).fetchone()
        return row

    count, *of_texts = one("SELECT count(*), min(d.micros), max(d.micros) FROM documents d WHERE d.id IN part")
    messages, *of_messages = one("SELECT count(*), min(micros), max(micros) FROM messages WHERE document IN part")
    (people,) = one(
        "SELECT count(DISTINCT m.speaker) FROM messages m JOIN speakers s ON s.id = m.speaker"
        f" WHERE m.document IN part AND s.name NOT IN ({marks(RESERVED)})",
        *RESERVED,
    )
    (facts,) = one(
        "SELECT count(DISTINCT fact) FROM fact_messages WHERE message IN (SELECT key FROM messages WHERE document IN part"
        " UNION ALL SELECT key FROM documents WHERE kind = 'text' AND id IN part)"
    )
    (chunks,) = one("SELECT count(*) FROM chunks WHERE document IN part")
    texts = "(SELECT DISTINCT text FROM chunks WHERE document IN part)"
    (pending,) = one(f"SELECT count(*) FROM pending WHERE text IN {texts}")
    (done,) = one(f"SELECT count(*) FROM vectors WHERE text IN {texts} AND model = ?", current_model(connection))
    times = [micros for micros in (*of_texts, *of_messages) if micros is not None]
    return PartStats(
        documents=count,
        messages=messages,
        chunks=chunks,
        facts=facts,
        people=people,
        vectors_done=done,
        vectors_pending=pending,
        first=utc_of(min(times)) if times else None,
        last=utc_of(max(times)) if times else None,
    )
