"""Consistent copies of a SQLite database that may be in use: writers continue while the copy is made."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ...schemas.errors import StoreError
from ..private_files import open_private, require_regular_database
from .errors import database_errors
from .schema import FORMAT_VERSION

STORE_FORMAT = FORMAT_VERSION
"""The newest format of memory.db that this memd reads."""
_PAGES = 1024
"""Pages copied in one step: about 4 MiB, some ten milliseconds between two checks for cancellation."""


def copy_database(source: Path, target: Path, step: Callable[[int, int], None]) -> int:
    """Write a snapshot of `source` into `target`, a new private file, and return the format version of the database.

    Changes that are written meanwhile are not in the copy. Blocks; call it in a worker thread.

    Args:
        source: a database in WAL mode, in use or not.
        target: a path that does not exist yet.
        step: called after each step with the number of pages copied and of all pages; an exception from it ends the
            copy.

    Raises:
        StoreError: the source cannot be read, or the target cannot be written.
    """
    with database_errors():
        os.close(open_private(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        require_regular_database(source)
        with closing(_connect(source, "ro")) as reader, closing(_connect(target, "rw")) as writer:
            # One transaction around all steps: without it every commit of another connection would restart the copy.
            reader.execute("BEGIN")
            (version,) = reader.execute("PRAGMA user_version").fetchone()
            reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
            writer.execute(
                "PRAGMA synchronous = OFF"
            )  # the file lives for minutes, and a power cut ends the copy as well
            reader.backup(writer, pages=_PAGES, progress=lambda _, left, pages: step(pages - left, pages))
            # The copy gets the journal mode of the source; otherwise readers of the restored database would block its
            # writer. The log file is removed when the last connection closes.
            writer.execute("PRAGMA journal_mode = WAL")
    return int(version)


def check_database(path: Path) -> None:
    """Let SQLite verify a whole file that no process uses.

    Raises:
        StoreError: the file is damaged.
    """
    with database_errors(), closing(_connect(path, "ro&immutable=1")) as connection:
        (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(f"{path.name} is damaged", hint="take another snapshot")


def count_in(path: Path) -> dict[str, int]:
    """Return the number of documents and of messages in a copy of memory.db."""
    with database_errors(), closing(_connect(path, "ro&immutable=1")) as connection:
        return {
            table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - our own names
            for table in ("documents", "messages")
        }


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=5.0)
