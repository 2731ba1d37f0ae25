"""Whom a question names in any language, and what a vector of an English model counts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memd.memory.question.forms import asks_for_number, holds_number
from memd.memory.question.people import SpeakerMatcher
from memd.memory.question.times import places_of, times_in
from memd.memory.retrieval.weights import Weights
from memd.tests.cases import for_each


@for_each(
    [
        ("Wo liegt Wiebkes Schlüssel?", {"Wiebke"}),
        ("Defne'nin bisikleti nerede?", {"Defne"}),
        ("Где ключ Анны?", {"Анна"}),
        ("美咲の自転車はどこ", {"美咲"}),
        ("亮はなぜ休んでいる", {"亮"}),
        ("月亮在哪里", set[str]()),
        ("who wiebkes", set[str]()),
        ("Wiebkelmann", set[str]()),
    ]
)
def test_an_ending_or_no_blank_hides_no_name(question: str, expected: set[str]) -> None:
    """A name is known with its case ending, and in writing without blanks; not as a part of another word."""
    names = SpeakerMatcher(["Wiebke", "Defne", "Анна", "美咲", "亮"])
    assert expected == names.mention(question).speakers


@for_each(
    [
        ("Lenaはどこに住んでいますか", {"Lena"}),
        ("昨日Lenaは何と言った", {"Lena"}),
        ("Yukiはどこ", {"Yukiさん"}),
        ("Yukiさんはどこ", {"Yukiさん"}),
        ("田中さんはどこ", set[str]()),
    ]
)
def test_a_name_in_letters_ends_where_writing_without_blanks_begins(question: str, expected: set[str]) -> None:
    """No blank parts it from what follows; what follows a name in the store names nobody by itself."""
    assert expected == SpeakerMatcher(["Lena", "Yukiさん"]).mention(question).speakers


@for_each(
    [
        ("花子さんはどこに住んでいますか", {"田中花子"}, {"田中花子"}),
        ("田中さんの仕事は何ですか", set[str](), {"田中花子", "田中太郎"}),
        ("田中花子はどこですか", {"田中花子"}, {"田中花子"}),
        ("佐々木さんは元気？", {"佐々木健"}, {"佐々木健"}),
        ("田中市はどこですか", set[str](), set[str]()),
        ("Lenaは田中を知っていますか", {"Lena"}, {"Lena"}),
        ("子はどこ", set[str](), set[str]()),
    ]
)
def test_a_part_of_a_name_without_blanks_names_who_has_it(question: str, one: set[str], preferred: set[str]) -> None:
    """The family name or the first name, of two ideographs or more, where no other stands beside it."""
    mention = SpeakerMatcher(["田中花子", "田中太郎", "佐々木健", "Lena"]).mention(question)
    assert (one, preferred) == (mention.speakers, mention.preferred)


@for_each(
    [
        ("Can nerede oturuyor?", {"Can"}),
        ("May wohnt wo?", {"May"}),
        ("Will Lena kommen?", {"Lena"}),
        ("can nerede oturuyor?", set[str]()),
        ("Can you come?", set[str]()),
        ("May I ask you something?", set[str]()),
        ("Can?", set[str]()),
    ]
)
def test_an_english_word_begins_a_question_in_english_alone(question: str, expected: set[str]) -> None:
    """With a capital it is a name in a language that does not have that word."""
    assert expected == SpeakerMatcher(["Can", "May", "Will", "Lena"]).mention(question).speakers


@for_each(
    [
        ("Worum hat mich Tobi gebeten?", {"Tobias Brandt"}),
        ("What did Mel say about it?", {"Melanie"}),
        ("What did Paul say?", set[str]()),
        ("What did Alex say?", set[str]()),
        ("what did tobi say?", set[str]()),
        ("Welche Art Tee?", set[str]()),
        ("Was kostet das Bus-Ticket?", set[str]()),
        ("Mal sehen, wer kommt?", set[str]()),
        ("What did Brand say?", set[str]()),
    ]
)
def test_the_beginning_of_a_first_name_names_one_person(question: str, expected: set[str]) -> None:
    """With a capital, where nobody else's name begins so, it is no usual word, and more than a letter is left out."""
    speakers = ["Tobias Brandt", "Melanie", "Paula", "Alexander", "Alexandra", "Arthur", "Busra", "Malte"]
    assert expected == SpeakerMatcher(speakers).mention(question).speakers


