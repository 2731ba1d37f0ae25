"""A data directory in which links lie where memd's own files belong, or which is not ours: nothing is read or written there."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from memd.daemon.app import open_app
from memd.daemon.config.paths import JOURNAL, LOCK, STORE, Owner, make_private, read_owner
from memd.daemon.config.settings import Settings
from memd.memory.index.exact_vectors import FILE as CODES
from memd.memory.index.exact_vectors import FRESH
from memd.memory.index.vector_codes import VectorCodes, read_head
from memd.memory.llm.store import FILE, LLMStore
from memd.memory.store.backup import copy_database
from memd.schemas.errors import StoreError
from memd.tests.daemon.house import talk
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("name", [LOCK, JOURNAL, f"{JOURNAL}-wal", f"{STORE}/memory.db", f"{STORE}/memory.db-wal"])
@pytest.mark.parametrize("there", [True, False], ids=["file", "dangling"])
async def test_a_link_in_the_place_of_a_file_is_refused(tmp_path: Path, name: str, there: bool) -> None:
    """What it leads to is neither changed nor made, and the message names the link."""
    settings, target = words_only(tmp_path / "d"), tmp_path / "target"
    (tmp_path / "d" / STORE).mkdir(mode=0o700, parents=True)
    if there:
        target.write_bytes(b"precious")
    (tmp_path / "d" / name).symlink_to(target)
    with pytest.raises(StoreError, match=Path(name).name):
        async with open_app(settings, serve=False):
            pass
    assert target.exists() == there
    assert not there or target.read_bytes() == b"precious"


def test_the_records_of_a_model_are_no_link(tmp_path: Path) -> None:
    """Prompts hold people's words."""
    (tmp_path / FILE).symlink_to(tmp_path / "target")
    with pytest.raises(StoreError, match="symbolic link"):
        LLMStore(tmp_path)
    assert not (tmp_path / "target").exists()


@pytest.mark.slow
async def test_links_in_the_place_of_derived_files_are_replaced(tmp_path: Path) -> None:
    """The codes of the vectors, those of an index on its way, and the record of the word index's checksums."""
    target = tmp_path / "target"
    target.write_bytes(b"precious")
    settings = Settings(data_dir=tmp_path / "d")
    async with open_app(settings, serve=False) as service:
        await ingest(service, talk("a", 3))
    store = tmp_path / "d" / STORE
    for path in (store / CODES, store / FRESH, store / "words" / "memd.json.new"):
        path.unlink(missing_ok=True)
        path.symlink_to(target)
    async with open_app(settings, serve=False) as service:
        await ingest(service, talk("b", 3))
    assert target.read_bytes() == b"precious"
    assert not (store / CODES).is_symlink()
    assert not (store / FRESH).is_symlink()
    assert read_head(store / CODES)


def test_codes_are_written_in_the_place_of_a_link(tmp_path: Path) -> None:
    """Which somebody prepared."""
    target = tmp_path / "target"
    target.write_bytes(b"precious")
    (tmp_path / CODES).symlink_to(target)
    codes = VectorCodes(tmp_path / CODES, "tests", 4, read_only=False)
    codes.open(0)
    codes.save()
    codes.close()
    assert read_head(tmp_path / CODES)
    assert stat.S_IMODE((tmp_path / CODES).lstat().st_mode) == 0o600
    assert target.read_bytes() == b"precious"


def test_a_copy_of_a_database_follows_no_link(tmp_path: Path) -> None:
    """Neither from where it is read, nor to where it is written."""
    with closing(sqlite3.connect(tmp_path / "real.db")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t (a)")
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    (tmp_path / "out").symlink_to(tmp_path / "nowhere")
    for source, target in ((tmp_path / "link.db", tmp_path / "copy"), (tmp_path / "real.db", tmp_path / "out")):
        with pytest.raises(StoreError, match="symbolic link"):
            copy_database(source, target, lambda _, __: None)
    assert not (tmp_path / "nowhere").exists()


def test_an_owner_is_not_read_through_a_link(tmp_path: Path) -> None:
    """A client would go to the socket that a stranger wrote down."""
    (tmp_path / "other").write_text('{"pid": 1, "socket": "/strangers"}')
    (tmp_path / LOCK).symlink_to(tmp_path / "other")
    assert read_owner(str(tmp_path / LOCK)) == Owner()


async def test_the_data_directory_itself_may_be_a_link(tmp_path: Path) -> None:
    """To another disk, for instance."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "d").symlink_to(tmp_path / "disk")
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        assert (await ingest(service, talk("a", 2))).added == 2
    assert stat.S_IMODE((tmp_path / "disk").stat().st_mode) == 0o700


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_folders_above_the_data_directory_are_private(tmp_path: Path, mask: int) -> None:
    """Those that memd made, whatever the umask."""
    before = os.umask(mask)
    try:
        make_private(str(tmp_path / "a" / "b"))
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / each).stat().st_mode) for each in ("a", "a/b")] == [0o700, 0o700]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("mode", [0o700, 0o777])
async def test_root_does_not_use_the_directory_of_another_user(tmp_path: Path, mode: int) -> None:
    """That user could put links and files of theirs into it; the hint says what to do, and nothing was made."""
    folder = tmp_path / "d"
    folder.mkdir()
    folder.chmod(mode)
    os.chown(folder, 40_000, 40_000)
    with pytest.raises(StoreError, match="another user") as raised:
        async with open_app(words_only(folder), serve=False):
            pass
    assert "--data-dir" in raised.value.hint
    assert list(folder.iterdir()) == []
