"""The parser of pages, in one place: nothing is parsed before its cost is known. Pure."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from .html_cost import DEEPEST, bounded_markup


def html_tree(html: str, *, deepest: int = DEEPEST) -> LexborHTMLParser | None:
    """The tree of a page; None when parsing it is `html_cost.TOO_COSTLY`. ``deepest``: elements inside elements."""
    markup = bounded_markup(html, deepest=deepest)
    return None if markup is None else LexborHTMLParser(markup)
