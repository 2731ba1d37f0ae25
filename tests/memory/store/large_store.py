"""A store of 20,000 messages, made of rows in a second: what it says means nothing, its shape is that of a store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from uuid import UUID

import anyio

from memd.memory.extraction.statement import Cited, Statement
from memd.memory.extraction.statement_json import statement_to_json
from memd.memory.indexing.indexed_store import open_store
from memd.schemas.fact import ExtractorInfo
from memd.tests.memory.store.samples import GENERATION, NOON

DOCUMENTS, EACH = 2_000, 10
SPEAKERS, SOURCES, CHATS = 500, 5, 20
FACTS = 2_000
"""Present ones, and as many former versions."""
INDEXED = 300
"""Messages that both indexes hold; the others are in SQLite alone."""


def key(table: int, number: int) -> bytes:
    """The key of a row."""
    return (table << 64 | number).to_bytes(16, "big")


def uuid(table: int, number: int) -> UUID:
    """The same as an id: 1 for documents, 2 messages, 3 chunks, 4 chats, 5 facts, 6 statements."""
    return UUID(bytes=key(table, number))


def make(directory: Path) -> None:
    """Fill a new data directory."""

    async def empty() -> None:
        async with open_store(directory) as store:
            await store.set_generation(GENERATION)

    anyio.run(empty)
    with closing(sqlite3.connect(directory / "memory.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for table, made in _rows():
            rows = iter(made)
            first = next(rows)
            statement = f"INSERT INTO {table} VALUES ({','.join('?' * len(first))})"
            connection.execute(statement, first)
            connection.executemany(statement, rows)
        total = DOCUMENTS * EACH
        connection.execute("UPDATE meta SET value = ? WHERE name = 'chunk'", (total,))
        connection.execute("UPDATE meta SET value = ? WHERE name = 'sequence'", (2 * INDEXED,))
        connection.execute("COMMIT")


def _rows() -> Iterable[tuple[str, Iterable[tuple[object, ...]]]]:
    documents, messages = range(1, DOCUMENTS + 1), range(1, DOCUMENTS * EACH + 1)
    day = 86_400_000_000
    yield "speakers", ((n, f"P{n}", f"p{n}", messages[-1] // SPEAKERS) for n in range(1, SPEAKERS + 1))
    yield (
        "conversations",
        ((key(4, n), f"c{n}", "s0", "", f"Chat {n}", "group", '["P1"]') for n in range(CHATS)),
    )
    yield (
        "documents",
        (
            (n, key(1, n), f"d{n}", f"s{n % SOURCES}", "", "text" if n % 100 == 0 else "conversation", "P1",
             None if n % 1_000 == 0 else n % 9_000 * day, 0, key(4, n % CHATS), '{"title":"T"}', "a lamp")
            for n in documents
        ),
    )  # fmt: skip
    yield "digests", ((n, key(9, n)) for n in documents)
    yield (
        "people",
        ((n, at, f"P{1 + (n + at) % SPEAKERS}", f"p{1 + (n + at) % SPEAKERS}") for n in documents for at in range(3)),
    )
    yield "tags", ((n, 0, f"t{n % 50}") for n in documents)
    yield (
        "messages",
        (
            (n, key(2, n), 1 + (n - 1) // EACH, (n - 1) % EACH, 1 + n % SPEAKERS, "call" if n % 500 == 0 else "text",
             n % 9_000 * day, 0, f"m{n}", "a lamp", None)
            for n in messages
        ),
    )  # fmt: skip
    yield "texts", ((n, key(8, n) * 2) for n in messages)
    yield "makes", [(1, "message", "message-1"), (2, "fact", "fact-1"), (3, "message", "message-0")]
    yield (
        "chunks",
        ((n, key(3, n), 1 + (n - 1) // EACH, n, 0, 0, 6, 2, 3 if n % 5_000 == 0 else 1, "", n, None) for n in messages),
    )
    yield "vectors", ((1, n, b"\0\0\x80\x3f" + bytes(60), 0) for n in range(1, INDEXED + 1))
    yield "pending", ((n, n) for n in messages if n > INDEXED)
    yield "tombstones", ((key(2, n + 500_000), key(1, n % DOCUMENTS)) for n in range(1, 5_001))
    yield "renames", ((key(4, n), "s0", f"Q{n}", f"P{n + 1}", f"q{n}", f"p{n + 1}") for n in range(CHATS))
    yield "unread", ((n,) for n in documents if n % 2)
    yield "windows", ((n, key(7, n), "rules", '{"value": 2}' if n % 3 else None, None) for n in documents)
    yield (
        "statements",
        ((n, key(6, n), n, key(7, n), f"k{n // 2}", f"r{n // 100}", _statement(n)) for n in documents),
    )
    yield "excluded", ((key(6, n), "r1", 0) for n in range(1, 50))
    yield "facts", (_fact(n) for n in range(1, 2 * FACTS + 1))
    yield "fact_messages", ((key(5, n), key(2, n)) for n in range(1, FACTS + 1))
    yield "version_messages", ((n, key(2, 1 + (n - 1) % FACTS)) for n in range(1, 2 * FACTS + 1))
    yield "fact_spots", ((n % 800, key(5, n)) for n in range(1, FACTS + 1))
    for log, first in (("word_changes", 0), ("vector_changes", INDEXED)):
        yield log, ((first + n, n) for n in range(1, INDEXED + 1))


def _statement(number: int) -> str:
    """What somebody said in a document."""
    said = Statement(
        document=uuid(1, number), document_id=f"d{number}", speaker="P1", subject="P1", attribute="a", value="v",
        content="c", evidence=(Cited(uuid(2, number), "m", "q"),), observed_at=NOON, extractor=ExtractorInfo(name="rules"),
    )  # fmt: skip
    return statement_to_json(said)


def _fact(number: int) -> tuple[object, ...]:
    """The first half are former versions of the second."""
    subject, former = 1 + (number - 1) % FACTS, number <= FACTS
    status = "retracted" if number % 50 == 0 else "active"
    fact = {
        "id": str(uuid(5, subject)), "subject": f"P{1 + subject % SPEAKERS}", "attribute": f"a{subject % 40}",
        "value": "v", "content": "c", "speaker": f"P{1 + subject % SPEAKERS}", "category": "other", "status": status,
        "observed_at": "2024-01-01T00:00:00Z", "recorded_at": "2024-01-01T00:00:00Z",
        "evidence": [{"document_id": "d", "message_id": "m", "quote": "q"}],
        "extractor": {"name": "rules"},
    }  # fmt: skip
    body = json.dumps({"fact": fact, "messages": [str(uuid(2, subject))], "chunks": []})
    person = f"p{1 + subject % SPEAKERS}"
    return (
        number, key(5, subject), f"k{subject}", person, person, f"a{subject % 40}", status, 0, None, 0,
        1 if former else None, f"r{number // 100}", body,
    )  # fmt: skip
