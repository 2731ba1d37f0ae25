"""What every store must hold of facts: the same facts in whatever order things come, undone, forgotten."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from memd.memory import lookup
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.extraction.extractor import Extraction
from memd.memory.extraction.statement import Cited, Statement
from memd.memory.extraction.window import Window
from memd.memory.facts.changelog import version_changes
from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.indexing.indexed_store import IndexedStore
from memd.memory.memory import EvolvingMemory
from memd.memory.people.decisions import identity_key
from memd.memory.records import StoredFact
from memd.memory.search_types import FactFilter
from memd.memory.store import fact_rows
from memd.schemas import ConversationDocument, Query
from memd.schemas.errors import NotFoundError, StoreError
from memd.schemas.fact import ExtractorInfo as Made
from memd.tests.memory.store.samples import Opening

Stores = Callable[[str], Opening]
"""By a name, how to open a store of that name, and to reopen it."""
START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
HOME = re.compile(r"I (no longer )?live in (\w+)")
LIKES = re.compile(r"I (don't )?like (\w+)")


class Homes:
    """Reads who lives where and likes what; counts the windows it is shown, and fails on demand."""

    name = "homes"

    def __init__(self, version: str = "1") -> None:
        self.version = version
        self.windows = 0
        self.broken = False

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:  # noqa: ARG002 - it costs nothing
        """Every line by itself."""
        if self.broken:
            raise StoreError("the reader is ill")
        self.windows += len(windows)
        return [self._extraction(window) for window in windows]

    def _extraction(self, window: Window) -> Extraction:
        found: list[Statement] = []
        rejected: Counter[str] = Counter()
        for line in window.lines:
            for attribute, pattern in (("home", HOME), ("likes", LIKES)):
                match = pattern.search(line.text)
                if match is None:
                    rejected[f"no-{attribute}"] += 1
                    continue
                found.append(
                    Statement(
                        document=window.document,
                        document_id=window.document_id,
                        speaker=line.speaker,
                        subject=line.speaker,
                        attribute=attribute,
                        value=match[2],
                        content=f"{line.speaker}: {match[0]}",
                        evidence=(Cited(line.message, line.message_id, match[0]),),
                        observed_at=line.time,
                        extractor=Made(name=self.name),
                        negated=bool(match[1]),
                    )
                )
        return Extraction(tuple(found), rejected, summary=f"{len(window.lines)} lines")


def day(number: int, *lines: tuple[str, str], chat: str = "one", minute: int = 0) -> ConversationDocument:
    """One day of a chat of Ann's."""
    return ConversationDocument.model_validate(
        {
            "id": f"chat:{chat}:{number}",
            "conversation": {
                "source": "chat",
                "people": tuple(dict.fromkeys(["Ann", *(speaker for speaker, _ in lines)])),
                "user": "Ann",
                "conversation": tuple(
                    {"speaker": speaker, "content": text, "time": START + timedelta(days=number, minutes=minute + n)}
                    for n, (speaker, text) in enumerate(lines)
                ),
            },
            "metadata": {"chat": chat, "title": chat},
        }
    )


DAYS = (
    day(0, ("Ann", "hello"), ("Bob", "I live in Berlin")),
    day(3, ("Bob", "I like tea"), ("Ann", "I live in Rome")),
    day(5, ("Bob", "I live in Lisbon"), ("Bob", "I like wine")),
    day(8, ("Bob", "I don't like tea"), ("Ann", "I live in Rome")),
    day(9, ("Bob", "I no longer live in Lisbon")),
)
TOGETHER = (
    day(0, ("Bob", "I live in Berlin and I like tea"), ("Ann", "I like Bob")),
    day(2, ("Ann", "I live in Rome, I like tea"), ("Bob", "I like rowing")),
    day(4, ("Bob", "I live in Lisbon, I don't like tea"), ("Ann", "I don't like Bob")),
    day(6, ("Bob", "I like Ann"), ("Bob", "I live in Lisbon and I like rowing")),
)
"""Days on which things are said in one breath, and of each other."""


