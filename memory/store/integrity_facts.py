"""Checks that statements, facts, chunks and links refer to existing messages, and repairs them."""

# ruff: noqa: S608 - statements are put together of names of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from ..records import FACT_STRATEGY, OWN_WORDS, CheckResult
from ..write_batches import WriteBatch
from . import expansions
from .codec import uuid_of
from .documents_write import apply_changes
from .errors import row_errors
from .version_messages import count_wrong_pairs, rebuild_version_messages

_REPAIR = "memd doctor --repair reads and resolves it anew"
OF_DOCUMENTS = ("windows", "statements", "unread", "unread_windows", "refused")
"""Tables of extraction results: rows whose document is missing can be deleted."""
OF_FACTS = ("fact_messages", "fact_spots")


@dataclass(slots=True)
class Inconsistencies:
    """The inconsistencies found, by kind."""

    orphans: int = 0
    """Number of extraction rows of missing documents."""
    unfounded: set[int] = field(default_factory=set[int])
    """Row ids of documents with a statement that cites a missing message."""
    unsupported: set[bytes] = field(default_factory=set[bytes])
    """Keys of current facts that cite no message, or a missing one."""
    references: set[tuple[bytes, bytes]] = field(default_factory=set[tuple[bytes, bytes]])
    """(fact, message) pairs that differ between ``fact_messages`` and the facts' own bodies."""
    strays: set[bytes] = field(default_factory=set[bytes])
    """Keys of fact chunks that belong to no current fact."""
    bare: set[bytes] = field(default_factory=set[bytes])
    """Keys of current facts without a chunk for each of their messages."""
    versions: int = 0
    """Number of (version, message) pairs that differ between ``version_messages`` and the versions' own bodies."""
    dangling: int = 0
    """Number of link rows of missing facts."""
    expansions: int = 0
    """Number of refused proposals without an expansion, expansions without a proposal, and unreadable proposals."""


def check_fact_rows(connection: sqlite3.Connection) -> list[CheckResult]:
    """Check that facts refer to existing messages and statements. Does not recompute facts."""
    faults = find_inconsistencies(connection)
    findings = [
        (faults.orphans, "readings are of documents that are gone"),
        (len(faults.unfounded), "documents were read in words that are not there"),
        (len(faults.unsupported), "facts rest on nothing that is there"),
        (len(faults.references), "references between facts and messages are wrong"),
        (len(faults.strays), "words of facts lead to messages without the fact"),
        (len(faults.bare), "facts do not lead to their messages"),
        (faults.versions, "references between versions of facts and messages are wrong"),
        (faults.dangling, "rows are of facts that are gone"),
        (faults.expansions, "refused proposals do not lead to their messages, or others do"),
    ]
    wrong = [f"{count} {description}" for count, description in findings if count]
    if wrong:
        return [CheckResult("knowledge", "error", "; ".join(wrong), _REPAIR, repairable=True)]
    (count,) = connection.execute("SELECT count(*) FROM facts WHERE replaced IS NULL").fetchone()
    return [CheckResult("knowledge", "ok", f"{count} facts have their messages, and lead to them")]


def find_inconsistencies(connection: sqlite3.Connection) -> Inconsistencies:
    """Return all inconsistencies of extraction results."""
    faults = Inconsistencies()
    for table in OF_DOCUMENTS:
        statement = f"SELECT count(*) FROM {table} WHERE document NOT IN (SELECT id FROM documents)"
        faults.orphans += connection.execute(statement).fetchone()[0]
    there = {row[0] for row in connection.execute("SELECT key FROM messages")}
    texts = {row[0] for row in connection.execute("SELECT key FROM documents WHERE kind <> 'conversation'")}
    for document, body in connection.execute("SELECT document, body FROM statements"):
        with row_errors():
            cited = {UUID(message).bytes for message, *_ in orjson.loads(body)["evidence"]}
        if not cited <= there | texts or not cited:
            faults.unfounded.add(document)
    meant = "SELECT c.key FROM chunks c JOIN makes k ON k.id = c.make WHERE k.strategy = ?"
    chunks = {row[0] for row in connection.execute(meant, (FACT_STRATEGY,))}
    named: set[bytes] = set()
    references: set[tuple[bytes, bytes]] = set()
    for key, messages, fact_chunks, needs_chunks in _present(connection):
        if not messages or not set(messages) <= there | texts:
            faults.unsupported.add(key)
        named |= set(fact_chunks)
        references |= {(key, message) for message in messages}
        lacks_chunks = len(fact_chunks) != sum(message in there for message in set(messages)) and (
            needs_chunks or bool(fact_chunks)
        )
        if lacks_chunks or not chunks.issuperset(fact_chunks):
            faults.bare.add(key)
    faults.strays = chunks - named
    faults.references = references ^ set(connection.execute("SELECT fact, message FROM fact_messages"))
    faults.versions = count_wrong_pairs(connection)
    for table in OF_FACTS[1:]:
        faults.dangling += connection.execute(f"SELECT count(*) FROM {table} WHERE {_GONE}").fetchone()[0]
    faults.expansions = expansions.count_wrong(connection)
    return faults


