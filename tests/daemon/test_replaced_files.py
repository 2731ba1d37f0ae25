"""Files that somebody deletes or replaces under their owner, and a journal that cannot be written: nothing is acknowledged."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from memd.daemon.app import open_app
from memd.daemon.config.settings import Settings
from memd.daemon.diagnostics.offline import check_offline
from memd.daemon.service.requests import DoctorRequest
from memd.daemon.service.service import Service
from memd.schemas.errors import StoreError
from memd.tests.daemon.house import note
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio


def _deleted(path: Path) -> None:
    path.unlink()


def _replaced(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copy2(path, copy)
    copy.replace(path)


async def send(service: Service, name: str) -> None:
    """Have a note kept in the journal."""
    run = await service.pipeline.begin("tests")
    await service.pipeline.accept(run, [note(name, f"a note about {name}")])


async def doctor(service: Service, *, repair: bool = False) -> dict[str, str]:
    """What is wrong, by its check."""
    found = await service.doctor.check(DoctorRequest(repair=repair), lambda _: None)
    return {each["check"]: each["detail"] for each in found["findings"] if each["severity"] == "error"}


async def errors_of(settings: Settings, *, repair: bool = False) -> list[str]:
    """The same with nobody serving."""
    found = await check_offline(settings, repair=repair)
    return [each["detail"] for each in found["findings"] if each["severity"] == "error"]


@pytest.mark.parametrize("change", [_deleted, _replaced])
@pytest.mark.parametrize("name", ["store/memory.db", "store/memory.db-wal"])
async def test_a_store_that_is_not_in_its_place_takes_nothing(
    tmp_path: Path, change: Callable[[Path], None], name: str
) -> None:
    """What comes stays in the journal; health and doctor say why."""
    async with open_app(words_only(tmp_path / "d", ingest={"drain_s": 0.1}), serve=False) as service:
        await ingest(service, note("first", "a note"))
        assert await doctor(service) == {}
        change(tmp_path / "d" / name)
        await send(service, "second")
        while "storing" not in service.pipeline.trouble:
            await service.pipeline.journal.depth()
        assert {"store", "storing"} <= {*(await service.health_with_sources())["degraded"]}
        assert (await service.pipeline.journal.depth()).messages == 1
        assert f"{Path(name).name} was {change.__name__[1:]} while memd uses it" in (await doctor(service))["database"]


@pytest.mark.parametrize("change", [_deleted, _replaced])
async def test_a_journal_that_is_not_in_its_place_keeps_nothing(tmp_path: Path, change: Callable[[Path], None]) -> None:
    """The one who sends it is told so."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        change(tmp_path / "d" / "journal.db")
        with pytest.raises(StoreError, match="while memd uses it"):
            await send(service, "first")
        assert "journal" in (await service.health_with_sources())["degraded"]


async def test_a_store_that_was_made_anew_is_told_until_it_is_taken_for_the_right_one(tmp_path: Path) -> None:
    """By the owner, by `memd doctor` alone, and also while there is none."""
    settings = words_only(tmp_path / "d")
    async with open_app(settings, serve=False) as service:
        await ingest(service, note("first", "a note"))
    lost = "memory.db was deleted or replaced: what 1 import brought before may not be in it"
    shutil.rmtree(tmp_path / "d" / "store")
    assert await errors_of(settings, repair=True) == [lost]
    async with open_app(settings, serve=False) as service:
        assert await doctor(service) == {"store": lost}
    assert await errors_of(settings) == [lost]
    assert await errors_of(settings, repair=True) == []
    async with open_app(settings, serve=False) as service:
        assert await doctor(service) == {}


async def test_a_store_that_was_empty_is_not_missed(tmp_path: Path) -> None:
    """No run brought anything to it."""
    settings = words_only(tmp_path / "d")
    async with open_app(settings, serve=False):
        pass
    shutil.rmtree(tmp_path / "d" / "store")
    assert await errors_of(settings) == []


async def test_the_health_says_that_the_journal_cannot_be_written(tmp_path: Path) -> None:
    """Until it can be written again, which the health finds out by itself."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        connection = sqlite3.connect(tmp_path / "d" / "journal.db", isolation_level=None)
        own = service.pipeline.journal._connection  # pyright: ignore[reportPrivateUsage]
        own.execute("PRAGMA busy_timeout = 1")
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError):
            await send(service, "first")
        assert "journal" in (await service.health_with_sources())["degraded"]
        connection.execute("ROLLBACK")
        connection.close()
        assert "journal" not in (await service.health_with_sources())["degraded"]


async def test_an_older_copy_of_the_store_is_noticed(tmp_path: Path) -> None:
    """Put in its place while nobody served; until the user takes it for the right one. The store itself is never one."""
    settings = words_only(tmp_path / "d")
    path = tmp_path / "d" / "store" / "memory.db"
    for name in ("first", "second"):
        async with open_app(settings, serve=False) as service:
            await ingest(service, note(name, f"a note about {name}"))
        if name == "first":
            shutil.copy2(path, tmp_path / "copy")
    assert await errors_of(settings) == []
    shutil.copy2(tmp_path / "copy", path)
    async with open_app(settings, serve=False) as service:
        told = await doctor(service)
        assert told == {"store": "memory.db was deleted or replaced: what 2 imports brought before may not be in it"}
        await ingest(service, note("second", "a note about second"))
    assert await errors_of(settings) == [*told.values()]
    assert await errors_of(settings, repair=True) == []
    async with open_app(settings, serve=False) as service:
        assert await doctor(service) == {}
