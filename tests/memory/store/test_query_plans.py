"""No question, list, count or forgetting goes through a whole table of a large store: every statement's plan is looked at."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from memd.memory.indexing.indexed_store import IndexedStore, open_store
from memd.memory.records import DocumentLine, ExportCursor
from memd.memory.retrieval.candidates import compiled_filter, find_candidates, find_near, find_words
from memd.memory.search_types import CandidateSet, FactFilter, Filter, QuestionVectors
from memd.memory.store import database as database_module
from memd.memory.store import documents_read, fact_rows, forget_rows, inputs
from memd.memory.store.change_log import record_changes, sequence
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.export import exported
from memd.memory.store.fact_links import facts_by_link_key
from memd.memory.store.fact_rows import facts_behind
from memd.memory.store.filters import compile_filter, matching_chunks
from memd.memory.store.hit_rows import read_hits
from memd.memory.store.person_stats import person_stats
from memd.memory.store.schema import connect
from memd.memory.store.vectors import generation_of, keep_fallback_vectors, keep_vectors, pending_texts
from memd.memory.store.written_entries import written_entries
from memd.memory.write_batches import DocumentInput, KnowledgeUpdate, Removal, WriteBatch
from memd.schemas.keys import text_hash
from memd.tests.memory.store.large_store import DOCUMENTS, make, uuid
from memd.tests.memory.store.large_store import FACTS as FACT_COUNT
from memd.tests.memory.store.samples import LINES, conversation, group, vector_of
from memd.tests.memory.store.searches import search_vectors, search_words

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
Use = Callable[[IndexedStore], Awaitable[object]]
WHOLE = (
    "check",
    "check_indexes",
    "repair",
    "purge",
    "record_extractor",
    "set_generation",
    "fill",
    "attributes",
    "provisional_count",
    "statements_of_run",
    "outdated",  # where the settings changed, and when documents are cut again
    "every_key",
    "pieces",
)
"""Functions that look at, or change, everything there is: nobody waits for them while asking a question."""
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
    "scope": Filter(scope=(("t1", "t3"), ("t3", "t4"))),
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


async def _written_and_behind(store: IndexedStore) -> None:
    """Whether words are searched yet, right after a write."""
    await store.database.write(lambda connection: record_changes(connection, "word_changes", [20]))
    assert await store.words_behind()
    assert await store.catch_up_words(5)


async def _ask(store: IndexedStore) -> None:
    """A question as the retriever puts it, with each of the filters."""
    vector = vector_of("a lamp")
    for where in FILTERS.values():
        await search_words(store, "lexical", ["lamp"], where, 50)
        await search_words(store, "lexical", ["lamp"], where, 50, CHUNKS)
        await search_vectors(store, vector, where, 50)
        await search_vectors(store, vector, where, 50, CHUNKS)
        compiled = await compiled_filter(store, where)
        seen = await find_words(store, ["lexical", "near", "wide"], ["lamp"], compiled, 50)
        near = await find_near(store, QuestionVectors(vector), compiled, 50)
        found: CandidateSet = await find_candidates(
            store, seen, near, ["lamp"], compiled, lambda places, _: range(len(places))
        )
        await store.database.read(read_hits, found.places, 2)


async def _list(store: IndexedStore) -> None:
    """Three pages with each of the filters."""
    for where in FILTERS.values():
        after = None
        for _ in range(3):
            page = await store.database.read(documents_read.listing, where, after, 20)
            after = page[-1].key if page else after
        await store.database.read(exported, where, None, 50)
        await store.database.read(exported, where, ExportCursor("s1", "d501", uuid(1, 501)), 50)
        await store.database.read(exported, where, None, 50, SOME)


async def _list_facts(store: IndexedStore) -> None:
    for where in FACTS.values():
        await store.database.read(fact_rows.facts, where, 0, 20)
        await store.database.read(fact_rows.facts, where, 2_400, 20)
        await store.database.read(facts_behind, [uuid(2, n) for n in range(1_000, 1_050)], where, 10)


async def _stand_in(store: IndexedStore) -> None:
    """A fallback from its beginning to its end."""
    await store.begin_fallback("another", 3)
    await store.database.read(partial(pending_texts, of_fallback=True), 64)
    await store.database.write(keep_fallback_vectors, {text_hash("x"): vector_of("x", 3)})
    await store.refresh_indexes()
    await store.stats()
    await store.end_fallback()


USES: dict[str, tuple[tuple[str, ...], Use]] = {
    "ask": (("read", "compiled", "compare"), _ask),
    "list": (("listing", "export"), _list),
    "facts": (("facts", "facts_behind"), _list_facts),
    "pending_versions": (("pending_versions",), lambda b: b.database.read(fact_rows.pending_versions, 70, 50)),
    "recorded_extractor": (("recorded_extractor",), lambda b: b.database.read(fact_rows.recorded_extractor)),
    "stats": (("stats",), lambda b: b.stats()),
    "other index": (("other_index_kept",), lambda b: b.other_index_kept()),
    "pending": (("pending",), lambda b: b.database.read(pending_texts, 64)),
    "last_change": (("last_change",), lambda b: b.database.read(sequence)),
    "generation": (("generation",), lambda b: b.database.read(generation_of)),
    "refresh_indexes": (("refresh_indexes",), lambda b: b.refresh_indexes()),
    "apply": (("apply",), lambda b: b.database.write(apply_changes, NEW)),
    "apply more": (
        ("apply",),
        lambda b: b.database.write(apply_changes, WriteBatch(dropped_chunks=CHUNKS[:2], moved={uuid(2, 31): 7})),
    ),
    "put_vectors": (("put_vectors",), lambda b: b.database.write(keep_vectors, {text_hash("x"): vector_of("x")})),
    "apply_knowledge": (("apply_knowledge",), lambda b: b.database.write(fact_rows.apply_knowledge, KNOWLEDGE_UPDATE)),
    "forget": (("forget",), lambda b: b.forget(FORGOTTEN)),
    "tombstones": (("tombstones",), lambda b: b.database.read(forget_rows.tombstones, SOME)),
    "has_tombstones": (("has_tombstones",), lambda b: b.database.read(forget_rows.has_tombstones)),
    "written_entries": (("written_entries",), lambda b: b.database.read(written_entries)),
    "allow_reingest": (("allow_reingest",), lambda b: b.database.write(forget_rows.allow_reingest, SOME)),
    "documents": (("documents",), lambda b: b.database.read(documents_read.documents, SOME)),
    "unchanged": (("unchanged",), lambda b: b.database.read(documents_read.unchanged, dict.fromkeys(SOME, b""))),
    "messages": (("messages",), lambda b: b.database.read(documents_read.messages, SOME)),
    "find": (("find",), lambda b: b.database.read(documents_read.find, "m70")),
    "find a key": (("find",), lambda b: b.database.read(documents_read.find, str(uuid(2, 70)))),
    "holders": (("holders",), lambda b: b.database.read(documents_read.holders, ["m70", "m71"])),
    "homes": (("homes",), lambda b: b.database.read(documents_read.homes, [("m70", 70_000_000), ("m71", 71_000_000)])),
    "piece": (("piece",), lambda b: b.database.read(documents_read.piece, uuid(3, 70))),
    "mentioned": (("mentioned",), lambda b: b.database.read(documents_read.mentioned)),
    "former_names": (("former_names",), lambda b: b.database.read(documents_read.former_names)),
    "chat_titles": (("chat_titles",), lambda b: b.database.read(documents_read.chat_titles)),
    "words_behind": (("words_behind", "catch_up_words"), _written_and_behind),
    "distinct sources": (("distinct",), lambda b: b.database.read(documents_read.distinct, "sources")),
    "distinct tags": (("distinct",), lambda b: b.database.read(documents_read.distinct, "tags")),
    "distinct subjects": (("distinct",), lambda b: b.database.read(documents_read.distinct, "subjects")),
    "excluded_statements": (("excluded_statements",), lambda b: b.database.read(fact_rows.excluded_statements)),
    "names": (("names",), lambda b: b.database.read(documents_read.names)),
    "conversations": (("conversations",), lambda b: b.database.read(documents_read.conversations)),
    "some conversations": (("conversations",), lambda b: b.database.read(documents_read.conversations, [uuid(4, 3)])),
    "renames": (("renames",), lambda b: b.database.read(documents_read.renames, [uuid(4, 3)])),
    "chunk_versions": (("chunk_versions",), lambda b: b.database.read(documents_read.chunk_versions, SOME)),
    "keys_of_rows": (("keys_of_rows",), lambda b: b.database.read(documents_read.keys_of_rows, [3, 400])),
    "chunk_keys": (("chunk_keys",), lambda b: b.database.read(documents_read.chunk_keys, SOME)),
    "pending_extraction": (("pending_extraction",), lambda b: b.database.read(fact_rows.pending_extraction, 70, 50)),
    "pending_extraction_among": (
        ("pending_extraction_among",),
        lambda b: b.database.read(fact_rows.pending_extraction_among, SOME),
    ),
    "pending_extraction_count": (
        ("pending_extraction_count",),
        lambda b: b.database.read(fact_rows.pending_extraction_count),
    ),
    "rejections": (("rejections",), lambda b: b.database.read(fact_rows.rejections)),
    "extractions": (("extractions",), lambda b: b.database.read(fact_rows.extractions, SOME)),
    "clusters": (("clusters",), lambda b: b.database.read(fact_rows.clusters, ["k7", "k8"])),
    "excluded": (("excluded",), lambda b: b.database.read(fact_rows.excluded)),
    "facts_of_clusters": (("facts_of_clusters",), lambda b: b.database.read(fact_rows.facts_of_clusters, ["k7", "k8"])),
    "history": (("history",), lambda b: b.database.read(fact_rows.history, uuid(5, 7))),
    "facts_by_link_key": (("read",), lambda b: b.database.read(lambda c: facts_by_link_key(c, [("keyword", "b")], 3))),
    "person_stats": (("person_stats",), lambda b: b.database.read(person_stats, "P7")),
    "documents_of": (("documents_of",), lambda b: b.database.read(fact_rows.documents_of, [uuid(2, 7), uuid(1, 8)])),
    "messages_in_scope": (
        ("messages_in_scope",),
        lambda b: b.database.read(fact_rows.messages_in_scope, [uuid(2, 7), uuid(1, 8)], [["t1", "t2"], ["t3"]]),
    ),
    "facts_of_run": (("facts_of_run",), lambda b: b.database.read(fact_rows.facts_of_run, "r7")),
    "facts_beginning": (("facts_beginning",), lambda b: b.database.read(documents_read.facts_beginning, "0123abcd", 3)),
    "document_keys_beginning": (
        ("document_keys_beginning",),
        lambda b: b.database.read(documents_read.document_keys_beginning, "0123abcd", 3),
    ),
    "message_keys_beginning": (
        ("message_keys_beginning",),
        lambda b: b.database.read(documents_read.message_keys_beginning, "0123abcd", 3),
    ),
    "keys_beginning": (("keys_beginning",), lambda b: b.database.read(documents_read.keys_beginning, "0123abcd", 3)),
    "documents_of_run": (("documents_of_run",), lambda b: b.database.read(inputs.documents_of, "r7")),
    "inputs": (("inputs",), lambda b: b.database.read(inputs.inputs_of, SOME)),
    "fallback": (("begin_fallback", "end_fallback"), _stand_in),
    "note_inputs": (
        ("note_inputs",),
        lambda b: b.database.write(inputs.put_inputs, [DocumentInput(SOME[0], "r7", b"d" * 32)]),
    ),
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
async def _opened(directory: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[IndexedStore]:
    """A store whose statements are noted."""

    def recorded(path: Path, *, read_only: bool, unwritten: bool = False) -> sqlite3.Connection:
        with monkeypatch.context() as patch:
            patch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Recording))
            return connect(path, read_only=read_only, unwritten=unwritten)

    monkeypatch.setattr(database_module, "connect", recorded)
    async with open_store(directory) as store:
        await store.refresh_indexes()
        yield store


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
    async with _opened(tmp_path / "data", monkeypatch) as store:
        for name, (_, use) in USES.items():
            _SEEN.clear()
            await use(store)
            assert _SEEN, name
            for sql, parameters in list(_SEEN.items()):
                with sqlite3.connect(tmp_path / "data" / "memory.db") as connection:
                    allowed = IN_FORGETTING if name == "forget" else ()
                    through = [table for table in _scans(connection, sql, parameters) if table not in allowed]
                connection.close()
                short = re.sub(r"\?(,\s*\?)+", "?…", " ".join(sql.split()))
                wrong += [f"{name}: all of {table}: {short}" for table in through]
    assert not wrong, "\n".join(wrong)


def test_every_query_of_the_store_is_looked_at() -> None:
    """Whoever adds a method, or a function that reads documents or facts, says here how it is used, or that it looks at
    everything.
    """
    wanted = {name for name in vars(IndexedStore) if not name.startswith("_")}
    wanted -= {"open_indexes", "start", "close", "text", "index_failure", "remove_index", "state"}  # which read no row
    for module in (documents_read, fact_rows):
        functions = [each for each in vars(module).values() if isinstance(each, FunctionType)]
        own = [each for each in functions if each.__module__ == module.__name__ and not each.__name__.startswith("_")]
        wanted |= {each.__name__ for each in own if "connection" in each.__annotations__}
    wanted -= {"complete", "changed", "reset_knowledge"}  # which the others call
    missing = wanted - {name for names, _ in USES.values() for name in names} - set(WHOLE)
    assert not missing


async def test_pages_hold_each_document_once_in_order(large: Path) -> None:
    """All pages together are what one page of everything is, with each of the filters."""
    async with open_store(large, read_only=True) as store:
        for name, where in FILTERS.items():
            whole = await store.database.read(documents_read.listing, where, None, DOCUMENTS)
            pieces: list[DocumentLine] = []
            while page := await store.database.read(
                documents_read.listing, where, pieces[-1].key if pieces else None, 140
            ):
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
    async with open_store(large, read_only=True) as store:
        for name, where in FACTS.items():
            whole = await store.database.read(fact_rows.facts, where, 0, DOCUMENTS * 3)
            pieces: list[Any] = []
            while page := await store.database.read(fact_rows.facts, where, pieces[-1][0] if pieces else 0, 140):
                pieces += page
            assert pieces == whole, name
            assert [number for number, _ in whole] == sorted({number for number, _ in whole}), name
            assert whole or name in ("as of", "known at"), name


def test_a_speaker_is_looked_at_last_in_a_short_time(large: Path) -> None:
    """Few messages of a time are read by their time, many by their speaker; both find the same."""
    with closing(sqlite3.connect(large / "memory.db")) as connection:
        for until, index, rows in (
            (datetime(1975, 2, 1, tzinfo=UTC), "messages_by_time", [1_830, 10_830, 19_830]),
            (datetime(1994, 1, 1, tzinfo=UTC), "messages_by_speaker", [2_330, 2_830]),
        ):
            where = compile_filter(connection, Filter(speakers=("P331",), since=DAY, until=until))
            assert where is not None
            statements: list[str] = []
            connection.set_trace_callback(statements.append)
            found = matching_chunks(connection, where, 50)
            connection.set_trace_callback(None)
            assert set(rows) <= set(found)
            assert (len(found) == len(rows)) == (index == "messages_by_time")
            plan = connection.execute(f"EXPLAIN QUERY PLAN {statements[-1]}").fetchall()
            assert index in plan[0][3]


async def test_the_counts_are_those_of_the_rows(large: Path) -> None:
    """Rows that were written by any statement at all are counted."""
    async with open_store(large, read_only=True) as store:
        stats = await store.stats()
        assert (stats.documents, stats.messages, stats.chunks) == (DOCUMENTS, DOCUMENTS * 10, DOCUMENTS * 10)
        assert (stats.facts, stats.vectors_done, stats.vectors_pending) == (FACT_COUNT, 300, DOCUMENTS * 10 - 300)
        assert await store.database.read(fact_rows.rejections) == {"value": 2 * (DOCUMENTS - DOCUMENTS // 3)}
        assert await store.database.read(fact_rows.pending_extraction_count) == DOCUMENTS // 2
