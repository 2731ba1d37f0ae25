"""The checks of `memd doctor` beside the store: versions, modes, disk space, time zone, the journal; and the form of
the report.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import os
import shutil
import sqlite3
import stat
import sys
from collections.abc import Collection, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired
from uuid import UUID

from typing_extensions import TypedDict

from ... import __version__
from ...memory.embedding.bundled import ENGLISH, NAME, bundled_model
from ...memory.llm.privacy import OptOut
from ...memory.memory import EvolvingMemory
from ...memory.openai_http.installation import install_command
from ...memory.records import CheckResult, Severity
from ...memory.search_types import Filter
from ...memory.store import documents_read
from ...schemas.errors import ConfigError
from ..config.account_secrets import UNUSED_DAYS, unused_secrets
from ..config.credentials import credential
from ..config.home_zone import named_zone
from ..config.paths import STORE, TOKENS
from ..config.settings import Settings
from ..journal import fed_stores
from ..journal.journal import Journal
from ..sources.repository import SourceRepository

if TYPE_CHECKING:
    from ..pipeline.pipeline import Pipeline

PACKAGES = ("pydantic", "anyio", "starlette", "uvicorn", "tantivy", "numkong", "onnxruntime", "tokenizers", "numpy")
LEAST_FREE = 200_000_000
"""The minimum of free bytes: below it SQLite and the indexes may soon have no room for what they write."""
PRIVATE = 0o077
LOOKED_AT = 500
"""The number of documents per page, where all are read."""


_BUNDLED = {
    NAME: "makes vectors of texts in about 100 languages; where all is English, or on a small machine,"
    f" {ENGLISH} takes less time (docs/embedders.md)",
    ENGLISH: f"makes vectors of English texts; other languages are found by their words, or with {NAME}",
}


def environment_checks(settings: Settings) -> Iterator[CheckResult]:
    """Yield the checks of the environment: versions, the package of a model, modes, disk space, time zone."""
    yield CheckResult("versions", "ok", _versions())
    yield from _embedder(settings)
    yield from _model(settings)
    yield from _modes(settings)
    yield _disk_space(settings.data_dir)
    zone, origin = settings.zone_in_force()
    if origin == "assumed" and named_zone(settings.data_dir):
        yield CheckResult("zone", "ok", f"times without a zone are read as {zone}, as it was last named")
    elif origin == "assumed":
        hint = f'write zone = "{zone}" into {settings.config}, or pass --zone when the export comes from elsewhere'
        yield CheckResult("zone", "warning", f"times without a zone are read as {zone}, the machine's own", hint)
    else:
        yield CheckResult("zone", "ok", f"times without a zone are read as {zone}")


def _embedder(settings: Settings) -> Iterator[CheckResult]:
    """Yield the bundled model that makes vectors, with a hint at the other one."""
    if not settings.embedding.enabled or settings.embedding.provider != "bundled":
        return
    name = settings.embedding.model or NAME
    try:
        bundled_model(name)
    except ConfigError as error:
        yield CheckResult("embedder", "error", error.message, error.hint)
    else:
        yield CheckResult("embedder", "ok", f"{name} {_BUNDLED[name]}")


def _model(settings: Settings) -> Iterator[CheckResult]:
    """Yield the problem of the configured language model on this machine, if any; no request is sent."""
    if not settings.llm.model:
        return
    if importlib.util.find_spec("openai") is None:
        detail = f"{settings.llm.model} cannot be asked: the package openai is not installed"
        yield CheckResult("model", "error", detail, install_command())
        return
    try:
        credential(settings.llm.api_key_file, settings.llm.api_key_env)
    except ConfigError as error:
        yield CheckResult("model", "error", f"{settings.llm.model} cannot be asked: {error.message}", error.hint)
    else:
        yield CheckResult("model", "ok", f"{settings.llm.model} is the language model; it was not asked")


def _versions() -> str:
    versions = [f"memd {__version__}", f"Python {sys.version.split()[0]}", f"SQLite {sqlite3.sqlite_version}"]
    for name in PACKAGES:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            versions.append(f"{name} missing")
    return ", ".join(versions)


def _modes(settings: Settings) -> Iterator[CheckResult]:
    open_ones = list(_open_to_others(settings.data_dir))
    if open_ones:
        shown = ", ".join(str(path.relative_to(settings.data_dir.parent)) for path in open_ones[:3])
        more = f" and {len(open_ones) - 3} more" if len(open_ones) > 3 else ""
        hint = "memd doctor --repair makes them private"
        yield CheckResult("permissions", "error", f"others may use {shown}{more}", hint, repairable=True)
    else:
        yield CheckResult("permissions", "ok", "the data directory is private")
    strangers = sum(status.st_uid != os.geteuid() for _, status in _everything(settings.data_dir))
    if strangers:
        hint = f"run memd as the user that owns {settings.data_dir}, or change the owner"
        yield CheckResult("permissions", "error", f"{strangers} files belong to another user", hint)


def _everything(directory: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield every file and folder that still exists when it is reached: an index in use may remove some at any time."""
    inside = (Path(folder, name) for folder, folders, files in os.walk(directory) for name in (*folders, *files))
    for path in itertools.chain([directory], inside):
        with contextlib.suppress(FileNotFoundError):
            yield path, path.lstat()


