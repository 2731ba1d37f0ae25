"""Decodes ISO-2022-JP as Windows and phones write it: with NEC's row 13 (①, ㈱, Ⅲ), IBM's letters and half-width kana."""

from __future__ import annotations

import re

_SWITCH = re.compile(rb"\x1b(?:\$[@B]|\([BJI]|\$\(D)|[\x0e\x0f]")
JAPANESE = re.compile(rb"\x1b(?:\$[@B]|\(I)")
"""Matches the sign by which text that declares nothing is known to be Japanese."""
_ROMAN, _KANA, _KANJI, _MORE_KANJI = range(4)
_SETS = {
    b"\x1b$@": _KANJI,
    b"\x1b$B": _KANJI,
    b"\x1b$(D": _MORE_KANJI,
    b"\x1b(I": _KANA,
    b"\x0e": _KANA,
    b"\x1b(B": _ROMAN,
    b"\x1b(J": _ROMAN,
    b"\x0f": _ROMAN,
}


def decode_iso2022jp(data: bytes) -> str | None:
    """Return the text; None if the bytes are no such text."""
    result: list[str] = []
    characters, place = _ROMAN, 0
    try:
        for switch in _SWITCH.finditer(data):
            result.append(_decoded(data[place : switch.start()], characters))
            characters, place = _SETS[switch[0]], switch.end()
        result.append(_decoded(data[place:], characters))
    except (UnicodeError, ValueError):
        return None
    return "".join(result)


def _decoded(data: bytes, characters: int) -> str:
    """Decode bytes of one set of characters.

    Raises:
        ValueError: they are none of this set.
    """
    if not data:
        return ""
    if characters == _KANJI:
        lines = data.split(b"\n")  # each line begins in ASCII, but not every program says so
        return "\n".join(bytes(_shifted(line)).decode("cp932") for line in lines)
    if characters == _MORE_KANJI:
        return (b"\x1b$(D" + data + b"\x1b(B").decode("iso2022_jp_2")
    if characters == _KANA:
        return bytes(each | 0x80 if 0x21 <= each <= 0x5F else each for each in data).decode("cp932")
    return data.decode("ascii" if data.isascii() else "cp932")


def _shifted(data: bytes) -> bytearray:
    """Return pairs of JIS X 0208 in Shift JIS."""
    result = bytearray()
    place = 0
    while place < len(data):
        first = data[place]
        if first < 0x21:  # blanks and line ends among the pairs
            result.append(first)
            place += 1
            continue
        if place + 1 == len(data) or not (0x21 <= first <= 0x7E and 0x21 <= data[place + 1] <= 0x7E):
            raise ValueError("no pair")
        second = data[place + 1]
        result.append((first + 1) // 2 + (0x70 if first < 0x5F else 0xB0))
        if first % 2:
            result.append(second + (0x1F if second < 0x60 else 0x20))
        else:
            result.append(second + 0x7E)
        place += 2
    return result
