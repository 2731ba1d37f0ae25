"""Files that are read as a whole: their bytes up to a cap, their text, and the document made of each. No format here."""

from __future__ import annotations

from contextlib import suppress

from ...schemas import Notice, Rejected
from ...schemas.errors import SourceError
from ..connector import Member
from ..opening.recognised_member import RecognisedMember
from ..text.charset import Decoded, decode
from ..text.unicode import as_utf8

FILE_CAP = 16 * 1024 * 1024
"""The largest size in bytes of a file that is read as one text."""
HEAD = 64 * 1024
"""The number of bytes by which a file is recognised."""


def whole_file(member: Member, cap: int = FILE_CAP) -> bytes | Rejected:
    """Return the bytes of a file.

    Raises:
        SourceError: it cannot be read.
    """
    if (member.size or 0) <= cap:
        with member.open() as stream:
            data = stream.read(cap + 1)
        if len(data) <= cap:
            return data
    return Rejected(locator=member.locator, reason=f"more than {cap} bytes in one file")


def whole_text(member: Member, cap: int = FILE_CAP) -> Decoded | Rejected:
    """Return the text of a file.

    Raises:
        SourceError: it cannot be read.
    """
    data = whole_file(member, cap)
    if isinstance(data, Rejected):
        return data
    return decode(data) or Rejected(locator=member.locator, reason="not a text")


def head_text(member: Member, size: int = 4096) -> str:
    """Return the beginning of a file as text; empty if it is no text.

    Raises:
        SourceError: it cannot be read.
    """
    if isinstance(member, RecognisedMember):
        return member.once(("text", size), lambda: _head_text(member, size))
    return _head_text(member, size)


def _head_text(member: Member, size: int) -> str:
    with member.open() as stream:
        head = stream.read(size)
    decoded = decode(head, cut=len(head) == size)
    return "" if decoded is None else decoded.text


def head_of(member: Member, size: int = HEAD) -> bytes:
    """Return the first bytes of a file, in UTF-8 if it has another byte order mark; none if it cannot be read."""
    if isinstance(member, RecognisedMember):
        return member.once(("bytes", size), lambda: _head_of(member, size))
    return _head_of(member, size)


def _head_of(member: Member, size: int) -> bytes:
    with suppress(SourceError), member.open() as stream:
        return as_utf8(stream).stream.read(size)
    return b""


def encoding_notices(member: Member, decoded: Decoded) -> list[Notice]:
    """Return notices for people about the way a text was decoded."""
    notices: list[Notice] = []
    if decoded.assumed:
        hint = f"nothing in the file tells its encoding; it was read as {decoded.encoding}"
        notices.append(Notice(code="encoding-assumed", locator=member.locator, hint=hint))
    if decoded.replaced:
        hint = f"bytes that are no text in {decoded.encoding} became U+FFFD"
        notices.append(Notice(code="undecodable-bytes", locator=member.locator, hint=hint))
    return notices
