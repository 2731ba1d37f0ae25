"""Folders that hold what is no file, and archives made to do harm: told, never followed, never waited for."""

from __future__ import annotations

import io
import json
import os
import socket
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from memd.connectors.opening.limits import DEFAULT_LIMITS
from memd.tests.cases import check_all
from memd.tests.e2e.conftest import Memd, write_chat
from memd.tests.hostile.commands import Ended, run_each
from memd.tests.hostile.measuring import MIB, measured

CHAT = b"15/01/2024, 12:00 - Bob: I live in Lisbon\n15/01/2024, 12:01 - Ann: nice\n"
NAME = "WhatsApp Chat with Bob.txt"


def test_nothing_in_a_folder_is_followed_or_waited_for(without_vectors: Memd, tmp_path: Path) -> None:
    """Pipes, sockets, devices, links to them, links out, links in circles, a folder that may not be read."""
    memd = without_vectors
    secret = tmp_path / "secret"
    secret.mkdir()
    write_chat(secret / NAME, [("Eve", "nobody may see this")])
    folder = tmp_path / "exports"
    (folder / "deep" / "deeper").mkdir(parents=True)
    write_chat(folder / NAME, [("Bob", "I live in Lisbon")])
    os.mkfifo(folder / "pipe.txt")
    os.mkfifo(folder / "deep" / "pipe.json")
    (folder / "to-pipe.txt").symlink_to(folder / "pipe.txt")
    (folder / "zero.txt").symlink_to("/dev/zero")
    (folder / "tty.txt").symlink_to("/dev/tty")
    (folder / "out").symlink_to(secret)
    (folder / "out.txt").symlink_to(secret / NAME)
    (folder / "circle").symlink_to(folder)
    (folder / "deep" / "circle.txt").symlink_to(folder / "deep" / "circle.txt")
    (folder / "nowhere.txt").symlink_to(tmp_path / "missing")
    with ExitStack() as stack:
        server = stack.enter_context(socket.socket(socket.AF_UNIX))
        server.bind(str(folder / "s.txt"))
        if os.getuid() == 0:
            os.mknod(folder / "device.txt", 0o600 | stat.S_IFCHR, os.makedev(1, 5))  # endless zeros
        done = memd("parse", str(folder), seconds=30)
        kept = memd("ingest", str(folder), "--json", "--no-wait", seconds=30)
    for out in (done.stdout, kept.stdout, done.stderr):
        assert b"nobody may see" not in out
    assert done.returncode == kept.returncode == 4
    assert done.stdout.count(b"\n") == 1
    told = [json.loads(line) for line in done.stderr.splitlines()]
    refused = " ".join(line["locator"] for line in told if line["type"] == "rejected")
    for name in ("pipe.txt", "pipe.json", "zero.txt", "out", "s.txt"):
        assert name in refused


