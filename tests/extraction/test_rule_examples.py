"""Each row of the tables reads its own example, and none of the sentences made of it that state nothing of the speaker now."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from uuid import UUID

import pytest

from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.rules.pattern import Pattern
from memd.memory.extraction.rules.patterns import PATTERNS
from memd.memory.extraction.rules.questions import QUESTIONS, Question
from memd.memory.extraction.statement import Statement
from memd.memory.extraction.window import Line, Window
from memd.memory.facts.value_similarity import terms_of
from memd.tests.cases import for_each

SAID = datetime(2024, 7, 10, 14, 30, tzinfo=UTC)
SPEAKER = "Dana Reyes"
WITH_EXAMPLE = [row for row in PATTERNS if row.example]
TWINS = {
    "quoted": 'Tom said: "{text}"',
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


def said_in(example: str) -> tuple[list[tuple[str, str]], str]:
    """The messages of an example, the last of them the speaker's, and the value that it states."""
    text, _, value = example.rpartition(" = ")
    *asked, answer = text.split(" | ")
    return [*[("Bo", each) for each in asked], (SPEAKER, answer)], value


def states(statement: Statement, row: Pattern | Question, value: str) -> bool:
    """Whether it is what the row makes of its example."""
    same = statement.attribute == row.attribute or (row.attribute == "home" and statement.attribute == "location")
    if not same or statement.speaker != SPEAKER:
        return False
    return statement.value == value or terms_of(value) <= terms_of(statement.value)


@pytest.mark.slow
@for_each(WITH_EXAMPLE)
def test_a_row_reads_its_example(row: Pattern) -> None:
    """With its value, denied where the row denies."""
    said, value = said_in(row.example)
    found = read(*said)
    assert any(states(each, row, value) and each.negated == row.negated for each in found), found


@for_each(QUESTIONS)
def test_a_short_answer_is_read_with_its_question(question: Question) -> None:
    """And says nothing by itself, or after the speaker's own question."""
    said, value = said_in(question.example)
    assert any(states(each, question, value) for each in read(*said))
    (_, asked), answer = said
    assert not read((SPEAKER, asked), answer)
    assert not read(("Bo", "Nice weather."), answer)


@pytest.mark.slow
@for_each(TWINS)
def test_what_somebody_else_says_or_nobody_means_is_no_fact(twin: str) -> None:
    """Quoted, pasted, forwarded, imagined, reported or taken back, no example states anything of its speaker."""
    wrong: list[tuple[str, str]] = []
    for row in WITH_EXAMPLE:
        said, value = said_in(row.example)
        text = TWINS[twin].format(text=said[-1][1])
        wrong += [(text, each.value) for each in read(*said[:-1], (SPEAKER, text)) if states(each, row, value)]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("mark", ["?", " ??", ", right?", ", or what?"])
def test_a_question_states_nothing(mark: str) -> None:
    """The example asked instead of said."""
    wrong: list[tuple[str, str]] = []
    for row in WITH_EXAMPLE:
        said, value = said_in(row.example)
        text = said[-1][1].rstrip(".!") + mark
        wrong += [(text, each.value) for each in read(*said[:-1], (SPEAKER, text)) if states(each, row, value)]
    assert wrong == []


NEGATED = (
    (r"\bI(?:'|’)?m (?!not|no longer)", "I'm not "),
    (r"\bI am (?!not|no longer)", "I am not "),
    (r"\b(?:We're|we are) (?!not|no longer)", "we're not "),
    (r"\b[Ii] (have|own|live|work|play|speak|like|love|believe|cycle|go|sing|want|collect)\b", r"I don't \1"),
    (r"\bich (bin|wohne|arbeite|spiele|habe|mag|spreche|komme) ", r"ich \1 nicht "),
    (r"\b(vivo|trabajo|soy|tengo|hablo|estudio)\b", r"no \1"),
)


@pytest.mark.slow
def test_a_negated_sentence_does_not_state_what_it_denies() -> None:
    """The example with "not" in it."""
    wrong: list[tuple[str, str]] = []
    tried = 0
    for row in WITH_EXAMPLE:
        said, value = said_in(row.example)
        for pattern, with_not in NEGATED:
            text, changed = re.subn(pattern, with_not, said[-1][1], count=1)
            if changed and not (row.negated or row.anywhere) and not re.search(r"\bno no\b|not? longer|anymore", text):
                tried += 1
                found = read(*said[:-1], (SPEAKER, text))
                wrong += [(text, each.value) for each in found if states(each, row, value) and not each.negated]
    assert tried >= 40
    assert wrong == []


