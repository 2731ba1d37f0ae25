"""One owner: the kernel's lock decides, also after SIGKILL; the text in the file only tells."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from memd.daemon.config.paths import LOCK, Owner, OwnerKind, owner_to_wait_for, read_owner
from memd.daemon.lock import lock_data_dir
from memd.schemas.errors import BusyError, StoreError
from memd.tests import processes
from memd.tests.open_files import files_open_below

pytestmark = pytest.mark.anyio

HOLDER = """
import sys, time, anyio
from pathlib import Path
from memd.daemon.lock import lock_data_dir
async def main():
    async with lock_data_dir(Path(sys.argv[1]), kind=sys.argv[3]) as ownership:
        ownership.announce("/nowhere/memd.sock")
        if sys.argv[4] != "serving":
            ownership.set_state(sys.argv[4])
        print("owned", flush=True)
        await anyio.sleep(float(sys.argv[2]))
anyio.run(main)
"""


def holder(
    folder: Path, seconds: float, kind: OwnerKind = "command", state: str = "serving"
) -> subprocess.Popen[bytes]:
    """Another process that owns the folder for so long, and does so now."""
    words = [sys.executable, "-P", "-c", HOLDER, str(folder), str(seconds), kind, state]
    process = processes.Popen(words, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"owned\n"
    return process


@pytest.mark.slow
async def test_there_is_one_owner(tmp_path: Path) -> None:
    """A second is told who the first is, and may own when it has gone."""
    with holder(tmp_path, 60) as other:
        with pytest.raises(BusyError, match=str(other.pid)):
            async with lock_data_dir(tmp_path):
                pass
        assert read_owner(str(tmp_path / LOCK)).socket == "/nowhere/memd.sock"
        other.send_signal(signal.SIGKILL)
        other.wait(10)
        async with lock_data_dir(tmp_path) as mine:
            mine.announce("/somewhere")
            assert read_owner(str(tmp_path / LOCK)) == Owner(os.getpid(), "command", "serving", "/somewhere")


@pytest.mark.slow
async def test_one_may_wait_for_the_other(tmp_path: Path) -> None:
    """As soon as it lets go, within the time."""
    with holder(tmp_path, 0.5):
        with anyio.fail_after(20):
            async with lock_data_dir(tmp_path, wait=15):
                pass


@pytest.mark.slow
async def test_a_daemon_waits_for_what_ends(tmp_path: Path) -> None:
    """For a command, and for a daemon that is stopping; whom it waits for is told."""
    cases: list[tuple[OwnerKind, str]] = [("command", "serving"), ("daemon", "stopping")]
    for kind, state in cases:
        told: set[Owner] = set()
        with holder(tmp_path, 0.5, kind, state) as other, anyio.fail_after(120):
            async with lock_data_dir(
                tmp_path, wait=90, kind="daemon", on_wait=lambda owner, _, told=told: told.add(owner)
            ):
                pass
        assert Owner(other.pid, kind, state, "/nowhere/memd.sock") in told


@pytest.mark.slow
async def test_a_daemon_does_not_wait_for_another(tmp_path: Path) -> None:
    """One that serves, or is about to, ends when somebody stops it; a command waits as long as it was told to."""
    states = ("serving", "starting")
    for state in states:
        with holder(tmp_path, 300, "daemon", state) as other:
            with pytest.raises(BusyError, match=str(other.pid)), anyio.fail_after(120):
                async with lock_data_dir(tmp_path, wait=86_400, kind="daemon"):
                    pytest.fail("there are two owners")
            with anyio.move_on_after(0.3) as scope:
                async with lock_data_dir(tmp_path, wait=86_400):
                    pytest.fail("there are two owners")
            assert scope.cancelled_caught
            other.kill()


@pytest.mark.slow
async def test_what_a_killed_daemon_wrote_keeps_nobody_out(tmp_path: Path) -> None:
    """Its text stays in the file, though another process holds the lock: only a living daemon is believed."""
    with holder(tmp_path, 300, "daemon") as other:
        other.kill()
        other.wait(60)
    path = tmp_path / LOCK
    waited: list[float] = []
    assert read_owner(str(path)).kind == "daemon"
    assert owner_to_wait_for(str(path)) is None
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(BusyError):
            async with lock_data_dir(tmp_path, wait=0.3, kind="daemon", on_wait=lambda _, left: waited.append(left)):
                pytest.fail("there are two owners")
    assert len(waited) > 1


async def test_clients_wait_for_an_owner_that_starts_or_stops(tmp_path: Path) -> None:
    """As long as it holds the lock and says so; not for one that serves, nor for one that serves nothing."""
    path = str(tmp_path / LOCK)
    assert owner_to_wait_for(path) is None
    async with lock_data_dir(tmp_path) as mine:
        assert owner_to_wait_for(path) is None
        mine.set_state("starting")
        assert owner_to_wait_for(path) == Owner(os.getpid(), "command", "starting")
        mine.announce("/s")
        assert owner_to_wait_for(path) is None
        mine.set_state("stopping")
        assert owner_to_wait_for(path) == Owner(os.getpid(), "command", "stopping", "/s")
    (tmp_path / LOCK).write_text('{"pid": 1, "kind": "daemon", "state": "starting"}')
    assert owner_to_wait_for(path) is None


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


async def test_what_libraries_make_is_private_while_the_lock_is_held(tmp_path: Path) -> None:
    """They make files and folders by the mask alone, which is what it was before when the lock is released."""
    before = os.umask(0o022)
    try:
        async with lock_data_dir(tmp_path / "data"):
            (tmp_path / "file").touch()
            (tmp_path / "folder").mkdir()
        (tmp_path / "afterwards").touch()
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("file", "folder", "afterwards")]
    assert modes == [0o600, 0o700, 0o644]


async def test_a_shorter_announcement_leaves_nothing_of_the_longer(tmp_path: Path) -> None:
    """What is in the file is always one JSON object."""
    async with lock_data_dir(tmp_path) as ownership:
        ownership.announce("/a/very/long/path/to/a/socket")
        ownership.announce("/b")
        assert read_owner(str(ownership.path)).socket == "/b"


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file lies where it should be."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="data directory"):
        async with lock_data_dir(tmp_path / "file" / "data"):
            pass
