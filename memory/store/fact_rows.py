"""Windows, statements, facts and their versions in SQLite. Written in the caller's transaction."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import orjson

from ...schemas import Fact
from ...schemas.times import utc_microseconds
from ..extraction.records import DocumentExtraction, StoredStatement, WindowRecord
from ..extraction.statement_json import statement_from_json, statement_to_json
from ..records import RULES, StoredFact
from ..search_types import FactFilter
from ..text.names import folded, spellings
from ..write_batches import KnowledgeUpdate
from . import expansions, fact_names, refused_rows, unread_windows
from .codec import json_of, utc_of, uuid_of
from .documents_write import apply_changes, identifiers
from .errors import decoding
from .fact_links import drop_link_keys, put_link_keys
from .fact_names import NamedIn
from .invariants import GROUNDED, require_before_write
from .row_counts import REJECTED, count_of, counts_under
from .sql import rows_for


def pending_extraction(connection: sqlite3.Connection, after: int, limit: int) -> list[tuple[int, UUID]]:
    """Documents to read behind a row, with their rows, the oldest first."""
    statement = """
        SELECT u.document, d.key FROM unread u JOIN documents d ON d.id = u.document
        WHERE u.document > ? ORDER BY u.document LIMIT ?"""
    return [(row, uuid_of(key)) for row, key in connection.execute(statement, (after, limit))]


def pending_extraction_among(connection: sqlite3.Connection, documents: Collection[UUID]) -> set[UUID]:
    """Return the subset of these documents that await extraction."""
    statement = "SELECT d.key FROM documents d JOIN unread u ON u.document = d.id WHERE d.key IN ({})"
    return {uuid_of(key) for (key,) in rows_for(connection, statement, (key.bytes for key in documents))}


def pending_versions(connection: sqlite3.Connection, after: int, limit: int) -> list[tuple[int, UUID, str]]:
    """Return the documents of `pending_extraction`, each with its version: its kind, of the inputs merged into the document
    their number and one digest, and the number of renames in all. It changes with its words, with somebody's name, and
    when a text is retired, which keeps its inputs.
    """
    statement = """
        SELECT u.document, d.key,
            d.kind || (SELECT count(*) || hex(max(g.digest)) FROM digests g WHERE g.document = u.document)
            || (SELECT count(*) FROM renames)
        FROM unread u JOIN documents d ON d.id = u.document
        WHERE u.document > ? ORDER BY u.document LIMIT ?"""
    return [(row, uuid_of(key), version) for row, key, version in connection.execute(statement, (after, limit))]


def provisional_count(connection: sqlite3.Connection) -> int:
    """Number of documents that await extraction, or another attempt, and of which the rules read parts meanwhile."""
    if recorded_extractor(connection).startswith(_BY_RULES):
        return 0
    statement = """
        SELECT count(*) FROM (SELECT document FROM unread UNION SELECT document FROM unread_windows) u
        WHERE EXISTS (SELECT 1 FROM windows w WHERE w.document = u.document AND substr(w.extractor, 1, ?) = ?)"""
    return int(connection.execute(statement, (len(_BY_RULES), _BY_RULES)).fetchone()[0])


_BY_RULES = f"{RULES}/"
"""The prefix of the rules' name and version where an extractor is recorded."""


def pending_extraction_count(connection: sqlite3.Connection) -> int:
    """Number of documents to read."""
    return count_of(connection, "unread")


def rejections(connection: sqlite3.Connection) -> dict[str, int]:
    """Proposals that became no statement, by reason, the most first."""
    counts = counts_under(connection, REJECTED)
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def record_extractor(connection: sqlite3.Connection, extractor: str) -> None:
    """With another extractor than before everything is read anew."""
    if recorded_extractor(connection) != extractor:
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('extractor', ?)", (extractor,))
        connection.execute("DELETE FROM meta WHERE name = 'row_versions'")  # which former versions kept
        connection.execute("INSERT OR IGNORE INTO unread SELECT id FROM documents")
        connection.execute("DELETE FROM unread_windows")  # what one cannot read another may


