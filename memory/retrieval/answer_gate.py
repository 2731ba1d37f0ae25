"""Decides whether the lines cited by a sentence of an answer support it: names, numbers, places, denials and people.
Pure.

The sentence and the lines are cut into clauses. Each item of a clause of the sentence must occur in a clause of a cited
line about the same person and in the same mode: not denied, not over, not asked, not only wished. Words of a closed
list may occur there in another language; any other word as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..text.analyzer import fold
from .answer_clauses import Clause, clauses_of
from .answer_days import day_of, same_day
from .answer_items import Item, languages_of
from .answer_lines import CitedLine, ShownLine, has_name, words_of_name
from .answer_lists import tells_who_said

_OF_A_THING = re.compile(r"(?:the|der|die|das|el|la|los|las) ", re.IGNORECASE)
"""Matches the beginning of a sentence about a thing, not a person."""


class AnswerGate:
    """Checks the sentences of one answer.

    Args:
        question: the original question.
        lines: all lines that the model was shown.
    """

    def __init__(self, question: str, lines: Sequence[ShownLine]) -> None:
        self._people = frozenset(word for line in lines for word in words_of_name(line.speaker))
        self._lines = [CitedLine(line, self._people) for line in lines]
        people = [word for word in words_of_name(question) if word in self._people]
        if not people and "de" not in languages_of(question):  # German nouns look like names
            items = (item for clause in clauses_of(question, self._people) for item in clause.of_kind("name"))
            people = [item.word for item in items if item.word.isalpha()]
        self._asked = frozenset(people)

    def holds(self, sentence: str, cited: Sequence[int], before: str = "") -> bool:
        """Return whether the cited lines support a sentence.

        Args:
            sentence: a sentence of the answer.
            cited: indexes of lines.
            before: the previous sentence, whose subject it may continue.
        """
        lines = [self._lines[index] for index in cited]
        parts = clauses_of(sentence, self._people)
        if not parts or not any(line.clauses for line in lines):
            return False
        subject = self._asked
        if parts[0].another:
            subject = self._subject(before) or subject
        elif _OF_A_THING.match(sentence):
            subject = frozenset[str]()
        alone = False  # True after a part that was only a name: "Ann and her husband moved"
        for part in parts:
            own = self._subject(part.text)
            subject = own | subject if own and alone else own or subject
            alone = bool(own) and all(item.kind == "name" for item in part.items) and not part.ways
            support = _Check(part, sentence, subject, lines).support()
            if support is None or self._is_over(part, sentence, subject, support):
                return False
        return True

    def _subject(self, text: str) -> frozenset[str]:
        """Return the folded name of the person that a part of an answer is about: the first one named."""
        parts = clauses_of(text, self._people)
        names = [item.word for part in parts for item in part.of_kind("name") if item.word in self._people]
        if not names and parts and parts[0].lead:
            names = [parts[0].lead]
        folded = fold(text)
        names = names or [word for word in self._people if len(word) > 1 and not word.isascii() and word in folded]
        return frozenset(names[:1])

    def _is_over(self, part: Clause, sentence: str, subject: frozenset[str], support: Sequence[CitedLine]) -> bool:
        """Return whether a part states as present a state that a later line ended."""
        if not support or part.mode.denied or part.mode.past or part.of_kind("date") or tells_who_said(sentence):
            return False
        said = max(line.time for line in support)
        return any(
            line.ends(clause, part, subject)
            for line in self._lines
            if line.time > said
            for clause in line.clauses
            if not clause.mode.question and not clause.mode.doubted
        )


@dataclass(frozen=True, slots=True)
class _Check:
    """One part of a sentence, checked against the cited lines."""

    part: Clause
    sentence: str
    subject: frozenset[str]
    lines: Sequence[CitedLine]

    def support(self) -> list[CitedLine] | None:
        """Return the lines with a clause about the same person, in the same mode, for each item; None if one item has
        none.
        """
        names = [item for item in self.part.items if item.kind == "name" and item.word in self.subject]
        if not all(any(item.word in line.speaker or line.holding(item) for line in self.lines) for item in names):
            return None
        items = [item for item in self.part.items if item not in names and not self._is_day_of_writing(item)]
        if not items:
            supported = tells_who_said(self.part.text) or (self._has_known_ways() and self._fits_somewhere())
            return [] if supported else None
        support: list[CitedLine] = []
        for index, item in enumerate(items):
            lines = [
                line
                for line in self.lines
                for clause in line.holding(item)
                if self._fits(line, clause) and self._counts_the_same(items[index:], line, clause)
            ]
            if not lines:
                return None
            support += lines
        return support

    def _has_known_ways(self) -> bool:
        """Return whether a part with nothing but names has no verb of a known kind, or the lines have one of the same
        kind.
        """
        return not self.part.ways or any(clause.ways & self.part.ways for line in self.lines for clause in line.clauses)

    def _fits_somewhere(self) -> bool:
        return any(self._fits(line, clause) for line in self.lines for clause in line.clauses)

    def _is_day_of_writing(self, item: Item) -> bool:
        """Return whether the sentence states when something was written, and an item is the day of one of the lines."""
        if item.kind not in ("date", "weekday") or not tells_who_said(self.sentence):
            return False
        times = [line.time for line in self.lines]
        if item.kind == "weekday":
            return any(time.isoweekday() == int(item.word) for time in times)
        return any(same_day(item.day, day_of(time), time) for time in times)

    def _counts_the_same(self, items: Sequence[Item], line: CitedLine, clause: Clause) -> bool:
        """Return whether a clause with the first item, if that is a number, also has the thing that it counts."""
        number, *following = items
        counted = next((each for each in following if each.kind in ("word", "meaning", "kin")), None)
        return number.kind != "number" or counted is None or clause in line.holding(counted)

    def _fits(self, line: CitedLine, clause: Clause) -> bool:
        """Return whether a clause is about the same person, and in the same mode."""
        here, there = self.part.mode, clause.mode
        denied_there = there.denied and not (there.over and here.past and not here.denied)
        if here.denied != denied_there and not (here.denied and here.over and there.denied):
            return False
        reported = tells_who_said(self.sentence)
        if (there.doubted and not here.doubted) or (there.question and not here.question and not reported):
            return False
        if self.part.ways and clause.ways and self.part.ways.isdisjoint(clause.ways):
            return False
        fault = line.fault(clause.text, denied=here.denied)
        if fault in ("joke", "instruction") or (fault == "reported" and not reported):
            return False
        return self._is_about(line, clause)

    def _is_about(self, line: CitedLine, clause: Clause) -> bool:
        named = has_name(self.subject, clause) or self._is_named_before(line, clause)
        if clause.relatives and clause.relatives.isdisjoint(self._meanings()):
            return named and self.subject.isdisjoint(line.speaker)
        if not self.subject or named:
            return True
        if (clause.lead and clause.lead not in self.subject) or (clause.another and not clause.relatives):
            return False
        return not self.subject.isdisjoint(line.speaker)

    def _meanings(self) -> frozenset[str]:
        """Return all meanings in the sentence."""
        return frozenset[str]().union(*(each.meanings for each in clauses_of(self.sentence, self.subject)))

    def _is_named_before(self, line: CitedLine, clause: Clause) -> bool:
        """Return whether a clause continues with a person named earlier in the same message: "Ben called. He is ill"."""
        earlier = line.clauses[: line.clauses.index(clause)]
        return clause.another and any(has_name(self.subject, each) for each in earlier)
