"""Cuts a text into units that strategies put together: sentences and paragraphs. Pure, linear in the text.

Fenced code and Markdown tables are never cut here; a block that exceeds the limit is cut by `token_splitter`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .boundaries import LINE, PARAGRAPH, SENTENCE, Breaks, Fence, breaks, fences, outside

WRAPPED = 50
"""A line of at least so many characters may go on in the next one, as hard-wrapped prose does; a shorter one has ended."""
_LOOKED_BACK = 24
"""Characters before a full stop that may be an abbreviation."""
_ENDS = ".!?…。！？؟।"
_CLOSING = "\"'”’»)]}」』）】》"
_TABLE = re.compile(r"^[ \t]*(?P<rows>\|[^\n]*(?:\n[ \t]*\|[^\n]*)+)", re.MULTILINE)
_LISTED = re.compile(r"[-*+•#>|]|\d{1,3}[.)]\s")
_BEFORE_STOP = re.compile(r"(?:^|[\s(\"'„“])((?:\w{1,4}\.)*\w{1,6})\.\Z")
_ABBREVIATIONS = frozenset((
    "mr", "mrs", "ms", "dr", "prof", "st", "sr", "sra", "jr", "vs", "eg", "ie", "cf", "approx",
    "dept", "fig", "no", "nr", "vol", "pp", "bzw", "ca", "evtl", "ggf", "inkl", "usw", "vgl", "str",
    "tel", "abs", "hr", "fr",
))  # fmt: skip


class Unit(NamedTuple):
    """A unit ``text[start:end]``; units follow each other without gaps, and none is blank."""

    start: int
    end: int


def blocks(text: str) -> list[Fence]:
    """Return fenced code and tables, ascending; a table inside a fence is part of the fence."""
    code = fences(text)
    if "|" not in text:
        return code
    tables = [Fence(*match.span("rows")) for match in _TABLE.finditer(text)]
    kept: list[Fence] = []
    for block in sorted([*code, *tables]):
        if not kept or block.start >= kept[-1].end:
            kept.append(block)
    return kept


def sentences(text: str) -> list[Unit]:
    """Return the sentences, list items, short lines, tables and code blocks of a text; none for a blank text."""
    whole = blocks(text)
    edges = {block.start for block in whole}
    ends = iter([*(block.end for block in whole), len(text) + 1])
    end = next(ends)
    cuts: list[int] = []
    for position, level in zip(*outside(breaks(text), whole), strict=True):
        behind_block = position >= end
        while position >= end:
            end = next(ends)
        if behind_block or position in edges or _ends_sentence(text, position, level):
            cuts.append(position)
    return _units(text, cuts)


def paragraphs(text: str) -> list[Unit]:
    """Return the paragraphs of a text, which blank lines separate; none for a blank text."""
    return _units(text, _at(outside(breaks(text), blocks(text)), PARAGRAPH))


def smallest(text: str) -> list[Unit]:
    """Return the units between all positions where a cut splits no word, table or code block."""
    return _units(text, outside(breaks(text), blocks(text)).positions)


def _at(places: Breaks, level: int) -> list[int]:
    return [position for position, each in zip(*places, strict=True) if each == level]


def _units(text: str, cuts: Iterable[int]) -> list[Unit]:
    units: list[Unit] = []
    start = seen = 0
    blank = True
    for cut in [*cuts, len(text)]:
        blank = blank and not text[seen:cut].strip()
        seen = cut
        if not blank:
            units.append(Unit(start, cut))
            start, blank = cut, True
    if units and start < len(text):
        units[-1] = Unit(units[-1].start, len(text))
    return units


def _ends_sentence(text: str, position: int, level: int) -> bool:
    if level == PARAGRAPH:
        return True
    if level not in (LINE, SENTENCE) or position >= len(text):
        return False
    end = position
    while end and text[end - 1].isspace():
        end -= 1
    if level == SENTENCE:
        return not _is_abbreviation(text, end)
    last = end - 1
    while last > max(0, end - 3) and text[last] in _CLOSING:
        last -= 1
    if last >= 0 and text[last] in _ENDS:
        return True
    return (
        text.rfind("\n", max(0, end - WRAPPED), end) >= 0 or end < WRAPPED or _LISTED.match(text, position) is not None
    )


def _is_abbreviation(text: str, end: int) -> bool:
    """Return whether the full stop before ``end`` belongs to an abbreviation, an initial or an ordinal number."""
    match = _BEFORE_STOP.search(text[max(0, end - _LOOKED_BACK) : end])
    if match is None:
        return False
    word: str = match[1].lower()
    return (
        "." in word
        or word in _ABBREVIATIONS
        or (len(word) == 1 and word.isalpha())
        or (len(word) < 3 and word.isdigit())
    )


class Piece(NamedTuple):
    """A future chunk ``text[start:end]``, of which the pieces before contain what lies before ``fresh``."""

    start: int
    fresh: int
    end: int


def packed(units: Sequence[Unit], sizes: Sequence[int], limit: int, overlap: int = 0) -> list[Piece]:
    """Return the longest pieces of whole units within a limit; each begins with the last units of the one before.

    Args:
        units: of a text, ascending.
        sizes: the size of each unit, in any measure.
        limit: of a piece; a larger unit is a piece by itself.
        overlap: of what a piece repeats, at most.
    """
    pieces: list[Piece] = []
    first = fresh = size = 0
    for index, wanted in enumerate(max(1, each) for each in sizes):
        if index > fresh and size + wanted > limit:
            pieces.append(Piece(units[first].start, units[fresh].start, units[index].start))
            before, first, size = first, index, 0
            while first - 1 > before and size + max(1, sizes[first - 1]) <= min(overlap, limit - wanted):
                first -= 1
                size += max(1, sizes[first])
            fresh = index
        size += wanted
    if units:
        pieces.append(Piece(units[first].start, units[fresh].start, units[-1].end))
    return pieces


def joined(units: Sequence[Unit], sizes: Sequence[int], limit: int, least: int) -> list[Piece]:
    """Return a piece for each unit; a unit smaller than ``least`` joins the next one, the last the one before, where
    both fit the limit.
    """
    pieces: list[Piece] = []
    before = 0
    for unit, size in zip(units, sizes, strict=True):
        if pieces and before < least and before + size <= limit:
            pieces[-1] = Piece(pieces[-1].start, pieces[-1].start, unit.end)
            before += size
        else:
            pieces.append(Piece(unit.start, unit.start, unit.end))
            before = size
    if len(pieces) > 1 and before < least:
        *_, earlier, last = pieces
        inside = [size for unit, size in zip(units, sizes, strict=True) if unit.start >= earlier.start]
        if sum(inside) <= limit:
            pieces[-2:] = [Piece(earlier.start, earlier.start, last.end)]
    return pieces
