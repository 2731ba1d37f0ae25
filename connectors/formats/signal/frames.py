"""The frames of a plain export of Signal: one JSON object a line, where a line end inside a string may have cut it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import Any, cast

import orjson

FRAME_CAP = 16 * 1024 * 1024
"""Bytes of one line."""
_BLOCK = 64 * 1024
"""Bytes whose lines are read together."""
_JOINED_LINES = 200
_JOINED_BYTES = 1024 * 1024
"""How far a frame is put together again."""
_PATIENCE = 64 * 1024 * 1024
"""Bytes that are looked at in vain before no frame is put together any more."""


@dataclass(frozen=True, slots=True)
class Frames:
    """Frames of lines that follow each other; or why there is none."""

    line: int
    """That of the first, from 1."""
    values: list[dict[str, Any]]
    reason: str = ""


def frames(stream: BufferedReader) -> Iterator[Frames]:
    """Every frame of a file.

    Raises:
        SourceError: the stream raises it.
    """
    joining = _Joining()
    number = 1
    for lines in _line_blocks(stream):
        one_by_one = joining.parts or len(lines[0]) > FRAME_CAP  # so long is none but a line that comes alone
        values = None if one_by_one else _objects(lines)
        if values is not None:  # nearly always
            yield Frames(number, values)
        else:
            for place, line in enumerate(lines, number):
                yield from joining.take(_whole_line(stream, line), place)
        number += len(lines)
    yield from joining.give_up()


def _line_blocks(stream: BufferedReader) -> Iterator[list[bytes]]:
    """The lines of a file without their ends, many together. A line that is no part of a block comes alone, and with its end;
    of a line that is too long the beginning comes, and the rest is left in the stream.
    """
    while block := stream.read1(_BLOCK):
        end = block.rfind(b"\n") + 1
        if end:
            yield block[: end - 1].split(b"\n")
        if end < len(block):
            yield [block[end:] + stream.readline(FRAME_CAP + 1 - (len(block) - end))]


class _Joining:
    """Puts frames together again that stand in several lines."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        """The lines of a frame of which the end is not found yet."""
        self._first = self._wasted = 0

    def take(self, line: bytes | None, number: int) -> Iterator[Frames]:
        """The frame that a line is, or that it ends, and what becomes of the lines before it; None is a line that is too long."""
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
        """Tell that the lines before are no frame."""
        if self.parts:
            yield Frames(self._first, [], "not valid JSON")
        self.parts = []


def _whole_line(stream: BufferedReader, line: bytes) -> bytes | None:
    """A line without its end; None for one that is too long, whose rest is passed."""
    if len(line) <= FRAME_CAP or line.endswith(b"\n"):
        return line.removesuffix(b"\n")
    while (more := stream.readline(FRAME_CAP)) and not more.endswith(b"\n"):
        pass
    return None


def _objects(lines: list[bytes]) -> list[dict[str, Any]] | None:
    """The objects that the lines are, each one, as the app writes them; None if any is something else."""
    try:
        values: list[object] = [*map(orjson.loads, lines)]
    except orjson.JSONDecodeError:
        return None
    return cast("list[dict[str, Any]]", values) if {*map(type, values)} == {dict} else None


def _parsed(raw: bytes) -> dict[str, Any] | None:
    """The object; None for what is none. Line ends, lone surrogates and bytes that are no text may stand in strings."""
    value: object
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        try:
            value = json.loads(raw.decode("utf-8", "replace"), strict=False)
        except (ValueError, RecursionError):
            return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
