"""Archives: what is refused, what is capped, and that no damage is more than a SourceError."""

from __future__ import annotations

import io
import random
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memd.connectors.connector import Member, Source
from memd.connectors.opening.limits import DEFAULT_LIMITS, Limits
from memd.connectors.opening.open_source import open_source
from memd.connectors.opening.zip_source import open_zip
from memd.schemas import Rejected
from memd.schemas.errors import SourceError
from memd.tests.cases import for_each


def pack(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive in memory."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return data.getvalue()


def opened(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Source:
    """An archive from memory as a source."""
    return open_zip(lambda: io.BytesIO(data), "a.zip", "a.zip", limits)


def content(member: Member) -> bytes:
    """All bytes of a member."""
    with member.open() as stream:
        return stream.read()


def refused(source: Source) -> dict[str, str]:
    """Why what was refused, by its place."""
    return {n.locator: n.reason for n in source.notices() if isinstance(n, Rejected)}


@pytest.mark.slow
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_members_give_their_bytes(method: int) -> None:
    """What was packed comes out again, in the archive's order, and may be opened again."""
    files = {"b.txt": b"two\n" * 100_000, "folder/a.txt": b"", "c": random.Random(3).randbytes(700_000)}
    source = opened(pack(files, method))
    assert [m.name for m in source.members()] == list(files)
    assert [m.locator for m in source.members()] == [f"a.zip!{name}" for name in files]
    for _ in range(2):
        assert {m.name: content(m) for m in source.members()} == files
    assert source.notices() == ()


@for_each(
    [
        "../evil.txt",
        "a/../../evil",
        "/etc/passwd",
        "C:\\evil.txt",
        "c:evil",
        "..\\evil.txt",
        "a\\..\\..\\b",
        "a\x01b",
        "x" * 2000,
    ]
)
def test_unsafe_names_are_refused(name: str) -> None:
    """They lead out, are absolute, hold control characters or never end; the other members stay."""
    source = opened(pack({name: b"x", "good.txt": b"y"}))
    assert [m.name for m in source.members()] == ["good.txt"]
    assert len(refused(source)) == 1


def test_what_archivers_add_is_left_out() -> None:
    """Resource forks and folder settings are nobody's data."""
    names = ["__MACOSX/._chat.txt", "a/.DS_Store", "._chat.txt", "Thumbs.db", "folder/", "chat.txt"]
    source = opened(pack(dict.fromkeys(names, b"x")))
    assert [m.name for m in source.members()] == ["chat.txt"]
    assert source.notices() == ()


def test_backslashes_are_separators() -> None:
    """Some packers of Windows write them; inside the archive they do no harm."""
    assert [m.name for m in opened(pack({"folder\\chat.txt": b"x"})).members()] == ["folder/chat.txt"]


def test_links_and_devices_are_refused() -> None:
    """A link in an archive is never followed."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as packed:
        for name, kind in (("link", stat.S_IFLNK), ("pipe", stat.S_IFIFO), ("file", stat.S_IFREG)):
            info = zipfile.ZipInfo(name)
            info.create_system = 3
            info.external_attr = (kind | 0o644) << 16
            packed.writestr(info, "/etc/passwd")
    source = opened(data.getvalue())
    assert [m.name for m in source.members()] == ["file"]
    assert set(refused(source)) == {"a.zip!link", "a.zip!pipe"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_second_member_of_one_name_is_refused() -> None:
    """The first stays; the second is told, not merged."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as packed:
        packed.writestr("a", "first")
        packed.writestr("a", "second")
    source = opened(data.getvalue())
    assert [content(m) for m in source.members()] == [b"first"]
    assert set(refused(source)) == {"a.zip!a"}


def test_names_without_a_flag_are_utf8_or_else_code_page_437() -> None:
    """Phones write UTF-8 without saying so; old tools write code page 437; a Unicode field wins over both."""
    for raw, expected in (("größe".encode(), "größe"), ("größe".encode("cp437"), "größe"), (b"caf\x82", "café")):
        data = pack({"x" * len(raw): b"1"}).replace(b"x" * len(raw), raw)
        assert [(m.name, content(m)) for m in opened(data).members()] == [(expected, b"1")]
    raw = b"plain.txt"
    info = zipfile.ZipInfo(raw.decode())
    name = "日本.txt".encode()
    info.extra = struct.pack("<HHBL", 0x7075, 5 + len(name), 1, zlib.crc32(raw)) + name
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr(info, "1")
    assert [m.name for m in opened(buffer.getvalue()).members()] == ["日本.txt"]


def test_a_flagged_name_that_is_no_utf8_does_not_cost_the_archive() -> None:
    """Its undecodable bytes become U+FFFD."""
    data = pack({"größe": b"1", "b": b"2"}).replace("größe".encode(), b"gr\xff\xff\xff\xffe")
    assert [content(m) for m in opened(data).members()] == [b"1", b"2"]


def test_encrypted_members_say_so() -> None:
    """The others are read."""
    data = bytearray(pack({"secret": b"1", "open": b"2"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    first, second = opened(bytes(data)).members()
    with pytest.raises(SourceError, match="encrypted"):
        first.open()
    assert content(second) == b"2"


def test_an_unknown_method_says_so() -> None:
    """Also methods that the standard library knows, but nobody exports with."""
    (member,) = opened(pack({"a": b"1" * 100}, zipfile.ZIP_LZMA)).members()
    with pytest.raises(SourceError, match="method"):
        member.open()


def _reads(size: int, limits: Limits, data: bytes = b"") -> Callable[[], int]:
    (member,) = opened(data or pack({"a": bytes(size)}), limits).members()
    return lambda: len(content(member))


def test_caps_on_size_count_what_is_read() -> None:
    """A member, and all members together, may unpack to so much; reading one twice counts once."""
    assert _reads(1000_000, Limits(member_bytes=1000_000))() == 1000_000
    with pytest.raises(SourceError, match="more than it may"):
        _reads(1000_001, Limits(member_bytes=1000_000))()
    source = opened(pack({"a": bytes(600_000), "b": bytes(600_000)}), Limits(total_bytes=1000_000))
    first, second = source.members()
    assert len(content(first)) == len(content(first)) == 600_000
    with pytest.raises(SourceError, match="more than it may"):
        content(second)


def test_the_size_in_the_header_is_not_trusted() -> None:
    """A member that claims to be small and is not, is stopped where its claim ends."""
    data = bytearray(pack({"a": bytes(10_000_000)}))
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = (10).to_bytes(4, "little")
    with pytest.raises(SourceError):
        _reads(0, DEFAULT_LIMITS, bytes(data))()


def test_a_bomb_is_stopped() -> None:
    """What is compressed beyond all measure is read only as far as the free bytes go."""
    limits = Limits(ratio_free_bytes=1_000_000)
    assert _reads(1_000_000, limits)() == 1_000_000
    with pytest.raises(SourceError, match="1:200"):
        _reads(30_000_000, limits)()


def test_members_that_share_their_bytes_are_stopped() -> None:
    """A thousand entries over one compressed block are a bomb though each alone is not."""
    block = pack({"a": random.Random(1).randbytes(1000) * 150})
    start = block.index(b"PK\x01\x02")
    entry, end = block[start : block.index(b"PK\x05\x06")], bytearray(block[block.index(b"PK\x05\x06") :])
    entries = entry * 1000
    end[8:12] = struct.pack("<2H", 1000, 1000)
    end[12:16] = len(entries).to_bytes(4, "little")
    source = opened(block[:start] + entries + bytes(end))
    assert len(source.members()) == 1  # one name, so the others are refused
    assert len(refused(source)) == 1


def test_too_many_members_are_cut() -> None:
    """What is over the cap is told once."""
    source = opened(pack({f"{n}": b"" for n in range(20)}), Limits(members=10))
    assert len(source.members()) == 10
    assert list(refused(source)) == ["a.zip"]


def test_something_before_the_archive_does_no_harm() -> None:
    """Self-extracting archives begin with a program."""
    (member,) = opened(b"#!/bin/sh\nexit\n" * 100 + pack({"a": b"1"})).members()
    assert content(member) == b"1"


def test_sizes_beyond_32_bits_are_read(tmp_path: Path) -> None:
    """Members whose headers use the 64-bit fields, as tools write them when they do not know the size before."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as packed, packed.open("a", "w", force_zip64=True) as member:
        member.write(b"123")
    assert [content(m) for m in open_source(path).members()] == [b"123"]


@pytest.mark.parametrize("offset", [2**63 - 1, 2**63, 2**64 - 1])
def test_a_place_beyond_all_files_is_damage(offset: int) -> None:
    """A 64-bit record that points nowhere is a damaged archive, also in memory, where seeking fails in another way."""
    data = pack({"a": b"1"})
    end = data.index(b"PK\x05\x06")
    with pytest.raises(SourceError):
        opened(data[:end] + struct.pack("<4sLQL", b"PK\x06\x07", 0, offset, 1) + data[end:])


def test_an_empty_archive_has_no_members() -> None:
    """It is no error by itself."""
    assert opened(pack({})).members() == ()


def test_any_flipped_byte_is_no_other_exception() -> None:
    """Each bit of a small archive: what is read is right, or a SourceError."""
    files = {"a.txt": b"some text, some text, some text", "b/c.txt": b"other"}
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2):
        data = pack(files, method)
        for place in range(len(data)):
            for bit in (1, 8, 128):
                flipped = bytearray(data)
                flipped[place] ^= bit
                _is_right_or_told(bytes(flipped), set(files.values()))


def test_any_truncation_is_no_other_exception() -> None:
    """The directory is at the end, so a cut archive is unreadable, and says so."""
    data = pack({"a.txt": b"some text, some text", "b": b"x"})
    for end in range(len(data)):
        with pytest.raises(SourceError):
            opened(data[:end])


def test_random_bytes_are_no_other_exception() -> None:
    """Directories made of noise."""
    chance = random.Random(5)
    data = pack({"a.txt": b"some text, some text", "b": b"x"})
    start = data.index(b"PK\x01\x02")
    for _ in range(2000):
        noisy = bytearray(data)
        for _ in range(chance.randrange(1, 20)):
            noisy[chance.randrange(start, len(noisy))] = chance.choice((0, 1, 0xFF, chance.randrange(256)))
        _is_right_or_told(bytes(noisy), None)


def _is_right_or_told(data: bytes, expected: set[bytes] | None) -> None:
    try:
        members = opened(data).members()
    except SourceError:
        return
    for member in members:
        try:
            got = content(member)
        except SourceError:
            continue
        assert expected is None or got in expected or not got
