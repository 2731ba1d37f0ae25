"""Finds the words within signatures: S/MIME that holds the signed mail itself, and the text armour of OpenPGP. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

_DEEPEST = 20
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
    """Return the mail within signed data (RFC 5652, section 5); None if the data is something else, or damaged."""
    try:
        kind, outer = _children(data, _element(data, 0, 0))[:2]
        signed = _children(data, _children(data, outer)[0])
        if data[kind.start : kind.stop] != _SIGNED_DATA or signed[2].tag != _SEQUENCE:
            return None
        wrapped = _children(data, signed[2])[1]
        return _octets(data, _children(data, wrapped)[0]) if wrapped.tag == _CONTEXT else None
    except (IndexError, ValueError):
        return None


class _Element(NamedTuple):
    """An element of ASN.1 in the basic encoding."""

    tag: int
    start: int
    stop: int
    behind: int


def _element(data: bytes, at: int, depth: int) -> _Element:
    """Return the element at an offset.

    Raises:
        IndexError: the data ends before.
        ValueError: it is nested too deep, or in no order that signed mail has.
    """
    tag, length, start = data[at], data[at + 1], at + 2
    if tag & 0x1F == 0x1F or depth > _DEEPEST:
        raise ValueError("not an element of signed mail")
    if length != 0x80:  # of a definite length
        if length > 0x80:
            count = length - 0x80
            length, start = int.from_bytes(data[start : start + count], "big"), start + count
        if start + length > len(data):
            raise IndexError(start + length)
        return _Element(tag, start, start + length, start + length)
    place = start
    while data[place : place + 2] != b"\0\0":
        place = _element(data, place, depth + 1).behind
    return _Element(tag, start, place, place + 2)


def _children(data: bytes, element: _Element) -> list[_Element]:
    result: list[_Element] = []
    place = element.start
    while place < element.stop:
        result.append(_element(data, place, 0))
        place = result[-1].behind
    return result


def _octets(data: bytes, element: _Element) -> bytes:
    """Return the bytes of a string, which may be cut into several."""
    if element.tag == _OCTETS:
        return data[element.start : element.stop]
    if element.tag != _OCTETS | _CONSTRUCTED:
        raise ValueError("not a string of octets")
    return b"".join(data[each.start : each.stop] for each in _children(data, element) if each.tag == _OCTETS)
