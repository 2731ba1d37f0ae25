"""Finds the JSON in a model's answer: plain, fenced, behind a preamble or reasoning, or with a small slip. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import cast

import orjson

MOST_STARTS = 50
"""The most positions at which JSON is looked for."""
DEEPEST = 32
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[a-zA-Z0-9]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[\]}])")
_CLOSING = {"{": "}", "[": "]"}


def json_in(text: str) -> object | None:
    """Return the first JSON object or list of an answer; None if none can be parsed.

    Unfinished JSON is not parsed: a truncated list would look like a whole one.
    """
    clean = _THOUGHT.sub("", text.lstrip("\ufeff")).strip()
    for candidate in (clean, *(value[1].strip() for value in _FENCE.finditer(clean)), *_pieces(clean)):
        for tried in (candidate, _TRAILING_COMMA.sub(r"\1", candidate)):
            try:
                value: object = orjson.loads(tried.encode(errors="replace"))
            except orjson.JSONDecodeError:
                continue
            if isinstance(value, dict | list) and _shallow(cast("object", value)):
                return cast("object", value)
    return None


def _shallow(value: object) -> bool:
    """Return whether the value is nested at most `DEEPEST` levels, as all requested forms are; deeper values could
    exhaust the stack.
    """
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return True
    return False


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()


def _pieces(text: str) -> list[str]:
    """Return the pieces from an opening bracket to its partner, objects before lists: prose cites lines as [3]."""
    return sorted(_balanced(text), key=lambda piece: piece[0] != "{")


def _balanced(text: str) -> Iterator[str]:
    """Yield the outermost bracketed pieces. Nothing is taken from an unclosed piece, since a part would look like the
    whole.
    """
    start = 0
    for _ in range(MOST_STARTS):
        begin = next((at for at in range(start, len(text)) if text[at] in _CLOSING), None)
        if begin is None:
            return
        end, closed = _end(text, begin)
        if closed:
            yield text[begin:end]
        start = end


def _end(text: str, begin: int) -> tuple[int, bool]:
    """Return the end of the piece that starts at ``begin``, and whether its bracket is closed there."""
    waiting: list[str] = []
    quoted = escaped = False
    for at in range(begin, len(text)):
        character = text[at]
        if escaped:
            escaped = False
        elif quoted:
            escaped = character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        elif character in _CLOSING:
            waiting.append(_CLOSING[character])
        elif character in "}]":
            if waiting.pop() != character:
                return at + 1, False
            if not waiting:
                return at + 1, True
    return len(text), False
