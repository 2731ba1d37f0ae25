"""Forgetting by the owner: no file of the data directory holds what was forgotten, and it does not come back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.daemon.app import open_app
from memd.daemon.config.paths import JOURNAL, REMEMBERED
from memd.daemon.config.user_names import remember, remembered
from memd.daemon.forgetting import file_erasure, saga
from memd.daemon.forgetting.steps import STEPS, ForgetRun, Step
from memd.daemon.journal.database import unusable
from memd.daemon.journal.journal import Journal
from memd.daemon.service.answers.upkeep import ForgetReport
from memd.daemon.service.requests import ForgetRequest, LettersRequest, parse
from memd.daemon.service.service import Service
from memd.memory import sqlite_wal, supervision
from memd.memory.file_errors import FullDiskError
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.plan import key_of
from memd.schemas import ConversationDocument, Document, Query, StoreReport, TextDocument
from memd.schemas.errors import StoreError
from memd.tests.byte_scan import traces
from memd.tests.daemon.house import START, note, talk
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio


def day(
    *lines: tuple[str, str] | tuple[str, str, dict[str, Any]], name: str = "one", **more: Any
) -> ConversationDocument:
    """A day of a WhatsApp-like chat, without ids; one message a minute unless a line gives its ``time``."""
    messages: list[dict[str, Any]] = []
    for minute, (speaker, text, *rest) in enumerate(lines):
        fields: dict[str, Any] = {"time": START + timedelta(minutes=minute)}
        messages.append({"speaker": speaker, "content": text, **fields, **(rest[0] if rest else {})})
    return ConversationDocument.model_validate(
        {
            "id": f"chat:{name}:2024-01-15",
            "conversation": {
                "source": "chat",
                "people": tuple(dict.fromkeys(["Ann", *(line[0] for line in lines)])),
                "user": "Ann",
                "conversation": messages,
            },
            "metadata": {"chat": name, "title": name.title(), **more},
        }
    )


def minute(number: int) -> datetime:
    """So many minutes after the first message."""
    return START + timedelta(minutes=number)


async def forget(service: Service, **selection: Any) -> ForgetReport:
    """Plan and carry out, as the command does."""
    plan = await service.forgetting.forget(parse(ForgetRequest, dict(selection), UTC), _silent)
    with anyio.fail_after(60):
        return await service.forgetting.forget(
            parse(ForgetRequest, {**selection, "dry_run": False, "plan": plan["plan"]}, UTC), _silent
        )


def _silent(step: object) -> None:
    del step


def hashed(*lines: tuple[str, str]) -> Iterable[str]:
    """What the store's texts are the hashes of."""
    return [f"{speaker}: {text}" for speaker, text in lines]