@asynccontextmanager
async def memory_in(opening: Opening, reader: Homes | None) -> AsyncGenerator[tuple[EvolvingMemory, IndexedStore]]:
    """A memory that reads, without vectors."""
    async with opening() as store:
        memory = EvolvingMemory(store, None, BundledEmbedder(), reader)
        await memory.start()
        yield memory, store


async def read_all(memory: EvolvingMemory, run: str = "run") -> int:
    """Read until nothing is unread; returns how many documents."""
    documents = 0
    while (read := await memory.fact_service.extract_pending(run)).documents:
        documents += read.documents
    return documents


async def known(memory: EvolvingMemory) -> list[StoredFact]:
    """All present facts."""
    return [stored for _, stored in await memory.fact_reader.facts(FactFilter())]


def essence(facts: Sequence[StoredFact]) -> list[tuple[object, ...]]:
    """Everything but when it was recorded, with links."""
    return sorted(
        (str(f.fact.id), f.fact.status, f.fact.content, str(f.fact.valid_from), str(f.fact.valid_to), f.fact.evidence,
         str(f.fact.supersedes), str(f.fact.superseded_by), f.fact.links, f.chunks)
        for f in facts
    )  # fmt: skip


def said(facts: Sequence[StoredFact], status: str) -> set[str]:
    """What facts of one status say."""
    return {f.fact.content for f in facts if f.fact.status == status}


