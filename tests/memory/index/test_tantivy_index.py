"""The index of words by tantivy, beyond the contract of its port."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memd.memory.index.tantivy_index import TantivyIndex
from memd.tests.contracts.text_index import rows_of


def test_a_search_is_finished_on_the_index_that_it_began_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal rows are looked up in several steps, between which the index may be emptied to be filled anew."""
    index = TantivyIndex(tmp_path / "words", "store", read_only=False)
    numbers = range(1, 11)
    (row,) = rows_of(1)
    index.update([], [replace(row, chunk=number) for number in numbers], 1)
    best = TantivyIndex._best  # pyright: ignore[reportPrivateUsage]

    def emptied_behind(self: TantivyIndex, *arguments: Any) -> list[tuple[int, float]]:
        hits = best(self, *arguments)
        index.update(numbers, [], 2)
        return hits

    monkeypatch.setattr(TantivyIndex, "_best", emptied_behind)
    try:
        hits = index.search(("lexical",), ["red"], None, 3)["lexical"]
        assert [number for number, _ in hits] == [1, 2, 3]
        assert index.search(("lexical",), ["red"], None, 3)["lexical"] == []
    finally:
        index.close()
