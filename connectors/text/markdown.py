"""Extracts headings, tags and links from Markdown. Pure, linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_LINKS = 500
MOST_TAGS = 200

_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)")
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]+|$)")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_BACKTICKS = re.compile(r"`+")
_LINK = re.compile(
    r"\[\[(?P<wiki>[^\[\]\n]++)\]\]"
    r"|\]\([ \t]*(?:<(?P<angled>[^<>\n]*+)>|(?P<target>[^\s()<>]++(?:\([^\s()]*+\)[^\s()<>]*+)?))"
    r"|(?P<url>https?://[^\s<>()\[\]\"'`]++)"
)
_TAG = re.compile(r"(?<![\w/#&\\(\[=])#(?P<tag>[\w/-]*[^\W\d_][\w/-]*)")
_WORDS_TAG = re.compile(r"(?<!\S)#(?P<words>[^\W_][^\n#\[\]<>\"]{0,78}[^\s#])#(?![\w#])")
"""Matches the tags of several words that Bear writes with a second sign behind them."""
_ANY_TAG = re.compile(rf"{_WORDS_TAG.pattern}|{_TAG.pattern}")
_COLOUR = re.compile(r"(?=[a-f]*\d)(?:[\da-f]{3}|[\da-f]{6}|[\da-f]{8})", re.IGNORECASE | re.ASCII)
_STRUCTURE = re.compile(
    r"^ {0,3}#{1,6}[ \t]+\S|\[\[[^\[\]\n]+\]\]|\[[^\[\]\n]+\]\([^()\s]+\)|^(?:```|~~~)|^[-*+][ \t]+(?:\[[ xX]\][ \t]+)?\S"
    r"|^>[ \t]|\*\*\S",
    re.MULTILINE,
)


def looks_like_markdown(text: str) -> bool:
    """Return whether the text contains Markdown: a heading, a link, a list, a fence."""
    return _STRUCTURE.search(text) is not None


def begins_with_heading(text: str) -> bool:
    """Return whether the first non-blank line is a heading with ``#``."""
    first = text.lstrip("\r\n\t \ufeff").partition("\n")[0]
    return bool(_ATX.match(first)) and len(first.strip("# \t\r")) > 0


def first_heading(text: str, start: int = 0) -> str:
    """Return the first heading of level 1, with ``#`` or underlined with ``=``; empty if there is none."""
    before = ""
    for line in prose(text, start):
        bare = line.strip()
        if bare.startswith(("# ", "#\t")):
            if _ATX.match(line) and (title := _CLOSING_MARKS.sub("", bare[1:].strip()).strip()):
                return title
        elif before and bare.startswith("=") and _UNDERLINE.match(line):
            return before
        before = bare
    return ""


def tags(text: str, start: int = 0, *, several_words: bool = False) -> list[str]:
    """Return the distinct ``#tags`` of the text in order, except those in code, links and headings.

    ``#Tags of several words#`` stand in a line of their own, anywhere with `several_words`.
    """
    result: dict[str, None] = {}
    for line in prose(text, start):
        if "#" not in line:
            continue
        bare = _LINK.sub(" ", without_code(line))
        pattern = _ANY_TAG if several_words or _WORDS_TAG.fullmatch(bare.strip()) else _TAG
        for match in pattern.finditer(bare):
            tag = (match[match.lastgroup or 0]).rstrip("/-")
            if not _COLOUR.fullmatch(tag):
                result[tag] = None
        if len(result) >= MOST_TAGS:
            break
    return list(result)[:MOST_TAGS]


def links(text: str, start: int = 0) -> list[str]:
    """Return the distinct link targets of the text in order: names of notes, paths and addresses; not those in code."""
    result: dict[str, None] = {}
    for line in prose(text, start):
        if "[" not in line and "://" not in line:
            continue
        for match in _LINK.finditer(without_code(line)):
            if match["wiki"] is not None:
                target = match["wiki"].partition("|")[0].strip().rstrip("\\")
            else:
                target = match["angled"] or match["target"] or (match["url"] or "").rstrip(".,;:!?")
            if target:
                result[target] = None
        if len(result) >= MOST_LINKS:
            break
    return list(result)[:MOST_LINKS]


def prose(text: str, start: int = 0) -> Iterator[str]:
    """Yield the lines outside fenced code, without line ends."""
    mark = ""
    at = start
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end].removesuffix("\r")
        at = end + 1
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if mark:
            if fence and fence["mark"].startswith(mark) and not fence["info"].strip():
                mark = ""
        elif fence and ("`" not in fence["info"] or fence["mark"][0] == "~"):
            mark = fence["mark"]
        else:
            yield line


def without_code(line: str) -> str:
    """Return the line with its code spans blanked: the text between two runs of equally many backticks."""
    if "`" not in line:
        return line
    runs = [(match.start(), match.end()) for match in _BACKTICKS.finditer(line)]
    closers: list[int] = [0] * len(runs)  # for each run the next one of its length; 0 if there is none
    after: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        closers[index] = after.get(length, 0)
        after[length] = index
    kept: list[str] = []
    at = index = 0
    while index < len(runs):
        closer = closers[index]
        if closer:
            kept += (line[at : runs[index][0]], " ")
            at = runs[closer][1]
            index = closer
        index += 1
    return "".join(kept) + line[at:]
