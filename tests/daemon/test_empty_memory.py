"""A memory of nothing gives way to another; one that holds anything, or that somebody owns, does not."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from memd.daemon.backup.empty_memory import is_empty_memory, replace_empty_memory
from memd.daemon.config.paths import JOURNAL, LOCK, STORE, Owner
from memd.daemon.lock import lock_data_dir, locked_now
from memd.schemas.errors import BusyError

TABLES = {JOURNAL: ("entries", "sources"), f"{STORE}/memory.db": ("documents", "tombstones", "excluded")}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The databases that a question leaves in a fresh data directory, as far as they are looked at."""
    folder = tmp_path / "data"
    (folder / STORE).mkdir(parents=True)
    (folder / LOCK).touch()
    for name, tables in TABLES.items():
        with closing(sqlite3.connect(folder / name)) as connection:
            for table in tables:
                connection.execute(f"CREATE TABLE {table} (x)")
    return folder


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """What is to take its place."""
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "mark").touch()
    return folder


def test_rows_and_strange_files_are_something(home: Path) -> None:
    """Nothing is: databases without rows, and none at all."""
    assert is_empty_memory(home)
    for name, tables in TABLES.items():
        for table in tables:
            with closing(sqlite3.connect(home / name)) as connection:
                connection.execute(f"INSERT INTO {table} VALUES (1)")
                connection.commit()
                assert not is_empty_memory(home), table
                connection.execute(f"DELETE FROM {table}")
                connection.commit()
    (home / "notes.txt").touch()
    assert not is_empty_memory(home)
    (home / "notes.txt").unlink()
    (home / JOURNAL).write_bytes(b"no database")
    assert not is_empty_memory(home)
    (home / JOURNAL).unlink()
    assert is_empty_memory(home)


def test_it_is_replaced_as_a_whole(home: Path, other: Path) -> None:
    """Nothing of it stays, and nothing beside it."""
    replace_empty_memory(home, other)
    assert [path.name for path in home.iterdir()] == ["mark"]
    assert [path.name for path in home.parent.iterdir()] == ["data"]


def test_what_somebody_owns_stays(home: Path, other: Path) -> None:
    """A daemon of an empty memory is about to fill it."""
    with locked_now(home), pytest.raises(BusyError):
        replace_empty_memory(home, other)
    assert is_empty_memory(home)
    assert other.exists()


@pytest.mark.anyio
async def test_who_waits_for_the_old_one_gets_the_new_one(home: Path, other: Path) -> None:
    """The lock of a directory that was replaced meanwhile is nobody's: both would think that they own the new one."""
    (other / LOCK).touch()
    waiting = anyio.Event()

    def tell(_owner: Owner, _left: float) -> None:
        waiting.set()

    async def wait() -> None:
        async with lock_data_dir(home, wait=30, on_wait=tell):
            with pytest.raises(BusyError), locked_now(home):
                pass

    async with anyio.create_task_group() as tasks:
        with locked_now(home):
            tasks.start_soon(wait)
            await waiting.wait()
            home.rename(home.with_name("aside"))
            other.rename(home)
