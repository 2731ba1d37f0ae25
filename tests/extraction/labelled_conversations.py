"""Labelled conversations: who said what, which facts that gives, and which traps it holds. The form is told in labels/README.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memd.memory.extraction.window import Window
from memd.tests.extraction.cases import windows_of_wire
from memd.tests.extraction.fact_label import FactLabel, parse_label

HERE = Path(__file__).parent
DEVELOPMENT = tuple(sorted((HERE / "labels").glob("development_*.txt")))
HELD_OUT = (HERE / "held_out.txt",)

MISATTRIBUTION = frozenset({"quoted", "forwarded", "pasted", "other", "reported", "signature", "instruction"})
"""Kinds of traps in which the words are somebody else's: a fact of the speaker made of them has the wrong owner."""
KINDS = MISATTRIBUTION | {
    "negated", "question", "short-answer", "hypothetical", "joke", "past", "temporary", "plan", "cancelled", "correction",
    "addition", "ended", "small-talk", "metaphor", "lyrics", "name-trap", "pronoun",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LabelledMessage:
    """One message. Whatever is neither expected nor optional is wrong to make of it."""

    id: str
    speaker: str
    text: str
    time: datetime
    mark: str = ""
    """``forwarded``, ``assistant``, or nothing."""
    expected: list[FactLabel] = field(default_factory=list[FactLabel])
    optional: list[FactLabel] = field(default_factory=list[FactLabel])
    kinds: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class LabelledConversation:
    """Some messages of one chat."""

    name: str
    language: str
    user: str
    messages: tuple[LabelledMessage, ...]

    @property
    def wire(self) -> dict[str, Any]:
        """The document as on the wire."""
        return wire_of(self.name, self.user, self.messages)

    @property
    def windows(self) -> tuple[Window, ...]:
        """What an extractor is shown."""
        return windows_of_wire(self.wire)


def wire_of(name: str, user: str, messages: tuple[LabelledMessage, ...]) -> dict[str, Any]:
    """A conversation document of some messages."""
    body = {
        "source": "set",
        "people": list(dict.fromkeys([user, *(each.speaker for each in messages)])),
        "user": user,
        "conversation": [
            {"id": each.id, "speaker": each.speaker, "content": each.text, "time": each.time.isoformat()}
            | ({"forwarded_from": "somebody"} if each.mark == "forwarded" else {})
            | ({"role": "assistant"} if each.mark == "assistant" else {})
            for each in messages
        ],
    }
    return {"id": f"set:{name}", "conversation": body}


_SAID = re.compile(r"([^:]{1,40}): (?:\((forwarded|assistant)\) )?(.+)")
FIRST_MINUTE = timedelta(hours=10)


def message_of(line: str, number: int, day: datetime) -> LabelledMessage:
    """A line ``Speaker: text``, a minute after the line before."""
    match = _SAID.fullmatch(line)
    if match is None:
        raise ValueError(f"not a message: {line}")
    speaker, mark, text = match.groups()
    time = day + FIRST_MINUTE + timedelta(minutes=number)
    return LabelledMessage(f"m{number}", speaker, text.replace("⏎", "\n"), time, mark or "")


def blocks(file: Path) -> Iterator[tuple[list[str], list[str]]]:
    """The heads and lines of a file's blocks, without comments and blank lines."""
    head, lines = list[str](), list[str]()
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            if head:
                yield head, lines
            head, lines = [part.strip() for part in line[3:].split("|")], []
        elif line.strip() and not line.startswith("#"):
            lines.append(line)
    if head:
        yield head, lines


def day_of(text: str) -> datetime:
    """A day's first moment."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def conversations(files: tuple[Path, ...]) -> list[LabelledConversation]:
    """All conversations of some files."""
    return [_conversation(head, lines) for file in files for head, lines in blocks(file)]


def _conversation(head: list[str], lines: list[str]) -> LabelledConversation:
    name, language, date, *more = head
    day = day_of(date)
    messages: list[LabelledMessage] = []
    for line in lines:
        if line.startswith("-- "):
            day = day_of(line[3:])
        elif line.startswith("  "):
            _add_label(messages[-1], line.strip())
        else:
            messages.append(message_of(line, len(messages) + 1, day))
    user = next((each.removeprefix("user=") for each in more), messages[0].speaker)
    return LabelledConversation(name, language, user, tuple(messages))


def _add_label(message: LabelledMessage, line: str) -> None:
    sign, _, rest = line.partition(" ")
    if sign == "-":
        message.kinds.update(rest.split())
    elif sign in ("+", "?"):
        label = parse_label(rest, message.speaker, message.time)
        (message.expected if sign == "+" else message.optional).append(label)
    else:
        raise ValueError(f"not a label: {line}")
