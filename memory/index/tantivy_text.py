"""The `TextIndex` of one folder, by tantivy: its files are read and written in worker threads."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

import anyio.to_thread
from anyio import CancelScope, CapacityLimiter

from ...schemas import Arm
from ...schemas.errors import StoreError
from ..file_errors import ExhaustedError, raise_if_exhausted
from ..records import REPAIR, CheckResult
from ..search_types import CompiledFilter
from .errors import DamagedIndexError, index_errors
from .ports import NO_SCORES, RowsOf, TextIndex
from .rows import TextRow
from .segment_checksums import check_footers
from .tantivy_index import TantivyIndex

_LOG = logging.getLogger(__name__)
T = TypeVar("T")
SEARCHES = 4
"""Concurrent searches; more would compete for the processor."""
LOOKS = 3
_NESTED: tuple[Arm, ...] = ("wide", "near", "lexical")
"""The words of each field include those of the next, so a row without a score in one has none in those after it."""


class TantivyText:
    """One index whose files are closed and opened again when necessary.

    Args:
        directory: the folder of the files.
        identity: the store and the version of the terms; files of another identity are rebuilt.
        rows_of: reads the rows of segments that are too small to be rewritten.
        on_damage: called when a search or an update finds the files damaged, so that a task calls `open`.
        read_only: replace an unusable index by an empty one in memory.
    """

    failure: StoreError | None = None
    """Always None: there is no server that could fail."""

    def __init__(
        self,
        directory: Path,
        identity: str,
        rows_of: RowsOf,
        on_damage: Callable[[], None] = lambda: None,
        *,
        read_only: bool,
    ) -> None:
        self._on_damage = on_damage
        self._directory = directory
        self._identity = identity
        self._rows_of = rows_of
        self._read_only = read_only
        self._writing, self._searching = CapacityLimiter(1), CapacityLimiter(SEARCHES)
        self.damaged = False
        self._opened: TantivyIndex | None = None

    @property
    def index(self) -> TantivyIndex:
        """The open files.

        Raises:
            StoreError: `open` was not called or failed.
        """
        if self._opened is None:
            raise StoreError("the words index is not open", hint="try again")
        return self._opened

    @property
    def _beside(self) -> Path:
        return self._directory.with_name(f"{self._directory.name}.new")

    @property
    def sequence(self) -> int:
        """The number of the last change that a search sees."""
        return self.index.sequence

    # --- the files ------------------------------------------------------------------------------------------------

    async def open(self, newest: int) -> None:
        """Start, or restart, from the state on disk."""
        self.damaged = True
        await self._write(self._open, newest)

    def _open(self, newest: int) -> None:
        if self._opened is not None:
            self._opened.close()
        if not self._read_only:
            TantivyIndex.remove(self._beside)
        index = TantivyIndex(self._directory, self._identity, read_only=self._read_only)
        if index.sequence > newest:
            index.close()
            index.discard()
            index = TantivyIndex(self._directory, self._identity, read_only=self._read_only)
        self._opened = index
        self.damaged = False

    async def fresh(self) -> Self:
        """Return an empty index in a second folder."""
        await anyio.to_thread.run_sync(TantivyIndex.remove, self._beside)
        fresh = copy(self)
        fresh._directory, fresh._opened, fresh._writing = self._beside, None, CapacityLimiter(1)  # noqa: SLF001 - of the same class
        await fresh.open(0)
        return fresh

    async def change_over(self, fresh: TantivyText) -> None:
        """Replace the files of this index by those of ``fresh``."""
        await self._write(self._change_over, fresh.index)

    def _change_over(self, fresh: TantivyIndex) -> None:
        fresh.close()
        self.damaged = True  # until the new one is open: the old one has no writer any more, and soon no files
        self.index.close()
        with index_errors("words"):
            self.index.discard()
            fresh.directory.rename(self._directory)
        self._open(fresh.sequence)

    async def purge(self) -> bool:
        """Remove deleted documents from the files; searches continue, updates wait."""
        newest = self.sequence
        with CancelScope(shield=True):  # in between the index has no writer
            try:
                small = await self._write(self._smallest_rows)
                rows = None if small is None else await self._rows_of(small)
                await self._write(self._purge, small, rows)
            except ExhaustedError:
                raise  # the files may be intact, so the purge is to be retried
            except StoreError as error:
                _LOG.info(
                    "the words index is made anew, for nothing can be purged from it: %s", error.__cause__ or error
                )
                return False
            finally:
                await self.open(newest)
        return True

    def _smallest_rows(self) -> list[int] | None:
        self.damaged = True  # until it is opened again: a closed index has no writer
        self.index.close()
        return self.index.smallest_rows(self._beside)

    def _purge(self, small: Sequence[int] | None, rows: Sequence[TextRow] | None) -> None:
        if small is not None and rows is not None:
            # Written into a new segment, which leaves the old one empty.
            self._open(self.sequence)
            self.index.update(small, rows, self.sequence)
            self.index.close()
        self.index.purge(self._beside)

    async def check(self) -> list[CheckResult]:
        """Check the checksums of the files."""
        return await anyio.to_thread.run_sync(_check_files, self.index.directory)

    async def close(self) -> None:
        """Close the writer and the files; the index cannot be used any more."""
        await anyio.to_thread.run_sync(self.close_here)

    def close_here(self) -> None:
        """Close in the calling thread."""
        if self._opened is not None:
            self._opened.close()
            self._opened.release()

    # --- updates and searches -------------------------------------------------------------------------------------

    async def update(self, gone: Collection[int], rows: Sequence[TextRow], sequence: int) -> None:
        """Replace documents and commit."""
        await self._write(self.index.update, gone, rows, sequence)

    async def search(
        self,
        fields: Sequence[Arm],
        terms: Sequence[str],
        where: CompiledFilter | None,
        limit: int,
    ) -> dict[Arm, list[tuple[int, float]]]:
        """Return the best rows of each field, all in one thread."""
        return await self._search(self.index.search, fields, terms, where, limit)

    async def scores(
        self,
        fields: Sequence[Arm],
        terms: Sequence[str],
        where: CompiledFilter | None,
        rows: Sequence[int],
        earlier: Mapping[Arm, Mapping[int, float]] = NO_SCORES,
    ) -> dict[Arm, dict[int, float]]:
        """Return the exact scores of these rows, all fields in one thread."""
        return await self._search(_scores, self.index, fields, terms, where, rows, earlier)

    async def holding(self, groups: Sequence[Sequence[str]], where: CompiledFilter | None, limit: int) -> Sequence[int]:
        """Return the rows that contain a term of each group."""
        return await self._search(self.index.holding, groups, where, limit)

    async def rows(self) -> set[int]:
        """Return all rows that a search may find."""
        return await self._search(self.index.rows)

    async def differing(self, rows: Sequence[TextRow]) -> None:
        """Return None: terms cannot be read back. The files have checksums, see `check`."""

    async def _search(self, work: Callable[..., T], *arguments: object) -> T:
        return await self._in_thread(self._searching, work, *arguments)

    async def _write(self, work: Callable[..., T], *arguments: object) -> T:
        return await self._in_thread(self._writing, work, *arguments)

    async def _in_thread(self, limiter: CapacityLimiter, work: Callable[..., T], *arguments: object) -> T:
        try:
            return await anyio.to_thread.run_sync(work, *arguments, limiter=limiter)
        except DamagedIndexError:
            self.damaged = True
            self._on_damage()
            raise


def _scores(
    index: TantivyIndex,
    fields: Sequence[Arm],
    terms: Sequence[str],
    where: CompiledFilter | None,
    rows: Sequence[int],
    earlier: Mapping[Arm, Mapping[int, float]],
) -> dict[Arm, dict[int, float]]:
    if not earlier:  # one pass over all rows and fields costs less than a pass per field over fewer rows
        by_field = index.search(fields, terms, where, len(rows), rows)
        return {field: dict(hits) for field, hits in by_field.items()}
    scores: dict[Arm, dict[int, float]] = {}
    possible = rows
    fields_in_order: list[Arm] = [field for field in _NESTED if field in fields]
    for field in fields_in_order:
        scores[field] = dict(earlier.get(field, {}))
        unscored = [row for row in possible if row not in scores[field]]
        scores[field].update(index.search([field], terms, where, len(unscored), unscored)[field])
        possible = [row for row in possible if row in scores[field]]
    return scores


def _check_files(directory: Path) -> list[CheckResult]:
    """Check the files' checksums.

    Raises:
        ExhaustedError: there is not enough memory, or there are too few descriptors, to tell.
    """
    for left in reversed(range(LOOKS)):
        try:
            check_footers(directory)
        except (OSError, ValueError) as error:
            if isinstance(error, OSError):
                raise_if_exhausted(error)
            # A merge in a tantivy thread may be changing the files; only damage persists.
            if not left:
                detail = f"a file of the words index is damaged: {error}"
                return [CheckResult("words", "error", detail, REPAIR, repairable=True)]
            time.sleep(0.2)
        else:
            break
    return []


if TYPE_CHECKING:
    _text_index: type[TextIndex] = TantivyText
