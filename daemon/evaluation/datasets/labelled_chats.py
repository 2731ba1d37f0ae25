"""Reads labelled chats in several languages, with questions and the messages that answer them.

Each language has four files: ``xx.txt`` holds chats (``# title``, a day ``= 2025-01-07``, a message ``Name: text``, with a label
``{label}`` where it answers a question), ``xx.smalltalk`` what people say all day, ``xx.questions`` the questions in that
language and ``xx.cross`` those in others. A question is ``label | question`` or, asked of one chat alone, ``label | question |
title``; several labels have commas between, all of them answer. The headings ``# kind`` and ``# xx`` tell the kind of the
questions below or their language. Small talk is woven between the messages and into days of its own, always in the same way.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from ....schemas import ConversationDocument
from .dataset import Question, Scope

ASKED = datetime(2025, 6, 20, 18, tzinfo=UTC)
"""The time of all questions: what "last week" and "in May" are relative to. Every message is older."""
TOGETHER = "all in one"
"""The name of the scope that holds the chats of all languages."""
HALVES = ("dev", "held-out")
"""The questions that weights were set by, and the others."""
CROSS = "cross"
"""The category of questions in another language than the messages, and the first word of their groups."""
HITS = 10
"""The hits that are asked for: as many as `memd query` asks for by default."""
WOVEN = 0.3
"""Small talk for each message."""
IDLE_DAYS = 2
"""Days of small talk that follow each day with a conversation."""
_MESSAGE = re.compile(r"(?P<who>[^:]+): (?:\{(?P<label>\w+)\} )?(?P<text>.+)")


@dataclass(frozen=True, slots=True)
class Line:
    """One message before it has a time and a place."""

    speaker: str
    text: str
    label: str | None = None


def languages_in(folder: Path) -> list[str]:
    """Return the languages that have questions in a folder."""
    return sorted(path.stem for path in folder.glob("*.questions"))


def read_labelled_chats(folder: Path, languages: Sequence[str] = ()) -> Iterator[Scope]:
    """Yield a scope for each language (default: those in the folder), then one of all of them."""
    batches: list[list[ConversationDocument]] = []
    together: list[Question] = []
    for language in languages or languages_in(folder):
        documents = chats_of(folder, language)
        questions = [*questions_of(folder, language), *cross_of(folder, language)]
        yield Scope(language, [documents], questions)
        batches.append(documents)
        together += questions
    yield Scope(TOGETHER, batches, together, repeats=True)


def questions_of(folder: Path, language: str) -> list[Question]:
    """Return those about the chats of one language, in that language; every second one is held out."""
    lines = enumerate(_under_headings(folder / f"{language}.questions"))
    return [_question(language, number, line, heading) for number, (heading, line) in lines]


def cross_of(folder: Path, language: str) -> list[Question]:
    """Return those about the chats of one language, in other languages; every second one is held out. The id begins with
    the language of the question.
    """
    lines = enumerate(_under_headings(folder / f"{language}.cross"))
    return [_question(language, number, line, CROSS, f"{heading}:") for number, (heading, line) in lines]


def chats_of(folder: Path, language: str) -> list[ConversationDocument]:
    """Return the chats of one language, each day one document; a labelled message's id is ``xx-label``."""
    source = random.Random(language)  # noqa: S311 - the same small talk each time
    smalltalk = _lines(folder / f"{language}.smalltalk")
    documents: list[ConversationDocument] = []
    for title, days in _chats(folder / f"{language}.txt"):
        people = sorted({line.speaker for _, lines in days for line in lines})
        lively = {day for day, _ in days}
        for day, lines in days:
            woven: list[Line] = []
            for line in lines:
                if source.random() < WOVEN:
                    woven.append(Line(source.choice(people), source.choice(smalltalk)))
                woven.append(line)
            documents.append(_document(language, title, people, day, woven))
            later = {day + timedelta(days=after) for after in range(1, IDLE_DAYS + 1)}
            for idle_day in sorted(each for each in later - lively if each < ASKED.date()):
                idle = [Line(source.choice(people), source.choice(smalltalk)) for _ in range(source.randint(2, 4))]
                documents.append(_document(language, title, people, idle_day, idle))
    return documents


def _question(language: str, number: int, line: str, kind: str, asked_in: str = "") -> Question:
    labels, text, *chats = line.split(" | ")
    return Question(
        id=f"{asked_in}{language}-{kind}-{number}",
        text=text,
        category=kind,
        evidence=frozenset(f"{language}-{label.strip()}" for label in labels.split(",")),
        chats=tuple(chats),
        asked_at=ASKED,
        group=f"{CROSS} {HALVES[number % 2]}" if kind == CROSS else HALVES[number % 2],
    )


def _under_headings(path: Path) -> Iterator[tuple[str, str]]:
    heading = ""
    for line in _lines(path):
        if line.startswith("# "):
            heading = line[2:]
        else:
            yield heading, line


def _chats(path: Path) -> Iterator[tuple[str, list[tuple[date, list[Line]]]]]:
    title = ""
    days: list[tuple[date, list[Line]]] = []
    for line in _lines(path):
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


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
