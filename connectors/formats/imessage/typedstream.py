"""Reads the text of an attributed string archived by NSArchiver (a typed stream) or NSKeyedArchiver (a property list).
Pure.
"""

from __future__ import annotations

import re

from ...text.json_fields import object_of
from .property_list import archived_objects

OBJECT = "\N{OBJECT REPLACEMENT CHARACTER}"
"""The character that marks the place of a file in a text."""
_MAGIC = b"streamtyped"
_CLASS = b"NSString"
_FIELD = b"\x84\x01+"
"""The start of a field of type ``+``: a new type description of one character; then come the length and the bytes."""
_FIELD_DISTANCE = 32
"""The maximum number of bytes between the class's name and its field."""
_END = 0x86
_END_MARK = bytes([_END])
_FIRST_MARK = 0x80
"""The smallest byte that is a mark, and no length."""
_NEXT = b"\x86\x84"
"""The end of an object and the start of a new one: the attributes follow the string."""
_HEARD = b"IMAudioTranscription\x86"
"""The attribute with the words that a device heard in a voice message, and its end; its value comes next."""
_NO_WORDS = re.compile(r"[\x00-\x08\x0e-\x1f]")
_WIDTHS = {0x81: 2, 0x82: 4}
"""The number of length bytes (little-endian) by the mark before them."""


def attributed_text(archive: bytes) -> str | None:
    """Return the characters of an attributed string; None if the archive contains none or is of another kind."""
    if _MAGIC in archive[:32]:
        return _streamed(archive)
    if archive.startswith(b"bplist"):
        return _keyed(archive)
    return None


def _streamed(archive: bytes) -> str | None:
    named = archive.find(_CLASS)
    if named < 0:
        return None
    field = archive.find(_FIELD, named, named + len(_CLASS) + _FIELD_DISTANCE)
    if field < 0:
        return None
    at = field + len(_FIELD)
    if at >= len(archive):
        return None
    start, end = _bounds(archive, at)
    if end >= len(archive) or archive[end] != _END:  # a damaged length, or a cut archive
        position = archive.find(_NEXT, start)
        end = position if position >= 0 else min(end, len(archive))
    return archive[start:end].decode("utf-8", "replace")


def heard_words(archive: bytes) -> str:
    """Return the words that a device heard in a voice message; empty if the attributed string has none."""
    named = archive.find(_HEARD)
    if named < 0 or _MAGIC not in archive[:32]:
        return ""
    first = named + len(_HEARD)
    # The string's class comes next, as a reference or in words; then the length, which no mark below 0x80 begins.
    for at in range(first, min(first + 2 * _FIELD_DISTANCE, len(archive))):
        start, end = _bounds(archive, at)
        if (archive[at] >= _FIRST_MARK and start == at + 1) or start == end or archive[end : end + 1] != _END_MARK:
            continue
        try:
            words = archive[start:end].decode()
        except UnicodeDecodeError:
            continue
        if not _NO_WORDS.search(words):
            return words
    return ""


def _bounds(archive: bytes, at: int) -> tuple[int, int]:
    """Return where the bytes of a string begin and end whose length is here."""
    width = _WIDTHS.get(archive[at], 0)
    length = int.from_bytes(archive[at + 1 : at + 1 + width], "little") if width else archive[at]
    start = at + 1 + width
    return start, start + length


def _keyed(archive: bytes) -> str | None:
    """Return the string that the root of a keyed archive points to; the objects are in a list and refer to each other."""
    objects, root = archived_objects(archive)
    string = object_of(root).get("NSString", object_of(root).get("NS.string"))
    for _ in range(3):  # an attributed string, its mutable string, the plain one
        if isinstance(string, str):
            return string
        index = getattr(string, "data", None)
        if isinstance(index, int) and index < len(objects):
            string = objects[index]
        else:
            string = object_of(string).get("NS.string")
    return None