def _open_to_others(directory: Path) -> Iterator[Path]:
    for path, status in _everything(directory):
        if status.st_mode & PRIVATE and not stat.S_ISSOCK(status.st_mode) and not stat.S_ISLNK(status.st_mode):
            yield path


def _disk_space(directory: Path) -> CheckResult:
    place = next(path for path in (directory, *directory.parents) if path.exists())
    free = shutil.disk_usage(place).free
    database = directory / STORE / "memory.db"
    needed = max(LEAST_FREE, database.stat().st_size if database.exists() else 0)
    if free < needed:
        hint = "free some space: rewriting the store (forget, reindex) needs as much as it holds"
        return CheckResult(
            "space", "warning", f"{free / 1e9:,.2f} GB are free, {needed / 1e9:,.2f} GB may be needed", hint
        )
    return CheckResult("space", "ok", f"{free / 1e9:,.2f} GB are free")


async def journal_findings(journal: Journal) -> list[CheckResult]:
    """Return the findings about the journal's pages, its documents, and its dead letters."""
    damage, unreadable = await journal.check()
    if damage:
        hint = "memd doctor --repair keeps what can be read of it"
        return [CheckResult("journal", "error", f"SQLite found damage: {damage}", hint, repairable=True)]
    depth = await journal.depth()
    findings = [CheckResult("journal", "ok", f"{depth.messages} messages wait to be stored")]
    if unreadable:
        hint = "memd retry --discard drops them; then ingest their sources again"
        findings.append(CheckResult("journal", "warning", f"{unreadable} entries are no documents", hint))
    if depth.dead:
        hint = "memd retry --list shows why, memd retry tries them again"
        findings.append(CheckResult("dead letters", "warning", f"{depth.dead} documents were given up", hint))
    return findings


async def replaced_store_findings(journal: Journal, store: str | None) -> list[CheckResult]:
    """Return the finding that runs brought something to another memory.db than the present one; None: there is none."""
    lost = await journal.run(partial(fed_stores.lost_runs, store=store))
    if not lost:
        return []
    imports = "1 import" if lost == 1 else f"{lost} imports"
    detail = f"memory.db was deleted or replaced: what {imports} brought before may not be in it"
    hint = "restore a backup, or ingest the sources again; then memd doctor --repair takes this memory.db for the right one"
    return [CheckResult("store", "error", detail, hint, repairable=store is not None)]


async def secret_findings(settings: Settings, journal: Journal) -> list[CheckResult]:
    """Return the finding about passwords and tokens that are stored for no source."""
    names = await SourceRepository(journal, settings.sources).names()
    unused = unused_secrets(settings.data_dir, names)
    if not unused:
        return []
    detail = f"secrets are stored for no source: {', '.join(unused)}"
    hint = (
        f"`memd serve` removes them when they are that for {UNUSED_DAYS} days; a file of {TOKENS} may be deleted before"
    )
    return [CheckResult("secrets", "warning", detail, hint)]


