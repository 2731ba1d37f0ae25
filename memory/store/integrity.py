"""Comparing what is on disk with itself: SQLite's rows with their hashes and counts, both indexes with SQLite."""

# ruff: noqa: S608 - statements are put together of names and conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...schemas.errors import StoreError
from ...schemas.keys import text_hash
from ..index.segment_checksums import check_footers
from ..index.tantivy_text import TantivyIndex
from ..index.usearch_vectors import SNAPSHOT, VectorIndex, whole
from ..records import CheckResult
from .codec import embed_text
from .errors import ExhaustedError, raise_if_exhausted, row_errors
from .integrity_facts import OF_DOCUMENTS, check_knowledge, repair_knowledge
from .invariants import check_kept, said
from .migrations import copies
from .row_counts import recount, wrong_counts
from .vectors import await_all, current_model, generation_of

_AGAIN = "restore a backup (memd restore), or forget that document and ingest its source again"
_REPAIR = "memd doctor --repair makes it anew"
LOOKS = 3
LOOSE = 0.999
"""Cosine between a vector and what the index holds of it in 16 bits; rounding costs less than a thousandth."""


def check_database(connection: sqlite3.Connection, path: Path) -> list[CheckResult]:
    """Pages, references, counts, texts, vectors, and what waits."""
    damage = _damage(connection)
    if damage:
        return [
            CheckResult("database", "error", damage, "restore a backup (memd restore), or ingest the sources again")
        ]
    found = [CheckResult("database", "ok", "every page and every reference is whole")]
    found += _counts(connection)
    found.append(_texts(connection))
    found.append(_stored_vectors(connection))
    found += check_knowledge(connection)
    found += _waiting(connection)
    old = copies(path)
    if old:
        size = sum(copy.stat().st_size for copy in old)
        hint = f"delete {', '.join(copy.name for copy in old)} when you are content with the present store"
        found.append(CheckResult("copies", "warning", f"copies of older formats take {size:,} bytes", hint))
    return found


def _damage(connection: sqlite3.Connection) -> str:
    problems = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
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
            "counts", "error", f"{wrong} speakers have a wrong number of messages", _REPAIR, repairable=True
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
        yield CheckResult("counts", "error", "the counter of chunks is behind its rows", _REPAIR, repairable=True)
    miscounted = wrong_counts(connection)
    if miscounted:
        name, (kept, there) = next(iter(sorted(miscounted.items())))
        detail = f"{len(miscounted)} counts are wrong: {name} is {kept} and should be {there}"
        yield CheckResult("counts", "error", detail, _REPAIR, repairable=True)
    if not (wrong or bare or returned or miscounted or last > counter):
        yield CheckResult("counts", "ok", "counts agree with the rows")


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
    generation = generation_of(connection)
    size = 0 if generation is None else generation.dimension * 4
    model = current_model(connection)
    checked = wrong = 0
    for owner, vector, checksum in connection.execute("SELECT model, vector, crc FROM vectors"):
        checked += 1
        wrong += zlib.crc32(vector) != checksum or (owner == model and len(vector) != size)
    if wrong:
        return CheckResult(
            "vectors", "error", f"{wrong} of {checked} vectors are damaged", f"{_REPAIR} of its text", repairable=True
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
            "pending", "error", f"{lost} texts wait for a vector, unknown to the queue", _REPAIR, repairable=True
        )
    if unlogged:
        yield CheckResult(
            "changes", "error", f"{unlogged} chunks are unknown to the words index", _REPAIR, repairable=True
        )
    if not lost and not unlogged:
        (count,) = connection.execute("SELECT count(*) FROM pending").fetchone()
        yield CheckResult(
            "pending", "ok", f"{count} texts wait for their vector" if count else "no text waits for a vector"
        )


