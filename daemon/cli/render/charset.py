"""The characters that a terminal can show: in a character set smaller than Unicode, the nearest replacement, and its
width.

The standard streams do the replacing, so that no line that is printed can forget it; `width_of_character` knows of it, so
that lines are cut and wrapped by what will stand there. A file or a pipe gets the text as it is.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import unicodedata
from collections.abc import Iterator, Mapping

_HANDLER = "memd.nearest"
_NEAREST = {
    "…": "...", "·": "-", "–": "-", "—": "--", "‐": "-", "‑": "-", "−": "-", "│": "|", "┃": "|", "█": "#", "→": "->",
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "•": "*", "×": "x", "\u00a0": " ",
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L",
    "ı": "i", "€": "EUR",
}  # fmt: skip
"""Characters that no decomposition leads to one of ASCII."""
_NO_WIDTH = "\u200b\u200c\u200d\u200e\u200f\u2060"
_EMOJI_STYLE = "\ufe0f"
_JOINER = "\u200d"
_SKIN_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
_FLAG_LETTERS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))
"""Two of them are a flag."""
_LONGEST_CLUSTER = 32
"""Characters that are kept together."""


class TerminalCharset:
    """The character set of the terminal that is written to; None for all of Unicode."""

    encoding: str | None = None


def adapt_streams(environ: Mapping[str, str] | None = None) -> None:
    """Make the standard streams that are terminals write what those can show. A stream that fails at no character stays."""
    variables = os.environ if environ is None else environ
    TerminalCharset.encoding = None
    for stream in (sys.stdout, sys.stderr):
        # No locale makes an answer fail: where people do not read, codes stand for what cannot be encoded.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
            encoding = "ascii" if is_ascii_locale(variables) else codecs.lookup(stream.encoding).name
            if stream.isatty() and encoding != "utf-8":
                stream.reconfigure(encoding=encoding, errors=_HANDLER)
                TerminalCharset.encoding = encoding


def is_ascii_locale(environ: Mapping[str, str]) -> bool:
    """Return whether the user chose the locale ``C``. Python writes UTF-8 in it, as it does if no locale is set, which
    is no choice.
    """
    chosen = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or ""
    return chosen in ("C", "POSIX")


def escaped_json(text: str) -> str:
    """JSON with codes in the place of what the terminal cannot show: the same JSON to whoever copies it."""
    if TerminalCharset.encoding is None:
        return text
    units = text.encode("utf-16-be", "surrogatepass")
    codes = (units[at] << 8 | units[at + 1] for at in range(0, len(units), 2))
    return "".join(chr(code) if code < 128 else f"\\u{code:04x}" for code in codes)


def nearest(character: str) -> str:
    """ASCII for a character: a letter without its accents, a sign for a sign, else a question mark."""
    if character.isascii():
        return character
    if character in _NEAREST:
        return _NEAREST[character]
    plain = "".join(each for each in unicodedata.normalize("NFKD", character) if each.isascii())
    return plain or ("?" if width_in_unicode(character) and character != _EMOJI_STYLE else "")


def width_of_character(character: str) -> int:
    """Columns on the terminal."""
    if TerminalCharset.encoding is not None and not character.isascii():
        try:
            character.encode(TerminalCharset.encoding)
        except UnicodeEncodeError:
            return len(nearest(character))
    return width_in_unicode(character)


def width_in_unicode(character: str) -> int:
    """Most of East Asian writing and emoji take two columns, marks none; what makes a sign an emoji, one more."""
    if (
        character == _EMOJI_STYLE
    ):  # of a heart or a sun, which have one column without it; a terminal may leave it at that
        return 1
    if unicodedata.category(character) in ("Mn", "Me") or character in _NO_WIDTH or "\u1160" <= character <= "\u11ff":
        return 0  # the last are vowels and finals of Korean syllables in pieces
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def clusters(text: str) -> Iterator[str]:
    """The text in parts that no line divides: a letter with its marks, an emoji with its skin tone, a family, a flag."""
    if text.isascii():
        yield from text
        return
    part = ""
    for character in text:
        # Whoever chains characters without end gets them divided.
        if part and len(part) < _LONGEST_CLUSTER and _goes_on(part, character):
            part += character
        else:
            if part:
                yield part
            part = character
    if part:
        yield part


def _goes_on(part: str, character: str) -> bool:
    if part[-1] == _JOINER or character in _NO_WIDTH or character in _SKIN_TONES or character == _EMOJI_STYLE:
        return True
    if unicodedata.category(character) in ("Mn", "Me", "Mc") or "\u1160" <= character <= "\u11ff":
        return True
    return len(part) == 1 and part in _FLAG_LETTERS and character in _FLAG_LETTERS


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(nearest, error.object[error.start : error.end])), error.end


codecs.register_error(_HANDLER, _replace)
