"""No question, list, count or forgetting goes through a whole table of a large store: every statement's plan is looked at."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memd.memory.records import DocumentLine, ExportCursor
from memd.memory.retrieval.candidates import find_candidates, find_near, find_words
from memd.memory.search_types import CandidateSet, FactFilter, Filter
from memd.memory.store import database as database_module
from memd.memory.store.fact_links import facts_by_link_key
from memd.memory.store.fact_rows import facts_behind
from memd.memory.store.hit_rows import read_hits
from memd.memory.store.schema import connect
from memd.memory.store.sqlite_store import SQLiteStore
from memd.memory.write_batches import DocumentInput, KnowledgeUpdate, Removal, WriteBatch
from memd.schemas.keys import text_hash
from memd.tests.memory.store.large_store import DOCUMENTS, make, uuid
from memd.tests.memory.store.large_store import FACTS as FACT_COUNT
from memd.tests.memory.store.samples import LINES, conversation, group, vector_of
from memd.tests.memory.store.searches import search_vectors, search_words

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
Use = Callable[[SQLiteStore], Awaitable[object]]
WHOLE = (
    "check",
    "check_indexes",
    "repair",
    "write",
    "purge",
    "prune",
    "record_extractor",
    "set_generation",
    "chat_stats",
    "part_stats",
    "fill",
)
"""Methods that look at, or change, everything there is: nobody waits for them while asking a question."""
ALLOWED = {
    "speakers": "as many rows as there are people, and `names` tells all of them",
    "conversations": "as many rows as there are chats, and `conversations` tells all of them",
    "renames": "as many rows as people were renamed",
    "repeats": "a row or two for each import that brought known documents",
    "makes": "a row for each way of cutting",
    "excluded": "as many rows as there were undos, and `excluded` tells all of them",
    "people_decisions": "as many rows as the user decided",
    "own_names": "as many rows as the settings have names of the user",
    "persons": "as many rows as names were merged",
    "fact_messages": "one row, to see whether there is any",
}
"""Tables that may be gone through, and why."""
IN_FORGETTING = {"texts": "those that no chunk has any more are looked for, also of wordings of long ago"}
"""Tables that forgetting may go through, and why."""
PAGED = {"pending": "the oldest, in the order of its key", "unread": "the oldest, in the order of its key"}
"""Tables of which the first rows are taken, and which."""
CROWDS = "people_of_crowds"
"""An index of the documents with very many people alone."""
DAY = datetime(1975, 1, 1, tzinfo=UTC)
FILTERS = {
    "nothing": Filter(),
    "speaker": Filter(speakers=("P7",)),
    "renamed speaker": Filter(speakers=("Q3",)),
    "nobody": Filter(speakers=("Nobody",)),
    "people": Filter(people=("P9",)),
    "source": Filter(sources=("s1",)),
    "sources": Filter(sources=("s1", "s3")),
    "tag": Filter(tags=("t3",)),
    "kind": Filter(kinds=("call",)),
    "texts": Filter(kinds=("text",)),
    "since": Filter(since=DAY),
    "span": Filter(since=DAY, until=datetime(1975, 2, 1, tzinfo=UTC)),
    "all": Filter(("P17",), ("P3",), ("s1",), ("t1",), ("text",), DAY),
    "written": Filter(without_kinds=("system", "call")),
    "phrase": Filter(phrases=("a lamp",), sources=("s1",)),
}
FACTS = {
    "all": FactFilter(),
    "subject": FactFilter(subjects=("P5",)),
    "speaker": FactFilter(speakers=("P5", "P6")),
    "attribute": FactFilter(attributes=("a3",)),
    "status": FactFilter(statuses=("active", "superseded")),
    "several": FactFilter(subjects=("P5",), speakers=("P5",), attributes=("a4",), statuses=("active",)),
    "keys": FactFilter(keys=(uuid(5, 3), uuid(5, 4))),
    "messages": FactFilter(messages=(uuid(2, 3),), statuses=("active",)),
    "as of": FactFilter(subjects=("P5",), as_of=DAY),
    "known at": FactFilter(subjects=("P5",), known_at=DAY),
}
SOME = [uuid(1, n) for n in (3, 400, 1_999)]
CHUNKS = [uuid(3, n) for n in range(20, 60)]
NEW = group(conversation("new"), LINES)
KNOWLEDGE_UPDATE = KnowledgeUpdate(
    "run", DAY, gone=[uuid(5, 9)], excluded=[uuid(6, 9)], included=[uuid(6, 3)], erased=["k12"]
)
FORGOTTEN = Removal(
    documents=[uuid(1, 77)], messages=[uuid(2, 5_001), uuid(2, 5_002)], update=KNOWLEDGE_UPDATE, subjects=("p8",),
    tombstones={uuid(1, 77): [uuid(2, 761)]},
)  # fmt: skip


async def _ask(backend: SQLiteStore) -> None:
    """A question as the retriever puts it, with each of the filters."""
    vector = vector_of("a lamp")
    for where in FILTERS.values():
        await search_words(backend, "lexical", ["lamp"], where, 50)
        await search_words(backend, "lexical", ["lamp"], where, 50, CHUNKS)
        await search_vectors(backend, vector, where, 50)
        await search_vectors(backend, vector, where, 50, CHUNKS)
        compiled = await backend.compiled(where)
        seen = await find_words(backend, ["lexical", "near", "wide"], ["lamp"], compiled, 50)
        near = await find_near(backend, vector, compiled, 50)
        found: CandidateSet = await find_candidates(
            backend, seen, near, ["lamp"], compiled, lambda places, _: range(len(places))
        )
        await backend.read(lambda connection, places=found.places: read_hits(connection, places, 2))


async def _list(backend: SQLiteStore) -> None:
    """Three pages with each of the filters."""
    for where in FILTERS.values():
        after = None
        for _ in range(3):
            page = await backend.listing(where, after, 20)
            after = page[-1].key if page else after
        await backend.export(where, None, 50)
        await backend.export(where, ExportCursor("s1", "d501", uuid(1, 501)), 50)
        await backend.export(where, None, 50, SOME)


async def _list_facts(backend: SQLiteStore) -> None:
    for where in FACTS.values():
        await backend.facts(where, 0, 20)
        await backend.facts(where, 2_400, 20)
        await backend.read(
            lambda connection, where=where: facts_behind(
                connection, [uuid(2, n) for n in range(1_000, 1_050)], where, 10
            )
        )


USES: dict[str, tuple[tuple[str, ...], Use]] = {
    "ask": (("read", "compiled", "compare"), _ask),
    "list": (("listing", "export"), _list),
    "facts": (("facts",), _list_facts),
    "stats": (("stats",), lambda b: b.stats()),
    "other index": (("other_index_kept",), lambda b: b.other_index_kept()),
    "pending": (("pending",), lambda b: b.pending(64)),
    "last_change": (("last_change",), lambda b: b.last_change()),
    "generation": (("generation",), lambda b: b.generation()),
    "refresh_indexes": (("refresh_indexes",), lambda b: b.refresh_indexes()),
    "apply": (("apply",), lambda b: b.apply(NEW)),
    "apply more": (("apply",), lambda b: b.apply(WriteBatch(dropped_chunks=CHUNKS[:2], moved={uuid(2, 31): 7}))),
    "put_vectors": (("put_vectors",), lambda b: b.put_vectors({text_hash("x"): vector_of("x")})),
    "apply_knowledge": (("apply_knowledge",), lambda b: b.apply_knowledge(KNOWLEDGE_UPDATE)),
    "forget": (("forget",), lambda b: b.forget(FORGOTTEN)),
    "tombstones": (("tombstones",), lambda b: b.tombstones(SOME)),
    "has_tombstones": (("has_tombstones",), lambda b: b.has_tombstones()),
    "written_entries": (("written_entries",), lambda b: b.written_entries()),
    "allow_reingest": (("allow_reingest",), lambda b: b.allow_reingest(SOME)),
    "documents": (("documents",), lambda b: b.documents(SOME)),
    "unchanged": (("unchanged",), lambda b: b.unchanged(dict.fromkeys(SOME, b""))),
    "messages": (("messages",), lambda b: b.messages(SOME)),
    "find": (("find",), lambda b: b.find("m70")),
    "find a key": (("find",), lambda b: b.find(str(uuid(2, 70)))),
    "holders": (("holders",), lambda b: b.holders(["m70", "m71"])),
    "homes": (("homes",), lambda b: b.homes([("m70", 70_000_000), ("m71", 71_000_000)])),
    "piece": (("piece",), lambda b: b.piece(uuid(3, 70))),
    "mentioned": (("mentioned",), lambda b: b.mentioned()),
    "former_names": (("former_names",), lambda b: b.former_names()),
    "distinct sources": (("distinct",), lambda b: b.distinct("sources")),
    "distinct tags": (("distinct",), lambda b: b.distinct("tags")),
    "distinct subjects": (("distinct",), lambda b: b.distinct("subjects")),
    "excluded_statements": (("excluded_statements",), lambda b: b.excluded_statements()),
    "names": (("names",), lambda b: b.names()),
    "conversations": (("conversations",), lambda b: b.conversations()),
    "some conversations": (("conversations",), lambda b: b.conversations([uuid(4, 3)])),
    "renames": (("renames",), lambda b: b.renames([uuid(4, 3)])),
    "outdated": (("outdated",), lambda b: b.outdated(["message-1"])),
    "chunk_keys": (("chunk_keys",), lambda b: b.chunk_keys(SOME)),
    "pending_extraction": (("pending_extraction",), lambda b: b.pending_extraction(70, 50)),
    "pending_extraction_among": (("pending_extraction_among",), lambda b: b.pending_extraction_among(SOME)),
    "pending_extraction_count": (("pending_extraction_count",), lambda b: b.pending_extraction_count()),
    "rejections": (("rejections",), lambda b: b.rejections()),
    "extractions": (("extractions",), lambda b: b.extractions(SOME)),
    "clusters": (("clusters",), lambda b: b.clusters(["k7", "k8"])),
    "excluded": (("excluded",), lambda b: b.excluded()),
    "facts_of_clusters": (("facts_of_clusters",), lambda b: b.facts_of_clusters(["k7", "k8"])),
    "history": (("history",), lambda b: b.history(uuid(5, 7))),
    "facts_by_link_key": (("read",), lambda b: b.read(lambda c: facts_by_link_key(c, [("keyword", "b")], 3))),
    "person_stats": (("person_stats",), lambda b: b.person_stats("P7")),
    "documents_of": (("documents_of",), lambda b: b.documents_of([uuid(2, 7), uuid(1, 8)])),
    "facts_of_run": (("facts_of_run",), lambda b: b.facts_of_run("r7")),
    "facts_beginning": (("facts_beginning",), lambda b: b.facts_beginning("0123abcd", 3)),
    "keys_beginning": (("keys_beginning",), lambda b: b.keys_beginning("0123abcd", 3)),
    "documents_of_run": (("documents_of_run",), lambda b: b.documents_of_run("r7")),
    "inputs": (("inputs",), lambda b: b.inputs(SOME)),
    "note_inputs": (("note_inputs",), lambda b: b.note_inputs([DocumentInput(SOME[0], "r7", b"d" * 32)])),
}


class Recording(sqlite3.Connection):
    """A connection that notes each statement with values it was once run with."""

    seen: dict[str, Any]

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Note, and run."""
        _SEEN.setdefault(sql, parameters)
        return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        """Note, and run."""
        rows = list(parameters)
        if rows:
            _SEEN.setdefault(sql, rows[0])
        return super().executemany(sql, rows)


