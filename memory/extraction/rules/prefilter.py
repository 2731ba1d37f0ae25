"""Which words a pattern cannot match without, read off the pattern itself, so that most patterns need not be tried.

A requirement is a list of clauses: of each, one word must be among the words of the text. Whatever is not understood
here requires nothing, so a pattern is tried too often at worst.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

Clause: TypeAlias = frozenset[str]

DIGIT = "0"
"""Stands for any digit."""
_APOSTROPHE = re.compile("['’]")
_APOSTROPHES = "['’]"
_DIGITS = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]+")
_QUANTIFIER = re.compile(r"[?*+][?+]?|\{\d*(?:,\d*)?\}[?+]?")
_OPENING = re.compile(r"\((?:\?(?:P<\w+>|-i:|:))?(?!\?)")
_AROUND = re.compile(r"\(\?<?[=!]")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_LETTERS = re.compile(r"[^\W\d_]|\\|\^")
_COMMON = 50
"""What a word of `_EVERYWHERE` counts, beside one that is rarer."""


@dataclass
class _Part:
    """A piece of a pattern, and what it says about the words of whatever it matches."""

    words: tuple[str, ...] = ()
    """The spellings of a run of letters; with a boundary on both sides it is a whole word."""
    digit: bool = False
    """It matches a digit."""
    apostrophe: bool = False
    """It matches one, or perhaps one."""
    boundary: bool = False
    """It matches something that is no letter."""
    choices: Sequence[Sequence[_Part]] = field(default_factory=tuple["Sequence[_Part]", ...])
    optional: bool = False


def words_of(text: str) -> set[str]:
    """The words of a text, to be compared with requirements; among them `DIGIT` when there is one. A word with an
    apostrophe is there in parts and as a whole.
    """
    folded = text.casefold()
    if not folded.isascii():  # where case does not count, both letters of Turkish are an i
        folded = folded.replace("\u0131", "i").replace("i\u0307", "i")
    found = set(_WORD.findall(folded))
    if _APOSTROPHE.search(folded):
        found.update(_WORD.findall(_APOSTROPHE.sub("", folded)))
    if _DIGITS.search(text):
        found.add(DIGIT)
    return found


_EVERYWHERE = words_of(
    "0 a am an and are as at be but by das de der die do dont el en es for got had has have i ich ill im in is it ive la me"
    " mein meine mi my no not of on our que so the to tu un una und was we were wir with y yo you"
)


def required(pattern: str) -> tuple[Clause, ...]:
    """The clauses of a regular expression in which a blank is white space and case does not count.

    It is to match where no letter stands before, and up to where none follows.
    """
    choices, rest = _choices(pattern, 0)
    if rest != len(pattern):
        return ()
    whole = choices[0] if len(choices) == 1 else [_Part(choices=choices)]
    return tuple(_clauses(whole, before=True, after=True))


def rarest(clauses: Sequence[Clause]) -> Clause | None:
    """The clause that the fewest texts fulfil, as far as one can tell."""
    return min(clauses, key=_cost, default=None)


def met(clauses: Sequence[Clause], words: Collection[str]) -> bool:
    """Whether a text with these words fulfils all of them."""
    return not any(clause.isdisjoint(words) for clause in clauses)


def _cost(clause: Clause) -> int:
    return sum(_COMMON if word in _EVERYWHERE else 1 for word in clause)


def _choices(pattern: str, at: int) -> tuple[list[list[_Part]], int]:
    """The alternatives from here to the end of the group, and where that is."""
    choices: list[list[_Part]] = [[]]
    while at < len(pattern) and pattern[at] != ")":
        if pattern[at] == "|":
            choices.append([])
            at += 1
            continue
        if around := _AROUND.match(pattern, at):  # takes up nothing: what follows it follows what precedes it
            at = _choices(pattern, around.end())[1] + 1
            continue
        part, at = _part(pattern, at)
        if times := _QUANTIFIER.match(pattern, at):
            part, at = _repeated(part, times[0]), times.end()
        _append(choices[-1], part)
    return choices, at


def _append(parts: list[_Part], part: _Part) -> None:
    """Letters go on where letters end, also over an apostrophe."""
    behind = parts[-2] if len(parts) > 1 and parts[-1].apostrophe else parts[-1] if parts else None
    if not part.words or behind is None or not behind.words:
        parts.append(part)
        return
    if parts[-1].apostrophe:
        parts.pop()
    parts[-1] = _Part(words=tuple(one + other for one in behind.words for other in part.words))


def _part(pattern: str, at: int) -> tuple[_Part, int]:
    if opening := _OPENING.match(pattern, at):
        choices, end = _choices(pattern, opening.end())
        return _Part(choices=choices), end + 1
    if letters := _CLASS.match(pattern, at):
        return _Part(boundary=not _LETTERS.search(letters[0]), apostrophe=letters[0] == _APOSTROPHES), letters.end()
    if pattern[at] == "\\":
        return _Part(boundary=pattern[at + 1] in "ds.", digit=pattern[at + 1] == "d"), at + 2
    if word := _WORD.match(pattern, at):
        return _Part(words=(word[0].casefold(),)), word.end()
    return _Part(boundary=pattern[at] in " ,:;/-'’"), at + 1


def _repeated(part: _Part, times: str) -> _Part:
    if part.words:  # what is repeated is its last letter
        return _Part(words=(*part.words, part.words[0][:-1])) if times == "?" and len(part.words[0]) > 1 else _Part()
    if times[0] == "+" or (times[0] == "{" and times[1] not in "0,}"):
        return part
    return replace(part, optional=True)


def _clauses(parts: Sequence[_Part], *, before: bool, after: bool) -> Iterator[Clause]:
    """What a sequence requires; ``before`` and ``after`` tell whether it stands between boundaries."""
    for index, part in enumerate(parts):
        if part.optional:
            continue
        if len(part.choices) == 1:  # a group without alternatives
            yield from _clauses(
                part.choices[0],
                before=_bounded(parts[:index][::-1], before, last=True),
                after=_bounded(parts[index + 1 :], after, last=False),
            )
            continue
        begins = _bounded(parts[:index][::-1], before, last=True)
        ends = _bounded(parts[index + 1 :], after, last=False)
        if part.digit:
            yield frozenset({DIGIT})
        elif part.words and begins and ends:
            yield frozenset(part.words)
        elif part.choices:
            found = [rarest(list(_clauses(choice, before=begins, after=ends))) for choice in part.choices]
            if all(found):
                yield frozenset().union(*(clause for clause in found if clause))


def _bounded(others: Sequence[_Part], edge: bool, *, last: bool) -> bool:
    """Whether a boundary is next to a place: ``others`` go away from it, ``last`` of each being the nearer end."""
    for other in others:
        if not _boundary(other, last=last):
            return False
        if not other.optional:
            return True
    return edge


def _boundary(part: _Part, *, last: bool) -> bool:
    """Whether what it matches, if anything, has a boundary at that end."""
    if part.choices:
        return all(
            bool(choice) and _bounded(choice[::-1] if last else choice, edge=False, last=last)
            for choice in part.choices
        )
    return part.boundary
