"""Lists of messages through a whole daemon: kept, held back, released, forgotten, killed."""

from __future__ import annotations

import random
import signal
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from memd.daemon.app import open_app
from memd.daemon.client import Client, DaemonError, DaemonGoneError
from memd.daemon.config.settings import Settings
from memd.daemon.journal.database import salvage
from memd.daemon.journal.journal import Journal, open_journal
from memd.daemon.service.requests import ForgetRequest, LettersRequest, ListingRequest, MessagesRequest
from memd.daemon.service.service import Service
from memd.memory import supervision
from memd.memory.memory import EvolvingMemory
from memd.schemas import Document, Query, StoreReport
from memd.schemas.errors import StoreError
from memd.tests import processes
from memd.tests.command import memd_command
from memd.tests.daemon.house import house, talk
from memd.tests.daemon.test_crash import environment

pytestmark = pytest.mark.anyio
WAIT = 60


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between attempts that a test can wait for."""
    monkeypatch.setattr(supervision, "PAUSES", (0.01, 0.02))


def settings(folder: Path, **ingest: Any) -> Settings:
    """Words only, facts off; by default a buffer that time alone never releases within a test."""
    given = {"buffer": "round", **ingest}
    return Settings.model_validate(
        {
            "data_dir": folder,
            "zone": "UTC",
            "embedding": {"enabled": False},
            "facts": {"extractor": "off"},
            "ingest": given,
        }
    )


def request(*texts: str, session: str = "s", **more: Any) -> MessagesRequest:
    """One list; users and assistants alternate."""
    return MessagesRequest.model_validate(
        {"messages": [said(n, text, session, **more) for n, text in enumerate(texts)]}
    )


def said(number: int, text: str, session: str, **more: Any) -> dict[str, Any]:
    """One message."""
    role = "assistant" if number % 2 else "user"
    return {"role": role, "content": text, "metadata": {"session_id": session}, **more}


async def stored(service: Service) -> list[str]:
    """The contents of all messages, by document, in their order."""
    page = await service.listing(ListingRequest(limit=100))
    found: list[str] = []
    for line in reversed(page["documents"]):
        document = await service.document(line["key"])
        found += [message["content"] for message in document["conversation"]["conversation"]]
    return found


async def until_stored(service: Service, count: int) -> list[str]:
    """The contents, as soon as there are so many."""
    with anyio.fail_after(WAIT):
        while len(found := await stored(service)) < count:
            await anyio.sleep(0.02)
    return found


async def test_lists_wait_and_are_stored_together(tmp_path: Path) -> None:
    """Acknowledged in the journal, counted in status and stats, told by queries; the fifth list stores them in order."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        for number in range(4):
            answer = await service.add_messages(request(f"question {number}", f"answer {number}"))
            assert (answer["accepted"], answer["buffered"]) == (2, 2 * number + 2)
        assert await stored(service) == []
        assert (await service.status())["queue"]["buffered"] == (await service.stats())["queue"]["depth"] == 8
        waiting = await service.query(Query(text="question"))
        assert "queue" not in waiting.degraded
        assert {hit.text for hit in waiting.hits if hit.waiting} == {f"question {number}" for number in range(4)}
        last = await service.add_messages(request("question 4"))
        assert last["buffered"] == 0
        assert await until_stored(service, 9) == [
            *[f"{word} {number}" for number in range(4) for word in ("question", "answer")],
            "question 4",
        ]
        with anyio.fail_after(WAIT):
            update = await service.pipeline.runs.wait(last["run"], "vectors")
        assert (update.outcome, update.added) == ("ok", 1)
        assert (await service.status())["queue"]["buffered"] == 0


@pytest.mark.slow
async def test_a_quiet_conversation_is_stored_by_a_timer(tmp_path: Path) -> None:
    """One list alone, by its age."""
    async with open_app(settings(tmp_path / "d", buffer="write", buffer_age_s=0.2), serve=False) as service:
        await service.add_messages(request("alone"))
        assert await until_stored(service, 1) == ["alone"]


async def test_the_bypass_stores_at_once(tmp_path: Path) -> None:
    """Nothing waits for anything."""
    async with open_app(settings(tmp_path / "d", buffer="none"), serve=False) as service:
        assert (await service.add_messages(request("now")))["buffered"] == 0
        assert await until_stored(service, 1) == ["now"]


