"""Finds strings of source code that span several lines, so that their content is not taken for definitions. Pure.

No grammar is used. It recognises triple quotes, backticks where a value is expected, and here-documents. An
unterminated string is ignored, so that an odd quote hides nothing of the rest of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

_TOKEN = re.compile(
    r'"""|' + r"'''|"
    r'"(?:[^"\\\n]|\\[^\n])*+"?|' + r"'(?:[^'\\\n]|\\[^\n])*+'?|"
    r"//[^\n]*|(?<![\w$&{(\[<'\"=])\#[^\n]*|"
    r"(?P<tick>(?<![\w`\\])`(?![`() \t]))|"
    r"<<[~-]?(?P<quote>[\"']?)(?P<tag>[A-Za-z_]\w*)(?P=quote)"
)
"""Starts of such strings, and what may hide them: single-line strings and comments."""
_BEFORE_A_VALUE = re.compile(r"(?:[=(,:+?\[{&|]|\breturn|\b(?:sql|gql|html|css))[ \t\n]*\Z")
_LOOKED_BACK = 24
_LONE_WORD = re.compile(r"^[ \t]*([A-Za-z_]\w*+)[;,)]*+[ \t]*+\r?$", re.MULTILINE)


def strings_over_lines(text: str) -> list[tuple[int, int]]:
    """Return the start and the end of each string, in order, without overlaps."""
    return list(_Strings(text).found())


class _Strings:
    def __init__(self, text: str) -> None:
        self._text = text
        self._ended: set[str] = set()
        """Quotes that do not occur again."""
        self._words: dict[str, list[int]] | None = None

    def found(self) -> Iterator[tuple[int, int]]:
        text, place = self._text, 0
        while (token := _TOKEN.search(text, place)) is not None:
            place = token.end()
            start = token.start()
            end = -1
            if token["tag"] is not None:
                start = text.find("\n", place)
                end = self._end_of_document(token["tag"], start) if start >= 0 else -1
            elif token[0] in ('"""', "'''"):
                end = self._closing(token[0], place)
            elif token["tick"] is not None and _BEFORE_A_VALUE.search(text[max(0, start - _LOOKED_BACK) : start]):
                end = self._closing("`", place)
            if end >= 0:
                place = end
                if text.find("\n", start, end) >= 0:
                    yield start, end

    def _closing(self, quote: str, place: int) -> int:
        """Return the position behind the quote that ends a string; -1 if there is none."""
        if quote in self._ended:
            return -1
        while (quote_at := self._text.find(quote, place)) >= 0:
            if self._text[quote_at - 1] != "\\":
                return quote_at + len(quote)
            place = quote_at + 1
        self._ended.add(quote)
        return -1

    def _end_of_document(self, tag: str, start: int) -> int:
        """Return the end of the next line that contains only this word; -1 if there is none."""
        if self._words is None:
            self._words = {}
            for line in _LONE_WORD.finditer(self._text):
                self._words.setdefault(line[1], []).append(line.end())
        places = self._words.get(tag, [])
        at = bisect_right(places, start)
        return places[at] if at < len(places) else -1
