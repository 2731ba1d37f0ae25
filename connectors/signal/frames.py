"""The frames of a plain export of Signal: one JSON object a line, where a line end inside a string may have cut it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import orjson

FRAME_CAP = 16 * 1024 * 1024
"""Bytes of one line."""
_JOINED_LINES = 200
_JOINED_BYTES = 1024 * 1024
"""How far a frame is put together again."""
_PATIENCE = 64 * 1024 * 1024
"""Bytes that are looked at in vain before no frame is put together any more."""


@dataclass(slots=True)  # there are millions, and frozen ones take three times as long
class Frame:
    """A frame, or why there is none."""

    line: int
    """From 1."""
    value: dict[str, Any] | None
    reason: str = ""


def frames(stream: BinaryIO) -> Iterator[Frame]:
    """Every frame of a file.

    Raises:
        SourceError: the stream raises it.
    """
    parts: list[bytes] = []
    first = wasted = 0
    number = 0
    while line := stream.readline(FRAME_CAP + 1):
        number += 1
        if not parts and len(line) <= FRAME_CAP and (value := _object(line)) is not None:  # nearly always
            yield Frame(number, value)
            continue
        line = _whole_line(stream, line)
        if line is None:
            yield from _given_up(parts, first)
            parts = []
            yield Frame(number, None, f"more than {FRAME_CAP} bytes in one line")
            continue
        if not parts and not line.strip():
            continue
        value = _parsed(line) if line.lstrip().startswith(b"{") else None
        if value is not None:
            yield from _given_up(parts, first)
            parts = []
            yield Frame(number, value)
            continue
        if not parts:
            first = number
        parts.append(line)
        if len(parts) > 1 and wasted < _PATIENCE and line.rstrip().endswith(b"}"):
            joined = b"\n".join(parts)
            if (value := _parsed(joined)) is not None:
                yield Frame(first, value)
                parts = []
                continue
            wasted += len(joined)
        if len(parts) > _JOINED_LINES or sum(map(len, parts)) > _JOINED_BYTES:
            yield from _given_up(parts, first)
            parts = []
    yield from _given_up(parts, first)


def _given_up(parts: list[bytes], first: int) -> Iterator[Frame]:
    if parts:
        yield Frame(first, None, "not valid JSON")


def _whole_line(stream: BinaryIO, line: bytes) -> bytes | None:
    """A line without its end; None for one that is too long, whose rest is passed."""
    if len(line) <= FRAME_CAP or line.endswith(b"\n"):
        return line.removesuffix(b"\n")
    while (more := stream.readline(FRAME_CAP)) and not more.endswith(b"\n"):
        pass
    return None


def _object(line: bytes) -> dict[str, Any] | None:
    """An object as the app writes it."""
    try:
        value: object = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return cast("dict[str, Any]", value) if type(value) is dict else None


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
