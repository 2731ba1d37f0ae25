"""Yes and no: what a short answer states of who gives it, and that it states nothing by itself or of anybody else."""

from __future__ import annotations

from uuid import UUID

import pytest

from memd.memory.extraction.rules.affirmed import answer_of, asked_of, is_for_another
from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.window import Line, Window
from memd.tests.cases import for_each
from memd.tests.extraction.test_rule_examples import SAID, SPEAKER, read


@for_each(
    [
        ("yep, two years in October", "yes"),
        ("Yes!", "yes"),
        ("ja klar", "yes"),
        ("sí", "yes"),
        ("nope", "no"),
        ("not any more", "no"),
        ("Nicht mehr, seit 2018", "no"),
        ("ya no", "no"),
        ("no idea", None),
        ("no problem", None),
        ("yes but it is complicated", None),
        ("yes, right?", None),
        ("yes he does", None),
        ("perhaps", None),
        ("yes and then we went to the lake and it was lovely and warm", None),
    ]
)
def test_whether_a_message_says_yes_or_no(text: str, answer: str | None) -> None:
    """Only where it is short, and takes nothing of it back."""
    assert answer_of(text) == answer


@for_each(
    [
        ("Married?", "marital_status", "married"),
        ("so are you still single?", "marital_status", "single"),
        ("Still at Siemens?", "employer", "Siemens"),
        ("do you still live in New York?", "home", "New York"),
        ("Wohnst du noch in Bonn?", "home", "Bonn"),
        ("¿Sigues trabajando en Iberia?", "employer", "Iberia"),
        ("Rauchen Sie?", "habit", "rauchen"),
        ("Hi! do you speak Dutch?", "language", "Dutch"),
    ]
)
def test_what_a_question_asks_to_affirm(question: str, attribute: str, value: str) -> None:
    """At the end of the message, and with a question mark."""
    asked = asked_of(question)
    assert asked is not None
    assert (asked.attribute, asked.value) == (attribute, value)
    assert asked_of(question.rstrip("?") + ".") is None
    assert asked_of(question + " I do.") is None


def test_a_question_about_somebody_else_asks_nothing() -> None:
    """Nor one that calls another by name."""
    assert asked_of("does he smoke?") is None
    assert asked_of("Is your brother married?") is None
    assert is_for_another("Tom, are you married?", "Ann Lee", ["Tom Ray", "Ann Lee"])
    assert is_for_another("are you married, Tom?", "Ann Lee", ["Tom Ray", "Ann Lee"])
    assert not is_for_another("Ann, are you married?", "Ann Lee", ["Tom Ray", "Ann Lee"])
    assert not is_for_another("Well, are you married?", "Ann Lee", ["Tom Ray", "Ann Lee"])


@pytest.mark.parametrize(
    ("question", "answer", "attribute", "value", "negated"),
    [
        ("Are you married?", "yep, two years in October", "marital_status", "married", False),
        ("Still at Siemens?", "nope, left last year", "employer", "Siemens", True),
        ("Do you smoke?", "no, never", "habit", "smoke", True),
        ("Wohnst du noch in Bonn?", "ja klar", "home", "Bonn", False),
    ],
)
def test_an_answer_states_what_was_asked(question: str, answer: str, attribute: str, value: str, negated: bool) -> None:
    """Of who answers; and nothing where nobody else asks."""
    found = read(("Bo", question), (SPEAKER, answer))
    assert [(each.subject, each.attribute, each.value, each.negated) for each in found] == [
        (SPEAKER, attribute, value, negated)
    ]
    assert read((SPEAKER, question), (SPEAKER, answer)) == []
    assert [each for each in read(("Bo", "Nice weather."), (SPEAKER, answer)) if each.value == value] == []


def test_whoever_was_not_asked_does_not_answer() -> None:
    """In a group, a question that calls somebody by name."""
    said = (("Bo", "Tom, are you married?"), ("Ann", "yes"))
    lines = tuple(Line(n, UUID(int=n), f"m{n}", who, text, SAID) for n, (who, text) in enumerate(said, start=1))
    window = Window(UUID(int=9), "d", "s", "", "Bo", ("Bo", "Ann", "Tom"), lines)
    assert RulesExtractor().read(window).statements == ()
