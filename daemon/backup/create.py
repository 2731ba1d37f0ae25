"""Backups of a data directory: making, listing and verifying them.

A backup saves what cannot be derived: the journal, then the store's database. The order matters, since a document moves
from the journal to the store: between the two copies it can only get into both, where it is stored once, never into
neither. Both are copied while in use. The search indexes are derived, and rebuilt by the first memd that runs.

All functions block; call them in a worker thread.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread

from ... import __version__
from ...memory.store.backup import copy_database, count_in
from ...memory.store.schema import DATABASE
from ...schemas.errors import InvalidError, StoreError
from ...schemas.times import rfc3339
from ..config.paths import JOURNAL, REMEMBERED, STORE
from ..operation_progress import OperationProgress, ReportProgress
from .blocks import BlockWriteStats
from .folder_errors import DamagedError, FolderError, folder_errors
from .repository import COPY, BackupRepository, open_repository
from .snapshots import SavedFile, Snapshot

FILES = {"journal": JOURNAL, "store": f"{STORE}/{DATABASE}"}
"""The databases that are saved, in this order, by paths below the data directory."""
PLAIN = (REMEMBERED,)
"""The small files that are saved if they exist; each is written whole or not at all."""
T = TypeVar("T")


async def in_thread(work: Callable[[ReportProgress, Callable[[], None]], T], tell: ReportProgress) -> T:
    """Run blocking work in a thread; it gets a `ReportProgress`, and a check that raises when the task was cancelled."""

    def report(step: OperationProgress) -> None:
        anyio.from_thread.run_sync(tell, step)

    return await anyio.to_thread.run_sync(lambda: work(report, anyio.from_thread.check_cancelled))


def make_backup(
    data_dir: Path, folder: Path, keep: int | None, tell: ReportProgress, cancelled: Callable[[], None]
) -> dict[str, Any]:
    """Add a snapshot of ``data_dir``, which may be in use, to the backups in ``folder``.

    Args:
        data_dir: of the memory that this process owns.
        folder: an absolute path; created if missing.
        keep: the number of snapshots to keep, this one included; None for all.
        tell: receives each step.
        cancelled: raises when the backup was cancelled; the next backup removes what was written.

    Raises:
        InvalidError: the folder lies in the data directory, or holds other things.
        BusyError: another process works in the folder.
        StoreError: something cannot be read or written.
    """
    inside, outside = data_dir.resolve(), folder.resolve()
    if inside == outside or inside in outside.parents:
        raise InvalidError(
            "a backup cannot lie in the data directory itself", hint="what harms the one would harm the other"
        )
    with open_repository(folder, create=True) as repository:
        repository.sweep()
        written = BlockWriteStats()
        formats: dict[str, int] = {}
        counts: dict[str, int] = {}
        with folder_errors(folder), tempfile.TemporaryDirectory(prefix=COPY, dir=folder) as beside:
            copies: dict[str, Path] = {}
            for part, path in FILES.items():

                def step(done: int, pages: int, part: str = part) -> None:
                    cancelled()
                    tell(OperationProgress(f"copying the {part}", done, pages))

                copies[part] = Path(beside) / part
                formats[part] = copy_database(data_dir / path, copies[part], step)
            counts |= count_in(copies["store"])
            files = [_put(repository, copies[part], FILES[part], written, tell, cancelled) for part in FILES]
            files += [
                _put(repository, data_dir / path, path, written, tell, cancelled)
                for path in PLAIN
                if (data_dir / path).is_file()
            ]
        now = datetime.now(UTC).replace(microsecond=0)
        name = repository.next_name(f"{now:%Y%m%dT%H%M%SZ}")
        snapshot = Snapshot(name, rfc3339(now), __version__, formats, counts, tuple(files))
        cancelled()
        repository.add(snapshot)
        dropped = [] if keep is None else repository.prune(keep)
        freed = repository.sweep() if dropped else 0
        return line_of(snapshot) | {
            "directory": os.fspath(folder),
            "bytes_new": written.new,
            "bytes_written": written.stored,
            "bytes_stored": repository.blocks.stored_bytes(),
            "bytes_freed": freed,
            "pruned": dropped,
            "snapshots": len(repository.names()),
        }


def _put(
    repository: BackupRepository,
    copy: Path,
    path: str,
    written: BlockWriteStats,
    tell: ReportProgress,
    cancelled: Callable[[], None],
) -> SavedFile:
    with folder_errors(repository.folder), copy.open("rb") as source:
        size = copy.stat().st_size

        class Watched:
            """The copy as a source of bytes; checks for cancellation and reports progress at each block."""

            def read(self, count: int, /) -> bytes:
                cancelled()
                tell(OperationProgress("writing", source.tell(), size))
                return source.read(count)

        return repository.blocks.put(Watched(), path, written)


def list_backups(folder: Path) -> dict[str, Any]:
    """Return all snapshots in a folder, the oldest first.

    Raises:
        InvalidError: it holds no backups.
        BusyError, StoreError: see `open_repository`.
    """
    with open_repository(folder, create=False) as repository:
        lines: list[dict[str, Any]] = []
        for name in repository.names():
            try:
                lines.append(line_of(repository.snapshot(name)))
            except DamagedError as error:
                lines.append({"snapshot": name, "damaged": error.message})
            except FolderError as error:
                lines.append({"snapshot": name, "unreadable": error.message})
        return {"directory": os.fspath(folder), "bytes_stored": repository.blocks.stored_bytes(), "snapshots": lines}


def verify_backups(folder: Path, tell: ReportProgress) -> dict[str, Any]:
    """Read every block of every snapshot and compare it with its hash, and each file with its own.

    Nothing is changed: a block that cannot be read now may be whole, and belongs to many snapshots. The next backup
    rewrites those damaged blocks whose contents the memory still has.

    Raises:
        InvalidError, BusyError, StoreError: see `open_repository`; damage, and read errors, are in the result.
    """
    with open_repository(folder, create=False) as repository:
        damaged: dict[str, str] = {}
        unreadable: dict[str, str] = {}
        bad: dict[str, StoreError] = {}
        good: set[str] = set()
        names = repository.names()
        for number, name in enumerate(names):
            try:
                snapshot = repository.snapshot(name)
            except DamagedError as error:
                damaged[name] = error.message
                continue
            except FolderError as error:
                unreadable[name] = error.message
                continue
            for file in snapshot.files:
                tell(OperationProgress(f"reading snapshot {number + 1} of {len(names)}"))
                fresh = any(block not in good for block in file.blocks)
                problem = _verify(repository, file, good, bad) if fresh else None
                if problem is not None:
                    problems = damaged if isinstance(problem, DamagedError) else unreadable
                    problems.setdefault(name, problem.message)
        return {
            "directory": os.fspath(folder),
            "snapshots": len(names),
            "blocks": len(good),
            "damaged": damaged,
            "unreadable": {name: problem for name, problem in unreadable.items() if name not in damaged},
        }


def _verify(
    repository: BackupRepository, file: SavedFile, good: set[str], bad: dict[str, StoreError]
) -> StoreError | None:
    """Return the error of a file, if any; damage takes precedence over read errors. Its own hash needs all blocks, the
    verified ones too.
    """
    try:
        for _ in repository.blocks.read(file):
            pass
    except (DamagedError, FolderError) as error:
        first: StoreError = error
    else:
        good.update(file.blocks)
        return None
    for block in file.blocks:
        if block not in good and block not in bad:
            try:
                repository.blocks.block(block)
            except (DamagedError, FolderError) as error:
                bad[block] = error
            else:
                good.add(block)
    errors = [bad[block] for block in file.blocks if block in bad]
    return next((error for error in errors if isinstance(error, DamagedError)), first)


def line_of(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot as it is listed."""
    return {
        "snapshot": snapshot.name,
        "time": snapshot.time,
        "memd": snapshot.memd,
        **snapshot.counts,
        "bytes": snapshot.size,
    }
