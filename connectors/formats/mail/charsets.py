"""Decodes the bytes of mail: with the declared encoding, else UTF-8, else a guessed encoding, else Windows-1252."""

from __future__ import annotations

import codecs
from functools import lru_cache
from string import ascii_letters

from charset_normalizer import from_bytes

from ....schemas.model import valid_unicode
from ...text.alphabets import encoding_by_alphabet, other_cyrillic
from ...text.iso2022jp import JAPANESE, decode_iso2022jp

_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "latin-1": "cp1252",
    "iso8859-9": "cp1254",
    "ks_c_5601-1987": "cp949",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "ascii": "utf-8",
    "big5": "big5hkscs",
}
"""Replacements for encodings that programs declare although they write a superset."""
_OTHER_NAMES = {
    "ks_c_5601": "cp949",
    "unicode-1-1-utf-7": "utf-7",
    "utf8mb4": "utf-8",
    "cp-850": "cp850",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-6-i": "iso8859-6",
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
    "unknown-8bit": "",
    "x-unknown": "",
}
_NO_TEXT = frozenset({"unicode_escape", "raw_unicode_escape", "idna", "punycode", "undefined", "unicode_internal"})
_SINGLE_BYTES = frozenset(
    {"mac-roman", "koi8-r", "koi8-u", "cp437", "cp850", "cp866", "cp874"}
    | {f"cp125{number}" for number in range(9)}
    | {f"iso8859-{number}" for number in range(1, 17) if number != 12}
)
"""Encodings of one byte for each letter, whose texts are practically never valid UTF-8."""
_WIDER = {"euc_jp": "euc_jisx0213"}
"""Encodings with further letters, for texts that the declared one cannot decode: EUC of Windows has ① and ㈱."""
_KOREAN = b"\x1b$)C"
_SAMPLE = 32 * 1024
_HIGH = bytes(range(128, 256))
_LETTERS = ascii_letters.encode()
_TELLING = 12
"""The smallest number of non-ASCII bytes for a guess."""
_UNLIKELY = ("utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "utf_32_be", "utf_7")
_FEW = 100
"""The fewest characters per undecodable place for a damaged text; with fewer the encoding must be another one."""


@lru_cache(maxsize=512)
def codec_of(name: str) -> str:
    """Return the name of Python's codec for a declared encoding; empty if it is unknown."""
    plain = name.strip().strip("\"'").lower()
    plain = _OTHER_NAMES.get(plain, plain)
    if not plain or len(plain) > 60:
        return ""
    try:
        codec = codecs.lookup(plain).name
        "".encode(codec)  # refuses codecs that do not encode text
    except (LookupError, UnicodeError, ValueError):
        return ""
    return "" if codec in _NO_TEXT else _SUPERSETS.get(codec, codec)


def decode_text(data: bytes, declared: str = "") -> str:
    """Return the text; bytes that no encoding can decode become U+FFFD. Never raises."""
    codec = codec_of(declared) if declared else ""
    if data.isascii():
        if b"\x1b" not in data:
            if codec in ("", "utf-8"):
                return data.decode("ascii")
        elif JAPANESE.search(data):
            text = _strictly(data, codec if codec.startswith("iso2022") else "iso2022_jp")
            text = decode_iso2022jp(data) if text is None else text
            if text is not None:
                return text
        elif _KOREAN in data and (text := _strictly(data, "iso2022_kr")) is not None:
            return text
    elif not codec and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        codec = "utf-16"
    elif codec in _SINGLE_BYTES:
        codec = _really(data, codec)
    for name in dict.fromkeys((codec or "utf-8", _WIDER.get(codec, "utf-8"), "utf-8")):
        text = _strictly(data, name)
        if text is not None:
            return text
    damaged = data.decode(codec or "utf-8", "replace")
    if 0 < damaged.count("\N{REPLACEMENT CHARACTER}") * _FEW <= len(damaged):
        return damaged
    guessed = _strictly(data, _guess(data))
    return data.decode("cp1252", "replace") if guessed is None else guessed


def _really(data: bytes, codec: str) -> str:
    """Return the encoding of non-ASCII bytes for which one of single bytes is declared: UTF-8 if they are valid as such,
    and a guess if most letters are none of the Latin alphabet that is declared.
    """
    if _strictly(data, "utf-8") is not None:
        return "utf-8"
    if codec == "cp1252":
        high = len(data) - len(data.translate(None, _HIGH))
        if high >= _TELLING and high > len(data) - len(data.translate(None, _LETTERS)):
            return _guess(data)
        return encoding_by_alphabet(data[:_SAMPLE]) or codec
    return other_cyrillic(data, codec)


def _strictly(data: bytes, codec: str) -> str | None:
    try:
        text = data.decode(codec)
        return str(valid_unicode(text)) if codec.startswith("utf-") and codec != "utf-8" else text
    except (LookupError, UnicodeError, ValueError):
        return None


def _guess(data: bytes) -> str:
    """Return the encoding that the bytes suggest; Windows-1252 if few of them are non-ASCII."""
    sample = data[:_SAMPLE]
    if len(data.translate(None, _HIGH)) * 2 > len(data) and (codec := encoding_by_alphabet(sample)):
        return codec
    if len(sample) - len(sample.translate(None, _HIGH)) < _TELLING:
        return "cp1252"
    best = from_bytes(sample, cp_exclusion=list(_UNLIKELY)).best()
    return "cp1252" if best is None else best.encoding
