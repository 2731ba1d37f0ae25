"""Checks memory.db for consistency: hashes, checksums and counts of its rows."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

from ...schemas.errors import StoreError
from ...schemas.keys import text_hash
from ..records import REPAIR, CheckResult
from ..sqlite_wal import is_read_error
from .codec import embed_text
from .errors import row_errors
from .fact_log import renumber
from .identity_rows import recount_identities, wrong_identities
from .integrity_facts import OF_DOCUMENTS, check_fact_rows, repair_fact_rows
from .invariants import check_nothing_lost, count_source_rows
from .migrations import copies
from .row_counts import recount, wrong_counts
from .vectors import await_all, current_model, generation_of, sizes_of_spaces

_AGAIN = "restore a backup (memd restore), or forget that document and ingest its source again"


def check_database(connection: sqlite3.Connection, path: Path) -> list[CheckResult]:
    """Check pages, references, counts, texts, vectors, people, facts and queues; return one result per topic."""
    damage = _damage(connection)
    if damage:
        return [
            CheckResult("database", "error", damage, "restore a backup (memd restore), or ingest the sources again")
        ]
    results = [CheckResult("database", "ok", "every page and every reference is whole")]
    results += _counts(connection)
    results.append(_texts(connection))
    results.append(_stored_vectors(connection))
    results.append(_people(connection))
    results += check_fact_rows(connection)
    results += _waiting(connection)
    old = copies(path)
    if old:
        size = sum(copy.stat().st_size for copy in old)
        hint = f"delete {', '.join(copy.name for copy in old)} when you are content with the present store"
        results.append(CheckResult("copies", "warning", f"copies of older formats take {size:,} bytes", hint))
    return results


def _damage(connection: sqlite3.Connection) -> str:
    problems = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
    if any(map(is_read_error, problems)):
        raise StoreError(
            "the disk does not answer as it should",
            hint="check the disk, then try again: nothing says that memory.db is damaged",
        )
    if problems != ["ok"]:
        return f"SQLite found damage: {problems[0][:200]}"
    broken = [row for row in connection.execute("PRAGMA foreign_key_check") if row[0] not in OF_DOCUMENTS]
    return f"{len(broken)} rows of {broken[0][0]} refer to rows that are not there" if broken else ""


def _counts(connection: sqlite3.Connection) -> Iterator[CheckResult]:
    wrong = connection.execute(
        "SELECT count(*) FROM speakers s WHERE messages <> (SELECT count(*) FROM messages m WHERE m.speaker = s.id)"
    ).fetchone()[0]
    if wrong:
        yield CheckResult(
            "counts", "error", f"{wrong} speakers have a wrong number of messages", REPAIR, repairable=True
        )
    bare = connection.execute(
        "SELECT count(*) FROM messages m WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.message = m.id)"
        " AND length(trim(m.content)) > 0"
    ).fetchone()[0]
    if bare:
        hint = "memd reindex cuts them again"
        yield CheckResult("chunks", "error", f"{bare} messages have no chunk and cannot be found", hint)
    returned = connection.execute(
        "SELECT (SELECT count(*) FROM tombstones t JOIN messages m ON m.key = t.key)"
        " + (SELECT count(*) FROM tombstones t JOIN documents d ON d.key = t.key)"
    ).fetchone()[0]
    if returned:
        yield CheckResult("tombstones", "error", f"{returned} forgotten things came back", "forget them again")
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM chunks").fetchone()
    (counter,) = connection.execute("SELECT value FROM meta WHERE name = 'chunk'").fetchone()
    if last > counter:
        yield CheckResult("counts", "error", "the counter of chunks is behind its rows", REPAIR, repairable=True)
    miscounted = wrong_counts(connection)
    if miscounted:
        name, (kept, there) = next(iter(sorted(miscounted.items())))
        detail = f"{len(miscounted)} counts are wrong: {name} is {kept} and should be {there}"
        yield CheckResult("counts", "error", detail, REPAIR, repairable=True)
    if not (wrong or bare or returned or miscounted or last > counter):
        yield CheckResult("counts", "ok", "counts agree with the rows")


def _people(connection: sqlite3.Connection) -> CheckResult:
    """Check the names per source against the documents, the persons against the decisions, and the decisions' format."""
    decided = connection.execute(
        "SELECT count(*), coalesce(sum(action NOT IN ('merge', 'split', 'undo') OR length(keys) % 16 <> 0"
        " OR (action = 'undo') <> (target IS NOT NULL)), 0) FROM people_decisions"
    ).fetchone()
    if decided[1]:
        return CheckResult("people", "error", f"{decided[1]} decisions on people cannot be read", _AGAIN_DECIDED)
    if wrong := wrong_identities(connection):
        detail = f"{wrong} names of people are not those of the documents and decisions"
        return CheckResult("people", "error", detail, REPAIR, repairable=True)
    (count,) = connection.execute("SELECT count(DISTINCT key) FROM identities").fetchone()
    return CheckResult("people", "ok", f"{count} names of people by source, {decided[0]} decisions on them")


