"""The front matter of a note: YAML between ``---``, TOML between ``+++``. Strings, lists and tables, nothing else.

YAML is read from its events, so that no value is turned into anything by its looks (``no``, ``1e3``, ``2024-01-15``
stay what was written), no alias multiplies and no depth ends the stack.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

import yaml

CAP = 32 * 1024
"""Characters. What is longer is text of the note."""
_DEPTH = 16
# A key of so many parts names nothing, and tomllib takes time with the square of their number: seconds for one note.
_ENDLESS_KEY = re.compile(r"""(?:\.[ \t]*[\w"'-]+[ \t]*){256}""")
_OPENING = re.compile(r"(---|\+\+\+)[ \t]*\r?\n")
_CLOSING = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE),
    "+++": re.compile(r"^\+\+\+[ \t]*\r?$", re.MULTILINE),
}

Value = str | list["Value"] | dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a note says about itself."""

    values: Mapping[str, Value] = field(default_factory=dict[str, Value])
    end: int = 0
    """Where the text begins; 0 without front matter."""
    broken: bool = False
    """There are marks like those of front matter, but what is between them cannot be read."""


def front_matter(text: str) -> FrontMatter:
    """The front matter at the beginning of a text. Never raises."""
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter()
    closing = _CLOSING[opening[1]].search(text, opening.end(), opening.end() + CAP)
    if closing is None:
        return FrontMatter()  # a thematic break
    inner = text[opening.end() : closing.start()]
    try:
        values = _toml(inner) if opening[1] == "+++" else _yaml(inner)
    # RecursionError: tomllib on deep arrays. OverflowError: PyYAML on escapes of characters that cannot be.
    except (ValueError, OverflowError, RecursionError, yaml.YAMLError):
        return FrontMatter(broken=True)
    if values is None:
        return FrontMatter()  # a paragraph between two thematic breaks
    return FrontMatter(values, closing.end())


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
    """The mapping that a YAML text is, None when it is something else.

    Raises:
        ValueError: it is too deep, or uses aliases.
        yaml.YAMLError: it is no YAML.
    """
    events = cast("Iterator[yaml.Event]", yaml.parse(text, Loader=yaml.SafeLoader))  # type: ignore[no-untyped-call]
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            value = _value(next(events), events, 1)
            if not isinstance(value, dict):
                return None if value else {}
            for _ in events:  # to the end: an error there is one of the whole
                pass
            return value
    return {}


def _value(event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Value:
    if depth > _DEPTH:
        raise ValueError("too deep")
    if isinstance(event, yaml.ScalarEvent):
        return cast("str", event.value)
    if isinstance(event, yaml.SequenceStartEvent):
        found: list[Value] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            found.append(_value(event, events, depth + 1))
        return found
    if isinstance(event, yaml.MappingStartEvent):
        table: dict[str, Value] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = _value(event, events, depth + 1)
            value = _value(next(events), events, depth + 1)
            # A template's `{{title}}` is a mapping as a key; it cannot name anything.
            if not isinstance(key, str):
                raise ValueError("a key is no string")
            table[key] = value
        return table
    raise ValueError("an alias")