def generation_finding(degraded: Collection[str]) -> list[CheckResult]:
    """Return the finding about settings of embedder or chunks that differ from those of the store."""
    if "generation" not in degraded:
        return []
    detail = "the settings of embedder or chunks are not what the store was made with"
    hint = "memd reindex takes them over, or set them back; until then questions are answered by words"
    return [CheckResult("generation", "warning", detail, hint)]


def worker_findings(pipeline: Pipeline) -> list[CheckResult]:
    """Return the findings about failing background workers, and documents that cannot be read for facts."""
    again = "it is tried again by itself; the log tells more"
    findings = [
        CheckResult("workers", "error", f"{each.worker} failed {each.count} times in a row: {each.error}", again)
        for each in pipeline.workers.failing()
    ]
    unreadable = dict[UUID, str]() if pipeline.extraction_worker is None else pipeline.extraction_worker.unreadable
    if unreadable:
        errors = ", ".join(sorted(set(unreadable.values()))[:3])
        which = "1 document" if len(unreadable) == 1 else f"{len(unreadable)} documents"
        detail = f"{which} cannot be read for facts: {errors}"
        findings.append(
            CheckResult("reading", "warning", detail, "memd status names them; each is tried again by itself")
        )
    return findings


async def opt_out_findings(settings: Settings, memory: EvolvingMemory) -> list[CheckResult]:
    """Return the finding about names in ``keep_sources`` and ``keep_conversations`` that match nothing stored: perhaps
    misspelt.
    """
    chosen = settings.llm
    opt_out = OptOut(frozenset(chosen.keep_sources), chosen.keep_conversations)
    unmatched = {*opt_out.sources, *opt_out.conversations}
    for _, chat in await memory.database.read(documents_read.conversations) if unmatched else ():
        unmatched -= opt_out.matching(chat.source, "", (chat.title, chat.id))
    after: UUID | None = None
    while unmatched and (lines := await memory.database.read(documents_read.listing, Filter(), after, LOOKED_AT)):
        after = lines[-1].key
        for line in lines:
            unmatched -= opt_out.matching(line.source, line.id, (line.title,))
    if not unmatched or after is None:  # nothing stored yet could match
        return []
    names = ", ".join(sorted(unmatched))
    hint = "check the spelling of llm.keep_sources and llm.keep_conversations; `memd documents` shows titles and ids"
    return [CheckResult("privacy", "warning", f"nothing that is stored is kept from the model by: {names}", hint)]


def made_private(settings: Settings) -> None:
    """Remove the permissions of others."""
    for path in list(_open_to_others(settings.data_dir)):
        path.chmod(stat.S_IMODE(path.lstat().st_mode) & ~PRIVATE)


class Finding(TypedDict):
    """The result of one check."""

    check: str
    """The name of the check."""
    severity: Severity
    """The result: all well, a warning, or an error."""
    detail: str
    """The result in words."""
    hint: NotRequired[str]
    """The next step; absent if none is needed."""


class DoctorReport(TypedDict):
    """All findings."""

    healthy: bool
    """True if no check found an error."""
    repaired: list[str]
    """Names of what was repaired."""
    findings: list[Finding]
    """The results of all checks."""


def report(results: list[CheckResult], *, repaired: list[str]) -> DoctorReport:
    """Return the answer of ``memd doctor --json``."""
    return {
        "healthy": not any(each.severity == "error" for each in results),
        "repaired": list(dict.fromkeys(repaired)),
        "findings": [_finding(each) for each in results],
    }


def _finding(result: CheckResult) -> Finding:
    finding: Finding = {"check": result.check, "severity": result.severity, "detail": result.detail}
    if result.hint:
        finding["hint"] = result.hint
    return finding
