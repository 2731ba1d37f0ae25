"""Undoing a run: the memory is what the other runs make of it, and what was undone may come again."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import anyio
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.export import exported_documents
from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.ingest.batching import digest_of
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.plan import key_of
from memd.memory.search_types import Filter
from memd.memory.store import inputs
from memd.memory.write_batches import QueuedEntries
from memd.schemas import ConversationDocument, Document, Query, TextDocument
from memd.schemas.errors import BusyError
from memd.tests.effort import examples

pytestmark = pytest.mark.anyio
START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
Line = tuple[int, str, str]
"""Minute, speaker, words."""


def talk(lines: Sequence[Line], *, ids: bool, day: int = 0) -> ConversationDocument:
    """A day of a chat of Ann's."""
    messages = [
        {"speaker": who, "content": words, "time": START + timedelta(days=day, minutes=minute)}
        | ({"id": f"m{minute}"} if ids else {})
        for minute, who, words in sorted(lines)
    ]
    people = tuple(dict.fromkeys(["Ann", *(who for _, who, _ in sorted(lines))]))
    conversation = {"source": "chat", "people": people, "user": "Ann", "conversation": messages}
    metadata = {"chat": "hut", "title": "Hut"}
    return ConversationDocument.model_validate(
        {"id": f"chat:hut:{day}", "conversation": conversation, "metadata": metadata}
    )


def note(words: str) -> TextDocument:
    """One note, in some wording."""
    return TextDocument(id="n.md", content=words, metadata={"source": "notes"})


async def state(memory: EvolvingMemory) -> list[str]:
    """All that is exported."""
    return [
        document.to_json().decode() async for some in exported_documents(memory.database, Filter()) for document in some
    ]


async def found_by_words(memory: EvolvingMemory, store: IndexedStore, words: str) -> list[str]:
    """The texts of hits."""
    await store.refresh_indexes()  # searchable means found
    return [hit.text for hit in (await memory.query(words)).hits]


def with_ids(minutes: set[int], day: int) -> ConversationDocument:
    """Messages of two people, whose source gives ids."""
    return talk([(minute, "Ann" if minute % 2 else "Bob", f"words {minute}") for minute in minutes], ids=True, day=day)


def edited(minutes: set[int], again: set[int]) -> ConversationDocument:
    """Messages of which some were edited."""
    lines = [(minute, "Ann", f"said {minute}" + (" again" if minute in again else "")) for minute in minutes]
    return talk(lines, ids=True, day=2)


def plain(minutes: set[int]) -> ConversationDocument:
    """Messages whose source gives no ids."""
    return talk([(minute, "Ann", f"plain {minute}") for minute in minutes], ids=False, day=3)


def rows(folder: Path, statement: str) -> list[tuple[object, ...]]:
    """What a statement finds in the database."""
    with closing(sqlite3.connect(folder / "memory.db")) as connection:
        return connection.execute(statement).fetchall()


MINUTES = st.sets(st.integers(0, 5), min_size=1)
DOCUMENTS = st.one_of(
    st.builds(with_ids, MINUTES, st.integers(0, 1)),
    st.builds(edited, MINUTES, MINUTES),
    st.builds(plain, MINUTES),
    st.builds(note, st.sampled_from(["one", "two", "three"])),
)
IMPORTS = st.lists(st.lists(DOCUMENTS, min_size=1, max_size=3), min_size=1, max_size=4)


