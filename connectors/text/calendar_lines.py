"""Splits a calendar into unfolded lines, each with its name, parameters and value. Reads a stream, in linear time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO, NamedTuple

LINE_CAP = 1024 * 1024
"""The maximum number of bytes kept of a line: enough for any text, not for an attachment inside the calendar."""
_PIECE = 64 * 1024


class ContentLine(NamedTuple):
    """A line of a calendar, such as ``DTSTART;TZID=Europe/Berlin:20240115T100000``."""

    number: int
    """The line number in the file, from 1."""
    name: str
    """The name in capitals, without a group prefix."""
    parameters: Mapping[str, str]
    value: str
    """The value as written, with its escapes."""
    damaged: bool = False
    """True if the line was cut at ``LINE_CAP`` or is not valid UTF-8."""


def content_lines(stream: BinaryIO) -> Iterator[ContentLine]:
    """Yield the lines; lines without a name or a value are skipped.

    Raises:
        SourceError: the stream raises it.
    """
    for number, data, cut in _unfolded(stream):
        if (line := _content_line(number, data, cut)) is not None:
            yield line


def _unfolded(stream: BinaryIO) -> Iterator[tuple[int, bytes, bool]]:
    number = begun = 0
    held = bytearray()
    cut = False
    within = False  # the piece before did not end with a line end
    while piece := stream.readline(_PIECE):
        if within:
            more = piece
        else:
            number += 1
            folded = piece[:1] in (b" ", b"\t") and begun > 0
            if not folded:
                if held:
                    yield begun, bytes(held), cut
                held.clear()
                begun, cut = number, False
            more = piece[1:] if folded else piece
        within = not piece.endswith(b"\n")
        held += more.rstrip(b"\r\n") if not within else more
        if len(held) > LINE_CAP:
            del held[LINE_CAP:]
            cut = True
    if held:
        yield begun, bytes(held), cut


def _content_line(number: int, data: bytes, cut: bool) -> ContentLine | None:
    try:
        text = data.decode()
        damaged = cut
    except UnicodeDecodeError:
        text = (
            data.decode("utf-8", "replace") if b"\xc3" in data or b"\xe2" in data else data.decode("cp1252", "replace")
        )
        damaged = True
    head, _, value = text.partition(":")
    if head.count('"') % 2:  # the colon was within quotes
        end = _end_of_head(text)
        if end < 0:
            return None
        head, value = text[:end], text[end + 1 :]
    elif len(head) == len(text):
        return None
    elif value.startswith("//") and head.rpartition(";")[2][:5].upper() == "TZID=":  # a zone's address without quotes
        zone, _, value = value.rpartition(":")
        head += f":{zone}"
    name, _, rest = head.partition(";")
    name = name.rpartition(".")[2].strip().upper()  # some programs prefix lines with a group: item1.X-ABC
    return ContentLine(number, name, _parameters(rest) if rest else {}, value, damaged) if name else None


def _end_of_head(text: str) -> int:
    quoted = False
    for place, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif character == ":" and not quoted:
            return place
    return -1


def _parameters(text: str) -> dict[str, str]:
    result: dict[str, str] = {}
    parts: list[str] = []
    for index, piece in enumerate(text.split('"')):
        if index % 2:  # separators inside quotes do not count
            parts.append(piece.replace(";", "\x00"))
        else:
            parts.append(piece)
    for part in "".join(parts).split(";"):
        key, _, value = part.partition("=")
        if key.strip():
            result.setdefault(key.strip().upper(), value.replace("\x00", ";"))
    return result


def text_of(value: str) -> str:
    """Return a text value with its escapes resolved."""
    if "\\" not in value:
        return value
    parts: list[str] = []
    at = 0
    while (position := value.find("\\", at)) >= 0 and position + 1 < len(value):
        parts.append(value[at:position])
        escaped = value[position + 1]
        parts.append("\n" if escaped in "nN" else escaped if escaped in '\\;,:"' else f"\\{escaped}")
        at = position + 2
    parts.append(value[at:])
    return "".join(parts)
