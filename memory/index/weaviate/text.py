"""The `TextIndex` of one memory in Weaviate: BM25 over the terms that memd made, with filters inside the search."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

import anyio.to_thread
import weaviate
from anyio import CancelScope
from weaviate.classes.query import MetadataQuery
from weaviate.collections.classes.filters import _Filters as Condition  # pyright: ignore[reportPrivateUsage]

from ....schemas import Arm
from ....schemas.errors import StoreError
from ...concurrency import together
from ...records import CheckResult
from ...store.filters import CompiledFilter
from ..ports import NO_SCORES, RowsOf, TextIndex
from ..text_documents import TextRow
from . import schema
from .batches import Item, differing_items, put, remove_rows, rows_in
from .filters import NothingPasses, all_of, conditions_of, within
from .rows import distinct, object_id, row_of, text_properties
from .server import WeaviateServer
from .tenants import Epochs

T = TypeVar("T")
INDEX = "words"
"""The name of its head."""
FORMAT = 1
SATURATION = 2.2
"""k1 + 1, which Weaviate leaves out of its scores; so they are those of the textbook."""
LONGEST = 60_000
"""Bytes of a term; longer ones are in no index."""
AMONG = 5_000
"""Rows in one filter."""
MOST = 10_000
"""Objects that a server gives at a time."""


class WeaviateText:
    """One index. It must be opened by `reopen`; a failure makes that necessary again.

    Args:
        server: where it is.
        identity: the store's id, a slash and the version of the terms.
        newest: the number of the store's last change.
        on_damage: called when a call fails, so that somebody calls `reopen`.
        read_only: nothing is made.
    """

    def __init__(
        self,
        server: WeaviateServer,
        identity: str,
        newest: Callable[[], int],
        on_damage: Callable[[], None] = lambda: None,
        *,
        read_only: bool = False,
    ) -> None:
        store, _, terms = identity.partition("/")
        made = f"{store}/{FORMAT}/{terms}"
        self._epochs = Epochs(server, INDEX, schema.MESSAGES, made, read_only=read_only)
        self._newest = newest
        self._server = server
        self._on_damage = on_damage

    @property
    def sequence(self) -> int:
        """The number of the last change that a search sees."""
        return self._epochs.sequence

    @property
    def damaged(self) -> bool:
        """Whether the server failed, or was not asked yet."""
        return self._epochs.failure is not None

    @property
    def failure(self) -> StoreError | None:
        """What the server said, or that it does not answer."""
        return self._epochs.failure

    async def reopen(self) -> None:
        """Look at what the server holds."""
        await self._epochs.open(await anyio.to_thread.run_sync(self._newest))

    async def _asked(self, calls: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
        """What the calls give. After a failure of all nothing is asked until `reopen` found out what the server lost or refused.

        Raises:
            StoreError: what the server said.
        """
        self._epochs.require()
        try:
            return list(await together(*calls))
        except StoreError as error:
            if await self._epochs.judge(error):
                self._on_damage()
            raise

    async def update(self, gone: Collection[int], rows: Sequence[TextRow], sequence: int) -> None:
        """Remove, add or replace, then say so in the head."""
        kept = {row.chunk for row in rows}
        removed = [row for row in distinct(gone) if row not in kept]
        items = [Item(object_id(row.chunk), text_properties(row)) for row in rows]

        async def work() -> None:
            await remove_rows(self._server, self._epochs.place, removed)
            await put(self._server, self._epochs.place, items)
            await self._epochs.written(sequence)

        await self._asked([work])

    async def search(
        self,
        fields: Sequence[Arm],
        terms: Sequence[str],
        where: CompiledFilter | None,
        limit: int,
        among: Sequence[int] | None = None,
    ) -> dict[Arm, list[tuple[int, float]]]:
        """The best rows of each field, all fields at once."""
        return await self._search([(field, among) for field in fields], terms, where, limit)

    async def scores(
        self,
        fields: Sequence[Arm],
        terms: Sequence[str],
        where: CompiledFilter | None,
        rows: Sequence[int],
        known: Mapping[Arm, Mapping[int, float]] = NO_SCORES,
    ) -> dict[Arm, dict[int, float]]:
        """The scores of these rows: in each field a search among those that are not known, all fields at once."""
        asked: list[tuple[Arm, Sequence[int] | None]] = [
            (field, [row for row in rows if row not in known.get(field, ())]) for field in fields
        ]
        found = await self._search(asked, terms, where, len(rows))
        return {field: {**known.get(field, {}), **dict(found[field])} for field in fields}

    async def _search(
        self,
        asked: Sequence[tuple[Arm, Sequence[int] | None]],
        terms: Sequence[str],
        where: CompiledFilter | None,
        limit: int,
    ) -> dict[Arm, list[tuple[int, float]]]:
        """The best of each field, among some rows or all."""
        found: dict[Arm, list[tuple[int, float]]] = {field: [] for field, _ in asked}
        query = " ".join(term for term in dict.fromkeys(terms) if term and len(term.encode()) <= LONGEST)
        if not query or limit < 1:
            return found
        try:
            conditions = conditions_of(where)
        except NothingPasses:
            return found
        parts: list[tuple[Arm, Condition | None]] = []
        for field, among in asked:
            if among is None:
                parts.append((field, all_of(conditions)))
                continue
            rows = distinct(among)
            some = [rows[begin : begin + AMONG] for begin in range(0, len(rows), AMONG)]
            parts.extend((field, all_of([*conditions, within("row", each)])) for each in some)
        answers = await self._asked([partial(self._ranked, field, query, part, limit) for field, part in parts])
        for (field, _), hits in zip(parts, answers, strict=True):
            found[field] += hits
        return {field: sorted(hits, key=lambda hit: -hit[1])[:limit] for field, hits in found.items()}

    async def _ranked(self, field: Arm, query: str, condition: Condition | None, limit: int) -> list[tuple[int, float]]:
        place = self._epochs.place

        async def work(client: weaviate.WeaviateAsyncClient) -> list[tuple[int, float]]:
            found = await self._server.collection(client, place).query.bm25(
                query,
                query_properties=[field],
                filters=condition,
                limit=min(limit, MOST),
                return_properties=["row"],
                return_metadata=MetadataQuery(score=True),
            )
            return [(row_of(each.properties), SATURATION * (each.metadata.score or 0.0)) for each in found.objects]

        return await self._server.read(work)

    async def holding(self, groups: Sequence[Sequence[str]], where: CompiledFilter | None, limit: int) -> Sequence[int]:
        """The rows whose own text has a term of each group, the best by all of these terms first."""
        if not groups or limit < 1:
            return []
        try:
            condition = all_of([*(within("lexical", group) for group in groups), *conditions_of(where)])
        except NothingPasses:
            return []
        query = " ".join(dict.fromkeys(term for group in groups for term in group))
        (found,) = await self._asked([partial(self._ranked, "lexical", query, condition, limit)])
        return [row for row, _ in found]

    async def rows(self) -> set[int]:
        """All rows, a page at a time."""
        (found,) = await self._asked([partial(rows_in, self._server, self._epochs.place)])
        return found

    async def differing(self, rows: Sequence[TextRow]) -> set[int]:
        """By a hash of the terms, of what filters look at, and of what other tools read."""
        items = [Item(object_id(row.chunk), text_properties(row)) for row in rows]
        (found,) = await self._asked([partial(differing_items, self._server, self._epochs.place, items)])
        return found

    async def fresh(self) -> WeaviateText:
        """An empty index in the tenant of the next epoch."""
        beside = copy(self)
        beside._epochs = await self._epochs.beside()  # noqa: SLF001 - of the same class
        return beside

    async def change_over(self, fresh: TextIndex) -> None:
        """Take over the tenant of ``fresh``; the old one goes with its files."""
        epochs = cast("WeaviateText", fresh)._epochs  # noqa: SLF001 - of the same class
        await epochs.take_over()
        self._epochs = epochs

    async def purge(self, rows_of: RowsOf) -> bool:
        """Only another tenant holds nothing of what was removed."""
        del rows_of
        return False

    async def check(self) -> list[CheckResult]:
        """The collection, and its head."""
        return await self._epochs.check("words")

    async def close(self) -> None:
        """Remove what nobody took over."""
        with CancelScope(shield=True):
            await self._epochs.leave()


if TYPE_CHECKING:
    _text_index: type[TextIndex] = WeaviateText