_SEEN: dict[str, Any] = {}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store, made once."""
    directory = tmp_path_factory.mktemp("large")
    make(directory)
    return directory


@asynccontextmanager
async def _opened(directory: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[SQLiteStore]:
    """A store whose statements are noted."""

    def recorded(path: Path, *, read_only: bool, unwritten: bool = False) -> sqlite3.Connection:
        with monkeypatch.context() as patch:
            patch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Recording))
            return connect(path, read_only=read_only, unwritten=unwritten)

    monkeypatch.setattr(database_module, "connect", recorded)
    async with SQLiteStore.open(directory) as backend:
        await backend.refresh_indexes()
        yield backend


def _aliases(sql: str) -> dict[str, str]:
    """The table behind each name of a statement."""
    found = re.findall(r"(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?", sql)
    return {name: table for table, alias in found for name in (table, alias) if name}


def _scans(connection: sqlite3.Connection, sql: str, parameters: Any) -> list[str]:
    """The tables that a statement goes through from end to end."""
    if not re.match(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b", sql):
        return []
    names = _aliases(sql)
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", parameters)]
    tables = [match[1] for step in plan if CROWDS not in step and (match := re.match(r"SCAN (\w+)", step))]
    known = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    found = [names.get(table, table) for table in tables if names.get(table, table) in known]
    return [table for table in found if table not in ALLOWED and not (table in PAGED and "LIMIT ?" in sql)]


async def test_no_statement_goes_through_a_large_table(
    large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all that is run beside checking and mending, only small tables are read from end to end, each for a reason."""
    shutil.copytree(large, tmp_path / "data")
    wrong: list[str] = []
    async with _opened(tmp_path / "data", monkeypatch) as backend:
        for name, (_, use) in USES.items():
            _SEEN.clear()
            await use(backend)
            assert _SEEN, name
            for sql, parameters in list(_SEEN.items()):
                with sqlite3.connect(tmp_path / "data" / "memory.db") as connection:
                    allowed = IN_FORGETTING if name == "forget" else ()
                    through = [table for table in _scans(connection, sql, parameters) if table not in allowed]
                connection.close()
                short = re.sub(r"\?(,\s*\?)+", "?…", " ".join(sql.split()))
                wrong += [f"{name}: all of {table}: {short}" for table in through]
    assert not wrong, "\n".join(wrong)


