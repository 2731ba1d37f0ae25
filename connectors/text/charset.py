"""Whole texts from bytes by evidence: a mark, zero bytes, valid UTF-8, else an old encoding. Pure.

For small files without any structure of their own; formats that are streamed have their own reader.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass

_MARKS = (  # the longer mark first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_EVIDENCE = 4096
_SEQUENCE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH = re.compile(rb"[\x80-\xff]+")
_CYRILLIC = re.compile(rb"[\x00-\x7f\xa8\xb8\xc0-\xff]*")
"""Matches text whose letters are where Windows-1251 has the Russian ones; in two-byte encodings, one byte of a
character is often below them.
"""
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_CONTROL = re.compile("[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_BYTES = bytes(code for code in range(128) if _CONTROL.match(chr(code)))
_CONTROLS_PER_THOUSAND = 5
_FREE_CONTROLS = 3
"""The number of stray control characters that are no evidence: bytes may have been damaged."""
_TELLING = 4
"""The least number of characters beyond ASCII for recognising a two-byte encoding."""
_MAGICS = (b"%PDF-", b"{\\rtf", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\x1f\x8b", b"SQLite format 3\0")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and how it was read."""

    text: str
    encoding: str
    """The name that Python knows it by."""
    assumed: bool = False
    """True if nothing in the file names this encoding; it is the likeliest of several."""
    replaced: bool = False
    """Some bytes were no text in this encoding and became U+FFFD."""


def wide_encoding(head: bytes) -> str:
    """UTF-16 without a mark: every second byte of Latin text, of digits and of blanks is zero. Empty for others."""
    sample = head[: min(len(head), _EVIDENCE) // 2 * 2]
    if len(sample) < 4:
        return ""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    # Blanks and line ends alone give some zeros to text of any script; the other half must have next to none.
    if odd * 10 >= half and even * 20 <= odd:
        return "utf-16-le"
    if even * 10 >= half and odd * 20 <= even:
        return "utf-16-be"
    return ""


def decode(data: bytes, *, cut: bool = False) -> Decoded | None:
    """Return the text, without its byte order mark; None if the bytes are no text.

    Args:
        data: a file, or its beginning.
        cut: whether it is only the beginning, so that a last character may be incomplete.
    """
    if data.startswith(_MAGICS):
        return None
    decoded = _decoded(data, cut)
    if len(data.translate(None, _CONTROL_BYTES)) == len(data):  # nearly all: no encoding has them without these bytes
        return decoded
    controls = len(_CONTROL.findall(decoded.text))
    return None if controls > _FREE_CONTROLS + len(decoded.text) * _CONTROLS_PER_THOUSAND // 1000 else decoded


def _decoded(data: bytes, cut: bool) -> Decoded:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _with(data[len(mark) :], encoding, cut)
    if wide := wide_encoding(data):
        return _with(data, wide, cut, assumed=True)
    utf8 = _with(data, "utf-8", cut)
    if not utf8.replaced or _mostly_utf8(data):
        return utf8
    for two_byte, is_common, share in () if _CYRILLIC.fullmatch(data) else _TWO_BYTES:
        decoded = _with(data, two_byte, cut, assumed=True)
        if not decoded.replaced and _is_east_asian(decoded.text[:_EVIDENCE], is_common, share):
            return decoded
    encoding = _one_byte(data)
    text = data.decode(encoding, "replace")
    return Decoded(text, encoding, assumed=True, replaced="\ufffd" in text)


def _with(data: bytes, encoding: str, cut: bool, *, assumed: bool = False) -> Decoded:
    try:
        return Decoded(codecs.getincrementaldecoder(encoding)().decode(data, final=not cut), encoding, assumed)
    except UnicodeDecodeError:
        return Decoded(data.decode(encoding, "replace"), encoding, assumed, replaced=True)


def _mostly_utf8(data: bytes) -> bool:
    """Return whether the data is UTF-8 with a few damaged places: single-byte encodings seldom form valid sequences by
    chance.
    """
    valid = invalid = 0
    for run in _HIGH.finditer(data):
        rest = _SEQUENCE.sub(b"", run[0])
        valid += len(_SEQUENCE.findall(run[0]))
        invalid += len(rest)
    return valid > invalid


def _is_east_asian(text: str, is_common: Callable[[str], bool], share: float) -> bool:
    """Return whether the letters of a text are frequent East Asian ones, and stand next to each other.

    A byte of an old Western encoding forms such a letter together with the byte behind it, as in ``don’t`` or ``20°C``:
    each of these stands alone.
    """
    runs = _BEYOND_ASCII.findall(text)
    letters = "".join(runs)
    in_rows = sum(len(run) for run in runs if len(run) > 1)
    return (
        len(letters) >= _TELLING
        and 2 * in_rows >= len(letters)
        and sum(map(is_common, letters)) >= share * len(letters)
    )


def _is_kana(letter: str) -> bool:
    return "\u3041" <= letter <= "\u30ff"


def _is_hangul(letter: str) -> bool:
    return "\uac00" <= letter <= "\ud7a3"


def _is_simplified(letter: str) -> bool:
    """Among the 3,755 most used characters of GB 2312, or punctuation as wide as they are."""
    return _is_wide(letter) or b"\xb0\xa1" <= letter.encode("gb2312", "replace") < b"\xd8"


def _is_traditional(letter: str) -> bool:
    """Among the 5,401 most used characters of Big5, or punctuation as wide as they are."""
    return _is_wide(letter) or b"\xa4\x40" <= letter.encode("big5", "replace") < b"\xc6\x7f"


def _is_wide(letter: str) -> bool:
    return "\u2010" <= letter <= "\u203f" or "\u3000" <= letter <= "\u303f" or "\uff00" <= letter <= "\uffef"


_TWO_BYTES: tuple[tuple[str, Callable[[str], bool], float], ...] = (
    ("cp932", _is_kana, 0.3),
    ("euc_jp", _is_kana, 0.3),
    ("cp949", _is_hangul, 0.9),
    ("gb18030", _is_simplified, 0.85),
    ("big5hkscs", _is_traditional, 0.85),
)
"""The East Asian encodings, each with the test for characters that are frequent in its texts, and their least share of
the non-ASCII characters.
"""


def _one_byte(data: bytes) -> str:
    """Cyrillic when most letters are in its place of the table, else Western European."""
    letters = sum(run.end() - run.start() for run in re.finditer(rb"[A-Za-z]+", data))
    high = sum(run.end() - run.start() for run in re.finditer(rb"[\xc0-\xff]+", data))
    return "cp1251" if high > letters else "cp1252"
