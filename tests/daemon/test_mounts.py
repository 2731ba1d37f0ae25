"""Questions read other memories as well: owned or not, absent, damaged or newer; nothing is written there."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import json
import shutil
import socket
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from memd.daemon.app import open_app
from memd.daemon.config.paths import LOCK, STORE, Owner
from memd.daemon.config.settings import QuerySettings, Settings
from memd.daemon.querying import mounts
from memd.daemon.service.service import Service
from memd.memory.store.schema import DATABASE
from memd.schemas import Query
from memd.schemas.errors import NotFoundError
from memd.tests.daemon.house import note, talk
from memd.tests.daemon.test_query_buffer import forget, said, store
from memd.tests.daemon.test_query_buffer import settings as waiting_settings

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
HARBOUR = Query(text="harbour", explain=True)


def settings(folder: Path, **mounts: Path) -> Settings:
    """Words alone, no facts."""
    return Settings.model_validate(
        {
            "data_dir": folder,
            "socket": folder / "s",
            "zone": "UTC",
            "embedding": {"enabled": False},
            "facts": {"extractor": "off"},
            "mounts": mounts,
        }
    )


async def filled(folder: Path, *notes: str) -> Path:
    """A memory of these notes and a talk, that nobody owns."""
    async with open_app(settings(folder), serve=False) as service:
        await store(service, talk(folder.name, 3), *(note(f"{folder.name}{n}", text) for n, text in enumerate(notes)))
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """Every file with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def places(service: Service, **query: Any) -> list[tuple[str | None, str]]:
    """The memory and the text of each hit."""
    result = await service.query(Query.model_validate({"text": "harbour", **query}))
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    return [(hit.memory, hit.text) for hit in result.hits]


async def test_a_memory_that_nobody_owns_is_read(tmp_path: Path) -> None:
    """In turns with the own hits, what both have once, with filters in each; not a byte of it changes, and its files tell when it does."""
    work = await filled(tmp_path / "work", "the harbour at work", "the harbour of both")
    before = files(work)
    async with open_app(settings(tmp_path / "own", work=work), serve=False) as service:
        await store(service, note("own0", "the harbour at home"), note("work1", "the harbour of both"))
        hits = await places(service)
        assert {text for _, text in hits} == {"the harbour at home", "the harbour at work", "the harbour of both"}
        assert [memory for memory, _ in hits] == [None, "work", None]
        assert len(await places(service, limit=2)) == 2
        assert {memory for memory, _ in await places(service, memories=("work",))} == {"work"}
        assert {memory for memory, _ in await places(service, memories=("own",))} == {None}
        with pytest.raises(NotFoundError, match="no memory"):
            await places(service, memories=("other",))
        # Nobody here is called Bob, and over there he said nothing of the harbour.
        assert [hit.memory for hit in (await service.query(Query(text="message 1", speakers=("Bob",)))).hits[:1]] == [
            "work"
        ]
        assert [(await service.query(HARBOUR)).cached for _ in range(2)] == [False, True]
        assert files(work) == before
        async with open_app(settings(work), serve=False) as other:
            await store(other, note("work2", "a harbour more"))
        again = await service.query(HARBOUR)
        assert not again.cached
        assert "a harbour more" in {hit.text for hit in again.hits}
        counts = (await service.stats())["queries"]["by_source"]
        assert counts["mount:work"] >= 5


async def test_the_owner_of_a_memory_is_asked(tmp_path: Path) -> None:
    """Over its socket, also where it mounts the memory that asks; what is stored there is found at once."""
    work = await filled(tmp_path / "work", "the harbour at work")
    own = tmp_path / "own"
    async with open_app(settings(work, back=own), serve=True) as owner, open_app(settings(own, work=work)) as service:
        assert await places(service) == [("work", "the harbour at work")]
        await store(owner, note("more", "the harbour again"))
        assert {text for _, text in await places(service)} == {"the harbour at work", "the harbour again"}
        await store(service, note("own0", "the harbour at home"))
        assert {memory for memory, _ in await places(owner)} == {None, "back"}
        assert not (await service.query(HARBOUR)).cached
        assert (await service.query(HARBOUR)).degraded == ("vector",)


async def test_an_owner_answers_as_it_is_asked(tmp_path: Path) -> None:
    """With the limit of the question, whatever the owner's settings say; an order of time is one of all."""
    work = await filled(tmp_path / "work", *(f"the harbour, visit {number}" for number in range(5)))
    few = settings(work).model_copy(update={"query": QuerySettings(limit=2)})
    async with open_app(few), open_app(settings(tmp_path / "own", work=work), serve=False) as service:
        assert len(await places(service)) == 5
    old = await filled(tmp_path / "old")
    async with open_app(settings(tmp_path / "own", work=work, old=old), serve=False) as service:
        latest = Query(text="the latest message from Bob", memories=("work", "old"), explain=True)
        times = [hit.time for hit in (await service.query(latest)).hits if hit.time is not None]
        assert times == sorted(times, reverse=True)
        assert await kept_after_a_minute(service, latest) is False


async def kept_after_a_minute(service: Service, query: Query) -> bool:
    """Ask, and ask again when the clock shows another minute of the same day."""
    now = [datetime(2026, 11, 29, 12, 0, tzinfo=UTC)]
    service._memory.retriever._now = lambda: now[0]
    await service.query(query)
    now[0] += timedelta(minutes=1)
    return (await service.query(query)).cached