class KnowledgeContract:
    """The suite; give it ``stores``."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def stores(self) -> Stores:
        """Stores by name."""
        raise AssertionError("an implementation's tests give this fixture")

    async def test_facts_evolve(self, stores: Stores) -> None:
        """Superseded, retracted, repeated; each with its messages and the time it held."""
        async with memory_in(stores("one"), Homes()) as (memory, store):
            await memory.write(DAYS)
            assert await memory.fact_service.pending_extraction_count() == len(DAYS)
            assert await read_all(memory) == len(DAYS)
            facts = await known(memory)
            assert said(facts, "superseded") == {"Bob: I live in Berlin"}
            assert said(facts, "retracted") == {"Bob: I live in Lisbon", "Bob: I like tea"}
            assert said(facts, "active") == {
                "Ann: I live in Rome", "Bob: I like wine", "Bob: I don't like tea", "Bob: I no longer live in Lisbon",
            }  # fmt: skip
            rome = next(f.fact for f in facts if f.fact.value == "Rome")
            assert len(rome.evidence) == 2
            berlin = next(f.fact for f in facts if f.fact.value == "Berlin")
            assert (berlin.valid_to or START).date() == (START + timedelta(days=5)).date()
            assert all(each.severity == "ok" for each in await store.check())
            assert (await store.stats()).facts == len(facts)

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(6))
    async def test_the_order_changes_nothing(self, stores: Stores, seed: int) -> None:
        """Stored in any order, in any groups, twice, and read at any time in between, the same is known."""
        chance = random.Random(seed)
        async with memory_in(stores("plain"), Homes()) as (memory, _):
            await memory.write(DAYS)
            await read_all(memory)
            expected = essence(await known(memory))
        async with memory_in(stores("shuffled"), Homes()) as (memory, _):
            for document in chance.sample([*DAYS, *DAYS], 2 * len(DAYS)):
                await memory.write([document])
                if chance.random() < 0.5:
                    await memory.fact_service.extract_pending("early", limit=chance.randint(1, 3))
            await read_all(memory)
            assert essence(await known(memory)) == expected

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(4))
    async def test_the_order_changes_no_links(self, stores: Stores, seed: int) -> None:
        """Links stand at both facts, however things came, also after an undo."""
        chance = random.Random(seed)
        async with memory_in(stores("plain"), Homes()) as (memory, _):
            await memory.write(TOGETHER)
            await read_all(memory)
            facts = await known(memory)
            expected = essence(facts)
            ends = {(f.fact.id, link.kind, link.other) for f in facts for link in f.fact.links}
            assert ends == {(other, kind, key) for key, kind, other in ends}
            assert {kind for _, kind, _ in ends} >= {"about", "same-evidence", "supersedes"}
        async with memory_in(stores("shuffled"), Homes()) as (memory, _):
            for document in chance.sample([*TOGETHER, *TOGETHER], 2 * len(TOGETHER)):
                await memory.write([document])
                if chance.random() < 0.5:
                    await memory.fact_service.extract_pending("early", limit=chance.randint(1, 3))
                if chance.random() < 0.3 and (some := await known(memory)):
                    identifier = str(chance.choice(some).fact.id)
                    await memory.fact_service.updates.undo(identifier, "undo")
                    await memory.fact_service.updates.undo(identifier, "back")
            await read_all(memory)
            assert essence(await known(memory)) == expected

    async def test_links_follow_what_is_known(self, stores: Stores) -> None:
        """A fact is linked with those that share its message; what is forgotten is linked with nothing, and the linked
        facts get no version for that.
        """
        async with memory_in(stores("one"), Homes()) as (memory, store):
            await memory.write(TOGETHER[:1])
            await read_all(memory)
            berlin = next(f for f in await known(memory) if f.fact.value == "Berlin")
            tea = next(f for f in await known(memory) if f.fact.value == "tea")
            assert ("same-evidence", tea.fact.id) in {(link.kind, link.other) for link in berlin.fact.links}
            await memory.write([day(3, ("Ann", "I don't like Bob"))])
            await read_all(memory, "later")
            assert len(await memory.fact_reader.history(berlin.fact.id)) == 1
            await memory.forget(await memory.forget_planner.plan(ForgetSelection(speakers=("Bob", "Ann"))))
            await read_all(memory)
            ids = {f.fact.id for f in await known(memory)}
            assert not {berlin.fact.id, tea.fact.id} & ids
            assert all(link.other in ids for f in await known(memory) for link in f.fact.links)
            assert all(each.severity == "ok" for each in await store.check())

    async def test_what_was_read_is_not_read_again(self, stores: Stores) -> None:
        """The same input, a restart: no window is shown twice; another version of the reader reads everything."""
        reader = Homes()
        async with memory_in(stores("one"), reader) as (memory, _):
            await memory.write(DAYS)
            await read_all(memory)
            assert reader.windows == len(DAYS)
            await memory.write(DAYS)
            await read_all(memory)
            await memory.write([day(0, ("Ann", "good night"), minute=30)])
            await read_all(memory)
            assert reader.windows == len(DAYS) + 1
        async with memory_in(stores("one"), reader) as (memory, _):
            assert await read_all(memory) == 0
        newer = Homes("2")
        async with memory_in(stores("one"), newer) as (memory, _):
            before = essence(await known(memory))
            assert await read_all(memory) == len(DAYS)
            assert newer.windows == len(DAYS)
            assert essence(await known(memory)) == before

    async def test_a_reader_that_fails_loses_nothing(self, stores: Stores) -> None:
        """The documents stay unread, the words are found, and it goes on when the reader is well again."""
        reader = Homes()
        reader.broken = True
        async with memory_in(stores("one"), reader) as (memory, store):
            await memory.write(DAYS)
            await store.refresh_indexes()
            with pytest.raises(StoreError, match="ill"):
                await memory.fact_service.extract_pending("run")
            assert await memory.fact_service.pending_extraction_count() == len(DAYS)
            assert (await memory.query("Lisbon")).hits
            reader.broken = False
            assert await read_all(memory) == len(DAYS)

    async def test_undo_and_believe_again(self, stores: Stores) -> None:
        """Without what replaced it, the earlier one holds again; twice is as if nothing had been."""
        async with memory_in(stores("one"), Homes()) as (memory, _):
            await memory.write(DAYS[:3])
            await read_all(memory)
            before = essence(await known(memory))
            lisbon = next(f.fact for f in await known(memory) if f.fact.value == "Lisbon")
            update = await memory.fact_service.updates.undo(str(lisbon.id), "undo")
            assert len(update.excluded) == 1
            assert said(await known(memory), "active") >= {"Bob: I live in Berlin"}
            assert "Bob: I live in Lisbon" not in {f.fact.content for f in await known(memory)}
            await memory.write(DAYS)
            await read_all(memory)
            assert "Bob: I live in Lisbon" not in {f.fact.content for f in await known(memory)}
            versions = await memory.fact_reader.history(lisbon.id)
            assert any(version.run == "undo" for version in versions)
        async with memory_in(stores("again"), Homes()) as (memory, _):
            await memory.write(DAYS[:3])
            await read_all(memory)
            await memory.fact_service.updates.undo(str(lisbon.id), "undo")
            update = await memory.fact_service.updates.undo(str(lisbon.id), "back")
            assert len(update.included) == 1
            assert essence(await known(memory)) == before

    async def test_believing_is_idempotent(self, stores: Stores) -> None:
        """The state that is wanted is reached once; the second time nothing is written, and both ways tell the state."""
        async with memory_in(stores("one"), Homes()) as (memory, _):
            await memory.write(DAYS[:3])
            await read_all(memory)
            before = essence(await known(memory))
            lisbon = str(next(f.fact.id for f in await known(memory) if f.fact.value == "Lisbon"))
            assert await memory.fact_reader.belief(lisbon) == (True, 1)
            first = await memory.fact_service.updates.undo(lisbon, "first", believe=False)
            second = await memory.fact_service.updates.undo(lisbon, "second", believe=False)
            assert (first.excluded, bool(first.facts)) == (second.excluded, True)
            assert (second.facts, second.gone) == ((), ())
            assert await memory.fact_reader.belief(lisbon) == (False, 1)
            assert "Bob: I live in Lisbon" not in {f.fact.content for f in await known(memory)}
            for run in ("third", "fourth"):
                assert (await memory.fact_service.updates.undo(lisbon, run, believe=True)).included == first.excluded
            assert essence(await known(memory)) == before

    async def test_undoing_a_run_leaves_what_others_read(self, stores: Stores) -> None:
        """Everything that one run read first is not believed any more."""
        async with memory_in(stores("one"), Homes()) as (memory, _):
            await memory.write(DAYS[:2])
            await read_all(memory, "first")
            before = essence(await known(memory))
            await memory.write(DAYS[2:])
            await read_all(memory, "second")
            assert essence(await known(memory)) != before
            await memory.fact_service.updates.undo("second", "undo")
            assert essence(await known(memory)) == before
            with pytest.raises(NotFoundError):
                await memory.fact_service.updates.undo("no such run", "undo")

    async def test_undoing_a_run_that_only_ended_a_fact(self, stores: Stores) -> None:
        """What it read made no fact of its own; believed again, it ends the fact as before."""
        async with memory_in(stores("one"), Homes()) as (memory, _):
            await memory.write([day(1, ("Bob", "I live in Lisbon"))])
            await read_all(memory, "first")
            before = essence(await known(memory))
            await memory.write([day(2, ("Bob", "I no longer live in Lisbon"))])
            await read_all(memory, "second")
            ended = essence(await known(memory))
            assert ended != before
            assert await memory.fact_reader.belief("second") == (True, 1)
            await memory.fact_service.updates.undo("second", "undo", believe=False)
            assert essence(await known(memory)) == before
            assert await memory.fact_reader.belief("second") == (False, 1)
            await memory.fact_service.updates.undo("second", "back", believe=True)
            assert essence(await known(memory)) == ended

    async def test_undoing_after_people_were_merged(self, stores: Stores) -> None:
        """The facts of a merged person have other ids: a run and a former id still lead to what they rest on."""
        async with memory_in(stores("one"), Homes()) as (memory, _):
            await memory.write([day(1, ("Bob", "I live in Lisbon"), ("Rob", "I like tea"))])
            await read_all(memory, "first")
            await memory.write([day(2, ("Rob", "I live in Berlin"))])
            await read_all(memory, "second")
            lisbon = str(next(each.fact.id for each in await known(memory) if each.fact.value == "Lisbon"))
            await memory.person_service.merge([identity_key("chat", "Bob"), identity_key("chat", "Rob")])
            assert lisbon not in {str(each.fact.id) for each in await known(memory)}
            before = essence(await known(memory))
            for identifier in (lisbon, "second"):
                assert await memory.fact_reader.belief(identifier) == (True, 1)
                await memory.fact_service.updates.undo(identifier, "undo", believe=False)
                assert essence(await known(memory)) != before
                await memory.fact_service.updates.undo(identifier, "back", believe=True)
                assert essence(await known(memory)) == before

    async def test_what_is_known_goes_with_what_is_forgotten(self, stores: Stores) -> None:
        """A fact that rests on forgotten words alone goes, with its history; one with other evidence keeps that."""
        async with memory_in(stores("one"), Homes()) as (memory, store):
            await memory.write(DAYS)
            await read_all(memory)
            await memory.forget(await memory.forget_planner.plan(ForgetSelection(documents=("chat:one:3",))))
            assert await read_all(memory) == 0
            facts = await known(memory)
            rome = next(f.fact for f in facts if f.fact.value == "Rome")
            assert [evidence.document_id for evidence in rome.evidence] == ["chat:one:8"]
            assert "Bob: I like tea" not in {f.fact.content for f in facts}
            await memory.forget(await memory.forget_planner.plan(ForgetSelection(speakers=("Bob",))))
            await read_all(memory)
            assert {f.fact.speaker for f in await known(memory)} == {"Ann"}
            await memory.indexed.purge()
            assert all(each.severity == "ok" for each in await store.check())

    async def test_a_document_is_forgotten_while_it_is_read(self, stores: Stores) -> None:
        """It leaves nothing behind, and the others of its batch are read once and kept."""

        class Forgetful(Homes):
            """Forgets a document before it answers."""

            async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
                answer = await super().extract(windows, run)
                await memory.forget(await memory.forget_planner.plan(ForgetSelection(documents=("chat:one:3",))))
                return answer

        reader = Forgetful()
        async with memory_in(stores("one"), reader) as (memory, _):
            await memory.write(DAYS)
            read = await memory.fact_service.extract_pending("run")
            assert (read.documents, read.changed, read.unreadable) == (len(DAYS) - 1, 1, {})
            assert reader.windows == len(DAYS)
            assert "Bob: I like tea" not in {f.fact.content for f in await known(memory)}
            assert await memory.fact_service.pending_extraction_count() == 0

    async def test_a_renamed_speaker_is_one_person(self, stores: Stores) -> None:
        """A later export under another name: the facts under both names are one person's."""
        async with memory_in(stores("one"), Homes()) as (memory, _):
            await memory.write(
                [day(0, ("Bobby", "I live in Berlin"), ("Ann", "ok")), day(2, ("Bobby", "yes"), ("Ann", "no"))]
            )
            await read_all(memory)
            await memory.write([day(2, ("Bob", "yes"), ("Ann", "no"), ("Bob", "I live in Lisbon"))])
            await read_all(memory)
            assert said(await known(memory), "superseded") == {"Bobby: I live in Berlin"}
            assert said(await known(memory), "active") == {"Bob: I live in Lisbon"}

    async def test_answers_come_with_what_their_messages_say(self, stores: Stores) -> None:
        """Active facts behind the hits; others on request, or those of a time. A message is found by its fact's words."""
        async with memory_in(stores("one"), Homes()) as (memory, store):
            await memory.write(DAYS[:3])
            await read_all(memory)
            await store.refresh_indexes()
            answer = await memory.query(Query(text="Berlin Lisbon", limit=10))
            assert {fact.content for fact in answer.facts} >= {"Bob: I live in Lisbon"}
            assert all(fact.status == "active" for fact in answer.facts)
            both = await memory.query(Query(text="Berlin Lisbon", limit=10, superseded=True))
            assert {"Bob: I live in Berlin", "Bob: I live in Lisbon"} <= {fact.content for fact in both.facts}
            then = await memory.query(Query(text="Berlin Lisbon", limit=10, as_of=START + timedelta(days=1)))
            assert {fact.content for fact in then.facts} == {"Bob: I live in Berlin"}

    async def test_summaries_name_their_messages(self, stores: Stores) -> None:
        """One for each window that was read, with the messages it covers, which are all that say something."""
        async with memory_in(stores("one"), Homes()) as (memory, _):
            await memory.write(DAYS[:1])
            found = await lookup.find(memory.database, DAYS[0].id)
            assert await memory.fact_reader.summaries(found.key) == []
            await read_all(memory)
            (summary,) = await memory.fact_reader.summaries(found.key)
            assert (summary.text, len(summary.message_ids)) == ("2 lines", 2)
            for identifier in summary.message_ids:
                assert (await lookup.find(memory.database, identifier)).document == found.document
            assert await memory.fact_reader.summaries_of([found.key]) == {found.key: ["2 lines"]}

    async def test_what_was_rejected_is_counted(self, stores: Stores) -> None:
        """By reason, over all that was read; what goes takes its count with it."""
        async with memory_in(stores("one"), Homes()) as (memory, store):
            assert await store.database.read(fact_rows.rejections) == {}
            await memory.write([day(0, ("Ann", "I live in Oslo"), ("Bob", "hello")), day(1, ("Bob", "I like tea"))])
            await read_all(memory)
            assert await store.database.read(fact_rows.rejections) == {"no-likes": 2, "no-home": 2}
            assert (await memory.stats())["facts_rejected"] == {"no-home": 2, "no-likes": 2}
            await memory.forget(await memory.forget_planner.plan(ForgetSelection(documents=("chat:one:0",))))
            assert await store.database.read(fact_rows.rejections) == {"no-home": 1}

    async def test_what_became_of_facts_is_told(self, stores: Stores) -> None:
        """Each version with what was done and why, also the end; so after an undo."""
        async with memory_in(stores("one"), Homes()) as (memory, _):
            for document in DAYS[:3]:
                await memory.write([document])
                await read_all(memory)
            lisbon = next(f.fact for f in await known(memory) if f.fact.value == "Lisbon")
            homes = version_changes(await memory.fact_reader.history(lisbon.id))
            assert [(each.kind, each.reason) for each in homes] == [
                ("ADD", "new"), ("UPDATE", "superseded by “Lisbon”"), ("ADD", "supersedes “Berlin”"),
            ]  # fmt: skip
            update = await memory.fact_service.updates.undo(str(lisbon.id), "undo")
            told = {(each.kind, each.reason) for each in await memory.fact_reader.changes_of(update)}
            assert told == {("UPDATE", "holds again"), ("DELETE", "no statement supports it any more")}
            homes = version_changes(await memory.fact_reader.history(lisbon.id))
            assert [each.stored.fact.value for each in homes if each.ended] == ["Lisbon"]

    async def test_facts_as_they_were_recorded(self, stores: Stores) -> None:
        """What was known before the last run, and what held at a time."""
        async with memory_in(stores("one"), Homes()) as (memory, _):
            await memory.write(DAYS[:1])
            await read_all(memory)
            then = datetime.now(UTC)
            await memory.write(DAYS)
            await read_all(memory)
            page = await memory.fact_reader.facts(FactFilter(known_at=then))
            assert [(f.fact.content, f.fact.status) for _, f in page] == [("Bob: I live in Berlin", "active")]
            page = await memory.fact_reader.facts(FactFilter(as_of=START + timedelta(days=6), subjects=("bob",)))
            assert "Bob: I live in Lisbon" in {f.fact.content for _, f in page}
            assert "Bob: I live in Berlin" not in {f.fact.content for _, f in page}