@for_each(
    [
        ("Ich bin schwanger, im 4. Monat", []),
        ("wohne im 4. Stock", []),
        ("im 30 Grad warmen Wasser", []),
        ("im 34, still young", [("age", "34")]),
        ("im 34 and tired", [("age", "34")]),
        ("bin bei Ikea, dauert", []),
        ("Bin bei der Post, brauchst du was?", []),
        ("ich bin gerade bei Lidl", []),
        ("bin seit drei Jahren bei Bosch", [("employer", "Bosch")]),
        ("bin als Fahrer bei der Post", [("employer", "Post"), ("occupation", "Fahrer")]),
        ("voy a dormir un rato", []),
        ("vamos a ver una peli", []),
        ("no me voy a mudar a Vigo", []),
        ("voy a estudiar medicina", []),
    ]
)
def test_what_only_looks_like_it(said: str, facts: list[tuple[str, str]]) -> None:
    """Words of one language that another has too, where somebody is for an hour, and what is done instead of a journey."""
    found = [(each.attribute, each.value) for each in read(("Mia", said)) if not each.negated]
    assert sorted(found) == facts


def test_what_is_masked_or_written_with_a_dot_stays_readable() -> None:
    """Words of others are blanks in a sentence, and an ordinal's dot ends none."""
    (home,) = read(("Mia", 'Vivo en Cádiz, "aquí no hay quien viva" jaja'))
    assert home.content.isprintable()
    assert home.content.startswith("Vivo en Cádiz,")
    facts = read(("Mia", "Mein Geburtstag ist am 12. Juni"))
    assert all("12, Juni" not in each.content for each in facts)
    (plan,) = read(("Mia", "me voy a mudar a Oviedo en mayo"))
    assert (plan.attribute, "Oviedo" in plan.value) == ("plan", True)


@for_each(
    [
        "tengo tres niños esta tarde",
        "hoy tengo dos perros en casa",
        "soy vegetariana hasta la cena",
        "ich habe heute drei Kinder",
        "wir haben dieses Wochenende zwei Hunde",
        "bin heute Fahrer",
        "I've got four kids today",
        "I'm vegetarian till dinner",
        "ich bin aus Beton",
        "ich bin aus Zucker",
        "ich lebe in Hoffnung",
        "vivo en las nubes",
        "soy de hierro",
        "me voy a un monasterio",
        "nos vamos a casa",
    ]
)
def test_what_holds_for_a_day_or_is_no_place_is_no_fact(text: str) -> None:
    """Nobody has three children for an afternoon, and nobody comes from concrete."""
    assert read((SPEAKER, text)) == []


@pytest.mark.parametrize("text", ["hoy cocina mi hija Leire", "heute kocht mein Mann Rolf"])
def test_what_begins_today_or_is_named_today_stays(text: str) -> None:
    """The day is of the cooking, or of the beginning."""
    assert read((SPEAKER, text))


@for_each(
    [
        ("I live in Leeds until 5 May", "home", "Leeds", "2025-05-06"),
        ("Ich wohne in Köln bis 12. August", "home", "Köln", "2024-08-13"),
        ("Vivo en Sevilla hasta 5 de mayo", "home", "Sevilla", "2025-05-06"),
        ("I'm a nurse, on shift until 9", "occupation", "nurse", ""),
        ("I live in Leeds and I'm at work until 5", "home", "Leeds", ""),
        ("My daughter Mia is asleep until 7", "child", "Mia", ""),
    ]
)
def test_an_hour_of_something_else_and_a_day_of_the_year_end_no_fact_early(
    text: str, attribute: str, value: str, end: str
) -> None:
    """What is so until a day has not ended when it is said, and only what lasts some hours itself is no fact."""
    (found,) = [each for each in read((SPEAKER, text)) if each.attribute == attribute]
    assert (found.value, "" if found.valid_to is None else found.valid_to.date().isoformat()) == (value, end)


@pytest.mark.parametrize(
    "text", ["We have two dogs until dinner", "I'm vegan until lunch", "tengo tres hijos hasta las ocho"]
)
def test_what_lasts_some_hours_is_no_fact(text: str) -> None:
    """Dogs of the neighbours, and a diet of a morning."""
    assert read((SPEAKER, text)) == []
