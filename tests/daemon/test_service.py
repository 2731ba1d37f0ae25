"""The application put together from a configuration: asked, fed, watched, opened and closed."""

from __future__ import annotations

import gc
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from memd.daemon import client as client_module
from memd.daemon.app import open_app
from memd.daemon.client import Client, DaemonError
from memd.daemon.config.paths import SOCKET_BYTES, Owner, read_owner
from memd.daemon.config.settings import Settings
from memd.daemon.lifecycle import single_error
from memd.daemon.operations import HEALTH
from memd.daemon.pipeline.pipeline import Pipeline
from memd.daemon.service.requests import DoctorRequest, ListingRequest
from memd.daemon.service.service import Service
from memd.memory import supervision
from memd.memory.memory import EvolvingMemory
from memd.schemas import Document, ProgressUpdate, Query, StoreReport, document_to_line
from memd.schemas.errors import BusyError, ConfigError, ExtractionError, NotFoundError, StoreError
from memd.tests.daemon.house import note, talk, wire
from memd.tests.daemon.interruptions import opened
from memd.tests.llm.places import homes
from memd.tests.open_files import files_open_below
from memd.tests.openai_server.server import Server

pytestmark = pytest.mark.anyio


def words_only(folder: Path, **more: Any) -> Settings:
    """Settings without vectors, so that no model is loaded."""
    return Settings.model_validate({"data_dir": folder, "embedding": {"enabled": False}, **more})


async def ingest(service: Service, *documents: Document) -> ProgressUpdate:
    """A whole run."""
    run = await service.pipeline.begin("tests")
    await service.pipeline.accept(run, documents)
    await service.pipeline.finish(run)
    with anyio.fail_after(60):
        return await service.pipeline.runs.wait(run, "vectors")


async def test_what_is_fed_can_be_asked(tmp_path: Path) -> None:
    """Found with citation, shown in its document, listed in pages, counted."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        last = await ingest(service, talk("a", 5), talk("b", 3), note("n", "a text"))
        assert (last.added, last.outcome) == (9, "ok")
        hit = (await service.query(Query(text="message 3 of a"))).hits[0]
        shown = await service.show(str(hit.id))
        assert (shown["document"]["id"], shown["position"], shown["message"]) == ("talk:a", 3, str(hit.id))
        assert set(await service.show("note:n")) == {"document", "chunks"}
        assert (await service.document("talk:b")) == talk("b", 3).to_wire()
        with pytest.raises(NotFoundError):
            await service.show("nothing")
        first = await service.listing(ListingRequest(limit=2))
        assert len(first["documents"]) == 2
        rest = await service.listing(ListingRequest(limit=3))
        assert {line["id"] for line in rest["documents"]} == {"talk:a", "talk:b", "note:n"}
        stats = await service.stats()
        assert (stats["messages"], stats["documents"], stats["vectors"]["done"]) == (8, 3, 0)
        assert (stats["queue"]["depth"], stats["dead_letters"]) == (0, 0)
        assert (stats["query_ms"]["p50"] or 0) > 0


@pytest.mark.slow
async def test_a_run_that_waits_for_nothing_ends_before_the_application(tmp_path: Path) -> None:
    """Without facts and vectors stored is all there is: however soon the application closes, the run went well."""
    settings = words_only(tmp_path / "d", facts={"extractor": "off"})
    for number in range(5):
        async with open_app(settings, serve=False) as service:
            run = await service.pipeline.begin("tests")
            await service.pipeline.accept(run, [talk(f"a{number}", 3)])
            await service.pipeline.finish(run)
    async with open_app(settings, serve=False) as service:
        told = (await service.status())["last_runs"]
    assert [each["outcome"] for each in told] == ["ok"] * 5


@pytest.mark.slow
async def test_words_only_says_that_vectors_are_missing(tmp_path: Path) -> None:
    """A setting of the user's, told with every answer; the texts wait for the day that it is changed."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, talk("a", 5))
        result = await service.query(Query(text="topic"))
        assert "vector" in result.degraded
        assert result.hits
    async with open_app(Settings(data_dir=tmp_path / "d"), serve=False) as service:
        with anyio.fail_after(60):
            while (await service.stats())["vectors"] != {"done": 5, "pending": 0}:
                await anyio.sleep(0.05)
            while (await service.query(Query(text="topic"))).degraded:  # made, and not yet in the index
                await anyio.sleep(0.05)


