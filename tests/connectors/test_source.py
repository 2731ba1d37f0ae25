"""What a user points at: files, folders, compressed files and standard input."""

from __future__ import annotations

import gzip
import io
import os
import socket
import zipfile
from contextlib import suppress
from datetime import UTC
from pathlib import Path

import pytest

from memd.connectors.connector import Member, ReadOptions, Source
from memd.connectors.opening.limits import Budget, Limits
from memd.connectors.opening.open_source import LINK, open_inside, open_source
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.schemas import Notice, Rejected
from memd.schemas.errors import SourceError
from memd.tests.open_files import files_open_below


def content(member: Member) -> bytes:
    """All bytes of a member."""
    with member.open() as stream:
        return stream.read()


def refused(source: Source) -> list[str]:
    """The last part of the place of each refused thing."""
    return [n.locator.rpartition("/")[2] for n in source.notices() if isinstance(n, Rejected)]


def test_a_file_is_one_member(tmp_path: Path) -> None:
    """Its name is its own, its locator the path as it was given."""
    path = tmp_path / "chat.txt"
    path.write_bytes(b"hello")
    source = open_source(path)
    (member,) = source.members()
    assert (source.name, source.locator) == ("chat.txt", str(path))
    assert (member.name, member.locator, member.size) == ("chat.txt", str(path), 5)
    assert content(member) == content(member) == b"hello"


def test_a_folder_is_listed_deep_and_in_order(tmp_path: Path) -> None:
    """By name, without what file managers leave."""
    for name in ("b/z.txt", "b/a/deep.txt", "a.txt", "c.txt", ".DS_Store", "b/._z.txt", "__MACOSX/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    source = open_source(tmp_path)
    names = [m.name for m in source.members()]
    assert names == ["a.txt", "b/a/deep.txt", "b/z.txt", "c.txt"]
    assert [content(m).decode() for m in source.members()] == names
    assert source.members()[1].locator == f"{tmp_path}/b/a/deep.txt"


def test_links_out_pipes_and_sockets_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link inside the folder is told, and what it leads to read once; one that leads out is refused; nothing is waited for."""
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "secret").write_text("x")
    (folder / "file").write_text("y")
    (folder / "inner").symlink_to(folder / "file")
    (folder / "outer").symlink_to(tmp_path / "secret")
    (folder / "up").symlink_to(tmp_path)
    (folder / "dead").symlink_to(folder / "nothing")
    (folder / "loop").symlink_to(folder / "loop")
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(folder)  # a socket's path must be short
        server.bind("sock")
    source = open_source(folder)
    assert [m.name for m in source.members()] == ["file"]
    assert sorted(refused(source)) == ["dead", "loop", "outer", "pipe", "sock", "up"]
    links = [each for each in source.notices() if isinstance(each, Notice)]
    assert [(each.code, each.locator) for each in links] == [("link-left-out", f"{folder}/inner")]
    log = ReadingLog()
    assert all(
        getattr(each, "code", "") != "link-left-out"
        for each in read_records(folder, ReadOptions(zone=UTC, format="notes"), log=log)
    )
    assert {"path": f"{folder}/inner", "skipped": LINK} in log.to_wire()["skipped"]


def test_what_is_no_file_is_an_error(tmp_path: Path) -> None:
    """Missing files, pipes, and names that cannot be."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "nothing", tmp_path / "pipe", "nul\0byte", "x" * 5000, "/dev/null"):
        with pytest.raises(SourceError):
            open_source(path)


def test_a_pipe_in_the_place_of_a_file_is_an_error(tmp_path: Path) -> None:
    """Between listing and opening a file may be replaced; opening must not hang."""
    (tmp_path / "a").write_text("x")
    (member,) = open_source(tmp_path).members()
    (tmp_path / "a").unlink()
    with pytest.raises(SourceError):
        member.open()
    os.mkfifo(tmp_path / "a")
    with pytest.raises(SourceError):
        member.open()


def test_names_that_are_no_unicode_are_readable(tmp_path: Path) -> None:
    """They are shown with U+FFFD and still open."""
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    Path(os.fsdecode(path)).write_text("x")
    (member,) = open_source(tmp_path).members()
    assert member.name == "caf\N{REPLACEMENT CHARACTER}.txt"
    assert content(member) == b"x"


def test_folders_have_caps(tmp_path: Path) -> None:
    """On files, and on folders inside folders."""
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (deep / "x").write_text("x")
    for n in range(5):
        (tmp_path / f"{n}").write_text("x")
    assert refused(open_source(tmp_path, Limits(folder_depth=3))) == ["c"]
    few = open_source(tmp_path, Limits(members=3))
    assert len(few.members()) == 3
    assert few.notices()


def test_gzip_is_read_as_what_it_holds(tmp_path: Path) -> None:
    """By content, whatever the name; several gzip members follow one another; one layer only."""
    once = gzip.compress(b"hello ") + gzip.compress(b"world") + b"\0" * 10
    (tmp_path / "plain-name").write_bytes(once)
    (tmp_path / "twice.gz").write_bytes(gzip.compress(gzip.compress(b"x")))
    (tmp_path / "zero.gz").write_bytes(gzip.compress(b""))
    (tmp_path / "not.gz").write_bytes(b"text")
    got = {m.name: content(m) for m in open_source(tmp_path).members()}
    assert got["plain-name"] == b"hello world"
    assert got["twice.gz"][:2] == b"\x1f\x8b"
    assert got["zero.gz"] == b""
    assert got["not.gz"] == b"text"


def test_damaged_gzip_is_no_other_exception(tmp_path: Path) -> None:
    """Every truncation and every flipped byte: the right bytes first, then at worst a SourceError."""
    text = b"some text, some text, some more"
    data = gzip.compress(text)
    path = tmp_path / "a.gz"
    for end in range(2, len(data)):
        path.write_bytes(data[:end])
        with pytest.raises(SourceError):
            content(open_source(path).members()[0])
    for place in range(2, len(data)):
        flipped = bytearray(data)
        flipped[place] ^= 0x10
        path.write_bytes(bytes(flipped))
        with suppress(SourceError):
            assert content(open_source(path).members()[0]) == text


def test_a_gzip_bomb_is_stopped(tmp_path: Path) -> None:
    """The same caps as in archives."""
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(20_000_000)))
    (member,) = open_source(path, Limits(ratio_free_bytes=1_000_000)).members()
    with pytest.raises(SourceError, match="1:200"):
        content(member)


