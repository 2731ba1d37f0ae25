"""The labelled chats keep their own rules: answers exist, questions are of the kind and language they stand under."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memd.daemon.evaluation.datasets.dataset import Question
from memd.daemon.evaluation.datasets.labelled_chats import ASKED
from memd.memory.text.analyzer import fold, query_terms, terms
from memd.memory.text.language import likely_languages
from memd.memory.text.phrases import Phrase, quoted
from memd.schemas import ConversationMessage
from memd.tests.cases import for_each
from memd.tests.retrieval.labelled import KINDS, LANGUAGES, cross, documents, held_out, language_of, questions

KANA = re.compile("[\u3040-\u30ff]")
LONG: Mapping[str, int] = {"en": 1200, "de": 1200, "es": 1200, "tr": 1200, "ja": 500}
"""Characters of a long message: about 200 words."""


def messages(language: str) -> dict[str, ConversationMessage]:
    """The messages of one language by id."""
    return {str(message.id): message for document in documents(language) for message in document.messages}


def of_kind(language: str, kind: str) -> list[Question]:
    """The questions of one kind about the chats of one language."""
    return [question for question in questions(language) if question.category == kind]


@for_each(LANGUAGES)
def test_questions_and_answers_belong_together(language: str) -> None:
    """Every id is there once, every answer is a message of the chat that is asked, and no question is there twice."""
    made = documents(language)
    ids = [str(message.id) for document in made for message in document.messages]
    asked = [*questions(language), *cross(language)]
    assert len(ids) == len(set(ids))
    assert all(question.evidence and question.evidence <= set(ids) for question in asked)
    assert len({question.text for question in asked}) == len(asked) == 60
    assert documents(language) == made
    for question in asked:
        inside = {
            str(message.id)
            for document in made
            for message in document.messages
            if not question.chats or document.metadata["title"] in question.chats
        }
        assert question.evidence <= inside


@for_each(LANGUAGES)
def test_both_halves_hold_every_kind(language: str) -> None:
    """25 plain questions and 25 of the other kinds; of each kind about as many are held out as not."""
    asked = questions(language)
    assert {question.category for question in asked} == set(KINDS)
    assert len(of_kind(language, "plain")) == 25
    assert sum(held_out(question) for question in asked) == len(asked) / 2
    for kind in KINDS:
        halves = [held_out(question) for question in of_kind(language, kind)]
        assert abs(2 * sum(halves) - len(halves)) <= 1


@for_each(LANGUAGES)
def test_both_halves_hold_every_other_language(language: str) -> None:
    """Ten questions in the other four languages, two or three in each, half of them held out."""
    asked = cross(language)
    assert len(asked) == 10
    assert sum(held_out(question) for question in asked) == 5
    halves = {(language_of(question), held_out(question)) for question in asked}
    assert halves == {(other, half) for other in LANGUAGES if other != language for half in (True, False)}


@for_each(LANGUAGES)
def test_questions_are_in_their_language(language: str) -> None:
    """Japanese has kana and the others have none; of those no question is surely of another language."""
    for question in [*questions(language), *cross(language)]:
        assert bool(KANA.search(question.text)) == (language_of(question) == "ja"), question.text
        likely = likely_languages(question.text, fold(question.text).split())
        assert not likely or language_of(question) in likely, question.text


@for_each(LANGUAGES)
def test_every_message_is_older_than_the_questions(language: str) -> None:
    """What is asked about last week has happened."""
    assert all(message.time < ASKED for message in messages(language).values())


@for_each(LANGUAGES)
def test_a_phrase_is_in_its_answer_alone(language: str) -> None:
    """A question with words in quotes is answered by all messages that hold them, and by no other."""
    held = messages(language)
    for question in of_kind(language, "phrase"):
        (words,) = quoted(question.text)
        phrase = Phrase(words)
        assert {key for key, message in held.items() if phrase.is_in(message.content)} == question.evidence


@for_each(LANGUAGES)
def test_a_passage_is_in_a_long_message(language: str) -> None:
    """It is answered by one message, of some hundred words."""
    held = messages(language)
    for question in of_kind(language, "passage"):
        (answer,) = question.evidence
        assert len(held[answer].content) >= LONG[language]


@for_each(LANGUAGES)
def test_a_paraphrase_has_no_word_of_its_answer(language: str) -> None:
    """Neither as it stands nor with another ending."""
    held = messages(language)
    for question in of_kind(language, "paraphrase"):
        for answer in question.evidence:
            shared = set(query_terms(question.text)) & set(terms(held[answer].content))
            assert not shared, (question.text, shared)