def recorded_extractor(connection: sqlite3.Connection) -> str:
    """The extractor in use; empty where there never was one."""
    row = connection.execute("SELECT value FROM meta WHERE name = 'extractor'").fetchone()
    return "" if row is None else str(row[0])


_STATEMENT = "SELECT d.key, s.window, s.cluster, s.run, s.body FROM statements s JOIN documents d ON d.id = s.document"


def extractions(connection: sqlite3.Connection, documents: Collection[UUID]) -> dict[UUID, DocumentExtraction]:
    """Return the extraction results of each document."""
    keys = [key.bytes for key in documents]
    notes: defaultdict[UUID, list[WindowRecord]] = defaultdict(list)
    statement = (
        "SELECT d.key, w.hash, w.extractor, w.rejected, w.summary FROM windows w JOIN documents d ON d.id = w.document"
        " WHERE d.key IN ({})"
    )
    for key, digest, extractor, rejected, summary in rows_for(connection, statement, keys):
        counts: dict[str, int] = json_of(rejected) if rejected else {}
        notes[uuid_of(key)].append(WindowRecord(digest, extractor, counts, summary or ""))
    statements: defaultdict[UUID, list[StoredStatement]] = defaultdict(list)
    for key, *rest in rows_for(connection, f"{_STATEMENT} WHERE d.key IN ({{}})", keys):
        statements[uuid_of(key)].append(_stored(rest))
    return {key: DocumentExtraction(key, notes[key], statements[key]) for key in {*notes, *statements}}


@decoding
def _stored(row: Sequence[Any]) -> StoredStatement:
    window, cluster, run, body = row
    return StoredStatement(statement_from_json(body), window, cluster, run)


def clusters(connection: sqlite3.Connection, names: Collection[str]) -> dict[str, list[StoredStatement]]:
    """The statements of each cluster that are believed."""
    statements: dict[str, list[StoredStatement]] = {name: [] for name in names}
    statement = f"{_STATEMENT} WHERE s.cluster IN ({{}}) AND s.key NOT IN (SELECT statement FROM excluded)"
    for _, *rest in rows_for(connection, statement, set(names)):
        stored = _stored(rest)
        statements[stored.cluster].append(stored)
    return statements


def excluded(connection: sqlite3.Connection) -> dict[UUID, str]:
    """Statements that are not believed."""
    return {uuid_of(key): run for key, run in connection.execute("SELECT statement, run FROM excluded")}


def excluded_statements(connection: sqlite3.Connection) -> list[StoredStatement]:
    """Statements that are stored and not believed."""
    rows = connection.execute(f"{_STATEMENT} WHERE s.key IN (SELECT statement FROM excluded)")
    return [_stored(rest) for _, *rest in rows]


def statements_of_run(connection: sqlite3.Connection, run: str) -> list[StoredStatement]:
    """Return the statements that a run extracted first, excluded or not. Scans all statements; only undoing a run needs
    it.
    """
    return [_stored(rest) for _, *rest in connection.execute(f"{_STATEMENT} WHERE s.run = ?", (run,))]


def apply_knowledge(connection: sqlite3.Connection, update: KnowledgeUpdate) -> None:
    """Replace extractions, keep versions, and the chunks that go with them."""
    at = utc_microseconds(update.at)
    _put_extractions(connection, update.extractions, update.run)
    for key in update.included:
        connection.execute("DELETE FROM excluded WHERE statement = ?", (key.bytes,))
    connection.executemany(
        # What was undone may be forgotten later: the run that was the last to disbelieve it counts.
        "INSERT OR REPLACE INTO excluded VALUES (?, ?, ?)",
        [(key.bytes, update.run, at) for key in update.excluded],
    )
    _erase(connection, update.erased)
    drop_link_keys(connection, update.gone)
    changed = [each.fact.id.bytes for each in update.facts]
    closed = [*changed, *(key.bytes for key in update.gone)]
    connection.executemany(
        "UPDATE facts SET replaced = ? WHERE key = ? AND replaced IS NULL", [(at, key) for key in closed]
    )
    connection.executemany("DELETE FROM fact_messages WHERE fact = ?", [(key,) for key in closed])
    for each in update.facts:
        _put_fact(connection, each)
    put_link_keys(connection, update.link_keys)
    dropped = _without_named(connection, update.changes.dropped_chunks)
    apply_changes(connection, replace(update.changes, dropped_chunks=dropped), read=True)
    if update.extractions:
        read = identifiers(connection, "documents", [reading.document for reading in update.extractions])
        expansions.refresh(connection, read.values())