@pytest.mark.slow
@given(IMPORTS, st.data())
@settings(max_examples=examples(12), deadline=None)
def test_the_memory_is_what_the_other_runs_make_of_it(
    imports: list[list[ConversationDocument | TextDocument]], data: st.DataObject
) -> None:
    """In whatever order runs are undone, of documents that overlap, were edited or are the same."""
    undone = data.draw(st.permutations(range(len(imports))))

    async def work() -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with open_store(Path(folder)) as store:
                memory = EvolvingMemory(store, None, BundledEmbedder())
                await memory.start()
                for number, documents in enumerate(imports):
                    await memory.write(documents, f"run {number}")
                left = set(range(len(imports)))
                for run in undone:
                    left.discard(run)
                    plan = await memory.plan_undo(f"run {run}")
                    await memory.undo_runs(f"run {run}", token=plan.token)
                    assert await state(memory) == await _expected([imports[number] for number in sorted(left)])
                assert {result.severity for result in await memory.check()} <= {"ok"}
                await memory.write(imports[0], "anew")
                assert await state(memory) == await _expected(imports[:1])

    anyio.run(work)


async def _expected(imports: Sequence[Sequence[Document]]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder)) as store:
            memory = EvolvingMemory(store, None, BundledEmbedder())
            await memory.start()
            for number, documents in enumerate(imports):
                await memory.write(documents, f"run {number}")
            return await state(memory)


