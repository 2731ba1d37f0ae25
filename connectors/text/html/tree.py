"""The tree of a page, parsed only after a check that parsing takes time and memory in proportion to its length. Pure.

The parser's time grows with the square of four things: elements inside elements, attributes of one element, choices of one
list, and formatting that no end tag ends, which every later paragraph gets anew. They are counted here, tag by tag.

The count holds only if the parser sees the same tags. Comments and the text of scripts can be read in two ways, depending
on the tree around them, so they are rewritten such that no way of reading finds a tag in them.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

TOO_COSTLY = "its elements are nested too deep, or have too many attributes"
"""The reason why a page that fails `bounded_markup` is not read."""
DEEPEST = 2_000
"""The largest nesting depth of elements. Ordinary pages have some dozens; at this depth parsing takes some hundredths
of a second.
"""
MOST_ATTRIBUTES = 256
"""The largest number of attributes of one element; all tags ``<html>`` and ``<body>`` together are one element.
Ordinary elements have some dozens.
"""
MOST_OPTIONS = 20_000
"""Choices of all lists together: a second of the parser's time, when all are in one list."""
MOST_REPEATED = 1_000_000
"""Elements that the parser adds because formatting was not ended: 400 MB."""
_SMALL, _FEW = 8 * 1024, 500
"""Pages of fewer characters and tags are not counted: at worst they take some hundredths of a second."""
_ALIKE = 3
"""The number of equal formatting elements that are repeated (HTML, "the list of active formatting elements")."""
_CLOSED_BY_THEMSELVES = frozenset([
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option", "p", "param",
    "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
])  # fmt: skip
_FORMATTING = frozenset(
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"]
)
_ONE_AT_A_TIME = frozenset({"a", "nobr"})
"""The next one ends the one before."""
_BOUNDARIES = frozenset(["applet", "button", "marquee", "math", "object", "select", "svg", "table", "template"])
"""An end tag inside these does not end formatting that began outside."""
_ONE_ELEMENT = frozenset({"html", "body"})
_SPACE = r"[\t\n\f\r ]"
_ATTRIBUTE = (
    rf"[\t\n\f\r /]*+[^\t\n\f\r />][^\t\n\f\r />=]*+"
    rf"(?:{_SPACE}*+={_SPACE}*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\t\n\f\r >\"'][^\t\n\f\r >]*+)?+)?+"
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_RAW = "script|style|title|textarea|xmp|iframe|noembed|noframes|plaintext"
# Each alternative matches to the end of the text if its own end is missing, so that no place is scanned twice. "<" stands in
# front of them all: with it inside of each, the search tries every character of the words between tags.
_MARKUP = re.compile(
    r"<(?:(?P<comment>!--(?:-?>|.*?(?:--!?>|\Z))|(?:\?|!(?!doctype\b[^<>]*>)|/(?=[^a-z>]))[^>]*+(?:>|\Z))"
    rf"|(?P<end>/?)(?P<name>(?=[a-z])(?P<raw>(?<!/)(?:{_RAW})(?=[\t\n\f\r />]|\Z))?[^\t\n\f\r />]*+)"
    rf"(?P<attributes>(?:{_ATTRIBUTE})*+)[\t\n\f\r /]*+(?:>|\Z)"
    r"(?(raw)(?P<text>.*?)(?:(?=</(?P=raw)[\t\n\f\r />])|\Z)))",
    re.IGNORECASE | re.DOTALL,
)


def html_tree(html: str, *, deepest: int = DEEPEST) -> LexborHTMLParser | None:
    """Parse a page; return None if that is `TOO_COSTLY`. ``deepest``: the largest nesting depth."""
    markup = bounded_markup(html, deepest=deepest)
    return None if markup is None else LexborHTMLParser(markup)


def bounded_markup(html: str, *, deepest: int = DEEPEST) -> str | None:
    """Return the page with empty comments, and without ``<`` inside scripts and titles; None if parsing it is
    `TOO_COSTLY`.
    """
    if len(html) < _SMALL and html.count("<") < _FEW:
        return html
    count = _Count(deepest)
    parts: list[str] = []
    kept = 0
    for match in _MARKUP.finditer(html):
        comment, end, name, _, attributes, text = match.groups()
        if comment:
            parts += (html[kept : match.start()], "<!---->")
            kept = match.end()
        elif end:
            count.end(name.lower())
        elif not count.start(name.lower(), attributes):
            return None
        elif text and "<" in text:
            parts += (html[kept : match.start("text")], text.replace("<", "&lt;"))
            kept = match.end()
    return "".join((*parts, html[kept:])) if parts else html


class _Count:
    """The running totals of the tags read so far."""

    def __init__(self, deepest: int) -> None:
        self._deepest = deepest
        self._open: dict[str, int] = {}
        self._depth = 0
        self._level = 0
        """The number of open boundaries."""
        self._formatting: dict[str, list[tuple[int, str]]] = {}
        """The level and the attributes of each open formatting element, by name."""
        self._alike: dict[tuple[str, str], int] = {}
        self._repeated = self._active = self._options = self._shared = 0

    def start(self, name: str, attributes: str) -> bool:
        """Count a start tag; return whether the page is still within the limits."""
        if name in _CLOSED_BY_THEMSELVES:
            self._options += name == "option"
        else:
            self._open[name] = self._open.get(name, 0) + 1
            self._depth += 1
            self._level += name in _BOUNDARIES
        if name in _FORMATTING:
            self._format(name, attributes)
        else:
            self._repeated += self._active
        return (
            self._depth <= self._deepest
            and self._options <= MOST_OPTIONS
            and self._repeated <= MOST_REPEATED
            # An attribute is at least a character and a blank.
            and (len(attributes) <= MOST_ATTRIBUTES or name in _ONE_ELEMENT or self._has_few(attributes))
            and (name not in _ONE_ELEMENT or self._has_few(attributes, shared=True))
        )

    def end(self, name: str) -> None:
        """Count an end tag."""
        if not self._open.get(name):
            return
        self._open[name] -= 1
        self._depth -= 1
        if name in _FORMATTING:
            begun = self._formatting.get(name)
            if begun and begun[-1][0] == self._level:
                self._alike[name, begun.pop()[1]] -= 1
                self._active -= 1
        else:
            self._level -= name in _BOUNDARIES

    def _has_few(self, attributes: str, *, shared: bool = False) -> bool:
        number = len(_ATTRIBUTES.findall(attributes))
        if shared:
            self._shared = number = self._shared + number
        return number <= MOST_ATTRIBUTES

    def _format(self, name: str, attributes: str) -> None:
        begun = self._formatting.setdefault(name, [])
        key = (name, attributes)
        if self._alike.get(key, 0) < _ALIKE and not (begun and name in _ONE_AT_A_TIME):
            begun.append((self._level, attributes))
            self._alike[key] = self._alike.get(key, 0) + 1
            self._active += 1
