"""The JSON in what a model wrote: whole, fenced, after a preamble or a train of thought, or with a slip. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import cast

import orjson

MOST_STARTS = 50
"""Places where JSON may begin that are tried."""
DEEPEST = 32
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_FENCE = re.compile(r"```[a-zA-Z0-9]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[\]}])")
_CLOSING = {"{": "}", "[": "]"}


def json_in(text: str) -> object | None:
    """The first JSON object or list of an answer; None when there is none that can be read.

    What is only begun is not read: a list that was cut would look like a whole one.
    """
    clean = _THOUGHT.sub("", text.lstrip("\ufeff")).strip()
    for candidate in (clean, *(found[1].strip() for found in _FENCE.finditer(clean)), *_pieces(clean)):
        for tried in (candidate, _TRAILING_COMMA.sub(r"\1", candidate)):
            try:
                found: object = orjson.loads(tried.encode(errors="replace"))
            except orjson.JSONDecodeError:
                continue
            if isinstance(found, dict | list) and _shallow(cast("object", found)):
                return cast("object", found)
    return None


def _shallow(found: object) -> bool:
    """Whether it is nested no deeper than anything that is asked for; what is deeper would exhaust the stack."""
    level = [found]
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
    """The pieces that begin with a bracket and end with its partner, objects before lists: prose cites lines as [3]."""
    return sorted(_balanced(text), key=lambda piece: piece[0] != "{")


def _balanced(text: str) -> Iterator[str]:
    """None of them within another; nor within one that has no end, for a part would look like the whole."""
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
    """Where it ends, and whether that is with the right bracket."""
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
