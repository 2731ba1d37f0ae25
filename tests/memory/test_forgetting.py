"""Forgetting by what a person names: the plan, what later exports may not bring back, and the files themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.forgetting.queued import QueuedDocument, plan_forget_queued
from memd.memory.forgetting.selection import Candidate, ForgetSelection, plan_forgetting
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.plan import Stored, key_of, plan_conversation, text_tombstone_of
from memd.memory.records import StoredDocument
from memd.memory.store import documents_read
from memd.memory.text.names import spellings
from memd.schemas import SYSTEM_SPEAKER, UNTERMINATED, ConversationDocument, Query, TextDocument
from memd.tests.effort import examples
from memd.tests.torture.forgetting import DayStore, difference, plain
from memd.tests.torture.stories import story

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


def kept(document: ConversationDocument, **aliases: str) -> Candidate:
    """The same as the plan looks at it."""
    found = stored(document)
    assert found is not None
    return Candidate(found.document, found.messages, [document.metadata["title"]], list(aliases.items()))


def test_nothing_named_selects_nothing() -> None:
    """An empty selection is no request to forget everything."""
    assert plan_forgetting(ForgetSelection(), [kept(talk(*TALK))]).messages == 0
    document = talk(*TALK)
    assert plan_forget_queued(ForgetSelection(), QueuedDocument([document])).left == [document]


def test_a_speaker_goes_with_their_words_and_their_name() -> None:
    """The document stays with the others; the user stays in its people."""
    plan = plan_forgetting(ForgetSelection(speakers=("CEM",)), [kept(talk(*TALK))])
    assert [(each.messages, each.whole) for each in plan.affected] == [(1, False)]
    assert plan.removal.changes.documents[0].people == ("Ann", "Bob")
    plan = plan_forgetting(ForgetSelection(speakers=("ann",)), [kept(talk(*TALK))])
    assert plan.messages == 2
    assert plan.removal.changes.documents[0].people == ("Ann", "Bob", "Cem")
    assert plan.removal.changes.documents[0].timestamp == START + timedelta(minutes=1)
    assert sorted(plan.removal.changes.moved.values()) == [0, 1]


def test_an_older_name_selects_the_person() -> None:
    """Names that the chat knows as one person's select together."""
    plan = plan_forgetting(ForgetSelection(speakers=("Bobby",)), [kept(talk(*TALK), Bobby="Bob")])
    assert plan.messages == 1


@pytest.mark.parametrize("name", ["\u039c\u03b1\u0390\u03b1 \u03a1\u03cc\u03b4\u03b7", "\u03b0\u03cc"])
def test_a_name_is_found_as_former_versions_folded_it(name: str) -> None:
    """They did not compose again what folding takes apart, as some Greek letters; the other accents stayed composed."""
    assert name.casefold() in spellings([name])


def test_filters_of_several_kinds_must_all_hold() -> None:
    """A chat, a speaker and a time."""
    documents = [kept(talk(*TALK)), kept(talk(*TALK, name="two")), kept(talk(*TALK, days=3))]
    assert plan_forgetting(ForgetSelection(chats=("one",)), documents).messages == 8
    assert plan_forgetting(ForgetSelection(chats=("ONE",), speakers=("Bob",)), documents).messages == 2
    later = START + timedelta(days=1)
    assert plan_forgetting(ForgetSelection(chats=("one",), since=later), documents).messages == 4
    assert plan_forgetting(ForgetSelection(until=START + timedelta(minutes=2)), documents).messages == 4
    assert plan_forgetting(ForgetSelection(sources=("mail",)), documents).messages == 0
    assert plan_forgetting(ForgetSelection(documents=("chat:two:0",)), documents).affected[0].whole


