"""Which chat a question names: the titles of the store found in its words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ..text.analyzer import fold, spaceless

_SHORTEST = 3
"""Letters of a title that is looked for; of writing without blanks a title of two is one."""


class NamedChat(NamedTuple):
    """A chat that a question names, and what else it says."""

    title: str
    rest: str


class ChatTitles:
    """The titles of a store, the longest first: beside "Family Brandt" no chat "Family" is meant.

    Args:
        titles: as they stand in the store.
        names: of people, in folded case. A chat with one person has that person's name, which means the person.
    """

    def __init__(self, titles: Iterable[str], names: Iterable[str]) -> None:
        people = frozenset(names)
        folded = {title: fold(title) for title in titles}
        known = [(each, title) for title, each in folded.items() if len(each) >= _SHORTEST or spaceless(each[:1])]
        self._titles = sorted(
            ((each, title) for each, title in known if each not in people), key=lambda pair: -len(pair[0])
        )

    def named_in(self, question: str) -> NamedChat | None:
        """The first of the chats whose whole title stands in the question, with or without "chat" or "group" beside it."""
        folded = fold(question)
        for each, title in self._titles:
            # Folding may change the length of a text; the title is cut out of the question only where both agree.
            if each in folded and len(folded) == len(question) and (match := _whole(each).search(folded)):
                return NamedChat(title, f"{question[: match.start()]} {question[match.end() :]}")
        return None


def _whole(title: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, title.split()))
    if spaceless(title[:1]):
        return re.compile(words)
    beside = r"(?:(?:the\s+)?(?:group\s+)?chat|group|gruppe|gruppenchat|grupo|kanal|channel|canal)"
    return re.compile(rf"(?<![^\W_])(?:{beside}\s+)?[\"'“„«]?{words}[\"'”“»]?(?:\s+{beside})?(?![^\W_])")
