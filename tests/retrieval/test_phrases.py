"""Words in quotes stand together, in any writing; what matches is marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memd.memory.text.analyzer import query_terms
from memd.memory.text.highlights import Highlighter
from memd.memory.text.phrases import Phrase, quoted
from memd.tests.cases import for_each


@for_each(
    [
        ('who said "wifi code"?', ("wifi code",)),
        ("who said \u201cwifi code\u201d and \u201erotes Auto\u201c?", ("wifi code", "rotes Auto")),
        ("\u00abcl\u00e9 bleue\u00bb", ("cl\u00e9 bleue",)),
        ("\u300c\u81ea\u8ee2\u8eca\u300d\u306f\u3069\u3053", ("\u81ea\u8ee2\u8eca",)),
        ('an "open quote', ()),
        ('"" and " "', ()),
        ('"twice" "twice"', ("twice",)),
        ("it's Ann's", ()),
    ]
)
def test_what_stands_in_quotes_is_a_phrase(question: str, expected: tuple[str, ...]) -> None:
    """Quotes of many languages; apostrophes are none, and one that is not closed is none."""
    assert quoted(question) == expected


@for_each(
    [
        ("wifi code", "the WiFi: code is 12", True),
        ("wifi code", "the code of the wifi", False),
        ("key", "a monkey", False),
        ("don't go", "please don\u2019t go there", True),
        ("Munchen", "in M\u00fcnchen", True),
        ("\u81ea\u8ee2\u8eca", "\u79c1\u306e\u81ea\u8ee2\u8eca\u306f\u99c5", True),
        ("\u81ea\u99c5", "\u81ea\u8ee2\u8eca\u306f\u99c5", False),
        ("\U0001f642", "ok \U0001f642", True),
        ("\U0001f642 \U0001f642", "ok \U0001f642 \U0001f642", True),
        ("\U0001f642 \U0001f642", "ok \U0001f642\U0001f642", True),
        ("12 34", "12-34", True),
        ("12", "112", False),
    ]
)
def test_a_phrase_is_found_word_by_word(phrase: str, text: str, held: bool) -> None:
    """Whatever case, accents and punctuation; never a part of a word where words are parted."""
    assert Phrase(phrase).is_in(text) is held


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_a_text_holds_what_was_cut_out_of_it(before: str, phrase: str, after: str) -> None:
    """Between blanks, any text with a term is found; nothing fails on any text."""
    held = Phrase(phrase).is_in(f"{before} {phrase} {after}")
    assert held or not Phrase(phrase).terms


@for_each(
    [
        ("where did Bob's sister move?", "Bob's sisters moved to Lisbon", ["Bob's", "sisters", "moved"]),
        ("Wo ist die Maschine?", "Die Waschmaschine, Maschinen", ["Waschmaschine", "Maschinen"]),
        ("\u81ea\u8ee2\u8eca\u306f", "\u79c1\u306e\u81ea\u8ee2\u8eca\u306f", ["\u81ea\u8ee2\u8eca\u306f"]),
        ("who rests?", "the restaurant", []),
        ("wifi", "", []),
    ]
)
def test_matching_words_are_marked(question: str, text: str, marked: list[str]) -> None:
    """The word, its forms, and compounds that hold it; not words that only begin alike."""
    assert [text[start:end] for start, end in Highlighter(query_terms(question)).spans(text)] == marked


@given(st.text(max_size=60), st.text(max_size=200), st.integers(0, 100))
def test_marks_lie_apart_within_the_part(question: str, text: str, start: int) -> None:
    """Ascending, not empty, inside the part that is shown."""
    start = min(start, len(text))
    end = (start + len(text)) // 2
    at = start
    for first, last in Highlighter(query_terms(question)).spans(text, start, end):
        assert at <= first < last <= end
        at = last
