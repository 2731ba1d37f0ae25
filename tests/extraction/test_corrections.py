"""What corrects the message before it, and what only sounds like it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from memd.memory.extraction.corrections import is_correction
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.window import Line, Window
from memd.tests.cases import for_each

SAID = datetime(2024, 7, 10, tzinfo=UTC)


def _values(*texts: str) -> list[str]:
    """What the messages of one person state."""
    lines = tuple(
        Line(n, UUID(int=n), f"m{n}", "Dana Reyes", text, SAID + timedelta(minutes=n))
        for n, text in enumerate(texts, start=1)
    )
    window = Window(UUID(int=99), "d", "s", "", "Dana Reyes", ("Dana Reyes",), lines)
    return [statement.value for statement in RulesExtractor().read(window).statements]


@for_each(
    [
        ("I live in Newport", "*Newquay, autocorrect", "Newquay"),
        ("I live in Newqauy", "*Newquay", "Newquay"),
        ("I work at Gregs", "Greggs*", "Greggs"),
        ("ich wohne in Bomn", "Bonn, blöde Autokorrektur", "Bonn"),
        ("ich wohne in Bomn", "Bonn, hab mich vertippt", "Bonn"),
        ("vivo en Cadis", "Cádiz, maldito corrector", "Cádiz"),
        ("my birthday is May 3", "sorry, May 4. i always mix it up with my sister's", "--05-04"),
        ("my birthday is May 3", "sorry, Anna! May 4", "--05-04"),
        ("my birthday is May 3", "sorry, May 4 not May 3", "--05-04"),
        ("Mein Geburtstag ist am 20. März", "äh sorry, am 21. März natürlich", "--03-21"),
        ("mi cumple es el 3 de junio", "digo julio!! el 3 de julio", "--07-03"),
        ("my birthday is May 3, 1990", "typo!! 1991, I'm not that old", "1991-05-03"),
    ]
)
def test_what_is_said_instead(first: str, then: str, value: str) -> None:
    """Of the word that is like it, of the day, or of its year alone."""
    assert _values(first, then)[1:] == [value]


@for_each(
    [
        ("I live in Newport", "*Newquay"),
        ("I live in Bath", "Beth, not a typo"),
        ("I live in Bath", "Beth, typo?"),
        ("ich wohne in Bonn", "Bond, lustiger Tippfehler"),
        ("ich wohne in Bonn", "Bond, kein Tippfehler"),
        ("my birthday is May 3", "sorry, Anna! May 4 works"),
        ("my birthday is May 3", "sorry, May 4. see you then"),
        ("my birthday is May 3", "sorry, May 4? that's my exam"),
        ("my birthday is May 3, 1990", "sorry, 2024 was a bad year"),
        ("mi cumple es el 3 de mayo", "digo, el 4 de mayo es de Ana"),
        ("my birthday is May 3", "sorry. May 10. Dentist. Got my days wrong"),
        ("my birthday is May 3", "wait, 4 May! Wrong week for the exam"),
        ("I live in Hull", "*Hell"),
        ("vivo en Roma", "Goma, maldito corrector"),
        ("my son is called Jude", "Hey Jude*"),
    ]
)
def test_what_corrects_nothing(first: str, then: str) -> None:
    """A joke about a typo, a word unlike the one before, a day or a year that more is said of."""
    assert len(_values(first, then)) == 1


def test_words_of_a_statement_that_corrects() -> None:
    """Those that open much else than a correction are none."""
    assert is_correction("*Salamanca, perdón")
    assert is_correction("typo!! 21 june")
    assert is_correction("digo julio")
    assert not is_correction("sorry, I live in Bath")
    assert not is_correction("digo que sí")
    assert not is_correction("*waves*")
