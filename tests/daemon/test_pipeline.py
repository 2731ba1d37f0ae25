"""The pipeline on a real journal and store: acknowledged, stored, embedded; with faults at each step, cancelled anywhere."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import pytest

from memd.daemon.client import STOPPED_MESSAGE
from memd.daemon.journal.journal import Journal, open_journal
from memd.daemon.journal.run_history import INTERRUPTED, STOPPED
from memd.daemon.pipeline import pipeline as pipeline_module
from memd.daemon.pipeline.limits import PipelineLimits
from memd.daemon.pipeline.measurements import Measurements
from memd.daemon.pipeline.progress import ProgressHub
from memd.daemon.pipeline.runs import Runs
from memd.memory import lookup, supervision
from memd.memory.indexing.indexed_store import IndexedStore
from memd.memory.store import documents_read
from memd.schemas import Document, Query, StoreReport
from memd.schemas.errors import BusyError, InvalidError, NotFoundError, StoreError
from memd.tests.daemon.house import House, Letters, house, note, talk
from memd.tests.open_files import files_open_below

if TYPE_CHECKING:
    from memd.schemas import ProgressUpdate

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between attempts that a test can wait for."""
    monkeypatch.setattr(supervision, "PAUSES", (0.01, 0.02))


async def ended(parts: House, run: str, until: str = "vectors") -> ProgressUpdate:
    """The run's last update, or that at a milestone."""
    with anyio.fail_after(30):
        return await parts.pipeline.runs.wait(run, "stored" if until == "stored" else "vectors")


async def messages(parts: House) -> int:
    """How many the store holds."""
    return (await parts.store.stats()).messages


async def test_a_run_is_acknowledged_stored_and_embedded(tmp_path: Path) -> None:
    """Counts of every stage, nothing left in the journal, found by words and vectors."""
    async with house(tmp_path) as parts:
        run = await parts.pipeline.begin("tests")
        report = await parts.pipeline.accept(run, [talk("a", 30), note("n", "a text of its own")], rejected=2)
        assert (report.added, report.unchanged, report.rejected) == (31, 0, 2)
        await parts.pipeline.finish(run)
        last = await ended(parts, run)
        assert (last.processed, last.total, last.added, last.documents) == (31, 31, 31, 2)
        assert (last.outcome, last.rejected, last.stage) == ("partial", 2, "done")
        assert (last.embedded, last.to_embed) == (31, 31)
        assert (await parts.pipeline.journal.depth()).messages == 0
        found = await parts.memory.query(Query(text="topic 7"))
        assert found.hits
        assert found.degraded == ()


async def test_a_known_input_is_neither_journaled_nor_embedded(tmp_path: Path) -> None:
    """The same documents again are unchanged, and the embedder is not called."""
    async with house(tmp_path) as parts:
        await ended(parts, await parts.ingest(talk("a", 20)))
        before = parts.embedder.texts
        run = await parts.pipeline.begin("tests")
        report = await parts.pipeline.accept(run, [talk("a", 20)])
        assert (report.added, report.unchanged) == (0, 20)
        await parts.pipeline.finish(run)
        last = await ended(parts, run)
        assert (last.outcome, last.unchanged, last.added) == ("ok", 20, 0)
        assert parts.embedder.texts == before


async def test_words_do_not_wait_for_the_embedder(tmp_path: Path) -> None:
    """While the embedder makes nothing, what was accepted is stored and found by its words."""
    embedder = Letters()
    embedder.gate = anyio.Event()
    async with house(tmp_path, embedder=embedder) as parts:
        run = await parts.ingest(talk("a", 20))
        update = await ended(parts, run, "stored")
        assert (update.stage, update.added, update.embedded, update.to_embed) == ("embedding", 20, 0, 20)
        assert (await parts.memory.query(Query(text="topic 7"))).hits
        embedder.gate.set()
        assert (await ended(parts, run)).embedded == 20


async def test_a_poison_document_becomes_a_dead_letter_and_stops_nobody(tmp_path: Path) -> None:
    """It is tried so often, then given up with the kind of its error; the others are stored, the run is partial."""
    async with house(tmp_path, bounds=PipelineLimits(attempts=3)) as parts:
        run = await parts.ingest(talk("a", 5), note("poison", "x"), talk("b", 5))
        last = await ended(parts, run)
        assert (last.outcome, last.added, last.failed) == ("partial", 10, 1)
        queue = await parts.pipeline.journal.depth()
        assert (queue.messages, queue.dead) == (0, 1)
        (run_told,) = await parts.pipeline.runs.last()
        assert (run_told["run"], run_told["outcome"], run_told["failed"]) == (run, "partial", 1)


