"""Forgetting by what a person names: the plan, what later exports may not bring back, and the files themselves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.memory.embedded import EmbeddedBackend
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.evolving import EvolvingMemory
from memd.memory.forgetting import Kept, Selection, plan_forgetting, without
from memd.memory.merge import Stored, plan_conversation
from memd.memory.rows import StoredDocument
from memd.schemas import ConversationDocument, Query, TextDocument

START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
TALK = (("Ann", "where is the zeppelin"), ("Bob", "in the quarry"), ("Ann", "thanks"), ("Cem", "thanks"))


def talk(*lines: tuple[str, str], name: str = "one", days: int = 0) -> ConversationDocument:
    """A day of a chat of Ann's, one message a minute."""
    return ConversationDocument.model_validate(
        {
            "id": f"chat:{name}:{days}",
            "conversation": {
                "source": "chat",
                "people": tuple(dict.fromkeys(["Ann", *(speaker for speaker, _ in lines)])),
                "user": "Ann",
                "conversation": tuple(
                    {"speaker": speaker, "content": text, "time": START + timedelta(days=days, minutes=minute)}
                    for minute, (speaker, text) in enumerate(lines)
                ),
            },
            "metadata": {"chat": name, "title": name.title()},
        }
    )


def stored(document: ConversationDocument, forgotten: frozenset[object] = frozenset()) -> Stored | None:
    """What storing it into an empty store leaves."""
    plan = plan_conversation(None, document, b"", forgotten)  # type: ignore[arg-type]
    return None if plan is None else Stored(plan.document, plan.added)


def kept(document: ConversationDocument, **aliases: str) -> Kept:
    """The same as the plan looks at it."""
    found = stored(document)
    assert found is not None
    return Kept(found.document, found.messages, [document.metadata["title"]], list(aliases.items()))


def test_nothing_named_selects_nothing() -> None:
    """An empty selection is no request to forget everything."""
    assert plan_forgetting(Selection(), [kept(talk(*TALK))]).messages == 0
    assert without(talk(*TALK), Selection()) == talk(*TALK)


def test_a_speaker_goes_with_their_words_and_their_name() -> None:
    """The document stays with the others; the user stays in its people."""
    plan = plan_forgetting(Selection(speakers=("CEM",)), [kept(talk(*TALK))])
    assert [(each.messages, each.whole) for each in plan.affected] == [(1, False)]
    assert plan.removal.changes.documents[0].people == ("Ann", "Bob")
    plan = plan_forgetting(Selection(speakers=("ann",)), [kept(talk(*TALK))])
    assert plan.messages == 2
    assert plan.removal.changes.documents[0].people == ("Ann", "Bob", "Cem")
    assert plan.removal.changes.documents[0].timestamp == START + timedelta(minutes=1)
    assert sorted(plan.removal.changes.moved.values()) == [0, 1]


def test_an_older_name_selects_the_person() -> None:
    """Names that the chat knows as one person's select together."""
    plan = plan_forgetting(Selection(speakers=("Bobby",)), [kept(talk(*TALK), Bobby="Bob")])
    assert plan.messages == 1


def test_filters_of_several_kinds_must_all_hold() -> None:
    """A chat, a speaker and a time."""
    documents = [kept(talk(*TALK)), kept(talk(*TALK, name="two")), kept(talk(*TALK, days=3))]
    assert plan_forgetting(Selection(chats=("one",)), documents).messages == 8
    assert plan_forgetting(Selection(chats=("ONE",), speakers=("Bob",)), documents).messages == 2
    later = START + timedelta(days=1)
    assert plan_forgetting(Selection(chats=("one",), since=later), documents).messages == 4
    assert plan_forgetting(Selection(until=START + timedelta(minutes=2)), documents).messages == 4
    assert plan_forgetting(Selection(sources=("mail",)), documents).messages == 0
    assert plan_forgetting(Selection(documents=("chat:two:0",)), documents).affected[0].whole


def test_texts_have_no_speaker_and_perhaps_no_time() -> None:
    """A text is selected by id, source and its time, when it has one."""
    text = TextDocument(id="n", content="a note", metadata={"source": "notes"})
    row = StoredDocument(kept(talk(*TALK)).row.key, "n", "notes", "", "text", content="a note")
    assert plan_forgetting(Selection(sources=("notes",)), [Kept(row, (), ())]).affected[0].whole
    assert plan_forgetting(Selection(sources=("notes",), since=START), [Kept(row, (), ())]).messages == 0
    assert plan_forgetting(Selection(sources=("notes",), speakers=("Ann",)), [Kept(row, (), ())]).messages == 0
    assert without(text, Selection(sources=("notes",))) is None
    assert without(text, Selection(since=START)) is text


