"""Splits an mbox stream into raw messages, in bounded memory.

A separator is a line that begins with ``From ``, has the form of an envelope line (sender and date in any order that
programs write), follows a blank line, and precedes a header. Some programs omit the blank line; then several headers
that only mail has must follow. In files whose first line is a bare ``From `` the date is not required. A
``Content-Length`` is trusted only if it ends exactly at a separator.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from .likeness import likeness

CHUNK = 1 << 20
KEPT = 32 << 20
"""The largest number of bytes kept of one message; later bytes, usually attachments, are only counted."""
_LOOKAHEAD = 4096
_LONGEST_ENVELOPE = 512
_LONGEST_HEADERS = 256 << 10

ENVELOPE = re.compile(
    rb"From (?:\"[^\"\n]*\"[^\s]*|[^\n]*?\S)??[ \t]*"
    rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?[ \t]+"
    rb"(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ \t]+\d{1,2}|\d{1,2}[ \t]+[A-Z][a-z]{2})[ \t]+"
    rb"(?:\d{4}[ \t]+)?\d{1,2}:\d\d(?::\d\d)?(?:[ \t]+(?:[A-Z]{1,5}|[+-]\d{4}))*(?:[ \t]+\d{4})?"
    rb"(?:[ \t]+(?:[A-Z]{1,5}|[+-]\d{4}))*(?:[ \t]+remote from \S+)?(?:[ \t]+[+-]\d{4})?[ \t]*\r?\n?\Z"
)
"""Matches an envelope line: ``From bob@x.org Mon Apr  7 14:31:02 2025``, in Takeout with the offset before the year."""
_BARE = re.compile(rb"From (?:\S{1,320})?[ \t]*\r?\n\Z")
_ENVELOPE_LOST = re.compile(rb"From[ \t]+\r?\n\Z")
"""Matches the line that Thunderbird writes now and then among envelope lines with a date."""
_PATCH = re.compile(rb"From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\r?\n?\Z")
"""Matches the first line of each patch that Git writes: in an mbox of other mails it is pasted text."""
_SURE = 0.8
_HEADER = re.compile(rb"(?:[!-9;-~]+[ \t]*:|>From )")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_WINDOW = 16 * 1024
"""The number of bytes searched at once: Python's search is fastest in pieces of this size."""
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,12})[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)
_HEADERS_END = re.compile(rb"\n\r?\n")
_BLANK_BEFORE = (b"\n\n", b"\r\n\r\n", b"\n\r\n")


@dataclass(frozen=True, slots=True)
class RawMail:
    """One raw message of a container."""

    data: bytes
    """Headers and body, without the envelope line; at most ``KEPT`` bytes."""
    offset: int = 0
    """The offset of the first byte, including the envelope line, in the unpacked stream."""
    size: int = 0
    """The size of the whole message in bytes; larger than ``data`` if that was cut."""
    envelope: bytes = b""
    """The ``From `` line, if there is one."""

    @property
    def cut(self) -> bool:
        """Return whether bytes of the message were dropped."""
        return self.size > len(self.data)


def is_mbox(head: bytes) -> bool:
    """Return whether a file begins like an mbox: a separator, then a header."""
    text = head.lstrip(b"\r\n")
    end = text.find(b"\n", 0, _LONGEST_ENVELOPE) + 1
    if not text.startswith(b"From ") or not end:
        return False
    line = text[:end]
    return bool((ENVELOPE.match(line) or _BARE.match(line)) and _header_follows(text, end))


def split_mbox(stream: BinaryIO, head: bytes = b"") -> Iterator[RawMail]:
    """Yield the messages of an mbox in the order of the file.

    Text before the first separator, other than blank lines, becomes a message without an envelope.

    Args:
        stream: the file, from its start or, if some of it was read, from there.
        head: the bytes that were read before.

    Raises:
        SourceError: the stream raises it.
    """
    return _Splitter(stream, head).messages()


