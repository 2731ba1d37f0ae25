"""The lexical fields of a chunk: its own words, and those of its neighbourhood. Every backend indexes exactly these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NEAR_BEFORE = 1
WIDE_BEFORE = 3
WIDE_AFTER = 1
"""The numbers of messages before and after a chunk's own whose words belong to its near and wide fields. Measured on
LoCoMo: a query's words often occur in the turn before the answer; see docs/design.md.
"""


@dataclass(frozen=True, slots=True)
class LexicalFields:
    """The terms of a chunk in three fields, each separated by spaces."""

    lexical: str
    near: str
    wide: str


def lexical_fields(text: str, owners: Sequence[str], position: int, title: str = "") -> LexicalFields:
    """Return the three fields of one chunk.

    Args:
        text: the chunk's own terms, separated by spaces (of ``Speaker: text`` for a message).
        owners: the terms of every message (or piece of a text) of the document, in order.
        position: where the chunk's owner stands in ``owners``. Neighbourhoods stop at the document's edge.
        title: the terms of the document's title, which is in the neighbourhood of all its chunks.
    """
    before = owners[max(0, position - WIDE_BEFORE) : position]
    near = [*before[len(before) - NEAR_BEFORE :], text] if before else [text]
    wide = [*before, text, *owners[position + 1 : position + 1 + WIDE_AFTER]]
    return LexicalFields(lexical=text, near=titled(" ".join(near), title), wide=titled(" ".join(wide), title))


def titled(terms: str, title: str) -> str:
    """Return terms followed by those of the title that they lack: most texts repeat their title."""
    if not title:
        return terms
    present = frozenset(terms.split(" "))
    return " ".join([terms, *(term for term in title.split(" ") if term not in present)])
