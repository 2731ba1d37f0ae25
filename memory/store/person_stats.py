"""People and chats by the numbers of their messages: how many, since when, in which chats, and who else wrote there."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import Any

from ..records import ChatStats, Contact, PersonStats
from .codec import json_of, utc_of
from .documents_read import RESERVED
from .errors import decoding
from .filters import aliases_of

MOST = 20
"""Contacts and chats, those with most messages."""
RECENT = 500


def person_stats(connection: sqlite3.Connection, name: str) -> PersonStats | None:
    """Everybody who wrote in documents in which this person wrote, by the number of their messages there."""
    folded = aliases_of(connection, name)
    mine = f"SELECT id FROM speakers WHERE folded IN ({_marks(folded)})"
    row = connection.execute(
        f"SELECT count(*), min(micros), max(micros) FROM messages WHERE speaker IN ({mine})", list(folded)
    ).fetchone()
    if not row[0]:
        return None
    days = f"SELECT DISTINCT document FROM messages WHERE speaker IN ({mine})"
    contacts = connection.execute(
        "SELECT s.name, count(*), count(DISTINCT m.document), min(m.micros), max(m.micros) FROM messages m"
        f" JOIN speakers s ON s.id = m.speaker WHERE m.document IN ({days}) AND s.folded NOT IN ({_marks(folded)})"
        f" AND s.name NOT IN ({_marks(RESERVED)}) GROUP BY s.id ORDER BY 2 DESC, 1 LIMIT ?",
        [*folded, *folded, *RESERVED, MOST],
    )
    chats = connection.execute(
        "SELECT coalesce(v.title, d.source), count(*), count(DISTINCT d.id), min(m.micros), max(m.micros)"
        " FROM messages m JOIN documents d ON d.id = m.document LEFT JOIN conversations v ON v.key = d.chat"
        f" WHERE m.speaker IN ({mine}) GROUP BY coalesce(d.chat, d.source) ORDER BY 2 DESC, 1 LIMIT ?",
        [*folded, MOST],
    )
    names = connection.execute(
        f"SELECT name FROM speakers WHERE folded IN ({_marks(folded)}) AND messages > 0 ORDER BY messages DESC",
        list(folded),
    )
    recent = connection.execute(
        f"SELECT content FROM messages WHERE speaker IN ({mine}) AND kind = 'text' ORDER BY micros DESC LIMIT ?",
        [*folded, RECENT],
    )
    return PersonStats(
        names=tuple(each[0] for each in names),
        messages=row[0],
        first=utc_of(row[1]),
        last=utc_of(row[2]),
        chats=tuple(_contact(each) for each in chats),
        contacts=tuple(_contact(each) for each in contacts),
        recent=tuple(each[0] for each in recent),
    )


def _marks(values: Collection[str]) -> str:
    return ",".join("?" * len(values))


def _contact(row: tuple[str, int, int, int, int]) -> Contact:
    name, messages, documents, first, last = row
    return Contact(name, messages, documents, utc_of(first), utc_of(last))


_CHATS = """
SELECT v.id, v.source, v.account, v.title, v.kind, v.people, count(DISTINCT d.id), count(*), min(m.micros), max(m.micros)
FROM messages m CROSS JOIN documents d ON d.id = m.document CROSS JOIN conversations v ON v.key = d.chat
GROUP BY v.key ORDER BY 10 DESC, 1
"""


def chat_stats(connection: sqlite3.Connection) -> list[ChatStats]:
    """Every chat with a message, those with the latest message first. Reads the head of every message."""
    return [_chat_of(row) for row in connection.execute(_CHATS)]


@decoding
def _chat_of(row: Sequence[Any]) -> ChatStats:
    name, source, account, title, kind, people, documents, messages, first, last = row
    named = tuple(json_of(people))
    return ChatStats(name, source, account, title, kind, named, documents, messages, utc_of(first), utc_of(last))
