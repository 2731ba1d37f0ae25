"""Recognises encodings of one byte by alphabets: of text whose declared encoding makes letters of no language, and of Cyrillic text
that is declared as the other of two encodings. Pure.
"""

from __future__ import annotations

import re
from itertools import chain

_WESTERN = "äöüßéèêëàâçîïôûùñáíóúåæøœãõìòÿºª"
_TURKISH = "çğıöşüâîûİ"
_DOTLESS = b"\xfd"
"""The commonest letter of Turkish in its encoding: without it the text may be Icelandic."""
_ALPHABETS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("cp1252",), _WESTERN),
    (("cp1254",), _TURKISH),
    (("cp1252",), "áéíóúýþæöð"),  # Icelandic
    (("cp1250", "iso8859-2"), "ąćęłńóśźż"),  # Polish
    (("cp1250", "iso8859-2"), "áčďéěíňóřšťúůýž"),  # Czech
    (("cp1250", "iso8859-2"), "áäčďéíĺľňóôŕšťúýž"),  # Slovak
    (("cp1250", "iso8859-2"), "áéíóöőúüű"),  # Hungarian
    (("cp1250", "iso8859-2"), "čćđšž"),  # Croatian, Slovenian
    (("cp1250", "iso8859-2"), "ăâîşţ"),  # Romanian
)
"""Encodings and the letters beyond ASCII of languages that are written in them, the likeliest first."""
_PUNCTUATION = frozenset("–—‘’‚“”„…€«»°§·•\u00a0´`´®©™½¼×")
_LEAST = 4
"""The smallest number of letters beyond ASCII that tell an alphabet, of which two must differ."""
_SWAPPED = re.compile(r"[а-яё][А-ЯЁ]{2,}")
"""Matches a word of Cyrillic that another encoding of it makes of ``Привет``: the small letters of one are the capitals of
the other.
"""
_PROPER = re.compile(r"(?<![А-яЁё])[А-ЯЁ]?[а-яё]{2,}(?![А-яЁё])")
_UKRAINIAN = re.compile(rb"[\xc0-\xff][\xa4\xa6\xa7\xad\xb4\xb6\xb7\xbd]|[\xa4\xa6\xa7\xad\xb4\xb6\xb7\xbd][\xc0-\xff]")
"""Matches letters of KOI8-U, which KOI8-R draws as lines of boxes, beside other letters."""


def encoding_by_alphabet(data: bytes) -> str:
    """Return the first encoding in which all letters beyond ASCII belong to one language; empty if there is none, or
    too few letters.
    """
    high = bytes(each for each in data if each > 127)
    if len(high) < _LEAST or len(set(high)) < 2:
        return ""
    for codecs, letters in _ALPHABETS:
        if letters is _TURKISH and _DOTLESS not in high:
            continue
        allowed = frozenset(chain(letters, letters.upper())) | _PUNCTUATION
        for codec in codecs:
            text = high.decode(codec, "replace")
            if allowed.issuperset(text) and sum(map(str.isalpha, text)) >= _LEAST:
                return codec
    return ""


def other_cyrillic(data: bytes, codec: str) -> str:
    """Return the Cyrillic encoding of bytes that are declared in one: the other one of two if most words would have a small
    letter before capitals, KOI8-U if letters of Ukrainian would be lines.
    """
    if codec == "koi8-r" and _UKRAINIAN.search(data):
        codec = "koi8-u"
    other = {"cp1251": "koi8-u", "koi8-r": "cp1251", "koi8-u": "cp1251"}.get(codec)
    if other is None:
        return codec
    text = data.decode(codec, "replace")
    if not _SWAPPED.search(text) or _PROPER.search(text):
        return codec
    return other if _PROPER.search(data.decode(other, "replace")) else codec
