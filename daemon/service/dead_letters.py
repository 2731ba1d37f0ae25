"""Dead letters: documents that the store refused too often. They stay in the journal until somebody decides."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Sequence
from typing import Any

import orjson

from ...memory import sqlite_wal
from ...schemas.errors import NotFoundError
from ..journal.journal import Journal
from ..pipeline.pipeline import Pipeline
from .requests import DeadLettersRequest, LettersRequest

SOURCE = "retry"
"""What a run of dead letters is called in progress and status."""


class DeadLetters:
    """What was given up. Methods raise ``StoreError`` when the journal cannot be used, and what they name."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._journal: Journal = pipeline.journal

    async def listing(self, request: DeadLettersRequest) -> dict[str, Any]:
        """A page, the oldest first; ``next`` (for ``after``) when there may be more."""

        def work(connection: sqlite3.Connection) -> list[dict[str, Any]]:
            rows = connection.execute(
                "SELECT seq, run, key, messages, bytes, attempts, error, added FROM entries"
                " WHERE state = 'dead' AND seq > ? ORDER BY seq LIMIT ?",
                (request.after, request.limit),
            )
            return [_line(row) for row in rows]

        lines = await self._journal.run(work)
        return {"dead_letters": lines} | ({"next": lines[-1]["id"]} if len(lines) == request.limit else {})

    async def retry(self, request: LettersRequest) -> dict[str, Any]:
        """Put them back into the queue, as new; returns the ``run`` that they are now, and how many.

        Without any there is no run.

        Raises:
            NotFoundError: an id is none of a dead letter.
            BusyError: the daemon is about to end.
        """
        numbers = await self._chosen(request)
        if not numbers:
            return {"run": None, "documents": 0, "messages": 0}
        counts = (0, 0)

        async def revive(run: str) -> tuple[int, int]:
            nonlocal counts
            counts = await self._journal.run(lambda connection: _revive(connection, numbers, run))
            return counts

        run = await self._pipeline.requeue(SOURCE, revive)
        return {"run": run, "documents": counts[0], "messages": counts[1]}

    async def discard(self, request: LettersRequest) -> dict[str, Any]:
        """Remove them for good; their text is overwritten on the disk when this returns, unless
        another process reads the journal. The purge stays noted as due: one of before may stand for more files.

        Raises:
            NotFoundError: an id is none of a dead letter.
        """
        numbers = await self._chosen(request)
        documents, messages = await self._journal.run(lambda connection: _discard(connection, numbers))
        if documents:
            await self._journal.purge(stays_due=True)
        return {"documents": documents, "messages": messages}

    async def _chosen(self, request: LettersRequest) -> list[int]:
        found, unknown = await self._journal.run(lambda connection: _numbers(connection, request.ids))
        if unknown:
            raise NotFoundError(
                f"{len(unknown)} of these ids name no dead letter", hint="memd retry --list shows what was given up"
            )
        return found


def _numbers(connection: sqlite3.Connection, ids: Sequence[str] | None) -> tuple[list[int], list[str]]:
    """The numbers that ids lead to, by number or the document's own id, and the ids that lead nowhere."""
    if ids is None:
        return [row[0] for row in connection.execute("SELECT seq FROM entries WHERE state = 'dead' ORDER BY seq")], []
    found: set[int] = set()
    unknown: list[str] = []
    for identifier in ids:
        rows = connection.execute(
            "SELECT seq FROM entries WHERE state = 'dead'"
            " AND (CAST(seq AS TEXT) = ?1 OR substr(key, instr(key, char(10)) + 1) = ?1)",
            (identifier,),
        ).fetchall()
        found.update(row[0] for row in rows)
        if not rows:
            unknown.append(identifier)
    return sorted(found), unknown


def _revive(connection: sqlite3.Connection, numbers: Collection[int], run: str) -> tuple[int, int]:
    counts = _counts(connection, numbers)
    connection.execute(
        "UPDATE entries SET state = 'queued', attempts = 0, error = '', run = ? WHERE state = 'dead' AND seq IN"
        " (SELECT value FROM json_each(?))",
        (run, _json(numbers)),
    )
    return counts


def _discard(connection: sqlite3.Connection, numbers: Collection[int]) -> tuple[int, int]:
    counts = _counts(connection, numbers)
    connection.execute(
        "DELETE FROM entries WHERE state = 'dead' AND seq IN (SELECT value FROM json_each(?))", (_json(numbers),)
    )
    sqlite_wal.owe_purge(connection)
    return counts


def _counts(connection: sqlite3.Connection, numbers: Collection[int]) -> tuple[int, int]:
    documents, messages = connection.execute(
        "SELECT count(*), coalesce(sum(messages), 0) FROM entries WHERE state = 'dead' AND seq IN"
        " (SELECT value FROM json_each(?))",
        (_json(numbers),),
    ).fetchone()
    return int(documents), int(messages)


def _json(numbers: Collection[int]) -> str:
    return orjson.dumps(list(numbers)).decode()


def _line(row: tuple[Any, ...]) -> dict[str, Any]:
    seq, run, key, messages, size, attempts, error, added = row
    source, _, identifier = key.partition("\n")
    return {
        "id": str(seq),
        "document_id": identifier,
        "source": source,
        "run": run,
        "messages": messages,
        "bytes": size,
        "attempts": attempts,
        "reason": error,
        "age_s": round(max(0.0, time.time() - added), 1),
    }
