"""Whose words a message holds: another's who writes in somebody's place, or about somebody else without naming them again."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from memd.memory.extraction.rules.other_voices import lacks_its_subject, own_lines
from memd.memory.extraction.window import Line
from memd.tests.cases import for_each
from memd.tests.extraction.test_rule_examples import read

SAID = datetime(2024, 7, 10, tzinfo=UTC)


def lines(*said: tuple[str, str]) -> list[Line]:
    """Messages of people, numbered from 1."""
    return [Line(n, UUID(int=n), f"m{n}", who, text, SAID) for n, (who, text) in enumerate(said, start=1)]


@for_each(
    [
        "Its Molly typing for grandad. I am 9 and I live at the seaside",
        "Molly here, I live in Hull",
        "this is Bea's daughter, I live in Hull",
        "Hier schreibt Lena, seine Tochter. Ich wohne in Kiel",
        "Hi this is Tim on Anna's phone, I live in Hull",
        "hier schreibt Merle, Grandad fährt. Ich wohne in Kiel",
        "hallo, ich bins, die Schwester von Grandad, ich wohne in Kiel",
        "hier tippt gerade Merle, ich wohne in Kiel",
        "ich komm aus Fulda (immernoch Merle)",
        "Grandad duscht noch, ich komme aus Fulda",
        "holaaa soy Carla, Grandad está cocinando. yo soy celíaca",
        "os escribe Carla, soy vegana",
        "soy la hija de Grandad, vivo en Lugo",
        "me gusta el jazz (Carla otra vez, perdón)",
        "Grandad no puede hablar, vivo en Lugo",
    ]
)
def test_whoever_writes_in_somebodys_place_is_not_the_speaker(text: str) -> None:
    """Until the speaker is back."""
    said = lines(("Grandad", text), ("Bo", "I live in Leeds"), ("Grandad", "me again"), ("Grandad", "I live in Hove"))
    assert own_lines(said) == {2, 3, 4}


@for_each(
    [
        "ok this bit is dictated by Milo (7):",
        "das diktiert mir Milo:",
        "nan says:",
        "copying the ad here",
        "new lyrics:",
    ]
)
def test_what_is_announced_is_anothers(text: str) -> None:
    """The next message of the same person; the other goes on in their own voice."""
    said = lines(("Vesna", text), ("Vesna", "I live in a spaceship"), ("Dov", "I live in Hull"))
    assert 2 not in own_lines(said)
    assert 3 in own_lines(said)


def test_who_plays_speaks_as_a_figure() -> None:
    """From the words of the game to the words of real life, and right before these."""
    said = lines(
        ("Pim", "gg. where are you"), ("Zed", "I'm a blacksmith"), ("Pim", "irl I'm a nurse"), ("Zed", "I bake")
    )
    assert own_lines(said) == {3, 4}
    assert own_lines(lines(("Zed", "I'm a blacksmith"), ("Pim", "ok irl gotta go"))) == {2}


def test_a_speaker_who_gives_their_own_name_is_the_speaker() -> None:
    """A part of the name is enough."""
    assert own_lines(lines(("Molly Reed", "Molly here, I live in Hull"))) == {1}


@for_each(
    [
        ("en", "moved to Leeds", "", "and where does her brother live?", True),
        ("en", "moved to Leeds", "", "How's Tom?", True),
        ("en", "moved to Leeds", "", "where do you live?", False),
        ("en", "moved to Leeds", "", "her brother is nice", False),
        ("en", "I moved to Leeds", "My sister is well. ", "How's Tom?", False),
        ("en", "moved to Leeds", "My sister is well. ", "", True),
        ("en", "moved to Leeds", "Tom's fine. ", "", True),
        ("en", "moved to Leeds", "Finally done! ", "", False),
        ("en", "moved to Leeds", "I left my husband, ", "", False),
        ("de", "Kreuzband gerissen", "Mein Bruder ist raus, ", "", True),
        ("de", "hab das Kreuzband gerissen", "Mein Bruder ist raus, ", "", False),
        ("es", "vivo en Lugo", "Mi hermana bien. ", "", False),
    ]
)
def test_words_without_a_subject_may_go_on_about_another(
    language: str, words: str, before: str, asked: str, lacks: bool
) -> None:
    """When somebody else was spoken of or asked for before."""
    assert lacks_its_subject(language, words, before, asked) == lacks


def test_a_fact_without_a_subject_is_the_speakers_only_where_nobody_else_is_spoken_of() -> None:
    """Read by the rules, with what is said before."""
    assert [each.value for each in read(("Bo", "any news?"), ("Dana Reyes", "moved to Leeds"))] == ["Leeds"]
    assert read(("Bo", "any news of her brother?"), ("Dana Reyes", "moved to Leeds")) == []


@for_each(
    [
        ("We got a dog! Her name is Ida.", ["dog Ida"]),
        ("We got a dog! Her name is on the door.", ["dog"]),
        ("adoptamos un galgo! se llama Viento", ["galgo Viento"]),
        ("Wir haben einen Dackel. Er heißt Anton", ["Dackel Anton"]),
        ("We have a puppy, she's called Juno", ["puppy Juno"]),
    ]
)
def test_a_name_is_read_with_the_sentence_before(text: str, values: list[str]) -> None:
    """And what is named is not stated a second time without its name."""
    assert [each.value for each in read(("Dana Reyes", text)) if each.attribute == "pet"] == values
