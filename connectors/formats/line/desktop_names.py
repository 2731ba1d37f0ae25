"""Finds the names in chats saved by LINE on a computer, where ``10:05 Ann Lee Good morning`` does not show the end of a
name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise

from .bodies import is_placeholder

_WORDS = 4
"""The maximum number of words of a name found by counting."""
_DISTINCT = 100_000
_LEAST = 3
_NAME_LIMIT = 80


def names_in(messages: Iterable[str], title: str) -> Mapping[str, tuple[str, ...]]:
    """Return the names by their first word, the longest first.

    The words before a placeholder of the app (``[Photo]``) are a name, and so is the chat's title; any other name is
    the longest beginning that all messages with the same first word share.
    """
    prefixes: list[Counter[str]] = [Counter() for _ in range(_WORDS)]
    certain: dict[str, None] = {}
    for text in messages:
        line = text.partition("\n")[0]
        words = line.split(" ", _WORDS)
        for place in range(1, len(words)):
            if len(line) < 200 and is_placeholder(" ".join(words[place:])) and len(certain) < _DISTINCT:
                certain[" ".join(words[:place])] = None
                break
        for count, counter in zip(range(1, len(words)), prefixes, strict=False):
            prefix = " ".join(words[:count])
            if len(prefix) <= _NAME_LIMIT and (prefix in counter or len(counter) < _DISTINCT):
                counter[prefix] += 1
    if any(title in counter for counter in prefixes):
        certain[title] = None
    result: dict[str, list[str]] = {}
    for name in certain:
        result.setdefault(name.partition(" ")[0], []).append(name)
    longer = _common_prefixes(prefixes)
    for first, times in prefixes[0].items():
        if first not in result:
            name = first
            while times >= _LEAST and name in longer:
                name = longer[name]
            result[first] = [name]
    return {first: tuple(sorted(names, key=len, reverse=True)) for first, names in result.items()}


def _common_prefixes(prefixes: list[Counter[str]]) -> dict[str, str]:
    """Map each beginning that is always followed by the same word to the beginning with that word."""
    result: dict[str, str] = {}
    for shorter, longer in pairwise(prefixes):
        for text, times in longer.items():
            beginning = text.rpartition(" ")[0]
            if shorter[beginning] == times:
                result[beginning] = text
    return result


def split_name(text: str, names: Mapping[str, tuple[str, ...]]) -> tuple[str, str]:
    """Return the name and the text of a message."""
    first, _, rest = text.partition(" ")
    for name in names.get(first, ()):
        if text.startswith(name + " ") or text == name:
            return name, text[len(name) + 1 :]
    return first, rest
