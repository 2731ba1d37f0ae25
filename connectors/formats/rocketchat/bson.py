"""Reads BSON collections as mongodump writes them, one document after the other. Pure except for the stream.

Times become ``{"$date": milliseconds}``, as mongoexport writes them in JSON; object ids become hexadecimal strings.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

DOCUMENT_CAP = 64 << 20
"""The largest document in bytes; MongoDB itself allows 16 MiB."""
_CHUNK = 1 << 20
_DEPTH = 100
_SHORTEST = 5
_SIZES = {0x06: 0, 0x0A: 0, 0xFF: 0, 0x7F: 0, 0x13: 16}
"""The sizes in bytes of the types with a fixed length."""
_BEGIN = re.compile(rb"[\x02\x07]_id\x00")
_BEFORE = 4
"""The size of a document's length field, which precedes its first field."""
_DOUBLE, _LENGTH, _LONG = struct.Struct("<d"), struct.Struct("<i"), struct.Struct("<q")


@dataclass(slots=True)
class BSONDocument:
    """A document, or the reason why none can be read at this place."""

    index: int
    """The number of the document from 0, counting unreadable ones."""
    value: dict[str, Any] | None
    reason: str = ""


class BSONReader:
    """Reads the documents of a stream; holds one at a time.

    After a broken document, the next one is found by the ``_id`` field that begins each document.
    """

    def __init__(
        self, stream: BinaryIO, mark: bytes = b"", wanted: Callable[[bytes], bool] = lambda _raw: True
    ) -> None:
        """Prepare to read `stream`.

        Args:
            stream: the collection.
            mark: bytes that a document after a broken one must contain, so that no nested document is taken for one.
            wanted: returns whether a document of these bytes is parsed; others are skipped.
        """
        self._stream = stream
        self._mark = mark
        self._wanted = wanted
        self._data = bytearray()
        self._ended = False

    def documents(self) -> Iterator[BSONDocument]:
        """Yield all documents of the stream.

        Raises:
            SourceError: the stream raises it.
        """
        index = 0
        while self._fill(_BEFORE) or self._data:
            size = _size(self._data)
            reason = "not valid BSON: no length where a document should begin"
            if size and not self._fill(size):
                reason = "the file is cut off"
            elif size:
                raw = bytes(self._data[:size])
                try:
                    value = parse_bson(raw) if self._wanted(raw) else None
                except ValueError as error:
                    reason = str(error)
                else:
                    if value is not None:
                        yield BSONDocument(index, value)
                    index += 1
                    del self._data[:size]
                    continue
            yield BSONDocument(index, None, reason)
            index += 1
            del self._data[:1]
            self._resync()

    def _fill(self, size: int) -> bool:
        """Buffer at least `size` bytes; return False if the stream has fewer."""
        while len(self._data) < size and not self._ended:
            chunk = self._stream.read(_CHUNK)
            self._ended = not chunk
            self._data += chunk
        return len(self._data) >= size

    def _resync(self) -> None:
        """Skip to the beginning of the next document, or to the end of the stream."""
        while True:
            match = _BEGIN.search(self._data, _BEFORE)
            if match is None:
                del self._data[: max(0, len(self._data) - 2 * _BEFORE)]
                if not self._fill(len(self._data) + 1):
                    self._data.clear()
                    return
                continue
            del self._data[: match.start() - _BEFORE]
            size = _size(self._data)
            whole = size > 0 and self._fill(size)
            if whole and self._data[size - 1] == 0 and self._data.find(self._mark, 0, size) >= 0:
                return
            del self._data[:_SHORTEST]


def _size(data: bytearray) -> int:
    """Return the length field of a document; 0 if it is invalid."""
    if len(data) < _BEFORE:
        return 0
    size = int.from_bytes(data[:_BEFORE], "little")
    return size if _SHORTEST <= size <= DOCUMENT_CAP else 0


def parse_bson(raw: bytes) -> dict[str, Any]:
    """Parse one document.

    Raises:
        ValueError: it is not BSON.
    """
    try:
        value, end = _document(raw, 0, _DEPTH)
    except (struct.error, IndexError) as error:
        raise ValueError("not valid BSON: a value does not end") from error
    if end != len(raw):
        raise ValueError("not valid BSON: a document does not end where it says")
    return value


def _document(raw: bytes, at: int, depth: int) -> tuple[dict[str, Any], int]:
    if not depth:
        raise ValueError("not valid BSON: nested too deep")
    end = at + _length(raw, at)
    at += _BEFORE
    result: dict[str, Any] = {}
    while True:
        kind = raw[at]
        if kind == 0:
            if at + 1 != end:
                raise ValueError("not valid BSON: a document does not end where it says")
            return result, end
        name, at = _name(raw, at + 1)
        result[name], at = _value(raw, at, kind, depth)
        if at >= end:
            raise ValueError("not valid BSON: a value does not end")


def _value(raw: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    """Return a value of the type `kind`, and the offset of the next field."""
    if kind in (0x02, 0x0D, 0x0E):  # string, code, symbol
        return _text(raw, at)
    if kind == 0x03:
        return _document(raw, at, depth - 1)
    if kind == 0x04:
        held, at = _document(raw, at, depth - 1)
        return list(held.values()), at
    if kind in (0x08, 0x10, 0x12, 0x01, 0x09, 0x11):
        return _number(raw, at, kind)
    if kind == 0x07:
        return raw[at : at + 12].hex(), at + 12
    return None, _end_of(raw, at, kind)


def _end_of(raw: bytes, at: int, kind: int) -> int:
    """Return the end offset of a value that is skipped: binary data, regular expressions, code, null."""
    if kind == 0x05:
        return at + _BEFORE + 1 + _length(raw, at, least=0)
    if kind == 0x0B:
        return _name(raw, _name(raw, at)[1])[1]
    if kind == 0x0C:
        return _text(raw, at)[1] + 12
    if kind == 0x0F:
        return at + _length(raw, at)
    if kind in _SIZES:
        return at + _SIZES[kind]
    raise ValueError("not valid BSON: a type that there is not")


def _number(raw: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind == 0x08:
        return raw[at] != 0, at + 1
    if kind == 0x10:
        return _LENGTH.unpack_from(raw, at)[0], at + 4
    if kind == 0x01:
        return _DOUBLE.unpack_from(raw, at)[0], at + 8
    number = _LONG.unpack_from(raw, at)[0]
    return ({"$date": number} if kind == 0x09 else number), at + 8


def _length(raw: bytes, at: int, least: int = 5) -> int:
    size: int = _LENGTH.unpack_from(raw, at)[0]
    if size < least or at + size > len(raw):
        raise ValueError("not valid BSON: a length that cannot be")
    return size


def _text(raw: bytes, at: int) -> tuple[str, int]:
    end = at + _BEFORE + _length(raw, at, least=1)
    if raw[end - 1]:
        raise ValueError("not valid BSON: a text does not end where it says")
    return raw[at + _BEFORE : end - 1].decode("utf-8", "replace"), end


def _name(raw: bytes, at: int) -> tuple[str, int]:
    end = raw.find(b"\0", at)
    if end < 0:
        raise ValueError("not valid BSON: a name does not end")
    return raw[at:end].decode("utf-8", "replace"), end + 1