def test_a_document_is_named_by_its_key_in_any_spelling() -> None:
    """Whatever leads `memd show` to it, stored or on its way."""
    document = talk(*TALK)
    for spelling in (str.upper, "{{{}}}".format, "urn:uuid:{}".format):
        selection = ForgetSelection(documents=("another", spelling(str(key_of(document)))))
        assert plan_forgetting(selection, [kept(document)]).affected[0].whole
        assert plan_forget_queued(selection, QueuedDocument([document])).left == [None]
    assert plan_forgetting(ForgetSelection(documents=(document.id.upper(),)), [kept(document)]).messages == 0


def test_texts_have_no_speaker_and_perhaps_no_time() -> None:
    """A text is selected by id, source and its time, when it has one."""
    text = TextDocument(id="n", content="a note", metadata={"source": "notes"})
    row = StoredDocument(kept(talk(*TALK)).row.key, "n", "notes", "", "text", content="a note")
    assert plan_forgetting(ForgetSelection(sources=("notes",)), [Candidate(row, (), ())]).affected[0].whole
    assert plan_forgetting(ForgetSelection(sources=("notes",), since=START), [Candidate(row, (), ())]).messages == 0
    assert (
        plan_forgetting(ForgetSelection(sources=("notes",), speakers=("Ann",)), [Candidate(row, (), ())]).messages == 0
    )
    plan = plan_forget_queued(ForgetSelection(sources=("notes",)), QueuedDocument([text]))
    assert (plan.left, plan.tombstones) == ([None], {key_of(text), text_tombstone_of(text)})
    assert plan_forget_queued(ForgetSelection(since=START), QueuedDocument([text])).left == [text]
    assert plan_forget_queued(ForgetSelection(documents=(str(key_of(text)),)), QueuedDocument([text])).left == [None]


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(
    speakers=st.lists(st.sampled_from(["Ann", "Bob", "Cem"]), min_size=1, max_size=12),
    words=st.lists(st.sampled_from(["ok", "yes", "see you"]), min_size=12, max_size=12),
    gone=st.sampled_from(["Ann", "Bob", "Cem"]),
    begin=st.integers(0, 11),
)
def test_what_was_forgotten_does_not_come_back(speakers: list[str], words: list[str], gone: str, begin: int) -> None:
    """Whichever part of the chat a later export holds, only what was not forgotten is stored after it."""
    document = talk(*zip(speakers, words, strict=False))
    plan = plan_forgetting(ForgetSelection(speakers=(gone,)), [kept(document)])
    tombstones = frozenset(key for keys in plan.removal.tombstones.values() for key in keys)
    first = stored(document)
    assert first is not None
    left = [row for row in first.messages if row.key not in set(plan.removal.messages) and plan.removal.messages]
    later = talk(*list(zip(speakers, words, strict=False))[min(begin, len(speakers) - 1) :])
    shift = timedelta(minutes=min(begin, len(speakers) - 1))
    body = later.model_dump()
    for wire, message in zip(body["conversation"]["conversation"], later.messages, strict=True):
        wire["time"] = message.time + shift
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


def test_a_document_on_its_way_is_named_by_its_key_its_chat_and_older_names() -> None:
    """As a stored one is: by key or id, by any title of its chat, and by the names that the chat or the queue knows."""
    document = talk(*TALK)
    key = kept(document).row.key
    for selection in (ForgetSelection(documents=(str(key),)), ForgetSelection(chats=("Renamed",))):
        assert plan_forget_queued(selection, QueuedDocument([document], titles=["renamed"])).left == [None]
    older = QueuedDocument([document], aliases=[("Bobby", "Bob")])
    (left,) = plan_forget_queued(ForgetSelection(speakers=("bobby",)), older).left
    assert left is not None
    assert "Bob" not in left.content
    renamed = talk(("Ann", TALK[0][1]), ("Robert", TALK[1][1]), *TALK[2:])
    both = plan_forget_queued(ForgetSelection(speakers=("Robert",)), QueuedDocument([document, renamed]))
    assert [len(left.messages) for each in both.left if each and (left := each.as_conversation())] == [3, 3]
    assert (
        both.tombstones
        == plan_forget_queued(ForgetSelection(speakers=("Bob",)), QueuedDocument([document, renamed])).tombstones
    )


