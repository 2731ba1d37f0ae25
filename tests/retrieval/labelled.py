"""Chats in five languages with questions and the messages that answer them: the labelled set of the ranking.

Everything is made up. The files of ``chats/`` are in the form of `memd.daemon.evaluation.datasets.labelled_chats`.
"""

from __future__ import annotations

from pathlib import Path

from memd.daemon.evaluation.datasets.dataset import Question
from memd.daemon.evaluation.datasets.labelled_chats import HALVES, chats_of, cross_of, questions_of
from memd.schemas import ConversationDocument

LANGUAGES = ("en", "de", "es", "tr", "ja")
FOLDER = Path(__file__).parent / "chats"
KINDS = ("plain", "name", "chat", "time", "phrase", "passage", "detail", "paraphrase", "form")
"""Of the questions in the language of the chats. ``plain``: in words of their own; ``name``: someone by first name;
``chat``: in one chat, named or filtered by; ``time``: with words of time; ``phrase``: with words in quotes; ``passage``:
about one sentence of a message of some hundred words; ``detail``: a number, a code, a place; ``paraphrase``: no word in
common with the answer; ``form``: the answer has the word as part of a compound, with other endings, or without blanks."""


def questions(language: str) -> list[Question]:
    """Those about the chats of one language, in that language; every second one is held out."""
    return questions_of(FOLDER, language)


def cross(language: str) -> list[Question]:
    """Those about the chats of one language, in other languages; every second one is held out."""
    return cross_of(FOLDER, language)


def documents(language: str) -> list[ConversationDocument]:
    """The chats of one language, each day one document; a labelled message's id is ``xx-label``."""
    return chats_of(FOLDER, language)


def language_of(question: Question) -> str:
    """The language that a question is asked in."""
    return question.id[:2]


def held_out(question: Question) -> bool:
    """Whether no weight was set by it."""
    return question.group.endswith(HALVES[1])
