"""Words that may end a message of a birth, a car or a job without saying whose it is, and others that say it."""

from __future__ import annotations

from memd.memory.extraction.rules.engine import proposals_of
from memd.memory.extraction.rules.pattern import only_closes
from memd.memory.extraction.window import Line
from memd.tests.cases import for_each

from .test_no_facts import lines_of


def _stated(text: str) -> list[tuple[str, str]]:
    line: Line = lines_of(text)[0]
    return [(each.attribute, each.value) for each in proposals_of(line)]


@for_each(
    [
        ("Der Bub ist da! Xaver, 3800 Gramm. Alle gesund", ("child", "Xaver")),
        ("Der Bub ist da! Xaver, 3800 Gramm 🥰 alles gut", ("child", "Xaver")),
        ("she's here!! Anaya, born this morning. All well xx", ("child", "Anaya")),
        ("she's here!! Anaya, born this morning, all well", ("child", "Anaya")),
        ("she's here!! Anaya, born this morning lol", ("child", "Anaya")),
        ("she's here!! Anaya, born this morning :)", ("child", "Anaya")),
        ("Ya está aquí Vera, nació anoche, 3 kilos. Todo bien", ("child", "Vera")),
        ("picked up our new Golf today 😍 xx", ("car", "Golf")),
        ("picked up our new Golf today. loving it <3 :D", ("car", "Golf")),
        ("ab heute bei der Rewe, und zwar als Marktleiter. Freu mich", ("occupation", "Marktleiter")),
    ]
)
def test_a_harmless_end(text: str, stated: tuple[str, str]) -> None:
    """It may stand in the same sentence, behind an emoji, or in a sentence of its own."""
    assert stated in _stated(text)


@for_each(
    [
        "she's here!! Anaya, born this morning. All well?",
        "she's here!! Anaya, born this morning. All well with Kate",
        "she's here!! Nala, born this morning, all well 🐱",
        "Der Bub ist da! Xaver, 3800 Gramm. Alle gesund bei Lena",
        "Ya está aquí Vera, nació anoche, 3 kilos. Todo bien, hermana e hija",
        "picked up our new Golf today, love it when a game does that",
        "picked up our new Golf today. thanks to Avis",
    ]
)
def test_an_end_that_says_more(text: str) -> None:
    """A question, a name, an animal."""
    assert _stated(text) == []


def test_many_signs_are_read_at_once() -> None:
    """However the signs of a long text may be taken together."""
    assert only_closes(":) " * 20_000)
    assert not only_closes(":) x " * 20_000 + "q")
