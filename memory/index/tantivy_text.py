"""The `TextIndex` of one folder, by tantivy: its files are read and written in worker threads."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import anyio.to_thread
from anyio import CapacityLimiter

from ...schemas import Arm
from ...schemas.errors import StoreError
from ..file_errors import ExhaustedError, raise_if_exhausted
from ..records import CheckResult
from ..search_types import CompiledFilter
from .errors import DamagedIndexError, index_errors
from .ports import NO_SCORES, RowsOf, TextIndex
from .rows import TextRow
from .segment_checksums import check_footers
from .tantivy_index import TantivyIndex

_LOG = logging.getLogger(__name__)
SEARCHES = 4
"""Concurrent searches; more would compete for the processor."""
LOOKS = 3
REPAIR = "memd doctor --repair makes it anew"
_NESTED: tuple[Arm, ...] = ("wide", "near", "lexical")
"""The words of each field include those of the next, so a row without a score in one has none in those after it."""


class TantivyText:
    """One index whose files are closed and reopened when necessary.

    Args:
        directory: the folder of the files.
        identity: the store and the version of the terms; files of another identity are rebuilt.
        newest: returns the store's last change; files with a later one belong to a replaced copy of the store.
        on_damage: called when a search or an update finds the files damaged, so that a task calls `reopen`.
        read_only: replace an unusable index by an empty one in memory.
    """

    failure: StoreError | None = None
    """Always None: there is no server that could fail."""

    def __init__(
        self,
        directory: Path,
        identity: str,
        newest: Callable[[], int],
        on_damage: Callable[[], None] = lambda: None,
        *,
        read_only: bool,
    ) -> None:
        self._on_damage = on_damage
        self._directory = directory
        self._identity = identity
        self._newest = newest
        self._read_only = read_only
        self._writing, self._searching = CapacityLimiter(1), CapacityLimiter(SEARCHES)
        self.damaged = False
        self.index = self._open()

    @property
    def sequence(self) -> int:
        """The number of the last change that a search sees."""
        return self.index.sequence

    @property
    def _beside(self) -> Path:
        return self._directory.with_name(f"{self._directory.name}.new")

    def _open(self) -> TantivyIndex:
        if not self._read_only:
            TantivyIndex.remove(self._beside)
        index = TantivyIndex(self._directory, self._identity, read_only=self._read_only)
        if index.sequence > self._newest():
            index.close()
            index.discard()
            index = TantivyIndex(self._directory, self._identity, read_only=self._read_only)
        return index

    def _mark_damaged(self) -> None:
        self.damaged = True
        self._on_damage()

    async def update(self, gone: Collection[int], rows: Sequence[TextRow], sequence: int) -> None:
        """Replace documents and commit."""
        try:
            await anyio.to_thread.run_sync(self.index.update, gone, rows, sequence, limiter=self._writing)
        except DamagedIndexError:
            self._mark_damaged()
            raise

    async def search(
        self,
        fields: Sequence[Arm],
        terms: Sequence[str],
        where: CompiledFilter | None,
        limit: int,
        among: Sequence[int] | None = None,
    ) -> dict[Arm, list[tuple[int, float]]]:
        """Return the best rows of each field, all in one thread."""
        work = partial(self.index.search, fields, terms, where, limit, among)
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._searching)
        except DamagedIndexError:
            self._mark_damaged()
            raise

    async def scores(
        self,
        fields: Sequence[Arm],
        terms: Sequence[str],
        where: CompiledFilter | None,
        rows: Sequence[int],
        known: Mapping[Arm, Mapping[int, float]] = NO_SCORES,
    ) -> dict[Arm, dict[int, float]]:
        """Return the exact scores of these rows, all fields in one thread."""
        try:
            return await anyio.to_thread.run_sync(
                _scores, self.index, fields, terms, where, rows, known, limiter=self._searching
            )
        except DamagedIndexError:
            self._mark_damaged()
            raise

    async def holding(self, groups: Sequence[Sequence[str]], where: CompiledFilter | None, limit: int) -> Sequence[int]:
        """Return the rows that contain a term of each group."""
        work = partial(self.index.holding, groups, where, limit)
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._searching)
        except DamagedIndexError:
            self._mark_damaged()
            raise

    async def rows(self) -> set[int]:
        """Return all rows that a search may find."""
        return await anyio.to_thread.run_sync(self.index.rows, limiter=self._searching)

    async def differing(self, rows: Sequence[TextRow]) -> None:
        """Return None: terms cannot be read back. The files have checksums, see `check`."""
        del rows

    async def fresh(self) -> TantivyText:
        """Return an empty index in a second folder."""

        def begin() -> TantivyText:
            TantivyIndex.remove(self._beside)
            return TantivyText(self._beside, self._identity, self._newest, read_only=False)

        return await anyio.to_thread.run_sync(begin)

    async def change_over(self, fresh: TextIndex) -> None:
        """Replace the files of this index by those of ``fresh``."""
        await anyio.to_thread.run_sync(self._change_over, cast("TantivyText", fresh).index, limiter=self._writing)

    def _change_over(self, fresh: TantivyIndex) -> None:
        fresh.close()
        self.damaged = True  # until the new one is open: the old one has no writer any more, and soon no files
        self.index.close()
        with index_errors("words"):
            self.index.discard()
            fresh.directory.rename(self._directory)
        self.index = self._open()
        self.damaged = False

    async def purge(self, rows_of: RowsOf) -> bool:
        """Remove deleted documents from the files; searches continue, updates wait."""
        try:
            small = await anyio.to_thread.run_sync(self._smallest_rows, limiter=self._writing)
            rows = None if small is None else await rows_of(small)
            await anyio.to_thread.run_sync(self._purge, small, rows, limiter=self._writing)
        except ExhaustedError:
            raise  # the files may be intact, so the purge is to be retried
        except StoreError as error:
            _LOG.info("the words index is made anew, for nothing can be purged from it: %s", error.__cause__ or error)
            return False
        finally:
            await self.reopen()
        return True

    def _smallest_rows(self) -> list[int] | None:
        self.damaged = True  # until it is reopened: a closed index has no writer
        self.index.close()
        return self.index.smallest_rows(self._beside)

    def _purge(self, small: Sequence[int] | None, rows: Sequence[TextRow] | None) -> None:
        if small is not None and rows is not None:
            # Written into a new segment, which leaves the old one empty.
            self.index = self._open()
            self.index.update(small, rows, self.index.sequence)
            self.index.close()
        self.index.purge(self._beside)

    async def reopen(self) -> None:
        """Restart from the state on disk."""
        self.damaged = True
        await anyio.to_thread.run_sync(self._reopen, limiter=self._writing)

    def _reopen(self) -> None:
        self.index.close()
        self.index = self._open()
        self.damaged = False

    async def check(self) -> list[CheckResult]:
        """Check the checksums of the files."""
        return await anyio.to_thread.run_sync(_check_files, self.index.directory)

    async def close(self) -> None:
        """Close the writer and the files; the index cannot be used any more."""
        await anyio.to_thread.run_sync(self.close_here)

    def close_here(self) -> None:
        """Close in the calling thread."""
        self.index.close()
        self.index.release()


def _scores(
    index: TantivyIndex,
    fields: Sequence[Arm],
    terms: Sequence[str],
    where: CompiledFilter | None,
    rows: Sequence[int],
    known: Mapping[Arm, Mapping[int, float]],
) -> dict[Arm, dict[int, float]]:
    if not known:  # one pass over all rows and fields costs less than a pass per field over fewer rows
        by_field = index.search(fields, terms, where, len(rows), rows)
        return {field: dict(hits) for field, hits in by_field.items()}
    scores: dict[Arm, dict[int, float]] = {}
    possible = rows
    fields_in_order: list[Arm] = [field for field in _NESTED if field in fields]
    for field in fields_in_order:
        scores[field] = dict(known.get(field, {}))
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
