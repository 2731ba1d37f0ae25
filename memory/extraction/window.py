"""Windows: the pieces of a document that an extractor reads at once. Pure, and a function of the document alone.

A window ends at a pause in the conversation, or when it grows too long; never inside a message. Its lines are numbered
and escaped, so that no message can look like two, and its hash covers everything that an extractor is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

import orjson

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER, ConversationMessage
from ...schemas.message import Role
from ...schemas.stated_fact import StatedFact, stated_fact
from ..records import StoredDocument, StoredMessage

GAP = timedelta(hours=3)
"""The pause that ends a window: the text after it is mostly about something else."""
MOST_LINES = 60
MOST_TOKENS = 1_500
"""The most tokens of a window, by the caller's count; small local models read no more than 4,096 with prompt and
answer.
"""
TAIL_LINES = 4
"""Lines of the previous window that are shown as context and may not be cited."""
LONGEST_LINE = 4_000
"""Characters of one message that an extractor is shown; the rest is left out of extraction, not of the memory."""


@dataclass(frozen=True, slots=True)
class Line:
    """One message as shown to an extractor. ``number`` counts from 1 within the window; context has negative numbers."""

    number: int
    message: UUID
    message_id: str
    speaker: str
    text: str
    time: datetime
    role: Role | None = None
    forwarded: bool = False
    fact: StatedFact | None = None
    """The fact that a program states with it; a model is not shown this."""


@dataclass(frozen=True, slots=True)
class Window:
    """Lines of one document, with their common properties."""

    document: UUID
    document_id: str
    source: str
    title: str
    user: str
    people: tuple[str, ...]
    lines: tuple[Line, ...]
    context: tuple[Line, ...] = ()
    written_by_user: bool = True
    """False for a text by another or an unknown author: its claims are not the user's."""
    chat: str = ""
    """The name of the chat, which does not change with the title; it is not shown."""

    @property
    def hash(self) -> bytes:
        """The SHA-256 of everything that is shown, and of the facts that the lines carry."""
        shown = [
            [
                *(line.number, str(line.message), line.speaker, line.text),
                *(line.time.isoformat(), line.role, line.forwarded),
                *(() if line.fact is None else (line.fact.to_json().decode(),)),
            ]
            for line in (*self.context, *self.lines)
        ]
        about = [self.document_id, self.source, self.title, self.user, self.people, self.written_by_user]
        return sha256(orjson.dumps([about, shown])).digest()


def windows_of(row: StoredDocument, messages: Sequence[StoredMessage], count: Callable[[str], int]) -> list[Window]:
    """Return the windows of a document, in order.

    Args:
        row: the document.
        messages: its messages, in order; none for a text.
        count: counts the tokens of a text.
    """
    shown = row.metadata.get("title", "")
    if row.kind == "text":
        return _of_text(row, count, shown)
    said = [message for message in messages if _says_something(message)]
    people = tuple(name for name in row.people if name not in _RESERVED)
    windows: list[Window] = []
    before: list[Line] = []
    for group in _groups(said, count):
        lines = [_line(number, message) for number, message in enumerate(group, start=1)]
        near = before and lines[0].time - before[-1].time < GAP
        tail = before[-TAIL_LINES:] if near else []
        context = tuple(as_context(line, index - len(tail)) for index, line in enumerate(tail))
        chat = row.metadata.get("chat", "")
        windows.append(Window(row.key, row.id, row.source, shown, row.user, people, tuple(lines), context, chat=chat))
        before = lines
    return windows


_RESERVED = frozenset({SYSTEM_SPEAKER, UNKNOWN_USER})


def _says_something(stored: StoredMessage) -> bool:
    message = stored.message
    if message.speaker == SYSTEM_SPEAKER:
        return False
    return message.kind == "text" and not message.deleted and bool(_own_words(message).strip())


def _groups(said: Sequence[StoredMessage], count: Callable[[str], int]) -> Iterator[list[StoredMessage]]:
    group: list[StoredMessage] = []
    tokens = 0
    for message in said:
        size = count(message.message.content[:LONGEST_LINE]) + 8  # number, name and time
        paused = bool(group) and message.message.time - group[-1].message.time >= GAP
        if group and (paused or len(group) >= MOST_LINES or tokens + size > MOST_TOKENS):
            yield group
            group, tokens = [], 0
        group.append(message)
        tokens += size
    if group:
        yield group


def _line(number: int, stored: StoredMessage) -> Line:
    message = stored.message
    return Line(
        number=number,
        message=stored.key,
        message_id=message.id or str(stored.key),
        speaker=message.speaker,
        text=_own_words(message)[:LONGEST_LINE],
        time=message.time,
        role=message.role,
        forwarded=message.forwarded_from is not None,
        fact=stated_fact(message.metadata),
    )


def _own_words(message: ConversationMessage) -> str:
    """Return the content without quoted or forwarded parts; the rest occurs in it word for word."""
    text = message.content
    for segment in sorted(message.segments, key=lambda each: each.start, reverse=True):
        if segment.kind in ("quote", "forward"):
            text = text[: segment.start] + "\n" + text[segment.end :]
    return text


def as_context(line: Line, number: int) -> Line:
    """Return a line of the previous window as context, which may not be cited; ``number`` is negative."""
    return Line(number, line.message, line.message_id, line.speaker, line.text, line.time, line.role, line.forwarded)


def _of_text(row: StoredDocument, count: Callable[[str], int], title: str) -> list[Window]:
    """Return the windows of a text: a conversation of one speaker, its author, who is the user only if the metadata
    says so.
    """
    if row.timestamp is None:
        return []  # without its time no date in it could be resolved
    author = row.metadata.get("author", "")
    mine = row.metadata.get("author_is_user") == "true"
    speaker = author or row.source
    windows: list[Window] = []
    lines: list[Line] = []
    tokens = 0
    for paragraph in row.content.split("\n\n"):
        for start in range(0, len(paragraph), LONGEST_LINE):
            piece = paragraph[start : start + LONGEST_LINE]
            size = count(piece)
            if lines and (tokens + size > MOST_TOKENS or len(lines) >= MOST_LINES):
                windows.append(_text_window(row, title, speaker, lines, mine=mine))
                lines, tokens = [], 0
            if piece.strip():
                lines.append(Line(len(lines) + 1, row.key, row.id, speaker, piece, row.timestamp))
                tokens += size
    if lines:
        windows.append(_text_window(row, title, speaker, lines, mine=mine))
    return windows


def _text_window(row: StoredDocument, title: str, speaker: str, lines: list[Line], *, mine: bool) -> Window:
    return Window(
        row.key, row.id, row.source, title, speaker if mine else "", (speaker,), tuple(lines), written_by_user=mine
    )


def escaped(text: str) -> str:
    """Return a message on one line: line ends are escaped, so that no line can be forged."""
    return "".join(_ESCAPES.get(character, character) for character in text.replace("\\", "\\\\"))


_ESCAPES = {
    character: character.encode("unicode_escape").decode()
    for character in [*map(chr, range(32)), "\x7f", "\x85", "\u2028", "\u2029"]
}
