"""Files with one JSON object on each line: a line that cannot be read costs itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import orjson

from .json_parsing import parse_json
from .unicode import as_utf8

LINE_CAP = 64 << 20
"""Bytes of one line."""


@dataclass(slots=True)
class Line:
    """A line of the file: an object, or the reason why there is none."""

    number: int
    """The line number, from 1."""
    value: dict[str, Any] | None
    reason: str = ""


def json_lines(stream: BinaryIO, unwanted: tuple[bytes, ...] = ()) -> Iterator[Line]:
    """Yield every line but blank ones.

    Args:
        stream: of JSON lines in any encoding with a mark, else UTF-8.
        unwanted: lines that begin so are passed over.

    Raises:
        SourceError: the stream raises it.
    """
    text = as_utf8(stream).stream
    number = 0
    while raw := text.readline(LINE_CAP + 1):
        number += 1
        if len(raw) > LINE_CAP:
            while raw and not raw.endswith(b"\n"):
                raw = text.readline(LINE_CAP)
            yield Line(number, None, reason=f"more than {LINE_CAP} bytes in one line")
            continue
        if raw.startswith(unwanted) or raw.isspace():
            continue
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            try:
                value = parse_json(raw).value
            except ValueError as error:
                yield Line(number, None, reason=str(error))
                continue
        if isinstance(value, dict):
            yield Line(number, cast("dict[str, Any]", value))
        else:
            yield Line(number, None, reason="not an object")
