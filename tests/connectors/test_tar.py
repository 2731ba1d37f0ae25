"""Tar archives: the same files as from a folder, whatever program wrote them, and bounded whatever is in them."""

from __future__ import annotations

import gzip
import io
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.connector import ReadOptions, Source
from memd.connectors.opening import gzip_seek
from memd.connectors.opening.limits import Budget, Limits
from memd.connectors.opening.open_source import FileMember, open_inside, open_source
from memd.connectors.opening.tar_directory import is_tar
from memd.connectors.reading.source_parts import Part, parts
from memd.schemas import Rejected
from memd.schemas.errors import SourceError

LONG = "folder/" + "n" * 180 + "/ünïcode name.txt"
FILES = {"a.txt": b"first", "folder/b.txt": bytes(range(256)) * 300, LONG: b"deep", "empty": b""}


def tarred(files: Mapping[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    """An archive of these files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def contents(source: Source) -> dict[str, bytes]:
    """What the members hold."""
    found: dict[str, bytes] = {}
    for member in source.members():
        with member.open() as stream:
            found[member.name] = stream.read()
    return found


def opened(folder: Path, data: bytes, limits: Limits | None = None) -> Source:
    """The archive as a file of that folder."""
    path = folder / "export.tar"
    path.write_bytes(data)
    return open_source(path, limits or Limits())


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("packed", [False, True])
def test_every_form_gives_the_files(tmp_path: Path, form: int, packed: bool) -> None:
    """Long names and others than ASCII by each form's own way, as far as it has one."""
    files = {name: data for name, data in FILES.items() if form != tarfile.USTAR_FORMAT or len(name) < 100}
    data = tarred(files, form)
    assert is_tar(data[:512])
    source = opened(tmp_path, gzip.compress(data) if packed else data)
    assert contents(source) == files
    assert not source.notices()
    assert source.members()[0].locator.endswith("export.tar!a.txt")


def test_a_packed_archive_is_read_from_any_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members in any order, each several times, in pieces of two gzip files."""
    monkeypatch.setattr(gzip_seek, "CHECKPOINT_BYTES", 100_000)
    random = Random(5)
    files = {f"{number}.bin": random.randbytes(random.randrange(200_000)) for number in range(12)}
    data = tarred(files)
    half = len(data) // 2
    source = opened(tmp_path, gzip.compress(data[:half]) + gzip.compress(data[half:]) + b"\0" * 100)
    members = [*source.members()] * 2
    random.shuffle(members)
    for member in members:
        with member.open() as stream, member.open() as again:
            first = stream.read(1000)
            assert again.read() == files[member.name]
            assert first + stream.read() == files[member.name]


def test_small_members_are_not_unpacked_from_the_start_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads the members in their order goes on where the one before was closed, also when each is opened twice."""
    random = Random(7)
    files = {f"{number}.txt": random.randbytes(10_000) for number in range(200)}
    source = opened(tmp_path, gzip.compress(tarred(files), 1))
    check, unpacked = Budget.check, [0]

    def counted(budget: Budget, name: str, size: int, locator: str, compressed: int) -> None:
        unpacked[0] += 1
        check(budget, name, size, locator, compressed)

    monkeypatch.setattr(Budget, "check", counted)
    for member in source.members():
        for _ in range(2):
            with member.open() as stream:
                assert stream.read() == files[member.name]
    assert unpacked[0] < 200  # pieces of 256 KB; nine make the archive, and from its start each it is 2000


def test_what_is_no_file_is_refused_by_name(tmp_path: Path) -> None:
    """Links, devices, names that lead out; what archivers of the Mac add is left out."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind in (("link", tarfile.SYMTYPE), ("pipe", tarfile.FIFOTYPE), ("../out", tarfile.REGTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type = kind
            archive.addfile(entry)
        for name in ("./._a.txt", "./a.txt"):
            entry = tarfile.TarInfo(name)
            entry.size = 2
            archive.addfile(entry, io.BytesIO(b"ok"))
    source = opened(tmp_path, out.getvalue())
    assert contents(source) == {"a.txt": b"ok"}
    refused = [each for each in source.notices() if isinstance(each, Rejected)]
    assert [each.locator.rpartition("!")[2] for each in refused] == ["link", "pipe", "../out"]


def test_archives_in_archives(tmp_path: Path) -> None:
    """A tar in gzip in a zip, and a zip in a tar, one level deep."""
    inner = tarred({"WhatsApp Chat with Ann.txt": b"1/14/24, 10:00 - Ann: hello\n1/14/24, 10:01 - Bo: hi\n" * 5})
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("export.tar.gz", gzip.compress(inner))
    for name, data in (("outer.zip", zipped.getvalue()), ("outer.tar", tarred({"chats.tar": inner}))):
        (tmp_path / name).write_bytes(data)
        found = parts(open_source(tmp_path / name), ReadOptions(zone=UTC))
        assert [part.connector.name for part in found if isinstance(part, Part)] == ["whatsapp"]


def test_a_bomb_is_stopped(tmp_path: Path) -> None:
    """While the directory is read."""
    data = gzip.compress(tarred({"zeros": bytes(3_000_000)}))
    limits = Limits(ratio=20, ratio_free_bytes=500_000)
    with pytest.raises(SourceError, match="compressed more than 1:20"):
        contents(opened(tmp_path, data, limits))


@pytest.mark.parametrize("packed", [False, True])
def test_a_cut_archive_gives_what_is_there(tmp_path: Path, packed: bool) -> None:
    """And says that something is missing."""
    data = tarred({"a.txt": b"first", "b.txt": Random(1).randbytes(100_000), "c.txt": b"last"})
    whole = gzip.compress(data) if packed else data
    source = opened(tmp_path, whole[: len(whole) // 2])
    assert source.members()[0].name == "a.txt"
    with source.members()[0].open() as stream:
        assert stream.read() == b"first"
    with pytest.raises(SourceError):
        contents(source)


@given(st.data())
def test_any_damage_is_an_error_or_a_notice(data: st.DataObject) -> None:
    """Bytes changed anywhere, plain and packed: files, ``SourceError`` or a rejected archive; nothing else."""
    whole = bytearray(tarred(FILES) if data.draw(st.booleans()) else gzip.compress(tarred(FILES)))
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.NamedTemporaryFile() as file:
        file.write(whole)
        file.flush()
        with suppress(SourceError):
            source = open_inside(FileMember("a.tar", "a.tar", len(whole), file.name), Limits())
            if source is not None:
                contents(source)


def test_a_text_is_no_archive() -> None:
    """Nor are zero bytes."""
    assert not is_tar(b"x" * 512)
    assert not is_tar(bytes(512))
    assert not is_tar(tarred(FILES)[:511])