async def test_a_document_that_the_store_alone_refuses_is_given_up_too(tmp_path: Path) -> None:
    """A refusal counts against a document when the store takes others."""
    async with house(tmp_path, bounds=PipelineLimits(attempts=1)) as parts:
        last = await ended(parts, await parts.ingest(talk("a", 5), note("refused", "x")))
        assert (last.added, last.failed) == (5, 1)


async def test_a_store_that_takes_nothing_makes_no_dead_letters(tmp_path: Path) -> None:
    """While the disk is full nobody waits for ever and nothing is given up; afterwards all is stored."""
    async with house(tmp_path, bounds=PipelineLimits(attempts=2)) as parts:
        parts.memory.refusing = True
        run = await parts.ingest(talk("a", 5), talk("b", 5))
        last = await ended(parts, run)
        assert (last.outcome, last.processed, last.added) == ("partial", 10, 0)
        assert "the disk is full" in last.detail
        queue = await parts.pipeline.journal.depth()
        assert (queue.messages, queue.dead) == (10, 0)
        parts.memory.refusing = False
        with anyio.fail_after(20):
            await parts.pipeline.drain()
        assert await messages(parts) == 10


async def test_an_embedder_that_fails_stops_neither_words_nor_the_run(tmp_path: Path) -> None:
    """The run ends as partial and says why; vectors catch up when the embedder works again."""
    embedder = Letters()
    embedder.broken = True
    async with house(tmp_path, embedder=embedder) as parts:
        last = await ended(parts, await parts.ingest(talk("a", 8)))
        assert (last.outcome, last.added, last.embedded, last.to_embed) == ("partial", 8, 0, 8)
        assert "vectors" in last.detail
        assert parts.pipeline.degraded() == ["vector"]
        embedder.broken = False
        with anyio.fail_after(20):
            while (await parts.store.stats()).vectors_pending or parts.pipeline.degraded():
                await anyio.sleep(0.01)


async def test_a_journal_that_fails_acknowledges_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller hears of it, the counts are as before, and the pipeline goes on."""

    async def full(_self: Journal, _run: str, _documents: Sequence[Document], **_: object) -> None:
        raise StoreError("the journal cannot be used")

    async with house(tmp_path) as parts:
        run = await parts.pipeline.begin("tests")
        with monkeypatch.context() as patched:
            patched.setattr(Journal, "add", full)
            with pytest.raises(StoreError):
                await parts.pipeline.accept(run, [talk("a", 5)])
        await parts.pipeline.accept(run, [talk("b", 3)])
        await parts.pipeline.finish(run)
        last = await ended(parts, run)
        assert (last.processed, last.added, last.outcome) == (3, 3, "ok")


@pytest.mark.slow
async def test_back_pressure_reaches_whoever_sends(tmp_path: Path) -> None:
    """Above the bound of the queue, accepting waits until the writer has made room."""
    async with house(tmp_path, bounds=PipelineLimits(queue_messages=10)) as parts:
        parts.memory.refusing = True
        run = await parts.pipeline.begin("tests")
        await parts.pipeline.accept(run, [talk("a", 10)])
        accepted = anyio.Event()

        async def another() -> None:
            await parts.pipeline.accept(run, [talk("b", 10)])
            accepted.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(another)
            await anyio.wait_all_tasks_blocked()
            assert not accepted.is_set()
            parts.memory.refusing = False
            with anyio.fail_after(20):
                await accepted.wait()


async def test_a_queue_that_stays_full_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many seconds the caller may try again later, and knows why."""
    monkeypatch.setattr(pipeline_module, "ROOM_SECONDS", 0.05)
    async with house(tmp_path, bounds=PipelineLimits(queue_messages=1)) as parts:
        parts.memory.refusing = True
        run = await parts.ingest(talk("a", 5), finish=False)
        with pytest.raises(BusyError, match="full"):
            await parts.pipeline.accept(run, [talk("b", 5)])
        assert (await parts.pipeline.journal.depth()).messages == 5


async def test_what_an_earlier_owner_left_is_resumed(tmp_path: Path) -> None:
    """Documents that were only journaled are stored and embedded by the next one, under the same run."""
    async with house(tmp_path) as parts:
        parts.memory.refusing = True
        run = await parts.ingest(talk("a", 12), talk("b", 12))
    async with house(tmp_path) as parts:
        last = await ended(parts, run)
        assert (last.outcome, last.added, last.embedded) == ("ok", 24, 24)


