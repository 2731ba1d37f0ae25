"""What is known of those who are forgotten, and facts that were damaged: gone, or as they were before."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.extraction.extractor import Extraction
from memd.memory.extraction.refusal import Refusal
from memd.memory.extraction.rejection import Reason
from memd.memory.extraction.statement import Cited, Statement
from memd.memory.extraction.window import Window
from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.people.decisions import identity_key
from memd.memory.records import Rename
from memd.memory.store import documents_read, people_rows
from memd.memory.store.documents_write import apply_changes
from memd.memory.write_batches import WriteBatch
from memd.schemas import ConversationDocument, TextDocument
from memd.schemas.fact import ExtractorInfo as Made
from memd.tests.cases import check_all
from memd.tests.contracts.knowledge import DAYS, Homes, day, essence, known, read_all

pytestmark = pytest.mark.anyio
DAY = datetime(2024, 1, 15, tzinfo=UTC)
GOSSIP = re.compile(r"(\w+) lives in (\w+)")


class Gossip(Homes):
    """Reads where people live, also from what others tell; of everybody who lives somewhere it supposes what is refused."""

    name = "gossip"

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
        """Every line by itself."""
        found: list[Extraction] = []
        for window, plain in zip(windows, await super().extract(windows, run), strict=True):
            told = [
                Statement(
                    document=window.document,
                    document_id=window.document_id,
                    speaker=line.speaker,
                    subject=match[1],
                    attribute="home",
                    value=match[2],
                    content=f"Hearsay{match[1]}: {match[0]}",
                    evidence=(Cited(line.message, line.message_id, match[0]),),
                    observed_at=line.time,
                    extractor=Made(name=self.name),
                )
                for line in window.lines
                if (match := GOSSIP.search(line.text))
            ]
            summary = " ".join(f"Rumour{each.subject}" for each in told)
            refusals = tuple(map(_supposed, (*plain.statements, *told)))
            found.append(replace(plain, statements=(*plain.statements, *told), summary=summary, refusals=refusals))
        return found


def _supposed(told: Statement) -> Refusal:
    supposed = f"Conjecture{told.subject} owns a gondola in {told.value}"
    (cited,) = told.evidence
    return Refusal(
        Reason.UNGROUNDED_VALUE.value, told.subject, "possession", "a gondola", supposed, cited.quote, told.speaker,
        negated=False, message_ids=(cited.message_id,), expands=(str(cited.message),),
    )  # fmt: skip


@asynccontextmanager
async def memory_at(directory: Path) -> AsyncGenerator[EvolvingMemory]:
    """A memory that reads, without vectors."""
    async with open_store(directory) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder(), Gossip())
        await memory.start()
        yield memory


async def forget(memory: EvolvingMemory, selection: ForgetSelection) -> int:
    """Forget and read what is left; returns how many messages went."""
    plan = await memory.forget_planner.plan(await memory.forget_planner.with_all_names(selection))
    await memory.forget(plan)
    await memory.indexed.purge()
    await read_all(memory)
    return plan.messages


def held(directory: Path, *words: str) -> set[str]:
    """Those of the words that a file holds, in any case."""
    content = b"".join(path.read_bytes().lower() for path in directory.rglob("*") if path.is_file())
    return {word for word in words if word.lower().encode() in content}


async def sound(memory: EvolvingMemory) -> bool:
    """Whether nothing is wrong."""
    return all(each.severity == "ok" for each in await memory.check())


def edited(document: ConversationDocument, number: int, text: str) -> ConversationDocument:
    """The same day with one message in other words."""
    body = document.model_dump()
    message = body["conversation"]["conversation"][number]
    message |= {"id": "m", "edits": [{"content": message["content"]}], "content": text}
    return ConversationDocument.model_validate(body)


@pytest.mark.slow
async def test_the_past_of_a_fact_goes_with_its_words(tmp_path: Path) -> None:
    """Also where nothing that is said now has to do with it: after an edit, an undo, a rename."""
    first = day(0, ("Ann", "hello"), ("Bobby", "I live in Berlin"), ("Bobby", "I like tea"))
    async with memory_at(tmp_path) as memory:
        beside = day(7, ("Ann", "I like wine"), chat="two")  # its words of facts hold what linked facts say
        await memory.write([first, day(2, ("Bobby", "yes"), ("Ann", "I live in Narvik")), beside])
        await read_all(memory)
        await memory.write([edited(first, 1, "I like wine")])
        await read_all(memory)
        await memory.write([day(2, ("Bob", "yes"), ("Ann", "I live in Narvik"), ("Bob", "I live in Lisbon"))])
        await read_all(memory)
        lisbon = next(each.fact for each in await known(memory) if each.fact.value == "Lisbon")
        await memory.fact_service.updates.undo(str(lisbon.id), "undo")
        assert held(tmp_path, "Berlin", "Lisbon", "tea") == {"Berlin", "Lisbon", "tea"}
        assert await forget(memory, ForgetSelection(people=("bobby",)))
        assert {each.fact.speaker for each in await known(memory)} == {"Ann"}
        assert await sound(memory)
    assert held(tmp_path, "Berlin", "Lisbon", "tea", "Bob", "Narvik") == {"Narvik"}


@pytest.mark.slow
async def test_what_others_tell_is_not_believed_but_stays_theirs(tmp_path: Path) -> None:
    """Facts about somebody go with the person, by whoever told them, and with them the reader's own words, also where a
    document is read again; the messages and other facts stay.
    """
    days = [
        day(0, ("Ann", "Bob lives in Rome"), ("Bob", "I live in Berlin"), ("Ann", "I live in Oslo")),
        day(1, ("Ann", "Bob lives in Paris"), ("Ann", "Cem lives in Rome"), chat="two"),
    ]
    async with memory_at(tmp_path) as memory:
        await memory.write(days)
        await read_all(memory)
        plan = await memory.forget_planner.plan(ForgetSelection(people=("Bob",)))
        assert (plan.messages, plan.facts, len(plan.about)) == (1, 2, 2)
        assert held(tmp_path, "HearsayBob", "RumourBob", "ConjectureBob") == {
            "HearsayBob",
            "RumourBob",
            "ConjectureBob",
        }
        assert (await memory.forget_planner.plan(ForgetSelection(people=("Bob",), chats=("two",)))).facts == 2
        assert (await memory.forget_planner.plan(ForgetSelection(speakers=("Bob",)))).about == ()
        await forget(memory, ForgetSelection(people=("Bob",)))
        assert {each.fact.subject for each in await known(memory)} == {"Ann", "Cem"}
        again = await memory.forget_planner.plan(ForgetSelection(people=("Bob",)))
        assert (again.messages, again.about) == (0, ())
        assert held(tmp_path, "HearsayBob", "RumourBob", "ConjectureBob", "HearsayCem") == {"HearsayCem"}
        later = [("Ann", "Bob lives in Paris"), ("Ann", "Cem lives in Rome"), ("Ann", "and so on")]
        await memory.write([days[0], day(1, *later, chat="two")])
        await read_all(memory)
        assert {each.fact.subject for each in await known(memory)} == {"Ann", "Cem"}
        assert held(tmp_path, "HearsayBob", "RumourBob", "ConjectureBob", "HearsayCem") == {"HearsayCem"}
        assert (await memory.query("Bob lives in Paris")).hits[0].text == "Bob lives in Paris"
        assert await sound(memory)


@pytest.mark.parametrize("undone", ["facts", "runs"])
@pytest.mark.slow
async def test_what_was_undone_is_forgotten_too(tmp_path: Path, undone: str) -> None:
    """What others told about somebody and was not believed any more before, also where its document is read again."""
    days = [
        day(0, ("Ann", "Bob lives in Rome"), ("Bob", "I live in Berlin"), ("Ann", "I live in Oslo")),
        day(1, ("Ann", "Bob lives in Paris"), ("Ann", "Cem lives in Rome"), chat="two"),
    ]
    async with memory_at(tmp_path) as memory:
        await memory.write(days)
        await read_all(memory)
        told = [each for each in await known(memory) if each.fact.subject == "Bob"]
        for identifier in {str(each.fact.id) for each in told} if undone == "facts" else {each.run for each in told}:
            await memory.fact_service.updates.undo(identifier, "undo")
        assert "Bob" not in {each.fact.subject for each in await known(memory)}
        assert held(tmp_path, "HearsayBob", "RumourBob", "ConjectureBob", "Berlin") == {
            "HearsayBob",
            "RumourBob",
            "ConjectureBob",
            "Berlin",
        }
        assert (await memory.forget_planner.plan(ForgetSelection(people=("Bob",)))).facts == 2
        assert await forget(memory, ForgetSelection(people=("Bob",))) == 1
        assert held(tmp_path, "HearsayBob", "RumourBob", "ConjectureBob", "Berlin") == set()
        again = await memory.forget_planner.plan(ForgetSelection(people=("Bob",)))
        assert (again.messages, again.facts, again.about) == (0, 0, ())
        later = [("Ann", "Bob lives in Paris"), ("Ann", "Cem lives in Rome"), ("Ann", "and so on")]
        await memory.write([days[0], day(1, *later, chat="two")])
        await read_all(memory)
        assert held(tmp_path, "HearsayBob", "RumourBob", "ConjectureBob", "Berlin") == set()
        assert await sound(memory)


@pytest.mark.slow
async def test_a_text_goes_with_its_author(tmp_path: Path) -> None:
    """Texts have no speaker, but whoever wrote them wrote them."""
    mine, other = (
        TextDocument(id=name, content=f"a note on {name}", metadata={"source": "notes", "author": author})
        for name, author in (("kayaks", "Bob"), ("lamps", "Ann"))
    )
    async with memory_at(tmp_path) as memory:
        await memory.write([mine, other])
        assert await forget(memory, ForgetSelection(speakers=("Bob",))) == 0
        assert await forget(memory, ForgetSelection(people=("BOB",))) == 1
    assert held(tmp_path, "kayaks", "lamps") == {"lamps"}


DAMAGE = {
    "readings of documents that are gone": "INSERT INTO windows VALUES (999, x'00', 'x', NULL, NULL);"
    "INSERT INTO unread VALUES (999)",
    "words that are not there": "UPDATE statements SET"
    " body = json_set(body, '$.evidence[0][0]', '00000000-0000-0000-0000-000000000000') WHERE id = 2",
    "facts that rest on nothing": "UPDATE facts SET body = json_set(body, '$.messages', json('[]')) WHERE id ="
    " (SELECT max(id) FROM facts WHERE replaced IS NULL)",
    "references": "DELETE FROM fact_messages WHERE fact = (SELECT min(fact) FROM fact_messages)",
    "chunks that are gone": "DELETE FROM chunks WHERE make IN (SELECT id FROM makes WHERE strategy = 'fact')",
    "chunks that are too many": "UPDATE facts SET body = json_set(body, '$.chunks', json('[]')) WHERE replaced IS NULL",
    "expansions that are gone": "DELETE FROM chunks WHERE make IN (SELECT id FROM makes WHERE strategy = 'expansion')",
    "expansions of nothing": "DELETE FROM refused",
    "a refused proposal that is no text": "UPDATE refused SET body = json_set(body, '$.content', 3) WHERE id = 1",
    "a refused proposal of no message": "UPDATE refused SET body = json_set(body, '$.expands[0]', 'x') WHERE id = 1",
    "a refused proposal of bytes": "UPDATE refused SET body = CAST(x'ff' AS TEXT) WHERE id = 1",
    "a fact that says something else": "UPDATE facts SET body = json_set(body, '$.fact.value', 'Atlantis')"
    " WHERE replaced IS NULL",
    "a fact too few": "DELETE FROM fact_messages; DELETE FROM facts WHERE replaced IS NULL AND status = 'active'",
    "a fact too many": "UPDATE facts SET replaced = NULL WHERE id = (SELECT min(id) FROM facts WHERE replaced IS NOT NULL"
    " AND key NOT IN (SELECT key FROM facts WHERE replaced IS NULL))",
}


async def _undone(folder: Path) -> list[Any]:
    """Make a memory in which a fact was undone; returns what is known."""
    async with memory_at(folder) as memory:
        await memory.write(DAYS)
        await read_all(memory)
        tea = next(each.fact for each in await known(memory) if each.fact.value == "wine")
        await memory.fact_service.updates.undo(str(tea.id), "undo")
        assert await sound(memory)
        return essence(await known(memory))


@pytest.mark.slow
def test_damaged_facts_are_found_and_mended(tmp_path: Path) -> None:
    """Whatever was changed, repair leaves what is known as it was, and nothing wrong."""
    intact, data = tmp_path / "intact", tmp_path / "data"
    before = anyio.run(_undone, intact)

    async def check(damage: str) -> None:
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(intact, data)
        async with memory_at(data) as memory:
            with sqlite3.connect(data / "memory.db") as connection:
                connection.executescript(DAMAGE[damage])
            connection.close()
            wrong = {each.check for each in await memory.check() if each.severity == "error"}
            assert wrong
            assert wrong <= {"knowledge", "facts", "words", "vector_index"}
            await memory.repair()
            await read_all(memory)
            assert await sound(memory)
            assert essence(await known(memory)) == before

    check_all(DAMAGE, lambda damage: anyio.run(check, damage))


@pytest.mark.slow
async def test_a_former_name_of_a_merged_contact_counts_in_its_source(tmp_path: Path) -> None:
    """What others tell about it goes, texts by it, and its words in other chats; in another source it is a stranger's."""

    def elsewhere(document: ConversationDocument, source: str) -> ConversationDocument:
        inner = document.conversation.model_copy(update={"source": source})
        return document.model_copy(update={"conversation": inner})

    texts = [
        TextDocument(id=name, content=f"a note on {name}", metadata={"source": source, "author": "Bobby"})
        for name, source in (("kayaks", "chat"), ("lamps", "notes"))
    ]
    renamed = day(0, ("Bob Berg", "I row on the zeppelin"), ("Ann", "Bobby lives in Rome"))
    others = day(1, ("Ann", "Bobby lives in Oslo"), ("Bobby", "a quarry"), chat="two")
    stranger = elsewhere(day(2, ("Ann", "Bobby lives in Narvik"), ("Bobby", "a mill"), chat="three"), "forum")
    mail = elsewhere(day(3, ("Robert", "my words"), ("Ann", "hello"), chat="four"), "mail")
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder(), Gossip())
        await memory.start()
        await memory.write([renamed, others, stranger, mail, *texts])
        (chat,) = [key for key, each in await store.database.read(documents_read.conversations) if each.id == "one"]
        await store.database.write(apply_changes, WriteBatch(renames=[Rename(chat, "chat", "Bobby", "Bob Berg")]))
        keys = [identity_key("mail", "Robert"), identity_key("chat", "Bob Berg")]
        await store.database.write(lambda connection: people_rows.decide(connection, "merge", DAY, keys))
        await read_all(memory)
        await forget(memory, ForgetSelection(people=("Robert",)))
        assert {each.fact.value for each in await known(memory) if each.fact.subject == "Bobby"} == {"Narvik"}
        assert (
            await memory.forget_planner.plan(
                await memory.forget_planner.with_all_names(ForgetSelection(people=("Robert",)))
            )
        ).messages == 0
        assert await sound(memory)
    words = ("zeppelin", "quarry", "kayaks", "my words", "mill", "lamps", "Narvik")
    assert held(tmp_path, *words) == {"mill", "lamps", "Narvik"}
