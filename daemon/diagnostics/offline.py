"""`memd doctor` without a daemon: as the owner it checks everything, even a store that does not open, and repairs it."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import anyio.to_thread
from anyio import Path as AsyncPath

from ...memory.embedding.bundled import BundledEmbedder
from ...memory.file_errors import FullDiskError
from ...memory.indexing.indexed_store import IndexedStore, open_store
from ...memory.memory import EvolvingMemory
from ...memory.private_files import can_be_written
from ...memory.records import CheckResult
from ...memory.sqlite_wal import disk_failure
from ...memory.store.schema import DATABASE, store_id
from ...schemas.errors import MemdError, StoreError
from ..app import begin
from ..backup.restore import sweep_restores
from ..config.paths import JOURNAL, STORE
from ..config.settings import Settings
from ..embedders import embedder_for
from ..indexes import indexes_for
from ..journal import fed_stores
from ..journal.database import DiskError, complete_salvage, salvage
from ..journal.journal import Journal, open_journal, read_journal
from ..lock import lock_data_dir, locked_now
from .checks import (
    DoctorReport,
    environment_checks,
    generation_finding,
    journal_findings,
    made_private,
    opt_out_findings,
    replaced_store_findings,
    report,
    secret_findings,
)


async def check_offline(settings: Settings, *, repair: bool) -> DoctorReport:
    """Check everything, as the owner, even a store that does not open. Where nothing can be written, everything is only
    read.

    Raises:
        BusyError: another process owns the data directory, and does not answer at its socket.
        StoreError: nothing can be written, and something is to be repaired.
    """
    if not await AsyncPath(settings.data_dir).exists():
        nothing = CheckResult("store", "warning", f"there is nothing at {settings.data_dir} yet", "memd ingest PATH")
        return report([*environment_checks(settings), nothing], repaired=[])
    read_only = not await anyio.to_thread.run_sync(can_be_written, settings.data_dir)
    if read_only and repair:
        message = f"nothing can be written to {settings.data_dir}, so nothing can be repaired"
        raise StoreError(message, hint="free some space, or make it writable; without --repair memd doctor only reads")
    async with AsyncExitStack() as stack:
        if read_only:
            stack.enter_context(locked_now(settings.data_dir, reading=True))
        else:
            await stack.enter_async_context(lock_data_dir(settings.data_dir))
            await anyio.to_thread.run_sync(sweep_restores, settings.data_dir)
        repaired: list[str] = []
        findings = await anyio.to_thread.run_sync(lambda: list(environment_checks(settings)))
        if repair and any(each.check == "permissions" and each.repairable for each in findings):
            await anyio.to_thread.run_sync(made_private, settings)
            repaired.append("permissions")
        if read_only:
            detail = "nothing can be written to the data directory now: it was only read"
            findings.append(CheckResult("space", "warning", detail, "free some space, or mount it for writing"))
        findings += await _journal(settings, repaired, repair=repair, read_only=read_only)
        findings += await _store(settings, repaired, repair=repair, read_only=read_only)
        if repaired:
            findings = [each for each in findings if each.check != "permissions"]
            findings += [each for each in environment_checks(settings) if each.check == "permissions"]
        return report(findings, repaired=repaired)


async def _journal(settings: Settings, repaired: list[str], *, repair: bool, read_only: bool) -> list[CheckResult]:
    path = settings.data_dir / JOURNAL
    try:
        if not read_only:
            await anyio.to_thread.run_sync(complete_salvage, path)
        if not await AsyncPath(path).exists():
            return [CheckResult("journal", "ok", "nothing waits to be stored")]
        async with read_journal(path) if read_only else open_journal(path) as journal:
            findings = await journal_findings(journal)
            findings += await secret_findings(settings, journal)
            findings += await _replaced(settings, journal, repaired, repair=repair)
    except StoreError as error:
        if (failure := await anyio.to_thread.run_sync(disk_failure, path)) is not None:
            return [_unread("journal", path, failure)]
        damaged = not isinstance(error, DiskError | FullDiskError)
        hint = "memd doctor --repair keeps what can be read of it" if damaged else error.hint
        findings = [CheckResult("journal", "error", error.message, hint, repairable=damaged)]
    if repair and any(each.repairable for each in findings):
        kept, aside = await anyio.to_thread.run_sync(salvage, path)
        repaired.append("journal")
        detail = f"the damaged journal is {aside.name} now; {kept} documents of it were kept"
        findings = [
            CheckResult(
                "journal", "warning", detail, "ingest your sources again: what was lost is added, nothing twice"
            )
        ]
    return findings


async def _replaced(settings: Settings, journal: Journal, repaired: list[str], *, repair: bool) -> list[CheckResult]:
    path = settings.data_dir / STORE / DATABASE
    try:
        store = await anyio.to_thread.run_sync(store_id, path) if await AsyncPath(path).exists() else None
    except StoreError:
        return []  # the check of the store reports the error
    findings = await replaced_store_findings(journal, store)
    if findings and repair and store is not None:
        await journal.run(partial(fed_stores.forget_other_stores, store=store))
        repaired.append("store")
        return []
    return findings


async def _store(settings: Settings, repaired: list[str], *, repair: bool, read_only: bool) -> list[CheckResult]:
    directory = settings.data_dir / STORE
    if not await AsyncPath(directory / "memory.db").exists():
        hint = "memd ingest PATH; or memd restore, when there is a backup"
        return [CheckResult("store", "warning", "there is no store yet", hint)]
    try:
        indexes = indexes_for(settings, read_only=read_only)
        async with open_store(directory, read_only=read_only, indexes=indexes) as store:
            memory = EvolvingMemory(store, None, BundledEmbedder())  # nothing is embedded, so the model is not loaded
            findings = await memory.check()
            if repair and any(each.repairable for each in findings):
                await memory.repair()
                repaired += [each.check for each in findings if each.repairable]
                findings = await memory.check()
            findings += await opt_out_findings(settings, memory)
            return findings + await _embedder(settings, store)
    except MemdError as error:
        if (failure := await anyio.to_thread.run_sync(disk_failure, directory / DATABASE)) is not None:
            return [_unread("database", directory / DATABASE, failure)]
        return [CheckResult("database", "error", error.message, error.hint)]


def _unread(check: str, path: Path, failure: OSError) -> CheckResult:
    """Return the finding for a file that the disk fails to read; it is neither restored nor repaired."""
    hint = f"check the disk, then try again: nothing says that {path.name} is damaged"
    return CheckResult(check, "error", f"the disk does not give all of {path.name}: {failure.strerror}", hint)


async def _embedder(settings: Settings, store: IndexedStore) -> list[CheckResult]:
    """Return the finding whether the configured embedder works, and is the one that the store was made with."""
    if not settings.embedding.enabled:
        return [CheckResult("embedder", "ok", "switched off: questions are answered by words")]
    try:
        embedder = await anyio.to_thread.run_sync(embedder_for, settings.embedding)
        try:
            memory = EvolvingMemory(store, embedder, embedder, chunking=settings.chunking)
            await begin(memory, store.database, embedder)
            await embedder.embed_query("is anybody there?")
        finally:
            await embedder.aclose()
    except MemdError as error:
        return [CheckResult("embedder", "error", error.message, error.hint)]
    return [CheckResult("embedder", "ok", f"{embedder.name} works"), *generation_finding(memory.degraded())]
