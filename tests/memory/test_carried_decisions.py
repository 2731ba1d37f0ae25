"""Decisions on people in an export: another store makes the same people of it."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.formats.jsondocs.connector import DocumentsConnector
from memd.connectors.opening.open_source import open_source
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.export import exported_documents
from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.memory import EvolvingMemory
from memd.memory.people.carried import DECISIONS, decisions_taken_out, with_decisions
from memd.memory.people.decisions import Decision, identity_key
from memd.memory.search_types import Filter
from memd.memory.store import documents_read, identity_rows, people_rows
from memd.memory.store.export import exported
from memd.schemas import ConversationDocument, Document, Notice, TextDocument
from memd.tests.cases import for_each
from memd.tests.daemon.house import note
from memd.tests.memory.test_exporting import all_of, chat_day

pytestmark = pytest.mark.anyio
AT = datetime(2024, 1, 15, 12, 0, 0, 123_456, tzinfo=UTC)
A, B, C = (
    identity_key(source, name) for source, name in (("whatsapp", "Bob"), ("slack", "bob.s"), ("mail", "Bob Smith"))
)
DAYS = [
    chat_day(1, "Bob", "hi"),
    chat_day(1, "bob.s", "hello", source="slack"),
    chat_day(1, "Bob Smith", "x", source="mail"),
]


async def _opened(store: IndexedStore) -> EvolvingMemory:
    memory = EvolvingMemory(store, None, BundledEmbedder())
    await memory.start()
    return memory


async def _decided(store: IndexedStore) -> list[Decision]:
    return await store.database.read(people_rows.decisions)


async def _people(memory: EvolvingMemory) -> set[frozenset[str]]:
    known = await memory.person_service.people()
    return {frozenset(each.name for each in one.identities) for one in known if one.name != "Ann"}


async def test_an_export_makes_the_same_people_elsewhere(tmp_path: Path) -> None:
    """Merges, splits and what was taken back; a second ingest of it adds nothing, also after a document was forgotten here."""
    async with open_store(tmp_path / "a") as one, open_store(tmp_path / "b") as other:
        first, second = await _opened(one), await _opened(other)
        await first.store([note("a note", "first of all by its source"), *DAYS])
        await first.person_service.merge([A, B])
        await first.person_service.merge([A, C])
        await first.person_service.undo()
        await first.person_service.merge([B, C])
        await first.person_service.split([C])
        exported = await all_of(first)
        assert sum(DECISIONS in each.metadata for each in exported if isinstance(each, ConversationDocument)) == 1
        for _ in range(2):
            await second.store(exported)
            assert await _decided(other) == await _decided(one)
            assert (
                await _people(second) == await _people(first) == {frozenset({"Bob", "bob.s"}), frozenset({"Bob Smith"})}
            )
        assert await other.database.read(identity_rows.wrong_identities) == 0
        assert [each.to_json() for each in await all_of(second)] == [each.to_json() for each in exported]
        # What was decided here since stands, whatever is read again.
        await second.person_service.undo(1)
        await second.store(exported)
        assert await _people(second) == {frozenset({"Bob"}), frozenset({"bob.s"}), frozenset({"Bob Smith"})}


async def test_decisions_come_in_where_every_document_is_known(tmp_path: Path) -> None:
    """The store may have read the same exports; what was decided there before stands, and an undo finds what it takes back."""
    async with open_store(tmp_path / "a") as one, open_store(tmp_path / "b") as other:
        first, second = await _opened(one), await _opened(other)
        for memory in (first, second):
            await memory.store(DAYS)
        await second.person_service.merge([A, C])
        await first.person_service.merge([A, B])
        await first.person_service.merge([B, C])
        await first.person_service.undo()
        report = await second.store(await all_of(first))
        assert (report.added, report.updated, report.unchanged) == (0, 0, 3)
        assert [(each.action, each.target) for each in await _decided(other)] == [
            ("merge", None),
            ("merge", None),
            ("merge", None),
            ("undo", 3),
        ]
        assert await _people(second) == {frozenset({"Bob", "bob.s", "Bob Smith"})}


async def test_a_part_of_the_documents_carries_no_decision(tmp_path: Path) -> None:
    """Neither a filter nor ids tell of whom else something was decided."""
    async with open_store(tmp_path) as store:
        memory = await _opened(store)
        await memory.store(DAYS)
        await memory.person_service.merge([A, B])
        keys = set(
            await store.database.read(
                documents_read.documents,
                [row.document.key for row in await store.database.read(exported, Filter(), None, 9)],
            )
        )
        for where, among in ((Filter(sources=("slack", "whatsapp", "mail")), None), (Filter(), keys)):
            found: list[Document] = [
                each async for group in exported_documents(memory.database, where, among) for each in group
            ]
            assert len(found) == 3
            assert not [each for each in found if isinstance(each, ConversationDocument) and DECISIONS in each.metadata]


def _carrying(value: Any) -> ConversationDocument:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return DAYS[0].model_copy(update={"metadata": {**DAYS[0].metadata, DECISIONS: text}})


MERGE: dict[str, Any] = {"id": 1, "action": "merge", "at": 1_705_320_000_000_000, "keys": [str(A), str(B)]}


@for_each(
    [
        "no JSON",
        "7",
        [7],
        [{}],
        [{**MERGE, "id": "1"}],
        [{**MERGE, "action": "forget"}],
        [{**MERGE, "at": 9 * 10**18}],
        [{**MERGE, "keys": ["x"]}],
        [{**MERGE, "keys": 7}],
        [{**MERGE, "target": 1}],
        [{"id": 2, "action": "undo", "at": MERGE["at"]}],
    ]
)
def test_what_is_no_word_of_ours_stays_where_it_is(value: Any) -> None:
    """Nothing is decided by it."""
    given = [_carrying(value)]
    assert decisions_taken_out(given) == (given, [])


def test_a_document_is_as_before_without_its_decisions() -> None:
    """The first day carries them, past texts, in which nothing decides."""
    text = TextDocument(id="n", content="x", metadata={DECISIONS: orjson.dumps([MERGE]).decode()})
    decisions = [Decision(4, "merge", AT, (A, B)), Decision(7, "split", AT, (C,)), Decision(9, "undo", AT, (), 4)]
    carrying = with_decisions([text, *DAYS], decisions)
    assert carrying is not None
    assert decisions_taken_out(carrying) == ([text, *DAYS], decisions)
    assert with_decisions([text], decisions) is None
    assert decisions_taken_out([text]) == ([text], [])


async def test_an_undo_of_what_is_not_told_is_none(tmp_path: Path) -> None:
    """It is left out, and nothing else is taken back by its number."""
    async with open_store(tmp_path) as store:
        memory = await _opened(store)
        await memory.store(DAYS)
        await memory.person_service.merge([A, B])
        told = [Decision(2, "undo", AT, (), 1), Decision(3, "merge", AT, (B, C))]
        await memory.store(with_decisions(DAYS, told) or [])
        assert [each.action for each in await _decided(store)] == ["merge", "merge"]
        assert replace((await _decided(store))[1], id=3) == told[1]
        assert await _people(memory) == {frozenset({"Bob", "bob.s", "Bob Smith"})}


@for_each(
    [
        {"keys": []},
        {"keys": MERGE["keys"][:1]},
        {"keys": MERGE["keys"][:1] * 2},
        {"at": -62_135_596_800_000_000},
        {"action": "split", "keys": []},
    ]
)
def test_a_decision_on_nobody_or_of_no_time_is_none(change: dict[str, Any]) -> None:
    """It stays metadata, and decides nothing."""
    carrying = _carrying([{**MERGE, **change}])
    assert decisions_taken_out([carrying]) == ([carrying], [])


def test_a_file_decides_on_nobody(tmp_path: Path) -> None:
    """Documents in a file may be anybody's: what they say of people is left out and told; standard input is the user's own."""
    carrying = _carrying([MERGE])
    path = tmp_path / "export.jsonl"
    path.write_bytes(orjson.dumps(carrying.to_wire()))
    options = ReadOptions(zone=UTC)
    document, notice = list(DocumentsConnector().read(open_source(str(path)), options))
    assert isinstance(document, ConversationDocument)
    assert DECISIONS not in document.metadata
    assert isinstance(notice, Notice)
    assert notice.code == "decisions-left-out"
    piped = open_source("-", stdin=io.BytesIO(path.read_bytes()))
    (whole,) = list(DocumentsConnector().read(piped, options))
    assert isinstance(whole, ConversationDocument)
    assert DECISIONS in whole.metadata