def check_words(connection: sqlite3.Connection, index: TantivyIndex) -> list[CheckResult]:
    """The files' checksums, and whether exactly the chunks are in it.

    Raises:
        ExhaustedError: there is not enough memory, or there are too few descriptors, to tell.
    """
    for left in reversed(range(LOOKS)):
        try:
            check_footers(index.directory)
            break
        except (OSError, ValueError) as error:
            if isinstance(error, OSError):
                raise_if_exhausted(error)
            # A merge in a thread of tantivy's may be changing the files while we look; damage stays.
            if not left:
                detail = f"a file of the words index is damaged: {error}"
                return [CheckResult("words", "error", detail, _REPAIR, repairable=True)]
            time.sleep(0.2)
    try:
        present = index.rows()
    except ExhaustedError:
        raise
    except StoreError as error:
        return [CheckResult("words", "error", error.message, _REPAIR, repairable=True)]
    stored = {row[0] for row in connection.execute("SELECT id FROM chunks")}
    if present != stored:
        detail = f"the words index lacks {len(stored - present)} chunks and has {len(present - stored)} too many"
        return [CheckResult("words", "error", detail, _REPAIR, repairable=True)]
    return [CheckResult("words", "ok", f"the words index has all {len(stored)} chunks")]


def check_vectors(connection: sqlite3.Connection, index: VectorIndex | None, directory: Path) -> list[CheckResult]:
    """The snapshot's checksum, whether exactly the chunks with a vector are in the index, and whether they are near.

    Raises:
        ExhaustedError: there is not enough memory, or there are too few descriptors, to tell.
    """
    if index is None:
        return [CheckResult("nearest", "ok", "there is no vector index: nothing was embedded yet")]
    if (directory / SNAPSHOT).exists() and not whole(directory / SNAPSHOT):
        return [
            CheckResult("nearest", "error", "the snapshot of the vector index is damaged", _REPAIR, repairable=True)
        ]
    rows = connection.execute(
        "SELECT c.id, v.vector FROM chunks c JOIN vectors v ON v.text = c.text WHERE v.model = ? ORDER BY c.id",
        (current_model(connection),),
    )
    missing = strange = count = 0
    while part := rows.fetchmany(2_000):
        held = index.get([row[0] for row in part])
        for (_, data), vector in zip(part, held, strict=True):
            count += 1
            if len(data) != index.dimension * 4:
                count -= 1  # told of as damaged already; it is not followed
            elif vector is None:
                missing += 1
            else:
                truth = np.frombuffer(data, dtype="<f4")
                norms = float(np.linalg.norm(truth) * np.linalg.norm(vector))
                strange += not norms or float(truth @ vector) / norms < LOOSE
    extra = len(index) - (count - missing)
    if missing or strange or extra:
        detail = f"the vector index lacks {missing} chunks, has {extra} too many and {strange} that are not the store's"
        return [CheckResult("nearest", "error", detail, _REPAIR, repairable=True)]
    return [CheckResult("nearest", "ok", f"the vector index has all {count} vectors")]


def repair(connection: sqlite3.Connection) -> None:
    """Make what is known fit what it rests on, and counts, queues and change logs anew; vectors that are damaged are dropped and wait to be made again.

    Raises:
        StoreError: pages or references are damaged: there is nothing to make them anew from.
    """
    if damage := _damage(connection):
        raise StoreError(damage, hint="restore a backup (memd restore), or ingest the sources again")
    before = said(connection)
    repair_knowledge(connection)
    connection.execute("UPDATE speakers SET messages = (SELECT count(*) FROM messages m WHERE m.speaker = speakers.id)")
    connection.execute(
        "UPDATE meta SET value = max(value, (SELECT coalesce(max(id), 0) FROM chunks)) WHERE name = 'chunk'"
    )
    recount(connection)
    generation = generation_of(connection)
    size = 0 if generation is None else generation.dimension * 4
    model = current_model(connection)
    damaged = [
        (owner, text)
        for owner, text, vector, checksum in connection.execute("SELECT model, text, vector, crc FROM vectors")
        if zlib.crc32(vector) != checksum or (owner == model and len(vector) != size)
    ]
    connection.executemany("DELETE FROM vectors WHERE model = ? AND text = ?", damaged)
    if generation is not None:
        await_all(connection, model)
    for log in ("word_changes", "vector_changes"):
        connection.execute(f"DELETE FROM {log}")
        (start,) = connection.execute("SELECT value FROM meta WHERE name = 'sequence'").fetchone()
        connection.execute(f"INSERT INTO {log} SELECT ? + row_number() OVER (ORDER BY id), id FROM chunks", (start,))
        (count,) = connection.execute("SELECT count(*) FROM chunks").fetchone()
        connection.execute("UPDATE meta SET value = ? WHERE name = 'sequence'", (start + count,))
    check_kept(connection, before)
