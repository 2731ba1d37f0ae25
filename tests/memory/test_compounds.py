"""A compound finds its parts and beginnings, its parts find it, and a hyphen or a blank in it makes no difference."""

from __future__ import annotations

from datetime import UTC, datetime

from memd.memory.question.people import SpeakerMatcher
from memd.memory.question.plan import plan_question
from memd.memory.text.analyzer import query_terms, terms
from memd.memory.text.highlights import Highlighter
from memd.tests.cases import check_all

NOW = datetime(2026, 11, 26, 20, tzinfo=UTC)
PAIRS = (
    ("Wo fuhr die Donaudampfschifffahrt?", "Das Dampfschiff legt um acht ab", "Dampfschiff"),
    ("Donaudampfschifffahrt", "Die Schifffahrt ruht im Winter", "Schifffahrt"),
    ("Donaudampfschifffahrt", "wir waren an der Donau", "Donau"),
    ("Wann ist das Dampfschiff da?", "die Donaudampfschifffahrt beginnt", "Donaudampfschifffahrt"),
    ("Wann ist die Babyparty?", "Baby-Party am 13. Dezember bei mir", "Baby-Party"),
    ("Wann ist die Baby-Party?", "die Babyparty ist am 13.", "Babyparty"),
    ("Wie ist das Wlan Passwort?", "Das WLAN-Passwort ist kiwi7", "WLAN-Passwort"),
    ("Wie ist das Wlan Passwort?", "Unser Wlanpasswort: kiwi7", "Wlanpasswort"),
    ("Wie ist das Wlanpasswort?", "das Passwort vom Wlan ist kiwi7", "Passwort"),
    ("Maschine", "Waschmaschine kaputt", "Waschmaschine"),
    ("Waschmaschine", "die Maschine läuft aus", "Maschine"),
    ("Wo ist der Mietvertrag?", "der Vertrag für die Wohnung", "Vertrag"),
    ("Wo ist der Steuerbescheid?", "der Bescheid vom Finanzamt", "Bescheid"),
    ("Heizungsablesung", "die Heizung wird am Montag abgelesen", "Heizung"),
    ("Zahnarzttermin", "Termin beim Zahnarzt verschoben", "Zahnarzt"),
    ("Geburtstagskuchen", "wer backt den Kuchen", "Kuchen"),
    ("Autoschlüssel", "Schlüssel fürs Auto liegen im Flur", "Schlüssel"),
    ("What is the wifi password?", "the Wi-Fi one is kiwi7", "Wi-Fi"),
    ("What is the wi-fi password?", "wifi is kiwi7", "wifi"),
    ("Who has the book shelf?", "I bought a bookshelf", "bookshelf"),
    ("her email?", "the e-mail address is on the card", "e-mail"),
    ("When is check-in?", "the checkin is at three", "checkin"),
)
"""A question, a text, and the word of the text that answers."""
APART = (
    ("Who do you understand?", "it is under the stand", "stand"),
    ("Wo sind die Unterlagen?", "unter dem Tisch lagen sie nicht", "unter"),
)
"""Words that are no parts of a compound: of an English word, and small words."""


def test_compounds_meet_their_parts() -> None:
    """The question has a term of the text, and the word that answers is marked."""

    def check(case: tuple[str, str, str]) -> None:
        question, text, answer = case
        asked = plan_question(question, NOW, SpeakerMatcher([])).terms
        assert set(asked) & set(terms(text))
        assert answer in {text[start:end] for start, end in Highlighter(asked).spans(text)}

    check_all(PAIRS, check)


def test_other_words_are_no_parts() -> None:
    """A word that a longer one happens to contain is not marked."""

    def check(case: tuple[str, str, str]) -> None:
        question, text, word = case
        assert word not in {text[start:end] for start, end in Highlighter(query_terms(question)).spans(text)}

    check_all(APART, check)
