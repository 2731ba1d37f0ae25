"""A page that the disk does not give at the moment is no damage of the file."""

from __future__ import annotations

import errno
import resource
import sqlite3
from pathlib import Path
from typing import cast

import pytest

from memd.daemon.app import open_app
from memd.daemon.config.paths import JOURNAL, STORE
from memd.daemon.diagnostics import offline
from memd.daemon.journal.database import DiskError, damage_in, unusable
from memd.memory.sqlite_wal import disk_failure
from memd.memory.store.integrity import check_database
from memd.memory.store.schema import DATABASE, connect, create_or_check
from memd.schemas.errors import StoreError
from memd.tests.daemon.test_service import words_only

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


def test_a_file_that_the_disk_does_not_give_is_told_from_a_damaged_one(tmp_path: Path) -> None:
    """By reading it: SQLite says that both are malformed."""
    damaged = tmp_path / "memory.db"
    damaged.write_bytes(b"no database")
    assert disk_failure(damaged) is None
    failure = disk_failure(Path("/proc/self/mem"))  # whose first page nobody can read
    assert failure is not None
    assert failure.errno == errno.EIO


def test_a_store_that_no_descriptor_is_left_for_is_not_missing(tmp_path: Path) -> None:
    """SQLite says of both that the file cannot be opened."""
    path = tmp_path / "memory.db"
    create_or_check(path, read_only=False)
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, usual[1]))
    try:
        with pytest.raises(StoreError) as refused:
            connect(path, read_only=True)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)
    assert refused.value.message == "too many files are open"
    with pytest.raises(StoreError, match="cannot be opened"):
        connect(tmp_path / "missing" / "memory.db", read_only=True)


@pytest.mark.anyio
@pytest.mark.parametrize("fails", [False, True])
async def test_doctor_puts_nothing_aside_that_the_disk_does_not_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, fails: bool
) -> None:
    """Neither is a backup advised nor a journal salvaged, for nothing says that they are damaged."""
    settings = words_only(tmp_path / "d")
    async with open_app(settings, serve=False):
        pass
    for path in (tmp_path / "d" / JOURNAL, tmp_path / "d" / STORE / DATABASE):
        with path.open("r+b") as file:  # SQLite calls a page malformed that it was not given
            file.seek(4096)
            file.write(b"\0" * (path.stat().st_size - 4096))
    if fails:
        monkeypatch.setattr(offline, "disk_failure", _failing)
    found = await offline.check_offline(settings, repair=True)
    told = {each["check"]: each for each in found["findings"]}
    assert (found["repaired"] == []) is fails
    assert (told["journal"]["detail"].startswith("the disk does not give")) is fails
    assert (told["database"]["detail"].startswith("the disk does not give")) is fails
    assert ("backup" in told["database"]["hint"]) is not fails


def _failing(_: Path) -> OSError:
    return OSError(errno.EIO, "Input/output error")
