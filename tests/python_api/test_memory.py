"""`Memory`, `AsyncMemory` and `connect`: one story over an own memory, a client's and an event loop's, and how each ends."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

import memd
from memd import AsyncMemory, Memory, ProgressChannel, connect
from memd.schemas import ConversationDocument, ProgressUpdate, Query, StoreReport, TextDocument
from memd.schemas.errors import BusyError, ConfigError, InvalidError, NotFoundError, ProcessingError, UnavailableError
from memd.tests.daemon.house import note, talk

WORDS_ONLY = {"embedding.enabled": False}
MOVED = [
    {"role": "user", "content": "I live in Lisbon now", "name": "Ann", "time": datetime(2024, 1, 15, 12, tzinfo=UTC)},
    {"role": "assistant", "content": "A fine town", "time": "2024-01-15T12:01:00Z"},
]


class Told:
    """A receiver of progress that keeps all of it."""

    def __init__(self) -> None:
        self.updates: list[ProgressUpdate] = []

    def send(self, update: ProgressUpdate) -> None:
        """Keep it."""
        self.updates.append(update)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory of a test, whose configuration is empty."""
    monkeypatch.setenv("MEMD_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "config.toml").touch()
    return tmp_path / "d"


@pytest.fixture
def memory(folder: Path) -> Iterator[Memory]:
    """A memory of words alone."""
    with Memory.open(folder, settings=WORDS_ONLY) as opened:
        yield opened


def found(memory: Memory, word: str) -> bool:
    """Return whether a word is found, once nothing waits."""
    while "queue" in (answer := memory.query(word)).degraded:
        time.sleep(0.05)
    return bool(answer.hits)


def story(memory: Memory) -> None:
    """Store, follow, ask, list facts, export and forget."""
    told = Told()
    report = memory.store([talk("one", 3), note("n", "the quibblefrost")], told, source="program")
    assert (report.documents, report.added, report.unchanged) == (2, 4, 0)
    assert [update.terminal for update in told.updates].index(True) == len(told.updates) - 1
    assert told.updates[-1].source == "program"
    assert memory.store([note("n", "the quibblefrost")]).unchanged == 1
    answer = memory.query("quibblefrost", kinds=["text"], limit=3)
    assert [hit.text for hit in answer.hits] == ["the quibblefrost"]
    assert (
        memory.query(Query(text="topic", limit=2), limit=1, since=datetime(2024, 1, 15, tzinfo=UTC)).hits[0].rank == 1
    )
    assert memory.add(MOVED)["accepted"] == 2
    assert list(memory.watch(told.updates[-1].run))[-1].outcome == "ok"
    message = memory.add_fact("Ann", "home", "Porto", user="ann", id="f1")["message_id"]
    fact_plan = memory.forget(messages=[message], dry_run=True)
    assert fact_plan["messages"] + fact_plan["waiting"] == 1
    assert {edge["kind"] for edge in memory.graph("Bob", "Ann", limit=1)["edges"]} >= {"writes_with"}
    stored = {document.id for document in memory.export(kinds=["text"])}
    assert {"talk:one", "note:n"} <= stored
    assert isinstance(memory.document("talk:one"), ConversationDocument)
    assert isinstance(memory.document("note:n"), TextDocument)
    plan = memory.forget(documents=["note:n"], dry_run=True)
    assert (plan["messages"], plan["dry_run"]) == (1, True)
    assert memory.forget(documents=["note:n"])["dry_run"] is False
    assert memory.query("quibblefrost").hits == ()
    assert memory.store([note("n", "the quibblefrost")]).forgotten == 1
    assert memory.stats()["documents"] >= 1  # the chat, whose messages are not buffered


def test_a_story_over_a_memory_of_ones_own(memory: Memory) -> None:
    """Each method once, with its result."""
    story(memory)


def test_the_same_story_as_a_client(memory: Memory, folder: Path) -> None:
    """`connect` by the socket; a second `open` of an owned directory is a client, whose end leaves the owner alone."""
    with connect(memory.status()["socket"]) as client:
        story(client)
    with Memory.open(folder) as second:
        assert second.status()["pid"] == memory.status()["pid"]
    assert memory.query("topic").hits


def test_facts_come_page_by_page(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, or as many as are wanted, each a `Fact` with its evidence."""
    monkeypatch.setattr("memd.daemon.python_api.memory._PAGE", 2)
    lines = [(name, f"My name is {name} and I live in {town}") for name, town in (("Ann", "Oslo"), ("Bob", "Rome"))]
    memory.add([{"role": "user", "name": name, "content": text} for name, text in lines])
    deadline = time.monotonic() + 60
    while len(facts := list(memory.facts())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert {fact.subject for fact in facts} >= {"Ann", "Bob"}
    assert all(fact.evidence for fact in facts)
    assert list(memory.facts(limit=1)) == facts[:1]
    assert {fact.subject for fact in memory.facts(subject=["Bob"])} == {"Bob"}


def test_errors_are_those_of_memd(memory: Memory, folder: Path) -> None:
    """Of the class that says what to do, with the hint of the daemon."""
    with pytest.raises(InvalidError, match="limit must be 1-100"):
        memory.query("x", limit=0)
    with pytest.raises(NotFoundError) as missing:
        memory.document("nothing")
    assert missing.value.hint
    with pytest.raises(InvalidError, match="nothing was named"):
        memory.forget()
    with pytest.raises(InvalidError):
        memory.add([{"role": "user"}])
    with pytest.raises(UnavailableError, match="no memd serves"):
        connect(folder / "nobody.sock")
    with pytest.raises(ConfigError):
        Memory.open(folder.parent / "other", settings={"embedding.provider": "nonsense"})
    memory.close()
    with pytest.raises(UnavailableError, match="closed"):
        memory.query("x")


def test_a_closed_memory_can_be_opened_again(folder: Path) -> None:
    """What was acknowledged is there; the socket and the lock are free."""
    with Memory.open(folder, settings=WORDS_ONLY) as memory:
        memory.store([note("n", "the quibblefrost")], wait=False)
    assert not list(folder.glob("*.sock"))
    with Memory.open(folder, settings=WORDS_ONLY) as memory:
        assert found(memory, "quibblefrost")


def test_closing_ends_what_other_threads_wait_for(memory: Memory) -> None:
    """A watcher of all runs comes to the end of them."""
    began, ended = threading.Event(), threading.Event()

    def watch() -> None:
        began.set()
        for _ in memory.watch():
            pass
        ended.set()

    threading.Thread(target=watch, daemon=True).start()
    assert began.wait(10)
    memory.store([note("n", "x")])
    memory.close()
    assert ended.wait(30)


def test_many_threads_share_one_memory(memory: Memory) -> None:
    """Each gets its own answers."""
    words = [
        "quibblefrost",
        "wobblegate",
        "snorkelbane",
        "tumblewick",
        "fandangle",
        "grumblehall",
        "wumpus",
        "zobbleby",
    ]
    memory.store([note(word, word) for word in words])
    failed: list[object] = []

    def ask(word: str) -> None:
        for _ in range(10):
            hits = memory.query(word).hits
            if not hits or hits[0].text != word:
                failed.append(hits)

    threads = [threading.Thread(target=ask, args=(word,)) for word in words]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_a_directory_that_is_owned_and_not_served_is_busy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After some patience; nothing is changed."""
    from memd.daemon.lock import locked_now

    monkeypatch.setattr("memd.daemon.python_api.memory.OPEN_SECONDS", 0.3)
    folder.mkdir(mode=0o700)
    with locked_now(folder), pytest.raises(BusyError):
        Memory.open(folder, settings=WORDS_ONLY)


def test_the_story_in_an_event_loop(folder: Path) -> None:
    """The same methods; progress on a channel; streams that are left early, and requests that are cancelled, end at once."""

    async def main() -> None:
        async with await AsyncMemory.open(folder, settings=WORDS_ONLY) as memory:
            updates: list[ProgressUpdate] = []
            channel = ProgressChannel()

            async def follow() -> None:
                updates.extend([update async for update in channel])

            report = StoreReport()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(follow)
                report = await memory.store([talk("one", 3)], channel)
                channel.end()
            assert (report.added, updates[-1].outcome) == (3, "ok")
            assert (await memory.query("topic", limit=2)).hits
            assert (await memory.add_batch([MOVED]))["accepted"] == 2
            async with await AsyncMemory.connect((await memory.status())["socket"]) as client:
                assert [document.id async for document in client.export(sources=["tests"])] == ["talk:one"]
            with anyio.move_on_after(0.2) as scope:
                async for _ in memory.watch():
                    pass
            assert scope.cancelled_caught
            assert [fact async for fact in memory.facts(limit=0)] == []
            assert (await memory.graph("Bob", depth=1))["nodes"][0]["name"] == "Bob"
            assert (await memory.forget(documents=["talk:one"]))["messages"] == 3
            with pytest.raises(NotFoundError):
                await memory.document("talk:one")
            assert "documents" in await memory.stats()

    anyio.run(main)


def test_a_program_that_ends_without_closing_loses_nothing(folder: Path) -> None:
    """Its interpreter ends; what it stored is there."""
    program = f"""
from memd import Memory
from memd.schemas import TextDocument
memory = Memory.open({str(folder)!r}, settings={WORDS_ONLY!r})
memory.store([TextDocument(id="n", content="the quibblefrost")], wait=False)
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    with Memory.open(folder, settings=WORDS_ONLY) as memory:
        assert found(memory, "quibblefrost")


def test_a_forked_child_is_a_client(folder: Path) -> None:
    """It takes no answer of the parent's, and keeps neither its locks nor its socket, while it outlives the parent's memory."""
    program = f"""
import os, time
from memd import Memory
from memd.schemas import TextDocument
memory = Memory.open({str(folder)!r}, settings={WORDS_ONLY!r})
memory.store([TextDocument(id="n", content="the quibblefrost")])
memory.query("quibblefrost")
ends, out = os.pipe(), os.pipe()
if not (child := os.fork()):
    try:
        for _ in range(50):
            assert memory.query("quibblefrost").hits
        memory.close()
        os.write(out[1], b"asked")
        os.close(ends[1])
        os.read(ends[0], 1)
    finally:
        os._exit(0)
os.close(out[1])
for _ in range(50):
    assert "queue" in memory.stats()
assert os.read(out[0], 5) == b"asked"
memory.close()
with Memory.open({str(folder)!r}, settings={WORDS_ONLY!r}) as memory:
    assert memory.status()["pid"] == os.getpid()
    assert memory.query("quibblefrost").hits
os.close(ends[1])
os.waitpid(child, 0)
"""
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_relative_directory_stays_where_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for the connections that are made after the program changed its working directory."""
    monkeypatch.chdir(folder.parent)
    with Memory.open(folder.name, settings=WORDS_ONLY) as memory:
        socket = Path(memory.status()["socket"])
        with connect(socket.relative_to(folder.parent)) as client:
            monkeypatch.chdir("/")
            memory.store([note("n", "the quibblefrost")])
            assert found(memory, "quibblefrost")
            assert found(client, "quibblefrost")


def test_an_answer_of_another_version_is_an_error_of_memd(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which repeats nothing of it; more fields than are known are fine."""
    answers: list[dict[str, object]] = [
        {"query": "a private word", "took_ms": "?"},
        {"query": "x", "took_ms": 1.0, "later": 1},
    ]

    def call(*_: object) -> dict[str, object]:
        return answers.pop(0)

    monkeypatch.setattr("memd.daemon.client.Client.call", call)
    with pytest.raises(ProcessingError) as caught:
        memory.query("x")
    assert "private" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert memory.query("x").hits == ()


def test_a_cancelled_store_reads_no_further_document(folder: Path) -> None:
    """Nor is anything sent again: its thread ends."""
    taken: list[int] = []
    left = threading.Event()

    def documents() -> Iterator[TextDocument]:
        try:
            for number in range(10_000):
                taken.append(number)
                yield note(str(number), "quibblefrost " * 10_000)
        finally:
            left.set()

    async def main() -> None:
        async with await AsyncMemory.open(folder, settings=WORDS_ONLY) as memory:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(memory.store, documents())
                with anyio.fail_after(30):
                    while len(taken) < 100:
                        await anyio.sleep(0.01)
                tasks.cancel_scope.cancel()
            with anyio.fail_after(120):
                while not left.is_set():
                    gc.collect()  # the error that ended the thread refers to its frames, and they to the documents
                    await anyio.sleep(0.05)
            assert len(taken) < 10_000
            assert "queue" in await memory.stats()

    anyio.run(main)


def test_many_streams_leave_threads_for_others(folder: Path) -> None:
    """An event loop has forty threads for everybody, of which readers of progress take none."""

    async def main() -> None:
        async with await AsyncMemory.open(folder, settings=WORDS_ONLY) as memory:

            async def follow() -> None:
                async for _ in memory.watch():
                    pass

            async with anyio.create_task_group() as tasks:
                for _ in range(60):
                    tasks.start_soon(follow)
                with anyio.fail_after(30):
                    for _ in range(5):
                        await memory.stats()
                tasks.cancel_scope.cancel()

    anyio.run(main)


def test_what_is_not_searched_yet_is_said(memory: Memory) -> None:
    """From the acknowledgement on a word finds what holds it, or the answer says that something was not searched."""
    for number in range(20):
        word = f"quibblefrost{'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10]}"
        memory.store([note(word, word)], wait=False)
        answer = memory.query(word)
        while word not in {hit.text for hit in answer.hits}:
            assert "queue" in answer.degraded
            answer = memory.query(word)


def test_memd_itself_stays_light() -> None:
    """`import memd` imports nothing; its public names are listed, and others are none."""
    program = "import sys, memd; print(sorted(n for n in sys.modules if n.startswith('memd.') or n == 'pydantic'))"
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
    assert set(memd.__all__) <= set(dir(memd))
    missing: Callable[[], object] = lambda: getattr(memd, "nothing")  # noqa: B009, E731 - a name that is none
    with pytest.raises(AttributeError):
        missing()


def test_reading_an_export(tmp_path: Path, folder: Path) -> None:
    """Documents as `memd parse` gives them, with the options of the flags."""
    del folder
    chat = tmp_path / "WhatsApp Chat with Bob.txt"
    chat.write_text("1/15/24, 12:00 - Ann: where?\n1/15/24, 12:01 - Bob: in Oslo\n", encoding="utf-8")
    documents = [
        each for each in memd.read(chat, me="Ann", zone="Europe/Oslo") if isinstance(each, ConversationDocument)
    ]
    assert [message.content for message in documents[0].messages] == ["where?", "in Oslo"]
    assert documents[0].conversation.user == "Ann"
    assert documents[0].messages[0].time.isoformat() == "2024-01-15T12:00:00+01:00"