def _without_named(connection: sqlite3.Connection, chunks: Sequence[UUID]) -> list[UUID]:
    """These chunks without those of present facts: facts of different clusters share a chunk when their messages and words are the same."""
    statement = """
        SELECT DISTINCT f.fact FROM chunks c CROSS JOIN messages m ON m.id = c.message
        CROSS JOIN fact_messages f ON f.message = m.key WHERE c.key IN ({})"""
    keys = {row[0] for row in rows_for(connection, statement, [key.bytes for key in chunks])}
    present = rows_for(connection, f"{_FACT} WHERE key IN ({{}}) AND replaced IS NULL", keys)
    named = {chunk for row in present for chunk in version_of(row).chunks}
    return [key for key in chunks if key not in named]


def _erase(connection: sqlite3.Connection, names: Collection[str]) -> None:
    statement = "SELECT DISTINCT key FROM facts WHERE cluster IN ({})"
    keys = [row[0] for row in rows_for(connection, statement, set(names))]
    connection.executemany("DELETE FROM fact_messages WHERE fact = ?", [(key,) for key in keys])
    connection.executemany("DELETE FROM facts WHERE key = ?", [(key,) for key in keys])
    drop_link_keys(connection, map(uuid_of, keys))


def _put_extractions(connection: sqlite3.Connection, readings: Sequence[DocumentExtraction], run: str) -> None:
    documents = identifiers(connection, "documents", [reading.document for reading in readings])
    for reading in readings:
        document = documents[reading.document]
        connection.execute("DELETE FROM windows WHERE document = ?", (document,))
        connection.execute("DELETE FROM statements WHERE document = ?", (document,))
        connection.executemany(
            "INSERT INTO windows VALUES (?, ?, ?, ?, ?)",
            [
                (
                    document,
                    note.hash,
                    note.extractor,
                    orjson.dumps(dict(note.rejected)).decode() if note.rejected else None,
                    note.summary or None,
                )
                for note in reading.windows
            ],
        )
        connection.executemany(
            "INSERT OR IGNORE INTO statements (key, document, window, cluster, run, body) VALUES (?, ?, ?, ?, ?, ?)",
            [
                (
                    each.statement.key.bytes,
                    document,
                    each.window,
                    each.cluster,
                    each.run,
                    statement_to_json(each.statement),
                )
                for each in reading.statements
            ],
        )
        refused_rows.put(connection, document, run, reading.windows)
        if not reading.provisional:
            unread_windows.put(connection, document, reading.unread)
            connection.execute("DELETE FROM unread WHERE document = ?", (document,))


def _put_fact(connection: sqlite3.Connection, stored: StoredFact) -> None:
    fact = stored.fact
    require_before_write(stored.messages, GROUNDED)
    begins = fact.valid_from or fact.observed_at
    cursor = connection.execute(
        "INSERT INTO facts (key, cluster, speaker, subject, attribute, status, micros, until, recorded, run, body)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            fact.id.bytes,
            stored.cluster,
            folded(fact.speaker),
            folded(fact.subject),
            fact.attribute,
            fact.status,
            utc_microseconds(begins),
            None if fact.valid_to is None else utc_microseconds(fact.valid_to),
            utc_microseconds(fact.recorded_at),
            stored.run,
            _body(stored),
        ),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO fact_messages VALUES (?, ?)",
        [(fact.id.bytes, key.bytes) for key in stored.messages],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO version_messages VALUES (?, ?)",
        [(cursor.lastrowid, key.bytes) for key in stored.messages],
    )


_FACT = "SELECT id, cluster, run, replaced, body FROM facts"


