"""A message that another document holds: it goes there, stays out where it was forgotten, and is never taken for another one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.formats.mail.documents import User
from memd.connectors.live.imap.mails import FetchedMail, documents_of
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.export import exported_documents
from memd.memory.forgetting.selection import ForgetSelection
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.search_types import Filter
from memd.schemas import ConversationDocument, StoreReport
from memd.schemas.identity_links import identities_of

START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
ANN = ("1", "Ann", "the zeppelin landed")
BOB = ("2", "Bob", "in the quarry")
CEM = ("3", "Cem", "behind the mill")


def part(name: str, *lines: tuple[str, str, str], user: str = "Dee", chat: str = "one") -> ConversationDocument:
    """A document of a chat; each line is an id, which is also its minute, a speaker and words."""
    return ConversationDocument.model_validate(
        {
            "id": f"chat:{name}",
            "conversation": {
                "source": "chat",
                "people": tuple(dict.fromkeys([*(speaker for _, speaker, _ in lines), user])),
                "user": user,
                "conversation": tuple(
                    {"id": own, "speaker": speaker, "content": words, "time": START + timedelta(minutes=int(own))}
                    for own, speaker, words in lines
                ),
            },
            "metadata": {"chat": chat, "title": "One"},
        }
    )


@asynccontextmanager
async def opened(path: Path) -> AsyncGenerator[EvolvingMemory, None]:
    """A real memory."""
    async with open_store(path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        yield memory


async def stored(memory: EvolvingMemory) -> dict[str, ConversationDocument]:
    """All documents by their ids."""
    found = [document async for documents in exported_documents(memory.database, Filter()) for document in documents]
    return {document.id: document for document in found if isinstance(document, ConversationDocument)}


async def told(memory: EvolvingMemory) -> dict[str, list[str]]:
    """What is stored, by document: the words of each, with those before an edit."""
    return {
        name: [
            " < ".join([f"{each.speaker}: {each.content}", *(edit.content for edit in each.edits)])
            for each in document.messages
        ]
        for name, document in (await stored(memory)).items()
    }


async def forget(memory: EvolvingMemory, selection: ForgetSelection) -> None:
    """As the daemon does it."""
    await memory.forget(await memory.forget_planner.plan(await memory.forget_planner.with_all_names(selection)))
    await memory.indexed.purge()


SELECTIONS = {
    "her": ForgetSelection(speakers=("Ann",)),
    "the person": ForgetSelection(people=("Ann",)),
    "the document": ForgetSelection(documents=("chat:A",)),
    "the minute": ForgetSelection(until=START + timedelta(minutes=2)),
}


def in_files(folder: Path, words: str) -> list[str]:
    """The files that hold these words."""
    return [path.name for path in folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("what", SELECTIONS)
async def test_a_forgotten_message_does_not_come_back_in_another_document(tmp_path: Path, what: str) -> None:
    """Neither in the document that was read before nor in one that never was; and in no file, also as an input of a run."""
    both = part("B", ANN, BOB)
    async with opened(tmp_path) as memory:
        await memory.write([part("A", ANN)], "first")
        await memory.write([both], "second")
        assert await told(memory) == {"chat:A": ["Ann: the zeppelin landed"], "chat:B": ["Bob: in the quarry"]}
        await forget(memory, SELECTIONS[what])
        report = await memory.write([both], "third")
        assert (report.added, report.forgotten) == (0, 1)
        report = await memory.write([part("C", ANN, BOB, CEM)], "fourth")
        assert (report.added, report.forgotten) == (1, 1)
        await memory.write([part("B", ANN, ("2", "Bob", "in the old quarry"))], "fifth")
        await memory.write([part("A", ANN)], "sixth")
        left = {"chat:B": ["Bob: in the old quarry < in the quarry"], "chat:C": ["Cem: behind the mill"]}
        assert await told(memory) == left
        await memory.undo_runs("fifth")
        assert [each for words in (await told(memory)).values() for each in words if "Ann" in each] == []
        await memory.indexed.purge()
    assert in_files(tmp_path, "zeppelin") == []


@pytest.mark.anyio
async def test_what_is_allowed_again_comes_back_in_any_document(tmp_path: Path) -> None:
    """The marks of its messages go with those of the document, and an input that is known is looked at again."""
    both = part("B", ANN, BOB)
    async with opened(tmp_path) as memory:
        await memory.write([part("A", ANN), part("B", BOB)])
        await forget(memory, SELECTIONS["the document"])
        assert (await memory.write([both])).forgotten == 1
        assert await memory.allow_again([both]) > 0
        assert (await memory.write([both])).added == 1
        assert await told(memory) == {"chat:B": ["Ann: the zeppelin landed", "Bob: in the quarry"]}
        assert (await memory.write([part("A", ANN)])).added == 0


@pytest.mark.anyio
async def test_another_message_of_a_forgotten_id_is_kept(tmp_path: Path) -> None:
    """Ids may count anew in every file: who says something else under the same id at the same time is somebody else."""
    async with opened(tmp_path) as memory:
        await memory.write([part("A", ANN)])
        await forget(memory, SELECTIONS["her"])
        report = await memory.write([part("B", ("1", "Bob", "the kettle boils"))])
        assert (report.added, report.forgotten) == (1, 0)
        assert (await memory.write([part("B", ANN, ("1", "Bob", "the kettle boils"))])).added == 0
        assert await told(memory) == {"chat:B": ["Bob: the kettle boils"]}
        renamed = part("C", ("1", "Anna", "the zeppelin landed"))
        assert (await memory.write([renamed])).forgotten == 1


@pytest.mark.anyio
@pytest.mark.parametrize("at_once", [False, True], ids=["two imports", "one batch"])
async def test_different_messages_of_one_id_and_instant_stay_apart(tmp_path: Path, at_once: bool) -> None:
    """Another speaker with other words says another message: nobody's words become an edit of somebody else's."""
    one, other = part("A", ANN), part("B", ("1", "Bob", "the kettle boils"), BOB)
    async with opened(tmp_path) as memory:
        for documents in [[one, other]] if at_once else [[one], [other]]:
            await memory.write(documents)
        both = {
            "chat:A": ["Ann: the zeppelin landed"],
            "chat:B": ["Bob: the kettle boils", "Bob: in the quarry"],
        }
        assert await told(memory) == both
        assert (await memory.write([one, other])).added == 0
        assert (await memory.write([part("B", ("1", "Bob", "the kettle boiled over"))])).updated == 1
        assert (await told(memory))["chat:A"] == both["chat:A"]


@pytest.mark.anyio
async def test_a_renamed_speaker_is_the_same(tmp_path: Path) -> None:
    """By the words, and where these were edited, by the names that the chat knows."""
    async with opened(tmp_path) as memory:
        await memory.write([part("A", ANN, CEM)])
        assert (await memory.write([part("B", ("1", "Anna", ANN[2]), BOB)])).added == 1
        assert (await memory.write([part("C", ("1", "Anna", "the zeppelin has landed"))])).added == 0
        assert (await memory.write([part("D", ("1", "Ann", "the zeppelin is here"))])).added == 0
        assert list(await told(memory)) == ["chat:A", "chat:B"]


@pytest.mark.anyio
async def test_exports_of_two_users_are_joined_by_more_than_an_id(tmp_path: Path) -> None:
    """The same words of the same speaker are one message whoever exported it; one of the two alone does not tell."""
    async with opened(tmp_path) as memory:
        await memory.write([part("A", ANN, BOB, user="Ann")])
        report = await memory.write([part("B", ANN, ("2", "Bob", "by the river"), CEM, user="Eve")])
        assert report.added == 2
        assert await told(memory) == {
            "chat:A": ["Ann: the zeppelin landed", "Bob: in the quarry"],
            "chat:B": ["Bob: by the river", "Cem: behind the mill"],
        }
        assert (await stored(memory))["chat:A"].conversation.user == "Ann"


def told_of(document: ConversationDocument, told: dict[str, str], **metadata: str) -> ConversationDocument:
    """The same, with mail addresses of people, and more metadata."""
    links = {name: [f"mailto:{address}"] for name, address in told.items()}
    more = {**document.metadata, "identities": orjson.dumps(links).decode(), **metadata}
    return document.model_copy(update={"metadata": more})


async def metadata_of(memory: EvolvingMemory, name: str) -> Mapping[str, str]:
    """Of a stored document."""
    return (await stored(memory))[f"chat:{name}"].metadata


def mailed(number: int, *references: int, answers: int = 0) -> FetchedMail:
    """A mail, which may tell the thread or only what it answers."""
    lines = [f"Message-ID: <m{number}@x>", f"Date: Mon, 15 Jan 2024 12:{number:02}:00 +0000", "From: Bob <bob@x>"]
    if references:
        lines.append("References: " + " ".join(f"<m{each}@x>" for each in references))
    if answers:
        lines.append(f"In-Reply-To: <m{answers}@x>")
    data = "\r\n".join([*lines, f"Subject: subject {number}", "", f"text {number}", ""]).encode()
    return FetchedMail(f"m{number}", data, cut=False, labels=("INBOX",))


ROOT, MIDDLE, REPLY = mailed(1), mailed(2, 1), mailed(3, answers=2)


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("at_once", [False, True], ids=["one by one", "at once"])
@pytest.mark.parametrize(
    ("order", "threads"),
    [
        ([[ROOT, MIDDLE], [REPLY]], [[1, 2, 3]]),
        ([[MIDDLE], [REPLY], [ROOT]], [[1, 2, 3]]),
        ([[REPLY], [ROOT, MIDDLE]], [[1, 2, 3]]),
        ([[REPLY], [MIDDLE], [ROOT]], [[1, 2], [3]]),
        ([[REPLY], [ROOT, MIDDLE], [mailed(4, 1)]], [[1, 2, 3, 4]]),
        ([[REPLY], [mailed(4, answers=3)], [ROOT, MIDDLE]], [[1, 2, 3, 4]]),
        ([[ROOT], [REPLY], [MIDDLE]], [[1, 2], [3]]),
    ],
    ids=[
        "thread first",
        "thread without its first",
        "reply first",
        "piece by piece",
        "reply first, one more",
        "replies first",
        "both are named",
    ],
)
async def test_a_reply_that_tells_only_what_it_answers(
    tmp_path: Path, order: list[list[FetchedMail]], threads: list[list[int]], at_once: bool
) -> None:
    """Joins the thread that holds it, whichever came first; not where both are stored under names of their own. Read again, all
    is unchanged.
    """
    user, options = User("Ann", frozenset({"ann@x"})), ReadOptions(zone=UTC)
    batches = [documents_of(mails, user, options, "x").documents for mails in order]
    if at_once:
        batches = [[document for batch in batches for document in batch]]
    async with opened(tmp_path) as memory:
        for again in range(3):
            report = StoreReport()
            for batch in batches:
                report += await memory.write(batch)
            assert (report.added > 0, report.updated) == (not again, 0)
            found = [
                document async for documents in exported_documents(memory.database, Filter()) for document in documents
            ]
            texts = [[m.content for m in each.messages] for document in found if (each := document.as_conversation())]
            assert sorted(sorted(each) for each in texts) == [[f"text {n}\n" for n in each] for each in threads]


@pytest.mark.anyio
async def test_metadata_comes_along_with_a_message(tmp_path: Path) -> None:
    """What a later document of the home would tell, and of no one else than the people of the part; nothing told is lost."""
    async with opened(tmp_path) as memory:
        await memory.write([told_of(part("A", ANN), {"Ann": "ann@old.example"}, title="Old", colour="red")])
        later = part("B", ANN, ("2", "Bob", BOB[2]))
        told_later = {"Ann": "ann@new.example", "Bob": "bob@b.example"}
        await memory.write([told_of(later, told_later, title="New", size="big")])
        metadata = await metadata_of(memory, "A")
        assert identities_of(metadata) == {"Ann": ["mailto:ann@new.example", "mailto:ann@old.example"]}
        assert (metadata["title"], metadata["colour"], metadata["size"]) == ("New", "red", "big")
        await memory.write([told_of(part("A", ANN), {"Dee": "dee@d.example"})])
        assert list(identities_of(await metadata_of(memory, "A"))) == ["Ann", "Dee"]


@pytest.mark.anyio
async def test_what_was_told_of_somebody_forgotten_goes(tmp_path: Path) -> None:
    """Their addresses stand in the metadata of documents that stay, and in later exports."""
    document = told_of(part("A", ANN, BOB), {"Ann": "ann@a.example", "Bob": "bob@b.example"})
    more = told_of(part("B", ANN, BOB, CEM), {"Ann": "ann@a.example", "Bob": "bob@b.example"})
    async with opened(tmp_path) as memory:
        await memory.write([document], "first")
        await forget(memory, SELECTIONS["the person"])
        assert list(identities_of(await metadata_of(memory, "A"))) == ["Bob"]
        await memory.write([more], "second")
        await memory.write([document.model_copy(update={"tags": ("other",)})], "third")
        await memory.indexed.purge()
        assert list(identities_of(await metadata_of(memory, "A"))) == ["Bob"]
        assert "Ann" not in identities_of(await metadata_of(memory, "B"))
    assert in_files(tmp_path, "ann@a.example") == []
