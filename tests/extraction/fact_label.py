"""A label of one fact: the ways in which it may be stated, and whether a statement is one of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memd.memory.extraction.statement import Statement
from memd.memory.facts.value_similarity import terms_of

Mode = Literal["now", "past", "not", "plan", "brief"]
"""``past`` and ``not``: denied, or over when it was said; ``plan``: it begins later; ``brief``: it has an end, or is only where they are."""

_DATED = frozenset({"plan", "event", "goal", "need", "habit"})
"""Attributes whose statements may name a time that the label leaves out."""
_EXTRA = {"plan": 6, "event": 6, "goal": 6, "need": 6, "habit": 4, "health": 3, "hobby": 3, "skill": 3, "possession": 3, "belief": 3, "likes": 2, "dislikes": 2}  # fmt: skip
"""How many words more than the label names a value may have; of other attributes none."""
_UNBOUND = frozenset(["him", "them", "it", "this", "that", "these", "those", "here", "there", "together", "mine", "yours", "ihn", "ihm", "ihnen", "dies", "hier", "dort", "esto", "eso", "ello", "aquí", "allí"])  # fmt: skip
"""Words that tell nothing without the sentences around them."""
_MIRROR = {"likes": "dislikes", "dislikes": "likes"}
_OPTIONAL = re.compile(r"\(([^)]*)\)")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Way:
    """One way to state the fact."""

    attributes: tuple[str, ...]
    values: tuple[str, ...]
    subjects: tuple[str, ...]
    mode: Mode = "now"
    start: str = ""
    end: str = ""

    def states(self, statement: Statement, said: datetime, *, anybody: bool = False) -> bool:
        """Whether the statement states it; with ``anybody`` of whomever."""
        subject = anybody or "*" in self.subjects or statement.subject in self.subjects
        return subject and any(
            self._holds(statement, attribute, negated, said) for attribute, negated in _forms(statement)
        )

    def _holds(self, statement: Statement, attribute: str, negated: bool, said: datetime) -> bool:
        if self.attributes == ("*",):
            return True
        if attribute not in self.attributes or not any(value_fits(statement.value, v, attribute) for v in self.values):
            return False
        return self._in_mode(statement, attribute, negated, said) and self._in_time(statement, attribute, said)

    def _in_mode(self, statement: Statement, attribute: str, negated: bool, said: datetime) -> bool:
        soon = said + timedelta(days=1)
        begin, end = statement.valid_from, statement.valid_to
        over = end is not None and end <= soon
        if self.mode in ("past", "not"):
            return negated or over
        if self.mode == "plan":
            return not negated and (attribute == "plan" or (begin is not None and begin > soon))
        if self.mode == "brief":
            return not negated and (attribute in ("location", "plan") or (end is not None and not over))
        later = begin is not None and begin > soon
        return not negated and (attribute in _DATED or not (over or later))

    def _in_time(self, statement: Statement, attribute: str, said: datetime) -> bool:
        begin, end = statement.valid_from, statement.valid_to
        if end is not None and self.end and not end.isoformat().startswith(self.end):
            return False
        if begin is None:
            return True
        if self.start:
            return begin.isoformat().startswith(self.start)
        return attribute in _DATED or self.mode != "now" or begin.date() == said.date()


@dataclass(frozen=True, slots=True)
class FactLabel:
    """A fact that a message states, in one or several ways."""

    text: str
    ways: tuple[Way, ...]
    said: datetime

    @property
    def attribute(self) -> str:
        """The first attribute that is named: under it the label is counted."""
        return self.ways[0].attributes[0]

    def states(self, statement: Statement, *, anybody: bool = False) -> bool:
        """Whether a statement states it; with ``anybody`` of whomever."""
        return any(way.states(statement, self.said, anybody=anybody) for way in self.ways)


def value_fits(value: str, label: str, attribute: str = "plan") -> bool:
    """Whether a value says what a label says, and stands alone."""
    if label == "*":
        return True
    named, optional = _OPTIONAL.sub(" ", label), " ".join(_OPTIONAL.findall(label))
    needed, allowed = terms_of(named), terms_of(optional) if optional else frozenset[str]()
    if (_words(value) - _words(label)) & _UNBOUND:
        return False
    got = terms_of(value)
    return needed <= got and len(got - needed - allowed) <= _EXTRA.get(attribute, 0)


def parse_label(text: str, speaker: str, said: datetime) -> FactLabel:
    """A label as it is written: ``attribute|attribute: value / value ; from 2024 || another way``."""
    return FactLabel(text, tuple(_way(each, speaker) for each in text.split(" || ")), said)


def _way(text: str, speaker: str) -> Way:
    named, *options = (part.strip() for part in text.split(" ; "))
    attributes, _, values = named.partition(": ")
    if not values and attributes != "*":
        raise ValueError(f"no value: {text}")
    mode: Mode = "now"
    start = end = ""
    subjects: tuple[str, ...] = (speaker,)
    for option in options:
        key, _, rest = option.partition(" ")
        match key:
            case "past" | "not" | "plan" | "brief":
                mode = key
            case "from":
                start = rest
            case "to":
                end = rest
            case "of":
                subjects = tuple(each.strip() for each in rest.split(" / "))
            case _:
                raise ValueError(f"unknown option {option!r}: {text}")
    return Way(tuple(attributes.split("|")), tuple(v.strip() for v in values.split(" / ")), subjects, mode, start, end)


def _forms(statement: Statement) -> list[tuple[str, bool]]:
    """Its attribute and negation, and of a taste the opposite one: not to like is to dislike."""
    mirrored = _MIRROR.get(statement.attribute)
    own = (statement.attribute, statement.negated)
    return [own] if mirrored is None else [own, (mirrored, not statement.negated)]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