@pytest.mark.parametrize("flag", ["edited", "deleted"])
@pytest.mark.parametrize("waits", [False, True], ids=["stored", "waits"])
def test_a_later_wording_of_what_was_forgotten_stays_out_where_the_export_flags_it(flag: str, waits: bool) -> None:
    """By minute and speaker, under any name that is known; others' later wordings in that minute come in."""
    before = _within_minutes([("Ann", "where", 0), ("Bob", "in the quarry", 0)])
    selection, aliases = ForgetSelection(speakers=("Bob",)), [("Bob", "Robert")]
    if waits:
        tombstones = plan_forget_queued(selection, QueuedDocument([before], aliases=aliases)).tombstones
    else:
        plan = plan_forgetting(selection, [kept(before, Bob="Robert")])
        tombstones = frozenset(key for keys in plan.removal.tombstones.values() for key in keys)
    lines = [("Ann", "where is it", 0), ("Robert", "in the mill", 0), ("BOB", "at the pond", 0), ("Bob", "tomorrow", 1)]
    body = _within_minutes(lines).model_dump()
    for message in body["conversation"]["conversation"]:
        message[flag] = True
    state = _run_through(None, [ConversationDocument.model_validate(body)], tombstones)
    assert _said(state) == [("Ann", "where is it"), ("Bob", "tomorrow")]


POOR = ("<Media omitted>\nin the quarry", {"kind": "text"})
"""A file in an export without files."""
RICH = ("IMG-1.jpg (file attached)\nin the quarry", {"kind": "media", "attachments": [{"name": "IMG-1.jpg"}]})
"""The same in an export with files."""
BARE = ("IMG-2.jpg (file attached)", {"kind": "media", "attachments": [{"name": "IMG-2.jpg"}]})


@pytest.mark.parametrize("waits", [False, True], ids=["stored", "waits"])
@pytest.mark.parametrize(
    ("first", "later"), [(POOR, RICH), (RICH, POOR)], ids=["with-files-later", "without-files-later"]
)
def test_a_file_with_a_caption_that_was_forgotten_stays_out_of_an_export_of_the_other_form(
    first: tuple[str, dict[str, Any]], later: tuple[str, dict[str, Any]], waits: bool
) -> None:
    """An export without files may tell of it as of words; its caption, its minute and its speaker name it all the same."""
    before, after = _with_files(first), _with_files(later)
    selection = ForgetSelection(speakers=("Bob",))
    if waits:
        tombstones = plan_forget_queued(selection, QueuedDocument([before])).tombstones
        left = None
    else:
        plan = plan_forgetting(selection, [kept(before)])
        tombstones = frozenset(key for keys in plan.removal.tombstones.values() for key in keys)
        found = stored(before)
        assert found is not None
        rest = [row for row in found.messages if row.key not in set(plan.removal.messages)]
        left = Stored(plan.removal.changes.documents[0], rest)
    for state in (left, None):
        assert [speaker for speaker, _ in _said(_run_through(state, [after], tombstones))] == ["Ann", "Ann"]


@pytest.mark.parametrize("waits", [False, True], ids=["stored", "waits"])
@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("@Cem the quarry", "@\u2068Cem\u2069 the quarry"),
        ("\u200ethe cafe\u0301", "the caf\u00e9"),
        ("\u200ethe quarry", "the\u200b quarry"),
    ],
)
def test_what_was_forgotten_stays_out_in_another_spelling(first: str, later: str, waits: bool) -> None:
    """Invisible characters and composed letters make no other message; nor do they take one of somebody else's."""
    for old, new in ((first, later), (later, first)):
        before = _within_minutes([("Bob", old, 0), ("Ann", "thanks", 0)])
        after = _within_minutes([("Bob", new, 0), ("Ann", new, 0), ("Ann", "thanks", 0)])
        if waits:
            tombstones = plan_forget_queued(ForgetSelection(speakers=("Bob",)), QueuedDocument([before])).tombstones
        else:
            plan = plan_forgetting(ForgetSelection(speakers=("Bob",)), [kept(before)])
            tombstones = frozenset(key for keys in plan.removal.tombstones.values() for key in keys)
        assert _said(_run_through(None, [after], tombstones)) == sorted([("Ann", new), ("Ann", "thanks")])