@pytest.mark.slow
async def test_no_file_of_a_running_owner_holds_what_was_forgotten(tmp_path: Path) -> None:
    """The journal that it passed through neither, though nothing of it waits there any more; nor damaged ones put aside."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, day(("Ann", "a quibblefrost"), ("Bob", "the wobblegate")), note("n", "a fandangle"))
        (data / f"{JOURNAL}.damaged-1").write_bytes(b"the wobblegate")
        assert JOURNAL in {Path(name).name.removesuffix("-wal") for name in traces(data, "wobblegate")["wobblegate"]}
        done = await forget(service, speakers=["Bob"])
        assert (done["messages"], done["unpurged"]) == (1, [])
        assert traces(data, "wobblegate", "Bob", texts=hashed(("Bob", "the wobblegate"))) == {}
        assert set(traces(data, "quibblefrost", "fandangle")) == {"quibblefrost", "fandangle"}
    assert traces(data, "wobblegate", "Bob", texts=hashed(("Bob", "the wobblegate"))) == {}


async def test_the_name_of_a_chat_means_no_note_of_that_title(tmp_path: Path) -> None:
    """Stored or still on the way: the note stays; its own id means it."""
    titled = TextDocument(id="n", content="the tumblewick", metadata={"source": "tests", "title": "one"})
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, day(("Ann", "a quibblefrost")), titled)
        assert (await forget(service, chats=["one"]))["messages"] == 1
        assert (await service.query(Query(text="tumblewick"))).hits
        assert (await forget(service, documents=["n"]))["messages"] == 1


async def test_what_was_forgotten_is_not_told_as_unchanged(tmp_path: Path) -> None:
    """The same document once more: what is stored of it is unchanged, the rest is told as left out."""
    told = day(("Ann", "a quibblefrost"), ("Bob", "the wobblegate"), ("Ann", "a wumpus"))
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, told, note("n", "a fandangle"))
        await forget(service, speakers=["Bob"])
        last = await ingest(service, told, note("n", "a fandangle"))
        assert (last.added, last.unchanged, last.forgotten, last.processed) == (0, 3, 1, 4)


async def test_a_full_disk_says_what_forgetting_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How much room at most, and why; with room it is forgotten. The journal says so, too, where it cannot even be opened."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, day(("Ann", "a quibblefrost"), ("Bob", "the wobblegate")))
        with monkeypatch.context() as patch:

            async def full(*_: object) -> None:
                raise FullDiskError("the disk is full")

            patch.setattr(EvolvingMemory, "forget", full)
            with pytest.raises(FullDiskError, match="forgetting needs room: what stays is written anew") as refused:
                await forget(service, speakers=["Bob"])
            assert "free up to 1 MB" in refused.value.hint
        await forget(service, speakers=["Bob"])
        assert traces(data, "wobblegate") == {}
    with closing(sqlite3.connect(tmp_path / "small")) as small:
        small.execute("PRAGMA max_page_count = 1")
        with pytest.raises(sqlite3.OperationalError) as failed:
            small.executescript("CREATE TABLE a (b); CREATE TABLE c (d)")
    assert isinstance(unusable(failed.value), FullDiskError)


async def test_the_first_wording_of_an_edited_message_goes_with_its_vector_and_hash(tmp_path: Path) -> None:
    """The store keeps former wordings' vectors until something is forgotten."""
    data = tmp_path / "d"
    first, second = ("Bob", "the snorkelbane"), ("Bob", "the tumblewick")
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, day(("Ann", "where"), first, ("Ann", "thanks")))
        await ingest(service, day(("Ann", "where"), (*second, {"edited": True}), ("Ann", "thanks")))
        assert traces(data, texts=hashed(first, second)).keys() == set(hashed(first, second))
        await forget(service, speakers=["Bob"])
        assert traces(data, "snorkelbane", "tumblewick", texts=hashed(first, second)) == {}
        with closing(sqlite3.connect(data / "store" / "memory.db")) as store:
            unused = "SELECT count(*) FROM {} WHERE {} NOT IN (SELECT text FROM chunks)"
            for table, column in (("texts", "id"), ("vectors", "text"), ("pending", "text")):
                assert store.execute(unused.format(table, column)).fetchone() == (0,)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("left", "title"),
    [(["Fandangle"], "Fandangle"), (["Fandangle", "Grumblehall"], "Grumblehall"), ([None], "one")],
    ids=["one", "latest", "none"],
)
async def test_a_title_that_only_a_forgotten_document_had_goes_from_its_chat(
    tmp_path: Path, left: list[str | None], title: str
) -> None:
    """The chat then has the title of its latest document, or its name; a title that a document has stays."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        for number, name in enumerate([*left, "Snorkelbane", "Tumblewick"]):
            written = day(("Ann", f"a quibblefrost {number}", {"time": minute(number)}))
            metadata = {"chat": "one"} | ({} if name is None else {"title": name})
            await ingest(service, written.model_copy(update={"id": f"chat:{number}", "metadata": metadata}))
        await forget(service, documents=[f"chat:{len(left)}"])
        assert _titles(data) == ["Tumblewick"]
        await forget(service, documents=[f"chat:{len(left) + 1}"])
        assert _titles(data) == [title]
        assert traces(data, "Snorkelbane", "Tumblewick") == {}


def _titles(data: Path) -> list[str]:
    with closing(sqlite3.connect(data / "store" / "memory.db")) as store:
        return [row[0] for row in store.execute("SELECT title FROM conversations")]


@pytest.mark.slow
async def test_who_the_user_is_is_remembered_as_long_as_anybody_of_that_name_is_left(tmp_path: Path) -> None:
    """me.json, and what a killed process left beside it; another source's answer stays."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, day(("Wobblegate", "one"), ("Quibblefrost", "two"), ("Ann", "three")))
        remember(data, {"whatsapp": "Quibblefrost", "chat": "WOBBLEGATE"})
        (data / "me.new").write_bytes(b"Quibblefrost")
        await forget(service, people=["Quibblefrost"])
        assert traces(data, "Quibblefrost") == {}
        assert remembered(data) == {"chat": "WOBBLEGATE"}
        await forget(service, speakers=["wobblegate"])
        assert not (data / REMEMBERED).exists()
        await forget(service, chats=["one"])


