"""Finds names in messages: runs of words with capitals. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..text.languages import LANGUAGES
from ..text.names import folded
from ..text.stopwords import ENGLISH

LONGEST = 4
"""The most words of a name in a message."""
_CAPITALS = re.escape("".join(filter(str.isupper, map(chr, range(0x10000)))))
_WORD = rf"[{_CAPITALS}][\w'’&-]*"
_RUN = re.compile(rf"(?<![\w@/.'’#&-]){_WORD}(?: {_WORD})*(?![\w@/])")
_BEFORE = " \t([{\"'«„“‘*_~<#@-–—•¿¡"
"""The characters that may stand between the beginning of a sentence and its first word."""
_ENDS = (".", "!", "?", "…", ":", "\n")
_LOOK_BACK = 8
_TITLED = 0.6
"""The share of words with a capital from which on a message is a headline, whose capitals name nothing."""
_LEAST_WORDS = 5
"""Shorter messages are no headlines."""


def _silent() -> frozenset[str]:
    rows = (row for each in LANGUAGES.values() for row in (*each.months, *each.weekdays, *each.short_weekdays))
    times = (word for row in rows for word in row.split("|"))
    greetings = "will like happy merry good dear hi hello hey oh wow yes no thanks thank omg lol mr mrs ms dr mom dad mum year years"
    return ENGLISH | frozenset(map(str.casefold, times)) | frozenset(greetings.split())


_SILENT = _silent()
"""Words that are part of no name that only messages have: stop words, months, weekdays, greetings, titles."""


def _is_headline(text: str) -> bool:
    words = [word for word in text.split() if word[0].isalpha()]
    return len(words) >= _LEAST_WORDS and sum(word[0].isupper() for word in words) >= _TITLED * len(words)


def names_in(text: str, names: Mapping[str, str]) -> tuple[list[str], list[list[str]]]:
    """Return the nodes that a message names, and names of several words that are none of these.

    Args:
        text: of the message.
        names: nodes by folded name.
    """
    nodes: dict[str, None] = {}
    others: list[list[str]] = []
    for match in _RUN.finditer(text):
        words, at = match[0].split(" "), 0
        if len(words) == 1 and folded(_bare(words[0])) not in names:  # as most are
            continue
        begins = _begins_sentence(text, match.start())
        rest: list[str] = []
        while at < len(words):
            size, node = _longest(words, at, names)
            if size == 1 and begins and at == 0 and words[0].casefold() in _SILENT:
                size = 0
            if size:
                nodes[node] = None
            elif at or not begins:
                rest.append(_bare(words[at]))
            at += size or 1
            if size or rest[-1:] != words[at - 1 : at]:  # a genitive ends a name
                others.append(rest)
                rest = []
        others.append(rest)
    candidates = [words for words in others if _is_name(words)]
    return list(nodes), [] if candidates and _is_headline(text) else candidates


def _bare(word: str) -> str:
    return word if word.isalpha() else word.rstrip("-&’'").removesuffix("'s").removesuffix("’s")


def _begins_sentence(text: str, start: int) -> bool:
    """Return whether a word stands where a sentence or a quotation begins, which gives any word a capital."""
    before = text[max(0, start - _LOOK_BACK) : start]
    bare = before.rstrip(_BEFORE)
    return (not bare and start < _LOOK_BACK) or bare.endswith(_ENDS) or before.rstrip(" \t") != bare


def _longest(words: list[str], at: int, names: Mapping[str, str]) -> tuple[int, str]:
    for size in range(min(LONGEST, len(words) - at), 0, -1):
        name = " ".join([*words[at : at + size - 1], _bare(words[at + size - 1])])
        if node := names.get(folded(name)):
            return size, node
    return 0, ""


def _is_name(words: list[str]) -> bool:
    """Return whether these words are surely a name: two to four, none of them frequent, short or all in capitals."""
    return 2 <= len(words) <= LONGEST and all(
        len(word) > 1 and not word.isupper() and word.casefold().replace("’", "'").partition("'")[0] not in _SILENT
        for word in words
    )
