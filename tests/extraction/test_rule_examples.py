"""Each row of the tables reads a message of the examples, and nothing is stated of it in another's mouth or taken back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from memd.memory.extraction.rules import engine
from memd.memory.extraction.rules.engine import PATTERNS, RulesExtractor
from memd.memory.extraction.rules.pattern import Pattern
from memd.memory.extraction.rules.value_checks import Value, value_of
from memd.memory.extraction.statement import Statement
from memd.memory.extraction.window import Line, Window
from memd.tests.cases import for_each

FILE = Path(__file__).parent / "rule_examples.txt"
SAID = datetime(2024, 7, 10, 14, 30, tzinfo=UTC)
SPEAKER = "Ann"
TWINS = {
    "quoted": 'Tom said: "{text}"',
    "quoted in German": "Da stand ‚{text}‘",
    "quoted in a book": "Da stand »{text}«",
    "quoted in Japanese": "There it said 「{text}」",
    "said by a name": "Tom said: {text}",
    "starred name": "*Mia*: {text}",
    "pasted": "> {text}",
    "forwarded": "Forwarded message\n{text}",
    "weitergeleitet": "Weitergeleitete Nachricht\n{text}",
    "reenviado": "Mensaje reenviado\n{text}",
    "hypothetical": "Imagine {text}",
    "condition": "If {text}, then what",
    "reported": "Ann told me {text}",
    "joke": "{text}. Just kidding!",
    "taken back": "{text}. Not.",
}


def read(*said: tuple[str, str]) -> list[Statement]:
    """What the rules make of messages of people, a minute apart."""
    lines = tuple(
        Line(number, UUID(int=number), f"m{number}", who, text, SAID.replace(minute=30 + number))
        for number, (who, text) in enumerate(said, start=1)
    )
    people = tuple(dict.fromkeys(who for who, _ in said))
    return list(RulesExtractor().read(Window(UUID(int=99), "d", "s", "", SPEAKER, people, lines)).statements)


def examples() -> Iterator[tuple[tuple[tuple[str, str], ...], list[str]]]:
    """The messages of each example, and the facts they state."""
    for block in FILE.read_text(encoding="utf-8").split("\n\n")[1:]:
        message, *facts = block.strip().split("\n")
        *asked, answer = message.split(" | ")
        yield (*(("Bo", each) for each in asked), (SPEAKER, answer)), [fact.strip() for fact in facts]


EXAMPLES = list(examples())
SINGLE = [said[0][1] for said, _ in EXAMPLES if len(said) == 1]


def shown(statement: Statement) -> str:
    """As the file shows it."""
    denied = "not " if statement.negated else ""
    return f"{denied}{statement.attribute}: {statement.value} = {statement.content}"


@for_each(EXAMPLES)
def test_an_example_states_its_facts(said: tuple[tuple[str, str], ...], facts: list[str]) -> None:
    """Attribute, value and a sentence about the person by name, in the message's language."""
    assert facts
    assert [shown(each) for each in read(*said)] == facts
    assert all(SPEAKER in fact.partition(" = ")[2] for fact in facts)


def test_each_row_reads_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its cue words, where a claim begins: else nobody would know what it is for."""
    used: set[int] = set()

    def noting(row: Pattern, match: re.Match[str], sentence: str, *, small: bool) -> Value | None:
        value = value_of(row, match, sentence, small=small)
        if value is not None:
            used.add(id(row))
        return value

    monkeypatch.setattr(engine, "value_of", noting)
    for said, _ in EXAMPLES:
        read(*said)
    assert [row.words for row in PATTERNS if id(row) not in used] == []


@pytest.mark.slow
@for_each([(twin, text) for twin in TWINS for text in SINGLE])
def test_what_is_not_asserted_states_nothing(twin: str, text: str) -> None:
    """Another's words, a condition, a joke."""
    assert [shown(each) for each in read((SPEAKER, TWINS[twin].format(text=text)))] == []


@for_each([said for said, _ in EXAMPLES if len(said) == 2])
def test_an_answer_needs_its_question(asked: tuple[str, str], answer: tuple[str, str]) -> None:
    """It states nothing by itself, and nothing after the speaker's own question."""
    assert [shown(each) for each in read(answer)] == []
    assert [shown(each) for each in read((SPEAKER, asked[1]), answer)] == []


