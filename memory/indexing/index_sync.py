"""The base of `word_sync`, `vector_sync` and `fact_sync`: applies the store's change log to one index, in slices.

A check runs in steps, so that updates and other waiting tasks get their turn between two steps: first the files, then
the content of some rows at a time, and last, at one moment, the set of rows.
"""

from __future__ import annotations

import logging
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

from anyio import CancelScope, Lock

from ...schemas.errors import StoreError
from ..index.errors import DamagedIndexError, IndexServerError
from ..index.ports import Index, Indexes
from ..records import REPAIR, CheckResult
from ..store.change_log import last_change, sequence
from ..store.database import Database
from ..store.forget_rows import FollowedLog

_LOG = logging.getLogger(__name__)
I = TypeVar("I", bound=Index)  # noqa: E741 - an index
CHECKED_AT_ONCE = 2_000
"""The number of rows compared in one step."""


Opened = Callable[[Collection[FollowedLog], int], Awaitable[None]]
"""Receives the logs that an index follows and the change it had reached when it was opened, before it continues."""


async def ignore_opening(logs: Collection[FollowedLog], number: int) -> None:
    """Do nothing when an index is opened."""


@dataclass(slots=True)
class RunningCheck:
    """The progress of an index check. Rows that change between two steps are compared with their new state or skipped;
    the set of existing rows is compared in the last step, at one moment.
    """

    contents: bool = False
    """True if the content of each row is compared too, where the index can return it."""
    begun: bool = False
    after: int = 0
    """The last compared row."""
    compared: bool = False
    """True if only the set of existing rows remains to be compared."""
    differing: set[int] = field(default_factory=set[int])
    """The rows whose content differs from the store's."""
    findings: list[CheckResult] | None = None
    """The result of the finished check."""


