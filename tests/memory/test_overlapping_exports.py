"""Two exports that overlap make the same memory as one export of everything, of every format and in every order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, timedelta
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from memd.connectors.connector import ReadOptions
from memd.memory.embedding.bundled import BundledEmbedder
from memd.memory.export import exported_documents
from memd.memory.forgetting.selection import Candidate, ForgetSelection, plan_forgetting
from memd.memory.indexing.indexed_store import open_store
from memd.memory.ingest.batching import concrete_document, digest_of
from memd.memory.ingest.planner import forgotten_of, tombstone_keys_of
from memd.memory.memory import EvolvingMemory
from memd.memory.merge.known_messages import HomeFinder, names_of
from memd.memory.merge.plan import Stored, key_of, merged_into, plan_document
from memd.memory.records import MessageHome
from memd.memory.search_types import Filter
from memd.schemas import ConversationDocument, Document, Notice, Rejected, StoreReport
from memd.schemas.times import utc_microseconds
from memd.tests.cases import check_all
from memd.tests.contracts.connector import Shelf
from memd.tests.memory.overlaps import ANSWERS, ROOT, WORDS, WRITERS

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
ALL = range(len(WORDS))
GROWN = {
    "all again": (range(3), ALL),
    "the thread grew": (range(4), ALL),
    "from its first message on": (range(3), range(ROOT, len(WORDS))),
}
"""What the older export showed, made when nothing else was written, and what the later one shows."""
CUT = {
    "without an overlap": (range(3), range(3, len(WORDS))),
    "the first message in both": (range(3), range(ROOT, len(WORDS))),
    "the first message alone": ([ROOT], [each for each in ALL if each != ROOT]),
    "the answers alone": (list(ANSWERS), [each for each in ALL if each not in ANSWERS]),
}
"""What two exports of one moment show."""
LESS_TOLD = {
    "telegram topics": {"without an overlap", "the first message alone", "the answers alone"},
    "irc": {"the first message alone"},
}
"""Where one of the exports lacks what the format needs: the line that names a topic, a second line of a log."""
CASES = [
    (format_name, kind, case)
    for format_name in WRITERS
    for kind, cases in (("grown", GROWN), ("cut", CUT))
    for case in cases
    if case not in LESS_TOLD.get(format_name, ())
]

SELECTIONS = ("all", "somebody", "a document", "a minute")
"""What is forgotten between two exports."""


class PlainMemory:
    """Documents merged and forgotten as the memory does it, in a dict."""

    def __init__(self) -> None:
        self.stored: dict[UUID, Stored] = {}
        self.tombstones: defaultdict[UUID, set[UUID]] = defaultdict(set)

    def read(self, documents: Sequence[Document]) -> int:
        """Merge; returns how many messages were new."""
        names = names_of(documents)
        rows = [row for stored in self.stored.values() for row in stored.messages]
        homes = [
            MessageHome(
                row.message.id,
                utc_microseconds(row.message.time),
                row.document,
                row.message.speaker,
                frozenset([row.message.content, *(edit.content for edit in row.message.edits)]),
            )
            for row in rows
            if row.message.id is not None and (row.message.id, utc_microseconds(row.message.time)) in names
        ]
        finder = HomeFinder(homes, {key: stored.document for key, stored in self.stored.items()})
        added = 0
        for document in [part for each in documents for part in finder.divided(each)]:
            concrete = concrete_document(document)
            key = key_of(concrete)
            asked = tombstone_keys_of([document])
            known = {each: frozenset(its) for each, its in self.tombstones.items() if each in asked[key]}
            single = {each for its in self.tombstones.values() for each in its} & asked[key]
            forgotten = forgotten_of(asked, known | {each: frozenset([each]) for each in single - known.keys()})
            plan = plan_document(self.stored.get(key), concrete, digest_of(document), forgotten.get(key, ()))
            assert plan is not None or forgotten
            if plan is not None:
                self.stored[key] = merged_into(self.stored.get(key), plan)
                added += len(plan.added)
        return added

    def forget(self, selection: ForgetSelection) -> int:
        """Remove and leave tombstones; returns how many messages went."""
        kept = [
            Candidate(each.document, each.messages, [each.document.metadata.get("title", "")], sorted(each.renamed))
            for each in self.stored.values()
        ]
        plan = plan_forgetting(selection, kept)
        for key, marks in plan.removal.tombstones.items():
            self.tombstones[key].update(marks)
        for key in plan.removal.documents:
            del self.stored[key]
        gone, moved = {*plan.removal.messages}, plan.removal.changes.moved
        for row in plan.removal.changes.documents:
            before = self.stored[row.key]
            left = [each for each in before.messages if each.key not in gone]
            rows = [replace(each, position=moved.get(each.key, each.position)) for each in left]
            self.stored[row.key] = Stored(row, rows, before.renamed)
        return plan.messages

    def messages(self) -> list[dict[str, Any]]:
        """All messages, by time, without the wordings that an export of everything cannot know."""
        return shown(row.message.to_wire() for each in self.stored.values() for row in each.messages)


def shown(messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages by time and words, without what tells of earlier wordings."""
    plain = [{name: value for name, value in each.items() if name != "edits"} for each in messages]
    return sorted(plain, key=lambda each: (each["time"], each["content"]))


