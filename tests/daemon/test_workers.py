"""No background worker ends by an error: it is logged, shown and tried again, and the documents of others go on."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import anyio
import pytest

from memd.daemon.config.settings import Settings
from memd.daemon.lifecycle import serve
from memd.daemon.service.requests import LettersRequest
from memd.daemon.service.service import Service
from memd.memory import supervision
from memd.memory.supervision import Worker, Workers
from memd.schemas import Query
from memd.tests.daemon.house import talk, wire
from memd.tests.daemon.interruptions import (
    PRIVATE,
    SECONDS,
    BrokenError,
    Interruptions,
    PanicException,
    findings,
    hasten,
    ingest,
    opened,
    until,
)

pytestmark = pytest.mark.anyio
WORKERS = (
    "storing",
    "searching",
    "concluding",
    "reading",
    "embedding",
    "words index",
    "vector index",
    "purging",
    "purging files",
)
QUIET = {
    *((worker, "RunHistory.end") for worker in WORKERS),  # the end of a run is told, though not remembered
    *(
        ("storing", place) for place in ("EmbeddingQueue.look_for_pending", "Database.read pending_texts")
    ),  # all is stored by then
}
"""Errors after which nothing is left to do, told by a warning in the log alone."""


@pytest.fixture(autouse=True)
def hastened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses that a test can wait for."""
    hasten(monkeypatch)


async def shown(service: Service, worker: str) -> set[str]:
    """Where a failure of this worker is told: of the worker itself, or of a document that it gave up."""
    status = wire(await service.status())
    health, found = service.health()["degraded"], await findings(service)
    told: set[str] = set()
    if worker in {each["worker"] for each in status["workers"]}:
        told |= {"status"} | ({"health"} if "workers" in health else set())
        told |= {"doctor"} if "workers" in found and not found["healthy"] else set()
    if status["reading"]["unreadable"]:
        told |= (
            {"status"} | ({"health"} if "facts" in health else set()) | ({"doctor"} if "reading" in found else set())
        )
    if status["dead_letters"]:  # given up, which is no fault of the daemon's health
        told |= {"status", "health"} | ({"doctor"} if "dead letters" in found else set())
    assert PRIVATE not in f"{status}{found}"
    return told


def over(caplog: pytest.LogCaptureFixture, worker: str) -> bool:
    """Whether the worker got over it by another way before anybody looked."""
    told = (vars(record) for record in list(caplog.records))
    return any(each.get("worker") == worker and "failures" in each for each in told)


async def interrupted(
    folder: Path, injected: Interruptions, target: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    """One error at one place, for as long as it takes to be seen everywhere; then all goes on."""
    worker, _ = target
    injected.target, injected.raised = target, 0
    caplog.clear()
    async with opened(folder) as service:
        first = await ingest(service, talk("first", 3, words="I live in Oslo"))
        assert first.terminal
        await until(lambda: injected.raised > 0)
        told: set[str] = set()
        with anyio.fail_after(SECONDS):
            while target not in QUIET and told != {"status", "health", "doctor"} and not over(caplog, worker):
                told |= await shown(service, worker)
        injected.target = None
        await until(lambda: not {"workers", "facts", "vector"} & set(service.health()["degraded"]))
        assert not (await service.status())["workers"]
        if (again := await service.letters.retry(LettersRequest()))["run"]:
            with anyio.fail_after(SECONDS):
                await service.pipeline.runs.wait(again["run"], "vectors")
        last = await ingest(service, talk("second", 3, words="I live in Rome"))
        assert (last.outcome, last.added) == ("ok", 3), target
        for name in ("first", "second"):
            hits = (await service.query(Query(text=f"message 2 of {name}"))).hits
            assert f"talk:{name}" in {hit.document_id for hit in hits}, target
    assert injected.error.__name__ in "".join(str(vars(record)) for record in caplog.records), target
    assert PRIVATE not in caplog.text


@pytest.mark.slow
async def test_a_broken_journal_is_seen_and_outlived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The writer as an example of all."""
    caplog.set_level(logging.INFO, "memd")
    await interrupted(tmp_path / "d", Interruptions(monkeypatch), ("storing", "Journal.take"), caplog)
    lines = [record for record in caplog.records if record.getMessage() == "a worker failed and tries again"]
    assert len(lines) == 1


async def recorded(folder: Path, injected: Interruptions) -> None:
    """Have all that workers await recorded."""
    async with opened(folder) as service:
        await ingest(service, talk("first", 3, words="I live in Oslo"))
        await until(lambda: "pending" not in service.health()["degraded"])
    assert set(WORKERS) <= set(injected.seen)


async def interrupted_at(
    folder: Path, injected: Interruptions, targets: Sequence[tuple[str, str]], caplog: pytest.LogCaptureFixture
) -> None:
    """Interrupt at one place after the other, by both kinds of errors in turn."""
    for number, target in enumerate(targets):
        injected.error = PanicException if number % 2 else BrokenError
        await interrupted(folder / f"d{number}", injected, target, caplog)


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_an_error_at_each_place_that_a_worker_awaits_is_seen_and_outlived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """In some worker each place that awaits no other one raises, and in each worker some place."""
    caplog.set_level(logging.INFO, "memd")
    injected = Interruptions(monkeypatch)
    await recorded(tmp_path / "recorded", injected)
    targets: list[tuple[str, str]] = []
    for worker in WORKERS:
        places = [each for each in injected.seen[worker] if each not in injected.enclosing.get(worker, ())]
        new = [each for each in places if each not in {place for _, place in targets}]
        targets += [(worker, place) for place in new or places[:1]]
    assert len(targets) > 20
    await interrupted_at(tmp_path, injected, targets, caplog)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("worker", WORKERS)
async def test_an_error_at_any_await_of_a_worker_is_seen_and_outlived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, worker: str
) -> None:
    """What the worker awaits is recorded first; then each of it raises in turn."""
    caplog.set_level(logging.INFO, "memd")
    injected = Interruptions(monkeypatch)
    await recorded(tmp_path / "recorded", injected)
    await interrupted_at(tmp_path, injected, [(worker, place) for place in injected.seen[worker]], caplog)


@pytest.mark.slow
def test_a_worker_that_ends_all_the_same_ends_the_daemon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, anyio_backend: str
) -> None:
    """There is never a server over dead workers: where supervision itself fails, the process ends by that error."""
    assert anyio_backend
    socket = tmp_path / "s"
    supervised = supervision.Workers.run

    async def fragile(workers: Workers, name: str, work: Callable[[Worker], Awaitable[None]]) -> None:
        if name != "storing":
            await supervised(workers, name, work)
            return
        while not socket.exists():
            await anyio.sleep(0.01)
        raise BrokenError

    monkeypatch.setattr(supervision.Workers, "run", fragile)
    settings = Settings.model_validate(
        {"data_dir": tmp_path / "d", "socket": socket, "embedding": {"enabled": False}, "ingest": {"drain_s": 1}}
    )
    with pytest.raises(BrokenError):
        serve(settings)
    assert not socket.exists()
