"""Parses the front matter of a note: YAML between ``---``, TOML between ``+++``; only strings, lists and tables.

YAML is read from its events: values keep their spelling (``no``, ``1e3``, ``2024-01-15`` stay strings), aliases are
refused, and the depth is limited.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

import yaml

CAP = 32 * 1024
"""The largest front matter in characters; a longer one is text of the note."""
_DEPTH = 16
# tomllib takes time quadratic in the number of a key's parts: seconds for one note. No real key has so many.
_ENDLESS_KEY = re.compile(r"""(?:\.[ \t]*[\w"'-]+[ \t]*){256}""")
_OPENING = re.compile(r"(---|\+\+\+)[ \t]*\r?\n")
_CLOSING = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE),
    "+++": re.compile(r"^\+\+\+[ \t]*\r?$", re.MULTILINE),
}
_SIMPLE_LINE = re.compile(r"^([^\W\d_][\w -]{0,40}):[ \t]+(\S[^\n]*)$", re.MULTILINE)

Value = str | list["Value"] | dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The front matter of a note."""

    values: Mapping[str, Value] = field(default_factory=dict[str, Value])
    end: int = 0
    """The offset where the text begins; 0 without front matter."""
    broken: bool = False
    """True if the content between front matter marks cannot be parsed; the values are then those of simple lines."""


def front_matter(text: str) -> FrontMatter:
    """Return the front matter at the beginning of a text. Never raises."""
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter()
    closing = _CLOSING[opening[1]].search(text, opening.end(), opening.end() + CAP)
    if closing is None:
        return FrontMatter()  # a thematic break
    inner = text[opening.end() : closing.start()]
    try:
        values = _toml(inner) if opening[1] == "+++" else _yaml(inner)
    # RecursionError: tomllib on deep arrays. OverflowError: PyYAML on escapes of invalid characters.
    except (ValueError, OverflowError, RecursionError, yaml.YAMLError):
        return FrontMatter(_lines(inner), broken=True)
    if values is None:
        return FrontMatter()  # a paragraph between two thematic breaks
    return FrontMatter(values, closing.end())


def _lines(text: str) -> dict[str, Value]:
    """Return the values of the lines ``key: value`` of text that is no YAML as a whole (``tags: [#a]``, ``title: A: b``)."""
    result: dict[str, Value] = {}
    for match in _SIMPLE_LINE.finditer(text):
        value = match[2].strip()
        if value.startswith("[") and value.endswith("]"):
            result.setdefault(match[1], [part for each in value[1:-1].split(",") if (part := each.strip(" \"'"))])
        else:
            result.setdefault(match[1], value.strip("\"'"))
    return result


def _toml(text: str) -> dict[str, Value]:
    if _ENDLESS_KEY.search(text):
        raise ValueError("a key has no end")
    return {key: _plain(value, 1) for key, value in tomllib.loads(text.replace("\r\n", "\n")).items()}


def _plain(value: object, depth: int) -> Value:
    if depth > _DEPTH:
        raise ValueError("too deep")
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {key: _plain(item, depth + 1) for key, item in cast("dict[str, object]", value).items()}
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _yaml(text: str) -> dict[str, Value] | None:
    """Return the mapping in a YAML text; None if it is something else.

    Raises:
        ValueError: it is nested too deep, or uses aliases.
        yaml.YAMLError: it is not YAML.
    """
    events = cast("Iterator[yaml.Event]", yaml.parse(text, Loader=yaml.SafeLoader))  # type: ignore[no-untyped-call]
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            value = _value(next(events), events, 1)
            if not isinstance(value, dict):
                return None if value else {}
            for _ in events:  # read to the end: an error there makes the whole text invalid
                pass
            return value
    return {}


def _value(event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Value:
    if depth > _DEPTH:
        raise ValueError("too deep")
    if isinstance(event, yaml.ScalarEvent):
        return cast("str", event.value)
    if isinstance(event, yaml.SequenceStartEvent):
        result: list[Value] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            result.append(_value(event, events, depth + 1))
        return result
    if isinstance(event, yaml.MappingStartEvent):
        table: dict[str, Value] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = _value(event, events, depth + 1)
            value = _value(next(events), events, depth + 1)
            # A template's `{{title}}` parses as a mapping used as a key, which is no valid key here.
            if not isinstance(key, str):
                raise ValueError("a key is no string")
            table[key] = value
        return table
    raise ValueError("an alias")