async def test_an_edit_gets_its_former_wording_back_and_is_found_by_it(tmp_path: Path) -> None:
    """Words, indexes and counts; what no other run brought is in no file's rows."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([talk([(0, "Ann", "the zeppelin flies")], ids=True)], "a")
        before = await state(memory)
        later = [(0, "Ann", "the balloon flies"), (1, "Bob", "over the quarry")]
        await memory.write([talk(later, ids=True), note("about gliders")], "b")
        plan = await memory.undo_runs("b")
        assert (plan.documents, plan.messages, plan.restored) == (1, 2, 1)
        assert await state(memory) == before
        assert await found_by_words(memory, store, "zeppelin") == ["the zeppelin flies"]
        assert await found_by_words(memory, store, "quarry") == await found_by_words(memory, store, "gliders") == []
        assert (await memory.plan_undo("b")).documents == 0
        assert rows(tmp_path, "SELECT count(*) FROM inputs") == [(1,)]


async def test_what_came_again_stays(tmp_path: Path) -> None:
    """Unchanged, by another run: the first may be undone, then nothing goes; the second, then everything does."""
    day = talk([(0, "Ann", "hello"), (1, "Bob", "hi")], ids=False)
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([day], "a")
        await memory.note_unchanged([day], "b")
        before = await state(memory)
        assert (await memory.undo_runs("a")).shared == 1
        assert await state(memory) == before
        assert (await memory.undo_runs("b")).messages == 2
        assert await state(memory) == []
        assert (await memory.write([day], "c")).added == 2


@pytest.mark.slow
async def test_an_import_that_changes_nothing_adds_one_row(tmp_path: Path) -> None:
    """However many documents it brings, in whichever of their forms; and undoing knows each of them."""
    days = [talk([(0, "Ann", "hello"), (1, "Bob", f"day {day}")], ids=True, day=day) for day in range(40)]
    shorter = [talk([(1, "Bob", f"day {day}")], ids=True, day=day) for day in range(40)]
    counts = "SELECT (SELECT count(*) FROM inputs), (SELECT count(*) FROM repeats)"
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write(shorter, "a0")
        await memory.write(days, "b0")
        for night in range(1, 4):
            await memory.write(shorter, f"a{night}")
            for part in range(0, 40, 10):  # as the journal gives them
                await memory.write(days[part : part + 10], f"b{night}")
        assert rows(tmp_path, counts) == [(80, 6)]
        assert rows(tmp_path, "SELECT max(length(documents)) < 50 FROM repeats") == [(1,)]
        before = await state(memory)
        for run in ("a0", "b0"):
            plan = await memory.undo_runs(run)
            assert (plan.shared, plan.messages, plan.others) == (40, 0, {f"{run[0]}{night}" for night in range(1, 4)})
            assert not await memory.database.read(inputs.documents_of, run)
        assert await state(memory) == before
        assert rows(tmp_path, counts) == [(80, 4)]
        assert (await memory.undo_runs("b1", "b2", "b3")).messages == 40
        assert (await memory.undo_runs("a1", "a2")).shared == 40
        assert (await memory.undo_runs("a3")).documents == 40
        assert rows(tmp_path, counts) == [(0, 0)]


async def test_what_two_runs_bring_in_turn_keeps_its_order(tmp_path: Path) -> None:
    """Forms that come again while another run brings other ones: what is left is merged in the order in which it came."""
    one, two = note("one"), note("two")
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        other = note("other").model_copy(update={"id": "other.md"})
        await memory.write([one, other], "a")
        await memory.write([two], "b")
        await memory.note_unchanged([other], "d")
        await memory.note_unchanged([one], "c")
        await memory.note_unchanged([two], "d")
        await memory.undo_runs("a", "b")
        assert await state(memory) == [two.to_json().decode(), other.to_json().decode()]
        await memory.undo_runs("d")
        assert await state(memory) == [one.to_json().decode()]


async def words(memory: EvolvingMemory) -> list[str]:
    """The contents of the texts."""
    return [each.content async for some in exported_documents(memory.database, Filter()) for each in some]


@pytest.mark.slow
async def test_a_text_that_changed_back_is_what_it_was_read_as_last(tmp_path: Path) -> None:
    """By other runs or within one; each undoing brings back the words before, and a tag stays through a reading that changes nothing."""
    one, two = note("one"), note("two")
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([one], "a")
        await memory.set_tags({key_of(one): {"kept": True}}, "tagging")
        await memory.write([one], "a again")
        await memory.write([two], "b")
        report = await memory.write([one], "c")
        assert (report.updated, await words(memory)) == (1, ["one"])
        assert (await memory.write([one], "c again")).unchanged == 1
        await memory.write([two, one, two], "d")
        assert await words(memory) == ["two"]
        plan = await memory.undo_runs("d")
        assert (plan.restored, await words(memory)) == (1, ["one"])
        assert (await memory.undo_runs("c again")).shared == 1
        assert (await memory.undo_runs("c")).restored == 1
        assert await words(memory) == ["two"]
        assert (await memory.unchanged([one, two])) == [False, True]
        await memory.undo_runs("b")
        (left,) = [orjson.loads(each) for each in await state(memory)]
        assert (left["content"], left["tags"]) == ("one", ["kept"])


async def test_a_text_that_changed_back_may_be_delivered_again(tmp_path: Path) -> None:
    """The journal gives again what a killed memd had stored: the counts, the words and the order are the same."""
    one, two = note("one"), note("two")
    names = QueuedEntries([("b", 7), ("b", 8)], [("b", 7), ("b", 8)])
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([one], "a")
        for _ in range(2):
            assert (await memory.write([two, one], "b", entries=names)).updated == 2
            assert await words(memory) == ["one"]
        await memory.write([two], "c")
        await memory.undo_runs("c")
        assert await words(memory) == ["one"]
        assert (await memory.undo_runs("b")).shared == 1
        assert await words(memory) == ["one"]


async def test_a_text_of_an_older_memd_is_read_once_more(tmp_path: Path) -> None:
    """It kept the digests of all versions, which does not tell which is in force."""
    one, two = note("one"), note("two")
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([two], "a")
        row = "INSERT INTO digests SELECT id, ? FROM documents"
        await memory.database.write(lambda connection: connection.execute(row, (digest_of(one),)))
        assert await memory.unchanged([one, two]) == [False, False]
        assert (await memory.write([two], "b")).unchanged == 1
        assert await memory.unchanged([one, two]) == [False, True]


def export_of(words: str, day: int) -> TextDocument:
    """A note of a program's export, which states when it was changed."""
    metadata = {"source": "keep", "path": "Keep/n.json", "updated": f"2024-01-{day:02}T12:00:00Z"}
    return TextDocument(id="keep:77", content=words, metadata=metadata)