def test_an_archive_is_opened_whatever_its_name(tmp_path: Path) -> None:
    """Its members are the source's members."""
    path = tmp_path / "export"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("chat.txt", "x")
    assert [m.locator for m in open_source(path).members()] == [f"{path}!chat.txt"]


def test_archives_inside_archives_are_held_in_memory_and_counted(tmp_path: Path) -> None:
    """To a depth and a size."""
    data = b""
    for level in range(3):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(f"{level}.zip" if data else "chat.txt", data or b"hello")
        data = buffer.getvalue()
    path = tmp_path / "outer.zip"
    path.write_bytes(data)
    limits = Limits(depth=3)
    (middle,) = open_source(path).members()
    inner = open_inside(middle, limits, 1)
    assert inner
    innermost = open_inside(inner.members()[0], limits, 2)
    assert innermost
    assert [content(m) for m in innermost.members()] == [b"hello"]
    assert innermost.members()[0].locator == f"{path}!2.zip!1.zip!chat.txt"
    with pytest.raises(SourceError, match="too many"):
        open_inside(inner.members()[0], limits, 3)
    with pytest.raises(SourceError, match="too large"):
        open_inside(middle, Limits(nested_bytes=10), 1)


def test_a_stored_archive_is_read_where_it_lies(tmp_path: Path) -> None:
    """It takes no memory, so its size does not matter; two that share their bytes are refused."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("chat.txt", b"hello " * 1000)
    path = tmp_path / "outer.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.zip", inner.getvalue())
        packed.writestr("b.zip", inner.getvalue())
    limits = Limits(nested_bytes=10)
    for member in open_source(path).members():
        found = open_inside(member, limits, 1)
        assert found
        assert found.held == 0
        assert [content(each) for each in found.members()] == [b"hello " * 1000]
    data = path.read_bytes()
    for cut in range(0, len(data), 7):
        broken = bytearray(data)
        broken[cut] ^= 0xFF
        path.write_bytes(bytes(broken))
        with suppress(SourceError):
            for member in open_source(path).members():
                archive = open_inside(member, limits, 1)
                for each in archive.members() if archive else ():
                    with suppress(SourceError):
                        content(each)


def test_archives_that_share_their_bytes_are_refused() -> None:
    """Many names for one stored archive are more than the archive around them can hold."""
    budget = Budget(Limits(), 1000)
    budget.lend("a", 600, "x!a")
    budget.lend("a", 600, "x!a")
    with pytest.raises(SourceError, match="shares its bytes"):
        budget.lend("b", 600, "x!b")


def test_what_archives_in_archives_unpack_to_counts_together(tmp_path: Path) -> None:
    """Each is small, and compressed within bounds in its own archive, but the whole is a bomb."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.txt", bytes(400_000))
    path = tmp_path / "outer.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for number in range(30):
            packed.writestr(f"{number}.zip", inner.getvalue())
    limits = Limits(ratio_free_bytes=1_000_000)
    sizes: list[int] = []

    def read_all() -> None:
        for member in open_source(path, limits).members():
            found = open_inside(member, limits, 1)
            assert found
            sizes.extend(len(content(each)) for each in found.members())

    with pytest.raises(SourceError, match="1:200"):
        read_all()
    assert 400_000 <= sum(sizes) <= 1_200_000 + 200 * path.stat().st_size


def test_standard_input_is_sniffed_and_then_read() -> None:
    """Its beginning is kept, so it can be opened again until more than that was read."""
    text = b"line\n" * 1000
    for data in (text, gzip.compress(text)):
        (member,) = open_source("-", stdin=io.BytesIO(data)).members()
        with member.open() as stream:
            assert stream.readline() == b"line\n"
        assert content(member) == content(member) == text


def test_standard_input_cannot_be_rewound_for_ever() -> None:
    """Beyond what is kept it is read once, whole, and then refused with a way out."""
    text = b"0123456789" * 100_000
    (member,) = open_source("-", Limits(replay_bytes=1000), io.BytesIO(text)).members()
    assert content(member) == text
    with pytest.raises(SourceError, match="rewound"):
        member.open()


def test_an_archive_on_standard_input_is_refused() -> None:
    """Archives are read from their end."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("a", "x")
    (member,) = open_source("-", stdin=io.BytesIO(buffer.getvalue())).members()
    with pytest.raises(SourceError, match="standard input"):
        open_inside(member, Limits())


def test_streams_that_are_not_read_to_their_end_are_closed(tmp_path: Path) -> None:
    """No file stays open, whether a stream was read or not."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(os.urandom(3_000_000)))
    for _ in range(20):
        (member,) = open_source(path).members()
        with member.open() as stream:
            stream.read(10)
        member.open().close()
    assert not files_open_below(tmp_path)