def test_an_edit_of_forgotten_words_stays_out_under_a_newer_name_beside_what_was_kept() -> None:
    """Of one minute only the beginning was forgotten; the rest tells who was renamed."""
    before = talk(("Ann", "where is it"), ("Bob", "in the quarry"), ("Bob", "behind the old mill"), ("Ann", "thanks"))
    body = before.model_dump()
    messages = body["conversation"]["conversation"]
    messages[2]["time"] = before.messages[1].time + timedelta(seconds=20)
    before = ConversationDocument.model_validate(body)
    moment = before.messages[1].time
    plan = plan_forgetting(
        ForgetSelection(speakers=("Bob",), since=moment, until=moment + timedelta(seconds=10)), [kept(before)]
    )
    (gone,) = plan.removal.tombstones.values()
    state = stored(before)
    assert state is not None
    state = replace(state, messages=[row for row in state.messages if row.key not in plan.removal.messages])
    assert len(state.messages) == 3
    for message in messages:
        message["speaker"] = message["speaker"].replace("Bob", "Robert")
    body["conversation"]["people"] = ("Ann", "Robert")
    messages[1].update(content="in the old quarry", edited=True)
    later = ConversationDocument.model_validate(body)
    again = plan_conversation(state, later, b"2", frozenset(gone))
    assert again is not None
    assert [rename.new for rename in again.renames] == ["Robert"]
    assert (again.forgotten, again.added) == (1, ())


@pytest.mark.parametrize("known", [False, True])
def test_what_was_forgotten_stays_out_with_an_id_that_came_later(known: bool) -> None:
    """Whether the store knew of the id or not; an edit of it stays out, too, and what others said comes in."""
    plain = _within_minutes([("Bob", "in the quarry", 0), ("Ann", "thanks", 0), ("Cem", "thanks", 0)])
    body = plain.model_dump()
    for number, message in enumerate(body["conversation"]["conversation"]):
        message["id"] = str(number)
    named = ConversationDocument.model_validate(body)
    body["conversation"]["conversation"][0].update(content="in the old quarry", edited=True)
    edited = ConversationDocument.model_validate(body)
    before = _run_through(None, [plain, named] if known else [plain], frozenset())
    assert before is not None
    plan = plan_forgetting(ForgetSelection(speakers=("Bob",)), [Candidate(before.document, before.messages, ["One"])])
    tombstones = frozenset(key for keys in plan.removal.tombstones.values() for key in keys)
    for later in (named, edited, plain):
        assert _said(_run_through(None, [later], tombstones)) == [("Ann", "thanks"), ("Cem", "thanks")]


@pytest.mark.parametrize(
    ("speaker", "kind", "content"), [(SYSTEM_SPEAKER, "system", "Bob"), ("Bob", "system", "[empty]")]
)
def test_what_was_forgotten_stays_out_where_its_first_reading_was_cut(speaker: str, kind: str, content: str) -> None:
    """The key of a message may be of what a file that was cut showed of it; a whole file brings it under another."""
    whole = _within_minutes([("Ann", "where", 0), ("Bob", "in the quarry", 1)])
    body = whole.model_dump()
    body["conversation"]["conversation"][1].update(
        speaker=speaker, kind=kind, content=content, metadata={UNTERMINATED: "true"}
    )
    body["conversation"]["people"] = ("Ann", speaker)
    state = _run_through(None, [ConversationDocument.model_validate(body), whole], frozenset())
    assert state is not None
    assert _said(state) == [("Ann", "where"), ("Bob", "in the quarry")]
    plan = plan_forgetting(ForgetSelection(speakers=("Bob",)), [Candidate(state.document, state.messages, ["One"])])
    tombstones = frozenset(key for keys in plan.removal.tombstones.values() for key in keys)
    assert _said(_run_through(None, [whole], tombstones)) == [("Ann", "where")]


