"""What every `TextIndex` must hold: subclass `TextIndexContract` and give it the fixture `index`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from memd.memory.index.ports import TextIndex
from memd.memory.index.rows import DocumentFields, TextRow
from memd.memory.search_types import CompiledFilter, without_kinds_only
from memd.memory.text.fields import lexical_fields
from memd.schemas import Arm

FIELDS: list[Arm] = ["lexical", "near", "wide"]
TEXTS = ["red lamp", "blue lamp", "a ferry", "the red ferry", "candles"]


def rows_of(*numbers: int, source: str = "chat") -> list[TextRow]:
    """Rows of one conversation; row n holds the words of `TEXTS`, and of those around it."""
    document = DocumentFields(source, "", (), None, (), None, "")
    return [TextRow(n, lexical_fields(TEXTS[n - 1], TEXTS, n - 1), "ann", "text", n, document) for n in numbers]


async def stored_rows(numbers: Sequence[int]) -> list[TextRow]:
    """The rows that a store of them reads."""
    return rows_of(*numbers)


def only(source: str) -> CompiledFilter:
    """A filter that rows of this source pass."""
    return CompiledFilter(None, None, (source,), (), (), None, None)


class TextIndexContract:
    """The suite."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def index(self) -> TextIndex:
        """An empty index."""
        raise AssertionError("an implementation's tests give this fixture")

    async def test_an_empty_index_answers(self, index: TextIndex) -> None:
        """It has no rows and finds nothing."""
        assert index.sequence == 0
        assert await index.rows() == set()
        assert await index.search(FIELDS, ["lamp"], None, 5) == {"lexical": [], "near": [], "wide": []}
        assert await index.scores(FIELDS, ["lamp"], None, [1, 2]) == {"lexical": {}, "near": {}, "wide": {}}
        assert await index.check() == []

    async def test_updates_replace_and_are_seen_at_once(self, index: TextIndex) -> None:
        """Rows that go are not found; what is given again is there once; a repeated update changes nothing."""
        for _ in range(2):
            await index.update([1, 2, 3, 4, 5], rows_of(1, 2, 3, 4, 5), 7)
            assert (index.sequence, await index.rows()) == (7, {1, 2, 3, 4, 5})
        await index.update([1, 2], rows_of(2), 9)
        assert (index.sequence, await index.rows()) == (9, {2, 3, 4, 5})
        found = await index.search(["lexical"], ["lamp", "red"], None, 5)
        assert {row for row, _ in found["lexical"]} == {2, 4}

    async def test_the_best_come_first_up_to_the_limit(self, index: TextIndex) -> None:
        """By field, with scores that fall; more words in common score higher."""
        await index.update([], rows_of(1, 2, 3, 4, 5), 1)
        found = await index.search(FIELDS, ["red", "ferry"], None, 2)
        assert [len(hits) for hits in found.values()] == [2, 2, 2]
        assert found["lexical"][0][0] == 4
        for hits in found.values():
            scores = [score for _, score in hits]
            assert scores == sorted(scores, reverse=True)

    async def test_given_rows_get_the_scores_of_a_search(self, index: TextIndex) -> None:
        """`scores` are exact, rows without a term are left out, and what is known is kept."""
        await index.update([], rows_of(1, 2, 3, 4, 5), 1)
        whole = await index.search(FIELDS, ["red", "ferry"], None, 10)
        among = await index.scores(FIELDS, ["red", "ferry"], None, [1, 3, 5, 99])
        for field in FIELDS:
            expected = {row: pytest.approx(score) for row, score in whole[field] if row in (1, 3, 5)}
            assert among[field] == expected
        scores = await index.scores(FIELDS, ["red", "ferry"], None, [1, 3, 5, 99], {"near": {3: 0.25}})
        assert scores["near"].pop(3) == 0.25
        near = dict(among["near"])
        near.pop(3)
        assert scores == {"lexical": dict(among["lexical"]), "near": near, "wide": dict(among["wide"])}
        assert await index.scores(["wide"], ["lamp"], None, []) == {"wide": {}}

    async def test_a_filter_is_applied_inside_the_search(self, index: TextIndex) -> None:
        """One row of many that passes is found with a limit of 1; others have no score."""
        await index.update([], [*rows_of(1, 2, 3, 4), *rows_of(5, source="mail")], 1)
        found = await index.search(["wide"], ["ferry", "lamp", "candles"], only("mail"), 1)
        assert [row for row, _ in found["wide"]] == [5]
        assert await index.scores(["wide"], ["ferry"], only("mail"), [3, 4]) == {"wide": {}}

    async def test_a_document_has_a_tag_of_each_group(self, index: TextIndex) -> None:
        """Tags of one group mean any of them, several groups all; one row of many that passes is found."""
        tags = {1: ("user:ann", "session:1"), 2: ("user:ann", "session:2"), 3: ("user:bob", "session:1"), 4: (), 5: ()}
        rows = [replace(row, document=replace(row.document, tags=tags[row.chunk])) for row in rows_of(1, 2, 3, 4, 5)]
        await index.update([], rows, 1)
        for groups, expected in (
            ((("user:ann",),), {1, 2}),
            ((("user:ann", "user:bob"), ("session:1",)), {1, 3}),
            ((("user:ann",), ("session:2", "session:3")), {2}),
            ((("user:bob",), ("session:2",)), set[int]()),
        ):
            where = replace(without_kinds_only(()), by_kind_only=False, tags=groups)
            found = await index.search(["wide"], ["lamp", "ferry", "candles"], where, max(1, len(expected)))
            assert {row for row, _ in found["wide"]} == expected, groups

    async def test_rows_that_hold_all_words(self, index: TextIndex) -> None:
        """A term of each group in the row's own text; the filter holds inside; the best of many; none without words."""
        await index.update([], [*rows_of(1, 2, 3, 4), *rows_of(5, source="mail")], 1)
        assert set(await index.holding([("red", "blue"), ("lamp",)], None, 10)) == {1, 2}
        assert set(await index.holding([("red",), ("ferry",)], None, 10)) == {4}
        assert await index.holding([("red",), ("candles",)], None, 10) == []
        assert len(await index.holding([("lamp", "ferry")], None, 3)) == 3
        assert await index.holding([("candles",)], only("chat"), 10) == []
        assert await index.holding([], None, 10) == []

    async def test_kinds_and_rows_narrow_a_search(self, index: TextIndex) -> None:
        """Kinds that must not be, and rows alone that may be."""
        rows = rows_of(1, 2, 3, 4)
        await index.update([], [*rows[:3], replace(rows[3], kind="system")], 1)
        found = await index.search(["lexical"], ["red"], without_kinds_only(("system", "call")), 5)
        assert [row for row, _ in found["lexical"]] == [1]
        among = replace(without_kinds_only(()), rows=(2, 3))
        found = await index.search(["lexical"], ["red", "lamp", "ferry"], among, 5)
        assert {row for row, _ in found["lexical"]} == {2, 3}
        nothing = await index.search(["lexical"], ["red"], replace(among, rows=()), 5)
        assert nothing == {"lexical": []}

    async def test_a_rebuilt_index_takes_the_place(self, index: TextIndex) -> None:
        """Filled beside while this one answers, then changed over: nothing of the old is left."""
        await index.update([], rows_of(1, 2), 3)
        fresh = await index.fresh()
        await fresh.update([], rows_of(3, 4), 5)
        assert await index.rows() == {1, 2}
        await index.change_over(fresh)
        await fresh.close()
        assert (index.sequence, await index.rows()) == (5, {3, 4})
        await index.update([], rows_of(5), 6)
        assert await index.rows() == {3, 4, 5}

    async def test_a_purge_keeps_what_is_there(self, index: TextIndex) -> None:
        """Where it can be done, exactly the rows that are left are found afterwards, and updates go on."""
        await index.update([], rows_of(1, 2, 3, 4), 3)
        await index.update([1], [], 4)
        if await index.purge():
            assert (index.sequence, await index.rows()) == (4, {2, 3, 4})
            assert not index.damaged
            await index.update([], rows_of(5), 5)
            assert await index.rows() == {2, 3, 4, 5}

    async def test_opened_again_it_holds_what_it_held(self, index: TextIndex) -> None:
        """`open` starts with the last update."""
        await index.update([], rows_of(1, 2), 3)
        await index.open(1_000)
        assert (index.sequence, index.damaged, await index.rows()) == (3, False, {1, 2})
