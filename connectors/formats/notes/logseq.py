"""Parses pages and journals of a Logseq graph: day, title with namespace, properties, block references. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote

_PAGE = re.compile(r"(?:.*/)?(?P<folder>journals|pages)/(?P<name>[^/]+)\.(?:md|markdown|org)", re.DOTALL)
_DAY = re.compile(r"(\d{4})[_-](\d{2})[_-](\d{2})", re.ASCII)
_OUTLINE = re.compile(r"\s*(?:-(?:[ \t]|\r?$)|[A-Za-z][\w.-]*:: )", re.MULTILINE)
_PROPERTY = re.compile(r"(?P<key>[A-Za-z][\w./-]*):: ?(?P<value>.*)")
_OWN_DAY = re.compile(r"\d{4}_\d{2}_\d{2}", re.ASCII)
"""Matches the names that Logseq gives to journals; hardly any other program does."""
_KEY = r"(?:id|collapsed|created-at|updated-at|logseq\.[\w.-]+)"
_APPS_OWN = re.compile(
    rf"^[ \t]*(?:- )?(?P<key>{_KEY}):: ?(?P<value>[^\r\n]*)\r?(?:\n|\Z)",
    re.MULTILINE,
)
# A block that begins with a number or a fence has its properties before its text.
_OWN_FIRST = re.compile(
    rf"^(?P<indent>[ \t]*)- (?P<own>{_KEY}:: ?[^\r\n]*+\r?\n(?:[ \t]++{_KEY}:: ?[^\r\n]*+\r?\n)*+)"
    rf"[ \t]++(?P<words>(?!-(?:[ \t]|\r?$))[^\s][^\r\n]*+)",
    re.MULTILINE,
)
_REFERENCE = re.compile(
    r"(?:\{\{embed )?\(\((?P<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\)\)(?:\}\})?"
)
_BULLET = re.compile(r"^[ \t]*- ?(?P<words>[^\r\n]*)", re.MULTILINE)
MOST_BLOCKS = 100
"""The largest number of block ids that become metadata."""
_LONGEST_BLOCK = 500
_MOST_REFERENCES = 10_000


@dataclass(frozen=True, slots=True)
class LogseqPage:
    """A page of a graph."""

    text: str
    """The text without Logseq's internal properties; references to blocks of the page become the blocks' first lines.
    """
    title: str
    day: str
    """The day of a journal, ``2024-01-15``; else empty."""
    properties: dict[str, str] = field(default_factory=dict[str, str])
    """The properties of the page, from its beginning."""
    blocks: list[str] = field(default_factory=list[str])
    """The ids of its blocks."""


def logseq_page(path: str, text: str, start: int = 0) -> LogseqPage | None:
    """Parse a page; return None for a note outside a graph's ``journals`` and ``pages``, or one that is not an outline.

    Args:
        path: of the file, with the folders above it.
        text: of the file.
        start: the offset behind its front matter.
    """
    pattern_match = _PAGE.fullmatch(path)
    if pattern_match is None or not (
        _OUTLINE.match(text, start) or _is_journal(pattern_match["folder"], pattern_match["name"])
    ):
        return None
    day = _DAY.fullmatch(pattern_match["name"]) if pattern_match["folder"] == "journals" else None
    if pattern_match["folder"] == "journals" and day is None:
        return None
    title = "-".join(day.groups()) if day else unquote(pattern_match["name"].replace("___", "/"))
    text = _OWN_FIRST.sub(_words_first, text)
    named = _named_blocks(text)
    kept = _APPS_OWN.sub(
        lambda match: "" if match["key"] != "id" or match["value"].strip() in named else match[0], text
    )

    def referred(match: re.Match[str]) -> str:
        return named.get(match["id"]) or match[0]

    return LogseqPage(
        _REFERENCE.sub(referred, kept, _MOST_REFERENCES),
        title,
        "-".join(day.groups()) if day else "",
        _page_properties(text, start),
        list(named)[:MOST_BLOCKS],
    )


def _is_journal(folder: str, name: str) -> bool:
    """Return whether the file has the name of a Logseq journal, whatever its content: in 2020 blocks were headings."""
    return folder == "journals" and _OWN_DAY.fullmatch(name) is not None


def _words_first(match: re.Match[str]) -> str:
    """Move the text of a block before its properties, as most blocks have it."""
    indent = match["indent"]
    block = "".join(f"\n{indent}  {line.strip()}" for line in match["own"].splitlines())
    return f"{indent}- {match['words']}{block}"


def _named_blocks(text: str) -> dict[str, str]:
    """Return the first lines of the blocks that have an id, by id."""
    bullets = [(match.start(), match["words"]) for match in _BULLET.finditer(text)]
    named: dict[str, str] = {}
    at = 0
    for match in _APPS_OWN.finditer(text):
        while at < len(bullets) and bullets[at][0] <= match.start():
            at += 1
        key = match["value"].strip()
        if match["key"] == "id" and key:
            words = bullets[at - 1][1] if at else ""
            named[key] = "" if _REFERENCE.search(words) or _PROPERTY.match(words) else words[:_LONGEST_BLOCK].strip()
    return named


def _page_properties(text: str, start: int) -> dict[str, str]:
    """Return the lines ``key:: value`` at the beginning, with or without the bullet of a first block."""
    result: dict[str, str] = {}
    at = start
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end].strip()
        at = end + 1
        match = _PROPERTY.fullmatch(line.removeprefix("- ") if not result else line)
        if match is None:
            if line or result:
                break
            continue
        if not _APPS_OWN.match(line):
            result[match["key"].lower()] = match["value"].strip()
    return result