@pytest.mark.parametrize("waits", [False, True], ids=["stored", "waits"])
@pytest.mark.parametrize("cut", ["in the qua", "in the quarry b\ufffd", "x"])
def test_words_that_were_cut_when_they_were_forgotten_stay_out_as_a_whole(cut: str, waits: bool) -> None:
    """Their beginning, their minute and their speaker name them; what begins otherwise, or is of others, comes in."""
    words = "in the quarry behind the mill" if cut != "x" else "x" * 400
    cut = cut if cut != "x" else "x" * 300
    body = _within_minutes([("Ann", "where", 0), ("Bob", cut, 1)]).model_dump()
    body["conversation"]["conversation"][1]["metadata"] = {UNTERMINATED: "true"}
    before = ConversationDocument.model_validate(body)
    if waits:
        tombstones = plan_forget_queued(ForgetSelection(speakers=("Bob",)), QueuedDocument([before])).tombstones
    else:
        plan = plan_forgetting(ForgetSelection(speakers=("Bob",)), [kept(before)])
        tombstones = frozenset(key for keys in plan.removal.tombstones.values() for key in keys)
    lines = [("Ann", "where", 0), ("Bob", words, 1), ("Ann", words, 1), ("Bob", "out", 1)]
    after = _within_minutes(lines)
    assert _said(_run_through(None, [after], tombstones)) == sorted([("Ann", "where"), ("Ann", words), ("Bob", "out")])


def _with_files(file: tuple[str, dict[str, Any]]) -> ConversationDocument:
    """Bob sends a file with a caption and one without in one minute, and Ann that with the caption later."""
    body = talk(("Ann", "where"), ("Bob", file[0]), ("Bob", BARE[0]), ("Ann", file[0])).model_dump()
    messages = body["conversation"]["conversation"]
    for message, fields in zip(messages[1:], (file[1], BARE[1], file[1]), strict=True):
        message.update(fields)
    messages[2]["time"] = messages[1]["time"]
    return ConversationDocument.model_validate(body)


def _run_through(state: Stored | None, days: list[ConversationDocument], tombstones: frozenset[UUID]) -> Stored | None:
    """What is stored after these came in."""
    for day in days:
        plan = plan_conversation(state, day, b"", tombstones)
        if plan is not None:
            rows = {row.key: row for row in (() if state is None else state.messages)}
            for key, position in plan.moved.items():
                rows[key] = replace(rows[key], position=position)
            rows |= {row.key: row for row in (*plan.updated, *plan.added)}
            state = Stored(plan.document, sorted(rows.values(), key=lambda row: row.position))
    return state


def _said(state: Stored | None) -> list[tuple[str, str]]:
    return sorted((row.message.speaker, row.message.content) for row in (() if state is None else state.messages))


