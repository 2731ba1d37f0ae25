"""The `TextIndex` of one memory in Weaviate: one field is searched, with filters inside the search, and all are scored here.

A search of the server reads every object that holds one of its words, whatever it is searched for: so it gets the rarest words alone,
and what it finds is scored by all words, from the terms that each object holds of itself and of what is around it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from weaviate.classes.query import Filter
from weaviate.collections.classes.filters import _Filters as Condition  # pyright: ignore[reportPrivateUsage]

from ....schemas import Arm
from ...concurrency import together
from ...search_types import CompiledFilter
from ...text.fields import LexicalFields
from ..ports import NO_SCORES, TextIndex
from ..rows import TextRow
from . import schema
from .batches import Item, count_objects
from .bm25 import Statistics, rarest, scores_of, statistics_of
from .filters import NothingPasses, all_of, conditions_of, within
from .rows import distinct, object_id, row_of, text_properties, texts_of
from .server import WeaviateServer
from .tenant_index import GIVEN, MOST, TenantIndex
from .tenants import Epochs

INDEX = "words"
"""The name of its head."""
FORMAT = 2
LONGEST = 60_000
"""Bytes of a term; longer ones are in no index."""
DEPTH, LEAST = 4, 100
"""Times as many objects as rows are wanted in each field, and how many at least: the neighbours of a message hold its words as well."""
POSTINGS = 30_000
"""Objects that hold one of the words of a search; each costs the server half a microsecond. Of words that are held by more, those that
tell least are left to the scores."""
SAMPLE = 1_000
"""Objects that tell how frequent terms are."""
TEXTS = ("row", "lexical", "near", "wide")
"""The properties that scores are made from."""


class WeaviateText(TenantIndex):
    """One index. It must be opened by `open`; a failure makes that necessary again.

    Args:
        server: the server that holds it.
        identity: the store's id, a slash and the version of the terms.
        on_damage: called when a call fails, so that a task calls `open`.
        read_only: create nothing on the server.
    """

    def __init__(
        self,
        server: WeaviateServer,
        identity: str,
        on_damage: Callable[[], None] = lambda: None,
        *,
        read_only: bool = False,
    ) -> None:
        store, _, terms = identity.partition("/")
        made = f"{store}/{FORMAT}/{terms}"
        super().__init__(Epochs(server, INDEX, schema.MESSAGES, made, read_only=read_only), "words", on_damage)
        self._statistics: Statistics | None = None
        self._sampled_at = -1
        """The number of the last change when the statistics were looked at."""

    async def update(self, gone: Collection[int], rows: Sequence[TextRow], sequence: int) -> None:
        """Remove, add or replace objects, then write the number of the change into the head."""
        kept = {row.chunk for row in rows}
        items = _items(rows)

        async def work() -> None:
            await self._remove(row for row in gone if row not in kept)
            await self._put(items)

        await self._update(work, sequence)

    async def search(
        self,
        fields: Sequence[Arm],
        terms: Sequence[str],
        where: CompiledFilter | None,
        limit: int,
    ) -> dict[Arm, list[tuple[int, float]]]:
        """Return the best rows of each field, among those that one search of the server finds.

        A text that holds a term holds it in the widest field, too: that one is searched, unless another one alone is asked for.
        """
        field: Arm = "lexical" if list(fields) == ["lexical"] else "wide"
        statistics = await self._known_statistics()
        wanted = _usable(terms) if limit > 0 else []
        # Of little that passes a filter, all may hold nothing but the frequent words.
        most = POSTINGS if where is None or where.by_kind_only else inf
        query_terms = rarest(wanted, statistics, field, most)
        rows = await self._searched(field, query_terms, where, max(LEAST, DEPTH * limit))
        scores = scores_of(rows, wanted, statistics, fields)
        return {
            field: sorted(held.items(), key=lambda hit: (-hit[1], hit[0]))[: max(0, limit)]
            for field, held in scores.items()
        }

    async def scores(
        self,
        fields: Sequence[Arm],
        terms: Sequence[str],
        where: CompiledFilter | None,
        rows: Sequence[int],
        earlier: Mapping[Arm, Mapping[int, float]] = NO_SCORES,
    ) -> dict[Arm, dict[int, float]]:
        """Return the scores of these rows; the terms of those without a known score in every field are read from the server."""
        known_in_all = set(rows).intersection(*(earlier.get(field, {}) for field in fields))
        rows_to_read = [row for row in distinct(rows) if row not in known_in_all]
        held = await self._read(rows_to_read, where) if _usable(terms) else {}
        scores = scores_of(held, _usable(terms), await self._known_statistics(), fields)
        return {field: {**scores[field], **earlier.get(field, {})} for field in fields}

    async def _known_statistics(self) -> Statistics:
        """Return statistics of a sample, which is read again when the number of objects changed by a tenth, and in a
        small index at each change.
        """
        statistics, sequence = self._statistics, self.sequence
        if statistics is not None and self._sampled_at == sequence:
            return statistics
        count = await self._ask(partial(count_objects, self._server, self._epochs.place))
        if statistics is None or count <= SAMPLE or abs(count - statistics.chunks) > statistics.chunks / 10:
            # Their ids are hashes: the first ones are any.
            sample = await self._ask(partial(self._fetched, None, SAMPLE))
            statistics = statistics_of(sample.values(), count)
        self._statistics, self._sampled_at = statistics, sequence
        return statistics

    async def _searched(
        self, field: Arm, terms: Sequence[str], where: CompiledFilter | None, limit: int
    ) -> dict[int, LexicalFields]:
        """Return the best rows by a field, with their terms."""
        if not terms:
            return {}
        try:
            condition = all_of(conditions_of(where))
        except NothingPasses:
            return {}
        return await self._ask(partial(self._ranked, field, terms, condition, limit))

    async def _read(self, rows: Sequence[int], where: CompiledFilter | None) -> dict[int, LexicalFields]:
        """Return the terms of these rows; missing rows and those that do not pass are omitted."""
        try:
            conditions = conditions_of(where)
        except NothingPasses:
            return {}
        parts = [rows[begin : begin + GIVEN] for begin in range(0, len(rows), GIVEN)]
        filters = [
            all_of([Filter.by_id().contains_any([object_id(row) for row in part]), *conditions]) for part in parts
        ]
        calls = [partial(self._fetched, condition, GIVEN) for condition in filters]
        replies = await self._ask(lambda: together(*calls))
        return {row: texts for part in replies for row, texts in part.items()}

    async def _ranked(
        self,
        field: Arm,
        terms: Sequence[str],
        condition: Condition | None,
        limit: int,
        properties: Sequence[str] = TEXTS,
    ) -> dict[int, LexicalFields]:
        reply = await self._server.query(
            self._epochs.place,
            lambda collection: collection.query.bm25(
                " ".join(terms),
                query_properties=[field],
                filters=condition,
                limit=min(limit, MOST),
                return_properties=list(properties),
            ),
        )
        return {row_of(each.properties): texts_of(each.properties) for each in reply.objects}

    async def _fetched(self, condition: Condition | None, limit: int) -> dict[int, LexicalFields]:
        reply = await self._server.query(
            self._epochs.place,
            lambda collection: collection.query.fetch_objects(
                filters=condition, limit=limit, return_properties=list(TEXTS)
            ),
        )
        return {row_of(each.properties): texts_of(each.properties) for each in reply.objects}

    async def holding(self, groups: Sequence[Sequence[str]], where: CompiledFilter | None, limit: int) -> Sequence[int]:
        """Return the rows whose own text has a term of each group, the best by all of these terms first."""
        if not groups or limit < 1:
            return []
        try:
            condition = all_of([*(within("lexical", group) for group in groups), *conditions_of(where)])
        except NothingPasses:
            return []
        terms = list(dict.fromkeys(term for group in groups for term in group))
        return list(await self._ask(partial(self._ranked, "lexical", terms, condition, limit, ["row"])))

    async def differing(self, rows: Sequence[TextRow]) -> set[int]:
        """Compare hashes of the terms, of the filter columns, and of the texts for other tools."""
        return await self._differing(_items(rows))


def _items(rows: Sequence[TextRow]) -> list[Item]:
    return [Item(object_id(row.chunk), text_properties(row)) for row in rows]


def _usable(terms: Sequence[str]) -> list[str]:
    """Return the distinct terms that an index may hold."""
    return [term for term in dict.fromkeys(terms) if term and len(term.encode()) <= LONGEST]


if TYPE_CHECKING:
    _text_index: type[TextIndex] = WeaviateText