def test_a_path_that_is_no_file_is_an_error_at_once(without_vectors: Memd, tmp_path: Path) -> None:
    """Also when it is named on the command line, and through the data directory, the socket and the configuration."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "folder-circle").symlink_to(tmp_path / "folder-circle")
    paths = [*(str(tmp_path / name) for name in ("pipe", "zero", "socket", "folder-circle", "missing")), ""]
    commands = [["parse", path] for path in paths]
    commands += [[flag, path, "stats"] for path in paths for flag in ("--config", "--data-dir", "--socket")]

    def check(done: Ended) -> None:
        assert b"Traceback" not in done.err
        if done.words[0] == "parse":
            assert done.code in (2, 3)
            assert done.err.strip()
        assert done.code != 1

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        check_all(run_each(without_vectors, commands), check)


def packed(write: Callable[[zipfile.ZipFile], None], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The bytes of an archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        write(archive)
    return buffer.getvalue()


def ratio_bomb() -> bytes:
    """More of one letter than may unpack at any ratio, beside a chat."""

    def write(archive: zipfile.ZipFile) -> None:
        archive.writestr(NAME, CHAT)
        with archive.open("_chat.txt", "w") as member:
            member.write(CHAT)
            for _ in range(DEFAULT_LIMITS.ratio_free_bytes // MIB + 32):
                member.write(b"a" * MIB)

    return packed(write)


def many_bombs() -> bytes:
    """Many members that are each below every cap of their own."""

    def write(archive: zipfile.ZipFile) -> None:
        for number in range(DEFAULT_LIMITS.ratio_free_bytes // MIB + 32):
            archive.writestr(f"{number}.txt", CHAT + b"a" * MIB)

    return packed(write)


def nested_bombs() -> bytes:
    """Archives in archives in archives, sixteen deep, and sixteen wide at the top."""
    inner = packed(lambda archive: archive.writestr("_chat.txt", CHAT + b"a" * (24 * MIB)))
    for depth in range(16):
        held = inner
        inner = packed(lambda archive, held=held, depth=depth: archive.writestr(f"{depth}.zip", held))
    outer = inner

    def write(archive: zipfile.ZipFile) -> None:
        for number in range(16):
            archive.writestr(f"{number}.zip", outer)

    return packed(write)


def overlapping_bomb() -> bytes:
    """Many directory entries over the same compressed bytes."""
    data = zlib.compress(CHAT + b"a" * (8 * MIB), 9)[2:-4]
    crc, size = zlib.crc32(CHAT + b"a" * (8 * MIB)), len(CHAT) + 8 * MIB
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 33, crc, len(data), size, 5, 0) + b"a.txt" + data
    entries = b""
    for number in range(2000):
        name = f"{number:05}.txt".encode()
        entries += struct.pack(
            "<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 8, 0, 33, crc, len(data), size, len(name), 0, 0, 0, 0, 0, 0
        )
        entries += name
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 2000, 2000, len(entries), len(local), 0)
    return local + entries + end


def names_out() -> bytes:
    """Members that would land elsewhere, if anything were ever unpacked."""

    def write(archive: zipfile.ZipFile) -> None:
        for name in ("../../evil.txt", "/etc/evil.txt", "C:\\evil.txt", "..\\evil.txt", "a/../../evil.txt", "a\x00b"):
            archive.writestr(zipfile.ZipInfo(name), CHAT)
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr(NAME, CHAT)

    return packed(write)


def with_members(name: str) -> bytes:
    """An archive with more members than are read, numbered in their names."""

    def write(archive: zipfile.ZipFile) -> None:
        archive.writestr(NAME, CHAT)
        for number in range(DEFAULT_LIMITS.members + 500):
            archive.writestr(f"{name}{number}", b"")

    return packed(write, zipfile.ZIP_STORED)


def many_members() -> bytes:
    """More files than may be in an archive, each of which is looked at."""
    return with_members("")


def many_skipped_members() -> bytes:
    """More files than may be in an archive, none of which is looked at."""
    return with_members("__MACOSX/")


def many_names_of_one() -> bytes:
    """The same name a thousand times, and names that differ in case and form only."""

    def write(archive: zipfile.ZipFile) -> None:
        archive.writestr(NAME, CHAT)
        for number in range(4_000):
            archive.writestr(["a.txt", "A.TXT", "a\u0301.txt", "\u00e1.txt"][number % 4], CHAT)

    with pytest.warns(UserWarning, match="Duplicate name"):
        return packed(write)


MADE = [
    ratio_bomb,
    many_bombs,
    nested_bombs,
    overlapping_bomb,
    names_out,
    pytest.param(many_members, marks=[pytest.mark.long, pytest.mark.timeout(300)]),
    many_skipped_members,
    many_names_of_one,
]


@pytest.mark.parametrize("make", MADE)
def test_archives_made_to_do_harm(memd: Memd, tmp_path: Path, make: Callable[[], bytes]) -> None:
    """Each is read as far as is safe, says what was not, takes bounded memory and disk, and leaves nothing behind."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "export.zip").write_bytes(make())
    done = measured(["parse", str(folder / "export.zip")], memd.environment, 250)
    assert done.code in (3, 4), done
    assert done.reasons()
    assert done.peak < 400 * MIB
    assert len(done.told) < 60_000  # a line for each member that may be in an archive
    assert [path.name for path in folder.iterdir()] == ["export.zip"]
    assert not list(tmp_path.rglob("evil*"))
