"""Statistics of people and chats: number of messages, first and last time, chats and contacts."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from ..records import ChatStats, Contact, PersonStats
from ..search_types import NameFilter
from .codec import json_of, utc_of
from .documents_read import RESERVED
from .errors import decoding
from .name_filter import any_name, marks, names_of_person
from .people_rows import members_of

MOST = 20
"""The most contacts and chats returned, by number of messages."""
RECENT = 500


def person_stats(connection: sqlite3.Connection, name: str) -> PersonStats | None:
    """Return the statistics of a person, with the contacts who wrote in the same documents; None if nobody of that name
    wrote.
    """
    names = names_of_person(connection, name)
    every = names.every
    speakers = f"m.speaker IN (SELECT id FROM speakers WHERE folded IN ({marks(every)}))"
    person, values = speakers, list[Any](every)
    if names.in_sources:
        # The first condition uses the index by speaker; the second excludes namesakes in other sources.
        only, bound = any_name(names, "m.speaker IN (SELECT id FROM speakers WHERE folded IN ({}))")
        person, values = f"{speakers} AND {only}", [*every, *bound]
    with_documents = " JOIN documents d ON d.id = m.document" if names.in_sources else ""
    mine = f"FROM messages m{with_documents} WHERE {person}"
    row = connection.execute(f"SELECT count(*), min(m.micros), max(m.micros) {mine}", values).fetchone()
    if not row[0]:
        return None
    chats = connection.execute(
        "SELECT coalesce(v.title, d.source), count(*), count(DISTINCT d.id), min(m.micros), max(m.micros)"
        " FROM messages m JOIN documents d ON d.id = m.document LEFT JOIN conversations v ON v.key = d.chat"
        f" WHERE {person} GROUP BY coalesce(d.chat, d.source) ORDER BY 2 DESC, 1 LIMIT ?",
        [*values, MOST],
    )
    recent = connection.execute(
        f"SELECT m.content {mine} AND m.kind = 'text' ORDER BY m.micros DESC LIMIT ?", [*values, RECENT]
    )
    names_here = connection.execute(
        f"SELECT s.name, count(*) FROM messages m{with_documents} JOIN speakers s ON s.id = m.speaker WHERE {person}"
        " GROUP BY s.id ORDER BY 2 DESC, 1",
        values,
    )
    return PersonStats(
        names=tuple(each[0] for each in names_here),
        messages=row[0],
        first=utc_of(row[1]),
        last=utc_of(row[2]),
        chats=tuple(_contact(each) for each in chats),
        contacts=tuple(_contacts(connection, names, f"SELECT DISTINCT m.document {mine}", values)),
        recent=tuple(each[0] for each in recent),
    )


def _contacts(
    connection: sqlite3.Connection, names: NameFilter, documents: str, values: Sequence[Any]
) -> Iterator[Contact]:
    """Yield the other writers of these documents (SQL with bound values): a merged person once, under the name with
    most messages, and never the person with these names.
    """
    labels = _labels(connection, names)
    rows = connection.execute(
        "SELECT p.person, s.name, sum(o.messages), count(DISTINCT o.document), min(o.first), max(o.last) FROM (SELECT document,"
        " speaker, count(*) AS messages, min(micros) AS first, max(micros) AS last FROM messages"
        f" WHERE document IN ({documents}) GROUP BY document, speaker) o"
        " CROSS JOIN speakers s ON s.id = o.speaker CROSS JOIN documents d ON d.id = o.document"
        " LEFT JOIN identities i ON i.source = d.source AND i.name = s.name LEFT JOIN persons p ON p.key = i.key"
        f" WHERE s.folded NOT IN ({marks(names.anywhere)}) AND s.name NOT IN ({marks(RESERVED)})"
        f" AND coalesce(p.person, '') NOT IN ({marks(labels)})"
        " GROUP BY coalesce(p.person, s.id) ORDER BY 3 DESC, 2 LIMIT ?",
        [*values, *sorted(names.anywhere), *RESERVED, *labels, MOST],
    )
    for label, name, *counts in rows.fetchall():
        foremost = None if label is None else connection.execute(_FOREMOST, (label,)).fetchone()
        yield _contact((foremost[0] if foremost else name, *counts))


_FOREMOST = """
SELECT i.name FROM persons p CROSS JOIN identities i ON i.key = p.key WHERE p.person = ? ORDER BY i.messages DESC, i.name LIMIT 1
"""


def _labels(connection: sqlite3.Connection, names: NameFilter) -> list[str]:
    """Return the person labels that these names belong to, for names merged with others."""
    in_sources = {(source, name) for source, aliases in names.in_sources for name in aliases}
    return [
        label
        for label, members in members_of(connection, names.every).items()
        if any(name in names.anywhere or (source, name) in in_sources for source, name in members)
    ]


def _contact(row: tuple[str, int, int, int, int]) -> Contact:
    name, messages, documents, first, last = row
    return Contact(name, messages, documents, utc_of(first), utc_of(last))


_CHATS = """
SELECT v.id, v.source, v.title, v.kind, v.people, count(DISTINCT d.id), count(*), min(m.micros), max(m.micros)
FROM messages m CROSS JOIN documents d ON d.id = m.document CROSS JOIN conversations v ON v.key = d.chat
GROUP BY v.key ORDER BY 9 DESC, 1
"""


def chat_stats(connection: sqlite3.Connection) -> list[ChatStats]:
    """Return the statistics of every chat with a message, latest message first. Reads the head of every message."""
    return [_chat_of(row) for row in connection.execute(_CHATS)]


@decoding
def _chat_of(row: Sequence[Any]) -> ChatStats:
    name, source, title, kind, people, documents, messages, first, last = row
    named = tuple(json_of(people))
    return ChatStats(title or name, name, source, kind, named, documents, messages, utc_of(first), utc_of(last))
