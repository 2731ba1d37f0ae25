"""Made-up chats for measuring: the same seed gives the same messages, about 37 tokens each as in real chats."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PEOPLE = ("Alice Berg", "Bob Tan", "Chiara Rossi", "Dmitri Orlov", "Eun-ji Park")
_SUBJECTS = [
    "the garden",
    "our landlord",
    "my sister",
    "that concert",
    "the red bicycle",
    "Biscuit the cat",
    "the new office",
    "my knee",
]
_VERBS = [
    "keeps asking about",
    "really needs",
    "reminded me of",
    "has nothing to do with",
    "was late because of",
    "cannot stand",
]
_THINGS = [
    "the train to Lisbon",
    "a birthday cake",
    "the dentist",
    "two hundred euros",
    "the choir rehearsal",
    "a broken window",
    "the tax office",
    "a ride to the airport",
    "swimming lessons",
    "the neighbour's piano",
    "an old camera",
    "fresh basil",
]
_TAILS = [
    "so I will call them tomorrow after work and let you know",
    "and honestly I do not know what to do about it",
    "which is why we should meet on Friday at the usual place",
    "but do not tell anybody before it is certain",
    "and it made me think of the summer when we all went to the lake",
    "can you remind me on Sunday evening please",
]


def text(random_: random.Random, number: int) -> str:
    """Return one message, unlike the others."""
    parts = [random_.choice(words) for words in (_SUBJECTS, _VERBS, _THINGS, _TAILS)]
    return (
        f"{' '.join(parts)}, number {number} on my list, see you at {random_.randrange(24)}:{random_.randrange(60):02}"
    )


def messages(count: int, seed: int = 7) -> Iterator[tuple[datetime, str, str]]:
    """Yield time, speaker and text of ``count`` messages, about 200 a day."""
    random_ = random.Random(seed)
    time = datetime(2020, 1, 13, 7, 0)  # noqa: DTZ001 - the wall clock of an export
    for number in range(count):
        time += timedelta(seconds=random_.randrange(30, 800))
        yield time, random_.choice(PEOPLE), text(random_, number)


def write_export(path: Path, count: int, seed: int = 7) -> Path:
    """Write an Android export of ``count`` messages; return the path."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(
            f"{time:%d/%m/%Y, %H:%M} - {speaker}: {words}\n" for time, speaker, words in messages(count, seed)
        )
    return path