@settings(max_examples=examples(40), deadline=None, derandomize=True)
@given(
    lines=st.lists(
        st.tuples(st.sampled_from(["Ann", "Bob", "Cem"]), st.sampled_from(["ok", "yes"]), st.integers(0, 1)),
        min_size=1,
        max_size=7,
    ),
    ends=st.lists(st.integers(1, 7), max_size=2),
    stored_until=st.integers(0, 7),
    gone=st.sampled_from(["Ann", "Bob"]),
)
def test_what_waits_loses_what_a_stored_message_would_and_nothing_else(
    lines: list[tuple[str, str, int]], ends: list[int], stored_until: int, gone: str
) -> None:
    """Equal messages in one minute are told apart by numbers: what stays keeps its own, what goes does not come back."""
    lines = sorted(lines, key=lambda line: line[2])
    days = [_within_minutes(lines[:end]) for end in sorted(ends)]
    before = _run_through(None, [_within_minutes(lines[:stored_until])] if lines[:stored_until] else [], frozenset())
    everything = _run_through(before, days, frozenset())
    selection = ForgetSelection(speakers=(gone,))
    titles = ["One"]
    plan = plan_forgetting(selection, [] if before is None else [Candidate(before.document, before.messages, titles)])
    tombstones = frozenset(key for keys in plan.removal.tombstones.values() for key in keys)
    after = before
    if before is not None and plan.affected:
        removed = set(plan.removal.messages)
        left = [row for row in before.messages if row.key not in removed] if removed else []
        after = Stored(plan.removal.changes.documents[0], left) if left else None
    if days:
        waiting = plan_forget_queued(selection, QueuedDocument(days, before, titles, gone=tombstones))
        tombstones |= waiting.tombstones
        rest = [day for each in waiting.left if each is not None and (day := each.as_conversation()) is not None]
        after = _run_through(after, rest, tombstones)
    wanted = [each for each in _said(everything) if each[0] != gone]
    assert _said(after) == wanted
    longest = lines[: max(stored_until, *ends)] if ends else lines[:stored_until]
    if longest:
        assert _said(_run_through(after, [_within_minutes(longest)], tombstones)) == wanted


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("first", "gone", "later", "left"),
    [
        (
            "Bob yes, Ann yes, Bob ok",
            "Ann",
            "Bob yes, Ann yes, Bob ok, Ann yes, Bob yes",
            "Bob yes, Bob ok, Ann yes, Bob yes",
        ),
        ("Bob yes, Ann yes, Bob ok", "Bob", "Bob yes, Ann yes, Bob ok, Ann ok", "Ann yes, Ann ok"),
        ("Ann ok, Bob ok, Ann ok", "Bob", "Ann ok, Bob ok, Ann ok", "Ann ok, Ann ok"),
        ("Ann ok, Bob ok, Ann ok", "Ann", "Ann ok, Bob ok, Ann ok", "Bob ok"),
        ("Ann ok, Bob ok, Ann ok", "Ann", "Bob ok, Ann ok", "Bob ok"),
        ("Ann ok, Bob ok", "Ann", "Bob ok, Bob ok", "Bob ok, Bob ok"),
        ("Ann ok", "Ann", "Bob ok, Ann ok, Bob ok", "Bob ok, Bob ok"),
    ],
)
async def test_equal_words_of_several_people_in_one_minute_are_told_apart(
    tmp_path: Path, first: str, gone: str, later: str, left: str
) -> None:
    """Nothing that was forgotten comes back, and nothing of the others is lost or doubled, however often it is read."""
    exports = [
        _within_minutes([(line.split(" ")[0], line.split(" ")[1], 0) for line in each.split(", ")])
        for each in (first, later)
    ]
    async with open_store(tmp_path / "store") as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.store([exports[0]])
        await memory.forget(await memory.forget_planner.plan(ForgetSelection(speakers=(gone,))))
        same = await memory.store([_marked(exports[0], "again")])
        assert same.added == 0
        await memory.store([exports[1]])
        again = await memory.store([_marked(exports[1], "again")])
        assert (again.added, again.updated) == (0, 0)
        key = key_of(exports[0])
        messages = (await store.database.read(documents_read.messages, [key])).get(key, [])
        said = ", ".join(f"{row.message.speaker} {row.message.content}" for row in messages)
    assert said == left


@pytest.mark.slow
def test_made_up_chats_keep_what_was_not_forgotten_between_exports_once_and_in_order() -> None:
    """One speaker, one span of time, or both are forgotten between exports; the same export again changes nothing."""
    for number in range(300):
        told = plain(story(1, number))
        assert difference(told, f"1 {number}") == "", told.text()


