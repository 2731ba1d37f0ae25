"""One owner: the kernel's lock decides, also after SIGKILL; the text in the file only tells."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from memd.daemon.config.paths import LOCK, owner_of
from memd.daemon.lock import lock_data_dir
from memd.schemas.errors import BusyError, StoreError
from memd.tests.open_files import files_open_below

pytestmark = pytest.mark.anyio

HOLDER = """
import sys, time, anyio
from pathlib import Path
from memd.daemon.lock import lock_data_dir
async def main():
    async with lock_data_dir(Path(sys.argv[1])) as ownership:
        ownership.announce("/nowhere/memd.sock")
        print("owned", flush=True)
        await anyio.sleep(float(sys.argv[2]))
anyio.run(main)
"""


def holder(folder: Path, seconds: float) -> subprocess.Popen[bytes]:
    """Another process that owns the folder for so long, and does so now."""
    process = subprocess.Popen([sys.executable, "-P", "-c", HOLDER, str(folder), str(seconds)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"owned\n"
    return process


async def test_there_is_one_owner(tmp_path: Path) -> None:
    """A second is told who the first is, and may own when it has gone."""
    with holder(tmp_path, 60) as other:
        with pytest.raises(BusyError, match=str(other.pid)):
            async with lock_data_dir(tmp_path):
                pass
        assert owner_of(str(tmp_path / LOCK))["socket"] == "/nowhere/memd.sock"
        other.send_signal(signal.SIGKILL)
        other.wait(10)
        async with lock_data_dir(tmp_path) as mine:
            mine.announce("/somewhere")
            assert owner_of(str(tmp_path / LOCK)) == {"pid": os.getpid(), "socket": "/somewhere"}


async def test_one_may_wait_for_the_other(tmp_path: Path) -> None:
    """As soon as it lets go, within the time."""
    with holder(tmp_path, 0.5):
        with anyio.fail_after(20):
            async with lock_data_dir(tmp_path, wait=15):
                pass


async def test_waiting_can_be_cancelled(tmp_path: Path) -> None:
    """Nothing is held afterwards."""
    async with lock_data_dir(tmp_path):
        files = files_open_below(tmp_path)
        with anyio.move_on_after(0.1) as scope:
            async with lock_data_dir(tmp_path, wait=60):
                pytest.fail("there are two owners")
        assert scope.cancelled_caught
        assert files_open_below(tmp_path) == files


async def test_the_folder_is_private_and_the_file_stays(tmp_path: Path) -> None:
    """0700 and 0600; an owner that has gone leaves the file, with nothing in it."""
    folder = tmp_path / "a" / "b"
    async with lock_data_dir(folder) as ownership:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(ownership.path.stat().st_mode) == 0o600
        ownership.announce("/x")
        assert json.loads(ownership.path.read_bytes())["pid"] == os.getpid()
    assert (folder / LOCK).read_bytes() == b""


async def test_a_shorter_announcement_leaves_nothing_of_the_longer(tmp_path: Path) -> None:
    """What is in the file is always one JSON object."""
    async with lock_data_dir(tmp_path) as ownership:
        ownership.announce("/a/very/long/path/to/a/socket")
        ownership.announce("/b")
        assert owner_of(str(ownership.path))["socket"] == "/b"


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file lies where it should be."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="data directory"):
        async with lock_data_dir(tmp_path / "file" / "data"):
            pass
