"""How much the beginning of a file looks like documents in JSON: by the keys of its first objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import islice
from typing import TypeVar

import orjson

from ...text.json_stream.scanner import whole_end

SURE = 0.9
_OTHER = 0.1
_WORDS = (b'"conversation"', b'"content"', b'"kind"')
"""Keys without one of which no object has more than `_OTHER`."""
_OF_KINDS = frozenset({"events", "members"})
_KNOWN = frozenset({"id", "kind", "conversation", "content", "timestamp", "tags", "metadata"})
# A string that does not end takes up the rest: looked for again from each quote inside, it would cost the square of it.
_TOKEN = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*)(?:"\s*+(:?)|\\?\Z)|[\[\]{}]', re.DOTALL)
# Within one line: over line ends, each of many empty lines would be read to the end of them all.
_START = re.compile(rb"^[ \t\r\f\v,\[]*+(?=\{)", re.MULTILINE)
# Where the first object is broken, one further on in the same line may tell.
_NEXT = re.compile(rb"\}\s*+,\s*+(?=\{)")
_LISTED = re.compile(rb"[\[,]\s*+(?=\{)")
_OBJECT = re.compile(rb"\s*(?:\[\s*)?\{\s*\"")
# What no line of JSON begins with, for its strings hold no line ends: a word, a date, a time in brackets. A number that the
# head cuts is one. Within one line, as below.
_NO_JSON_LINE = re.compile(
    rb"\n(?![ \t\r\f\v\[\]{},:]*+(?:[\"tfn\n]|-?Infinity|NaN|-?\d++(?:\.\d*+)?(?:[eE][+-]?\d*+)?(?=[\s,\]}]|\Z)|-?\Z))"
)
_STARTS = 20
_MARK = b"\xef\xbb\xbf"


T = TypeVar("T")


def once_for_a_head(look: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """A function of the beginning of a file that remembers the last one: several formats ask for the same file in turn.
    Each has bytes of its own, and comparing them takes a tenth of hashing them, as ``lru_cache`` does.
    """
    last: tuple[bytes, T] | None = None

    @wraps(look)
    def found(head: bytes) -> T:
        nonlocal last
        known = last
        if known is None or known[0] != head:
            known = last = (head, look(head))
        return known[1]

    return found


def document_score(head: bytes) -> float:
    """0 for what is no JSON, below 0.5 for other JSON, at least 0.5 for documents.

    Looks at a few objects, so that a broken first one does not hide the others.
    """
    text = head.removeprefix(_MARK)
    if text.strip() in (b"[]", b"[ ]"):
        return 0.5
    most = SURE if any(word in text for word in _WORDS) else _OTHER
    best = _best(text, _START, most)
    if best < most == SURE and (beside := _best(text, _NEXT, most)) >= SURE:
        return beside
    return best


@once_for_a_head
def is_of_objects(head: bytes) -> bool:
    """Whether a file begins with an object of JSON, or a list of them, and goes on as JSON: then it is no chat whose lines
    must be tried. A chat whose beginning was cut within JSON that somebody sent goes on with lines that are none.
    """
    return _OBJECT.match(head) is not None and _NO_JSON_LINE.search(head) is None


@once_for_a_head
def object_keys(head: bytes) -> Sequence[set[str]]:
    """The keys of objects at the beginning of a JSON file, as far as they can be seen: of those that begin a line, then
    of those in lists.
    """
    text = head.removeprefix(_MARK)
    return [
        _keys(text, start.end()) for pattern in (_START, _LISTED) for start in islice(pattern.finditer(text), _STARTS)
    ]


def _best(text: bytes, starts: re.Pattern[bytes], most: float) -> float:
    """The best score of the first objects; looking ends at one that has ``most``."""
    best = 0.0
    for start in islice(starts.finditer(text), _STARTS):
        best = max(best, _score(_keys(text, start.end())))
        if best >= most:
            break
    return best


@once_for_a_head
def keys_seen(text: bytes) -> dict[int, set[str]]:
    """By its place the keys of each object that was looked at: several expressions find the same ones."""
    del text
    return {}


def _keys(text: bytes, at: int) -> set[str]:
    """The keys of the object that begins here, as far as they can be seen."""
    seen = keys_seen(text)
    if at not in seen:
        seen[at] = _read_keys(text, at)
    return seen[at]


def _read_keys(text: bytes, at: int) -> set[str]:
    if end := whole_end(text, at):  # by one call of the parser where it is whole
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


def _score(keys: set[str]) -> float:
    if "conversation" in keys:
        return 0.95 if "id" in keys else 0.6
    if "content" in keys:
        unknown = len(keys - _KNOWN)
        if keys & {"speaker", "author", "role", "channel_id"}:
            return 0.4  # a message of some other format
        if unknown > 3:
            return 0.3
        return SURE if "id" in keys else 0.5
    if keys >= {"id", "kind"}:
        return SURE if keys & _OF_KINDS else 0.6
    return _OTHER if keys else 0.0
