"""Reads untrusted property lists; unreadable content counts as absent. Pure."""

from __future__ import annotations

import plistlib
import struct
from typing import Any
from xml.parsers.expat import ExpatError

from ...text.json_fields import list_of, object_of

CAP = 4 * 1024 * 1024
"""The maximum number of bytes of a property list; those of Messages have a few thousand."""


def property_list(data: object) -> dict[str, Any]:
    """Return the dictionary in a property list; an empty one for anything else."""
    if not isinstance(data, bytes) or not data.startswith((b"bplist", b"<?xml")) or len(data) > CAP:
        return {}
    try:
        value: object = plistlib.loads(data)
    except (ValueError, LookupError, TypeError, ArithmeticError, struct.error, RecursionError, MemoryError, ExpatError):
        return {}
    return object_of(value)


def archived_objects(data: object) -> tuple[list[Any], object]:
    """Return the objects of a keyed archive, which refer to each other by ``plistlib.UID``, and its root object."""
    archive = property_list(data)
    objects = list_of(archive.get("$objects"))
    root = object_of(archive.get("$top")).get("root")
    index = getattr(root, "data", None)
    return objects, objects[index] if isinstance(index, int) and index < len(objects) else None


def resolved(objects: list[Any], holder: object, key: str) -> object:
    """Return the value under a key of an object in a keyed archive, with a reference resolved."""
    value = object_of(holder).get(key)
    index = getattr(value, "data", None)
    if isinstance(index, int):
        return objects[index] if index < len(objects) else None
    return value
