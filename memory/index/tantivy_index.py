"""The word index: BM25 by tantivy over terms computed by memd. It is derived: it may lag behind SQLite, but never lie.

Each commit holds one reserved document with the store's id, the version of the terms and the number of the last change
it contains. If that is missing or of another store, or tantivy cannot open the files, the index is rebuilt. Raw text
never reaches tantivy's query parser: queries are built from terms.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import tantivy
from tantivy import FieldType, Occur, Query, Searcher

from ...schemas.errors import StoreError
from ..file_errors import ExhaustedError
from ..search_types import CompiledFilter, NameFilter
from .errors import index_errors
from .rows import TextRow
from .segment_checksums import check_footers, record_footers
from .segments import purge_segments, smallest_rows

Field = TypeVar("Field", bound=str)
FORMAT = 2
"""1: the first format. 2: rows of a large document name the document instead of its people."""
EXACT_BELOW = 5_000
"""The most documents for which ties are broken by row; in larger indexes that takes longer than it is worth."""
EQUALS = 128
"""The number of rows fetched to find all rows of equal score; if more are equal, they are searched by row."""
FIRST = 8
"""The factor of rows examined for equal scores, relative to the requested number; it multiplies again with each round.
"""
DIGITS = 5
"""Decimals of a score."""
HEAP = 48_000_000
"""Bytes of the writer's arena; tantivy requires at least 15 million per thread."""
_LEXICAL = ("lexical", "near", "wide")
_EXACT = ("speaker", "person", "crowd", "source", "chat", "kind", "tag")
_FOREVER = 2**62
"""Microseconds beyond the years 1 and 9999: tantivy accepts no range without bounds."""
REMOVALS = 50
"""The number of attempts to remove the files of an index, 20 ms apart."""
_MAX_TERM = 60_000
"""The most bytes of a term; tantivy drops terms over 65,530."""


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in _LEXICAL:
        builder.add_text_field(name, tokenizer_name="memd", index_option="freq")
    for name in _EXACT:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("row", indexed=True, fast=True)
    builder.add_integer_field("time", indexed=False, fast=True)
    builder.add_text_field("mark", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


class TantivyIndex:
    """The files under ``words/``: one writer, used by one thread at a time, and any number of readers."""

    def __init__(self, directory: Path, identity: str, *, read_only: bool) -> None:
        self.directory = directory
        self._identity = f"{FORMAT}/{identity}"
        self._schema = _schema()
        self._writer: tantivy.IndexWriter | None = None
        self._links: tempfile.TemporaryDirectory[str] | None = None
        self.sequence = 0
        """The number of the last change that a search sees."""
        self._index = self._opened(read_only=read_only)
        self._searcher = self._index.searcher()
        if not read_only:
            with index_errors("words", self.directory):
                self._writer = self._index.writer(heap_size=HEAP, num_threads=1)

    def _opened(self, *, read_only: bool) -> tantivy.Index:
        if self.directory.exists():
            try:
                with index_errors("words"):
                    check_footers(self.directory)
                    index = _opened(self._linked() if read_only else self.directory)
                    self.sequence = self._marked(index)
                    return index
            except ExhaustedError:
                raise  # the files may be intact
            except StoreError:
                pass
        if read_only:
            index = tantivy.Index(self._schema)
        else:
            with index_errors("words", self.directory.parent):
                _remove(self.directory)
                self.directory.mkdir(mode=0o700)
                index = tantivy.Index(self._schema, path=str(self.directory))
        _prepare(index)
        self.sequence = 0
        return index

    def _linked(self) -> Path:
        """Return a temporary folder of links to the files: tantivy creates a lock file in the folder it opens, even to
        read.
        """
        # tantivy may create its lock file while the folder is removed; only links are left then.
        self._links = tempfile.TemporaryDirectory(prefix="memd-words-", ignore_cleanup_errors=True)
        folder = Path(self._links.name)
        for path in self.directory.iterdir():
            if path.suffix != ".lock":
                (folder / path.name).symlink_to(path.absolute())
        return folder

    def _marked(self, index: tantivy.Index) -> int:
        searcher = index.searcher()
        marks = searcher.search(Query.term_query(self._schema, "row", 0), 2, count=False).hits
        if len(marks) != 1:
            raise ValueError("no mark")
        identity, _, number = str(searcher.doc(marks[0][1]).get_first("mark")).rpartition("/")
        if identity != self._identity:
            raise ValueError("another store's")
        return int(number)

    def update(self, gone: Iterable[int], rows: Iterable[TextRow], sequence: int) -> None:
        """Replace the documents of the chunks ``gone`` by ``rows`` and commit; a failure leaves the last commit.

        Raises:
            StoreError: the files cannot be written.
        """
        writer = self._writer
        if writer is None:
            raise StoreError("the store was opened for reading only", hint="the process that owns it can write")
        with index_errors("words", self.directory):
            try:
                for chunk in gone:
                    writer.delete_documents_by_term("row", chunk)
                for row in rows:
                    writer.add_document(self._document(row))
                writer.delete_documents_by_term("row", 0)
                mark = tantivy.Document()
                mark.add_integer("row", 0)
                mark.add_text("mark", f"{self._identity}/{sequence}")
                writer.add_document(mark)
                writer.commit()
            except BaseException:
                with contextlib.suppress(ValueError, OSError, RuntimeError):
                    writer.rollback()
                raise
            self._index.reload()
            self._searcher = self._index.searcher()
            self.sequence = sequence
            self._restrict()
            record_footers(self.directory)

    def _restrict(self) -> None:
        for path in self.directory.iterdir():
            with contextlib.suppress(FileNotFoundError):  # a merge may remove it at any time
                if path.stat().st_mode & 0o077:
                    path.chmod(0o600)

    @staticmethod
    def _document(row: TextRow) -> tantivy.Document:
        document = tantivy.Document()
        document.add_integer("row", row.chunk)
        document.add_text("lexical", row.fields.lexical)
        document.add_text("near", row.fields.near)
        document.add_text("wide", row.fields.wide)
        document.add_text("kind", row.kind)
        document.add_text("source", row.document.source)
        if row.document.chat:
            document.add_text("chat", row.document.chat)
        if row.speaker is not None:
            document.add_text("speaker", row.speaker)
        if row.document.crowd is not None:
            document.add_text("crowd", str(row.document.crowd))
        for name in row.document.people:
            document.add_text("person", name)
        for tag in row.document.tags:
            document.add_text("tag", tag)
        if row.time is not None:
            document.add_integer("time", row.time)
        return document

    def rows(self) -> set[int]:
        """Return every row id that a search may find.

        Raises:
            StoreError: the files cannot be read.
        """
        with index_errors("words"):
            searcher = self._searcher
            count = searcher.num_docs
            if not count:
                return set()
            hits: list[tuple[float, Any]] = searcher.search(Query.all_query(), count, count=False).hits
            rows = searcher.fast_field_values("row", [address for _, address in hits])
            return {int(row) for row in rows if row}

    def search(
        self,
        fields: Sequence[Field],
        terms: Sequence[str],
        where: CompiledFilter | None,
        limit: int,
        among: Sequence[int] | None = None,
    ) -> dict[Field, list[tuple[int, float]]]:
        """Return row ids and BM25 scores by field, best first."""
        query_terms = [term for term in dict.fromkeys(terms) if term and len(term.encode()) <= _MAX_TERM]
        if not query_terms or limit < 1 or (among is not None and not among):
            return {field: [] for field in fields}
        with index_errors("words"):
            restrictions = self._restrictions(where)
            if among is not None:
                rows = _any([self._term("row", row) for row in among])
                restrictions.append((Occur.Must, Query.const_score_query(rows, 0.0)))
            return {field: self._search(field, query_terms, restrictions, limit) for field in fields}

    def holding(self, groups: Sequence[Sequence[str]], where: CompiledFilter | None, limit: int) -> list[int]:
        """Return row ids of passing chunks whose own text has a term of each group; if there are more than ``limit``,
        the best.
        """
        if not groups or limit < 1:
            return []
        with index_errors("words"):
            required = [(Occur.Must, _any([self._term("lexical", term, "freq") for term in group])) for group in groups]
            query = Query.boolean_query([*required, *self._restrictions(where)])
            searcher = self._searcher
            hits: list[tuple[float, Any]] = searcher.search(query, limit, count=False).hits
            rows = searcher.fast_field_values("row", [address for _, address in hits])
            return [int(row) for row in rows if row]

    def _restrictions(self, where: CompiledFilter | None) -> list[tuple[Occur, Query]]:
        """Return the filter's clauses; none of them contributes to the score."""
        if where is None:
            return []
        required = [(Occur.Must, Query.const_score_query(condition, 0.0)) for condition in self._conditions(where)]
        if where.only is not None:  # a message has a speaker, and a piece of a text has none
            has_speaker = Query.const_score_query(Query.regex_query(self._schema, "speaker", "(?s).*"), 0.0)
            required.append((Occur.Must if where.only == "message" else Occur.MustNot, has_speaker))
        return required + [(Occur.MustNot, self._term("kind", kind)) for kind in where.without_kinds]

    def _search(
        self, field: str, terms: Sequence[str], restrictions: Sequence[tuple[Occur, Query]], limit: int
    ) -> list[tuple[int, float]]:
        query = _any([self._term(field, term, "freq") for term in terms])
        if restrictions:
            query = Query.boolean_query([(Occur.Must, query), *restrictions])
        searcher = self._searcher  # the same for all steps: the index may be emptied and refilled meanwhile
        if searcher.num_docs > EXACT_BELOW:
            return self._best(searcher, query, limit)
        hits = self._best(searcher, query, limit + 1)
        if len(hits) <= limit or hits[limit][1] < hits[limit - 1][1]:
            return hits[:limit]
        least = hits[limit][1]
        if (hits := self._best(searcher, query, EQUALS))[-1][1] < least:  # all equal rows were fetched
            return hits[:limit]
        better = [pair for pair in hits if pair[1] > least]
        return [*better, *self._first_of_equals(searcher, query, limit - len(better), least)]

    def _first_of_equals(self, searcher: Searcher, query: Query, limit: int, score: float) -> list[tuple[int, float]]:
        """Return the rows with this score that have the lowest numbers. tantivy breaks ties by position in its files,
        so a rebuilt index would return other rows.
        """
        hits: list[tuple[int, float]] = []
        looked_at, batch = 0, FIRST * limit
        while len(hits) < limit:
            rows = self._first_rows(searcher, query, looked_at, batch)
            if not rows:
                break
            within = Query.range_query(self._schema, "row", FieldType.Integer, rows[0], rows[-1])
            scored = Query.boolean_query([(Occur.Must, query), (Occur.Must, Query.const_score_query(within, 0.0))])
            hits += [pair for pair in self._best(searcher, scored, len(rows)) if pair[1] == score]
            looked_at, batch = looked_at + len(rows), batch * FIRST
        return hits[:limit]

    def _first_rows(self, searcher: Searcher, query: Query, offset: int, limit: int) -> list[int]:
        """Return the matching rows with the lowest numbers, ascending."""
        ascending: Any = cast("Any", tantivy).Order.Asc  # the stubs take a text
        hits: list[tuple[Any, Any]] = searcher.search(
            query, limit, count=False, offset=offset, order_by_field="row", order=ascending
        ).hits
        return [int(row) for row, _ in hits if row]

    def _best(self, searcher: Searcher, query: Query, limit: int) -> list[tuple[int, float]]:
        """Return row ids and scores, best first, ties by row. Scores are rounded: their last digits depend on the row's
        position in the files.
        """
        hits: list[tuple[float, Any]] = searcher.search(query, limit, count=False).hits
        rows = searcher.fast_field_values("row", [address for _, address in hits])
        pairs = [(int(row), round(float(score), DIGITS)) for row, (score, _) in zip(rows, hits, strict=True) if row]
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))

    def _term(self, field: str, value: str | int, option: str = "basic") -> Query:
        return Query.term_query(self._schema, field, value, index_option=option)

    def _conditions(self, where: CompiledFilter) -> list[Query]:
        conditions: list[Query] = []
        if where.speakers is not None:
            conditions.append(_any(self._names("speaker", where.speakers)))
        if where.people is not None:
            crowds = [self._term("crowd", str(document)) for document in where.crowds]
            conditions.append(_any([*self._names("person", where.people), *crowds]))
        tags = [("tag", group) for group in where.tags]
        for field, values in (("source", where.sources), *tags, ("kind", where.kinds)):
            if values:
                conditions.append(_any([self._term(field, value) for value in values]))
        if where.chats is not None:
            conditions.append(_any([self._term("chat", chat.hex()) for chat in where.chats]))
        if where.rows is not None:
            conditions.append(_any([self._term("row", row) for row in where.rows]))
        if where.since is not None or where.until is not None:
            low = -_FOREVER if where.since is None else where.since
            high = _FOREVER if where.until is None else where.until
            conditions.append(
                Query.range_query(self._schema, "time", FieldType.Integer, low, high, include_upper=False)
            )
        return conditions

    def _names(self, field: str, names: NameFilter) -> list[Query]:
        either = [self._term(field, name) for name in sorted(names.anywhere)]
        for chat, aliases in names.in_chats:
            alias = _any([self._term(field, name) for name in sorted(aliases)])
            both = [(Occur.Must, self._term("chat", chat.hex())), (Occur.Must, alias)]
            either.append(Query.boolean_query(both))
        for source, aliases in names.in_sources:
            alias = _any([self._term(field, name) for name in sorted(aliases)])
            both = [(Occur.Must, self._term("source", source)), (Occur.Must, alias)]
            either.append(Query.boolean_query(both))
        return either

    def smallest_rows(self, beside: Path) -> list[int] | None:
        """Return the rows in segments too small for `purge` to rewrite; None if there is no such segment. The index
        must be closed.

        Raises:
            StoreError: the files are not as expected, or cannot be read or written.
        """
        with index_errors("words"):
            self.remove(beside)
            return smallest_rows(self.directory, beside, _opened)

    def purge(self, beside: Path) -> None:
        """Remove deleted documents from the files of a closed index, which must be reopened afterwards; searches
        continue.

        Raises:
            StoreError: the files are not as expected, or cannot be read or written.
        """
        with index_errors("words"):
            self.remove(beside)
            purge_segments(self.directory, beside, _opened)

    def discard(self) -> None:
        """Remove the files of a closed index that belongs to a replaced copy of this store."""
        self.remove(self.directory)

    @staticmethod
    def remove(directory: Path) -> None:
        """Remove the files of an index that is not open."""
        with index_errors("words"):
            _remove(directory)

    def close(self) -> None:
        """Close the writer; uncommitted changes are made again from SQLite."""
        writer, self._writer = self._writer, None
        if writer is not None:
            with contextlib.suppress(ValueError, OSError, RuntimeError):
                writer.wait_merging_threads()
            record_footers(self.directory)
        if self._links is not None:
            self._links.cleanup()

    def release(self) -> None:
        """Unmap the files of a closed index, which could be searched until now. Otherwise references to this object,
        such as the traceback of a cancelled task, would keep them mapped.
        """
        del self._searcher, self._index


def _opened(directory: Path) -> tantivy.Index:
    index = tantivy.Index(_schema(), path=str(directory))
    _prepare(index)
    return index


def _prepare(index: tantivy.Index) -> None:
    analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("memd", analyzer)
    index.config_reader("manual")
    index.reload()


def _any(queries: Sequence[Query]) -> Query:
    if len(queries) == 1:
        return queries[0]
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _remove(directory: Path) -> None:
    """Remove a folder with its content, retrying because a tantivy thread may still be writing a file there."""
    for left in reversed(range(REMOVALS)):
        try:
            if directory.exists():
                shutil.rmtree(directory)
        except OSError:
            if not left:
                raise
            time.sleep(0.02)
        else:
            return