class _Splitter:
    """A window of the stream: ``_buffer`` begins at byte ``_base``, at the start of a message."""

    def __init__(self, stream: BinaryIO, head: bytes) -> None:
        self._stream = stream
        self._buffer = bytearray(head)
        self._base = 0
        self._ended = False
        self._bare = False
        self._patches = False
        self._escaped = False
        """True if the message may have escaped lines."""

    def messages(self) -> Iterator[RawMail]:
        self._fill(_LOOKAHEAD)
        if self._buffer.startswith(BOM_UTF8):
            self._drop(len(BOM_UTF8))
        self._skip_blank_lines()
        first = self._buffer.find(b"\n") + 1
        line = bytes(self._buffer[:first])
        self._bare = bool(line.startswith(b"From ") and not ENVELOPE.match(line) and _BARE.match(line))
        self._patches = _PATCH.match(line) is not None
        while self._fill(1):
            yield self._message()

    def _fill(self, size: int) -> bool:
        """Read until the buffer has `size` bytes or the stream ends; return whether the buffer has any."""
        while len(self._buffer) < size and not self._ended:
            chunk = self._stream.read(CHUNK)
            self._ended = not chunk
            self._buffer += chunk
        return bool(self._buffer)

    def _skip_blank_lines(self) -> None:
        blank = len(self._buffer) - len(self._buffer.lstrip(b"\r\n"))
        self._drop(blank)

    def _drop(self, count: int) -> None:
        del self._buffer[:count]
        self._base += count

    def _message(self) -> RawMail:
        """Return the message at the start of the buffer, and remove it from the buffer."""
        offset = self._base
        self._fill(_LOOKAHEAD)
        start = self._buffer.find(b"\n") + 1 if self._buffer.startswith(b"From ") else 0
        envelope = bytes(self._buffer[:start])
        if measured := self._end_by_length(start):
            data = bytes(self._buffer[start:measured])
            self._drop(measured)
            self._skip_blank_lines()
            if not _is_unescaped(data):
                data = _unescaped(data)
            return RawMail(data, offset, len(data), envelope)
        self._escaped = False
        head, rest, size = self._until_separator(start)
        data = _without_last_blank(bytes(head)) if size == len(head) else bytes(head)
        if self._escaped:
            data = _unescaped(data)
        self._drop(rest)
        return RawMail(data, offset, len(data) if size == len(head) else size, envelope)

    def _end_by_length(self, start: int) -> int:
        """Return the end of the message by its Content-Length; 0 if it has none or the end is no separator."""
        end = _HEADERS_END.search(self._buffer, max(start - 1, 0))
        while end is None and not self._ended and len(self._buffer) < _LONGEST_HEADERS:
            self._fill(len(self._buffer) + CHUNK)
            end = _HEADERS_END.search(self._buffer, max(start - 1, 0))
        if end is None or b"content-length" not in self._buffer[start : end.end()].lower():
            return 0
        length = _LENGTH.search(self._buffer, start, end.end())
        if length is None or int(length[1]) > KEPT:
            return 0
        target = end.end() + int(length[1])
        self._fill(target + _LOOKAHEAD)
        if target > len(self._buffer):
            return 0
        after = target
        for _ in range(2):
            if self._buffer.startswith(b"\r", after):
                after += 1
            if self._buffer.startswith(b"\n", after):
                after += 1
        if after >= len(self._buffer):
            return target
        line_start = after == 0 or self._buffer.startswith(b"\n", after - 1)
        return target if line_start and self._is_separator(after, blank_before=True) else 0

    def _until_separator(self, start: int) -> tuple[bytearray, int, int]:
        """Return the kept bytes of the message, the offset of the next one in the buffer, and the message's size."""
        kept = bytearray()
        dropped = 0
        scan = start
        while True:
            place = _find(self._buffer, b"From ", scan)
            if place < 0:
                if self._ended:
                    return self._taken(kept, start, len(self._buffer), dropped)
                scan = max(scan, len(self._buffer) - 4)
                self._fill(len(self._buffer) + CHUNK)
                if len(self._buffer) - start > KEPT:
                    # The kept part leaves the window; only its last bytes stay.
                    cut = scan - 4
                    room = KEPT - len(kept)
                    kept += self._buffer[start : min(cut, start + room)]
                    dropped += cut - start
                    self._drop(cut)
                    scan, start = scan - cut, 0
                continue
            scan = place + 1
            before = bytes(self._buffer[max(place - 4, 0) : place])
            if not before.endswith(b"\n"):
                self._escaped |= before.endswith(b">")
                continue
            if len(self._buffer) - place < _LOOKAHEAD:
                self._fill(place + _LOOKAHEAD)
            if self._is_separator(place, blank_before=before.endswith(_BLANK_BEFORE)):
                return self._taken(kept, start, place, dropped)

    def _taken(self, kept: bytearray, start: int, end: int, dropped: int) -> tuple[bytearray, int, int]:
        size = dropped + end - start
        kept += self._buffer[start : min(end, start + KEPT - len(kept))]
        return kept, end, size

    def _is_separator(self, place: int, *, blank_before: bool) -> bool:
        """Return whether a separator begins here. Without a blank line before it, headers of a mail must follow."""
        end = self._buffer.find(b"\n", place, place + _LONGEST_ENVELOPE) + 1
        if not end:
            return False
        line = bytes(self._buffer[place:end])
        if not (ENVELOPE.match(line) or (self._bare and _BARE.match(line))):
            blank_before = False
            if not _ENVELOPE_LOST.match(line):
                return False
        if not self._patches and _PATCH.match(line):
            return False
        if blank_before:
            return _header_follows(self._buffer, end)
        return likeness(bytes(self._buffer[end : place + _LOOKAHEAD])) >= _SURE


def _find(data: bytes | bytearray, words: bytes, place: int) -> int:
    """Like ``data.find(words, place)``, for words whose only blank is the last byte; leaps over base64."""
    last = len(words) - 1
    while (blank := data.find(b" ", place + last)) >= 0:
        place = blank - last
        position = data.find(words, place, place + _WINDOW)
        if position >= 0:
            return position
        place += _WINDOW - last
    return -1


def _header_follows(data: bytes | bytearray, place: int) -> bool:
    while data[place : place + 1] in (b"\n", b"\r"):
        place += 1
    return _HEADER.match(data, place) is not None


def _without_last_blank(data: bytes) -> bytes:
    """Remove the blank line before a separator, which belongs to the separator."""
    if data.endswith(b"\r\n\r\n"):
        return data[:-2]
    return data[:-1] if data.endswith(b"\n\n") else data


def _is_unescaped(body: bytes) -> bool:
    """Return whether a body has lines that any other kind of mbox would have escaped."""
    return b"\nFrom " in body


def _unescaped(data: bytes) -> bytes:
    return _ESCAPED.sub(rb"\1", data) if b">From " in data else data
