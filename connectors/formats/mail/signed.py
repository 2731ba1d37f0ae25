"""Finds the words within signatures: S/MIME that holds the signed mail itself, and the text armour of OpenPGP. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

_DEEPEST = 20
_MOST = 500_000
"""The largest number of elements that are read of one mail: a second of time. Programs cut a mail into pieces of 1,000 bytes
or more.
"""
_CONSTRUCTED, _CONTEXT, _OCTETS, _SEQUENCE = 0x20, 0xA0, 0x04, 0x30
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_ENCRYPTED_TEXT = re.compile(
    r"^-----BEGIN PGP MESSAGE-----[^\S\n]*\n(?:[^-\n][^\n]*\n|\n)*+-----END PGP MESSAGE-----", re.MULTILINE
)
_SIGNED_TEXT = re.compile(r"^-----BEGIN PGP SIGNED MESSAGE-----[^\S\n]*\n(?:[A-Za-z]+: [^\n]*\n)*+\n?", re.MULTILINE)
_SIGNATURE = re.compile(r"^-----BEGIN PGP SIGNATURE-----[^\S\n]*\n(?:[^-\n][^\n]*\n|\n)*+-----END PGP SIGNATURE-----[^\S\n]*(?:\n|\Z)", re.MULTILINE)  # fmt: skip
_ESCAPED = re.compile(r"^- (?=-|From )", re.MULTILINE)
_ARMOUR = "-----BEGIN PGP "
ENCRYPTED = "[encrypted]"


def without_armour(text: str) -> tuple[str, bool]:
    """Return a text without the lines that OpenPGP writes around signed words, and whether some of it is encrypted."""
    if _ARMOUR not in text:
        return text, False
    text, encrypted = _ENCRYPTED_TEXT.subn(ENCRYPTED, text)
    text, signed = _SIGNED_TEXT.subn("", text)
    if signed:
        text = _ESCAPED.sub("", _SIGNATURE.sub("", text))
    return "" if text.strip() == ENCRYPTED else text, bool(encrypted)


def signed_mail(data: bytes) -> bytes | None:
    """Return the mail within signed data (RFC 5652, section 5); None if the data is something else, damaged, or made of more
    than `_MOST` elements.
    """
    elements = _Elements(data)
    try:
        kind, outer = islice(elements.within(elements.at(0)), 2)
        if data[kind.start : kind.stop] != _SIGNED_DATA:
            return None
        _, _, content = islice(elements.within(next(elements.within(outer))), 3)
        if content.tag != _SEQUENCE:
            return None
        _, wrapped = islice(elements.within(content), 2)
        return elements.octets(next(elements.within(wrapped))) if wrapped.tag == _CONTEXT else None
    except (IndexError, StopIteration, ValueError):
        return None


class _Element(NamedTuple):
    """An element of ASN.1 in the basic encoding."""

    tag: int
    start: int
    stop: int
    behind: int


class _Elements:
    """Reads the elements of one mail's data, no more than `_MOST`: each is read once for each element of unstated length
    around it.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = _MOST

    def at(self, place: int, depth: int = 0) -> _Element:
        """Return the element at an offset.

        Raises:
            IndexError: the data ends before.
            ValueError: it is nested too deep, or in no order that signed mail has.
        """
        data, self._left = self._data, self._left - 1
        tag, length, start = data[place], data[place + 1], place + 2
        if tag & 0x1F == 0x1F or depth > _DEEPEST or self._left < 0:
            raise ValueError("not an element of signed mail")
        if length != 0x80:  # of a definite length
            if length > 0x80:
                count = length - 0x80
                length, start = int.from_bytes(data[start : start + count], "big"), start + count
            if start + length > len(data):
                raise IndexError(start + length)
            return _Element(tag, start, start + length, start + length)
        end = start
        while data[end : end + 2] != b"\0\0":
            end = self.at(end, depth + 1).behind
        return _Element(tag, start, end, end + 2)

    def within(self, element: _Element) -> Iterator[_Element]:
        """Yield the elements right below one."""
        place = element.start
        while place < element.stop:
            child = self.at(place)
            yield child
            place = child.behind

    def octets(self, element: _Element) -> bytes:
        """Return the bytes of a string, which may be cut into several."""
        if element.tag == _OCTETS:
            return self._data[element.start : element.stop]
        if element.tag != _OCTETS | _CONSTRUCTED:
            raise ValueError("not a string of octets")
        return b"".join(self._data[each.start : each.stop] for each in self.within(element) if each.tag == _OCTETS)
