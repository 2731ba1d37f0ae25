"""The small files of a Takeout, which describe a chat or an account."""

from __future__ import annotations

from contextlib import suppress

from ....schemas.errors import SourceError
from ...connector import Member
from ...text.json_parsing import parse_json
from ...text.unicode import as_utf8

_CAP = 8 << 20


def small_value(member: Member) -> object:
    """The JSON value of a file; None where it cannot be read, or is larger than such files are."""
    with suppress(SourceError, ValueError), member.open() as stream:
        raw = as_utf8(stream).stream.read(_CAP + 1)
        return parse_json(raw).value if len(raw) <= _CAP else None
    return None
