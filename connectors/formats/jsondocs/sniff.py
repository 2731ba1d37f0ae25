"""Scores the beginning of a file as documents in JSON, by the keys of its first objects."""

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
"""Keys of which an object needs at least one to score above `_OTHER`."""
_OF_KINDS = frozenset({"events", "members"})
_KNOWN = frozenset({"id", "kind", "conversation", "content", "timestamp", "tags", "metadata"})
# A string without an end takes up the rest; searching again from each quote inside it would take quadratic time.
_TOKEN = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*)(?:"\s*+(:?)|\\?\Z)|[\[\]{}]', re.DOTALL)
# Within one line: across line ends, a run of empty lines would be read to its end from each of them.
_START = re.compile(rb"^[ \t\r\f\v,\[]*+(?=\{)", re.MULTILINE)
# If the first object is broken, a later one in the same line may show the format.
_NEXT = re.compile(rb"\}\s*+,\s*+(?=\{)")
_LISTED = re.compile(rb"[\[,]\s*+(?=\{)")
_OBJECT = re.compile(rb"\s*(?:\[\s*)?\{\s*\"")
# Matches a line that no JSON begins with (strings hold no line ends): a word, a date, a time in brackets. A number may
# be cut by the end of the head. Within one line, as above.
_NO_JSON_LINE = re.compile(
    rb"\n(?![ \t\r\f\v\[\]{},:]*+(?:[\"tfn\n]|-?Infinity|NaN|-?\d++(?:\.\d*+)?(?:[eE][+-]?\d*+)?(?=[\s,\]}]|\Z)|-?\Z))"
)
_STARTS = 20
_MARK = b"\xef\xbb\xbf"


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
        known = last
        if known is None or known[0] != head:
            known = last = (head, look(head))
        return known[1]

    return found


def document_score(head: bytes) -> float:
    """Return 0 for a file that is not JSON, less than 0.5 for other JSON, at least 0.5 for documents.

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
    text = head.removeprefix(_MARK)
    return [
        _keys(text, start.end()) for pattern in (_START, _LISTED) for start in islice(pattern.finditer(text), _STARTS)
    ]


def _best(text: bytes, starts: re.Pattern[bytes], most: float) -> float:
    """Return the best score of the first objects; stops at a score of ``most``."""
    best = 0.0
    for start in islice(starts.finditer(text), _STARTS):
        best = max(best, _score(_keys(text, start.end())))
        if best >= most:
            break
    return best


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
