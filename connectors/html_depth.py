"""How deep the elements of a page are nested, before it is parsed: the parser's time grows with the square of it. Pure."""

from __future__ import annotations

import re

DEEPEST = 2_000
"""Pages of people have some dozens; at this depth parsing takes some hundredths of a second."""
_CLOSED_BY_THEMSELVES = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "dd",
        "dt",
        "embed",
        "hr",
        "img",
        "input",
        "li",
        "link",
        "meta",
        "option",
        "p",
        "param",
        "source",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "track",
        "wbr",
    ]
)
# Each alternative ends with the text where its own end is missing, so that no place is looked at twice.
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style|textarea|title)\b.*?(?:</(?P=raw)|\Z)"
    r"|<(?P<end>/?)(?P<name>[a-z][a-z0-9:-]*)(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^'\">])*(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)


def too_deep(html: str) -> bool:
    """Whether more than `DEEPEST` elements are open at one place; elements that need no end are not counted."""
    open_elements: dict[str, int] = {}
    depth = 0
    for match in _MARKUP.finditer(html):
        name = match["name"]
        if name is None or (name := name.lower()) in _CLOSED_BY_THEMSELVES:
            continue
        if not match["end"]:
            open_elements[name] = open_elements.get(name, 0) + 1
            depth += 1
            if depth > DEEPEST:
                return True
        elif open_elements.get(name):
            open_elements[name] -= 1
            depth -= 1
    return False