@pytest.mark.slow
@pytest.mark.parametrize("swapped", [False, True], ids=["typed composed", "typed decomposed"])
async def test_a_name_is_forgotten_however_its_accents_are_composed(tmp_path: Path, swapped: bool) -> None:
    """Another export that composes them otherwise brings nothing back, and neither does a rename."""
    data = tmp_path / "d"
    stored, typed = ("Zo\u00eb", "Zoe\u0308") if swapped else ("Zoe\u0308", "Zo\u00eb")
    async with open_app(words_only(data), serve=False) as service:
        said = ("the wobblegate", "the snorkelbane")
        written = TextDocument(id="n", content="the tumblewick", metadata={"source": "tests", "author": stored})
        await ingest(service, day((stored, said[0]), ("Ann", "a quibblefrost"), (stored, said[1])), written)
        done = await forget(service, people=[typed.upper()])
        assert done["messages"] == 3
        assert done["names"] == ["zo\u00eb"]
        again = day((typed, said[0]), ("Ann", "a quibblefrost"), (typed, said[1], {"edited": True}))
        await ingest(service, again)
        await forget(service, speakers=["nobody"])
        assert traces(data, "wobblegate", "snorkelbane", "tumblewick", stored, typed) == {}
        assert set(traces(data, "quibblefrost")) == {"quibblefrost"}


