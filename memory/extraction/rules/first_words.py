"""The words with which what a pattern matches can begin: at most places in a text a pattern need not be tried at all."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from .pattern import FRAGMENTS, VALUES
from .prefilter import folded

_LETTERS = re.compile(r"[^\W\d_]*")
_LETTER = re.compile(r"[^\W\d_]")
_NAMED = re.compile(r"<(=?)([a-z_]+)>")
_OPENS = re.compile(r"\((?:\?(?:P<\w+>|<?[=!]|[a-z-]*:))?")
_REPEATS = re.compile(r"(?:([?*+])|\{(\d*)(,?)(\d*)\})[?+]?")
_UNKNOWN_IN_CLASS = re.compile(r"^\^|.-.|\\[^sdW\W]")
_NO_LETTERS = frozenset("sdW")
"""Escaped letters that stand for what is no letter of a word."""
_MOST = 20_000
"""Words of one pattern; of more of them nothing is said."""


class Beginnings(NamedTuple):
    """How what a part of a pattern matches can begin, in letters without case."""

    words: frozenset[str]
    """Whole words: behind each comes what is no letter. The empty word stands for what is no letter."""
    parts: frozenset[str]
    """Letters that all of the part can consist of, so that what comes behind it may go on with them."""
    open: frozenset[str]
    """Letters that any others may follow."""


_NONE: frozenset[str] = frozenset()
_NOTHING = Beginnings(_NONE, frozenset({""}), _NONE)
_NO_LETTER = Beginnings(frozenset({""}), _NONE, _NONE)
_ANYTHING = Beginnings(_NONE, _NONE, frozenset({""}))


def first_word(text: str, place: int) -> str:
    """The letters that stand in a text from a place on, as `first_words` has them; none where it is no letter."""
    found = _LETTERS.match(text, place)
    return "" if found is None else folded(found[0])


@cache
def first_words(pattern: str) -> frozenset[str] | None:
    """The letters, without case, that stand in a text from where such a pattern matches on; None where any can.

    An empty word stands for what is no letter. What must or must not stand around a match is not looked at: there may
    be words that no match begins with.
    """
    begins = beginnings(pattern)
    return None if begins.open else begins.words | begins.parts


def beginnings(pattern: str) -> Beginnings:
    """How what a pattern matches can begin; it is one of a table, or a regular expression without ``<name>``."""
    return _alternatives(pattern, 0)[0]


def _alternatives(text: str, place: int) -> tuple[Beginnings, int]:
    """What stands from a place on up to the end of its group, and where that is."""
    found: list[Beginnings] = []
    while True:
        begins, place = _sequence(text, place)
        found.append(begins)
        if text[place : place + 1] != "|":
            return _any_of(found), place
        place += 1


def _any_of(found: list[Beginnings]) -> Beginnings:
    return Beginnings(*(frozenset[str]().union(*each) for each in zip(*found, strict=True)))


def _sequence(text: str, place: int) -> tuple[Beginnings, int]:
    begins = _NOTHING
    while place < len(text) and text[place] not in "|)":
        if not begins.parts:
            place = _skipped(text, place)
            continue
        after, place = _atom(text, place)
        repeats = _REPEATS.match(text, place)
        if repeats is not None:
            after, place = _repeated(after, repeats), repeats.end()
        begins = _followed(begins, after)
    return begins, place


def _followed(one: Beginnings, other: Beginnings) -> Beginnings:
    if len(one.parts) * sum(map(len, other)) > _MOST:
        return Beginnings(one.words, _NONE, one.open | one.parts)
    words, parts, unbound = (frozenset(part + more for part in one.parts for more in each) for each in other)
    return Beginnings(one.words | words, parts, one.open | unbound)


def _repeated(begins: Beginnings, repeats: re.Match[str]) -> Beginnings:
    sign, least, comma, most = repeats.groups()
    once = sign == "?" or (sign is None and (most if comma else least) in ("0", "1"))
    parts, unbound = begins.parts, begins.open
    if not once:  # letters that come again, or others of the same part
        unbound = unbound | (parts - {""})
        parts = parts & {""}
    if sign in ("?", "*") or least in ("", "0"):
        parts = parts | {""}
    return Beginnings(begins.words, parts, unbound)


def _skipped(text: str, place: int) -> int:
    """Behind whatever stands at a place."""
    if text[place] == "\\":
        return place + 2
    if text[place] == "[":
        return _end_of_class(text, place)
    if text[place] != "(":
        return place + 1
    opens = _OPENS.match(text, place)
    place = place + 1 if opens is None else opens.end()
    while place < len(text) and text[place] != ")":
        place = _skipped(text, place)
    return place + 1


def _end_of_class(text: str, place: int) -> int:
    end = place + 2 if text[place + 1] == "^" else place + 1
    end += text[end] == "]"
    while text[end] != "]":
        end += 2 if text[end] == "\\" else 1
    return end + 1


def _atom(text: str, place: int) -> tuple[Beginnings, int]:
    sign = text[place]
    if sign == "(":
        return _group(text, place)
    if sign == "[":
        end = _end_of_class(text, place)
        return _of_class(text[place + 1 : end - 1]), end
    if sign == "\\":
        return _escaped(text[place + 1]), place + 2
    named = _NAMED.match(text, place)
    if named is not None:
        return _of_name(named[2], of_value=bool(named[1])), named.end()
    if sign == ".":
        return _ANYTHING, place + 1
    return (_NOTHING if sign == "^" else _literal(sign)), place + 1  # nothing comes behind the end, as behind a word


def _group(text: str, place: int) -> tuple[Beginnings, int]:
    opens = _OPENS.match(text, place)
    if opens is None or (opens[0] == "(" and text[place + 1] == "?"):  # what no row has
        return _ANYTHING, len(text)
    if opens[0] in ("(?=", "(?!", "(?<=", "(?<!"):
        return _NOTHING, _skipped(text, place)
    begins, end = _alternatives(text, opens.end())
    return begins, end + 1


def _escaped(sign: str) -> Beginnings:
    if sign in "bB":
        return _NOTHING
    if sign in _NO_LETTERS:
        return _NO_LETTER
    return _ANYTHING if sign.isalnum() else _literal(sign)


def _of_class(inside: str) -> Beginnings:
    if _UNKNOWN_IN_CLASS.search(inside):
        return _ANYTHING
    return _any_of([_literal(sign) for sign in re.sub(r"\\[sdW]", " ", inside).replace("\\", "")])


def _literal(sign: str) -> Beginnings:
    return Beginnings(_NONE, frozenset({folded(sign)}), _NONE) if _LETTER.match(sign) else _NO_LETTER


@cache
def _of_name(name: str, *, of_value: bool) -> Beginnings:
    text = VALUES.get(name) if of_value else FRAGMENTS.get(name, VALUES.get(name))
    if text is None or name == "place":  # words may stand before a place, see `spelled_out`
        return _ANYTHING
    return beginnings(text)
