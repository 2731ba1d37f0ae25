"""The authors of lines: a census of a file's authors, and the split of a line into author and body. Pure.

A header is followed by ``Author: body`` or, on lines without an author, by the bare text, which may hold ``: `` too
(``Ana changed the subject to “Trip: Rome”``). So the candidates in the file are counted first; names may hold `` - ``,
emoji, ``~`` before names that are not saved as contacts, marks around phone numbers, and even ``: ``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from ...times.locales import plain
from .message_body import fold_body, is_system
from .title import same_name

_LIMIT = 50_000
"""The maximum number of distinct strings counted; a group has at most 1,024 members, so strings beyond that are no
names.
"""

_LONGEST = 140
_LONGEST_SECOND = 60
_LONGEST_COMPOUND = _LONGEST + 2 + _LONGEST_SECOND
_NAMED_IN_SENTENCES = 200
_COLON_VARIETY = 8
_COLON_LEAST = 4
_OPEN_QUOTE = re.compile(r"[“„«「『](?=[^”“»」』]*$)|^[^\"]*\"(?:[^\"]*\"[^\"]*\")*[^\"]*$")
_TIGHT = re.compile(r"([^\n:]{1,140}):(?!//)")


@dataclass(slots=True)
class _Entry:
    """The counts for one string before ``: ``."""

    count: int = 0
    marked: int = 0
    """The number of bodies that begin with U+200E: WhatsApp's own words, or media."""
    further: dict[str, int] | None = field(default_factory=dict[str, int])
    """The counts of the strings before the next ``: ``, which may belong to a name with a colon; None if a body lacks
    the ``: `` or the strings are too many.
    """


@dataclass(slots=True)
class AuthorCounter:
    """Counts the strings that may be authors while a file streams by; bounded in size."""

    entries: dict[str, _Entry] = field(default_factory=dict[str, _Entry])
    tight: Counter[str] = field(default_factory=Counter[str])
    """The strings before a colon without a space (``Bob:Hi``), on lines without ``: ``."""

    def see(self, author: str, body: str) -> None:
        """Count a line by its text before and after its first ``: ``."""
        entry = self.entries.get(author)
        if entry is None:
            if "\n" in author or len(author) > _LONGEST or len(self.entries) >= _LIMIT:
                return
            entry = self.entries[author] = _Entry()
        entry.count += 1
        if body[:1] == "\u200e":
            entry.marked += 1
        if entry.further is not None:
            self._see_further(entry, body)

    def _see_further(self, entry: _Entry, body: str) -> None:
        second, colon, _ = body.partition(": ")
        further = entry.further
        if further is None or not colon or "\n" in second or len(second) > _LONGEST_SECOND:
            entry.further = None
        elif second in further or len(further) < _COLON_VARIETY:
            further[second] = further.get(second, 0) + 1
        else:
            entry.further = None

    def see_without(self, rest: str) -> None:
        """Count a line without ``: `` in its first line."""
        match = _TIGHT.match(rest)
        if match and (match[1] in self.tight or len(self.tight) < _LIMIT):
            self.tight[match[1]] += 1

    def has_unmarked(self) -> bool:
        """Return whether a body does not begin with U+200E."""
        return any(entry.marked < entry.count for entry in self.entries.values())

    def decide(self, title: str) -> Authors:
        """Decide which of the strings are authors."""
        names: dict[str, int] = {}
        compound: set[str] = set()
        for raw, entry in self.entries.items():
            wholes = self._with_colon(raw, entry, title)
            names |= wholes
            compound |= wholes.keys()
            if not wholes:
                names[raw] = entry.count
        people = {raw: n for raw, n in names.items() if raw in compound or _may_be_name(raw, n)}
        often = sorted((raw for raw, n in people.items() if n > 1), key=len, reverse=True)[:_NAMED_IN_SENTENCES]
        often = [fold_body(raw) + " " for raw in often]
        people = {raw: n for raw, n in people.items() if n > 1 or not _is_sentence_about(raw, often)}
        for raw, count in self.tight.items():
            if raw in people:
                people[raw] += count
            elif count > 1 and not self.entries and _may_be_name(raw, count):
                people[raw] = count
        only_marked = {raw for raw, entry in self.entries.items() if entry.marked == entry.count}
        return Authors(people, {raw: name_of(raw) for raw in people}, frozenset(compound), frozenset(only_marked))

    @staticmethod
    def _with_colon(raw: str, entry: _Entry, title: str) -> dict[str, int]:
        if not entry.further:
            return {}
        wholes = {f"{raw}: {second}": count for second, count in entry.further.items()}
        often = all(count >= _COLON_LEAST for count in wholes.values())
        return wholes if often or any(same_name(whole, title) for whole in wholes) else {}


@dataclass(frozen=True, slots=True)
class Authors:
    """The authors of a file, as written in it (``raw``) and as speakers are named."""

    counts: dict[str, int]
    names: dict[str, str]
    compound: frozenset[str]
    """The raw names that contain ``: ``."""
    only_marked: frozenset[str]
    """The raw names whose bodies all begin with U+200E; one that is the chat's title labels lines without an author."""

    def split(self, rest: str) -> tuple[str | None, str]:
        """Return the raw author and the body of the text behind a header; the author is None for a line without one.

        The longest name of the census wins; then a string before the first ``: `` that may be a name, so that a
        file whose census was cut short loses nobody.
        """
        if self.compound:
            colon_at = rest.rfind(": ", 0, _LONGEST_COMPOUND + 2)
            while colon_at >= 0:
                if rest[:colon_at] in self.compound:
                    return rest[:colon_at], rest[colon_at + 2 :]
                colon_at = rest.rfind(": ", 0, colon_at + 1)
        author, colon, body = rest.partition(": ")
        if colon and author in self.names:
            return author, body
        match = _TIGHT.match(rest)
        if match and match[1] in self.names:
            return match[1], rest[match.end() :].removeprefix(" ")
        return None, rest

    def people(self) -> dict[str, int]:
        """Return the number of messages by author's name, the most frequent first."""
        result: Counter[str] = Counter()
        for raw, count in self.counts.items():
            result[self.names[raw]] += count
        return dict(sorted(result.items(), key=lambda item: (-item[1], item[0])))


def name_of(raw: str) -> str:
    """Return an author's name as a speaker: without direction marks, with every kind of space as a space. ``~`` stays:
    it marks a name chosen by its bearer instead of saved by the exporter.
    """
    return plain(raw).strip()


def _may_be_name(raw: str, count: int) -> bool:
    if not name_of(raw) or len(raw) > _LONGEST:
        return False
    if _OPEN_QUOTE.search(raw) and count < 5:
        return False
    return count > 2 or not is_system(raw)


def _is_sentence_about(raw: str, often: list[str]) -> bool:
    """Return whether a string that occurs once begins with a known name and goes on like a sentence.

    ``often``: folded names, each with the space after it.
    """
    text = fold_body(raw)
    return any(text.startswith(name) and len(text[len(name) :].split()) > 3 for name in often)
