"""A search for words in a file's bytes, to skip files that cannot contain them without parsing their records."""

from __future__ import annotations

from ...schemas.errors import SourceError
from ..connector import Member
from .unicode import as_utf8

_CHUNK = 1 << 20


def may_hold(member: Member, words: str) -> bool:
    """Return whether a file of JSON or HTML may contain these words, in any case.

    False is certain, as far as the file can be read. Words that such files may write with escapes are always possible.
    """
    if not words.isascii() or not words.replace("_", "a").replace(".", "a").replace(" ", "a").isalnum():
        return True
    needle = words.lower().encode()
    tail = b""
    try:
        with member.open() as stream:
            text = as_utf8(stream).stream
            while chunk := text.read(_CHUNK):
                data = tail + chunk.lower()
                if needle in data:
                    return True
                tail = data[-len(needle) :]
    except SourceError:
        return True  # whoever reads it tells that
    return False
