"""No regular expression of memd takes exponential time: each meets its own words and signs, repeated, in any order, and cut off.

A repetition inside a repetition, or a word that stands twice among alternatives that are repeated, takes exponential time on
what both of them take. What that is stands in the pattern itself, so the texts are made of it, and end in what matches
nothing. Each pattern is used as the code uses it.
"""

from __future__ import annotations

import importlib
import random
import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, cast

import pytest

import memd
from memd.memory.extraction.rules.engine import LONG, PATTERNS
from memd.memory.extraction.rules.pattern import Pattern, spelled_out
from memd.tests.extraction.test_rule_examples import SINGLE
from memd.tests.hostile.test_linear_time import TooMuchProcessorTime, processor_time

pytestmark = pytest.mark.slow

SECONDS = 2.0
"""Of processor time for one text, and for all texts of one row of the rules; the slowest text takes 0.2, the slowest row 0.1."""
MOST_WORDS = 40
COMPANIES = 12
LENGTH = 200
END = "\x01"
PACKAGES = ("schemas", "connectors", "memory", "daemon")
_LITERAL = re.compile(r"(?<![\\\w])[^\W_]+|[^\w\s\\()\[\]{}?*+|^$]")
_NO_TEXT = re.compile(r"\\.|\(\?P<\w+>|\(\?[a-z-]*:|\(\?<?[=!]|\\[xu]\w+")
_USE = re.compile(r"(\w+)\.(match|fullmatch|search|finditer|findall|subn?|split)\b")
_ANY_TEXT = ("a", "Aa", "1", " ", "\n", "/", "-", ".")


def vocabulary(pattern: str) -> list[str]:
    """The words and signs that stand in a pattern, its lists of words included; parts of words, too."""
    words = list(dict.fromkeys(_LITERAL.findall(_NO_TEXT.sub(" ", pattern))))
    chosen = random.Random(repr(pattern))
    return words if len(words) <= MOST_WORDS else chosen.sample(words, MOST_WORDS)


def companies(words: list[str], drawn: random.Random) -> Iterator[list[str]]:
    """Each of the words alone, some in twos and threes, and all of them."""
    yield from ([word] for word in words)
    for count in (2, 3) * (COMPANIES // 2):
        yield drawn.sample(words, min(count, len(words)))
    yield words


def sequence(words: list[str], count: int, drawn: random.Random) -> list[str]:
    """So many of the words, at random."""
    return words * count if len(words) == 1 else drawn.choices(words, k=count)


# --- patterns of modules ---


@cache
def sources() -> Mapping[str, str]:
    """The text of every module by its name."""
    root = Path(memd.__path__[0])
    files = [file for package in PACKAGES for file in sorted((root / package).rglob("*.py"))]
    return {
        ".".join(("memd", *file.relative_to(root).with_suffix("").parts)): file.read_text("utf-8") for file in files
    }


@cache
def uses() -> Mapping[str, frozenset[str]]:
    """By the name of a variable, the methods that are called on it anywhere."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for text in sources().values():
        for name, method in _USE.findall(text):
            found[name].add(method)
    return {name: frozenset(methods) for name, methods in found.items()}


def patterns_of(package: str) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The patterns that modules of a package hold, each once."""
    seen: set[re.Pattern[Any]] = set()
    for module in sources():
        if not module.startswith(f"memd.{package}.") or module.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module)).items():
            pattern = cast("re.Pattern[Any]", value)
            if isinstance(value, re.Pattern) and pattern not in seen:
                seen.add(pattern)
                yield name, pattern


def texts_of(pattern: str) -> Iterator[str]:
    """Texts of the words of a pattern, with nothing, blanks or lines between them."""
    words = [*vocabulary(pattern), *_ANY_TEXT]
    drawn = random.Random(repr(pattern))
    for among in companies(words, drawn):
        for between in ("", " ", "\n"):
            yield between.join(sequence(among, LENGTH // 2, drawn))[:LENGTH] + END


def use(pattern: re.Pattern[Any], methods: frozenset[str], text: Any) -> None:
    """As the code does."""
    for method in methods & {"match", "fullmatch", "search"}:
        getattr(pattern, method)(text)
    if methods & {"finditer", "findall", "sub", "subn", "split"}:
        pattern.sub(text[:0], text)


def test_no_pattern_takes_long_for_its_own_words() -> None:
    """Used by each method that is called on a variable of its name."""
    slow: list[str] = []
    methods = uses()  # reading all sources takes as long as a text may
    for name, pattern in chain.from_iterable(patterns_of(package) for package in PACKAGES):
        is_text = isinstance(pattern.pattern, str)
        source = str(pattern.pattern if is_text else pattern.pattern.decode("latin-1"))
        for text in texts_of(source):
            try:
                with processor_time(SECONDS):
                    use(pattern, methods.get(name, frozenset()), text if is_text else text.encode("utf-8", "replace"))
            except TooMuchProcessorTime:
                slow.append(f"{name} = {source} takes long for {text[:40]!r}")
                break
    assert slow == []


# --- rows of the rules ---


def openings(row: Pattern) -> Iterator[str]:
    """Beginnings of the first example that the row reads, each a word longer; without one the first words of the pattern."""
    example = next((text for text in SINGLE if row.regex.search(text)), "")
    words = example.split() or vocabulary(spelled_out(row.words))[:4]
    for end in range(len(words) + 1):
        yield " ".join(words[:end])


def sentences_of(row: Pattern) -> Iterator[str]:
    """Texts as long as a sentence may be that the rules read: each opening before sequences of words of its own."""
    words = vocabulary(spelled_out(row.words))
    drawn = random.Random(row.words)
    for opening in openings(row):
        for among in companies(words, drawn):
            more = " ".join(sequence(among, LONG // 4, drawn))
            yield f"{opening} {more}"[: LONG - 2] + " " + END


def test_no_row_takes_long_for_its_own_words() -> None:
    """Matched where a claim begins, and looked for in the whole text where the row may stand anywhere."""
    slow: list[str] = []
    for row in PATTERNS:
        try:
            with processor_time(SECONDS):
                for text in sentences_of(row):
                    row.regex.match(text)
                    if row.anywhere:
                        for _ in row.regex.finditer(text):
                            pass
        except TooMuchProcessorTime:
            slow.append(f"{row.attribute}: {row.words}")
    assert slow == []


@pytest.mark.parametrize(
    "words",
    [
        r"ich (?:(?:wieder|seit (?:dem )?[^\W\d_]+(?: [^\W\d_]+)?) )*in xx",
        r"my (?:(?:dear|little|late|dear) )*aunt",
        r"i (?:(?:kid|kid sister|sister) )*from xx",
    ],
)
def test_such_texts_find_a_repetition_that_takes_a_word_in_two_ways(words: str) -> None:
    """Else these tests could not fail."""
    texts = sentences_of(Pattern("home", "", words, ""))
    with pytest.raises(TooMuchProcessorTime), processor_time(SECONDS / 4):
        deque((re.match(words, text) for text in texts), maxlen=0)
