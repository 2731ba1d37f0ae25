"""Joins the texts of pages: removes headers and footers, and joins words hyphenated at line ends. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_EDGE = 3
"""The number of lines at the top and bottom of a page that may be headers or footers."""
_LEAST = 3
"""The smallest number of pages on which a header or footer must occur."""
_SHARE = 0.6
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]{1,7}", re.IGNORECASE)
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")
BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class JoinedPages:
    """The text of a file, with the offsets of its pages."""

    text: str
    starts: Sequence[int]
    """The offset of each page in the text; an empty page has the offset of the next one."""
    repeated: Sequence[str]
    """The headers and footers that were removed, in their first form."""


def join_pages(pages: Sequence[str], beside: Sequence[Sequence[str]] = ()) -> JoinedPages:
    """Join the texts of all pages.

    Args:
        pages: their texts.
        beside: for each page the lines that lie beside its text; those that the text holds are left out.
    """
    lines = [page.replace("\r\n", "\n").replace("\x00", "").split("\n") for page in pages]
    repeated = _repeated(lines)
    gone: dict[str, str] = {}
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for number, page in enumerate(lines):
        kept = "\n".join(line.rstrip() for line in _without_edges(page, repeated, gone)).strip("\n")
        kept = _joined_words(kept)
        more = [each for each in (beside[number] if number < len(beside) else ()) if each not in kept]
        kept = "\n".join([kept, *more] if kept.strip() else more) if more else kept
        starts.append(length)
        if kept.strip():
            parts.append(kept)
            length += len(kept) + len(BETWEEN)
    text = BETWEEN.join(parts)
    return JoinedPages(text, [min(start, len(text)) for start in starts], list(gone.values()))


def _repeated(pages: Sequence[Sequence[str]]) -> frozenset[str]:
    counts: Counter[str] = Counter()
    for page in pages:
        full = [line for line in page if line.strip()]
        counts.update({_shape(line) for line in (*full[:_EDGE], *full[-_EDGE:])})
    least = max(_LEAST, round(len(pages) * _SHARE))
    return frozenset(shape for shape, count in counts.items() if count >= least)


def _shape(line: str) -> str:
    """Return a line with its numbers replaced by ``#``, so that page numbers do not make lines differ."""
    bare = line.strip()
    return "#" if _ROMAN.fullmatch(bare) else _DIGITS.sub("#", bare)


def _without_edges(page: list[str], repeated: frozenset[str], gone: dict[str, str]) -> list[str]:
    """Return the page without headers and footers; a page with nothing else keeps them."""
    first, last = 0, len(page)
    first = _skip(page, range(len(page)), repeated)
    last = len(page) - _skip(page, range(len(page) - 1, first - 1, -1), repeated)
    if first >= last or not any(line.strip() for line in page[first:last]):
        return page
    for line in (*page[:first], *page[last:]):
        if line.strip():
            gone.setdefault(_shape(line), line.strip())
    return page[first:last]


def _skip(page: Sequence[str], order: range, repeated: frozenset[str]) -> int:
    """Return the number of lines from the edge that belong to the header or footer."""
    skipped = seen = 0
    for passed, index in enumerate(order, 1):
        if not page[index].strip():
            continue
        seen += 1
        if seen > _EDGE or _shape(page[index]) not in repeated:
            break
        skipped = passed
    return skipped


def _joined_words(text: str) -> str:
    """Join hyphenated words if both letters at the break are lower case; names such as Bonn-Beuel keep the hyphen."""

    def joined(match: re.Match[str]) -> str:
        before, after = text[match.start() - 1], text[match.end()]
        return "" if before.islower() and after.islower() else match[0]

    return _HYPHEN.sub(joined, text)