@pytest.mark.slow
async def test_an_answer_says_that_something_is_not_stored_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the store has no room it is found by its words, marked as waiting; and as stored as soon as it is."""

    async def full(_memory: EvolvingMemory, _documents: object, *_more: object) -> StoreReport:
        raise StoreError("the disk is full")

    settings = words_only(tmp_path / "d")
    monkeypatch.setattr(supervision, "PAUSES", (0.02,))
    with monkeypatch.context() as patch:
        patch.setattr(EvolvingMemory, "write", full)
        async with open_app(settings, serve=False) as service:
            assert (await ingest(service, talk("a", 3))).outcome == "partial"
    async with open_app(settings, serve=False, single_request=True) as service:
        result = await service.query(Query(text="message 1"))
        assert all(hit.waiting for hit in result.hits) or result.degraded == ("vector",)
        with anyio.fail_after(60):
            while any(hit.waiting for hit in result.hits):
                assert result.hits
                result = await service.query(Query(text="message 1"))


async def test_only_what_needs_a_model_needs_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Storing and asking go on without the package; an answer by the model and doctor say what is missing."""
    monkeypatch.setitem(sys.modules, "openai", None)
    model = {"model": "m", "base_url": "http://127.0.0.1:9/v1"}
    async with open_app(words_only(tmp_path / "d", llm=model), serve=False) as service:
        assert (await ingest(service, talk("a", 3))).added == 3
        assert (await service.query(Query(text="message 1"))).hits
        with pytest.raises(ExtractionError, match="openai is not installed") as caught:
            await service.knowledge.ask(Query(text="message 1"))
        assert "pip install" in caught.value.hint
        findings = (await service.doctor.check(DoctorRequest(), lambda _: None))["findings"]
        (found,) = [each for each in findings if each["check"] == "model"]
        assert (found["severity"], found["hint"]) == ("error", caught.value.hint)


@pytest.mark.slow
async def test_a_lone_owner_embeds_nothing_that_waits(tmp_path: Path) -> None:
    """It stores and answers; the vectors are the next owner's."""
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, talk("a", 5))
    async with open_app(Settings(data_dir=tmp_path / "d"), serve=False, single_request=True) as service:
        result = await service.query(Query(text="topic"))
        assert "vector" not in result.degraded
        assert (await service.stats())["vectors"] == {"done": 0, "pending": 5}


async def test_defaults_of_questions_are_settings(tmp_path: Path) -> None:
    """What a question does not say is what the configuration says."""
    async with open_app(words_only(tmp_path / "d", query={"limit": 2, "context": 0}), serve=False) as service:
        await ingest(service, talk("a", 5))
        result = await service.query(Query(text="topic"))
        assert len(result.hits) == 2
        assert not result.hits[0].context
        assert len((await service.query(Query(text="topic", limit=4))).hits) == 4


async def test_status_names_the_paths_in_force(tmp_path: Path) -> None:
    """Who owns it, where, since when, and how the last run ended; health says the short of it."""
    settings = words_only(tmp_path / "d", config=tmp_path / "c.toml")
    async with open_app(settings, serve=False) as service:
        await ingest(service, talk("a", 2))
        running = await service.pipeline.begin("open")
        status = wire(await service.status())
        assert status["pid"] == os.getpid()
        assert status["config"] == str(tmp_path / "c.toml")
        assert status["data_dir"] == str(tmp_path / "d")
        assert status["socket"] == str(tmp_path / "d" / "memd.sock")
        assert [update["run"] for update in status["running"]] == [running]
        assert (status["last_runs"][0]["outcome"], status["last_runs"][0]["added"]) == ("ok", 2)
        assert service.health()["status"] == "ok"