def documents_of(format_name: str, numbers: Sequence[int], written: Sequence[int]) -> list[Document]:
    """The documents of one export."""
    return list(read_once(format_name, tuple(numbers), frozenset(written)))


@cache
def read_once(format_name: str, numbers: tuple[int, ...], written: frozenset[int]) -> list[Document]:
    """The documents of one export, which many cases share."""
    connector, write = WRITERS[format_name]
    records = list(connector.read(Shelf("export", dict(write(list(numbers), set(written)))), OPTIONS))
    assert not [record for record in records if isinstance(record, Rejected)]
    return [record for record in records if not isinstance(record, Notice | Rejected)]


def two_exports(format_name: str, kind: str, case: str) -> tuple[list[Document], list[Document]]:
    """The documents of both exports."""
    first, second = (GROWN if kind == "grown" else CUT)[case]
    older = documents_of(format_name, first, first if kind == "grown" else ALL)
    return older, documents_of(format_name, second, ALL)


@pytest.mark.slow
def test_two_exports_are_as_one() -> None:
    """Whichever comes first: each message is there once, as it reads in the later one; reading both again changes nothing."""
    check_all(product(CASES, (False, True)), lambda case: check_two_exports(*case[0], newer_first=case[1]))


def check_two_exports(format_name: str, kind: str, case: str, *, newer_first: bool) -> None:
    """Read two exports and both once more, and compare with an export of everything."""
    whole = PlainMemory()
    whole.read(documents_of(format_name, ALL, ALL))
    exports = list(two_exports(format_name, kind, case))
    memory = PlainMemory()
    for documents in reversed(exports) if newer_first else exports:
        memory.read(documents)
    assert memory.messages() == whole.messages()
    for documents in exports:
        assert memory.read(documents) == 0
    assert len(memory.messages()) == len(whole.messages())


@pytest.mark.slow
def test_what_was_forgotten_stays_out_of_every_export() -> None:
    """Whichever export brought it, and in whichever document a later one tells it; nothing else stays out."""
    check_all(
        product(CASES, SELECTIONS, (False, True)),
        lambda case: check_forgetting(*case[0], case[1], newer_first=case[2]),
    )


def test_what_was_forgotten_stays_out_of_other_documents() -> None:
    """A thread that grew holds messages of a day that was forgotten; so does a mailbox with older mails."""
    crossing = [("slack", "grown", "all again"), ("mail", "cut", "the first message alone")]
    check_all(
        product(crossing, ("all", "somebody"), (False, True)),
        lambda case: check_forgetting(*case[0], case[1], newer_first=case[2]),
    )


