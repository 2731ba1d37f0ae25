"""Redacted and removed quotes stay so when the same or another export is read again, until that is allowed."""

from __future__ import annotations

import sqlite3
import zlib
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.forgetting import quote_search
from memd.memory.forgetting.passages import Passages, RemovedWords
from memd.memory.forgetting.redaction import QuoteChanges
from memd.memory.forgetting.selection import Candidate, ForgetPlan, ForgetSelection, plan_forgetting
from memd.memory.forgetting.words import REDACTED
from memd.memory.indexing.indexed_store import open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.plan import Stored, merged_into, plan_conversation
from memd.schemas import ConversationDocument
from memd.tests.effort import examples
from memd.tests.memory.test_forgetting import START, talk
from memd.tests.memory.test_retirement import contents as exported
from memd.tests.memory.test_retirement import note, retire

WORDS = "the wobblegate opens at seven, bring the snorkelbane"
LINES = (
    ("Ann", "where is it"),
    ("Bob", WORDS),
    ("Cem", f"Bob says {WORDS}, come"),
    ("Ann", "thanks"),
    ("Cem", "fine"),
)


def named(document: ConversationDocument) -> ConversationDocument:
    """The same with an id for each message."""
    messages = [structs.replace(each, id=f"m{number}") for number, each in enumerate(document.messages)]
    return _with(document, messages)


def _with(document: ConversationDocument, messages: Any) -> ConversationDocument:
    body = document.conversation.model_copy(update={"conversation": tuple(messages)})
    return document.model_copy(update={"conversation": body})


def read(state: Stored | None, document: ConversationDocument, forgotten: frozenset[Any]) -> tuple[Stored | None, int]:
    """What is stored after an import, and how many messages it added or changed."""
    plan = plan_conversation(state, document, b"", forgotten)
    if plan is None:
        return state, 0
    return merged_into(state, plan), len(plan.added) + len(plan.updated)


def redacted(
    state: Stored, speaker: str = "Bob", *, remove: bool = False
) -> tuple[Stored | None, frozenset[Any], ForgetPlan]:
    """What is stored when somebody was forgotten there, with what others quote; the tombstones; the plan."""
    candidate = Candidate(state.document, state.messages, ["One"])
    selection = ForgetSelection(people=(speaker,))
    gone = [row for row in state.messages if row.message.speaker == speaker]
    passages = Passages([RemovedWords(state.document, row) for row in gone], [speaker.casefold()], person=True)
    chat = state.document.chat or state.document.key
    parts = {row.key: found for row in state.messages if (found := passages.in_message(row.message, chat))}
    changes = QuoteChanges(removed=frozenset(parts)) if remove else QuoteChanges(redacted=parts)
    plan = plan_forgetting(selection, [candidate], changes)
    removal = plan.removal
    marks = frozenset(key for keys in removal.tombstones.values() for key in keys)
    if removal.documents or not marks:
        return (None if removal.documents else state), marks, plan
    rows = {row.key: row for row in state.messages if row.key not in set(removal.messages)}
    rows = {key: replace(row, position=removal.changes.moved.get(key, row.position)) for key, row in rows.items()}
    rows |= {row.key: row for row in removal.changes.messages}
    left = sorted(rows.values(), key=lambda row: row.position)
    assert [row.position for row in left] == list(range(len(left)))
    return Stored(removal.changes.documents[0], left, state.renamed), marks, plan


def contents(state: Stored | None) -> list[str]:
    """What is said, in order."""
    return [] if state is None else [row.message.content for row in state.messages]


@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("remove", [False, True])
def test_the_same_export_brings_no_quoted_word_back(ids: bool, remove: bool) -> None:
    """Neither at once nor with later messages; and then again whole when the tombstones are lifted."""
    document = named(talk(*LINES)) if ids else talk(*LINES)
    state, _ = read(None, document, frozenset())
    assert state is not None
    left, marks, plan = redacted(state, remove=remove)
    quote = [] if remove else [f"Bob says {REDACTED}, come"]
    assert contents(left) == ["where is it", *quote, "thanks", "fine"]
    assert plan.messages == 1
    later = talk(*LINES, ("Dora", "hello"), ("Cem", "well"))
    later = named(later) if ids else later
    for export, changes, more in ((document, 0, []), (later, 2, ["hello", "well"]), (later, 0, ["hello", "well"])):
        left, changed = read(left, export, marks)
        assert changed == changes
        assert contents(left) == ["where is it", *quote, "thanks", "fine", *more]
    again, _ = read(left, document, frozenset())
    assert contents(again) == [text for _, text in LINES] + ["hello", "well"]


