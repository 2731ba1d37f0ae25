"""A page that the disk does not give at the moment is no damage of the file."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import cast

import pytest

from memd.daemon.journal.database import DiskError, damage_in, unusable
from memd.memory.store.integrity import check_database
from memd.schemas.errors import StoreError

TOLD = "Tree 5 page 12: unable to get the page. error code={}"


class Told:
    """A connection whose check of the pages says something."""

    def __init__(self, code: int) -> None:
        self._told = TOLD.format(code)

    def execute(self, statement: str) -> list[tuple[str]] | Told:
        """The rows of the check."""
        return self if "(1)" in statement else [(self._told,)]

    def fetchone(self) -> tuple[str]:
        """The first one."""
        return (self._told,)


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR, sqlite3.SQLITE_IOERR_READ])
def test_a_page_that_could_not_be_read_is_told_as_an_error_of_the_disk(code: int) -> None:
    """Nobody is told to restore a backup, and no journal is put aside for it."""
    connection = cast("sqlite3.Connection", Told(code))
    with pytest.raises(StoreError, match="the disk does not answer"):
        check_database(connection, Path("memory.db"))
    with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
        damage_in(connection)
    assert isinstance(unusable(sqlite3.OperationalError("disk I/O error")), DiskError)


def test_a_damaged_page_is_damage() -> None:
    """As before."""
    connection = cast("sqlite3.Connection", Told(sqlite3.SQLITE_CORRUPT))
    assert "unable to get the page" in check_database(connection, Path("memory.db"))[0].detail
    assert "unable to get the page" in damage_in(connection)
