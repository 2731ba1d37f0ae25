"""Cuts texts into the words by which they are compared, and joins the spans that were found in them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ..text.names import folded

Span = tuple[int, int]
REDACTED = "[redacted]"
"""The words in the place of removed ones."""
_WIDE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile(f"[{_WIDE}][\u3099\u309a]*|(?:[^\\W_{_WIDE}]|[\u0300-\u036f])+")
"""A word, or a letter of a script without spaces with its voicing marks; no underscore, which programs write for italics."""
_ASCII_WORD = re.compile(r"[^\W_]+", re.ASCII)
_JSON_BLANKS = re.compile(r"\\[bfnrt]")
_QUOTED_LINES = re.compile(r"^[ \t]*>.*(?:\n[ \t]*>.*)*", re.MULTILINE)


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are compared, in order; the spans of `WORD` are theirs."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return [folded(word) for word in WORD.findall(text)]


def beginnings_of(words: Sequence[str]) -> Iterator[int]:
    """Return a hash of each word with the three behind it."""
    return map(hash, zip(words, words[1:], words[2:], words[3:], strict=False))


def without_json_blanks(value: str) -> str:
    """Return a text of the same length with blanks in the place of line breaks and tabs as JSON writes them."""
    return _JSON_BLANKS.sub("  ", value) if "\\" in value else value


def lines_behind_marks(text: str) -> list[Span]:
    """Return the spans of the lines behind ``>``; neighbouring lines are one."""
    return [match.span() for match in _QUOTED_LINES.finditer(text)] if ">" in text else []


def runs_of(hits: Sequence[bool]) -> Iterator[Span]:
    """Yield the first and last index of each row of True."""
    first: int | None = None
    for index, hit in enumerate([*hits, False]):
        if hit and first is None:
            first = index
        elif not hit and first is not None:
            yield first, index - 1
            first = None


def joined_spans(spans: Iterable[Span], text: str) -> tuple[Span, ...]:
    """Return the spans in order, without blanks at their ends; overlapping ones are joined."""
    joined: list[Span] = []
    for span in sorted(spans):
        part = text[span[0] : span[1]]
        start = span[0] + len(part) - len(part.lstrip())
        end = start + len(part.strip())
        if start >= end or text[start:end] == REDACTED:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