def test_of_two_equals_within_one_second_the_same_one_stays_out_each_time() -> None:
    """Forgotten before any export had seconds: an export that has them brings it back neither at once nor when repeated."""
    day = DayStore()
    lines = [("Ann", "ok"), ("Bob", "yes"), ("Ann", "ok")]
    minutes, seconds = (
        _within_a_minute(some, precision) for some, precision in ((lines[:1], "minute"), (lines, "second"))
    )
    day.read(minutes)
    day.forget(ForgetSelection(speakers=("Ann",)))
    for changes in (2, 0):
        assert day.read(seconds) == changes
        assert day.stored is not None
        assert [row.message.content for row in day.stored.messages] == ["yes", "ok"]


def _within_a_minute(lines: Sequence[tuple[str, str]], precision: str) -> ConversationDocument:
    """All said in the last second of one minute, which only some exports tell."""
    document = talk(*lines)
    time = START.replace(second=59 if precision == "second" else 0)
    said = [structs.replace(each, time=time, time_precision=precision) for each in document.messages]
    told = document.conversation.model_copy(update={"conversation": tuple(said)})
    return document.model_copy(update={"conversation": told})


def _marked(document: ConversationDocument, note: str) -> ConversationDocument:
    """The same messages in a document that is not known by its bytes."""
    return document.model_copy(update={"metadata": {**document.metadata, "note": note}})


def _within_minutes(lines: list[tuple[str, str, int]]) -> ConversationDocument:
    body = talk(*((speaker, text) for speaker, text, _ in lines)).model_dump()
    for message, (_, _, minute) in zip(body["conversation"]["conversation"], lines, strict=True):
        message["time"] = START + timedelta(minutes=minute)
    return ConversationDocument.model_validate(body)


@pytest.mark.anyio
@pytest.mark.slow
async def test_no_file_holds_what_was_forgotten(tmp_path: Path) -> None:
    """Not the database, its log, the indexes; not before a restart and not after; and an import does not undo it."""
    bundled = BundledEmbedder()
    others = [talk(("Ann", f"the {word} is near"), ("Bob", f"what {word}?"), name=word) for word in ("pond", "mill")]
    document = talk(*TALK)
    async with open_store(tmp_path / "store") as store:
        memory = EvolvingMemory(store, bundled, bundled)
        await memory.start()
        await memory.store([document, *others])
        assert (await memory.query("zeppelin")).hits
        await memory.forget(await memory.forget_planner.plan(ForgetSelection(chats=("one",))))
        answer = await memory.query(Query(text="zeppelin quarry", limit=50))
        assert all(hit.document_id != document.id for hit in answer.hits)
        await memory.indexed.purge()
        assert _holding(tmp_path, "zeppelin", "quarry", "Cem") == []
        report = await memory.store([document, *others])
        assert (report.added, report.unchanged, report.forgotten) == (0, 4, 4)
        assert _holding(tmp_path, "zeppelin", "quarry", "Cem") == []
    assert _holding(tmp_path, "zeppelin", "quarry", "Cem") == []
    async with open_store(tmp_path / "store") as store:
        assert all(each.severity != "error" for each in await store.check())
        assert (await store.stats()).messages == 4
    assert _holding(tmp_path, "zeppelin", "quarry", "Cem") == []


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_forgetting_that_was_cut_short_is_ended_at_the_next_start(tmp_path: Path) -> None:
    """The removal is whole; the files follow by themselves."""
    bundled = BundledEmbedder()
    async with open_store(tmp_path / "store") as store:
        memory = EvolvingMemory(store, None, bundled)
        await memory.start()
        await memory.store([talk(*TALK), talk(("Ann", "still here"), name="two")])
        await memory.forget(await memory.forget_planner.plan(ForgetSelection(chats=("one",))))
    async with open_store(tmp_path / "store") as store:
        await store.purge()
        assert _holding(tmp_path, "zeppelin", "quarry") == []
        assert all(each.severity != "error" for each in await store.check())


def _holding(directory: Path, *words: str) -> list[tuple[str, str]]:
    return [
        (path.name, word)
        for path in directory.rglob("*")
        if path.is_file()
        for word in words
        if word.encode() in path.read_bytes() or word.lower().encode() in path.read_bytes()
    ]
