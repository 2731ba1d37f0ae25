"""Finds the positions where a text may be cut, and ranks them. Pure functions on strings, linear in their length."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import NamedTuple

from ..text.analyzer import combining_marks

PARAGRAPH, LINE, SENTENCE, CLAUSE, WORD, MARK = range(6)
"""Levels of a break, best first: after a blank line, a line, a sentence, a clause, a blank, a punctuation mark."""

# Extenders that are no combining marks: joiners, variation selectors, skin tones, tags, half-width sound marks.
_EXTENDING = "\u200c\u200d\ufe00-\ufe0f\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef"
_FLAG = "\U0001f1e6-\U0001f1ff"
_LEADING_JAMO = "\u1100-\u115f\ua960-\ua97c"
_FOLLOWING_JAMO = "\u1160-\u11ff\ud7b0-\ud7fb"
_SYLLABLE = "\uac00-\ud7a3"
_WIDE = "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Han and kana, where a line may end after every character."""
_CLOSING = "\"'”’»)]}」』）】》"
_SENTENCE_END = ".!?…。！？؟।"
_CLAUSE_END = ",;:—–、，；："

_NEWLINE = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)", re.MULTILINE)


class Breaks(NamedTuple):
    """Positions in a text, ascending, with the level of each."""

    positions: list[int]
    levels: list[int]


class Fence(NamedTuple):
    """A block of code, from its first mark to the end of its closing line or of the text."""

    start: int
    end: int


def breaks(text: str) -> Breaks:
    """Return the positions where a cut splits no word and no grapheme cluster. Ignores fences."""
    positions: list[int] = []
    levels: list[int] = []
    for match in _candidates().finditer(text):
        positions.append(match.end())
        levels.append(_level(text, match))
    return Breaks(positions, levels)


def outside(breaks: Breaks, fences: list[Fence]) -> Breaks:
    """Return the breaks outside these fences, which are in order."""
    positions: list[int] = []
    levels: list[int] = []
    kept = 0
    for fence in fences:
        first, last = bisect_right(breaks.positions, fence.start), bisect_left(breaks.positions, fence.end)
        positions += breaks.positions[kept:first]
        levels += breaks.levels[kept:first]
        kept = max(kept, last)
    return Breaks(positions + breaks.positions[kept:], levels + breaks.levels[kept:])


def fences(text: str) -> list[Fence]:
    """Return the fenced code blocks of a text, as in Markdown."""
    if "```" not in text and "~~~" not in text:
        return []
    fences_open: list[Fence] = []
    start, mark = -1, ""
    for match in _FENCE.finditer(text):
        here: str = match["mark"]
        if start < 0:
            if "`" not in match["info"] or here[0] == "~":
                start, mark = match.start("mark"), here
        elif here.startswith(mark) and not match["info"].strip():
            fences_open.append(Fence(start, match.end("mark")))
            start = -1
    if start >= 0:
        fences_open.append(Fence(start, len(text)))
    return fences_open


def clusters(text: str, start: int, end: int) -> list[int]:
    """Return the ends of the grapheme clusters of ``text[start:end]``; ``start`` must be the start of a cluster."""
    return [match.end() for match in _cluster().finditer(text, start, end)]


def extends(character: str) -> bool:
    """Return whether a character belongs to the cluster of the character before it."""
    return _extender().match(character) is not None


def _level(text: str, match: re.Match[str]) -> int:
    kind = match.lastgroup
    if kind == "blank":
        lines = len(_NEWLINE.findall(text, match.start(), match.end()))
        if lines:
            return PARAGRAPH if lines > 1 else LINE
        return _level_after(text, match.start(), WORD)
    if kind == "wide":
        return WORD
    return _level_after(text, match.end(), MARK, wide_only=True)


def _level_after(text: str, position: int, otherwise: int, *, wide_only: bool = False) -> int:
    """Return the level of the break at a position, by the punctuation in front of it: sentence, clause, or `otherwise`."""
    before = position - 1
    while before > position - 4 and before > 0 and text[before] in _CLOSING:
        before -= 1
    last = text[before] if before >= 0 else ""
    if not last or (wide_only and last.isascii()):
        return otherwise
    if last in _SENTENCE_END:
        return SENTENCE
    return CLAUSE if last in _CLAUSE_END else otherwise


@lru_cache(maxsize=1)
def _candidates() -> re.Pattern[str]:
    # ASCII marks without the apostrophe and the underscore, which stand inside words.
    marks = "!-&(-/:-@\\[-\\^`{-~。！？…、，；：」』）】》”"
    # Runs are taken whole, from their beginning: of a long one that does not count, no part does.
    return re.compile(
        rf"(?:(?<!\s)(?P<blank>\s++)|(?<![{marks}])(?P<mark>[{marks}]++)(?!\s)|(?P<wide>[{_WIDE}])(?![\s{marks}]))"
        rf"(?!{_extender().pattern})"
    )


@lru_cache(maxsize=1)
def _cluster() -> re.Pattern[str]:
    more = f"(?:{_extender().pattern})*"
    joined = f"(?:(?<=\u200d)[^\\s\u200d]{more})*"
    return re.compile(
        f"\r\n|[{_FLAG}]{{2}}{more}|[{_LEADING_JAMO}]*[{_SYLLABLE}]?[{_FOLLOWING_JAMO}]+{more}"
        f"|[{_LEADING_JAMO}]+[{_SYLLABLE}]?{more}|(?s:.){more}{joined}"
    )


@lru_cache(maxsize=1)
def _extender() -> re.Pattern[str]:
    """Return the pattern of a character that continues a cluster. Built on first use from all combining marks of
    Unicode.
    """
    return re.compile(f"[{_EXTENDING}{combining_marks()}]")