_AGAIN_DECIDED = "restore a backup (memd restore); `memd people log` shows the others"
_SLICES = """
SELECT c.id, t.hash, c.embed, s.name, c.start, c."end", coalesce(m.content, d.content) FROM chunks c
JOIN texts t ON t.id = c.text JOIN documents d ON d.id = c.document
LEFT JOIN messages m ON m.id = c.message LEFT JOIN speakers s ON s.id = m.speaker
"""


def _texts(connection: sqlite3.Connection) -> CheckResult:
    checked = wrong = 0
    for _, digest, embed, speaker, start, end, content in connection.execute(_SLICES):
        checked += 1
        with row_errors():
            inside = content is not None and 0 <= start <= end <= len(content)
            text = embed if embed is not None else embed_text(speaker, (content or "")[start:end])
            wrong += not inside or text_hash(text) != digest
    if wrong:
        return CheckResult("texts", "error", f"{wrong} of {checked} texts are not what was stored", _AGAIN)
    return CheckResult("texts", "ok", f"{checked} texts have their hash")


def _stored_vectors(connection: sqlite3.Connection) -> CheckResult:
    sizes = sizes_of_spaces(connection)
    checked = wrong = 0
    for owner, vector, checksum in connection.execute("SELECT model, vector, crc FROM vectors"):
        checked += 1
        wrong += zlib.crc32(vector) != checksum or sizes.get(owner, len(vector)) != len(vector)
    if wrong:
        return CheckResult(
            "vectors", "error", f"{wrong} of {checked} vectors are damaged", f"{REPAIR} of its text", repairable=True
        )
    return CheckResult("vectors", "ok", f"{checked} vectors have their checksum")


def _waiting(connection: sqlite3.Connection) -> Iterator[CheckResult]:
    lost = connection.execute(
        "SELECT count(DISTINCT c.text) FROM chunks c WHERE coalesce(c.embed, ' ') <> '' AND NOT EXISTS"
        " (SELECT 1 FROM vectors v WHERE v.text = c.text AND v.model = ?1)"
        " AND NOT EXISTS (SELECT 1 FROM pending p WHERE p.text = c.text)",
        (current_model(connection),),
    ).fetchone()[0]
    unlogged = connection.execute(
        "SELECT count(*) FROM chunks c WHERE NOT EXISTS (SELECT 1 FROM word_changes w WHERE w.chunk = c.id)"
    ).fetchone()[0]
    if lost and generation_of(connection) is not None:
        yield CheckResult(
            "pending", "error", f"{lost} texts wait for a vector, unknown to the queue", REPAIR, repairable=True
        )
    if unlogged:
        yield CheckResult(
            "changes", "error", f"{unlogged} chunks are unknown to the words index", REPAIR, repairable=True
        )
    if not lost and not unlogged:
        (count,) = connection.execute("SELECT count(*) FROM pending").fetchone()
        yield CheckResult(
            "pending", "ok", f"{count} texts wait for their vector" if count else "no text waits for a vector"
        )


def repair(connection: sqlite3.Connection) -> None:
    """Delete facts without evidence, and rebuild counts, queues and change logs; damaged vectors are deleted and queued
    again.

    Raises:
        StoreError: pages or references are damaged, so there is nothing to rebuild from.
    """
    if damage := _damage(connection):
        raise StoreError(damage, hint="restore a backup (memd restore), or ingest the sources again")
    before = count_source_rows(connection)
    repair_fact_rows(connection)
    connection.execute("UPDATE speakers SET messages = (SELECT count(*) FROM messages m WHERE m.speaker = speakers.id)")
    connection.execute(
        "UPDATE meta SET value = max(value, (SELECT coalesce(max(id), 0) FROM chunks)) WHERE name = 'chunk'"
    )
    recount(connection)
    recount_identities(connection)
    sizes = sizes_of_spaces(connection)
    damaged = [
        (owner, text)
        for owner, text, vector, checksum in connection.execute("SELECT model, text, vector, crc FROM vectors")
        if zlib.crc32(vector) != checksum or sizes.get(owner, len(vector)) != len(vector)
    ]
    connection.executemany("DELETE FROM vectors WHERE model = ? AND text = ?", damaged)
    if generation_of(connection) is not None:
        await_all(connection, current_model(connection))
    for log in ("word_changes", "vector_changes"):
        connection.execute(f"DELETE FROM {log}")
        (start,) = connection.execute("SELECT value FROM meta WHERE name = 'sequence'").fetchone()
        connection.execute(f"INSERT INTO {log} SELECT ? + row_number() OVER (ORDER BY id), id FROM chunks", (start,))
        (count,) = connection.execute("SELECT count(*) FROM chunks").fetchone()
        connection.execute("UPDATE meta SET value = ? WHERE name = 'sequence'", (start + count,))
    renumber(connection)
    check_nothing_lost(connection, before)
