"""The lines of a text file, with a record of undecodable bytes; and messages of a header and the lines after it.
Streaming.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Generic, NamedTuple, TypeVar

from ..connector import DateOrder
from .line_blocks import blocks, encoding_of

MESSAGE_LIMIT = 16 << 20
"""Characters of one message; a longer one is not kept."""
TOO_LONG = "a message of more than 16 MiB"
_ODD_SHARE = 10
"""The number of characters beyond ASCII per undecodable place below which a text counts as not UTF-8."""


@dataclass(slots=True)
class FileState:
    """The findings of one pass over a file, apart from its messages."""

    unterminated: bool = False
    """True if the file ends without a line end."""
    undecodable: int = 0
    """The line at or after which bytes first became U+FFFD; 0 for none."""
    unknown: int = 0
    """The number of lines that are kept although their kind is unknown."""
    impossible: int = 0
    """Lines like a header with a date or a time that does not exist, kept as text."""
    unclosed: int = 0
    """Rows of a CSV file with a field whose closing quotation mark is not there."""
    date_order: DateOrder | None = None
    """The order of day and month, if the user gave it."""
    date_order_open: bool = False
    """True if no date shows whether the day or the month comes first."""


class Line(NamedTuple):
    """A line without its end. A very long line comes in pieces, of which all but the first are ``torn``."""

    number: int
    text: str
    torn: bool


def chat_lines(stream: BinaryIO, state: FileState, encoding: str = "") -> Iterator[Line]:
    """Yield the lines of a stream; ``state`` grows with them."""
    for block in blocks(stream, encoding):
        if block.undecodable and not state.undecodable:
            state.undecodable = block.line
        state.unterminated = block.unterminated
        parts = block.text.split("\n")
        number = block.line
        if block.text[:1] == "\n":
            del parts[0]
            torn = False
        else:
            torn = True
        for text in parts:
            yield Line(number, text, torn)
            torn = False
            number += 1


def legacy_encoding(head: bytes, legacy: str) -> str:
    """Return a program's old encoding if the beginning of a text is written in it; otherwise an empty string, and the
    encoding is detected from the file.

    Damaged UTF-8 has a few places that are no text; what was never UTF-8 has them everywhere.
    """
    if encoding_of(head) != "utf-8":
        return ""
    text = head.decode("utf-8", "replace").rstrip("\ufffd")
    odd = text.count("\ufffd")
    return legacy if odd and odd * _ODD_SHARE > sum(1 for letter in text if letter > "\x7f") else ""


Header = TypeVar("Header")


@dataclass(frozen=True, slots=True)
class Headed(Generic[Header]):
    """A header and the text behind it: on its own line, and on the lines that follow. No header: lines before the first."""

    line: int
    header: Header | None
    text: str | None
    """None when it is longer than a message may be."""


@dataclass(slots=True)
class _Body:
    """Text that grows line by line."""

    parts: list[str] = field(default_factory=list[str])
    size: int = 0

    def add(self, text: str, *, torn: bool) -> None:
        self.size += len(text) + 1
        if self.size > MESSAGE_LIMIT:
            self.parts.clear()
        elif torn or not self.parts:
            self.parts.append(text)
        else:
            self.parts += ("\n", text)

    def text(self) -> str | None:
        return None if self.size > MESSAGE_LIMIT else "".join(self.parts)


def headed(lines: Iterable[Line], header_of: Callable[[str], tuple[Header, str] | None]) -> Iterator[Headed[Header]]:
    """Yield messages of a format whose headers stand at the start of a line.

    Args:
        lines: of the file.
        header_of: a line's header and the text behind it; None for a line of text.
    """
    header: Header | None = None
    start = 1
    body = _Body()
    for line in lines:
        line_header = None if line.torn else header_of(line.text)
        if line_header is None:
            if not body.size:
                start = line.number
            body.add(line.text, torn=line.torn)
            continue
        if header is not None or body.size:
            yield Headed(start, header, body.text())
        header, text = line_header
        start, body = line.number, _Body()
        body.add(text, torn=False)
    if header is not None or body.size:
        yield Headed(start, header, body.text())
