"""Parses a mail into its parts: texts and attachments. Parts are ranges of the raw bytes; nothing is copied."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from ....schemas import Attachment
from .charsets import decode_text
from .headers import Headers, base64_bytes, blank_line, parse_headers, regular_fields
from .parameters import parameters

DEEPEST = 100
"""The depth of nested parts that are parsed, also through attached mails; deeper ones are attachments."""
_USUAL_DEPTH = 12
"""The depth of nearly all mails; down to it, searching for the boundary is cheaper than compiling an expression."""
MOST_PARTS = 1000
"""The largest number of parts of one mail that are parsed."""
_SHORT = 300
"""The size in bytes of part headers that are cached; longer ones hardly ever repeat."""
_EXTENSIONS = {
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/gif": "gif",
    "application/pdf": "pdf",
    "text/calendar": "ics",
    "message/rfc822": "eml",
    "text/html": "html",
    "text/plain": "txt",
    "application/ms-tnef": "dat",
}
MARKED_UP = ("text/enriched", "text/richtext", "text/markdown", "text/x-markdown")
"""The types of a third form of a text, which programs write beside the plain one."""
TEXTS = frozenset({"text/plain", "text/html", "text", "text/x-patch", "text/x-diff", *MARKED_UP})
_ENCODING = re.compile(r"[\s\"']*([\w-]+)", re.ASCII)
_NO_BASE64 = re.compile(rb"[^A-Za-z0-9+/=\s]|\S[ \t]+\S")
_BASE64_LINE = re.compile(
    rb"\s{0,20}(?:[A-Za-z0-9+/]{4}){0,250}(?:(?<=\S{16})|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)[ \t]*\r?(?:\n|\Z)"
)
"""Matches a line of base64 that cannot be a word: a long one, or one with padding."""
_TOLD_BY = 40
"""The number of lines that decide whether a content is base64 as declared; ``_NO_BASE64`` matches other lines."""
_UNANNOUNCED = re.compile(
    rb"^--(\S[^\r\n]{0,200})\r?\nContent-(?:Type|Transfer-Encoding|Disposition)[ \t]*:",
    re.MULTILINE | re.IGNORECASE,
)
"""Matches a boundary line that precedes the headers of a part."""
_UU = re.compile(
    rb"^begin [0-7]{3,4} ([^\r\n]{1,255})\r?\n((?:[ -`]{0,90}\r?\n)*?)(?:[`  ]?\r?\n)?end[ \t]*\r?(?:\n|\Z)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Head:
    """The headers of a part."""

    fields: Mapping[str, Sequence[bytes]]
    mime: str
    """The media type as written; it lacks a slash if it is invalid."""
    parameters: Mapping[str, str]
    disposition: str
    """``inline``, ``attachment``, or the empty string."""
    name: str
    """The file's name, from either header; empty for none."""
    encoding: str
    """The transfer encoding in lower case; empty for none."""


class Part(NamedTuple):
    """A part without parts of its own, or a mail inside the mail."""

    head: Head
    mime: str
    start: int
    end: int
    ended: bool = True
    """True if its closing boundary was found, or it needs none."""

    @property
    def is_text(self) -> bool:
        """Return whether the part is text that belongs to the mail itself and is no attachment."""
        return self.mime in TEXTS and self.head.disposition != "attachment"

    @property
    def is_named_file(self) -> bool:
        """Return whether a text has a file name and is not marked as inline."""
        return bool(self.head.name) and self.head.disposition != "inline"


class Multipart(NamedTuple):
    """A part that contains parts."""

    mime: str
    parts: tuple[Node, ...]


Node = Part | Multipart


def parse_parts(data: bytes, headers: Headers, end: int | None = None, depth: int = 0) -> Node:
    """Return the tree of a mail with parsed headers. Damaged structure yields the parts that are found, never an error.

    Args:
        data: the bytes of the outermost mail.
        headers: of this mail, with the offset of their end.
        end: of this mail; None for the end of `data`.
        depth: of this mail among the parts of the outermost.
    """
    head = _head(headers)
    return _Walker(data).node(head, headers.end, len(data) if end is None else end, depth, "text/plain")


def charset_of(node: Node) -> str:
    """Return the encoding that the first text of a mail declares; empty if it declares none."""
    while isinstance(node, Multipart):
        node = node.parts[0]
    return node.head.parameters.get("charset", "") if node.mime in TEXTS else ""


