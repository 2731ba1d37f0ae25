"""The items of an export of Joplin: each is a text with a title, a body, and a block of properties at its end. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

NOTE, FOLDER, RESOURCE, TAG, NOTE_TAG = 1, 2, 4, 5, 6
"""The types of items that are read (`type_`), as Joplin numbers them."""
_FILE = re.compile(r"(?:^|/)([0-9a-f]{32})\.md$")
_END = re.compile(rb"(?:\A|\n)id: [0-9a-f]{32}\r?\n(?:[a-z][a-z0-9_]*:[^\n]*\n){1,60}type_: \d{1,3}\s*\Z")
_LONGEST_END = 4096
_PROPERTY = re.compile(r"([a-z][a-z0-9_]*): ?(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class JoplinItem:
    """An item."""

    type: int
    title: str
    body: str
    properties: Mapping[str, str]

    @property
    def id(self) -> str:
        """Return the id, 32 hexadecimal digits."""
        return self.properties["id"]


def id_in_name(name: str) -> str:
    """Return the id of an item that a file is named after; empty for another file."""
    match = _FILE.search(name)
    return match[1] if match else ""


def ends_as_item(data: bytes) -> bool:
    """Return whether a file ends with an id and a type, as each item does."""
    return _END.search(data[-_LONGEST_END:]) is not None


def joplin_item(text: str) -> JoplinItem | None:
    """Return the item of a file's text; None if the text does not end with the properties of one."""
    lines = text.replace("\r\n", "\n").removeprefix("\ufeff").rstrip().split("\n")
    properties: dict[str, str] = {}
    end = len(lines)
    while end and (match := _PROPERTY.fullmatch(lines[end - 1])):
        properties[match[1]] = match[2]
        end -= 1
    type_of = properties.get("type_", "")
    if (end and lines[end - 1]) or "id" not in properties or not type_of.isascii() or not type_of.isdigit():
        return None
    title, _, body = "\n".join(lines[:end]).partition("\n")
    return JoplinItem(int(type_of[:9]), title.strip(), body.strip("\n"), properties)
