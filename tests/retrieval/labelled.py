"""Chats in five languages with questions and the messages that answer them: the labelled set of the ranking.

Everything is made up. In ``chats/`` each language has three files: ``xx.txt`` holds three chats (``# title``, a day
``= 2025-01-07``, a message ``Name: text``, with a label ``{label}`` where it answers a question), ``xx.questions``
holds ``label | question`` a line, ``xx.smalltalk`` what people say all day. Small talk is woven between the messages
and into days of its own, always in the same way.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from memd.schemas import ConversationDocument

LANGUAGES = ("en", "de", "es", "tr", "ja")
FOLDER = Path(__file__).parent / "chats"
WOVEN = 0.3
"""Small talk for each message."""
IDLE_DAYS = 2
"""Days of nothing but small talk after each told one."""
_MESSAGE = re.compile(r"(?P<who>[^:]+): (?:\{(?P<label>\w+)\} )?(?P<text>.+)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the ids of the messages that answer it. ``held_out``: no weight was set by it."""

    text: str
    answers: frozenset[str]
    held_out: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One message before it has a time and a place."""

    speaker: str
    text: str
    label: str | None = None


def questions(language: str) -> list[Question]:
    """Those of one language; every second one is held out."""
    found: list[Question] = []
    for number, line in enumerate(_lines(f"{language}.questions")):
        labels, _, text = line.partition(" | ")
        answers = frozenset(f"{language}-{label.strip()}" for label in labels.split(","))
        found.append(Question(text, answers, held_out=number % 2 == 1))
    return found


def documents(language: str) -> list[ConversationDocument]:
    """The chats of one language, each day one document; a labelled message's id is ``xx-label``."""
    source = random.Random(language)
    smalltalk = _lines(f"{language}.smalltalk")
    made: list[ConversationDocument] = []
    for title, days in _chats(language):
        people = sorted({line.speaker for _, lines in days for line in lines})
        told = {day for day, _ in days}
        for day, lines in days:
            woven: list[Line] = []
            for line in lines:
                if source.random() < WOVEN:
                    woven.append(Line(source.choice(people), source.choice(smalltalk)))
                woven.append(line)
            made.append(_document(language, title, people, day, woven))
            for idle_day in sorted({day + timedelta(days=later) for later in range(1, IDLE_DAYS + 1)} - told):
                idle = [Line(source.choice(people), source.choice(smalltalk)) for _ in range(source.randint(2, 4))]
                made.append(_document(language, title, people, idle_day, idle))
    return made


def _chats(language: str) -> Iterator[tuple[str, list[tuple[date, list[Line]]]]]:
    title = ""
    days: list[tuple[date, list[Line]]] = []
    for line in _lines(f"{language}.txt"):
        if line.startswith("# "):
            if days:
                yield title, days
            title, days = line[2:], []
        elif line.startswith("= "):
            days.append((date.fromisoformat(line[2:]), []))
        else:
            match = _MESSAGE.fullmatch(line)
            assert match is not None, line
            days[-1][1].append(Line(match["who"], match["text"], match["label"]))
    yield title, days


def _document(
    language: str, title: str, people: Sequence[str], day: date, lines: Sequence[Line]
) -> ConversationDocument:
    name = f"{language}-{title}-{day}"
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    messages = [
        {
            "id": f"{language}-{line.label}" if line.label else f"{name}-{number}",
            "speaker": line.speaker,
            "content": line.text,
            "time": noon + timedelta(minutes=number),
        }
        for number, line in enumerate(lines)
    ]
    talk = {"source": "chats", "people": list(people), "user": people[0], "conversation": messages}
    return ConversationDocument.model_validate({"id": name, "conversation": talk})


def _lines(name: str) -> list[str]:
    return [line for line in (FOLDER / name).read_text(encoding="utf-8").splitlines() if line.strip()]
