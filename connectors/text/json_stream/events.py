"""The events that a reader of one huge JSON value yields, in the order of the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Path = tuple[str, ...]
"""Keys from the root of a value, ``("chats", "list", "*", "messages")``; ``*`` is any element of a list, or any key."""


@dataclass(frozen=True, slots=True)
class Started:
    """A list at one of the paths begins; ``holder`` is the JSON pointer of the object that it stands in."""

    pointer: str
    holder: str


@dataclass(slots=True)  # there are millions, and frozen ones take three times as long
class Element:
    """A parsed element of a list at one of the given paths."""

    array: str
    """The list's JSON pointer."""
    index: int
    """The index from 0; unreadable elements are counted, too."""
    value: Any
    size: int
    """The size in bytes."""
    offset: int
    """Bytes of the stream before it."""

    @property
    def pointer(self) -> str:
        """Return the JSON pointer."""
        return f"{self.array}/{self.index}"


@dataclass(slots=True)
class Elements:
    """Elements of such a list that follow each other: the cheap form of `Element`."""

    array: str
    """The list's JSON pointer."""
    index: int
    """The index of the first element."""
    values: list[Any]
    offset: int
    """Bytes of the stream before the first."""

    def pointer(self, place: int) -> str:
        """Return the JSON pointer of ``values[place]``."""
        return f"{self.array}/{self.index + place}"


@dataclass(frozen=True, slots=True)
class Field:
    """A value beside the lists: of an object on the path to one of them, or of an object beside one, before or after
    it.
    """

    holder: str
    """The object's or list's JSON pointer."""
    key: str
    """The key; the index if the value is in a list."""
    value: Any


@dataclass(frozen=True, slots=True)
class Skipped:
    """A field's value that is too large to be held, and was skipped."""

    holder: str
    key: str
    size: int
    """The size in bytes."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A part that cannot be read; reading continues after it, unless ``reason`` says that the file ends."""

    pointer: str
    offset: int
    """Bytes of the stream before it."""
    reason: str
    """Names no text of the file."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of an object on the path to a list: all its fields were yielded."""

    pointer: str
    whole: bool
    """False if the file is cut off inside the object, or its end was not found."""


Event = Started | Element | Field | Skipped | Broken | Ended
Batch = Started | Elements | Field | Skipped | Broken | Ended