@pytest.mark.slow
async def test_an_older_export_turns_back_no_note(tmp_path: Path) -> None:
    """Neither one that was read before nor another; undone it leaves nothing, and without the newer one it is there."""
    first, older, newer = export_of("first", 1), export_of("older", 2), export_of("newer", 3)
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([older], "a")
        await memory.write([newer], "b")
        for run, document in (("c", older), ("d", first)):
            assert (await memory.write([document], run)).unchanged == 1
            assert await words(memory) == ["newer"]
        assert (await memory.undo_runs("d")).shared == 1
        await memory.undo_runs("b")
        assert await words(memory) == ["older"]


async def test_no_words_of_who_is_forgotten_are_kept_for_undoing(tmp_path: Path) -> None:
    """Of a document of which something was forgotten nothing more is undone than the whole of it."""
    one = talk([(0, "Ann", "hello"), (1, "Bob", "in the quarry")], ids=True)
    two = talk([(0, "Ann", "hello"), (1, "Bob", "in the quarry"), (2, "Ann", "fine")], ids=True)
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([one], "a")
        await memory.write([two], "b")
        await memory.forget(await memory.forget_planner.plan(ForgetSelection(people=("Bob",))))
        assert rows(tmp_path, "SELECT DISTINCT body FROM inputs") == [(b"",)]
        more = talk([(1, "Bob", "in the quarry"), (3, "Ann", "bye")], ids=True)
        assert (await memory.write([more], "c")).forgotten == 1
        assert rows(tmp_path, "SELECT DISTINCT body FROM inputs") == [(b"",)]
        before = await state(memory)
        assert (await memory.undo_runs("c")).kept == 1
        assert (await memory.undo_runs("b")).kept == 1
        assert await state(memory) == before
        assert (await memory.undo_runs("a")).documents == 1
        assert await state(memory) == []


async def test_a_plan_names_the_words_that_come_back(tmp_path: Path) -> None:
    """Once another run is undone, other words would come back for the same messages: it is another plan."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        for run, words in (("a", "one"), ("b", "two"), ("c", "three")):
            await memory.write([talk([(0, "Ann", words)], ids=True), note(words)], run)
        shown = await memory.plan_undo("c")
        assert (shown.messages, shown.restored) == (0, 2)
        assert (await memory.plan_undo("c")).token == shown.token
        await memory.undo_runs("b")
        before = await state(memory)
        with pytest.raises(BusyError, match="something else"):
            await memory.undo_runs("c", token=shown.token)
        assert await state(memory) == before


async def test_a_plan_names_the_words_that_go(tmp_path: Path) -> None:
    """The same message in another wording is another loss, be it of a chat or a text."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        tokens: set[str] = set()
        for words in ("one", "two"):
            for document in (talk([(0, "Ann", words)], ids=True), note(words)):
                await memory.write([document], "a")
                tokens.add((await memory.plan_undo("a")).token)
                await memory.undo_runs("a")
        assert len(tokens) == 4


async def test_runs_that_brought_the_same_are_undone_together(tmp_path: Path) -> None:
    """Alone, either is kept by the other, which the plan names; both together leave what a third brought."""
    one, two = talk([(0, "Ann", "hello")], ids=True), talk([(0, "Ann", "hello"), (1, "Bob", "hi")], ids=True)
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([one], "a")
        before = await state(memory)
        await memory.write([two], "b")
        await memory.note_unchanged([two], "c")
        alone = await memory.plan_undo("b")
        assert (alone.empty, alone.shared, alone.others) == (True, 1, {"c"})
        both = await memory.undo_runs("b", "c")
        assert (both.messages, both.shared, both.others) == (1, 0, set())
        assert await state(memory) == before


