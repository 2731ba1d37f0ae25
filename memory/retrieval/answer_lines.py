"""Lines that were shown to a model, cut into clauses: what they contain, and which states they end. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from ..extraction.assertion_gate import Quoted, fault_of
from ..extraction.grounding import Ground
from ..text.analyzer import fold
from .answer_clauses import Clause, clauses_of
from .answer_days import Day, day_of, lies_in, meant_periods, same_day, weekday_of
from .answer_items import Item
from .answer_lists import pattern, plain_list

_FORGED = re.compile(r"(?:^|\n|\\n)\s*\d+\s*\|.*", re.DOTALL)
"""Matches forged numbered lines within a message, and everything behind them."""
_FROM = re.compile(
    r"(?:from|out of|leave|left|leaving|aus|von|verlass\w*|de|desde|dej\w+|d[ae]n|t[ae]n|から)\W+$", re.IGNORECASE
)
_NAME_ENDINGS = plain_list("endings of names")
_COMMAND, _PARTED, _NEW_WORK = map(pattern, ("command", "parted", "new work"))


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line that was shown to the model."""

    speaker: str
    time: datetime
    text: str


class CitedLine:
    """A line cut into clauses, without forged lines in it; it has no clauses if it instructs a program."""

    def __init__(self, line: ShownLine, people: frozenset[str]) -> None:
        self.time = line.time
        self.speaker = frozenset(words_of_name(line.speaker))
        self._author = line.speaker
        self._text = _FORGED.sub("", line.text)
        if _COMMAND.search(self._text) or self.fault(self._text, denied=False) == "instruction":
            self._text = ""
        self.clauses = clauses_of(self._text, people)
        self._grounds = {clause: Ground([clause.text], (), line.time) for clause in self.clauses}

    def fault(self, clause: str, *, denied: bool) -> str | None:
        """Return the reason why the author does not assert a part of the line; None if it is asserted."""
        start = max(0, self._text.find(clause.strip()))
        quote = Quoted(self._text, start, start + len(clause.strip()))
        return fault_of(quote, "", "", self._author, negated=denied)

    def holding(self, item: Item) -> list[Clause]:
        """Return the clauses that contain an item; the author's name is in all of them."""
        return [
            clause
            for clause in self.clauses
            if (item.kind in ("name", "place") and not item.meanings and item.word in self.speaker)
            or self._holds(clause, item)
        ]

    def ends(self, clause: Clause, part: Clause, subject: frozenset[str]) -> bool:
        """Return whether a clause of this later line ends a state that a part of an answer claims for somebody."""
        if subject and subject.isdisjoint(self.speaker) and not has_name(subject, clause):
            return False
        if (clause.lead and clause.lead not in subject) or clause.relatives - part.meanings:
            return False
        if part.ways & clause.ways and part.ways & _ways("live"):
            return self._moves(clause, part, subject)
        if clause.mode.denied and not part.mode.denied and self._shares_an_item(clause, part, subject):
            return True
        if part.ways & _ways("work") and _NEW_WORK.search(clause.text):
            return True
        return bool(part.of_kind("kin")) and _PARTED.search(clause.text) is not None

    def _moves(self, clause: Clause, part: Clause, subject: frozenset[str]) -> bool:
        """Return whether a clause tells of a move from the place that a part names, or to another one."""
        places = [item for item in part.of_kind("place", "name") if item.word not in subject]
        mentioned = [place for place in places if self._holds(clause, place)]
        if any(_FROM.search(clause.text[: _position(place, clause)]) for place in mentioned):
            return True
        others = [item for item in clause.of_kind("place", "name") if item.word not in subject | self.speaker]
        return not mentioned and bool(others) and not clause.mode.denied

    def _shares_an_item(self, clause: Clause, part: Clause, subject: frozenset[str]) -> bool:
        return any(
            item.word not in subject
            and item.kind != "weekday"
            and (item.kind != "word" or item.word in clause.words)
            and self._holds(clause, item)
            for item in part.items
        )

    def _holds(self, clause: Clause, item: Item) -> bool:
        """Return whether a clause contains an item."""
        if item.kind == "date":
            return self._is_dated(clause, item.day)
        if item.kind == "weekday":
            return item in clause.of_kind("weekday") or self._is_on_weekday(clause, int(item.word))
        if item.kind == "number":
            return any(other.word == item.word for other in clause.of_kind("number"))
        if item.meanings:
            return not item.meanings.isdisjoint(clause.meanings)
        if item.kind in ("name", "place"):
            return has_name({item.word}, clause)
        return self._grounds[clause].has(item.word)

    def _is_on_weekday(self, clause: Clause, weekday: int) -> bool:
        days = [start for start, end in meant_periods(clause.text, self.time) if (end - start).days == 1]
        written = [weekday_of(item.day) for item in clause.of_kind("date")]
        return weekday in (*(day.isoweekday() for day in days), *written)

    def _is_dated(self, clause: Clause, day: Day) -> bool:
        days = [item.day for item in clause.of_kind("date")]
        periods = meant_periods(clause.text, self.time)
        if any(same_day(day, each, self.time) for each in days) or any(lies_in(day, each) for each in periods):
            return True
        return day[2] is None and not days and not periods and same_day(day, day_of(self.time), self.time)


@cache
def _ways(verb: str) -> frozenset[str]:
    return frozenset[str]().union(*(clause.ways for clause in clauses_of(verb)))


def _position(item: Item, clause: Clause) -> int:
    """Return the position of a place or name in a clause, or the clause's length if it is unknown."""
    folded = fold(clause.text)
    at = folded.find(item.word)
    if at >= 0 and len(folded) == len(clause.text):
        return at
    others = [folded.find(other.word) for other in clause.of_kind("place") if other.meanings & item.meanings]
    return next((at for at in others if at >= 0), len(clause.text))


def has_name(names: Collection[str], clause: Clause) -> bool:
    """Return whether a clause contains one of these names, also with an ending."""
    return any(
        word == name
        or (word.startswith(name) and word[len(name) :] in _NAME_ENDINGS and len(name) > 2)
        or (name.startswith(word) and name[len(word) :] == "s" and len(word) > 2)
        for name in names
        for word in clause.words
    ) or any(not name.isascii() and len(name) > 1 and name in fold(clause.text) for name in names)


def words_of_name(name: str) -> list[str]:
    """Return the folded words of a name, without single letters."""
    return re.findall(r"[^\W_]{2,}", fold(name))
