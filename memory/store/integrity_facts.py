"""Comparing what is known with what it rests on, in memory.db: messages, readings, present facts, chunks and links."""

# ruff: noqa: S608 - statements are put together of names of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from ..records import FACT_STRATEGY, RULES, CheckResult
from ..write_batches import WriteBatch
from . import expansions
from .codec import uuid_of
from .documents_write import apply_changes
from .errors import row_errors
from .version_messages import count_wrong_pairs, rebuild_version_messages

_REPAIR = "memd doctor --repair reads and resolves it anew"
OF_DOCUMENTS = ("windows", "statements", "unread", "unread_windows", "refused")
"""Tables of what was read in documents: rows of documents that are gone can go, too."""
OF_FACTS = ("fact_messages", "fact_spots")


@dataclass(slots=True)
class Inconsistencies:
    """What does not fit together."""

    orphans: int = 0
    """Readings of documents that are not there."""
    unfounded: set[int] = field(default_factory=set[int])
    """Documents (rows) with a statement that rests on a message which is not there."""
    unsupported: set[bytes] = field(default_factory=set[bytes])
    """Present facts with no message, or with one that is not there."""
    references: set[tuple[bytes, bytes]] = field(default_factory=set[tuple[bytes, bytes]])
    """(fact, message): by which facts are found, though it is not what they say themselves, or the other way round."""
    strays: set[bytes] = field(default_factory=set[bytes])
    """Chunks of no present fact."""
    bare: set[bytes] = field(default_factory=set[bytes])
    """Present facts under whose words a message is not found."""
    versions: int = 0
    """Messages of versions of facts by which these are not found when the message goes, or the other way round."""
    dangling: int = 0
    """Rows of facts that are not there."""
    expansions: int = 0
    """Words of refused proposals that lead nowhere, those that lead to a message without the proposal, and proposals that
    cannot be read."""


def check_fact_rows(connection: sqlite3.Connection) -> list[CheckResult]:
    """What is known against what it rests on; whether it is what its statements say is not looked at here."""
    found = find_inconsistencies(connection)
    told = [
        (found.orphans, "readings are of documents that are gone"),
        (len(found.unfounded), "documents were read in words that are not there"),
        (len(found.unsupported), "facts rest on nothing that is there"),
        (len(found.references), "references between facts and messages are wrong"),
        (len(found.strays), "words of facts lead to messages without the fact"),
        (len(found.bare), "facts do not lead to their messages"),
        (found.versions, "references between versions of facts and messages are wrong"),
        (found.dangling, "rows are of facts that are gone"),
        (found.expansions, "refused proposals do not lead to their messages, or others do"),
    ]
    wrong = [f"{count} {what}" for count, what in told if count]
    if wrong:
        return [CheckResult("knowledge", "error", "; ".join(wrong), _REPAIR, repairable=True)]
    (count,) = connection.execute("SELECT count(*) FROM facts WHERE replaced IS NULL").fetchone()
    return [CheckResult("knowledge", "ok", f"{count} facts have their messages, and lead to them")]


def find_inconsistencies(connection: sqlite3.Connection) -> Inconsistencies:
    """Everything that does not fit."""
    found = Inconsistencies()
    for table in OF_DOCUMENTS:
        statement = f"SELECT count(*) FROM {table} WHERE document NOT IN (SELECT id FROM documents)"
        found.orphans += connection.execute(statement).fetchone()[0]
    there = {row[0] for row in connection.execute("SELECT key FROM messages")}
    texts = {row[0] for row in connection.execute("SELECT key FROM documents WHERE kind = 'text'")}
    for document, body in connection.execute("SELECT document, body FROM statements"):
        with row_errors():
            cited = {UUID(message).bytes for message, *_ in orjson.loads(body)["evidence"]}
        if not cited <= there | texts or not cited:
            found.unfounded.add(document)
    meant = "SELECT c.key FROM chunks c JOIN makes k ON k.id = c.make WHERE k.strategy = ?"
    chunks = {row[0] for row in connection.execute(meant, (FACT_STRATEGY,))}
    named: set[bytes] = set()
    references: set[tuple[bytes, bytes]] = set()
    for key, messages, own, needs_chunks in _present(connection):
        if not messages or not set(messages) <= there | texts:
            found.unsupported.add(key)
        named |= set(own)
        references |= {(key, message) for message in messages}
        lacks_chunks = len(own) != sum(message in there for message in set(messages)) and (needs_chunks or bool(own))
        if lacks_chunks or not chunks.issuperset(own):
            found.bare.add(key)
    found.strays = chunks - named
    found.references = references ^ set(connection.execute("SELECT fact, message FROM fact_messages"))
    found.versions = count_wrong_pairs(connection)
    for table in OF_FACTS[1:]:
        found.dangling += connection.execute(f"SELECT count(*) FROM {table} WHERE {_GONE}").fetchone()[0]
    found.expansions = expansions.count_wrong(connection)
    return found


