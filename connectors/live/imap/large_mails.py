"""Large mails without their files: the parts to fetch, and the reassembly for the parser. No I/O.

Everything but the content of large files is fetched. Of a file in base64 its first line and its last bytes are, which tell its
exact size. What does not fit together is an error here, and the mail is fetched whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...formats.mail.headers import parse_headers
from ...formats.mail.mime import DEEPEST, TEXTS, head_of
from .body_structure import BodyPart, body_parts, is_multipart
from .errors import ProtocolError
from .frames import Literal
from .responses import Fetch
from .values import Value

LARGE_MAIL = 64 * 1024
"""The size in bytes from which a mail is checked for files to leave out."""
LARGE_FILE = 16 * 1024
"""The encoded size in bytes from which a file is left out."""
MOST_PARTS = 40
"""The largest number of parts that are fetched one by one; a mail with more parts is fetched whole, since the length of
a command line is limited.
"""
_FIRST, _LAST = 200, 8
"""The bytes at the start and the end of a file that are fetched: a line of base64 has 76 and a line end."""
_AS_THEY_ARE = frozenset({"7bit", "8bit", "binary"})
_LINE_ENDS = re.compile(rb"(?:\r\n)*\Z")


@dataclass(frozen=True, slots=True)
class LargeMail:
    """The parts of a large mail that are fetched."""

    parts: tuple[BodyPart, ...]
    files: frozenset[str]
    """The sections of files that are left out."""
    multipart: bool

    @property
    def items(self) -> str:
        """Return the items to request with FETCH."""
        return " ".join(["BODY.PEEK[HEADER]", *(f"BODY.PEEK[{each}]{range_}" for each, range_ in self._sections())])

    def _sections(self) -> list[tuple[str, str]]:
        if not self.multipart:
            return self._content(self.parts[0])
        sections: dict[tuple[str, str], None] = {}
        for part in self.parts:
            numbers = part.section.split(".")
            sections |= {(f"{'.'.join(numbers[:depth])}.MIME", ""): None for depth in range(1, len(numbers) + 1)}
            sections |= dict.fromkeys(self._content(part))
        return list(sections)

    def _content(self, part: BodyPart) -> list[tuple[str, str]]:
        if part.section not in self.files:
            return [(part.section, "")]
        if part.encoding in _AS_THEY_ARE:
            return []
        return [(part.section, f"<0.{_FIRST}>"), (part.section, f"<{part.size - _LAST}.{_LAST}>")]


def large_mail(structure: Value) -> LargeMail | None:
    """Return the parts to fetch of a mail with this BODYSTRUCTURE; None: the whole mail.

    Raises:
        ProtocolError: it is none.
    """
    parts = body_parts(structure)
    files = frozenset(each.section for each in parts if _is_left_out(each))
    too_deep = any(each.section.count(".") >= DEEPEST - 1 for each in parts)
    return (
        None if not files or too_deep or len(parts) > MOST_PARTS else LargeMail(parts, files, is_multipart(structure))
    )


def _is_left_out(part: BodyPart) -> bool:
    if part.size < LARGE_FILE or part.encoding not in (*_AS_THEY_ARE, "base64"):
        return False
    return not _is_read(part.mime, part.disposition)


def _is_read(mime: str, disposition: str) -> bool:
    """Return whether a part's content may be shown as text; a part without a type counts as text."""
    main, _, sub = mime.partition("/")
    return not sub or main in ("message", "multipart") or (mime in TEXTS and disposition != "attachment")


def put_together(fetch: Fetch, mail: LargeMail) -> tuple[bytes, dict[int, int]]:
    """Return the mail without the content of its files, and the size of each file in bytes by the offset at which it
    would begin.

    Raises:
        ProtocolError: it does not fit together.
    """
    header = _section(fetch, "HEADER")
    if not mail.multipart:
        _check_file(header)
        return header, {len(header): _size(fetch, mail.parts[0])}
    built = _Built(fetch, mail, bytearray(header), {})
    built.children("", _boundary(header))
    return bytes(built.data), built.sizes


@dataclass(slots=True)
class _Built:
    fetch: Fetch
    mail: LargeMail
    data: bytearray
    sizes: dict[int, int]

    def children(self, prefix: str, boundary: bytes) -> None:
        """Add the parts below a multipart."""
        under = [part for part in self.mail.parts if part.section.startswith(prefix)]
        for number in dict.fromkeys(part.section[len(prefix) :].partition(".")[0] for part in under):
            section = f"{prefix}{number}"
            block = _section(self.fetch, f"{section}.MIME")
            self.data += b"--" + boundary + b"\r\n" + block
            leaf = next((part for part in under if part.section == section), None)
            if leaf is None:
                self.children(f"{section}.", _boundary(block))
            elif section in self.mail.files:
                _check_file(block)
                self.sizes[len(self.data)] = _size(self.fetch, leaf)
            else:
                self.data += _section(self.fetch, section)
            self.data += b"\r\n"
        self.data += b"--" + boundary + b"--\r\n"


def _section(fetch: Fetch, section: str, range_: str = "") -> bytes:
    content = fetch.section(f"BODY[{section}]{range_}")
    if content is None or (isinstance(content, Literal) and content.cut):
        raise ProtocolError("the server does not give a part of a mail")
    return content.data if isinstance(content, Literal) else content


def _boundary(block: bytes) -> bytes:
    """Between the parts of a multipart, as the parser of mails reads its headers."""
    head = head_of(block)
    boundary = head.parameters.get("boundary", "").encode("utf-8", "replace").rstrip()
    if not head.mime.startswith("multipart/") or not boundary or parse_headers(block).end != len(block):
        raise ProtocolError("a mail has other parts than the server says")
    return boundary


def _check_file(block: bytes) -> None:
    """Raise a ProtocolError unless the parser treats a part with these headers as a file, as the server does."""
    head = head_of(block)
    if _is_read(head.mime, head.disposition) or parse_headers(block).end != len(block):
        raise ProtocolError("a mail has a text where the server sees a file")


def _size(fetch: Fetch, part: BodyPart) -> int:
    """Return the size in bytes of a file that is left out."""
    if part.encoding in _AS_THEY_ARE:
        return part.size
    first, last = (_section(fetch, part.section, f"<{start}>") for start in (0, part.size - _LAST))
    return decoded_size(part.size, first, last)


def decoded_size(size: int, first: bytes, last: bytes) -> int:
    """Return the number of bytes encoded by ``size`` bytes of base64, by its first line and its end.

    Raises:
        ProtocolError: its lines are not regular.
    """
    line = first.find(b"\r\n")
    ends = _LINE_ENDS.search(last)
    assert ends is not None
    text = size - len(ends[0])
    if len(last) != _LAST or line < 1 or len(ends[0]) >= _LAST:
        raise ProtocolError("a file in base64 has no regular lines")
    breaks = (text + 1) // (line + 2)
    letters, padding = text - 2 * breaks, last.count(b"=")
    if letters % 4 or padding > 2:
        raise ProtocolError("a file in base64 has no regular lines")
    return letters * 3 // 4 - padding