def test_a_text_that_says_a_name_again_and_again_asks_of_the_same_people() -> None:
    """Whatever the number of people who have it, and that of its words: each is looked up once."""
    names = SpeakerMatcher([f"Tom N{number:05}" for number in range(4_000)])
    once = names.mention("what did Tom and Toms say?")
    assert len(once.possible) == 4_000
    assert names.mention("what did Tom and Toms say? " * 10_000).possible == once.possible


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did Lena say in May 2024?", {"Lena"}),
        ("what did May say in May 2024?", {"May Chan"}),
        ("Was hat Lena im August 2023 gesagt?", {"Lena"}),
        ("did Lena meet May in 2024?", set[str]()),
    ],
)
def test_a_month_is_nobody_who_is_called_so(question: str, expected: set[str]) -> None:
    """Where it stands in a time; beside one it is a name."""
    names = SpeakerMatcher(["May Chan", "August Berg", "Lena"])
    times = times_in(question, datetime(2025, 3, 1, tzinfo=UTC), names.words)
    assert expected == names.mention(question, tuple(places_of(question, times))).speakers


@for_each(
    [
        ("where does she live?", "bge-small-en-v1.5-int8", 1.5),
        ("Lisbon", "bge-small-en-v1.5-int8", 1.5),
        ("wo wohnt sie denn jetzt?", "bge-small-en-v1.5-int8", 0.3),
        ("彼女はどこ", "bge-small-en-v1.5-int8", 0.3),
        ("wo wohnt sie denn jetzt?", "multilingual-e5-small", 1.5),
    ]
)
def test_an_english_model_counts_less(question: str, embedder: str, counts: float) -> None:
    """Its vectors say little then; a model of many languages is believed in all of them."""
    weights = Weights(arms={"vector": 1.5})
    assert weights.for_question(question, embedder).arms["vector"] == pytest.approx(counts)


@for_each(
    [
        ("What did Lena's mother say?", "What did mother say?"),
        ("Was hat Lenas Mutter gesagt?", "Was hat Mutter gesagt?"),
        ("Kerem\u2019in evi nerede?", "evi nerede?"),
        ("What did Lena Brandt tell Kerem about it?", "What did tell about it?"),
        ("which pizza did lena like?", "which pizza did lena like?"),
        ("美咲の自転車はどこ", "美咲の自転車はどこ"),
        ("Lena?", "?"),
        ("the latest message from Eun-ji", "the latest message from -"),
        ("  who  knows ", "  who  knows "),
    ]
)
def test_the_vector_is_of_what_is_asked_without_names(question: str, rest: str) -> None:
    """Names with a capital go; a word in small letters may be no name, and writing without blanks has no capitals."""
    assert SpeakerMatcher(["Lena Brandt", "Kerem", "Pizza Roma", "美咲", "Eun-ji Park"]).mention(question).rest == rest


@for_each(
    [
        ("How much was the rent?", True),
        ("¿Cuánto cuesta?", True),
        ("Mit welcher Nummer geht es auf?", True),
        ("Saat kaçta geliyor?", True),
        ("いくらだった？", True),
        ("how was the concert", False),
        ("Wie geht es Lena?", False),
        ("¿Cuándo llega?", False),
        ("Who was the numbers guy's kacher", False),
    ]
)
def test_a_question_for_a_number(question: str, asks: bool) -> None:
    """By its words, in any case and accent."""
    assert asks_for_number(question) is asks


@for_each(
    [
        ("1.250 euros", True),
        ("١٢", True),
        ("交換して八千円だった", True),
        ("一番好き", True),
        ("統一して", False),
        ("none", False),
    ]
)
def test_a_number_in_a_message(text: str, holds: bool) -> None:
    """In digits of any script, or in Japanese numerals before what they count."""
    assert holds_number(text) is holds