def head_of(block: bytes) -> Head:
    """Parse the headers of a part, as they stand before its content."""
    return _head(parse_headers(block))


def _head(headers: Headers) -> Head:
    mime, fields = parameters(headers.raw("content-type"))
    disposition, disposed = parameters(headers.raw("content-disposition"))
    name = disposed.get("filename") or fields.get("name") or disposed.get("name") or fields.get("filename") or ""
    encoding = _ENCODING.match(headers.raw("content-transfer-encoding"))
    return Head(headers.fields, mime, fields, disposition, name, encoding[1].lower() if encoding else "")


@lru_cache(maxsize=1024)
def _known_head(block: bytes) -> Head | None:
    """Return the headers of a block with only fields. Cached, because most parts repeat the headers of others."""
    fields = regular_fields(block)
    return None if fields is None else _head(Headers(fields))


class _Walker:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = MOST_PARTS

    def node(self, head: Head, start: int, end: int, depth: int, default: str, *, ended: bool = True) -> Node:
        mime = head.mime
        if "/" not in mime:
            mime = mime if mime == "text" else default
        if not mime.startswith("multipart/") or depth >= DEEPEST or "boundary" not in head.parameters:
            plain = "text/plain" if mime.startswith("multipart/") and depth < DEEPEST else mime
            return Part(head, plain, start, end, ended)
        inner = "message/rfc822" if mime == "multipart/digest" else "text/plain"
        parts: list[Node] = []
        boundary = head.parameters["boundary"].encode("utf-8", "replace").rstrip()
        ranges = self._ranges(boundary, start, end, depth)
        found_first = next(ranges, None)
        if found_first is not None:
            ranges = chain((found_first,), ranges)
        elif unannounced := _UNANNOUNCED.search(self._data, start, end):
            ranges = self._ranges(unannounced[1].rstrip(), start, end, depth)
        for first, last, closed in ranges:
            if self._left <= 0:  # the rest becomes one file that is not parsed
                parts.append(Part(head, "multipart/mixed", first, end, ended))
                break
            self._left -= 1
            part, begin = self._part(first, last)
            parts.append(self.node(part, begin, max(begin, last), depth + 1, inner, ended=closed))
        if not parts:
            return Part(head, "text/plain", start, end, ended)
        return Multipart(mime, tuple(parts))

    def _part(self, start: int, stop: int) -> tuple[Head, int]:
        """Return a part's headers, and the offset of its content."""
        last, blank = blank_line(self._data, start, stop)
        known_head = _known_head(self._data[start:last]) if blank and last - start < _SHORT else None
        if known_head is not None:
            return known_head, last + blank
        headers = parse_headers(self._data, start, stop)
        return _head(headers), headers.end

    def _ranges(self, boundary: bytes, start: int, end: int, depth: int) -> Iterator[tuple[int, int, bool]]:
        """Yield the ranges of the parts. The line end before a boundary belongs to the boundary."""
        mark = b"--" + boundary
        data = self._data
        marks = _found_marks if depth < _USUAL_DEPTH else _matched_marks
        opened = -1
        for mark_at, line_end, last_one in marks(data, mark, start, end):
            if opened >= 0:
                last = mark_at - 1 - (data[mark_at - 2 : mark_at - 1] == b"\r")
                yield opened, max(opened, last), True
            opened = -1 if last_one else line_end
            if last_one:
                return
        if opened >= 0:
            yield opened, end, False


_Marks = Iterator[tuple[int, int, bool]]
"""The start and end of each boundary line, and whether it is the closing one."""


def _found_marks(data: bytes, mark: bytes, start: int, end: int) -> _Marks:
    place = start
    while (position := data.find(mark, place, end)) >= 0:
        place = position + len(mark)
        if position > start and data[position - 1] != 0x0A:
            continue
        line_end = data.find(b"\n", place, end)
        line_end = end if line_end < 0 else line_end + 1
        tail = data[place:line_end].strip()
        if tail in (b"", b"--"):
            place = line_end
            yield position, line_end, bool(tail)


def _matched_marks(data: bytes, mark: bytes, start: int, end: int) -> _Marks:
    """Find boundary lines like `_found_marks`, with one compiled expression.

    A mail of a hundred levels with lines that all look like boundaries is searched a hundred times.
    """
    blank = rb"[ \t\r\v\f]*+"
    pattern = re.compile(re.escape(mark) + blank + rb"(--)?+" + blank + rb"(?:\n|\Z)")
    for match in pattern.finditer(data, start, end):
        if match.start() == start or data[match.start() - 1] == 0x0A:
            yield match.start(), match.end(), match[1] is not None


