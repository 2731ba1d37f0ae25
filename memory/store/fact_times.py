"""When facts were first said, in SQLite: what is stored of a fact tells since when it holds, and when it was said last."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from ..records import StoredFact
from .codec import time_of, uuid_of
from .sql import rows_for


def with_first_observed(connection: sqlite3.Connection, versions: Sequence[StoredFact]) -> list[StoredFact]:
    """The versions, those that were said more than once and whose beginning nobody told with when they were first said: since
    then they hold, so that one of their messages is of that time. The first message may be the question that it answers.
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
