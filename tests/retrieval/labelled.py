"""Chats in five languages with questions and the messages that answer them: the labelled set of the ranking.

Everything is made up. In ``chats/`` each language has four files: ``xx.txt`` holds five chats (``# title``, a day
``= 2025-01-07``, a message ``Name: text``, with a label ``{label}`` where it answers a question), ``xx.smalltalk`` what
people say all day, ``xx.questions`` the questions in that language and ``xx.cross`` those in the other four. A question
is ``label | question`` or, asked of one chat alone, ``label | question | title``; several labels have commas between,
all of them answer. The headings ``# kind`` and ``# xx`` tell the kind of the questions below or their language.
Small talk is woven between the messages and into days of its own, always in the same way.
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
KINDS = ("plain", "name", "chat", "time", "phrase", "passage", "detail", "paraphrase", "form")
"""Of the questions in the language of the chats. ``plain``: in words of their own; ``name``: someone by first name;
``chat``: in one chat, named or filtered by; ``time``: with words of time; ``phrase``: with words in quotes; ``passage``:
about one sentence of a message of some hundred words; ``detail``: a number, a code, a place; ``paraphrase``: no word in
common with the answer; ``form``: the answer has the word as part of a compound, with other endings, or without blanks."""
ASKED = datetime(2025, 6, 20, 18, tzinfo=UTC)
"""When all questions are asked: what "last week" and "in May" are relative to. Every message is older."""
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
    kind: str
    """One of `KINDS`, or ``cross``: in another language than the messages."""
    language: str
    """The one it is asked in."""
    chats: tuple[str, ...] = ()
    """The titles of the chats that are asked; empty: all."""


@dataclass(frozen=True, slots=True)
class Line:
    """One message before it has a time and a place."""

    speaker: str
    text: str
    label: str | None = None


def questions(language: str) -> list[Question]:
    """Those about the chats of one language, in that language; every second one is held out."""
    return [
        _question(language, number, line, kind=heading, asked_in=language)
        for number, (heading, line) in enumerate(_under_headings(f"{language}.questions"))
    ]


def cross(language: str) -> list[Question]:
    """Those about the chats of one language, in other languages; every second one is held out."""
    return [
        _question(language, number, line, kind="cross", asked_in=heading)
        for number, (heading, line) in enumerate(_under_headings(f"{language}.cross"))
    ]


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
            later = {day + timedelta(days=after) for after in range(1, IDLE_DAYS + 1)}
            for idle_day in sorted(each for each in later - told if each < ASKED.date()):
                idle = [Line(source.choice(people), source.choice(smalltalk)) for _ in range(source.randint(2, 4))]
                made.append(_document(language, title, people, idle_day, idle))
    return made


def _question(language: str, number: int, line: str, *, kind: str, asked_in: str) -> Question:
    labels, text, *chats = line.split(" | ")
    answers = frozenset(f"{language}-{label.strip()}" for label in labels.split(","))
    return Question(text, answers, number % 2 == 1, kind, asked_in, tuple(chats))


def _under_headings(name: str) -> Iterator[tuple[str, str]]:
    heading = ""
    for line in _lines(name):
        if line.startswith("# "):
            heading = line[2:]
        else:
            yield heading, line


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
    metadata = {"chat": title, "title": title}
    return ConversationDocument.model_validate({"id": name, "conversation": talk, "metadata": metadata})


def _lines(name: str) -> list[str]:
    return [line for line in (FOLDER / name).read_text(encoding="utf-8").splitlines() if line.strip()]
