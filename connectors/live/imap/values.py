"""The values of a response: atoms, strings, literals, NIL, and lists of values. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .errors import ProtocolError
from .frames import Literal, ReaderLimits


class Atom(str):
    r"""A word or number without quotes: ``FLAGS``, ``\Seen``, ``42``, ``BODY[HEADER]<0>``. Bytes that are not UTF-8
    become lone surrogates, as in file names.
    """

    __slots__ = ()


Value = Any
"""`Atom`; bytes for a quoted string; `Literal`; None for NIL; a list of values."""

_TOKEN = re.compile(
    rb"""[ \t\r]*(?:
        ([^ \t\r()"\[{]+(?![^ \t\r()"]))
        | ([()])
        | "([^"\\]*(?:\\.[^"\\]*)*)"
        | ([^ \t\r()"]+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_PLAIN, _BRACKET, _QUOTED = 1, 2, 3
"""Groups of a token: an atom without brackets and braces, a bracket, a quoted string. The last are other atoms."""
_BLANK = re.compile(rb"[ \t\r]*\Z")
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_OPEN_SECTION = re.compile(rb"(?:BODY|BINARY)(?:\.PEEK|\.SIZE)?\[[^\]]*\Z", re.IGNORECASE)
_REST_OF_SECTION = re.compile(rb'(?:[^\]"]|"[^"\\]*(?:\\.[^"\\]*)*"){0,20000}\](?:<\d{1,19}>)?', re.DOTALL)
_LONGEST_NUMBER = 20
"""Digits."""
_FREQUENT = {
    name.encode(): Atom(name)
    for name in ("FETCH", "UID", "FLAGS", "RFC822.SIZE", "MODSEQ", "X-GM-LABELS", "X-GM-THRID", "\\Seen", "\\Answered")
}
"""Atoms of nearly every mail, made once."""


def parse_values(pieces: Iterable[bytes | Literal], limits: ReaderLimits) -> list[Value]:
    """Return the values in text and literals.

    Raises:
        ProtocolError: a bracket or a quote is not closed, or the limits are passed.
    """
    open_lists: list[list[Value]] = [[]]
    count = 0
    match = _TOKEN.match
    for piece in pieces:
        if isinstance(piece, Literal):
            open_lists[-1].append(piece)
            count += 1
            continue
        position, end = 0, len(piece)
        while position < end and (token := match(piece, position)) is not None:
            position = token.end()
            count += 1
            if count > limits.values:
                raise ProtocolError(f"a response has more than {limits.values} values")
            kind = token.lastindex
            if kind == _PLAIN:
                text = token[1]
                open_lists[-1].append(_FREQUENT.get(text) or _atom(text))
            elif kind != _BRACKET:
                value, position = _word(piece, token)
                open_lists[-1].append(value)
            elif token[2] == b"(":
                if len(open_lists) > limits.depth:
                    raise ProtocolError(f"a response nests lists deeper than {limits.depth}")
                inner: list[Value] = []
                open_lists[-1].append(inner)
                open_lists.append(inner)
            elif len(open_lists) == 1:
                raise ProtocolError("a response closes a list that is not open")
            else:
                open_lists.pop()
        if position < end and not _BLANK.match(piece, position):
            raise ProtocolError("a response has a quote that is not closed")
    if len(open_lists) > 1:
        raise ProtocolError("a response has a list that is not closed")
    return open_lists[0]


def _word(piece: bytes, token: re.Match[bytes]) -> tuple[Value, int]:
    """Return a quoted string or an atom that is not plain, and the position of its end."""
    if token.lastindex == _QUOTED:
        quoted = token[3]
        return _ESCAPED.sub(rb"\1", quoted) if b"\\" in quoted else quoted, token.end()
    text = token[4]
    if not _OPEN_SECTION.match(text):
        return _atom(text), token.end()
    # A name such as BODY[HEADER.FIELDS (DATE FROM)]<0> contains blanks and brackets.
    rest = _REST_OF_SECTION.match(piece, token.end())
    if rest is None:
        raise ProtocolError("a response has a section that is not closed")
    return _atom(piece[token.start(4) : rest.end()]), rest.end()


def _atom(text: bytes) -> Atom | None:
    if text[:1] == b"{":
        raise ProtocolError("a response has a literal without bytes")
    return None if len(text) == 3 and text.upper() == b"NIL" else Atom(text.decode("utf-8", "surrogateescape"))


def number_of(value: Value) -> int:
    """Return the number in an atom.

    Raises:
        ProtocolError: it is none.
    """
    if isinstance(value, Atom) and len(value) <= _LONGEST_NUMBER and value.isascii() and value.isdigit():
        return int(value)
    raise ProtocolError("a response has something else where a number must be")


def bytes_of(value: Value) -> bytes | None:
    """Return the bytes of an atom, a string or a literal; None for NIL.

    Raises:
        ProtocolError: it is a list.
    """
    match value:
        case None | bytes():
            return value
        case Literal():
            return value.data
        case Atom():
            return value.encode("utf-8", "surrogateescape")
        case _:
            raise ProtocolError("a response has a list where a string must be")


def list_of(value: Value) -> list[Value]:
    """Return a list; NIL counts as an empty one.

    Raises:
        ProtocolError: it is none.
    """
    if value is None:
        return []
    if isinstance(value, list):
        return value  # pyright: ignore[reportUnknownVariableType]
    raise ProtocolError("a response has something else where a list must be")


def word_of(value: Value) -> str:
    """Return an atom or a string in capitals, such as the name of a field; the empty string for NIL.

    Raises:
        ProtocolError: it is a list.
    """
    if isinstance(value, Atom):
        return value.upper()
    return (bytes_of(value) or b"").decode("utf-8", "surrogateescape").upper()