async def test_what_waits_in_an_unowned_memory_is_not_hidden(tmp_path: Path) -> None:
    """A killed owner leaves documents in its journal: the answer says that it has not looked there, and writes nothing."""
    async with open_app(waiting_settings(tmp_path / "work"), serve=False) as owner:
        await owner.add_messages(said("the harbour opens at nine"))
        shutil.copytree(tmp_path / "work", tmp_path / "killed")
    before = files(tmp_path / "killed")
    async with open_app(settings(tmp_path / "own", work=tmp_path / "killed"), serve=False) as service:
        await store(service, note("own0", "the harbour at home"))
        assert (await service.query(HARBOUR)).degraded == ("vector", "mount:work/queue")
    assert files(tmp_path / "killed") == before


@pytest.mark.parametrize("name", ["own", " own", "a/b", "", " ", "a" * 65, "a\n"])
def test_a_name_that_cannot_be_asked_for_is_refused(name: str, tmp_path: Path) -> None:
    """As `memories` has it, and as `degraded` tells it."""
    with pytest.raises(ValueError, match="a name is 1 to 64 letters"):
        settings(tmp_path, **{name: tmp_path})


async def test_a_memory_counts_once(tmp_path: Path) -> None:
    """A mount that is the memory itself, by whatever path, or another mount, adds nothing."""
    own, work = tmp_path / "own", await filled(tmp_path / "work")
    (tmp_path / "link").symlink_to(own)
    folders = {"me": own, "link": tmp_path / "link", "work": work, "again": work / ".." / "work"}
    async with open_app(settings(own, **folders)) as service:
        await store(service, talk("a", 3))
        answer = await service.query(Query(text="how often did Bob mention message?"))
        assert (answer.count, answer.degraded) == (4, ("vector",))
        with pytest.raises(NotFoundError, match="no memory"):
            await places(service, memories=("me",))


async def test_a_silent_owner_keeps_no_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many questions wait for it, threads are free for all else, and none stays when the questions are answered."""
    monkeypatch.setattr(mounts, "SECONDS", 0.5)
    silent, path = tmp_path / "silent", str(tmp_path / "s")
    silent.mkdir()
    (silent / LOCK).write_text(json.dumps({"pid": 1, "kind": "daemon", "state": "serving", "socket": path}))
    with closing(socket.socket(socket.AF_UNIX)) as owner:
        owner.bind(path)
        owner.listen(100)
        async with open_app(settings(tmp_path / "own", silent=silent), serve=False) as service:
            await store(service, note("own0", "the harbour at home"))
            limiter = anyio.to_thread.current_default_thread_limiter()
            async with anyio.create_task_group() as tasks:
                for _ in range(int(limiter.total_tokens)):
                    tasks.start_soon(service.query, HARBOUR)
                with anyio.fail_after(60):
                    while service.queries._mounts._asking.available_tokens:
                        await anyio.sleep(0.01)
                assert limiter.available_tokens > 0
            monkeypatch.setattr(mounts, "SECONDS", 3_600)  # nobody waits for it again so soon
            with anyio.fail_after(60):
                assert (await service.query(HARBOUR)).degraded == ("vector", "mount:silent")
            with anyio.fail_after(60):
                while service.queries._mounts._asking.borrowed_tokens:
                    await anyio.sleep(0.01)


async def test_a_silent_disk_costs_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder whose disk does not answer is named as missing, and all else goes on, from the start on."""
    monkeypatch.setattr(mounts, "SECONDS", 0.2)
    monkeypatch.setattr(mounts, "LOOK_SECONDS", 0.1)
    answers = threading.Event()
    read_owner = mounts.read_owner

    def waiting(lock: str) -> Owner:
        answers.wait(60)
        return read_owner(lock)

    async with open_app(settings(tmp_path / "own", gone=tmp_path / "gone"), serve=False) as service:
        await store(service, note("own0", "the harbour at home"))
        monkeypatch.setattr(mounts, "read_owner", waiting)
        try:
            for _ in range(mounts.ASKED_AT_ONCE + 1):
                service.queries._mounts._quiet_until.clear()
                assert (await service.query(HARBOUR)).degraded == ("vector", "mount:gone")
        finally:
            answers.set()


async def test_nothing_forgotten_is_in_an_answer_that_waited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is forgotten while another memory is asked is not in the answer."""
    async with open_app(settings(tmp_path / "own", work=tmp_path / "absent"), serve=False) as service:
        await store(service, note("own0", "the harbour at home"))
        asked = service.queries._mounts.ask

        async def slowly(query: Query) -> list[mounts.MountAnswer]:
            await forget(service, sources=["tests"])
            return await asked(query)

        monkeypatch.setattr(service.queries._mounts, "ask", slowly)
        assert not (await service.query(HARBOUR)).hits
        assert len(service.queries.cache) == 0


async def test_a_memory_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Absent, damaged, or of a newer memd: the answer is the own one, and says which is missing; the start does not wait."""
    damaged, newer = await filled(tmp_path / "damaged", "the harbour"), await filled(tmp_path / "newer", "the harbour")
    (damaged / STORE / DATABASE).write_bytes(b"no database at all" * 500)
    with closing(sqlite3.connect(newer / STORE / DATABASE)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    before = files(damaged), files(newer)
    folders = {"absent": tmp_path / "absent", "damaged": damaged, "newer": newer}
    async with open_app(settings(tmp_path / "own", **folders), serve=False) as service:
        await store(service, note("own0", "the harbour at home"))
        answer = await service.query(HARBOUR)
        assert [hit.text for hit in answer.hits] == ["the harbour at home"]
        assert answer.degraded == ("vector", "mount:absent", "mount:damaged", "mount:newer")
        assert not (await service.query(HARBOUR)).cached
    assert (files(damaged), files(newer)) == before
    assert not (tmp_path / "absent").exists()
