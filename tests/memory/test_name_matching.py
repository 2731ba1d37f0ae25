"""Names by a part of them: unique, several, none, and what they may have been meant to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.memory.text.name_matching import NameIndex, alike, plain
from memd.tests.cases import for_each

NAMES = ("Lena Brandt", "Lena Okafor", "Zoë Çelik", "Ann", "Anna Lee", "Priya Raman", "山田太郎", "Joana d'Arc", "")


@for_each(
    [
        ("lena brandt", ["Lena Brandt"]),
        ("LENA", ["Lena Brandt", "Lena Okafor"]),
        ("brandt", ["Lena Brandt"]),
        ("oka", ["Lena Okafor"]),
        ("zoe", ["Zoë Çelik"]),
        ("celik", ["Zoë Çelik"]),
        ("Zoe\u0308", ["Zoë Çelik"]),
        ("ann", ["Ann"]),
        ("anna", ["Anna Lee"]),
        ("an", ["Ann", "Anna Lee"]),
        ("priya  raman", ["Priya Raman"]),
        ("山田", ["山田太郎"]),
        ("ena", []),
        ("", []),
        ("  ", []),
    ]
)
def test_a_part_of_a_name(asked: str, found: list[str]) -> None:
    """A whole name goes before its part, a word before the beginning of one."""
    assert NameIndex(NAMES).matches(asked) == found


DRESSED = (
    'Oma "Hilde" Weiß',
    "Zoë O'Brien",
    "Anna-Lena (work)",
    "Łukasz Bjørn",
    "❤️",
    "Işık",
    "(me)",
    "Mehmet",
    "Familia ❤️ «Los Pérez»",
    "प्रिया",
)


@for_each(
    [
        ("hilde", ['Oma "Hilde" Weiß']),
        ("oma hilde", ['Oma "Hilde" Weiß']),
        ("hil", ['Oma "Hilde" Weiß']),
        ("weiss", ['Oma "Hilde" Weiß']),
        ("O\u2019Brien", ["Zoë O'Brien"]),
        ("brien", ["Zoë O'Brien"]),
        ("anna lena", ["Anna-Lena (work)"]),
        ("work", ["Anna-Lena (work)"]),
        ("lukasz", ["Łukasz Bjørn"]),
        ("bjorn", ["Łukasz Bjørn"]),
        ("isik", ["Işık"]),
        ("los perez", ["Familia ❤️ «Los Pérez»"]),
        ("familia los", ["Familia ❤️ «Los Pérez»"]),
        ("❤️", ["❤️"]),
        ("प्रि", ["प्रिया"]),
        ("me", ["Mehmet"]),
        ("(me)", ["(me)"]),
        ("()", []),
        ('"', []),
        ("obri", []),
    ]
)
def test_a_word_of_a_name_between_punctuation(asked: str, found: list[str]) -> None:
    """Quotes, brackets, hyphens, apostrophes and hearts divide words, and nobody has to type them."""
    assert NameIndex(DRESSED).matches(asked) == found


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("lena brant", ["Lena Brandt"]), ("pria", ["Priya Raman"]), ("xyzzy", []), ("", [])],
)
def test_a_misspelled_name(asked: str, meant: list[str]) -> None:
    """The nearest are told, and nothing where none is near."""
    assert alike(asked, NAMES, 3)[: len(meant) or None] == meant


@given(st.text(min_size=1), st.lists(st.text(), max_size=5))
def test_a_name_finds_itself_alone(name: str, others: list[str]) -> None:
    """Whatever else there is, the exact name means no other one but those that fold alike."""
    found = NameIndex([*others, name]).matches(name)
    assert name in found or not plain(name)
