"""Finds the chats that a question names: "in the family group", "im Buchclub". Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from ..text.analyzer import fold, spaceless
from .asking import LONGEST, QuestionWords

_WORD = re.compile(r"[^\W_]+")


class NamedChat(NamedTuple):
    """A chat that a question names, with the range of its title and of the words beside it."""

    title: str
    start: int
    end: int


class ChatMatcher:
    """The titles of the chats of a store.

    Args:
        titles: titles as they are in the store.
        people: the folded names of people: a chat that is called like one is no other than that person's.
    """

    def __init__(self, titles: Iterable[str] = (), people: Collection[str] = ()) -> None:
        self._by_word: defaultdict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        self._runs: list[tuple[str, str]] = []
        for title in titles:
            parts = tuple(_WORD.findall(fold(title)))
            if fold(title) in people or not parts:
                continue
            if spaceless(parts[0]):
                self._runs.append((fold(title), title))
            else:
                self._by_word[parts[0]].append((parts, title))

    def named(self, question: str) -> tuple[NamedChat, ...]:
        """Return the chats that the question names by their whole titles, beside a word such as "group" or "in"."""
        matches = list(self._matches(question[:LONGEST]))
        if not matches:
            return ()
        question_words = QuestionWords(question[:LONGEST])
        before, behind = question_words.places("before_chat"), question_words.places("behind_chat")
        chats: list[NamedChat] = []
        for title, start, end in matches:
            first = min(
                (one for one, other in before if other <= start and not question[other:start].strip()), default=start
            )
            last = max((other for one, other in behind if end <= one and not question[end:one].strip()), default=end)
            says_so = any(start <= one and other <= end for one, other in behind)
            if first < start or last > end or says_so:
                chats.append(NamedChat(title, first, last))
        return tuple(chats)

    def _matches(self, question: str) -> Iterator[NamedChat]:
        places = [(fold(match.group()), *match.span()) for match in _WORD.finditer(question)]
        for number, (word, start, _) in enumerate(places):
            for parts, title in self._by_word.get(word, ()):
                words_here = places[number : number + len(parts)]
                if tuple(each for each, *_ in words_here) == parts:
                    yield NamedChat(title, start, words_here[-1][2])
        if self._runs and not question.isascii():
            folded = fold(question)
            for run, title in self._runs:
                if (start := folded.find(run)) >= 0:
                    yield NamedChat(title, start, start + len(run))
