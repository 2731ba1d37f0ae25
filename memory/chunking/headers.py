"""The strategy for Markdown: cuts at headings, and long sections like any other text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from .boundaries import Fence, extends, fences
from .section_chunker import SEPARATOR, Section, SectionChunker

MOST_OF_A_TITLE = 80
"""The most characters of a heading in a section's path."""
FRONT_MATTER_CAP = 32 * 1024

_HEADING = re.compile(
    r"^ {0,3}(?:(?P<marks>#{1,6})(?:[ \t]+(?P<atx>[^\n]*))?|(?P<setext>\S[^\n]*)\r?\n {0,3}(?P<line>={2,}|-{2,})[ \t]*)\r?$",
    re.MULTILINE,
)
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_NO_TITLE = re.compile(r"[-*+>|]|\d{1,9}[.)][ \t]|(?:[*_-][ \t]*){3,}$|#{1,6}(?:[ \t]|$)|```|~~~")
_FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*\r?\n")
_CLOSING = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE),
    "+++": re.compile(r"^\+\+\+[ \t]*\r?$", re.MULTILINE),
}
_KEY = re.compile(r"^[^\s#:=][^:=\n]*[:=]", re.MULTILINE)
_BLANKS = re.compile(r"\s+")


class _Heading(NamedTuple):
    start: int
    end: int
    level: int
    title: str


class HeadersChunker(SectionChunker):
    """One chunk for each section, several for a long one, each with the path of headings above it.

    A heading that is directly followed by a deeper heading belongs to that one's chunk. Front matter belongs to the text
    that follows it: titles and tags lead to a note, but are no answer by themselves.
    """

    name = "headers"
    rules = 2
    """Version 1 made front matter a chunk of its own."""

    def sections(self, text: str) -> list[Section]:
        """Return the text below each heading as a section; text before the first heading has no path."""
        return _sections(text)


def _sections(text: str) -> list[Section]:
    """Return the sections of the text, without gaps; text before the first heading has no path."""
    body = front_matter_end(text)
    sections: list[Section] = []
    start, path = 0, ""
    above: list[_Heading] = []
    last: _Heading | None = None
    for heading in _headings(text, body):
        before = body if last is None else last.end
        deeper = last is None or last.level < heading.level
        if not deeper or text[before : heading.start].strip():
            if heading.start > start:
                sections.append(Section(start, heading.start, path))
            start = heading.start
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        path = SEPARATOR.join(each.title for each in above if each.title)
        last = heading
    if start < len(text):
        sections.append(Section(start, len(text), path))
    return sections


def _headings(text: str, start: int) -> Iterator[_Heading]:
    blocks = [Fence(each.start + start, each.end + start) for each in fences(text[start:])]
    starts = [block.start for block in blocks]
    for match in _HEADING.finditer(text, start):
        if match["setext"] is not None:
            heading = _underlined(text, match)
        else:
            heading = _Heading(
                match.start(),
                match.end(),
                len(match["marks"]),
                _title(_CLOSING_MARKS.sub("", (match["atx"] or "").rstrip())),
            )
        if heading is None:
            continue
        index = bisect_right(starts, heading.end) - 1
        if index >= 0 and blocks[index].end > heading.start:
            continue
        if heading.start < len(text) and not (heading.start and extends(text[heading.start])):
            yield heading


def _underlined(text: str, match: re.Match[str]) -> _Heading | None:
    """Return the heading of an underlined line, or None if it is part of a paragraph, list, quote, table or rule."""
    title = match["setext"]
    before = text.rfind("\n", 0, max(0, match.start() - 1)) + 1
    alone = not text[before : match.start()].strip()
    if not alone or _NO_TITLE.match(title):
        return None
    return _Heading(match.start(), match.end(), 1 if match["line"][0] == "=" else 2, _title(title))


def _title(text: str) -> str:
    """Return a heading as part of a path: on one line, and short."""
    return _BLANKS.sub(" ", text).strip()[:MOST_OF_A_TITLE].rstrip()


def front_matter_end(text: str) -> int:
    """Return the offset behind the front matter; 0 if there is none. Front matter has at least one ``key:``."""
    opening = _FRONT_MATTER.match(text)
    if opening is None:
        return 0
    closing = _CLOSING[opening[1]].search(text, opening.end(), opening.end() + FRONT_MATTER_CAP)
    if closing is None or not _KEY.search(text, opening.end(), closing.start()):
        return 0
    return closing.end()
