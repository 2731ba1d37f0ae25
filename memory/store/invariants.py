"""What must be true of data where it crosses into the database and where it comes back: said once, checked on both sides.

Before it is written, a breach is a mistake of memd's own: nothing of the transaction is written. After it was read, it is
damage, which ``memd doctor`` tells more about.
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
"""Read back, a breach is what doctor tells of and repair mends: it must not keep either from looking."""
WHOLE = "a vector has the checksum that it was written with"
GONE = "what is forgotten is not there any more"
KEPT = "repairing takes away nothing that sources said"
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""Microseconds of the first and the last moment of these years, in UTC, which an offset may shift by a day."""
_DAY = 86_400_000_000
POSITIONS = 1 << 62
"""Places lie below it, so that the range around one stays within the integers of SQLite."""
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
"""Tables of what sources or the owner said; all others can be made anew from them."""


def is_within(start: int, end: int, length: int) -> bool:
    """``WITHIN``."""
    return 0 <= start <= end <= length


def is_valid_time(micros: int) -> bool:
    """``IN_TIME``."""
    return _FIRST - _DAY <= micros <= _LAST + _DAY


def checksum_matches(vector: bytes, checksum: int) -> bool:
    """``WHOLE``."""
    return zlib.crc32(vector) == checksum


def require_before_write(holds: object, invariant: str) -> None:
    """Refuse to write what breaks an invariant.

    Raises:
        StoreError: it does.
    """
    if not holds:
        _refuse(invariant)


def require_after_read(holds: object, invariant: str) -> None:
    """Tell what was read and breaks an invariant as damage.

    Raises:
        StoreError: it does.
    """
    if not holds:
        raise damaged(invariant)


def check_forgotten(connection: sqlite3.Connection, removal: Removal) -> None:
    """``GONE``, before the transaction that forgets is committed."""
    for table, keys in (("messages", removal.messages), ("documents", removal.documents)):
        statement = f"SELECT 1 FROM {table} WHERE key IN ({{}})"
        require_before_write(next(rows_for(connection, statement, {key.bytes for key in keys}), None) is None, GONE)


def count_source_rows(connection: sqlite3.Connection) -> Mapping[str, int]:
    """How much sources and the owner said, by table; reads whole tables."""
    return {table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) for table in SOURCE_TABLES}


def check_nothing_lost(connection: sqlite3.Connection, before: Mapping[str, int]) -> None:
    """``KEPT``, before the transaction that repairs is committed."""
    require_before_write(all(count >= before[table] for table, count in count_source_rows(connection).items()), KEPT)


def _refuse(invariant: str) -> NoReturn:
    raise StoreError(
        f"nothing was written, for it would break a rule of the store: {invariant}",
        hint="this is a mistake in memd; please report it with the log around it",
    )
