"""Detects a data directory whose memory is empty, as a query in a fresh home leaves it, and replaces it with another."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import mkdtemp

from ..config.paths import JOURNAL, LOCK, STORE
from ..lock import locked_now

_DATABASE = "memory.db"
_NOTHING = {
    JOURNAL: ("entries", "sources"),
    f"{STORE}/{_DATABASE}": ("documents", "tombstones", "excluded"),
}
"""The tables, by database, that are empty if nothing was stored, forgotten or set up."""
_KNOWN = {LOCK, STORE, *(f"{JOURNAL}{ending}" for ending in ("", "-wal", "-shm"))}


def is_empty_memory(data_dir: Path) -> bool:
    """Return whether a data directory contains only databases of memd, none of which has a row.

    False if it contains a file that memd did not make, or a database cannot be read.

    Raises:
        OSError: the directory cannot be read.
    """
    if not {path.name for path in data_dir.iterdir()} <= _KNOWN:
        return False
    return all(_has_no_rows(data_dir / name, tables) for name, tables in _NOTHING.items())


def _has_no_rows(path: Path, tables: tuple[str, ...]) -> bool:
    if not path.exists():
        return True
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return all(
                connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is None  # noqa: S608 - names of ours
                for table in tables
            )
    except sqlite3.Error:
        return False


def replace_empty_memory(data_dir: Path, by: Path) -> None:
    """Replace an empty data directory with another folder; the empty one is removed.

    Raises:
        BusyError: a process owns the data directory.
        FileExistsError: something was stored meanwhile.
        OSError: the folders cannot be moved; the data directory is what it was.
    """
    with locked_now(data_dir):
        if not is_empty_memory(data_dir):
            raise FileExistsError(None, "something was stored meanwhile")
        aside = Path(mkdtemp(prefix=f".{data_dir.name}.", suffix=".empty", dir=data_dir.parent))
        data_dir.rename(aside)  # onto the folder just made
        try:
            by.rename(data_dir)
        except OSError:
            aside.rename(data_dir)
            raise
        shutil.rmtree(aside)
