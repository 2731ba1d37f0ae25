"""Terms: what is folded, what is cut, and that what was written is found again."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from memd.memory.text.analyzer import LONGEST_TERM, MOST_QUERY_TERMS, fold, query_terms, terms
from memd.tests.cases import for_each

ANY_TEXT = st.text(st.characters(exclude_categories=()))


def whole(found: list[str]) -> list[str]:
    """Without the pieces of words."""
    return [term for term in found if not term.startswith("_")]


@for_each(
    [
        ("Running runs", ["run", "run"]),
        ("Bob's keys", ["bob", "key"]),
        ("I don't", ["i", "dont"]),
        ("O\N{RIGHT SINGLE QUOTATION MARK}Brien", ["o", "brien", "obrien"]),
        ("Cafés CAFES", ["cafe", "cafe"]),
        ("bob.smith@example.com", ["bob", "smith", "exampl", "com"]),
        ("#NewYork @bob_k", ["newyork", "bob", "k"]),
        ("at 10:30, 3 eggs", ["at", "10", "30", "3", "egg"]),
        ("co\N{SOFT HYPHEN}operate", ["cooper"]),
        ("", []),
        (" .,;!? \x00\x1b", []),
    ]
)
def test_english_gives_stems_alone(text: str, expected: list[str]) -> None:
    """Where the language is English its endings are cut and nothing is added."""
    assert terms(text, "en") == expected
    around = "and what was it about, there?"
    assert sorted(terms(f"{text} {around}")) == sorted([*expected, *terms(around, "en")])


@for_each(
    [
        ("Straße", ["strasse", "strass"]),
        ("Łódź Ångström Øre", ["lodz", "angstrom", "ore"]),
        ("İstanbul", ["istanbul"]),
        ("\N{LATIN SMALL LIGATURE FI}ne", ["fine"]),
        ("Ещё йод", ["еще", "йод"]),
        ("مُحَمَّد", ["محمد"]),
        ("שָׁלוֹם", ["שלום"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("東京へ", ["東", "京", "へ", "東京", "京へ"]),
        ("ｶﾞｽ", ["ガ", "ス", "ガス"]),
        ("한국어를", ["한국어를", "한국", "국어", "어를"]),
        ("ok \N{BIRTHDAY CAKE}", ["ok", "\N{BIRTHDAY CAKE}"]),
    ]
)
def test_terms_of(text: str, expected: list[str]) -> None:
    """Each kind of writing has the terms one would look for."""
    found = whole(terms(text))
    assert found[: len(expected)] == expected or set(expected) <= set(found)


@for_each(
    [
        ("de", ["Häuser", "Haus"]),
        ("es", ["canciones", "canción"]),
        ("fr", ["chanteuses", "chanteuse"]),
        ("it", ["gatti", "gatto"]),
        ("tr", ["bisikletimi", "bisikleti"]),
        ("fi", ["talossa", "talon"]),
        ("ru", ["книгами", "книга"]),
        ("sv", ["bilarna", "bilen"]),
        ("nl", ["boeken", "boek"]),
        ("pt", ["livros", "livro"]),
    ]
)
def test_forms_of_a_word_meet_where_the_language_is_known(language: str, forms: list[str]) -> None:
    """They share a stem, and each keeps itself."""
    first, second = (set(whole(terms(form, language))) for form in forms)
    assert first & second
    assert all(fold(form) in found for form, found in zip(forms, (first, second), strict=True))


@for_each(
    [
        ("Wo ist die Maschine?", "Die Waschmaschine läuft schon wieder aus"),
        ("Defne'nin bisikleti nerede?", "Bisikletimi çalmışlar ya"),
        ("Dov'è l'albero?", "Abbiamo piantato dell'albero"),
        ("Missä talossa asut?", "Ostimme uuden talon"),
        ("calismaya", "Burada çalışıyorum"),
    ]
)
def test_compounds_clitics_and_endings_meet(question: str, text: str) -> None:
    """A question in its own form of a word shares a term that says something."""
    assert {term for term in query_terms(question) if len(term) > 3} & set(terms(text))


@for_each(
    [
        ("東京", "明日、東京に行きます。"),
        ("猫", "うちに猫がいます"),
        ("한국", "저는 한국에서 왔어요"),
        ("ครับ", "สวัสดีครับ"),
        ("cafe", "We met at the CAFÉ"),
        ("heure", "c'est l'heure"),
        ("example.com", "mail bob@example.com about it"),
        ('what about (this: "', "What is this about?"),
    ]
)
def test_a_question_finds_its_words_in_a_text(question: str, text: str) -> None:
    """The question asks for something that the text gives."""
    assert set(query_terms(question)) & set(terms(text))


def test_stop_words_are_left_out_of_questions() -> None:
    """Words that say nothing are not asked for, unless they are all there is."""
    assert query_terms("Where does Bob's sister live?") == ["bob", "sister", "live"]
    assert query_terms("who are you") == ["who", "are", "you"]
    assert whole(query_terms("in May")) == ["may"]
    assert whole(query_terms("Wo wohnt denn die Schwester von Bob?")) == ["wohnt", "schwester", "bob", "schwest"]


def test_an_unknown_language_leaves_words_whole() -> None:
    """No ending is cut by the rules of another language."""
    assert whole(terms("running", "xx")) == ["running"]
    assert terms("running", "en-GB") == ["run"]


def test_long_questions_keep_their_longest_words() -> None:
    """10,000 characters of question are cut to the terms that are likely to be rare."""
    question = " ".join(f"w{index}" for index in range(2_000)) + " extraordinary"
    found = query_terms(question)
    assert len(found) == MOST_QUERY_TERMS
    assert "extraordinari" in found


def test_endless_words_are_cut() -> None:
    """Encoded data gives one bounded term, and is found by it."""
    text = "QUJD" * 100_000
    assert [len(term) for term in terms(text)] == [LONGEST_TERM]
    assert query_terms(text) == terms(text)


@given(ANY_TEXT, st.sampled_from([None, "en", "de", "ru", "xx"]))
def test_any_text_has_clean_terms(text: str, language: str | None) -> None:
    """Nothing raises, and terms can be joined by spaces and split again."""
    for found in (terms(text, language), query_terms(text, language)):
        assert " ".join(found).split() == found
        assert all(len(term) <= LONGEST_TERM for term in found)
        assert not any(unicodedata.category(character) in {"Cc", "Cs", "Zs"} for term in found for character in term)
    assert len(query_terms(text, language)) <= MOST_QUERY_TERMS


@given(st.lists(ANY_TEXT, min_size=1, max_size=6), st.data())
def test_a_word_of_a_text_finds_the_text(words: list[str], data: st.DataObject) -> None:
    """What stands between blanks in a text is found by asking for it."""
    word = data.draw(st.sampled_from(words))
    asked = query_terms(word)
    assert not asked or set(asked) & set(terms(" ".join(words)))


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0x24F)))
@example("0A\u0160\u0130")
def test_case_does_not_matter(text: str) -> None:
    """A text in capitals has the same terms, but for letters whose capitals are written as others."""
    if text.upper().lower() == text.lower():
        assert terms(text.upper()) == terms(text.lower())


@given(ANY_TEXT)
def test_composed_and_decomposed_are_one(text: str) -> None:
    """How an accent was typed makes no difference."""
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))
