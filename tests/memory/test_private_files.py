"""Files and folders for private data: modes under any umask, no link followed, nothing but regular files, whose folder it is."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memd.memory.private_files import (
    ForeignFolderError,
    NotRegularError,
    create_anew,
    make_folders,
    open_private,
    require_regular_database,
    restrict_to_owner,
)

UMASKS = pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])


@contextmanager
def umask(mask: int) -> Generator[None]:
    """The process's umask in this block."""
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode_of(path: Path) -> int:
    """Its rights."""
    return stat.S_IMODE(path.stat().st_mode)


@UMASKS
def test_what_is_made_is_private_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    """A file 0600, every missing folder above it 0700; a folder that was there stays as it was."""
    there = tmp_path / "there"
    there.mkdir()
    there.chmod(0o755)
    with umask(mask):
        make_folders(there / "a" / "b")
        os.close(open_private(there / "a" / "b" / "file"))
        os.close(create_anew(there / "a" / "b" / "other"))
    assert [mode_of(there / each) for each in ("a", "a/b", "a/b/file", "a/b/other")] == [0o700, 0o700, 0o600, 0o600]
    assert mode_of(there) == 0o755


def test_a_link_to_a_file_is_not_followed(tmp_path: Path) -> None:
    """Neither to one that is there, which stays as it was, nor to one that would be made."""
    target, link, dangling = tmp_path / "target", tmp_path / "link", tmp_path / "dangling"
    target.write_text("precious")
    link.symlink_to(target)
    dangling.symlink_to(tmp_path / "nowhere")
    for path in (link, dangling):
        with pytest.raises(NotRegularError, match="symbolic link"):
            open_private(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        with pytest.raises(NotRegularError, match="symbolic link"):
            require_regular_database(path)
    os.close(create_anew(link))
    assert not link.is_symlink()
    assert target.read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
def test_no_file_beside_a_database_is_a_link(tmp_path: Path, suffix: str) -> None:
    """SQLite would write into what it leads to."""
    (tmp_path / f"x.db{suffix}").symlink_to(tmp_path / "target")
    with pytest.raises(NotRegularError):
        require_regular_database(tmp_path / "x.db")


def test_only_a_regular_file_is_opened(tmp_path: Path) -> None:
    """A pipe that nobody writes into is not waited for."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        for name in ("pipe", "folder", "socket"):
            with pytest.raises(NotRegularError, match="no regular file"):
                open_private(tmp_path / name)
    with pytest.raises(NotRegularError, match="no regular file"):
        open_private(tmp_path / "pipe", os.O_RDONLY)


def test_nothing_that_is_opened_is_inherited(tmp_path: Path) -> None:
    """A child process has no descriptor of it."""
    descriptor = open_private(tmp_path / "file")
    try:
        assert not os.get_inheritable(descriptor)
    finally:
        os.close(descriptor)


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path: Path) -> None:
    """And a link to a folder is a folder."""
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError, match="file"):
            make_folders(path)
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    make_folders(tmp_path / "link" / "a")
    assert (tmp_path / "real" / "a").is_dir()


def test_a_folder_of_ours_is_closed_over_a_link_too(tmp_path: Path) -> None:
    """A data directory may be a link to another disk."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    restrict_to_owner(tmp_path / "link")
    assert mode_of(tmp_path / "real") == 0o700


@pytest.mark.parametrize(
    ("user", "mode", "refused"),
    [(0, 0o700, True), (0, 0o777, True), (1, 0o777, True), (1, 0o770, False), (1, 0o755, False)],
    ids=["root, private", "root, open", "user, open", "user, of a group", "user, readable"],
)
def test_a_folder_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, mode: int, refused: bool
) -> None:
    """Root never takes one; another user takes what not everybody may write into. Its mode stays as it was."""
    tmp_path.chmod(mode)
    if user == 0 and os.geteuid() == 0:
        os.chown(tmp_path, 40_000, -1)
    # Else nobody can become another user, but the folder's owner can become another one's.
    monkeypatch.setattr("os.geteuid", lambda: 0 if user == 0 else os.getuid() + 40_001)
    try:
        if refused:
            with pytest.raises(ForeignFolderError, match="another user"):
                restrict_to_owner(tmp_path)
        else:
            restrict_to_owner(tmp_path)
        assert mode_of(tmp_path) == mode
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("place", ["/proc/memd", "/proc/memd/below", "{file}/below"])
def test_a_folder_that_can_never_be_made_is_an_error(tmp_path: Path, place: str) -> None:
    """A file system that takes no folders, and a file in the way, end with what the system says."""
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"memd|file"):
        make_folders(place.format(file=tmp_path / "file"))