_GONE = "fact NOT IN (SELECT key FROM facts WHERE replaced IS NULL)"


def _present(connection: sqlite3.Connection) -> Iterator[tuple[bytes, list[bytes], list[bytes], bool]]:
    """Yield (key, messages, chunks, whether it must have chunks) of the current facts; a fact by rules or a program may
    have no chunks.
    """
    for key, body in connection.execute("SELECT key, body FROM facts WHERE replaced IS NULL"):
        with row_errors():
            held: dict[str, Any] = orjson.loads(body)
            messages, chunks = ([UUID(each).bytes for each in held.get(name, ())] for name in ("messages", "chunks"))
            bare = held["fact"]["extractor"]["name"] in OWN_WORDS
        yield key, messages, chunks, not bare


def repair_fact_rows(connection: sqlite3.Connection) -> None:
    """Delete everything without evidence and queue its documents for extraction. A fact that lost chunks is left with
    fewer chunks than messages; the next resolution of its cluster adds them.
    """
    faults = find_inconsistencies(connection)
    for table in OF_DOCUMENTS:
        connection.execute(f"DELETE FROM {table} WHERE document NOT IN (SELECT id FROM documents)")
    for document in faults.unfounded:
        for table in ("windows", "statements"):
            connection.execute(f"DELETE FROM {table} WHERE document = ?", (document,))
        connection.execute("INSERT OR IGNORE INTO unread VALUES (?)", (document,))
    _drop_facts(connection, faults.unsupported)
    _drop_chunks(connection, faults.strays)
    meant = "SELECT c.key FROM chunks c JOIN makes k ON k.id = c.make WHERE k.strategy = ?"
    chunks = {row[0] for row in connection.execute(meant, (FACT_STRATEGY,))}
    connection.execute("DELETE FROM fact_messages")
    for key, messages, fact_chunks, _ in list(_present(connection)):
        rows = [(key, message) for message in messages]
        connection.executemany("INSERT OR IGNORE INTO fact_messages VALUES (?, ?)", rows)
        if key in faults.bare:
            left = orjson.dumps([str(uuid_of(chunk)) for chunk in fact_chunks if chunk in chunks]).decode()
            connection.execute(
                "UPDATE facts SET body = json_set(body, '$.chunks', json(?)) WHERE key = ? AND replaced IS NULL",
                (left, key),
            )
    for table in OF_FACTS[1:]:
        connection.execute(f"DELETE FROM {table} WHERE {_GONE}")
    rebuild_version_messages(connection)
    expansions.repair(connection)


def _drop_facts(connection: sqlite3.Connection, keys: Collection[bytes]) -> None:
    """Delete current facts without evidence, with the chunks that only they have."""
    theirs: set[bytes] = set()
    others: set[bytes] = set()
    for key, _, fact_chunks, _ in _present(connection):
        (theirs if key in keys else others).update(fact_chunks)
    connection.executemany("DELETE FROM facts WHERE key = ? AND replaced IS NULL", [(key,) for key in keys])
    _drop_chunks(connection, theirs - others)


def _drop_chunks(connection: sqlite3.Connection, keys: Collection[bytes]) -> None:
    apply_changes(connection, WriteBatch(dropped_chunks=[uuid_of(key) for key in keys]), read=True)
