"""The values of a response: atoms, strings, literals, NIL, and lists of values. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .errors import ProtocolError
from .frames import Literal, ReaderLimits


class Atom(str):
    r"""A word or number without quotes: ``FLAGS``, ``\Seen``, ``42``, ``BODY[HEADER]<0>``. Bytes that are no UTF-8 stand as
    lone surrogates, as in file names.
    """

    __slots__ = ()


Value = Any
"""`Atom`; bytes for a quoted string; `Literal`; None for NIL; a list of values."""

_TOKEN = re.compile(
    rb"""[ \t\r]*(?:
        (?P<bracket>[()])
        | "(?P<quoted>[^"\\]*(?:\\.[^"\\]*)*)"
        | (?P<atom>[^ \t\r()"]+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(rb"[ \t\r]*\Z")
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_OPEN_SECTION = re.compile(rb"(?:BODY|BINARY)(?:\.PEEK|\.SIZE)?\[[^\]]*\Z", re.IGNORECASE)
_REST_OF_SECTION = re.compile(rb'(?:[^\]"]|"[^"\\]*(?:\\.[^"\\]*)*"){0,20000}\](?:<\d{1,19}>)?', re.DOTALL)
_NUMBER = re.compile(r"\d{1,20}\Z", re.ASCII)


def parse_values(pieces: Iterable[bytes | Literal], limits: ReaderLimits) -> list[Value]:
    """The values that stand in text and literals.

    Raises:
        ProtocolError: a bracket or a quote is not closed, or the limits are passed.
    """
    open_lists: list[list[Value]] = [[]]
    count = 0
    for piece in pieces:
        if isinstance(piece, Literal):
            open_lists[-1].append(piece)
            count += 1
            continue
        position = 0
        while (token := _TOKEN.match(piece, position)) is not None:
            position = token.end()
            count += 1
            if count > limits.values:
                raise ProtocolError(f"a response has more than {limits.values} values")
            if token["bracket"] is None:
                value, position = _word(piece, token)
                open_lists[-1].append(value)
            elif token["bracket"] == b"(":
                if len(open_lists) > limits.depth:
                    raise ProtocolError(f"a response nests lists deeper than {limits.depth}")
                inner: list[Value] = []
                open_lists[-1].append(inner)
                open_lists.append(inner)
            elif len(open_lists) == 1:
                raise ProtocolError("a response closes a list that is not open")
            else:
                open_lists.pop()
        if not _BLANK.match(piece, position):
            raise ProtocolError("a response has a quote that is not closed")
    if len(open_lists) > 1:
        raise ProtocolError("a response has a list that is not closed")
    return open_lists[0]


def _word(piece: bytes, token: re.Match[bytes]) -> tuple[Value, int]:
    """A quoted string or an atom, and where it ends."""
    quoted: bytes | None = token["quoted"]
    if quoted is not None:
        return _ESCAPED.sub(rb"\1", quoted) if b"\\" in quoted else quoted, token.end()
    text: bytes = token["atom"]
    if not _OPEN_SECTION.match(text):
        return _atom(text), token.end()
    # A name such as BODY[HEADER.FIELDS (DATE FROM)]<0> has blanks and brackets in it.
    rest = _REST_OF_SECTION.match(piece, token.end())
    if rest is None:
        raise ProtocolError("a response has a section that is not closed")
    return _atom(piece[token.start("atom") : rest.end()]), rest.end()


def _atom(text: bytes) -> Atom | None:
    if text[:1] == b"{":
        raise ProtocolError("a response has a literal without bytes")
    return None if text.upper() == b"NIL" else Atom(text.decode("utf-8", "surrogateescape"))


def number_of(value: Value) -> int:
    """A number.

    Raises:
        ProtocolError: it is none.
    """
    if isinstance(value, Atom) and _NUMBER.match(value):
        return int(value)
    raise ProtocolError("a response has something else where a number must be")


def bytes_of(value: Value) -> bytes | None:
    """What an atom, a string or a literal says; None for NIL.

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
    """A list; NIL counts as an empty one.

    Raises:
        ProtocolError: it is none.
    """
    if value is None:
        return []
    if isinstance(value, list):
        return value  # pyright: ignore[reportUnknownVariableType]
    raise ProtocolError("a response has something else where a list must be")


def word_of(value: Value) -> str:
    """An atom or a string in capitals, such as the name of a field; the empty string for NIL.

    Raises:
        ProtocolError: it is a list.
    """
    return (bytes_of(value) or b"").decode("utf-8", "surrogateescape").upper()