def test_every_method_of_the_store_is_looked_at() -> None:
    """Whoever adds a method says here how it is used, or that it looks at everything."""
    methods = {name for name in vars(SQLiteStore) if not name.startswith("_")}
    methods -= {
        "open",
        "text",
        "vectors",
        "index_name",
        "file_failure",
        "store_id",
        "index_failure",
        "index_filling",
        "index_rebuilds",
        "remove_index",
        "read_only",
    }  # which read no row
    assert {name for names, _ in USES.values() for name in names} | set(WHOLE) == methods


async def test_pages_hold_each_document_once_in_order(large: Path) -> None:
    """All pages together are what one page of everything is, with each of the filters."""
    async with SQLiteStore.open(large, read_only=True) as backend:
        for name, where in FILTERS.items():
            whole = await backend.listing(where, None, DOCUMENTS)
            pieces: list[DocumentLine] = []
            while page := await backend.listing(where, pieces[-1].key if pieces else None, 140):
                pieces += page
            assert pieces == whole, name
            assert len({line.key for line in whole}) == len(whole), name
            times = [line.timestamp for line in whole]
            dated = [time for time in times if time is not None]
            assert dated == sorted(dated, reverse=True), name
            assert times == [*dated, *[None] * (len(times) - len(dated))], name
            assert bool(whole) == (name not in ("nobody", "renamed speaker", "all")), name


