"""Random texts that a regular expression matches, drawn from its syntax tree: microseconds each, where hypothesis takes milliseconds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from random import Random
from typing import Any

ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n\t_.,:;!?()\"'’“„-–*&/%+=<>äöüßñéçğşžÄÖÉñıİſ٣日本аЯ🎂"
"""Where a class leaves the character open, it is one of these."""
MORE = 3
"""A repetition without a bound is at most so much longer than its least."""
CHANGED = 0.1
"""The share of letters that become another one that is the same where case does not count, and of blanks that become other white space."""
ALIKE = {"i": "ıİ", "s": "ſ", "k": "\u212a"}
"""Letters that are the same as others where case does not count, beside their capitals."""

Draw = Callable[[Random], str]


def matches(pattern: re.Pattern[str], number: int, chance: Random) -> Iterator[re.Match[str]]:
    """Matches in random texts; fewer than the number where what the tree alone says seldom matches.

    Args:
        pattern: without references to its groups.
        number: how many matches to yield at most.
        chance: where the texts come from.
    """
    draw = _sequence(import_module("re._parser").parse(pattern.pattern, pattern.flags), pattern.flags)
    found = 0
    for _ in range(number * 10):
        match = pattern.search(draw(chance) + chance.choice(("", "", " ", ". ", "!", " x", "\n")))
        if match is not None:
            yield match
            found += 1
            if found == number:
                return


def _sequence(tree: Any, flags: int) -> Draw:
    """The parts of a tree one after the other."""
    parts = [_part(str(operation), argument, flags) for operation, argument in tree]
    return parts[0] if len(parts) == 1 else lambda chance: "".join([part(chance) for part in parts])


def _part(operation: str, argument: Any, flags: int) -> Draw:  # noqa: PLR0911 - a kind of part each
    match operation:
        case "LITERAL":
            return _letter(chr(argument), bool(flags & re.IGNORECASE))
        case "NOT_LITERAL":
            return _one_of(_fitting(f"[^{re.escape(chr(argument))}]", flags, ALPHABET))
        case "ANY":
            return _one_of(_fitting(".", flags, ALPHABET))
        case "IN":
            return _class(argument, flags)
        case "BRANCH":
            branches = [_sequence(branch, flags) for branch in argument[1]]
            return lambda chance: chance.choice(branches)(chance)
        case "SUBPATTERN":
            _, added, removed, tree = argument
            return _sequence(tree, (flags | added) & ~removed)
        case "ATOMIC_GROUP":
            return _sequence(argument, flags)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, tree = argument
            return _repeated(_sequence(tree, flags), least, min(int(most), least + MORE))
        case "ASSERT":
            direction, tree = argument
            ahead = _sequence(tree, flags)
            return ahead if direction > 0 else _nothing  # what must follow is drawn, and may be what follows anyway
        case "ASSERT_NOT" | "AT":
            return _nothing
        case _:
            raise NotImplementedError(operation)


def _nothing(_chance: Random) -> str:
    return ""


@cache
def _letter(letter: str, either_case: bool) -> Draw:
    other = letter.swapcase()
    if not either_case or len(other) != 1 or other == letter:
        return lambda _: letter
    others = other + other + ALIKE.get(letter.lower(), "")
    return lambda chance: chance.choice(others) if chance.random() < CHANGED else letter


def _space(chance: Random) -> str:
    return " " if chance.random() > CHANGED else chance.choice("\n\t\u00a0")


def _one_of(letters: str) -> Draw:
    assert letters, "a class without a character of the alphabet"
    return lambda chance: chance.choice(letters)


def _repeated(part: Draw, least: int, most: int) -> Draw:
    return lambda chance: "".join([part(chance) for _ in range(chance.randint(least, most))])


def _class(members: Any, flags: int) -> Draw:
    """One character of a class."""
    names = [(str(kind), value) for kind, value in members]
    if len(names) == 1 and str(names[0][1]) == "CATEGORY_SPACE":
        return _space
    source = "".join(_source(kind, value) for kind, value in names)
    listed = "".join(chr(value) for kind, value in names if kind == "LITERAL")
    first = "".join(chr(value[0]) for kind, value in names if kind == "RANGE")
    return _one_of(_fitting(f"[{source}]", flags, ALPHABET) or _fitting(f"[{source}]", flags, listed + first))


def _source(kind: str, value: Any) -> str:
    """A member of a class as it is written."""
    match kind:
        case "NEGATE":
            return "^"
        case "LITERAL":
            return re.escape(chr(value))
        case "RANGE":
            return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
        case _:
            names = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}
            negated, name = "NOT_" in str(value), str(value).rpartition("_")[2]
            return "\\" + (names[name].upper() if negated else names[name])


@cache
def _fitting(source: str, flags: int, letters: str) -> str:
    """Those of some letters that a class has."""
    one = re.compile(source, flags & (re.IGNORECASE | re.DOTALL))
    return "".join(letter for letter in letters if one.fullmatch(letter))
