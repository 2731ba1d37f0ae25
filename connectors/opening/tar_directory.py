"""The directory of a tar archive: ustar, the extensions of GNU and of POSIX (pax), and the format before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Literal

from .zip_directory import DamagedError

BLOCK = 512
EXTENSION_LIMIT = 1 << 20
"""Bytes of a long name or of a pax header."""
_RECORD = re.compile(rb"(\d{1,7}) ([^=\n]{1,255})=")

Kind = Literal["file", "folder", "other"]
_KINDS: dict[bytes, Kind] = {b"0": "file", b"\0": "file", b"7": "file", b"5": "folder"}


@dataclass(frozen=True, slots=True)
class TarEntry:
    """One member."""

    name: str
    size: int
    start: int
    """The position of the member's bytes in the archive."""
    kind: Kind


@dataclass(frozen=True, slots=True)
class _Header:
    name: bytes
    size: int
    kind: bytes


def is_tar(head: bytes) -> bool:
    """Return whether a file that begins with these bytes is a tar archive: its first header has a name and a correct
    checksum.
    """
    return len(head) >= BLOCK and head[0] != 0 and _header(head[:BLOCK]) is not None


def read_entries(file: BinaryIO, locator: str) -> Iterator[TarEntry]:
    """Yield the members in order; of a damaged archive, those before the damage.

    Raises:
        DamagedError: a header is damaged, or the archive is cut off inside a member.
        SourceError: the file raises it.
    """
    place = 0
    name: bytes | None = None
    size: int | None = None
    while True:
        file.seek(place)
        block = file.read(BLOCK)
        if not block or not block.strip(b"\0"):
            return  # two blocks of zero bytes are the end; some archivers write none
        header = _header(block) if len(block) == BLOCK else None
        if header is None:
            raise DamagedError(f"{locator}: the archive is damaged or cut off", hint="copy or download it again")
        start = place + BLOCK
        if header.kind in (b"L", b"K", b"x", b"g"):
            if header.size > EXTENSION_LIMIT:
                raise DamagedError(f"{locator}: a name in the archive is too long")
            data = file.read(header.size)
            if header.kind == b"L":
                name = data.rstrip(b"\0")
            elif header.kind == b"x":
                fields = dict(_pax_fields(data))
                name = fields.get(b"path", name)
                size = int(fields[b"size"]) if fields.get(b"size", b"").isdigit() else size
            place = start + _padded(header.size)
            continue
        if size is not None:
            header = replace(header, size=size)
        shown = (name if name is not None else header.name).decode("utf-8", "replace")
        kind = _KINDS.get(header.kind, "other")
        if shown.endswith("/") and kind == "file":
            kind = "folder"
        yield TarEntry(shown.removeprefix("./").rstrip("/"), header.size, start, kind)
        place = start + _padded(header.size)
        name = size = None


def _pax_fields(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = 0
    while (match := _RECORD.match(data, place)) is not None:
        end = place + int(match[1])
        if end <= match.end() or end > len(data):
            return
        yield match[2], data[match.end() : end - 1]
        place = end


def _padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def _header(block: bytes) -> _Header | None:
    """Return the fields of a header; None if its checksum is wrong."""
    checksum = _number(block[148:156])
    plain = block[:148] + b" " * 8 + block[156:]
    if checksum is None or checksum != sum(plain):
        return None
    size = _number(block[124:136])
    if size is None or size < 0:
        return None
    name = block[:100].partition(b"\0")[0]
    prefix = block[345:500].partition(b"\0")[0] if block[257:263] == b"ustar\0" else b""
    return _Header(prefix + b"/" + name if prefix else name, size, block[156:157])


def _number(text: bytes) -> int | None:
    """Octal digits, or GNU's form for large numbers: the first bit set, then bytes."""
    if text[:1] == b"\x80":
        return int.from_bytes(text[1:], "big")
    digits = text.strip(b" \0")
    if not digits:
        return 0
    try:
        return int(digits, 8)
    except ValueError:
        return None
