"""A question finds other forms of its words that share no stem with them; nothing of that is in an index."""

from __future__ import annotations

from datetime import UTC, datetime

from memd.memory.question.people import SpeakerMatcher
from memd.memory.question.plan import plan_question
from memd.memory.text.analyzer import fold, terms
from memd.memory.text.languages import LANGUAGES
from memd.memory.text.languages.language import words_of
from memd.tests.cases import check_all

NOW = datetime(2026, 11, 26, 20, tzinfo=UTC)


def test_irregular_forms_meet() -> None:
    """Whichever form is asked for, a text with another one has a term of the question, in any language."""

    def check(pair: tuple[str, str]) -> None:
        question, text = pair
        asked = set(plan_question(question, NOW, SpeakerMatcher([])).terms)
        assert {term for term in terms(text) if not term.startswith("_")} & asked

    check_all(
        [
            ("who lost a shoe?", "how do you lose that"),
            ("drinking tea", "she drank it all"),
            ("was there a mouse?", "we have mice"),
            ("do they like the children?", "the child is asleep"),
            ("who taught her?", "I teach at the school"),
            ("Wann fuhr Jonas nach Hause?", "wir fahren jetzt"),
            ("Wer hat den Wein getrunken?", "er trank ihn aus"),
            ("¿Adónde fue en verano?", "quiero ir a la playa"),
        ],
        check,
    )


def test_a_form_is_in_one_row() -> None:
    """No row has a form twice, and none is alone."""

    def check(code: str) -> None:
        for row in LANGUAGES[code].irregular:
            forms = [fold(form) for form in words_of(row)]
            assert len(forms) == len(set(forms)) > 1, row

    check_all(list(LANGUAGES), check)