@pytest.mark.slow
@pytest.mark.parametrize("lists", [1, 4, 6, 9, 12])
async def test_the_end_of_the_daemon_loses_no_tail(tmp_path: Path, lists: int) -> None:
    """However many lists were added, all are stored when it has ended."""
    async with open_app(settings(tmp_path / "d", drain_s=WAIT), serve=False) as service:
        for number in range(lists):
            await service.add_messages(request(f"text {number}"))
        await anyio.sleep(0.3)  # the worker has looked, and nothing wakes it but the end
    async with open_journal(tmp_path / "d" / "journal.db") as journal:
        assert (await journal.depth()).documents == 0
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        assert await stored(service) == [f"text {number}" for number in range(lists)]


@pytest.mark.slow
async def test_a_store_that_is_down_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Released lists stay in the journal until the store has them, also beyond the end of the daemon."""
    write = EvolvingMemory.write

    async def refuses(_self: EvolvingMemory, _documents: list[Document], *_more: object) -> StoreReport:
        raise StoreError("the store is down")

    monkeypatch.setattr(EvolvingMemory, "write", refuses)
    async with open_app(settings(tmp_path / "d", drain_s=0.1), serve=False) as service:
        for number in range(10):
            await service.add_messages(request(f"text {number}"))
    monkeypatch.setattr(EvolvingMemory, "write", write)
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        assert await until_stored(service, 10) == [f"text {number}" for number in range(10)]


async def test_a_release_that_fails_leaves_all_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lists are acknowledged, and the next attempt releases them."""
    release, failures = Journal.release, [StoreError("the disk is full")] * 3

    async def fails(self: Journal, numbers: list[int]) -> None:
        if failures:
            raise failures.pop()
        await release(self, numbers)

    monkeypatch.setattr(Journal, "release", fails)
    async with open_app(settings(tmp_path / "d", buffer_lists=2), serve=False) as service:
        await service.add_messages(request("one"))
        await service.add_messages(request("two"))
        assert await until_stored(service, 2) == ["one", "two"]
        assert not failures


async def test_the_next_owner_goes_on_with_what_was_held_back(tmp_path: Path) -> None:
    """By its own policy, with the age counted from the arrival; lists before and after the restart are one buffer."""
    folder = tmp_path / "d"
    async with open_app(settings(folder), serve=False) as service:
        await service.add_messages(request("one"))
        (folder / "kept").write_bytes((folder / "journal.db").read_bytes())
        wal = folder / "journal.db-wal"
        (folder / "kept-wal").write_bytes(wal.read_bytes() if wal.exists() else b"")
    other = tmp_path / "e"
    other.mkdir(mode=0o700)
    (folder / "kept").rename(other / "journal.db")
    (folder / "kept-wal").rename(other / "journal.db-wal")
    async with open_app(settings(other, buffer_lists=2), serve=False) as service:
        assert (await service.status())["queue"]["buffered"] == 1
        assert await stored(service) == []
        await service.add_messages(request("two"))
        assert await until_stored(service, 2) == ["one", "two"]


async def test_what_is_held_back_can_be_forgotten(tmp_path: Path) -> None:
    """The plan counts it, nothing of it is released, and the other session stays."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        await service.add_messages(request("secret one", session="a"))
        await service.add_messages(request("harmless", session="b"))

        def ignore(_step: object) -> None: ...

        asked = {"chats": ("messages:a",)}
        plan = await service.forgetting.forget(ForgetRequest.model_validate(asked), ignore)
        assert plan["messages"] + plan["waiting"] >= 1
        given = asked | {"dry_run": False, "plan": plan["plan"]}
        await service.forgetting.forget(ForgetRequest.model_validate(given), ignore)
        assert (await service.status())["queue"]["buffered"] == 1
        await service.messages.release_all()
        assert await until_stored(service, 1) == ["harmless"]
        assert b"secret" not in b"".join(
            path.read_bytes() for path in (tmp_path / "d").rglob("journal.db*") if path.is_file()
        )


async def test_a_list_that_is_sent_twice_with_ids_is_stored_once(tmp_path: Path) -> None:
    """While the first one waits, and when it is stored; with times, also on another day."""
    time = "2024-01-15T12:00:00Z"
    async with open_app(settings(tmp_path / "d", buffer_lists=2), serve=False) as service:
        asked = MessagesRequest.model_validate(
            {"messages": [said(n, f"text {n}", "s", id=f"m{n}", timestamp=time) for n in range(3)]}
        )
        await service.add_messages(asked)
        await service.add_messages(asked)
        assert await until_stored(service, 3) == ["text 0", "text 1", "text 2"]
        await service.add_messages(asked)
        await service.messages.release_all()
        await service.pipeline.drain()
        assert await stored(service) == ["text 0", "text 1", "text 2"]


async def test_equal_words_without_ids_are_two_messages(tmp_path: Path) -> None:
    """In one minute and in two lists."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        for _ in range(5):
            await service.add_messages(request("ok", "ok", time=datetime(2024, 1, 15, 12, tzinfo=UTC)))
        assert await until_stored(service, 10) == ["ok"] * 10


