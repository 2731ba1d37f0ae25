"""Long numbers meet however their digits are grouped; digits that stand beside each other by chance do not."""

from __future__ import annotations

from memd.memory.text.analyzer import query_terms, terms
from memd.memory.text.highlights import Highlighter
from memd.memory.text.numbers import long_numbers
from memd.tests.cases import check_all

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