def check_forgetting(format_name: str, kind: str, case: str, what: str, *, newer_first: bool) -> None:
    """Read an export, forget, and read all exports that there are."""
    whole = PlainMemory()
    whole.read(documents_of(format_name, ALL, ALL))
    exports = list(two_exports(format_name, kind, case))
    ordered = exports[::-1] if newer_first else exports
    memory = PlainMemory()
    memory.read(ordered[0] or ordered[1])
    before = {each["time"] for each in memory.messages()}
    first = next(iter(memory.stored.values()))
    begin = first.messages[-1].message.time
    selection = {
        "all": ForgetSelection(sources=(first.document.source,)),
        "somebody": ForgetSelection(speakers=(first.messages[0].message.speaker,)),
        "a document": ForgetSelection(documents=(first.document.id,)),
        "a minute": ForgetSelection(since=begin, until=begin + timedelta(minutes=1)),
    }[what]
    assert memory.forget(selection)
    gone = before - {each["time"] for each in memory.messages()}
    left = [each for each in whole.messages() if each["time"] not in gone]
    for documents in (*ordered, *exports, documents_of(format_name, ALL, ALL)):
        memory.read(documents)
        assert {each["time"] for each in memory.messages()}.isdisjoint(gone)
    assert memory.messages() == left


async def stored_messages(memory: EvolvingMemory) -> list[dict[str, Any]]:
    """What a real memory holds, as `PlainMemory.messages`."""
    found: list[dict[str, Any]] = []
    async for documents in exported_documents(memory.database, Filter()):
        for document in documents:
            assert isinstance(document, ConversationDocument)
            found += [message.to_wire() for message in document.messages]
    for each in found:
        each["metadata"] = {name: value for name, value in each.get("metadata", {}).items() if name != "memd-key"}
    return shown(found)


@pytest.mark.anyio
@pytest.mark.slow
@pytest.mark.parametrize("at_once", [False, True], ids=["two imports", "one batch"])
@pytest.mark.parametrize("newer_first", [False, True], ids=["older first", "newer first"])
@pytest.mark.parametrize("format_name", ["slack", "mail"])
async def test_the_store_knows_a_message_in_another_document(
    tmp_path: Path, format_name: str, newer_first: bool, at_once: bool
) -> None:
    """The store finds the document that has a message; what a run brought is taken back from wherever it went."""
    exports = list(two_exports(format_name, "grown", "the thread grew"))
    if format_name == "mail":
        exports = [documents_of("mail", [3, 4], ALL), documents_of("mail", ALL, ALL)]
    ordered = exports[::-1] if newer_first else exports
    async with open_store(tmp_path / "a") as store, open_store(tmp_path / "b") as other:
        memory, whole = (EvolvingMemory(each, None, BundledEmbedder()) for each in (store, other))
        await memory.start()
        await whole.start()
        await whole.write(exports[1], "whole")
        first = StoreReport()
        if at_once:
            report = await memory.write([*ordered[0], *ordered[1]], "both")
            assert (report.documents, report.added) == (len(exports[0]) + len(exports[1]), len(WORDS))
        else:
            first = await memory.write(ordered[0], "first")
            second = await memory.write(ordered[1], "second")
            assert (second.documents, first.added + second.added) == (len(ordered[1]), len(WORDS))
        assert await stored_messages(memory) == await stored_messages(whole)
        for documents in exports:
            again = await memory.write(documents, "again")
            assert (again.documents, again.added, again.updated) == (len(documents), 0, 0)
        if not at_once:
            await memory.undo_runs("second")
            assert await stored_messages(memory) == await stored_messages(whole)  # "again" brought all of it, too
            await memory.undo_runs("again")
            left = await stored_messages(memory)
            await memory.undo_runs("first")
            assert len(left) == first.added
            assert await stored_messages(memory) == []
