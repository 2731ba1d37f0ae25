"""The closed lists by which an answer is compared with its lines: words with their meanings in several languages, and
patterns that show the mode of a clause. They lie in `answer_words.txt` and `answer_patterns.txt`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ..text.analyzer import fold
from ..text.stopwords import stop_words
from ..text.word_files import numbered_lines, patterns

CJK = "\u3040-\u30ff\u3400-\u9fff々ー"
TOKEN = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+")
_FOLDER = Path(__file__).parent
_PATTERNS = patterns(_FOLDER / "answer_patterns.txt", re.IGNORECASE)
_SPACELESS = re.compile(f"[{CJK}]")
_PLAIN = ("light", "said", "verbs", "pronouns", "endings of names")
_TURKISH_DENIAL = re.compile(r"(?<=\w)m(?=[iu]yor)")


@dataclass(slots=True)
class _Lists:
    words: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The meanings of each word or phrase."""
    beginnings: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    spaceless: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    plain: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """The lists whose words have no meanings, by their section."""

    def enter(self, section: str, word: str, meaning: str) -> None:
        if section in _PLAIN:
            self.plain[section].add(word)
        elif _SPACELESS.search(word):
            self.spaceless[word].add(meaning)
        elif word.endswith("*"):
            self.beginnings[word[:-1]].add(meaning)
        else:
            self.words[word].add(meaning)

    def meanings(self, word: str) -> frozenset[str]:
        found = set(self.words.get(word, ()))
        for size in range(max(3, word.rfind(" ") + 2), len(word) + 1):
            found |= self.beginnings.get(word[:size], set())
        return frozenset(found)


@cache
def _lists() -> _Lists:
    lists = _Lists()
    for number, section, line in numbered_lines(_FOLDER / "answer_words.txt"):
        plain = section in _PLAIN  # each word of a phrase counts by itself
        for word in fold(line).replace("_", " " if plain else "_").split():
            lists.enter(section, word.rstrip("*") if plain else word.replace("_", " "), f"{section}:{number}")
    lists.plain["light"] |= lists.plain["said"]
    for language in ("en", "de", "es", "tr"):
        lists.plain["light"].update(map(fold, stop_words(language)))
    return lists


def pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a section of `answer_patterns.txt`."""
    return _PATTERNS[name]


@cache
def plain_list(section: str) -> frozenset[str]:
    """Return the folded words of a section of `answer_words.txt` that have no meanings."""
    return frozenset(_lists().plain[section])


def meanings_of(word: str) -> frozenset[str]:
    """Return the meanings of a folded word, or of several separated by blanks; a negated Turkish verb has those of the
    verb.
    """
    return _lists().meanings(word) or _lists().meanings(_TURKISH_DENIAL.sub("", word))


def parts_of(word: str) -> tuple[frozenset[str], ...]:
    """Return the meanings of both parts of a compound; nothing if it is none."""
    for at in range(4, len(word) - 3):
        if (first := _lists().meanings(word[:at])) and (second := _lists().meanings(word[at:])):
            return first, second
    return ()


@cache
def spaceless_words() -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the listed words of languages without blanks, the longest first, with their meanings."""
    listed = sorted(_lists().spaceless.items(), key=lambda each: -len(each[0]))
    return tuple((word, frozenset(meanings)) for word, meanings in listed)


@cache
def spaceless_light() -> tuple[str, ...]:
    """Return the light words of languages without blanks, the longest first."""
    return tuple(sorted(filter(_SPACELESS.match, plain_list("light")), key=lambda word: (-len(word), word)))


def is_light(word: str) -> bool:
    """Return whether a folded word has no meaning by itself."""
    return word in plain_list("light")


def tells_who_said(text: str) -> bool:
    """Return whether a sentence states the author or the time of a message."""
    folded, said = fold(text), plain_list("said")
    return not said.isdisjoint(TOKEN.findall(folded)) or any(word in folded for word in said if _SPACELESS.search(word))
