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
    """One element of such a list, parsed."""

    array: str
    """The list's JSON pointer."""
    index: int
    """From 0; elements that cannot be read are counted, too."""
    value: Any
    size: int
    """Its bytes."""
    offset: int
    """Bytes of the stream before it."""

    @property
    def pointer(self) -> str:
        """Its JSON pointer."""
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
        """The JSON pointer of ``values[place]``."""
        return f"{self.array}/{self.index + place}"


@dataclass(frozen=True, slots=True)
class Field:
    """A value beside the lists: of an object on the way to one of them, or beside one, before it or behind it."""

    holder: str
    """The object's or list's JSON pointer."""
    key: str
    """Its key; its index where it stands in a list."""
    value: Any


@dataclass(frozen=True, slots=True)
class Skipped:
    """Such a value that is too large to be held, and was passed over."""

    holder: str
    key: str
    size: int
    """Its bytes."""


@dataclass(frozen=True, slots=True)
class Broken:
    """Something that cannot be read; what follows it is found again, unless ``reason`` says that the file ends."""

    pointer: str
    offset: int
    """Bytes of the stream before it."""
    reason: str
    """Names no text of the file."""


@dataclass(frozen=True, slots=True)
class Ended:
    """An object on the way to a list ends: all its fields were told."""

    pointer: str
    whole: bool
    """False where the file is cut off in it, or its end could not be found."""


Event = Started | Element | Field | Skipped | Broken | Ended
Batch = Started | Elements | Field | Skipped | Broken | Ended