@pytest.mark.slow
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize(
    ("finish", "outcome", "detail"),
    [(True, "ok", ""), (False, "partial", INTERRUPTED)],
    ids=["complete", "interrupted"],
)
async def test_what_a_killed_owner_leaves_is_told_as_it_is(
    tmp_path: Path, stored: bool, finish: bool, outcome: str, detail: str
) -> None:
    """Partial where more was to come, whether all that came was stored or waits; else as if it had not been killed."""
    async with house(tmp_path) as parts:
        parts.memory.refusing = not stored
        run = await parts.ingest(talk("a", 3), finish=False)
        if stored:
            with anyio.fail_after(20):
                await parts.pipeline.drain()
        with pytest.MonkeyPatch.context() as patch:  # what follows the finish is what the kill prevents
            patch.setattr(parts.pipeline.runs, "end", _never)
            if finish:
                await parts.pipeline.finish(run)
    async with house(tmp_path) as parts:
        with anyio.fail_after(30):
            while not (told := await parts.pipeline.runs.last()):
                await anyio.sleep(0.01)
        assert [(each["run"], each["outcome"], each.get("detail", "")) for each in told] == [(run, outcome, detail)]
        assert told[0]["added"] == 3


async def _never(*_: object, **__: object) -> None:
    """Nothing is noted."""
    await anyio.sleep_forever()


async def test_documents_that_come_at_once_are_complete(tmp_path: Path) -> None:
    """Killed behind the answer, nothing is missing; killed before, nothing was acknowledged."""
    async with house(tmp_path) as parts:
        parts.memory.refusing = True
        kept, lost = [await parts.pipeline.begin("tests", whole=True) for _ in range(2)]
        await parts.pipeline.accept(kept, [talk("a", 3)])
    async with house(tmp_path) as parts:
        assert (await ended(parts, kept)).outcome == "ok"
        told = {each["run"]: (each["outcome"], each.get("detail")) for each in await parts.pipeline.runs.last()}
        assert told == {kept: ("ok", None), lost: ("partial", STOPPED)}


async def test_a_complete_run_to_which_nothing_came_is_done(tmp_path: Path) -> None:
    """Its sender said so before memd was killed."""
    async with house(tmp_path) as parts:
        run = await parts.pipeline.begin("tests")
        await parts.journal.runs.note_complete(run)
    async with house(tmp_path) as parts:
        told = await parts.pipeline.runs.last()
        assert [(each["run"], each["outcome"], each.get("detail", "")) for each in told] == [(run, "ok", "")]


async def test_a_run_whose_sender_is_gone_is_partial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended by itself, though nothing else begins, and says what to do."""
    monkeypatch.setattr(pipeline_module, "ABANDONED_CHECK_SECONDS", 0.01)
    async with house(tmp_path) as parts:
        run = await parts.ingest(talk("a", 3), finish=False)
        await parts.pipeline.drain()
        assert parts.pipeline.runs.open(run)
        monkeypatch.setattr(pipeline_module, "ABANDONED_SECONDS", 0.0)
        last = await ended(parts, run)
        assert (last.outcome, last.detail, last.added) == ("partial", pipeline_module.ABANDONED, 3)


async def test_versions_of_one_text_are_stored_in_their_order(tmp_path: Path) -> None:
    """Through two runs at once and a failure in between, the last version sent is the one that stays."""
    async with house(tmp_path) as parts:
        parts.memory.refusing = True
        first, second = await parts.pipeline.begin("one"), await parts.pipeline.begin("two")
        for number, run in enumerate((first, second, first, second, first)):
            await parts.pipeline.accept(run, [note("same", f"version {number}")])
        parts.memory.refusing = False
        await parts.pipeline.finish(first)
        await parts.pipeline.finish(second)
        await ended(parts, first)
        await ended(parts, second)
        assert (await lookup.find(parts.memory.database, "note:same")).document.content == "version 4"


async def test_a_text_that_changed_back_follows_the_version_that_waits(tmp_path: Path) -> None:
    """What the store has still is not what it will be: the last reading is stored last."""
    async with house(tmp_path) as parts:
        await ended(parts, await parts.ingest(note("n", "one")))
        async with parts.pipeline.writer.turn:  # nothing is stored meanwhile
            run = await parts.pipeline.begin("tests")
            for words in ("two", "one"):
                report = await parts.pipeline.accept(run, [note("n", words)])
                assert (report.added, report.unchanged) == (1, 0)
            assert (await parts.pipeline.accept(run, [note("m", "two"), note("m", "one")])).added == 2
            await parts.pipeline.finish(run)
        await ended(parts, run)
        for name in ("note:n", "note:m"):
            assert (await lookup.find(parts.memory.database, name)).document.content == "one"


async def test_a_version_that_fails_is_not_overtaken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others of its batch are stored; a later version of the same text waits until the earlier one is stored."""
    async with house(tmp_path) as parts:
        write = parts.memory.write
        failures = ["with its batch", "alone"]

        async def failing_twice(documents: Sequence[Document], *rest: Any) -> StoreReport:
            if failures and "version 1" in [each.content for each in documents]:
                raise ValueError(failures.pop(0))
            return await write(documents, *rest)

        monkeypatch.setattr(parts.memory, "write", failing_twice)
        run = await parts.ingest(note("same", "version 1"), talk("a", 3), note("same", "version 2"))
        assert (await ended(parts, run)).outcome == "ok"
        assert failures == []
        assert (await lookup.find(parts.memory.database, "note:same")).document.content == "version 2"


