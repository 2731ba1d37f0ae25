"""The invariants of stored data, defined once and checked both before writing and after reading.

A violation before writing is a bug in memd: nothing of the transaction is written. A violation after reading is damage;
``memd doctor`` reports more.
"""

# ruff: noqa: S608 - statements are put together of names of ours; every value is bound

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping
from typing import NoReturn

from ...schemas.errors import StoreError
from ..write_batches import Removal
from .errors import damaged
from .sql import rows_for

WITHIN = "a chunk lies within the text that it was cut from"
KNOWN_KIND = "a message has one of the kinds that there are"
TEXTUAL = "a message has a speaker and words, both text"
COUNTED = "a chunk has a key, a place and a number of tokens"
IN_TIME = "a time lies between the years 1 and 9999"
IN_PLACE = "a message has a place in its document, counted from 0"
IN_DOCUMENT = "a message and a chunk belong to a document"
NAMED = "a name, a source, an identifier and a tag are text"
GROUNDED = "a fact rests on a message"
"""Not checked when facts are read: doctor reports a violation and repair fixes it, so both must be able to read the
rows.
"""
WHOLE = "a vector has the checksum that it was written with"
GONE = "what is forgotten is not there any more"
KEPT = "repairing takes away nothing that sources said"
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The first and the last microsecond of the years 1 to 9999 in UTC; a UTC offset may shift a time by a day."""
_DAY = 86_400_000_000
POSITIONS = 1 << 62
"""The limit of positions, so that a range around one stays within SQLite's integers."""
SOURCE_TABLES = (
    "documents",
    "messages",
    "digests",
    "inputs",
    "people",
    "tags",
    "conversations",
    "renames",
    "tombstones",
    "excluded",
)
"""Tables with the content of sources and decisions of the owner; all other tables can be rebuilt from them."""


def is_within(start: int, end: int, length: int) -> bool:
    """Return whether a span satisfies ``WITHIN``."""
    return 0 <= start <= end <= length


def is_valid_time(micros: int) -> bool:
    """Return whether a time satisfies ``IN_TIME``."""
    return _FIRST - _DAY <= micros <= _LAST + _DAY


def checksum_matches(vector: bytes, checksum: int) -> bool:
    """Return whether a vector satisfies ``WHOLE``."""
    return zlib.crc32(vector) == checksum


def require_before_write(holds: object, invariant: str) -> None:
    """Refuse to write data that violates an invariant.

    Raises:
        StoreError: `holds` is false.
    """
    if not holds:
        _refuse(invariant)


def require_after_read(holds: object, invariant: str) -> None:
    """Report data that was read and violates an invariant as damage.

    Raises:
        StoreError: `holds` is false.
    """
    if not holds:
        raise damaged(invariant)


def check_forgotten(connection: sqlite3.Connection, removal: Removal) -> None:
    """Require ``GONE`` before a removal is committed, but for texts that come back without words that they quoted."""
    documents = {*removal.documents} - {row.key for row in removal.changes.documents}
    for table, keys in (("messages", removal.messages), ("documents", documents)):
        statement = f"SELECT 1 FROM {table} WHERE key IN ({{}})"
        require_before_write(next(rows_for(connection, statement, {key.bytes for key in keys}), None) is None, GONE)


def count_source_rows(connection: sqlite3.Connection) -> Mapping[str, int]:
    """Return the number of rows of each source table; reads whole tables."""
    return {table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) for table in SOURCE_TABLES}


def check_nothing_lost(connection: sqlite3.Connection, before: Mapping[str, int]) -> None:
    """Require ``KEPT`` before a repair is committed."""
    require_before_write(all(count >= before[table] for table, count in count_source_rows(connection).items()), KEPT)


def _refuse(invariant: str) -> NoReturn:
    raise StoreError(
        f"nothing was written, for it would break a rule of the store: {invariant}",
        hint="this is a mistake in memd; please report it with the log around it",
    )