_GONE = "fact NOT IN (SELECT key FROM facts WHERE replaced IS NULL)"


def _present(connection: sqlite3.Connection) -> Iterator[tuple[bytes, list[bytes], list[bytes], bool]]:
    """(key, messages, chunks, whether it must have chunks) of the present facts; one by rules may have none."""
    for key, body in connection.execute("SELECT key, body FROM facts WHERE replaced IS NULL"):
        with row_errors():
            held: dict[str, Any] = orjson.loads(body)
            messages, chunks = ([UUID(each).bytes for each in held.get(name, ())] for name in ("messages", "chunks"))
            by_rules = held["fact"]["extractor"]["name"] == RULES
        yield key, messages, chunks, not by_rules


def repair_fact_rows(connection: sqlite3.Connection) -> None:
    """Drop what has no ground, and let its documents be read again. Facts that lost something say so by having fewer
    chunks than messages; whoever resolves them anew gives them the rest.
    """
    found = find_inconsistencies(connection)
    for table in OF_DOCUMENTS:
        connection.execute(f"DELETE FROM {table} WHERE document NOT IN (SELECT id FROM documents)")
    for document in found.unfounded:
        for table in ("windows", "statements"):
            connection.execute(f"DELETE FROM {table} WHERE document = ?", (document,))
        connection.execute("INSERT OR IGNORE INTO unread VALUES (?)", (document,))
    _drop_facts(connection, found.unsupported)
    _drop_chunks(connection, found.strays)
    meant = "SELECT c.key FROM chunks c JOIN makes k ON k.id = c.make WHERE k.strategy = ?"
    chunks = {row[0] for row in connection.execute(meant, (FACT_STRATEGY,))}
    connection.execute("DELETE FROM fact_messages")
    for key, messages, own, _ in list(_present(connection)):
        rows = [(key, message) for message in messages]
        connection.executemany("INSERT OR IGNORE INTO fact_messages VALUES (?, ?)", rows)
        if key in found.bare:
            left = orjson.dumps([str(uuid_of(chunk)) for chunk in own if chunk in chunks]).decode()
            connection.execute(
                "UPDATE facts SET body = json_set(body, '$.chunks', json(?)) WHERE key = ? AND replaced IS NULL",
                (left, key),
            )
    for table in OF_FACTS[1:]:
        connection.execute(f"DELETE FROM {table} WHERE {_GONE}")
    rebuild_version_messages(connection)
    expansions.repair(connection)


def _drop_facts(connection: sqlite3.Connection, keys: Collection[bytes]) -> None:
    """Take present facts away that rest on nothing; their words lead nowhere from now on."""
    theirs: set[bytes] = set()
    others: set[bytes] = set()
    for key, _, own, _ in _present(connection):
        (theirs if key in keys else others).update(own)
    connection.executemany("DELETE FROM facts WHERE key = ? AND replaced IS NULL", [(key,) for key in keys])
    _drop_chunks(connection, theirs - others)


def _drop_chunks(connection: sqlite3.Connection, keys: Collection[bytes]) -> None:
    apply_changes(connection, WriteBatch(dropped_chunks=[uuid_of(key) for key in keys]), read=True)
