"""Scores the beginning of a file as documents in JSON, by the keys of its first objects."""

from __future__ import annotations

import re

from ...text.json_beginnings import LINE_START, MARK, NEXT, keys_behind

SURE = 0.9
_OTHER = 0.1
_WORDS = (b'"conversation"', b'"content"', b'"kind"')
"""Keys of which an object needs at least one to score above `_OTHER`."""
_WIDEST = 16
"""The indentation from which on no object counts as within another one."""
_OF_KINDS = frozenset({"events", "members"})
_KNOWN = frozenset({"id", "kind", "conversation", "content", "timestamp", "tags", "metadata"})


def document_score(head: bytes) -> float:
    """Return 0 for a file that is not JSON, less than 0.5 for other JSON, at least 0.5 for documents.

    Looks at a few objects, so that a broken first one does not hide the others.
    """
    text = head.removeprefix(MARK)
    if text.strip() in (b"[]", b"[ ]"):
        return 0.5
    most = SURE if any(word in text for word in _WORDS) else _OTHER
    best = _best(text, _outermost(text), most)
    if best < most == SURE and (beside := _best(text, NEXT, most)) >= SURE:
        return beside
    return best


def _outermost(text: bytes) -> re.Pattern[bytes]:
    """Return the expression that leads to objects at the beginnings of lines, without those within the first one: objects
    of other programs have parts with an id and a content, too.
    """
    first = LINE_START.search(text)
    width = first.end() - first.start() if first is not None else 0
    return re.compile(rb"^[ \t\r\f\v,\[]{0,%d}(?=\{)" % (width + 1), re.MULTILINE) if width < _WIDEST else LINE_START


def _best(text: bytes, starts: re.Pattern[bytes], most: float) -> float:
    """Return the best score of the first objects; stops at a score of ``most``."""
    best = 0.0
    for keys in keys_behind(text, starts):
        best = max(best, _score(keys))
        if best >= most:
            break
    return best


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
