"""Splits a calendar into unfolded lines, each with its name, parameters and value. Reads a stream, in linear time."""

from __future__ import annotations

import re
from binascii import a2b_qp
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import BinaryIO, NamedTuple

LINE_CAP = 1024 * 1024
"""The maximum number of bytes kept of a line: enough for any text, not for an attachment inside the calendar."""
_PIECE = 64 * 1024
_NAME = re.compile(
    r"[ \t]*(?:[\w-]+\.)*([\w-]+)[ \t]*", re.ASCII
)  # some programs prefix lines with a group: item1.X-ABC
_NO_NAMES = frozenset({"HTTP", "HTTPS", "MAILTO", "TEL"})
"""The beginnings of addresses, which a line of text may begin with."""
_TEXTS = frozenset({"SUMMARY", "DESCRIPTION", "LOCATION", "COMMENT", "X-ALT-DESC"})
"""The names of texts that may have several lines."""


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
    """Yield the lines. A line without a name or a value goes on with the text before it, whose folding a program forgot; so
    does the next line where quoted-printable asks for it.

    Raises:
        SourceError: the stream raises it.
    """
    before: ContentLine | None = None
    more: list[str] = []
    goes_on = False  # in the next line, whatever that looks like
    for number, data, cut in _unfolded(stream):
        if not goes_on and (line := _content_line(number, data, cut)) is not None:
            if before is not None:
                yield _finished(before, more) if more or before.parameters else before
            before = line
            if more:
                more = []
            if line.parameters:
                goes_on = line.value.endswith("=") and _is_quoted(line)
        elif before is not None and (goes_on or before.name in _TEXTS):
            more.append(data.decode("utf-8", "replace"))
            goes_on = goes_on and more[-1].endswith("=")
    if before is not None:
        yield _finished(before, more)


def _is_quoted(line: ContentLine) -> bool:
    """Return whether the value is quoted-printable, as in vCalendar 1.0."""
    return bool(line.parameters) and line.parameters.get("ENCODING", "").upper() == "QUOTED-PRINTABLE"


def _finished(line: ContentLine, more: list[str]) -> ContentLine:
    """Return a line with those that go on with its text."""
    if not _is_quoted(line):
        return line._replace(value="\\n".join((line.value, *more))[:LINE_CAP]) if more else line
    data = a2b_qp("\n".join((line.value, *more))[:LINE_CAP].encode("utf-8", "replace"))
    try:
        text = data.decode(line.parameters.get("CHARSET", "utf-8"))
    except (LookupError, UnicodeError, ValueError):
        text = data.decode("utf-8", "replace")
    return line._replace(value=text.replace("\r\n", "\n"))


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
    name = _name_of(name)
    return ContentLine(number, name, _parameters(rest) if rest else {}, value, damaged) if name else None


@lru_cache(maxsize=4096)
def _name_of(head: str) -> str:
    """Return the name of a line in capitals; empty for a line of text."""
    match = _NAME.fullmatch(head)
    name = match[1] if match else ""
    if not (name.isupper() or name.islower() or name[:2].upper() == "X-"):
        return ""  # "Agenda: …", which no program writes for a name
    return "" if name.upper() in _NO_NAMES else name.upper()


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
