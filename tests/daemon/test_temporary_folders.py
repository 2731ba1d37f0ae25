"""Private temporary folders: nobody else enters them, and those of killed processes are swept while others' stay."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memd.daemon.app import open_app
from memd.daemon.temporary_folders import private_folder, remove_stale_folders
from memd.tests.daemon.test_service import words_only
from memd.tests.open_files import files_open_below

KILLED = """
import sys, os, signal
from pathlib import Path
from memd.daemon.temporary_folders import private_folder
with private_folder(Path(sys.argv[1]), sys.argv[2]) as folder:
    (folder / "store").mkdir()
    (folder / "store" / "memory.db").write_bytes(b"the wobblegate")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(target: Path, purpose: str) -> None:
    """A process that is killed while it uses a folder."""
    done = subprocess.run([sys.executable, "-P", "-c", KILLED, str(target), purpose], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def test_a_folder_is_private_and_goes_with_its_block(tmp_path: Path) -> None:
    """Whatever the umask; also when the block fails, and not when it was renamed."""
    before = os.umask(0)
    try:
        with private_folder(tmp_path / "d", "testing") as folder:
            assert (folder.parent, stat.S_IMODE(folder.stat().st_mode)) == (tmp_path, 0o700)
            (folder / "file").write_text("x")
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(ValueError, match="no"), private_folder(tmp_path / "d", "testing"):
            raise ValueError("no")
        assert list(tmp_path.iterdir()) == []
        with private_folder(tmp_path / "d", "testing") as folder:
            folder.rename(tmp_path / "d")
        assert list(tmp_path.iterdir()) == [tmp_path / "d"]
    finally:
        os.umask(before)


def test_a_folder_that_cannot_be_locked_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an open descriptor nor the folder."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks here")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(OSError, match="no locks"), private_folder(tmp_path / "d", "testing"):
        pass
    assert not files_open_below(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    """Folders in use, of another purpose or target, files, links and folders that others may enter stay."""
    target = tmp_path / "d"
    killed(target, "testing")
    kept = [tmp_path / name for name in (".d.other-abcdefgh", ".e.testing-abcdefgh", ".d.testing-short", ".d-abcdefgh")]
    for folder in kept:
        folder.mkdir(mode=0o700)
    opened = tmp_path / ".d.testing-abcdefgh"
    opened.mkdir()
    opened.chmod(0o755)
    link = tmp_path / ".d.testing-ijklmnop"
    link.symlink_to(kept[0])
    file = tmp_path / ".d.testing-qrstuvwx"
    file.write_text("x")
    with private_folder(target, "testing") as used:
        assert remove_stale_folders(target, "testing") == 1
        assert remove_stale_folders(target, "testing") == 0
        assert set(tmp_path.iterdir()) == {*kept, opened, link, file, used}
    assert remove_stale_folders(tmp_path / "nowhere" / "d", "testing") == 0


@pytest.mark.anyio
async def test_the_next_start_sweeps_what_a_killed_restore_left(tmp_path: Path) -> None:
    """A whole memory stood there, unencrypted."""
    killed(tmp_path / "d", "restoring")
    assert len(list(tmp_path.iterdir())) == 1
    async with open_app(words_only(tmp_path / "d"), serve=False):
        assert list(tmp_path.iterdir()) == [tmp_path / "d"]
