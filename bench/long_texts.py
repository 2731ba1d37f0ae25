"""Forty long texts with questions, made from the paragraphs of long_texts.txt: always the same ones."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TEXTS = 40
ANSWERED = 6
"""Paragraphs with an answer in each text; as many questions could be asked of it."""
ASKED = 3
"""Questions that are asked of each text."""
_PLACES = ("Lindvik", "Osterby", "Halmfeld", "Corrin", "Vastra", "Elmstow", "Norrung", "Tarnach", "Bellmoor", "Sandrup")
_FIRST = ("Ida", "Jonas", "Mirja", "Edwin", "Karla", "Tobias", "Runa", "Felix", "Agnes", "Pavel", "Selma", "Hugo")
_LAST = ("Brandt", "Lowell", "Sundin", "Marek", "Aldous", "Ferro", "Kolbe", "Winter", "Dahl", "Roper")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_SLOT = re.compile(r"\{(place|person|number|year|weekday)\}")


@dataclass(frozen=True, slots=True)
class LongText:
    """A text of some 600 words, with its questions."""

    id: str
    title: str
    content: str
    questions: tuple[tuple[str, int, int], ...]
    """Question, and begin and end of the answer in the text."""


def long_texts() -> Iterator[LongText]:
    """Yield the texts. Some have the same subject at other places, so that a question must find the right one, too."""
    kinds, between = _kinds()
    for number in range(TEXTS):
        title, paragraphs = kinds[number % len(kinds)]
        chance = random.Random(f"long texts {number}")
        place = _PLACES[(number // len(kinds) * 3 + number) % len(_PLACES)]
        yield _text(number, title.replace("{place}", place), place, paragraphs, between, chance)


def _text(
    number: int, title: str, place: str, paragraphs: list[tuple[str, str]], between: list[str], chance: random.Random
) -> LongText:
    def filled(slot: re.Match[str]) -> str:
        return {
            "place": place,
            "person": f"{chance.choice(_FIRST)} {chance.choice(_LAST)}",
            "number": str(chance.randint(12, 95)),
            "year": str(chance.randint(1890, 1989)),
            "weekday": chance.choice(_WEEKDAYS),
        }[slot[1]]

    parts: list[tuple[str, str]] = [("", each) for each in chance.sample(between, len(between))]
    for paragraph in chance.sample(paragraphs, ANSWERED):
        parts.insert(chance.randint(1, len(parts)), paragraph)
    content = title
    asked: list[tuple[str, int, int]] = []
    for question, paragraph in parts:
        content += "\n\n"
        words = _SLOT.sub(filled, paragraph)
        if question:
            before, answer, after = re.split(r"[\[\]]", words)
            start = len(content) + len(before)
            asked.append((question.replace("{place}", place), start, start + len(answer)))
            words = before + answer + after
        content += words
    return LongText(f"long/{number:02}.txt", title, content, tuple(sorted(asked)[:ASKED]))


def _kinds() -> tuple[list[tuple[str, list[tuple[str, str]]]], list[str]]:
    """Read the file: titles with their paragraphs and questions, and the paragraphs that stand anywhere."""
    parts = (Path(__file__).parent / "long_texts.txt").read_text(encoding="utf-8").split("\n# ")[1:]
    last, _, anywhere = parts[-1].partition("\n#\n")
    kinds: list[tuple[str, list[tuple[str, str]]]] = []
    for part in [*parts[:-1], last]:
        title, *blocks = part.strip().split("\n")
        lines = [line for line in blocks if line]
        pairs = zip(lines[::2], lines[1::2], strict=True)
        kinds.append((title, [(question.removeprefix("? "), paragraph) for question, paragraph in pairs]))
    return kinds, anywhere.strip().split("\n\n")
