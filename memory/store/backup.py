"""Copies of a SQLite file that is in use: one consistent state of it, while others go on writing."""

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
"""Pages of a step: about 4 MiB, some ten milliseconds between two looks at whether somebody still wants the copy."""


def copy_database(source: Path, target: Path, step: Callable[[int, int], None]) -> int:
    """Write the state of ``source`` as it is now into ``target``, a new private file; returns its format.

    Writers go on: their changes are not in the copy. For a worker's thread.

    Args:
        source: a database in WAL mode, in use or not.
        target: where nothing is yet.
        step: told the pages copied and those in all; what it raises ends the copying.

    Raises:
        StoreError: the one cannot be read, or the other not be written.
    """
    with database_errors():
        os.close(open_private(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        require_regular_database(source)
        with closing(_connect(source, "ro")) as reader, closing(_connect(target, "rw")) as writer:
            # A transaction of our own over all steps: without it every foreign commit would start the copy anew.
            reader.execute("BEGIN")
            (version,) = reader.execute("PRAGMA user_version").fetchone()
            reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
            writer.execute("PRAGMA synchronous = OFF")  # it lives for minutes: a power cut ends the copy as well
            reader.backup(writer, pages=_PAGES, progress=lambda _, left, pages: step(pages - left, pages))
            # As the source is, or else the restored one would let readers and the writer wait for one another. Its log
            # is gone with the last connection.
            writer.execute("PRAGMA journal_mode = WAL")
    return int(version)


def check_database(path: Path) -> None:
    """Let SQLite look through a whole file that nobody uses.

    Raises:
        StoreError: something in it is wrong.
    """
    with database_errors(), closing(_connect(path, "ro&immutable=1")) as connection:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise StoreError(f"{path.name} is damaged", hint="take another snapshot")


def count_in(path: Path) -> dict[str, int]:
    """Documents and messages of a copy of memory.db."""
    with database_errors(), closing(_connect(path, "ro&immutable=1")) as connection:
        return {
            table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - our own names
            for table in ("documents", "messages")
        }


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=5.0)
