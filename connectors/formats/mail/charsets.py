"""Decodes the bytes of mail: with the declared encoding, else UTF-8, else a guessed encoding, else Windows-1252."""

from __future__ import annotations

import codecs
from functools import lru_cache

from charset_normalizer import from_bytes

from ....schemas.model import valid_unicode

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
_SAMPLE = 32 * 1024
_HIGH = bytes(range(128, 256))
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
    if codec in ("", "utf-8") and data.isascii() and b"\x1b" not in data:
        return data.decode("ascii")
    for name in dict.fromkeys((codec or "utf-8", "utf-8")):
        text = _strictly(data, name)
        if text is not None:
            return text
    damaged = data.decode(codec or "utf-8", "replace")
    if 0 < damaged.count("\N{REPLACEMENT CHARACTER}") * _FEW <= len(damaged):
        return damaged
    guessed = _strictly(data, _guess(data))
    return data.decode("cp1252", "replace") if guessed is None else guessed


def _strictly(data: bytes, codec: str) -> str | None:
    try:
        text = data.decode(codec)
        return str(valid_unicode(text)) if codec.startswith("utf-") and codec != "utf-8" else text
    except (LookupError, UnicodeError, ValueError):
        return None


def _guess(data: bytes) -> str:
    """Return the encoding that the bytes suggest; Windows-1252 if few of them are non-ASCII."""
    sample = data[:_SAMPLE]
    if len(sample) - len(sample.translate(None, _HIGH)) < _TELLING:
        return "cp1252"
    best = from_bytes(sample, cp_exclusion=list(_UNLIKELY)).best()
    return "cp1252" if best is None else best.encoding