def decoded_bytes(data: bytes, part: Part) -> bytes:
    """Return a part's content without its transfer encoding; for damaged content, the readable part."""
    raw = data[part.start : part.end]
    encoding = part.head.encoding
    if encoding == "quoted-printable":
        return binascii.a2b_qp(raw)
    if encoding == "base64":
        return base64_bytes(raw) if _is_base64(raw) else raw
    if encoding in ("x-uuencode", "uuencode", "x-uue", "uue"):
        match = _UU.search(raw)
        return _uudecoded(match[2]) if match else raw
    return raw


def _is_base64(raw: bytes) -> bool:
    """Return whether a content is base64 as declared; programs that write plain text there have blanks in most lines.

    An encoded first line suffices: mailing lists add their footer in plain text below a short encoded text.
    """
    if _BASE64_LINE.match(raw):
        return True
    lines = raw[: 80 * _TOLD_BY].split(b"\n")[:_TOLD_BY]
    return 2 * sum(_NO_BASE64.search(line) is not None for line in lines) <= sum(bool(line.strip()) for line in lines)


def _uudecoded(lines: bytes) -> bytes:
    result = bytearray()
    for line in lines.splitlines():
        try:
            result += binascii.a2b_uu(line)
        except binascii.Error:
            continue
    return bytes(result)


def size_of(data: bytes, part: Part) -> int:
    """Return the size of a part's content in bytes, without decoding base64."""
    encoding = part.head.encoding
    length = part.end - part.start
    if encoding == "base64":
        breaks = data.count(b"\n", part.start, part.end) + data.count(b"\r", part.start, part.end)
        padding = data[max(part.start, part.end - 8) : part.end].count(b"=")
        return max(0, (length - breaks) * 3 // 4 - padding)
    return length if encoding in ("", "7bit", "8bit", "binary") else len(decoded_bytes(data, part))


def text_of(data: bytes, part: Part) -> str:
    """Return a part's text with line feeds as line ends and words broken by ``DelSp`` joined, else verbatim."""
    text = decode_text(decoded_bytes(data, part), part.head.parameters.get("charset", ""))
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    flowed = part.head.parameters.get("format", "").lower() == "flowed"
    if flowed and part.head.parameters.get("delsp", "").lower() == "yes":
        text = re.sub(r"(?<!\n--) \n(?![>\n])", "", text)
    return text


def attachment_of(data: bytes, part: Part, *, cut: bool = False, left_out: int | None = None) -> Attachment:
    """Return the description of a file; a missing name is made from its type.

    Args:
        data: the mail.
        part: the part with the file.
        cut: whether the end of the mail is missing.
        left_out: the size of the file in bytes, if its content is known to be elsewhere.
    """
    name = part.head.name.replace("\0", "").replace("\\", "/").rpartition("/")[2].strip()
    if not name:
        kind = "mail" if part.mime == "message/rfc822" else part.mime.partition("/")[0] or "file"
        name = f"{kind}.{_EXTENSIONS.get(part.mime, 'bin')}"
    if left_out is not None:
        return Attachment(name=name, mime=part.mime, size=left_out)
    missing = "x-apple-content-length" in part.head.fields and not data[part.start : part.end].strip()
    size = None if (cut and not part.ended) or missing else size_of(data, part)
    return Attachment(name=name, mime=part.mime, size=size, missing=missing)


def without_uuencoded(text: str) -> tuple[str, list[Attachment]]:
    """Return a text without the uuencoded files in it, and those files."""
    if "\nend" not in text or (not text.startswith("begin ") and "\nbegin " not in text):
        return text, []
    data = text.encode("utf-8", "replace")
    files: list[Attachment] = []
    kept: list[bytes] = []
    place = 0
    for match in _UU.finditer(data):
        if not match[2].strip():
            continue
        name = match[1].decode("utf-8", "replace").strip() or "file.bin"
        files.append(Attachment(name=name, size=len(_uudecoded(match[2]))))
        kept.append(data[place : match.start()])
        place = match.end()
    if not files:
        return text, []
    kept.append(data[place:])
    return b"".join(kept).decode("utf-8", "replace"), files