@pytest.mark.parametrize("ids", [False, True])
def test_another_wording_of_a_redacted_message_is_not_taken(ids: bool) -> None:
    """An edit of the quoting message, marked as one, stays out; what others write in its minute does not."""
    document = named(talk(*LINES)) if ids else talk(*LINES)
    state, _ = read(None, document, frozenset())
    assert state is not None
    left, marks, _ = redacted(state)
    edited = [
        structs.replace(each, content=f"{each.content}, all of you", edited=True) if number == 2 else each
        for number, each in enumerate(document.messages)
    ]
    beside = structs.replace(document.messages[2], speaker="Dora", content="a new one", id="m9" if ids else None)
    left, changed = read(left, _with(document, [*edited[:3], beside, *edited[3:]]), marks)
    assert (changed, contents(left)) == (
        1,
        ["where is it", f"Bob says {REDACTED}, come", "a new one", "thanks", "fine"],
    )


def test_a_message_can_be_redacted_for_several_people() -> None:
    """One after the other; each time under another key."""
    lines = (
        *LINES[:2],
        ("Cem", "and a plumbus is what everybody needs"),
        ("Dora", f"{WORDS}; and a plumbus is what everybody needs"),
    )
    document = named(talk(*lines))
    state, _ = read(None, document, frozenset())
    assert state is not None
    left, marks, _ = redacted(state)
    assert left is not None
    left, more, _ = redacted(left, "Cem")
    assert contents(left) == ["where is it", f"{REDACTED}; and {REDACTED}".replace("and [", "[")] or contents(left) == [
        "where is it",
        f"{REDACTED}; {REDACTED}",
    ]
    assert read(left, document, marks | more)[1] == 0


SPEAKERS = st.sampled_from(["Ann", "Bob", "Cem"])
TEXTS = st.sampled_from(["ok", "yes", WORDS, f"he says {WORDS}", f"{WORDS} and {WORDS}", "a quibblefrost"])


@settings(max_examples=examples(150))
@given(
    st.lists(st.tuples(SPEAKERS, TEXTS, st.integers(0, 2)), min_size=1, max_size=8),
    st.booleans(),
    st.booleans(),
    st.integers(0, 7),
)
def test_no_import_brings_a_forgotten_word_back(
    lines: list[tuple[str, str, int]], ids: bool, remove: bool, cut: int
) -> None:
    """Made-up chats with equal messages within a minute: the same export and a part of it change nothing that is left."""
    said = [
        structs.replace(each, time=START + timedelta(minutes=minute))
        for each, (_, _, minute) in zip(
            talk(*((name, text) for name, text, _ in lines)).messages,
            sorted(lines, key=lambda line: line[2]),
            strict=True,
        )
    ]
    document = _with(talk(*((name, text) for name, text, _ in lines)), said)
    document = named(document) if ids else document
    state, _ = read(None, document, frozenset())
    assert state is not None
    left, marks, plan = redacted(state, remove=remove)
    told = contents(left)
    spoken = {row.message.speaker for row in state.messages}
    if "Bob" in spoken and any(row.message.speaker == "Bob" and WORDS in row.message.content for row in state.messages):
        assert len(plan.removal.tombstones) == 1
    part = list(document.messages)[cut:] or list(document.messages)
    for export in (document, _with(document, part), document):
        left, _ = read(left, export, marks)
        assert contents(left) == told


@pytest.mark.anyio
async def test_a_retired_note_that_quotes_is_removed(tmp_path: Path) -> None:
    """Its file is gone, and it only waits for an undo; a redacted one goes when its run is undone."""
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([talk(*LINES[:2])], "r0")
        await memory.write(
            [note("gone", f"pasted: {WORDS}"), note("here", f"pasted: {WORDS}"), note("b", "a pond")], "r1"
        )
        await retire(memory, "gone", run="r2")
        plan = await memory.forget_planner.plan(ForgetSelection(people=("bob",)), "redact")
        assert plan.quotes is not None
        assert [each.text for each in plan.quotes.places] == [True, True]
        await memory.forget(plan)
        assert b"wobblegate" not in b"".join(body or b"" for body in await store.database.read(_bodies))
        assert sorted(await exported(memory)) == ["Ann: where is it", "a pond", f"pasted: {REDACTED}"]
        await memory.undo_runs("r1")
        assert await exported(memory) == ["Ann: where is it"]


def _bodies(connection: sqlite3.Connection) -> list[bytes | None]:
    bodies = connection.execute("SELECT body FROM inputs").fetchall()
    return [zlib.decompress(body) if body else body for (body,) in bodies]


@pytest.mark.anyio
async def test_the_search_ends_when_it_is_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the page that it looks at."""
    monkeypatch.setattr(quote_search, "PAGE", 1)
    pages: list[tuple[int, int]] = []
    async with open_store(tmp_path) as store:
        memory = EvolvingMemory(store, None, BundledEmbedder())
        await memory.start()
        await memory.write([talk(*LINES)], "r")
        with anyio.CancelScope() as scope:

            def tell(done: int, total: int) -> None:
                pages.append((done, total))
                scope.cancel()

            await memory.forget_planner.plan(ForgetSelection(people=("bob",)), "redact", tell)
        assert scope.cancelled_caught
        assert pages == [(1, len(LINES))]
