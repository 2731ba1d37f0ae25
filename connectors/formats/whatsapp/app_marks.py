"""Recognises the bodies that the app wrote itself by marks and their places instead of by words: in any language. Pure.

An iPhone begins whatever the app writes with U+200E: a whole body, each further line of a poll or an event, the state of
a call behind a comma, and the note behind an edited message. People's own words do not begin so.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ....schemas import MessageKind
from ...times.locales import MARK, plain
from . import vocabulary as words

_MARK = "\u200e"
_OPTION = re.compile(rf"{_MARK}[^\n]{{0,300}}\({MARK}*\d[^\n()]{{0,40}}\)\s*")
"""Matches an option of a poll with the number of its votes."""
_LABELLED = re.compile(rf"{_MARK}[^\n:：]{{2,40}}[:：][^\n]*")
_STATE = re.compile(rf"[.,،、，] ?{_MARK}")
_NOTE = re.compile(rf"(?<=\S)[ \n]?({MARK}*)<{MARK}*([^<>\n:：]{{2,60}})>{MARK}*\Z")
"""Matches words in angle brackets at the end of a body."""
_SHORTEST = 5


def kind_by_marks(body: str) -> MessageKind | None:
    """Return the kind of a body that begins with the mark: a poll, an event, a call, else unknown; None for people's words.

    Only for exports of iPhones in which some bodies do not begin so.
    """
    if body[:1] != _MARK:
        return None
    first, _, rest = body.strip().partition("\n")
    lines = [line for line in rest.split("\n") if line.strip()]
    if not lines:
        if _STATE.search(first, 1):
            return "call"
        return "media" if any(each in plain(first).casefold() for each in words.OMITTED_PARTS) else "unknown"
    if plain(first).rstrip().endswith((":", "：")) and any(map(_OPTION.fullmatch, lines)):
        return "poll"
    return "event" if _LABELLED.match(first) and any(line[:1] == _MARK for line in lines) else None


def without_edit_note(body: str) -> tuple[str, bool]:
    """Return a body without the app's note that it was edited, and whether it had one: in brackets behind U+200E, or in
    words that differ from those about a deleted message in one place.
    """
    if not body.rstrip("\u200e\u200f").endswith(">"):  # as nearly all: the search is for the others
        return body, False
    note = _NOTE.search(body, max(0, len(body) - 100))
    if note is None or not (_MARK in note[1] or is_edit_note(plain(note[2]).strip().rstrip(".").casefold())):
        return body, False
    return body[: note.start()], True


@lru_cache(maxsize=256)
def is_edit_note(note: str) -> bool:
    """Return whether folded words say that a message was edited. The text of a deleted message with more words behind it is
    somebody's own.
    """
    if note in _phrases(words.EDITED):
        return True
    deleted = _phrases(words.DELETED)
    return not any(each in note for each in deleted) and any(_differs_once(note, each) for each in deleted)


def _differs_once(note: str, deleted: str) -> bool:
    """Return whether words begin and end as others do, for at least half of the longer ones or two words: in most languages "This
    message was edited" and "This message was deleted" do.
    """
    shorter = min(len(note), len(deleted))
    if shorter < _SHORTEST:
        return False
    before = next((place for place in range(shorter) if note[place] != deleted[place]), shorter)
    behind = next((place for place in range(shorter - before) if note[-1 - place] != deleted[-1 - place]), 0)
    beginning = " ".join(deleted.split()[:2])
    return 2 * (before + behind) >= max(len(note), len(deleted)) or (
        deleted.count(" ") > 1 and note.startswith(f"{beginning} ")
    )


@lru_cache(maxsize=4)
def _phrases(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(plain(text).strip("<>").rstrip(".").casefold() for text in texts)