@decoding
def version_of(row: Sequence[Any]) -> StoredFact:
    """A version from a row of id, cluster, run, replaced and body."""
    _, cluster, run, replaced, body = row
    held = orjson.loads(body)
    return StoredFact(
        Fact.model_validate_json(orjson.dumps(held["fact"])),
        cluster,
        run,
        tuple(map(UUID, held["messages"])),
        None if replaced is None else utc_of(replaced),
        tuple(map(UUID, held.get("chunks", ()))),
    )


def _body(stored: StoredFact) -> str:
    fact = stored.fact.model_dump(mode="json", exclude_defaults=True, exclude={"links", "first_observed_at"})
    held = {"fact": fact, "messages": list(map(str, stored.messages)), "chunks": list(map(str, stored.chunks))}
    return orjson.dumps(held).decode()


def attributes(connection: sqlite3.Connection) -> set[str]:
    """Return the attributes of all versions of facts."""
    return {name for (name,) in connection.execute("SELECT DISTINCT attribute FROM facts")}


def facts(connection: sqlite3.Connection, where: FactFilter, after: int, limit: int) -> list[tuple[int, StoredFact]]:
    """One page, by the number of the version."""
    condition, bound = _fact_conditions(where)
    lists = {
        "subject": fact_names.places(connection, where.subjects),
        "speaker": fact_names.places(connection, where.speakers),
        "attribute": [NamedIn(list(dict.fromkeys(where.attributes)))] if where.attributes else [],
        "status": [NamedIn(list(dict.fromkeys(where.statuses)))] if where.statuses else [],
    }
    wanted = {column: places for column, places in lists.items() if places}
    leading = None if where.keys or where.messages else next(iter(wanted), None)
    for column, places in wanted.items():
        if column != leading:
            # The plus keeps SQLite from taking the index of another column than the one that leads.
            only, values = fact_names.condition(column, places)
            condition += f" AND {only}"
            bound += values
    if leading is None:
        rows = connection.execute(f"{_FACT} WHERE id > ? AND {condition} ORDER BY id LIMIT ?", [after, *bound, limit])
        return [(row[0], version_of(row)) for row in rows]
    # Each value by itself comes in the order of the page, so that no page sorts all that is left.
    versions: dict[int, Any] = {}
    for names, here, place in wanted[leading]:
        only = f"{condition} AND {here}" if here else condition
        statement = f"{_FACT} WHERE {leading} = ? AND id > ? AND {only} ORDER BY id LIMIT ?"
        for value in names:
            values = [value, after, *bound, *place, limit]
            versions.update((row[0], row) for row in connection.execute(statement, values))
    return [(row, version_of(versions[row])) for row in sorted(versions)[:limit]]


def facts_behind(
    connection: sqlite3.Connection, messages: Sequence[UUID], where: FactFilter, limit: int, about: Collection[str] = ()
) -> list[StoredFact]:
    """The first facts that rest on these messages: what holds before what is over, who is asked about before others,
    then in the order of the messages.

    Args:
        connection: to the store.
        messages: the best first.
        where: the statuses and the moment that are asked for; the rest of the filter is not used.
        limit: how many facts are wanted.
        about: names of whom the question names.
    """
    place = {message.bytes: number for number, message in enumerate(messages)}
    first: dict[bytes, int] = {}
    for fact, message in rows_for(connection, "SELECT fact, message FROM fact_messages WHERE message IN ({})", place):
        first[fact] = min(place[message], first.get(fact, len(place)))
    condition, bound = _fact_conditions(FactFilter(as_of=where.as_of))
    statement = f"SELECT status <> 'active', subject, key, id, status FROM facts WHERE key IN ({{}}) AND {condition}"
    subjects = spellings(about)
    order = sorted(
        (over, subject not in subjects, first[key], row)
        for over, subject, key, row, status in rows_for(connection, statement, first, *bound)
        if not where.statuses or status in where.statuses
    )
    chosen = [row for *_, row in order[:limit]]
    versions = {row[0]: version_of(row) for row in rows_for(connection, f"{_FACT} WHERE id IN ({{}})", chosen)}
    return [versions[row] for row in chosen]