class IndexSync(ABC, Generic[I]):
    """Owns one index and keeps it up to date. Hold ``_turn`` to change the index or to keep it unchanged.

    Args:
        database: the store that the index is derived from.
        indexes: the engine.
        on_damage: called when the index is found to need `catch_up`, so that a task calls it.
        on_open: called whenever the index was opened.
    """

    part: ClassVar[str]
    """The name of the index in the findings of a check."""
    title: ClassVar[str]
    """The name of the index in sentences."""
    unit: ClassVar[str] = "chunks"
    """The name of its rows, in the plural."""
    unreachable: ClassVar[str]
    """The sentence for the log if the server does not answer at the start."""
    logs: tuple[FollowedLog, ...]

    def __init__(
        self, database: Database, indexes: Indexes, on_damage: Callable[[], None], on_open: Opened = ignore_opening
    ) -> None:
        self._database = database
        self._indexes = indexes
        self._on_damage = on_damage
        self._on_open = on_open
        self._turn = Lock()
        self._rebuilding = Lock()
        self.index: I | None = None
        """None until `open`, and if there is nothing to index yet."""
        self._newest = 0
        self.rebuilds = 0
        """The number of times the index was rebuilt, or opened again because it was damaged."""

    # --- the parts that differ ------------------------------------------------------------------------------------

    @abstractmethod
    async def _make(self) -> I | None:
        """Return the index of the engine, not opened yet."""

    @abstractmethod
    async def _update(self, index: I, number: int) -> bool:
        """Apply the next slice of changes after ``number`` to an index; return False if there are none."""

    @abstractmethod
    def _rows_after(self, connection: sqlite3.Connection, row: int, limit: int) -> list[int]:
        """Return the next rows that the index must hold, ascending; all of them if ``limit`` is -1."""

    @abstractmethod
    def _changed_after(self, connection: sqlite3.Connection, number: int) -> set[int]:
        """Return the rows that changed after this number: no difference between index and store."""

    @abstractmethod
    async def _differing(self, index: I, rows: Sequence[int], *, contents: bool) -> set[int] | None:
        """Return the subset of these rows whose content differs from the store's; None if the index cannot tell."""

    # --- opening and following ------------------------------------------------------------------------------------

    @property
    def reached(self) -> int:
        """The number of the last change in the index; 0 without an index."""
        return 0 if self.index is None else self.index.sequence

    @property
    def filling(self) -> bool:
        """True until the index holds every change that was stored when it was opened."""
        return self.reached < self._newest

    async def open(self, *, ask: bool = True) -> None:
        """Open the index; a server that does not answer, or must not be asked now, is asked again later."""
        index = self.index or await self._make()
        if index is not None and ask:
            try:
                await self._try(index)
            except BaseException:  # also when cancelled: nobody else knows of its files, which may be open already
                if self.index is None:
                    with CancelScope(shield=True), suppress(StoreError):
                        await index.close()
                raise
        self.index = index

    async def ask(self) -> None:
        """Open the index.

        Raises:
            StoreError: its server fails.
        """
        self.index = self.index or await self._make()
        if self.index is not None:
            await self._open(self.index)

    async def _try(self, index: I) -> None:
        try:
            await self._open(index)
        except IndexServerError as error:
            _LOG.warning("%s: %s", self.unreachable, error)

    async def _open(self, index: I) -> None:
        await index.open(await self._database.read(sequence))
        self._newest = await self._database.read(lambda connection: last_change(connection, self.logs))
        await self._on_open(self.logs, index.sequence)

    async def catch_up(self, target: int) -> None:
        """Return when the index holds every change up to ``target``.

        Raises:
            StoreError: the index cannot be written; the next call starts from what it holds then.
        """
        async with self._turn:
            if self.index is not None:
                await self._follow(self.index, target)
                self._newest = 0 if target >= self._newest else self._newest

    async def _follow(self, index: I, target: int) -> None:
        """Apply changes to the index in use. If it is damaged it is opened again, filled from the store if necessary,
        and tried once more at once, since callers that wait for the index cannot mend it.
        """
        if index.damaged:
            await self._reopen(index)
        try:
            await self._advance(index, target)
        except DamagedIndexError:
            await self._reopen(index)
            await self._advance(index, target)

    async def _reopen(self, index: I) -> None:
        self.rebuilds += index.failure is None  # a server that was away holds what it held
        await self._open(index)

    async def _advance(self, index: I, target: int) -> None:
        while index.sequence < target and await self._update(index, index.sequence):
            pass

    async def _advance_all(self, index: I) -> None:
        await self._advance(index, await self._database.read(sequence))

    # --- rebuilding and purging -----------------------------------------------------------------------------------

    async def rebuild(self) -> None:
        """Rebuild the index from the store beside the current one, which answers meanwhile, and replace that, so that
        nothing removed is left.

        Raises:
            StoreError: the index cannot be written; the current one stays.
        """
        await self._replace(filled=True)

    async def restart(self) -> None:
        """Empty the index, leaving nothing of its content; `catch_up` fills it again.

        Raises:
            StoreError: the index cannot be written; it stays unchanged.
        """
        await self._replace(filled=False)

    async def _replace(self, *, filled: bool) -> None:
        async with self._rebuilding:
            index = self.index
            if index is None:
                return
            if index.failure is not None:
                async with self._turn:
                    await self._open(index)
            fresh = await index.fresh()
            try:
                if filled:
                    await self._advance_all(fresh)
                async with self._turn:
                    if filled:
                        await self._advance_all(fresh)
                    with CancelScope(shield=True):  # half of the change would leave no index at all
                        await index.change_over(fresh)
                self.rebuilds += 1
            finally:
                with CancelScope(shield=True):
                    await fresh.close()

    async def purge(self) -> None:
        """Erase removed rows from the index's files, rebuilding it if necessary; searches continue, updates wait.

        Raises:
            StoreError: the index cannot be written.
        """
        async with self._rebuilding, self._turn:
            if self.index is None:
                return
            await self._follow(self.index, await self._database.read(sequence))
            purged = await self.index.purge()
        if not purged:
            await self.rebuild()

    async def close(self) -> None:
        """Close every file; the index cannot be used any more."""
        if self.index is not None:
            await self.index.close()

    # --- checks ---------------------------------------------------------------------------------------------------

    async def check(self, *, contents: bool = False) -> list[CheckResult]:
        """Check the files of the index, and that it holds exactly the rows of the store; with ``contents`` also compare
        the content of each, if the index can return it.
        """
        running = RunningCheck(contents)
        while running.findings is None:
            await self.check_step(running)
        return running.findings

    async def check_step(self, running: RunningCheck) -> None:
        """Run the next step of a check: the files, the content of some rows, or finally the set of rows."""
        async with self._turn:
            index = self.index
            if index is None:
                running.findings = self._without_index()
            elif not running.begun:
                running.begun = True
                running.findings = await index.check() or None
            elif not running.compared:
                await self._compare(index, running)
            else:
                running.findings = await self._compare_rows(index, running)

    def _without_index(self) -> list[CheckResult]:
        return []

    async def _compare(self, index: I, running: RunningCheck) -> None:
        """Compare the content of the next rows. Changes since the last update of the index are not differences."""
        rows = await self._database.read(lambda c: self._rows_after(c, running.after, CHECKED_AT_ONCE))
        differing = await self._differing(index, rows, contents=running.contents) if rows else set[int]()
        if differing:
            running.differing |= differing - await self._database.read(lambda c: self._changed_after(c, index.sequence))
        running.contents = running.contents and differing is not None
        running.compared = not rows or differing is None
        running.after = max(rows, default=running.after)

    async def _compare_rows(self, index: I, running: RunningCheck) -> list[CheckResult]:
        stored: set[int] = set()
        behind = True
        while behind:  # rows that come meanwhile are no difference
            await self._follow(index, await self._database.read(sequence))
            stored, behind = await self._database.read(
                lambda c: (set(self._rows_after(c, 0, -1)), last_change(c, self.logs) > index.sequence)
            )
        return [await self._verdict(index, stored, running)]

    async def _verdict(self, index: I, stored: set[int], running: RunningCheck) -> CheckResult:
        """Compare the set of rows, and sum up."""
        present = await index.rows()
        if present != stored:
            missing, extra = len(stored - present), len(present - stored)
            return self._error(f"{self.title} lacks {missing} {self.unit} and has {extra} too many")
        if differing := running.differing & stored:
            return self._error(f"{self.title} holds {len(differing)} {self.unit} otherwise than the store")
        whole = ", and holds each as the store does" if running.contents else ""
        return CheckResult(self.part, "ok", f"{self.title} has all {len(stored)} {self.unit}{whole}")

    def _error(self, detail: str) -> CheckResult:
        return CheckResult(self.part, "error", detail, REPAIR, repairable=True)