@pytest.mark.slow
async def test_pieces_of_a_session_add_up_in_any_grouping(tmp_path: Path) -> None:
    """Random lists of three sessions: each message once, in the order of its session."""
    rng = random.Random(7)
    sent: dict[str, list[str]] = {"a": [], "b": [], "c": []}
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        for number in range(60):
            session = rng.choice("abc")
            texts = [f"{session} {number} {each}" for each in range(rng.randrange(1, 4))]
            sent[session] += texts
            await service.add_messages(request(*texts, session=session))
        await service.messages.release_all()
        await service.pipeline.drain()
        found = await stored(service)
    for session, texts in sent.items():
        assert [text for text in found if text.startswith(session)] == texts


async def test_an_empty_request_is_refused() -> None:
    """And blank words, and roles that nobody knows."""
    blank = {"messages": [{"role": "user", "content": " "}]}
    several: list[dict[str, Any]] = [{}, {"messages": []}, {"lists": [[]]}, blank]
    for wrong in several:
        with pytest.raises(ValueError, match="message"):
            MessagesRequest.model_validate(wrong)
    with pytest.raises(ValueError, match="role"):
        MessagesRequest.model_validate({"messages": [{"role": "boss", "content": "x"}]})


async def test_a_client_adds_lists(tmp_path: Path) -> None:
    """Over the socket."""
    async with open_app(settings(tmp_path / "d", buffer_lists=2)) as service:
        client = Client((await service.status())["socket"])
        try:
            answer = await anyio.to_thread.run_sync(client.add, [said(0, "one", "s")], [said(0, "two", "s")])
            assert answer["accepted"] == 2
            with pytest.raises(DaemonError, match="role"):
                await anyio.to_thread.run_sync(client.add, [{"role": "boss", "content": "x"}])
        finally:
            client.close()
        assert await until_stored(service, 2) == ["one", "two"]


@pytest.mark.slow
async def test_killed_while_lists_wait(tmp_path: Path) -> None:
    """SIGKILL in the middle of sending: what was acknowledged is stored by the next owner, once, in order."""
    acknowledged: list[str] = []
    for turn in range(2):
        env = environment(tmp_path, vectors=False)
        with (tmp_path / "config.toml").open("a") as config:
            config.write('[ingest]\nbuffer = "round"\nbuffer_lists = 4\ndrain_s = 60\n')
        server = _start_daemon(env, tmp_path)
        try:
            client = Client(str(tmp_path / "s"))
            await _serving(client)
            for number in range(9 + turn):
                text = f"text {turn} {number}"
                await anyio.to_thread.run_sync(client.add, [said(0, text, "s", id=text)])
                acknowledged.append(text)
            client.close()
        finally:
            server.send_signal(signal.SIGKILL)
            server.wait()
    given = settings(tmp_path / "data", drain_s=WAIT).model_copy(update={"socket": tmp_path / "t"})
    async with open_app(given, serve=False) as service:
        await service.messages.release_all()
        assert await until_stored(service, len(acknowledged)) == acknowledged


def _start_daemon(env: dict[str, str], folder: Path) -> subprocess.Popen[bytes]:
    command = memd_command("serve")
    return processes.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)


async def _serving(client: Client) -> None:
    with anyio.fail_after(WAIT):
        while True:
            with suppress(DaemonGoneError):
                await anyio.to_thread.run_sync(client.ask, "GET", "/v1/health")
                return
            await anyio.sleep(0.05)