class Refusing:
    """Makes the store refuse what is written, so that it waits; it is tried again at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(supervision, "PAUSES", (0.02,))
        monkeypatch.setattr(file_erasure, "RETRY_SECONDS", 0.05)
        self.now = False
        write = EvolvingMemory.write

        async def refusing(memory: EvolvingMemory, documents: Sequence[Document], *more: Any) -> StoreReport:
            if self.now:
                raise StoreError("the disk is full")
            return await write(memory, documents, *more)

        monkeypatch.setattr(EvolvingMemory, "write", refusing)


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Refusing:
    """A store that may refuse."""
    return Refusing(monkeypatch)


BOBS = [("Bob", "the wobblegate"), ("Bob", "ok"), ("Bob", "a snorkelbane")]
WHOLE = day(BOBS[0], ("Ann", "a quibblefrost"), BOBS[1], ("Ann", "ok", {"time": minute(2)}), ("Bob", BOBS[2][1]))


async def queued(service: Service, *documents: Document) -> None:
    """A run of documents that the store does not take yet."""
    run = await service.pipeline.begin("tests")
    await service.pipeline.accept(run, documents)
    await service.pipeline.finish(run)


async def drained(service: Service) -> None:
    """Return when nothing waits."""
    with anyio.fail_after(60):
        while (await service.stats())["queue"]["depth"]:
            await anyio.sleep(0.02)


def said(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Speakers and words of a document in its wire form."""
    return [(each["speaker"], each["content"]) for each in document["conversation"]["conversation"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stored", "selection"),
    [
        (0, {"speakers": ["bob"]}),
        (3, {"people": ["Bob"]}),
        (3, {"chats": ["one"], "speakers": ["Bob"]}),
        (0, {"documents": [WHOLE.id], "speakers": ["Bob"]}),
        (3, {"documents": [str(key_of(WHOLE))], "speakers": ["Bob"]}),
        (3, {"since": "2024-01-15", "speakers": ["Bob"]}),
    ],
    ids=["speaker", "person", "chat", "id", "key", "time"],
)
async def test_what_is_forgotten_while_it_waits_does_not_come_back(
    tmp_path: Path, refusing: Refusing, stored: int, selection: dict[str, Any]
) -> None:
    """Out of the queue and the half that is stored by one plan; equal words of others in the same minute stay."""
    data = tmp_path / "d"
    async with open_app(words_only(data, facts={"extractor": "off"}), serve=False) as service:
        if stored:
            part = WHOLE.conversation.model_copy(update={"conversation": WHOLE.messages[:stored]})
            await ingest(service, WHOLE.model_copy(update={"conversation": part}))
        refusing.now = True
        await queued(service, WHOLE)
        done = await forget(service, **selection)
        assert (done["messages"], done["waiting"]) == (2 if stored else 0, 3)
        assert traces(data, "wobblegate", "snorkelbane", "Bob", texts=hashed(*BOBS)) == {}
        refusing.now = False
        await drained(service)
        for _ in range(2):
            assert said(await service.document(WHOLE.id)) == [("Ann", "a quibblefrost"), ("Ann", "ok")]
            await _until_purged(data)
            assert traces(data, "wobblegate", "snorkelbane", "Bob", texts=hashed(*BOBS)) == {}
            assert (await ingest(service, WHOLE)).added == 0


@pytest.mark.slow
@pytest.mark.parametrize("selection", [{"documents": [str(key_of(WHOLE))]}, {"chats": ["ONE"]}], ids=["key", "chat"])
async def test_a_whole_document_that_waits_does_not_come_back(
    tmp_path: Path, refusing: Refusing, selection: dict[str, Any]
) -> None:
    """By its key or its chat; a text by its key."""
    data = tmp_path / "d"
    text = note("n", "a fandangle")
    async with open_app(words_only(data, facts={"extractor": "off"}), serve=False) as service:
        refusing.now = True
        await queued(service, WHOLE, text)
        assert (await forget(service, **selection))["waiting"] == len(WHOLE.messages)
        assert (await forget(service, documents=[str(key_of(text))]))["waiting"] == 1
        assert traces(data, "wobblegate", "quibblefrost", "fandangle") == {}
        refusing.now = False
        last = await ingest(service, WHOLE, text)
        assert (last.added, (await service.stats())["documents"]) == (0, 0)
        await _until_purged(data)
        assert traces(data, "wobblegate", "quibblefrost", "fandangle") == {}


@pytest.mark.slow
@pytest.mark.parametrize("waits", [False, True], ids=["stored", "queued"])
async def test_a_text_does_not_come_back_under_another_folder(
    tmp_path: Path, refusing: Refusing, *, waits: bool
) -> None:
    """The id of a note begins with the folder that was read; the same file read from another one is known by its name
    and its text. Other notes of that text, or of that name, are not held out.
    """
    data = tmp_path / "d"
    gone, moved = note("vault/sub/a.md", "a fandangle"), note("sub/a.md", "a fandangle")
    async with open_app(words_only(data, facts={"extractor": "off"}), serve=False) as service:
        if waits:
            refusing.now = True
            await queued(service, gone)
        else:
            await ingest(service, gone)
        done = await forget(service, documents=[gone.id])
        assert done["waiting" if waits else "messages"] == 1
        refusing.now = False
        last = await ingest(service, moved)
        assert (last.added, last.forgotten) == (0, 1)
        others = (note("sub/b.md", "a fandangle"), note("c/a.md", "a quibblefrost"))
        assert (await ingest(service, *others)).added == 2
        assert (await ingest(service, note("c/a.md", "a fandangle"))).forgotten == 0  # a note of its own
        assert (await ingest(service, moved)).added == 0
        run = await service.pipeline.begin("tests")
        await service.pipeline.accept(run, [moved], again=True)
        await service.pipeline.finish(run)
        with anyio.fail_after(60):
            assert (await service.pipeline.runs.wait(run, "vectors")).added == 1
        assert (await ingest(service, gone)).forgotten == 1  # only what was read is let back


async def test_a_run_counts_what_a_forgetting_took_out_of_the_queue(tmp_path: Path, refusing: Refusing) -> None:
    """Messages that it selects, and documents that were forgotten before and are found in the queue by its purge."""
    gone, other = note("gone.md", "a fandangle"), note("other.md", "a wumpus")
    async with open_app(words_only(tmp_path / "d", facts={"extractor": "off"}), serve=False) as service:
        await ingest(service, gone, other)
        await forget(service, documents=[gone.id])
        refusing.now = True
        run = await service.pipeline.begin("tests")
        await service.pipeline.accept(run, [gone, WHOLE])
        await forget(service, speakers=["Bob"])
        await forget(service, documents=[other.id])
        refusing.now = False
        await service.pipeline.finish(run)  # only now: a finished run ends where the store refuses for long
        with anyio.fail_after(60):
            last = await service.pipeline.runs.wait(run, "vectors")
        assert (last.processed, last.added, last.forgotten, last.documents) == (6, 2, 4, 2)


async def test_dead_letters_are_forgotten_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given up and tried again later, they do not bring back what was forgotten."""
    data = tmp_path / "d"
    write = EvolvingMemory.write

    async def poisoned(*_: object) -> StoreReport:
        raise ValueError("no")

    monkeypatch.setattr(supervision, "PAUSES", (0.02,))
    async with open_app(words_only(data, facts={"extractor": "off"}), serve=False) as service:
        monkeypatch.setattr(EvolvingMemory, "write", poisoned)
        await queued(service, WHOLE)
        with anyio.fail_after(60):
            while not (await service.stats())["dead_letters"]:
                await anyio.sleep(0.02)
        monkeypatch.setattr(EvolvingMemory, "write", write)
        assert (await forget(service, speakers=["Bob"]))["waiting"] == 3
        assert traces(data, "wobblegate", "snorkelbane", "Bob", texts=hashed(*BOBS)) == {}
        await service.letters.retry(LettersRequest())
        await drained(service)
        assert said(await service.document(WHOLE.id)) == [("Ann", "a quibblefrost"), ("Ann", "ok")]


@pytest.mark.slow
@pytest.mark.parametrize("dead", [True, False], ids=["given-up", "queued"])
async def test_a_damaged_document_of_the_journal_goes_with_whatever_is_forgotten(
    tmp_path: Path, refusing: Refusing, dead: bool
) -> None:
    """Nobody can tell what it holds: the plan counts it, and what is whole beside it stays."""
    data = tmp_path / "d"
    async with open_app(words_only(data, facts={"extractor": "off"}), serve=False) as service:
        await ingest(service, WHOLE)
        refusing.now = True
        await queued(service, note("n", "a fandangle"), note("m", "a tumblewick"))
        state = "dead" if dead else "queued"
        with closing(sqlite3.connect(data / JOURNAL)) as journal, journal:
            journal.execute("UPDATE entries SET crc = crc + 1, state = ? WHERE key LIKE '%note:m'", (state,))
        plan = await service.forgetting.forget(parse(ForgetRequest, {"speakers": ["Bob"]}, UTC), _silent)
        assert (plan["damaged"], plan["waiting"]) == (1, 0)
        assert traces(data, "tumblewick")
        done = await forget(service, speakers=["Bob"])
        assert (done["damaged"], done["messages"], done["unpurged"]) == (1, 3, [])
        assert traces(data, "tumblewick", "wobblegate") == {}
        assert (await forget(service, speakers=["Ann"]))["damaged"] == 0
        refusing.now = False
        if (await service.stats())["dead_letters"]:  # on a busy machine its tries were over before
            await service.letters.retry(LettersRequest())
        await drained(service)
        assert (await service.stats())["dead_letters"] == 0
        assert (await service.document("note:n"))["content"] == "a fandangle"


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["owe_removal", "scan", "replace", "purge"])
async def test_a_forgetting_that_ends_half_way_is_whole_or_nothing_at_the_next_start(
    tmp_path: Path, refusing: Refusing, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Before the store's transaction nothing is forgotten; after it the next owner does the rest, dead letters included."""
    data = tmp_path / "d"
    settings = words_only(data, facts={"extractor": "off"}, ingest={"drain_s": 0.1})
    async with open_app(settings, serve=False) as service:
        await ingest(service, WHOLE)
        refusing.now = True
        await queued(service, day(("Bob", "my tumblewick"), ("Ann", "what"), name="two"))
        plan = await service.forgetting.forget(parse(ForgetRequest, {"speakers": ["Bob"]}, UTC), _silent)

        async def cut(*_: object, **__: object) -> None:
            raise StoreError("the machine stops here")

        with monkeypatch.context() as patch:
            patch.setattr(Journal, moment, cut)
            if moment == "purge":
                done = await service.forgetting.forget(
                    parse(ForgetRequest, {"speakers": ["Bob"], "dry_run": False, "plan": plan["plan"]}, UTC), _silent
                )
                assert done["unpurged"] == [JOURNAL]
            else:
                with pytest.raises(StoreError, match="stops here"):
                    await service.forgetting.forget(
                        parse(ForgetRequest, {"speakers": ["Bob"], "dry_run": False, "plan": plan["plan"]}, UTC),
                        _silent,
                    )
    async with open_app(settings, serve=False) as service:
        await _until_purged(data)
        found = traces(data, "wobblegate", "tumblewick")
        assert set(found) == ({"wobblegate", "tumblewick"} if moment in {"owe_removal", "scan"} else set())
        refusing.now = False
        await drained(service)
        assert set(traces(data, "wobblegate", "tumblewick")) == set(found)
        assert set(traces(data, "quibblefrost")) == {"quibblefrost"}


@pytest.mark.slow
async def test_a_forgetting_that_ends_half_way_is_completed_by_the_next_one(
    tmp_path: Path, refusing: Refusing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it left in the journal is gone, and the journal purged of it, when the next forgetting returns."""
    monkeypatch.setattr(file_erasure, "RETRY_SECONDS", 3600)
    data = tmp_path / "d"
    settings = words_only(data, facts={"extractor": "off"}, ingest={"drain_s": 0.1})
    async with open_app(settings, serve=False) as service:
        await ingest(service, talk("a", 3))
        refusing.now = True
        await queued(service, day(("Bob", "my tumblewick"), ("Carol", "what"), name="two"))
        plan = await service.forgetting.forget(parse(ForgetRequest, {"speakers": ["Carol"]}, UTC), _silent)

        async def cut(*_: object) -> None:
            raise StoreError("the machine stops here")

        with monkeypatch.context() as patch:
            patch.setattr(Journal, "replace", cut)
            with pytest.raises(StoreError, match="stops here"):
                await service.forgetting.forget(
                    parse(ForgetRequest, {"speakers": ["Carol"], "dry_run": False, "plan": plan["plan"]}, UTC), _silent
                )
        assert traces(data, "Carol")
        assert not (await forget(service, documents=["talk:a"]))["unpurged"]
        assert traces(data, "Carol") == {}


@pytest.mark.slow
@pytest.mark.parametrize("dead", [True, False], ids=["given-up", "queued"])
async def test_a_forgetting_that_ends_half_way_beside_a_purge_is_completed(
    tmp_path: Path, refusing: Refusing, monkeypatch: pytest.MonkeyPatch, dead: bool
) -> None:
    """A purge that began before the forgetting does not take its note away."""
    data = tmp_path / "d"
    settings = words_only(data, facts={"extractor": "off"}, ingest={"drain_s": 0.1})
    async with open_app(settings, serve=False) as service:
        await ingest(service, WHOLE)
        refusing.now = True
        await queued(service, day(("Bob", "my tumblewick"), ("Ann", "what"), name="two"))
        if dead:
            with closing(sqlite3.connect(data / JOURNAL)) as journal, journal:
                journal.execute("UPDATE entries SET state = 'dead'")
        plan = await service.forgetting.forget(parse(ForgetRequest, {"speakers": ["Bob"]}, UTC), _silent)
        note = Journal.owe_removal

        async def purged_then(journal: Journal) -> None:
            await note(journal)
            assert await journal.purge()

        async def cut(*_: object) -> None:
            raise StoreError("the machine stops here")

        with monkeypatch.context() as patch:
            patch.setattr(Journal, "owe_removal", purged_then)
            patch.setattr(Journal, "replace", cut)
            with pytest.raises(StoreError, match="stops here"):
                await service.forgetting.forget(
                    parse(ForgetRequest, {"speakers": ["Bob"], "dry_run": False, "plan": plan["plan"]}, UTC), _silent
                )
    async with open_app(settings, serve=False):
        await _until_purged(data)
        assert traces(data, "wobblegate", "tumblewick") == {}
        assert set(traces(data, "quibblefrost")) == {"quibblefrost"}


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.perform.__name__)
async def test_a_forgetting_that_is_cut_off_behind_a_step_is_completed(
    tmp_path: Path, refusing: Refusing, monkeypatch: pytest.MonkeyPatch, step: Step
) -> None:
    """By the next owner from the step on that removes what is stored; before it the same can be asked for again."""
    data = tmp_path / "d"
    settings = words_only(data, facts={"extractor": "off"}, ingest={"drain_s": 0.1})

    async def cut(_: ForgetRun) -> None:
        raise StoreError("the machine stops here")

    async with open_app(settings, serve=False) as service:
        await ingest(service, WHOLE)
        refusing.now = True
        await queued(service, day(("Bob", "my tumblewick"), ("Ann", "what"), name="two"))
        with monkeypatch.context() as patch:
            patch.setattr(saga, "STEPS", (*STEPS[: STEPS.index(step) + 1], Step(cut, "", "")))
            with pytest.raises(StoreError, match="stops here"):
                await forget(service, speakers=["Bob"])
    refusing.now = False
    async with open_app(settings, serve=False) as service:
        await drained(service)
        if STEPS.index(step) < [each.perform for each in STEPS].index(ForgetRun.remove_stored):
            await forget(service, speakers=["Bob"])
        await _until_purged(data)
        assert traces(data, "wobblegate", "tumblewick") == {}
        assert set(traces(data, "quibblefrost")) == {"quibblefrost"}


@pytest.mark.slow
async def test_a_reader_that_holds_a_file_delays_its_purge_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forgetting says so; as soon as the reader ends, or at the next start, the file is purged."""
    monkeypatch.setattr(sqlite_wal, "WAIT_SECONDS", 0.1)
    monkeypatch.setattr(file_erasure, "RETRY_SECONDS", 0.05)
    data = tmp_path / "d"
    with closing(_made(data)) as reader:
        async with open_app(words_only(data), serve=False) as service:
            await ingest(service, talk("a", 3, words="wobblegate"), talk("b", 3))
            _hold(reader)
            assert (await forget(service, documents=["talk:a"]))["unpurged"] == [JOURNAL]
            assert traces(data, "wobblegate")
            reader.execute("ROLLBACK")
            await _until_purged(data)
            await ingest(service, talk("c", 3, words="snorkelbane"))
            _hold(reader)
            assert (await forget(service, documents=["talk:c"]))["unpurged"] == [JOURNAL]
        assert traces(data, "snorkelbane")
        reader.execute("ROLLBACK")
    async with open_app(words_only(data), serve=False):
        await _until_purged(data)
        assert traces(data, "wobblegate", "snorkelbane") == {}


def _made(data: Path) -> sqlite3.Connection:
    data.mkdir(mode=0o700)
    return sqlite3.connect(data / JOURNAL, isolation_level=None)


def _hold(reader: sqlite3.Connection) -> None:
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entries").fetchone()


async def _until_purged(data: Path) -> None:
    with anyio.fail_after(60), closing(sqlite3.connect(data / JOURNAL)) as look:
        while sqlite_wal.purge_owed(look):
            await anyio.sleep(0.02)
