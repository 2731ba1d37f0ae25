"""Adds the time of the first observation to facts: the store has only when a fact began and when it was last observed."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from ..records import StoredFact
from .codec import time_of, uuid_of
from .sql import rows_for


def with_first_observed(connection: sqlite3.Connection, versions: Sequence[StoredFact]) -> list[StoredFact]:
    """Return the versions; facts that were said more than once and have no stated beginning get `first_observed_at`.
    Such a fact is valid from its first observation, so one of its messages has exactly that time. (The earliest message
    may be the question that it answers, so it does not count by itself.).
    """
    again = {each.fact.id for each in versions if each.fact.valid_from and each.fact.valid_from < each.fact.observed_at}
    keys = {key.bytes for each in versions if each.fact.id in again for key in each.messages}
    if not keys:
        return list(versions)
    statement = "SELECT key, micros, offset FROM messages WHERE key IN ({})"
    times = {uuid_of(key): time_of(micros, offset) for key, micros, offset in rows_for(connection, statement, keys)}
    shown: list[StoredFact] = []
    for each in versions:
        begin = each.fact.valid_from
        if each.fact.id in again and begin in {times.get(key) for key in each.messages}:
            shown.append(replace(each, fact=each.fact.model_copy(update={"first_observed_at": begin})))
        else:
            shown.append(each)
    return shown