@for_each(
    [
        ("Mein Geburtstag ist am 3. Mai", "sorry, 4. Mai", "birthday: --05-04 = Ann hat am 4. Mai Geburtstag."),
        ("my birthday is May 3", "sorry, May 4", "birthday: --05-04 = Ann's birthday is 4 May."),
        (
            "mi cumple es el 3 de junio",
            "digo julio!! el 3 de julio",
            "birthday: --07-03 = El cumpleaños de Ann es el 3 de julio.",
        ),
        ("My dog Sebastian is here", "*Sebastien", "pet: dog Sebastien = Ann has a dog called Sebastien."),
        ("I live in Newqauy", "*Newquay", "home: Newquay = Ann lives in Newquay."),
    ]
)
def test_a_correction_is_a_sentence_in_the_language_of_what_it_corrects(first: str, then: str, fact: str) -> None:
    """With the corrected value in the place of the other."""
    assert [shown(each) for each in read((SPEAKER, first), (SPEAKER, then))][1:] == [fact]


@for_each(
    [
        "My gf, Toby, and I went out",
        "Well, my wife says so",
        "Hey, mein Sohn",
        "Ich bin der Bankier",
        "I'm a terrible driver",
        "I'm from HR",
        "I work from home",
        "My card is 4111 1111 1111 1111",
        "my number is DE89 3704 0044 0532 0130 00",
        "my dog food is gone",
        "when I was a kid I had a dog called Bella",
        "I MOVED TO PARIS BABY OH YES",
        "My mom Googled it",
        "my brother Monday",
        "I live in Peace",
        "ich lebe in Hoffnung",
        "Ich will das nicht brauchen",
        "soy de letras",
        "mi madre Dice que no",
        "I'm allergic to mornings",
        "I have a horse in the race",
        "I live in Mobile homes",
        "I live in Rome NOT",
        "Ich komme aus Versehen",
        "Ich arbeite bei Nacht",
        "my number is 2023-03-01",
        "my email is a@b.c@d",
        "and we went there too, " * 21 + "I live in San Francisco",
        "I live in Same place as before",
        "I moved to Debian",
        "Working at Google is great fun, they say",
        "Lisa got married",
        "Tom and I are together right now",
        "Music is my boyfriend",
        "my pointer is null",
        "we have mice",
        "meine Maus ist kaputt",
        "Ich arbeite für Kunden",
        "Ich wohne in der Hoffnung",
        "vivo en la Casa Grande",
        "I'm half Polish",
        "My name is Ann",
        "I want to live in Leeds and work as a nurse",
        "I'm 34",
        "my kids Tom and Mia's dad",
        "we separated at noon",
        "I'm from Red Hat",
        "Komme gerade aus Hamburg",
        "ich wohne im Sommer in Berlin",
        "ich komme jetzt aus Köln",
        "my husband Oskar Winter is on TV",
        "I'M A NURSE",
        "I've lived in Chicago for a while",
        "I like to travel, lived in Chicago for a while",
        "We moved to Boston for college and then to Denver",
        "I started at Cornell in the fall",
        "Ich wohne in Kürze in Berlin",
        "Ich lebe in Beziehung",
        "Ich komme aus Haus und Hof",
        "ich bin nach Hause gezogen",
        "mi hermano Perdón",
        "heute hat mein Vater Geburtstag",
        "ich habe meiner Mutter Blumen geschenkt",
        "ich war mit meinem Bruder Fußball spielen",
        "weil meine Mutter Kaffee mag",
        "Da haben meine Kinder Masern und Grippe",
        "I miss my dad Every day",
        "I'm from Customer Service",
        "I'm from Group B",
        "I live in the North",
        "I work for a company",
        "I'm an artist at heart",
        "I'm a singer in the shower",
        "I work in the Kitchen",
        "I'm working at the library",
        "I started at Level 5",
        "my wife Googles it",
        "I've moved to London for the summer",
        "I'm living in Berlin next year",
        "I grew up in Communism",
        "I'm retired from the project",
        "Mein Name ist Programm",
        "mein Vater Staat",
        "Ich komme aus Neugier",
        "trabajo en Casa",
        "tengo 20 años menos",
    ]
)
def test_what_only_looks_like_a_fact_states_nothing(text: str) -> None:
    """Addresses and lists, brands and common words, cards and accounts, childhood, jest."""
    assert [shown(each) for each in read((SPEAKER, text))] == []


@for_each(
    [
        ("Where do you live now?", "Same place"),
        ("Where do you live now?", "Upstairs"),
        ("Where do you live now?", "Not Bath"),
        ("Where do you live now?", "Near Bath"),
        ("Where do you live now?", "Reading a book, sec"),
        ("Wo wohnst du?", "Essen fertig!"),
        ("Wo wohnst du?", "Gleich"),
        ("¿Dónde vives?", "Nada"),
        ("¿Dónde vives?", "Paso luego"),
    ]
)
def test_an_answer_that_names_no_place_states_no_home(asked: str, answer: str) -> None:
    """Though its first word has a capital."""
    assert [shown(each) for each in read(("Bo", asked), (SPEAKER, answer))] == []
