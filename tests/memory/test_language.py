"""The language of a text: right where there is evidence, silent where there is none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memd.memory.text.analyzer import fold
from memd.memory.text.language import language_of, likely_languages
from memd.memory.text.stopwords import LANGUAGES, stop_words
from memd.tests.cases import for_each


def detected(text: str) -> str | None:
    """What the analysis would take it for."""
    return language_of(text, fold(text).replace("?", " ").replace(",", " ").replace(".", " ").split())


@for_each(
    [
        ("Where did we put the spare key?", "en"),
        ("Ich habe den Schlüssel nicht gefunden", "de"),
        ("¿Dónde está la llave del trastero?", "es"),
        ("Je ne sais pas où est la clé", "fr"),
        ("Non so dove sono le chiavi, ma le cerco", "it"),
        ("Eu não sei onde estão as chaves, você sabe?", "pt"),
        ("Ik weet niet waar de sleutel is", "nl"),
        ("Jag vet inte var nyckeln är, men jag letar", "sv"),
        ("En tiedä missä avain on, mutta etsin sitä", "fi"),
        ("Anahtar nerede bilmiyorum ama çok aradım", "tr"),
        ("Nie wiem gdzie jest klucz, ale szukam", "pl"),
        ("Nevím kde je klíč, ale hledám ho", "cs"),
        ("Nu știu unde este cheia, dar o caut", "ro"),
        ("Nem tudom hol van a kulcs, de keresem", "hu"),
        ("Я не знаю, где ключ", "ru"),
        ("Я не знаю, де ключ, але її шукаю", "uk"),
        ("Δεν ξέρω πού είναι το κλειδί", "el"),
        ("لا أعرف أين المفتاح", "ar"),
    ]
)
def test_a_sentence_is_known(text: str, language: str) -> None:
    """One plain sentence of each language is enough."""
    assert detected(text) == language


@for_each(["", "ok", "Bob", "12:30", "Pizza!", "東京", "😀", "Kerem Wiebke Theo"])
def test_nothing_to_go_by_is_no_language(text: str) -> None:
    """Names, numbers and single words of everywhere decide nothing."""
    assert detected(text) is None


def test_every_list_has_words_of_its_own() -> None:
    """A language whose every small word is another's too could not be told."""
    for language in LANGUAGES:
        others = frozenset[str]().union(*(stop_words(other) for other in LANGUAGES if other != language))
        assert len(stop_words(language) - others) >= 10


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_has_at_most_two(text: str) -> None:
    """Nothing raises, and the answer does not change."""
    words = fold(text).split()
    found = likely_languages(text, words)
    assert len(found) <= 2
    assert found == likely_languages(text, words)


def test_a_list_of_stop_words_is_folded_once() -> None:
    """However the languages alternate, with those that have no list, as Japanese."""
    asked = [code for other in LANGUAGES for code in (other, "ja", "xx")]
    first = [stop_words(code) for code in asked]
    assert all(again is before for again, before in zip(map(stop_words, asked), first, strict=True) if before)
    assert {len(stop_words(code)) for code in ("ja", "xx")} == {0}