async def test_pages_of_facts_hold_each_once_in_order(large: Path) -> None:
    """All pages together are what one page of everything is, with each of the filters."""
    async with SQLiteStore.open(large, read_only=True) as backend:
        for name, where in FACTS.items():
            whole = await backend.facts(where, 0, DOCUMENTS * 3)
            pieces: list[Any] = []
            while page := await backend.facts(where, pieces[-1][0] if pieces else 0, 140):
                pieces += page
            assert pieces == whole, name
            assert [number for number, _ in whole] == sorted({number for number, _ in whole}), name
            assert whole or name in ("as of", "known at"), name


async def test_the_counts_are_those_of_the_rows(large: Path) -> None:
    """Rows that were written by any statement at all are counted."""
    async with SQLiteStore.open(large, read_only=True) as backend:
        stats = await backend.stats()
        assert (stats.documents, stats.messages, stats.chunks) == (DOCUMENTS, DOCUMENTS * 10, DOCUMENTS * 10)
        assert (stats.facts, stats.vectors_done, stats.vectors_pending) == (FACT_COUNT, 300, DOCUMENTS * 10 - 300)
        assert await backend.rejections() == {"value": 2 * (DOCUMENTS - DOCUMENTS // 3)}
        assert await backend.pending_extraction_count() == DOCUMENTS // 2