async def test_a_library_adds_without_a_buffer(tmp_path: Path) -> None:
    """`EvolvingMemory.add` and `add_batch`: stored when they return, one document for each session and day."""
    async with house(tmp_path, embed=False) as parts:
        report = await parts.memory.add(request("one", "two").messages)
        assert (report.documents, report.added) == (1, 2)
        await parts.memory.add_batch((request("three").messages, request("four", session="other").messages))
        stats = await parts.store.stats()
        assert (stats.messages, stats.documents) == (4, 2)


async def test_a_full_queue_of_lists_that_wait_is_released(tmp_path: Path) -> None:
    """Nobody waits for room that only time would give."""
    async with open_app(settings(tmp_path / "d", queue_messages=3, buffer_lists=99), serve=False) as service:
        for number in range(8):
            with anyio.fail_after(WAIT):
                await service.add_messages(request(f"text {number}", session=f"s{number}"))
        await service.messages.release_all()
        assert sorted(await until_stored(service, 8)) == [f"text {number}" for number in range(8)]


async def test_lists_that_wait_take_no_room_of_others(tmp_path: Path) -> None:
    """Documents come in while buffers hold back nearly as much as the queue may have."""
    async with open_app(settings(tmp_path / "d", queue_messages=3, buffer_lists=99), serve=False) as service:
        await service.add_messages(request("one", "two"))
        with anyio.fail_after(WAIT):
            for name in "abc":
                run = await service.pipeline.begin("tests")
                await service.pipeline.accept(run, [talk(name, 2)])
                await service.pipeline.finish(run)
                await service.pipeline.runs.wait(run, "stored")
        assert (await service.status())["queue"]["buffered"] == 2


@pytest.mark.slow
async def test_a_request_cancelled_behind_its_commit_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody got an answer, yet it is kept, and its time comes."""
    async with open_app(settings(tmp_path / "d", buffer="write", buffer_age_s=0.2), serve=False) as service:
        with anyio.CancelScope() as scope:
            add = Journal.add

            async def cancels(self: Journal, *given: Any, **more: Any) -> None:
                await add(self, *given, **more)
                scope.cancel()

            monkeypatch.setattr(Journal, "add", cancels)
            await service.add_messages(request("cancelled"))
            await anyio.lowlevel.checkpoint()
        assert scope.cancelled_caught
        assert await until_stored(service, 1) == ["cancelled"]


async def test_a_damaged_journal_keeps_what_waits(tmp_path: Path) -> None:
    """What is saved of it goes on waiting."""
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.add("r", [talk("a", 1), talk("b", 2)], buffer=["one", "two"])
        before = await journal.held()
    kept, _ = salvage(path)
    async with open_journal(path) as journal:
        after = await journal.held()
    assert kept == len(before) == 2
    assert [(each.buffer, each.messages, each.added) for each in after] == [
        (each.buffer, each.messages, each.added) for each in before
    ]


async def test_lists_that_were_given_up_are_stored_by_a_retry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Released, refused, set aside; nothing holds them back again."""
    write = EvolvingMemory.write

    async def refuses(_self: EvolvingMemory, _documents: list[Document], *_more: object) -> StoreReport:
        raise ValueError("no")

    monkeypatch.setattr(EvolvingMemory, "write", refuses)
    async with open_app(settings(tmp_path / "d", buffer_lists=2, attempts=1), serve=False) as service:
        await service.add_messages(request("one"))
        await service.add_messages(request("two"))
        with anyio.fail_after(WAIT):
            while (await service.status())["dead_letters"] < 2:
                await anyio.sleep(0.02)
        monkeypatch.setattr(EvolvingMemory, "write", write)
        await service.letters.retry(LettersRequest())
        assert sorted(await until_stored(service, 2)) == ["one", "two"]


async def test_tokens_are_counted_by_the_embedder(tmp_path: Path) -> None:
    """Nine hundred words are a round by themselves; a few are not. They are counted once, at the arrival."""
    async with open_app(settings(tmp_path / "d"), serve=False) as service:
        assert (await service.add_messages(request("a few words")))["buffered"] == 1
        assert (await service.add_messages(request("word " * 900)))["buffered"] == 0