async def test_a_run_ends_with_its_own_vectors(tmp_path: Path) -> None:
    """What others add behind it does not hold it up."""
    embedder = Letters()
    embedder.gate = anyio.Event()
    async with house(tmp_path, embedder=embedder, bounds=PipelineLimits(embed_batch=5)) as parts:
        first = await parts.ingest(talk("a", 10))
        await ended(parts, first, "stored")
        second = await parts.ingest(talk("b", 200))
        await ended(parts, second, "stored")
        embedder.gate.set()
        assert (await ended(parts, first)).embedded == 10
        assert parts.embedder.texts < 210
        assert (await ended(parts, second)).outcome == "ok"


async def test_wrong_runs_are_told(tmp_path: Path) -> None:
    """An unknown run is not found, a finished one takes nothing, finishing twice changes nothing."""
    async with house(tmp_path) as parts:
        with pytest.raises(NotFoundError):
            await parts.pipeline.accept("nothing", [talk("a", 1)])
        with pytest.raises(NotFoundError):
            await parts.pipeline.runs.wait("nothing", "vectors")
        parts.memory.refusing = True
        run = await parts.ingest(talk("a", 1))
        with pytest.raises(InvalidError):
            await parts.pipeline.accept(run, [talk("b", 1)])
        await parts.pipeline.finish(run)
        await parts.pipeline.finish("nothing")


async def test_before_the_end_nothing_more_is_taken(tmp_path: Path) -> None:
    """New documents are turned away, what is acknowledged is stored, and followers get a last word."""
    async with house(tmp_path) as parts:
        run = await parts.ingest(talk("a", 50), finish=False)
        parts.pipeline.stop_accepting()
        with pytest.raises(BusyError):
            await parts.pipeline.accept(run, [talk("b", 5)])
        with pytest.raises(BusyError):
            await parts.pipeline.begin("tests")
        with anyio.fail_after(20):
            await parts.pipeline.drain()
        assert await messages(parts) == 50
        parts.pipeline.close()
        last = parts.pipeline.runs.hub.last(run)
        assert last is not None
        assert (last.outcome, last.detail) == ("partial", STOPPED_MESSAGE)


