"""Dead letters: documents that the store refused too often, which stay in the journal until the user decides, and
windows of stored documents that the language model could not read.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from ...memory import sqlite_wal
from ...memory.extraction.records import UnreadWindowLine
from ...memory.facts.service import FactService
from ...schemas.errors import NotFoundError
from ...schemas.id_prefixes import whole_ids
from ..journal.journal import Journal
from ..pipeline.pipeline import Pipeline
from .requests import DeadLettersRequest, LettersRequest

if TYPE_CHECKING:
    from .answers.ingestion import DeadLetter, DeadLetterPage, DiscardReport, RetryReport, UnreadWindow

MOST_WINDOWS = 10_000
"""Windows that are listed."""
WINDOW_ID = 12
"""Hexadecimal digits of its hash by which a window is called."""
SOURCE = "retry"
"""The source name of a run of dead letters in progress and status."""


class DeadLetters:
    """The operations on dead letters. Methods raise ``StoreError`` when the journal cannot be used, and the errors that
    they name.
    """

    def __init__(self, pipeline: Pipeline, fact_service: FactService, purge_soon: Callable[[], None]) -> None:
        self._pipeline = pipeline
        self._fact_service = fact_service
        self._purge_soon = purge_soon
        self._journal: Journal = pipeline.journal

    async def listing(self, request: DeadLettersRequest) -> DeadLetterPage:
        """A page, the oldest first; ``next`` (for ``after``) when there may be more. The first page also has the ``windows``
        that could not be read, at most `MOST_WINDOWS`, and in ``more_windows`` how many more there are.
        """

        def work(connection: sqlite3.Connection) -> list[DeadLetter]:
            rows = connection.execute(
                "SELECT seq, run, key, messages, bytes, attempts, error, added FROM entries"
                " WHERE state = 'dead' AND seq > ? ORDER BY seq LIMIT ?",
                (request.after, request.limit),
            )
            return [_line(row) for row in rows]

        lines = await self._journal.run(work)
        windows, more = ([], 0) if request.after else await self._fact_service.first_unread_windows(MOST_WINDOWS)
        page: DeadLetterPage = {"dead_letters": lines, "windows": [_window_line(each) for each in windows]}
        if more:
            page["more_windows"] = more
        if len(lines) == request.limit:
            page["next"] = lines[-1]["id"]
        return page

    async def retry(self, request: LettersRequest) -> RetryReport:
        """Put them back into the queue, as new; returns the ``run`` that they are now, and how many. Its end means that the
        windows were tried.

        Without any there is no run.

        Raises:
            NotFoundError: an id is none of a dead letter.
            BusyError: the daemon is about to end.
        """
        numbers, windows = await self._chosen(request)
        if not numbers and not windows:
            return {"run": None, "documents": 0, "messages": 0, "windows": 0}
        counts = (0, 0)
        await self._fact_service.retry_windows(windows)

        async def revive(run: str) -> tuple[int, int]:
            nonlocal counts
            if not numbers:
                return counts
            counts = await self._journal.run(lambda connection: _revive(connection, numbers, run))
            return counts

        run = await self._pipeline.requeue(SOURCE, revive)
        return {"run": run, "documents": counts[0], "messages": counts[1], "windows": len(windows)}

    async def discard(self, request: LettersRequest) -> DiscardReport:
        """Remove them for good, and take windows for read that say nothing: without ids those that are given up alone. The text of documents is overwritten on the
        disk when this returns, unless another process reads the journal. The purge stays noted as due: one of before may stand for more files.

        Raises:
            NotFoundError: an id is none of a dead letter.
        """
        numbers, windows = await self._chosen(request, given_up=True)
        given_up = await self._fact_service.give_up_windows(windows)
        documents, messages = await self._journal.run(lambda connection: _discard(connection, numbers))
        if documents:
            await self._journal.purge(stays_due=True)
            self._purge_soon()
        return {"documents": documents, "messages": messages, "windows": given_up}

    async def _chosen(self, request: LettersRequest, *, given_up: bool = False) -> tuple[list[int], list[bytes]]:
        """The numbers of the dead letters, and the hashes of the windows; without ids of all, or of all that are given up."""
        numbers, unknown = await self._journal.run(lambda connection: _numbers(connection, request.ids))
        windows = await self._fact_service.unread_windows()
        if request.ids is None:
            windows = [each for each in windows if each.due is None or not given_up]
        else:
            names = {each.hash: {each.hash.hex()[:WINDOW_ID], each.document_id} for each in windows}
            unknown = whole_ids(unknown, names.values())
            windows = [each for each in windows if names[each.hash] & {*request.ids, *unknown}]
            unknown = [name for name in unknown if not any(name in names[each.hash] for each in windows)]
        if unknown:
            raise NotFoundError(
                f"{len(unknown)} of these ids name no dead letter", hint="memd retry --list shows what was given up"
            )
        return numbers, [each.hash for each in windows]


def _numbers(connection: sqlite3.Connection, ids: Sequence[str] | None) -> tuple[list[int], list[str]]:
    """The numbers that ids lead to, by number or the document's own id, and the ids that lead nowhere."""
    if ids is None:
        return [row[0] for row in connection.execute("SELECT seq FROM entries WHERE state = 'dead' ORDER BY seq")], []
    numbers: set[int] = set()
    unknown: list[str] = []
    for identifier in ids:
        rows = connection.execute(
            "SELECT seq FROM entries WHERE state = 'dead'"
            " AND (CAST(seq AS TEXT) = ?1 OR substr(key, instr(key, char(10)) + 1) = ?1)",
            (identifier,),
        ).fetchall()
        numbers.update(row[0] for row in rows)
        if not rows:
            unknown.append(identifier)
    return sorted(numbers), unknown


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


def _window_line(window: UnreadWindowLine) -> UnreadWindow:
    now = time.time()
    body: UnreadWindow = {
        "id": window.hash.hex()[:WINDOW_ID],
        "document_id": window.document_id,
        "source": window.source,
        "attempts": window.attempts,
        "reason": window.reason,
        "age_s": round(max(0.0, now - window.at), 1),
    }
    if window.due is not None:
        body["again_s"] = round(max(0.0, window.due - now), 1)
    return body


def _line(row: tuple[Any, ...]) -> DeadLetter:
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
