"""The frames of a plain export of Signal: one JSON object a line, where a line end inside a string may have cut it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import Any, cast

import orjson

FRAME_CAP = 16 * 1024 * 1024
"""The maximum number of bytes of one line."""
_BLOCK = 64 * 1024
"""The number of bytes whose lines are parsed together."""
_JOINED_LINES = 200
_JOINED_BYTES = 1024 * 1024
"""The maximum size of a frame that is joined from several lines."""
_PATIENCE = 64 * 1024 * 1024
"""The number of bytes parsed in vain before no more lines are joined."""


@dataclass(frozen=True, slots=True)
class Frames:
    """Frames of consecutive lines; or the reason why a line has none."""

    line: int
    """The number of the first line, from 1."""
    values: list[dict[str, Any]]
    reason: str = ""


def frames(stream: BufferedReader) -> Iterator[Frames]:
    """Yield every frame of a file.

    Raises:
        SourceError: the stream raises it.
    """
    joining = _Joining()
    number = 1
    for lines in _line_blocks(stream):
        one_by_one = joining.parts or len(lines[0]) > FRAME_CAP  # only a line that comes alone can be so long
        values = None if one_by_one else _objects(lines)
        if values is not None:  # nearly always
            yield Frames(number, values)
        else:
            for place, line in enumerate(lines, number):
                yield from joining.take(_whole_line(stream, line), place)
        number += len(lines)
    yield from joining.give_up()


def _line_blocks(stream: BufferedReader) -> Iterator[list[bytes]]:
    """Yield the lines of a file without their ends, many together. A line that crosses the end of a block comes alone,
    with its line end; of a line that is too long only the beginning comes, and the rest stays in the stream.
    """
    while block := stream.read1(_BLOCK):
        end = block.rfind(b"\n") + 1
        if end:
            yield block[: end - 1].split(b"\n")
        if end < len(block):
            yield [block[end:] + stream.readline(FRAME_CAP + 1 - (len(block) - end))]


class _Joining:
    """Joins frames that line ends inside strings have split into several lines."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        """The lines so far of a frame whose end has not been reached."""
        self._first = self._wasted = 0

    def take(self, line: bytes | None, number: int) -> Iterator[Frames]:
        """Yield the frame that this line is or completes, and reject the lines before it if they are none. None stands
        for a line that is too long.
        """
        if line is None:
            yield from self.give_up()
            yield Frames(number, [], f"more than {FRAME_CAP} bytes in one line")
            return
        if not self.parts and not line.strip():
            return
        value = _parsed(line) if line.lstrip().startswith(b"{") else None
        if value is not None:
            yield from self.give_up()
            yield Frames(number, [value])
            return
        if not self.parts:
            self._first = number
        self.parts.append(line)
        if len(self.parts) > 1 and self._wasted < _PATIENCE and line.rstrip().endswith(b"}"):
            joined = b"\n".join(self.parts)
            if (value := _parsed(joined)) is not None:
                yield Frames(self._first, [value])
                self.parts = []
                return
            self._wasted += len(joined)
        if len(self.parts) > _JOINED_LINES or sum(map(len, self.parts)) > _JOINED_BYTES:
            yield from self.give_up()

    def give_up(self) -> Iterator[Frames]:
        """Reject the pending lines: they form no frame."""
        if self.parts:
            yield Frames(self._first, [], "not valid JSON")
        self.parts = []


def _whole_line(stream: BufferedReader, line: bytes) -> bytes | None:
    """Return a line without its end; None for a line that is too long, the rest of which is skipped."""
    if len(line) <= FRAME_CAP or line.endswith(b"\n"):
        return line.removesuffix(b"\n")
    while (more := stream.readline(FRAME_CAP)) and not more.endswith(b"\n"):
        pass
    return None


def _objects(lines: list[bytes]) -> list[dict[str, Any]] | None:
    """Parse lines that hold one object each, as the app writes them; return None if any does not."""
    try:
        values: list[object] = [*map(orjson.loads, lines)]
    except orjson.JSONDecodeError:
        return None
    return cast("list[dict[str, Any]]", values) if {*map(type, values)} == {dict} else None


def _parsed(raw: bytes) -> dict[str, Any] | None:
    """Parse an object; return None for anything else. Strings may hold line ends, lone surrogates and invalid UTF-8."""
    value: object
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        try:
            value = json.loads(raw.decode("utf-8", "replace"), strict=False)
        except (ValueError, RecursionError):
            return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