async def test_those_runs_are_named_with_which_most_would_go(tmp_path: Path) -> None:
    """A folder was read twice, and a file of it once more: both readings of the folder are enough for all but that file."""
    folder = [talk([(0, "Ann", "hello")], ids=True), note("one"), note("two").model_copy(update={"id": "other.md"})]
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write(folder, "a")
        await memory.note_unchanged(folder[2:], "c")
        await memory.note_unchanged(folder, "b")
        alone = await memory.plan_undo("a")
        assert (alone.empty, alone.shared, alone.others) == (True, 3, {"b"})
        both = await memory.undo_runs("a", "b")
        assert (both.documents, both.shared, both.others) == (2, 1, {"c"})


async def test_what_keeps_its_words_gets_back_no_wording(tmp_path: Path) -> None:
    """A run told that a message had been edited, and another one brought the same words: only the edit goes."""
    plain = talk([(0, "Ann", "hello")], ids=True)
    (message,) = plain.messages
    told = structs.replace(message, edited=True)
    changed = plain.conversation.model_copy(update={"conversation": (told,)})
    edited = plain.model_copy(update={"conversation": changed})
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([plain], "a")
        before = await state(memory)
        await memory.write([edited], "b")
        assert await state(memory) != before
        plan = await memory.undo_runs("b")
        assert (plan.restored, plan.amended, plan.retagged, plan.empty) == (0, 1, 0, False)
        assert await state(memory) == before


def tagged(*tags: str) -> ConversationDocument:
    """A day with tags."""
    return talk([(0, "Ann", "hello")], ids=True).model_copy(update={"tags": tags})


async def tags_of(memory: EvolvingMemory) -> list[tuple[str, ...]]:
    """Of every document."""
    return [tuple(document.tags) async for some in exported_documents(memory.database, Filter()) for document in some]


@pytest.mark.slow
async def test_tags_that_end_are_found_no_more_and_come_back(tmp_path: Path) -> None:
    """With the run that ended them; one that was given again since stays."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([tagged("INBOX", "Work")], "a")
        key = key_of(tagged())
        before = await state(memory)
        assert (
            await memory.set_tags({key: {"INBOX": False, "Job": True, "Work": True}, UUID(int=1): {"x": True}}, "b")
            == 1
        )
        assert await memory.set_tags({key: {"INBOX": False, "Job": True}}, "b") == 0
        assert await tags_of(memory) == [("Work", "Job")]
        await store.refresh_indexes()
        assert (await memory.query(Query(text="hello", tags=("INBOX",)))).hits == ()
        assert len((await memory.query(Query(text="hello", tags=("Job",)))).hits) == 1
        await memory.write([tagged("INBOX", "Work")], "c")  # it is known, and changes nothing
        assert await tags_of(memory) == [("Work", "Job")]
        plan = await memory.plan_undo("b")
        assert (plan.messages, plan.documents, plan.retagged, plan.empty) == (0, 0, 1, False)
        await memory.undo_runs("b")
        assert await state(memory) == before
        assert not await memory.database.read(inputs.documents_of, "b")
        assert await memory.set_tags({key: {"INBOX": False}}, "d") == 1
        assert await memory.set_tags({key: {"INBOX": True}}, "e") == 1
        await memory.undo_runs("d")
        assert set(*await tags_of(memory)) == {"INBOX", "Work"}
        await memory.undo_runs("a", "c")
        assert await tags_of(memory) == []


async def test_tags_of_what_was_forgotten_in_part_are_not_undone(tmp_path: Path) -> None:
    """No words of it are kept."""
    both = talk([(0, "Ann", "hello"), (1, "Bob", "in the quarry")], ids=True).model_copy(update={"tags": ("INBOX",)})
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([both], "a")
        await memory.forget(await memory.forget_planner.plan(ForgetSelection(people=("Bob",))))
        await memory.set_tags({key_of(both): {"INBOX": False}}, "b")
        assert await tags_of(memory) == [()]
        assert rows(tmp_path, "SELECT DISTINCT body FROM inputs") == [(b"",)]
        assert (await memory.undo_runs("b")).kept == 1
