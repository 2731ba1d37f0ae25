"""Recognises JSON by its beginning: the keys of the first objects, and whether it is JSON at all. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from itertools import islice
from typing import TypeVar

import orjson

from .json_stream.scanner import whole_end

# A string without an end takes up the rest; searching again from each quote inside it would take quadratic time.
_TOKEN = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*)(?:"\s*+(:?)|\\?\Z)|[\[\]{}]', re.DOTALL)
# Within one line: across line ends, a run of empty lines would be read to its end from each of them.
LINE_START = re.compile(rb"^[ \t\r\f\v,\[]*+(?=\{)", re.MULTILINE)
"""Leads to the objects that begin a line."""
NEXT = re.compile(rb"\}\s*+,\s*+(?=\{)")
"""Leads to the objects behind another one, of which one in the same line shows the format if the first is broken."""
_LISTED = re.compile(rb"[\[,]\s*+(?=\{)")
_OBJECT = re.compile(rb"\s*(?:\[\s*)?\{\s*\"")
# Matches a line that no JSON begins with (strings hold no line ends): a word, a date, a time in brackets. A number may
# be cut by the end of the head. Within one line, as above.
_NO_JSON_LINE = re.compile(
    rb"\n(?![ \t\r\f\v\[\]{},:]*+(?:[\"tfn\n]|-?Infinity|NaN|-?\d++(?:\.\d*+)?(?:[eE][+-]?\d*+)?(?=[\s,\]}]|\Z)|-?\Z))"
)
_STARTS = 20
MARK = b"\xef\xbb\xbf"
"""The byte order mark."""

T = TypeVar("T")


def once_for_a_head(look: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """Return ``look`` with its last result remembered, because several formats ask about the same beginning of a file
    in turn.

    Equal beginnings are compared byte by byte, which takes a tenth of the time of hashing them, as ``lru_cache`` does.
    """
    last: tuple[bytes, T] | None = None

    @wraps(look)
    def found(head: bytes) -> T:
        nonlocal last
        answer = last
        if answer is None or answer[0] != head:
            answer = last = (head, look(head))
        return answer[1]

    return found


@once_for_a_head
def is_of_objects(head: bytes) -> bool:
    """Return whether a file begins with a JSON object, or a list of them, and continues as JSON, so that it is no text
    chat.

    A chat whose first message is cut JSON continues with lines that JSON does not allow.
    """
    return _OBJECT.match(head) is not None and _NO_JSON_LINE.search(head) is None


@once_for_a_head
def object_keys(head: bytes) -> Sequence[set[str]]:
    """Return the visible keys of objects at the beginning of a JSON file: first of objects that begin a line, then of
    those in lists.
    """
    text = head.removeprefix(MARK)
    return [*keys_behind(text, LINE_START), *keys_behind(text, _LISTED)]


def keys_behind(text: bytes, starts: re.Pattern[bytes]) -> Iterator[set[str]]:
    """Yield the visible keys of the first objects that a pattern leads to; ``text`` has no byte order mark."""
    return (_keys(text, start.end()) for start in islice(starts.finditer(text), _STARTS))


@once_for_a_head
def keys_seen(text: bytes) -> dict[int, set[str]]:
    """Return the dict that caches the keys of objects in this text by their offsets: several expressions match the same
    objects.
    """
    del text
    return {}


def _keys(text: bytes, at: int) -> set[str]:
    """Return the visible keys of the object that begins at this offset."""
    seen = keys_seen(text)
    if at not in seen:
        seen[at] = _read_keys(text, at)
    return seen[at]


def _read_keys(text: bytes, at: int) -> set[str]:
    if end := whole_end(text, at):  # one call of the parser if the object is complete
        try:
            return {*orjson.loads(text[at:end])}
        except orjson.JSONDecodeError:
            pass
    keys: set[str] = set()
    depth = 0
    for token in _TOKEN.finditer(text, at):
        if token[1] is not None:
            if token[2] and depth == 1:
                keys.add(token[1].decode("utf-8", "replace"))
        elif token[0] in b"[{":
            depth += 1
        else:
            depth -= 1
            if depth <= 0:
                break
    return keys