@pytest.mark.slow
async def test_whoever_owns_it_serves_the_socket(tmp_path: Path) -> None:
    """As long as it lives; a second owner is refused; afterwards the socket is gone and the files are private."""
    settings = words_only(tmp_path / "d")
    async with open_app(settings) as service:
        client = Client(str(settings.socket))
        assert (await anyio.to_thread.run_sync(client.call, HEALTH))["pid"] == os.getpid()
        owner = Owner(os.getpid(), "command", "serving", str(settings.socket))
        assert read_owner(str(tmp_path / "d" / "owner.lock")) == owner
        with pytest.raises(BusyError):
            async with open_app(settings):
                pass
        await ingest(service, talk("a", 2))
        client.close()
    assert not settings.socket.exists()
    modes = {path: stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (tmp_path / "d").rglob("*")}
    assert stat.S_IMODE((tmp_path / "d").stat().st_mode) == 0o700
    assert not any(mode for path, mode in modes.items() if path.parent == tmp_path / "d"), modes


@pytest.mark.slow
async def test_a_run_waits_for_a_sender_that_waits_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a sender has no document to send, its client tells the daemon that it lives: the silence begins anew."""
    monkeypatch.setattr(client_module, "SIGN_OF_LIFE_SECONDS", 0.01)
    monkeypatch.setattr(client_module, "REQUEST_BYTES", 1)
    settings = words_only(tmp_path / "d")
    async with open_app(settings) as service:
        client = Client(str(settings.socket))

        def lines() -> Iterator[bytes]:
            for name in "abc":
                yield document_to_line(talk(name, 1))
            (run,) = service.pipeline.runs
            moments: set[float] = set()
            ends = time.monotonic() + 60
            while len(moments) < 6:  # three documents, and signs of life after them
                assert time.monotonic() < ends, "no sign of life comes"
                moments.add(run.touched)
                time.sleep(0.005)
            yield document_to_line(talk("d", 1))

        found = await anyio.to_thread.run_sync(
            lambda: list(client.send_documents(lines(), {"source": "ingest", "receipt": 1}))
        )
        client.close()
        assert [each.accepted for each in found] == [1, 1, 1, 1]
        (run,) = {each.run for each in found}
        with anyio.fail_after(60):
            await service.pipeline.runs.wait(run, "vectors")
        (told,) = [each for each in await service.pipeline.runs.last() if each["run"] == run]
        assert (told["outcome"], told["added"]) == ("ok", 4)


@pytest.mark.slow
async def test_a_long_path_is_served_at_a_short_one(tmp_path: Path) -> None:
    """The lock file names it, and its folder goes with the owner."""
    folder = tmp_path / ("x" * SOCKET_BYTES)
    async with open_app(words_only(folder)) as service:
        told = read_owner(str(folder / "owner.lock")).socket
        assert told == (await service.status())["socket"]
        assert len(told) <= SOCKET_BYTES
        client = Client(told)
        assert (await anyio.to_thread.run_sync(client.call, HEALTH))["status"] == "ok"
        client.close()
    assert not Path(told).parent.exists()


async def test_a_socket_that_cannot_be_served_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    """The error itself, not a group of errors; the data directory is free again."""
    (tmp_path / "s").write_text("not a socket")
    with pytest.raises(ConfigError, match="not a socket"), single_error():
        async with open_app(words_only(tmp_path / "d", socket=tmp_path / "s", socket_chosen=True)):
            pass
    async with open_app(words_only(tmp_path / "d"), serve=False):
        pass


@pytest.mark.slow
async def test_nothing_is_left_of_an_application(tmp_path: Path) -> None:
    """Opened and closed, and cancelled while it opens and while it works: no file, no task."""
    settings = words_only(tmp_path / "d")
    async with open_app(settings) as service:
        await ingest(service, talk("a", 20))
    tasks = len(anyio.get_running_tasks())
    for number in range(12):
        with anyio.move_on_after(number * 0.01):
            async with open_app(settings) as service:
                run = await service.pipeline.begin("tests")
                await service.pipeline.accept(run, [talk(f"{number}", 50)])
                await anyio.sleep_forever()
        with anyio.fail_after(60):
            while files_open_below(tmp_path):
                await anyio.sleep(0.05)
        assert len(anyio.get_running_tasks()) == tasks


@pytest.mark.slow
async def test_the_end_stores_what_was_acknowledged(tmp_path: Path) -> None:
    """Within the deadline; a follower hears the last word of its run."""
    told: list[ProgressUpdate] = []
    async with anyio.create_task_group() as tasks, open_app(words_only(tmp_path / "d"), serve=False) as service:
        run = await service.pipeline.begin("tests")

        async def follow() -> None:
            async with service.follow(run) as updates:
                told.extend([update async for update in updates])

        tasks.start_soon(follow)
        await anyio.wait_all_tasks_blocked()
        await service.pipeline.accept(run, [talk(f"{number}", 100) for number in range(10)])
    assert told[-1].terminal
    assert told[-1].processed == 1000
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        assert (await service.stats())["messages"] == 1000


@pytest.mark.slow
async def test_refused_documents_leave_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one that goes on, nor one that an owner after this takes for ended; followers of it are let go."""
    settings = words_only(tmp_path / "d", socket=tmp_path / "s")
    line = document_to_line(note("n", "a text"))

    async def refuse(*_: object, **__: object) -> None:
        raise BusyError("the queue is full")

    async with open_app(settings) as service:
        with monkeypatch.context() as patch:
            patch.setattr(Pipeline, "accept", refuse)
            for _ in range(3):
                client = Client(str(tmp_path / "s"))
                with pytest.raises(DaemonError, match="the queue is full"):
                    await anyio.to_thread.run_sync(client.ask, "POST", "/v1/documents", line, "application/jsonl")
                client.close()
        status = wire(await service.status())
        assert (status["running"], status["last_runs"]) == ([], [])
        run = await service.pipeline.begin("tests")
        async with service.follow(run) as updates:
            await service.pipeline.withdraw(run)
            with anyio.fail_after(60):
                assert [update async for update in updates] == []
        kept = await service.pipeline.begin("tests")
        await service.pipeline.accept(kept, [note("n", "a text")])
        await service.pipeline.withdraw(kept)
        with anyio.fail_after(60):
            assert (await service.pipeline.runs.wait(kept, "vectors")).added == 1
    async with open_app(settings, serve=False) as service:
        assert [each["run"] for each in (await service.status())["last_runs"]] == [kept]


