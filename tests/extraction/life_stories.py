"""Life stories: what people said over months and years, and what holds of them on a day. The form is told in labels/README.md."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.statement import Statement
from memd.memory.facts.clusters import Resolved
from memd.tests.extraction.cases import windows_of_wire
from memd.tests.extraction.fact_label import value_fits
from memd.tests.extraction.labelled_conversations import HERE, LabelledMessage, blocks, day_of, message_of, wire_of
from memd.tests.facts.labelled import resolve_all

STORIES = HERE / "labels" / "stories.txt"
HELD_OUT_STORIES = HERE / "held_out_stories.txt"

_QUESTION = re.compile(r"\? (\d{4}-\d\d-\d\d) (\S+) ([\w|]+) (=|!=|⊇|∋|∌) (.+)")
_ENOUGH = "plan"
"""An attribute whose values may have words that no label names: so are all values of stories compared."""


@dataclass(frozen=True, slots=True)
class AsOf:
    """A question: what holds of somebody at the end of a day."""

    text: str
    at: datetime
    person: str
    attributes: frozenset[str]
    relation: str
    """``=``: these and no others; ``!=`` and ``∌``: not these; ``⊇`` and ``∋``: these, whatever else."""
    values: tuple[str, ...]
    """Alternatives; none: nothing at all."""

    def answered(self, facts: Iterable[Resolved]) -> bool:
        """Whether the facts answer it as expected."""
        held = [fact.value for fact in facts if self._holds(fact)]
        fits = [any(value_fits(value, label, _ENOUGH) for label in self.values) for value in held]
        if self.relation == "=":
            return not held if not self.values else bool(held) and all(fits)
        return any(fits) if self.relation in ("⊇", "∋") else not any(fits)

    def _holds(self, fact: Resolved) -> bool:
        """As the store answers for a time."""
        there = fact.valid_from <= self.at and (fact.valid_to is None or fact.valid_to > self.at)
        return there and not fact.negated and fact.subject == self.person and fact.attribute in self.attributes


@dataclass(frozen=True, slots=True)
class Story:
    """What was said, a document a day, and the questions."""

    name: str
    language: str
    days: tuple[tuple[LabelledMessage, ...], ...]
    questions: tuple[AsOf, ...]

    def statements(self, extractor: RulesExtractor | None = None) -> list[Statement]:
        """What the rules make of it, in the order of the days."""
        reader = extractor or RulesExtractor()
        user = self.days[0][0].speaker
        return [
            statement
            for day in self.days
            for window in windows_of_wire(wire_of(f"{self.name}:{day[0].time:%Y-%m-%d}", user, day))
            for statement in reader.read(window).statements
        ]


def stories(file: Path) -> list[Story]:
    """All stories of a file."""
    return [_story(head, lines) for head, lines in blocks(file)]


def failed(story: Story, statements: Sequence[Statement]) -> list[AsOf]:
    """The questions that are answered otherwise than expected."""
    facts = resolve_all(statements)
    return [question for question in story.questions if not question.answered(facts)]


def _story(head: Sequence[str], lines: Sequence[str]) -> Story:
    name, language = head
    days: dict[str, list[LabelledMessage]] = {}
    questions: list[AsOf] = []
    for line in lines:
        if line.startswith("? "):
            questions.append(_question(line))
        else:
            date, _, said = line.partition(" ")
            of_day = days.setdefault(date, [])
            of_day.append(message_of(said, len(of_day) + 1, day_of(date)))
    return Story(name, language, tuple(tuple(days[date]) for date in sorted(days)), tuple(questions))


def _question(line: str) -> AsOf:
    match = _QUESTION.fullmatch(line)
    if match is None:
        raise ValueError(f"not a question: {line}")
    date, person, attributes, relation, values = match.groups()
    named = () if values == "none" else tuple(each.strip() for each in values.split(" / "))
    at = day_of(date) + timedelta(hours=23)
    return AsOf(line[2:], at, person, frozenset(attributes.split("|")), relation, named)
