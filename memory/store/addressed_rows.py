"""Resolves to whom messages were written: by the people of whole chats, and of documents that belong to no chat."""

# ruff: noqa: S608 - statements are put together of conditions of ours; every value is bound

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from collections.abc import Set as AbstractSet
from typing import NamedTuple

import orjson

from ..records import MAIL_SOURCES
from ..search_types import NameFilter
from ..text.names import folded
from .codec import json_of
from .errors import decoding
from .name_filter import Condition, any_name, marks, name_filter
from .sql import rows_for


class Addressed(NamedTuple):
    """The chats in which somebody is addressed. A day of a chat names only its writers; the chat names everybody."""

    direct: tuple[bytes, ...]
    """The keys of chats with nobody else, and of threads of mail, whose people are all addressed."""
    others: tuple[bytes, ...]
    """The keys of the other chats: groups."""
    people: NameFilter

    def condition(self, *, groups: bool, writers: bool) -> Condition:
        """Return the SQL condition for a message ``m`` of document ``d``.

        Args:
            groups: what is said in a group counts, too.
            writers: what the addressed people wrote themselves counts, too.
        """
        chats = [*self.direct, *(self.others if groups else ())]
        among, names = any_name(self.people, "d.id IN (SELECT document FROM people WHERE folded IN ({}))")
        text, values = f"(d.chat IN ({marks(chats)}) OR (d.chat IS NULL AND {among}))", [*chats, *names]
        if not writers:
            by_them, names = any_name(self.people, "m.speaker IN (SELECT id FROM speakers WHERE folded IN ({}))")
            text, values = f"{text} AND NOT {by_them}", [*values, *names]
        return text, values


@decoding
def addressed(connection: sqlite3.Connection, names: Collection[str], writers: Collection[str]) -> Addressed:
    """Return the chats in which one of ``names`` may be addressed by ``writers``; by anybody if there are none."""
    people = name_filter(connection, sorted(names)) or NameFilter(frozenset())
    by = name_filter(connection, sorted(writers))
    quoted = [orjson.dumps(name).decode() for name in people.every if name.isascii()]
    direct: list[bytes] = []
    others: list[bytes] = []
    for key, source, members in connection.execute("SELECT key, source, people FROM conversations ORDER BY key"):
        # Most chats name none of them, which is seen before their names are read one by one.
        if members.isascii() and not any(map(members.casefold().__contains__, quoted)):
            continue
        present = frozenset(map(folded, json_of(members)))
        addressees = present & _known_as(people, key, source)
        if addressees:
            more = present - addressees - (_known_as(by, key, source) if by is not None else frozenset())
            alone = len(more) <= (by is None)
            (direct if alone or source in MAIL_SOURCES else others).append(key)
    return Addressed(tuple(direct), tuple(others), people)


def _known_as(names: NameFilter, chat: bytes, source: str) -> AbstractSet[str]:
    """Return the folded names of these people in a chat."""
    in_chat = (aliases for key, aliases in names.in_chats if key == chat)
    in_source = (aliases for each, aliases in names.in_sources if each == source)
    return names.anywhere.union(*in_chat, *in_source)


def documents_to(connection: sqlite3.Connection, documents: Collection[int], to: Addressed) -> frozenset[int]:
    """Return the subset of these documents (row ids) in which somebody is addressed."""
    text, values = to.condition(groups=True, writers=True)
    statement = f"SELECT d.id FROM documents d WHERE d.id IN ({{}}) AND {text}"
    return frozenset(row for (row,) in rows_for(connection, statement, documents, *values))