@pytest.mark.parametrize("how", ["well", "by an error", "unopened"])
@pytest.mark.slow
async def test_the_collector_is_left_as_it_was_found(tmp_path: Path, how: str) -> None:
    """However the application ends: whoever embeds it has settings of their own."""
    found = gc.isenabled(), gc.get_threshold()
    gc.disable()
    gc.set_threshold(321, 7, 5)
    try:
        settings = words_only(tmp_path / "d", socket=tmp_path if how == "unopened" else tmp_path / "s")
        with suppress(ZeroDivisionError, ConfigError), single_error():
            async with open_app(settings):
                assert gc.isenabled()
                assert how != "by an error" or 1 / 0
        assert not gc.isenabled()
        assert gc.get_threshold() == (321, 7, 5)
    finally:
        gc.set_threshold(*found[1])
        (gc.enable if found[0] else gc.disable)()


async def test_facts_that_no_import_waits_for_get_their_vectors(tmp_path: Path) -> None:
    """A model that is set later reads what is stored, and messages are found by the vectors of its facts too."""
    async with opened(tmp_path / "d") as service:
        await ingest(service, talk("a", 3, words=". I live in Oslo. This is number"))
        before = (await service.stats())["vectors"]["done"]
    with Server(script=homes) as server:
        llm = {"model": "small-model", "base_url": server.base_url}
        async with opened(tmp_path / "d", llm=llm) as service:
            with anyio.fail_after(60):
                while (vectors := (await service.stats())["vectors"])["pending"] or vectors["done"] == before:
                    await anyio.sleep(0.01)