def _fact_conditions(where: FactFilter) -> tuple[str, list[Any]]:
    """Return the SQL condition for a version, except for the conditions on names."""
    conditions, bound = ["replaced IS NULL"], list[Any]()
    if where.known_at is not None:
        at = utc_microseconds(where.known_at)
        conditions, bound = ["recorded <= ? AND (replaced IS NULL OR replaced > ?)"], [at, at]
    if where.as_of is not None:
        at = utc_microseconds(where.as_of)
        # A plan that is due is nobody's past: whether it happened is not known.
        conditions.append(
            "micros <= ? AND (until IS NULL OR until > ? OR (+attribute = 'plan' AND +status = 'active'))"
        )
        bound += [at, at]
    if where.keys:
        conditions.append(_any("key", where.keys))
        bound += [key.bytes for key in where.keys]
    if where.messages:
        conditions.append(f"key IN (SELECT fact FROM fact_messages WHERE {_any('message', where.messages)})")
        bound += [key.bytes for key in where.messages]
    return " AND ".join(conditions), bound


def _any(column: str, values: Collection[Any]) -> str:
    return f"{column} IN ({','.join('?' * len(values))})"


def facts_of_clusters(connection: sqlite3.Connection, names: Collection[str]) -> dict[UUID, StoredFact]:
    """The present ones."""
    rows = rows_for(connection, f"{_FACT} WHERE replaced IS NULL AND cluster IN ({{}})", set(names))
    return {stored.fact.id: stored for stored in map(version_of, rows)}


def history(connection: sqlite3.Connection, fact: UUID) -> list[StoredFact]:
    """All versions, the oldest first."""
    return [version_of(row) for row in connection.execute(f"{_FACT} WHERE key = ? ORDER BY id", (fact.bytes,))]


def facts_of_run(connection: sqlite3.Connection, run: str) -> list[StoredFact]:
    """Return the versions that a run made."""
    return [version_of(row) for row in connection.execute(f"{_FACT} WHERE run = ? ORDER BY id", (run,))]


def documents_of(connection: sqlite3.Connection, messages: Collection[UUID]) -> dict[UUID, UUID]:
    """The documents of messages and of pieces of texts; a text is its own."""
    keys = [key.bytes for key in messages]
    statement = "SELECT m.key, d.key FROM messages m JOIN documents d ON d.id = m.document WHERE m.key IN ({})"
    documents = {uuid_of(message): uuid_of(document) for message, document in rows_for(connection, statement, keys)}
    statement = "SELECT c.key, d.key FROM chunks c JOIN documents d ON d.id = c.document WHERE c.key IN ({})"
    documents |= {uuid_of(piece): uuid_of(document) for piece, document in rows_for(connection, statement, keys)}
    for (key,) in rows_for(connection, "SELECT key FROM documents WHERE key IN ({})", keys):
        documents[uuid_of(key)] = uuid_of(key)
    return documents


def messages_in_scope(
    connection: sqlite3.Connection, messages: Collection[UUID], scope: Sequence[Sequence[str]]
) -> set[UUID]:
    """The messages, and the texts, among these whose documents have a tag of each of these groups."""
    documents = documents_of(connection, messages)
    inside = set(documents.values())
    for group in scope:
        statement = (
            "SELECT DISTINCT d.key FROM documents d JOIN tags t ON t.document = d.id"
            f" WHERE d.key IN ({{}}) AND t.tag IN ({','.join('?' * len(group))})"
        )
        rows = rows_for(connection, statement, [key.bytes for key in inside], *group)
        inside = {uuid_of(key) for (key,) in rows}
    return {message for message, document in documents.items() if document in inside}


def changed(connection: sqlite3.Connection, documents: Iterable[int]) -> None:
    """These documents must be read again."""
    connection.executemany("INSERT OR IGNORE INTO unread VALUES (?)", [(document,) for document in documents])


def reset_knowledge(connection: sqlite3.Connection, documents: Collection[int]) -> None:
    """Before documents go: what was read in them."""
    for table in ("statements", "windows", "unread", "unread_windows", "refused"):
        connection.executemany(f"DELETE FROM {table} WHERE document = ?", [(document,) for document in documents])
    expansions.refresh(connection, documents)
