"""Long numbers meet however their digits are grouped; digits that stand beside each other by chance do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.memory.indexing.indexed_store import open_store
from memd.memory.retrieval.search import Retriever
from memd.memory.store.documents_write import apply_changes
from memd.memory.text.analyzer import query_terms, terms
from memd.memory.text.highlights import Highlighter
from memd.memory.text.numbers import long_numbers
from memd.schemas import Query
from memd.tests.cases import check_all
from memd.tests.memory.store.samples import conversation, group

FORMS = (
    ("0431558120", "0431 55 81 20", "0431/558120", "0431-55-81-20", "(0431) 55 81 20", "0431 / 55.81.20",
     "+49 431 558120", "+49 (0)431 55 81 20", "+49431558120", "0049 431 558120"),
    ("415-555-2671", "+1 (415) 555-2671", "4155552671"),
    ("DE89 3704 0044 0532 0130 00", "de89370400440532013000"),
    ("1.234.567", "1 234 567", "1234567"),
)  # fmt: skip
"""Forms of one number each."""
NONE = (
    "18.03.2025", "2025-03-18 13:00 to 14:00", "in 2024. 15 people", "5 apples, 12 pears, 7 plums, 40 nuts",
    "room 12 34", "12:30 1234", "ab12 this word",
)  # fmt: skip


def test_forms_of_a_number_meet() -> None:
    """Each form finds each other one, and is highlighted."""

    def check(pair: tuple[str, str]) -> None:
        question, text = pair
        sentence = f"Für Frau Clausen: {text}, ruf an"
        asked = query_terms(f"whose is {question}?")
        longest = {term for term in asked if sum(map(str.isdigit, term)) >= 7}
        assert longest & set(terms(sentence))
        marked = {sentence[start:end].lstrip("+(") for start, end in Highlighter(asked).spans(sentence)}
        assert text.lstrip("+(") in marked

    check_all([(one, other) for forms in FORMS for one in forms for other in forms], check)


def test_other_digits_are_no_number() -> None:
    """Dates, times, short numbers and those of two sentences are not joined."""

    def check(text: str) -> None:
        assert list(long_numbers(text)) == []

    check_all(NONE, check)


def test_tables_of_digits_are_no_number() -> None:
    """A row of many digits gives no term."""
    assert list(long_numbers("1 2 3 4 5 6 7 8 " * 100)) == []


@pytest.mark.anyio
async def test_the_message_with_the_number_of_the_question_is_first(tmp_path: Path) -> None:
    """Whatever else the others have in common with the question."""
    lines = [
        ("Ann", "Wem gehört die Nummer? Die Nummer gehört wem?"),
        ("Bob", "Jessen: 0431-33 47 10"),
        ("Ann", "Nummer 2"),
    ]
    async with open_store(tmp_path) as store:
        await store.database.write(apply_changes, group(conversation("a"), lines))
        await store.refresh_indexes()
        for question in ("Wem gehört die Nummer 0431334710?", "Wem gehört die Nummer +49 431 33 47 10?"):
            hits = (await Retriever(store, None).query(Query(text=question, context=0))).hits
            assert hits[0].text == lines[1][1]