@settings(max_examples=150, deadline=None)
@given(
    speakers=st.lists(st.sampled_from(["Ann", "Bob", "Cem"]), min_size=1, max_size=12),
    words=st.lists(st.sampled_from(["ok", "yes", "see you"]), min_size=12, max_size=12),
    gone=st.sampled_from(["Ann", "Bob", "Cem"]),
    begin=st.integers(0, 11),
)
def test_what_was_forgotten_does_not_come_back(speakers: list[str], words: list[str], gone: str, begin: int) -> None:
    """Whichever part of the chat a later export holds, only what was not forgotten is stored after it."""
    document = talk(*zip(speakers, words, strict=False))
    plan = plan_forgetting(Selection(speakers=(gone,)), [kept(document)])
    tombstones = frozenset(key for keys in plan.removal.tombstones.values() for key in keys)
    first = stored(document)
    assert first is not None
    left = [row for row in first.messages if row.key not in set(plan.removal.messages) and plan.removal.messages]
    later = talk(*list(zip(speakers, words, strict=False))[min(begin, len(speakers) - 1) :])
    shift = timedelta(minutes=min(begin, len(speakers) - 1))
    body = later.model_dump()
    for message in body["conversation"]["conversation"]:
        message["time"] += shift
    later = ConversationDocument.model_validate(body)
    row = plan.removal.changes.documents[0] if plan.removal.changes.documents else first.document
    old = Stored(row, left) if left else (None if plan.affected else first)
    again = plan_conversation(old, later, b"2", tombstones)
    if again is None:
        assert set(speakers) == {gone}
    else:
        assert not tombstones & {message.key for message in again.added}
        assert gone not in {message.message.speaker for message in again.added}
        assert gone == "Ann" or gone not in again.document.people or not plan.affected


@settings(max_examples=100, deadline=None)
@given(
    speakers=st.lists(st.sampled_from(["Ann", "Bob", "Cem"]), min_size=1, max_size=6),
    gone=st.sampled_from(["Ann", "Bob"]),
)
def test_a_document_on_its_way_loses_what_a_stored_one_would(speakers: list[str], gone: str) -> None:
    """Both readings of one selection agree."""
    document = talk(*((speaker, "words") for speaker in speakers))
    plan = plan_forgetting(Selection(speakers=(gone,)), [kept(document)])
    left = without(document, Selection(speakers=(gone,)))
    assert (left is None) == (bool(plan.affected) and plan.affected[0].whole)
    if left is not None:
        conversation = left.as_conversation()
        assert conversation is not None
        assert len(conversation.messages) == len(speakers) - plan.messages


@pytest.mark.anyio
async def test_no_file_holds_what_was_forgotten(tmp_path: Path) -> None:
    """Not the database, its log, the indexes; not before a restart and not after; and an import does not undo it."""
    bundled = BundledEmbedder()
    others = [talk(("Ann", f"the {word} is near"), ("Bob", f"what {word}?"), name=word) for word in ("pond", "mill")]
    document = talk(*TALK)
    async with EmbeddedBackend.open(tmp_path / "store") as backend:
        memory = EvolvingMemory(backend, bundled, bundled)
        await memory.start()
        await memory.store([document, *others])
        assert (await memory.query("zeppelin")).hits
        await memory.forget(await memory.plan_forget(Selection(chats=("one",))))
        answer = await memory.query(Query(text="zeppelin quarry", limit=50))
        assert all(hit.document_id != document.id for hit in answer.hits)
        await memory.purge()
        assert _holding(tmp_path, "zeppelin", "quarry", "Cem") == []
        report = await memory.store([document, *others])
        assert (report.added, report.unchanged, report.forgotten) == (0, 4, 4)
        assert _holding(tmp_path, "zeppelin", "quarry", "Cem") == []
    assert _holding(tmp_path, "zeppelin", "quarry", "Cem") == []
    async with EmbeddedBackend.open(tmp_path / "store") as backend:
        assert all(each.severity != "error" for each in await backend.check())
        assert (await backend.stats()).messages == 4
    assert _holding(tmp_path, "zeppelin", "quarry", "Cem") == []


@pytest.mark.anyio
async def test_a_forgetting_that_was_cut_short_is_ended_at_the_next_start(tmp_path: Path) -> None:
    """The removal is whole; the files follow by themselves."""
    bundled = BundledEmbedder()
    async with EmbeddedBackend.open(tmp_path / "store") as backend:
        memory = EvolvingMemory(backend, None, bundled)
        await memory.start()
        await memory.store([talk(*TALK), talk(("Ann", "still here"), name="two")])
        await memory.forget(await memory.plan_forget(Selection(chats=("one",))))
    async with EmbeddedBackend.open(tmp_path / "store") as backend:
        await backend.purge()
        assert _holding(tmp_path, "zeppelin", "quarry") == []
        assert all(each.severity != "error" for each in await backend.check())


def _holding(directory: Path, *words: str) -> list[tuple[str, str]]:
    return [
        (path.name, word)
        for path in directory.rglob("*")
        if path.is_file()
        for word in words
        if word.encode() in path.read_bytes() or word.lower().encode() in path.read_bytes()
    ]
