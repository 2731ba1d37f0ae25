"""Finds whom the user calls "Mama" or "Dad": the one partner of a chat whom the user's messages address so."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from ..extraction.equivalents import groups_of, words_of_group
from ..index.errors import IndexServerError
from ..indexing.indexed_store import IndexedStore
from ..search_types import Filter
from ..store.sql import rows_for
from ..text.analyzer import fold, words
from .candidates import compiled_filter

MOST_ROWS = 200
LONGEST = 1_000
"""Characters of a question that are searched."""
LEAST_CALLS, LEAST_SHARE = 2, 0.6
"""The least number of messages in which a partner is addressed so, and their least share of all such messages."""
_RELATIVES = frozenset(
    group
    for word in ("mother", "father", "grandmother", "grandfather", "aunt", "uncle", "sister", "brother")
    for group in groups_of(word)
)
_CALLS = """
SELECT m.content, p.name FROM chunks c JOIN messages m ON m.id = c.message JOIN people p ON p.document = c.document
WHERE c.id IN ({}) AND (SELECT count(*) FROM people q WHERE q.document = c.document) = 2
"""


async def relatives_in(store: IndexedStore, question: str, me: Collection[str]) -> Mapping[str, frozenset[str]]:
    """Return the names of the people whom words of a question such as "mum" mean, by the folded word.

    Args:
        store: the store to search.
        question: the question.
        me: the user's names.
    """
    meant: dict[str, frozenset[str]] = {}
    if me:
        for word in dict.fromkeys(words(question[:LONGEST])):
            if groups := groups_of(word) & _RELATIVES:
                names = sorted({name for group in groups for name in words_of_group(group)})
                if person := await _called(store, names, me):
                    meant[word] = frozenset({person})
    return meant


async def _called(store: IndexedStore, names: Sequence[str], me: Collection[str]) -> str | None:
    where = await compiled_filter(store, Filter(speakers=tuple(me)))
    try:
        rows = await store.text.holding([names], where, MOST_ROWS)
    except IndexServerError:
        return None
    calls = await store.database.read(_partners, rows, _address_of(names), me)
    person, count = calls.most_common(1)[0] if calls else ("", 0)
    return person if count >= max(LEAST_CALLS, LEAST_SHARE * calls.total()) else None


def _address_of(names: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of an address in folded text: at the beginning before a comma, or at the end."""
    either = "|".join(map(re.escape, names))
    greeting = r"(?:hi|hallo|hello|hey|liebe[r]?|dear|hola|salut|selam|moin|servus)\s+"
    return re.compile(
        rf"^\W*(?:{greeting})?(?:{either})\s*[,!.?]|[^\W_]\W+(?:{either})\W*$|^\W*(?:{greeting})(?:{either})\b"
    )


def _partners(
    connection: sqlite3.Connection, rows: Sequence[int], address: re.Pattern[str], me: Collection[str]
) -> Counter[str]:
    """Return how often the user addresses each partner so."""
    return Counter(
        name for content, name in rows_for(connection, _CALLS, rows) if name not in me and address.search(fold(content))
    )