@pytest.mark.slow
async def test_a_run_is_told_by_what_it_stored_where_the_indexes_do_not_catch_up_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time for an orderly end may be over before; everything is stored all the same."""
    async with house(tmp_path) as parts:
        monkeypatch.setattr(parts.pipeline._completion, "_refresh_indexes", anyio.sleep_forever)  # pyright: ignore[reportPrivateUsage]
        run = await parts.ingest(talk("a", 5))
        await parts.pipeline.drain()
        with anyio.move_on_after(0.5) as time_for_the_end:
            await parts.pipeline.conclude()
        assert time_for_the_end.cancelled_caught
        (last,) = await parts.pipeline.runs.last()
    assert (last["run"], last["outcome"], last["added"]) == (run, "ok", 5)


@pytest.mark.slow
async def test_cancelled_anywhere_leaves_a_state_that_the_next_owner_completes(tmp_path: Path) -> None:
    """At many random instants: no open file, no task, nothing acknowledged lost, every message once in the end."""
    await cancelled_anywhere(tmp_path, 7)


@pytest.mark.long
async def test_cancelled_at_very_many_instants(tmp_path: Path) -> None:
    """The same more often."""
    await cancelled_anywhere(tmp_path, 60)


async def cancelled_anywhere(tmp_path: Path, times: int) -> None:
    """Cancel a pipeline that works so many times, and complete its work."""
    seed = random.randrange(10**6)
    random_ = random.Random(seed)
    rounds = [[talk(f"day {round_} {number}", 25) for number in range(6)] for round_ in range(times)]
    acknowledged: set[str] = set()
    tasks_before = len(anyio.get_running_tasks())
    for documents in rounds:
        with anyio.move_on_after(random_.uniform(0.0, 0.15)):
            async with house(tmp_path, bounds=PipelineLimits(batch_messages=60, embed_batch=20)) as parts:
                run = await parts.pipeline.begin("tests")
                for document in documents:
                    await parts.pipeline.accept(run, [document])
                    acknowledged.add(document.id)
                await parts.pipeline.finish(run)
                await parts.pipeline.runs.wait(run, "vectors")
        assert len(anyio.get_running_tasks()) == tasks_before, f"seed {seed}"
        with anyio.fail_after(300):
            while files_open_below(tmp_path):
                await anyio.sleep(0.05)
    async with house(tmp_path) as parts:
        with anyio.fail_after(300):
            await parts.pipeline.drain()
        for identifier in acknowledged:
            assert await parts.store.database.read(documents_read.find, identifier), (
                f"seed {seed}: {identifier} was acknowledged and is lost"
            )
        last = await ended(parts, await parts.ingest(*(document for documents in rounds for document in documents)))
        assert last.outcome == "ok", f"seed {seed}"
        stats = await parts.store.stats()
        assert (stats.messages, stats.vectors_pending) == (150 * times, 0), f"seed {seed}"


async def test_counts_never_fall(tmp_path: Path) -> None:
    """What a follower sees of a run in one stage only grows."""
    seen: list[ProgressUpdate] = []
    async with house(tmp_path, bounds=PipelineLimits(batch_messages=20, embed_batch=7)) as parts:
        run = await parts.pipeline.begin("tests")

        async def follow() -> None:
            async with parts.pipeline.runs.hub.follow(run) as updates:
                seen.extend([update async for update in updates])

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(follow)
            for number in range(10):
                await parts.pipeline.accept(run, [talk(f"{number}", 10)])
                await anyio.lowlevel.checkpoint()
            await parts.pipeline.finish(run)
    stages = [update.stage for update in seen]
    order = ("reading", "storing", "embedding", "done")
    assert [order.index(stage) for stage in stages] == sorted(order.index(stage) for stage in stages)
    for name in ("processed", "added", "documents", "embedded", "to_embed"):
        values = [getattr(update, name) for update in seen]
        assert values == sorted(values), name
    assert seen[-1].outcome == "ok"


async def test_a_run_whose_end_is_cancelled_has_ended(tmp_path: Path) -> None:
    """Whoever ends it may be cancelled meanwhile: it is noted, told and out of the way."""
    async with open_journal(tmp_path / "journal.db") as journal:
        runs = Runs(journal, ProgressHub(), lambda: 0, Measurements())
        await journal.runs.begin("r", "tests")
        run = runs.add("r", "tests")
        with anyio.CancelScope() as scope:
            scope.cancel()
            await runs.end(run)
        assert runs.get("r") is None
        assert [each["run"] for each in await runs.last()] == ["r"]


async def test_a_begin_that_is_cancelled_leaves_no_run(tmp_path: Path) -> None:
    """Nobody knows its id, so nobody would ever end it."""
    async with house(tmp_path) as parts:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await parts.pipeline.begin("tests")
        assert list(parts.pipeline.runs) == []


async def test_a_search_that_works_again_is_not_told_as_unwell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk kept a run from being searchable; with room again that is seen without another run."""
    refresh_indexes = IndexedStore.refresh_indexes
    full = True

    async def settled(store: IndexedStore) -> None:
        if full:
            raise StoreError("the disk is full")
        await refresh_indexes(store)

    monkeypatch.setattr(IndexedStore, "refresh_indexes", settled)
    async with house(tmp_path) as parts:
        last = await ended(parts, await parts.ingest(talk("a", 3)))
        assert "not searchable yet: the disk is full" in last.detail
        assert "searching" in parts.pipeline.trouble
        full = False
        with anyio.fail_after(60):
            while parts.pipeline.trouble:
                await anyio.sleep(0.01)
        assert parts.pipeline.workers.failing() == []


async def test_a_batch_that_fails_again_after_others_were_stored_is_logged_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Once as long as it fails, and anew when it has recovered in between."""
    async with house(tmp_path, bounds=PipelineLimits(attempts=3)) as parts:
        for number in range(2):
            await ended(parts, await parts.ingest(note(f"{number} poison", "x")), "stored")
            await ended(parts, await parts.ingest(talk(str(number), 3)), "stored")
    told = [record for record in caplog.records if "each of its documents is tried" in record.message]
    assert len(told) == 2
