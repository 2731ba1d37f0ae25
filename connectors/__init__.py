"""Sources: bytes in, documents out. One file or folder per source; parsers are pure; opening is done in few files.

What reads a source knows every format, and is imported when it is first asked for: a daemon has its sources read by
processes of their own, and needs no format itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .connector import Connector, DateOrder, Member, Preview, ReadOptions, Record, Source
from .live import Batch, Cursor, LiveConnector
from .opening.limits import DEFAULT_LIMITS, Limits
from .opening.open_source import open_source

if TYPE_CHECKING:
    from .reading.detection import choose, rank
    from .reading.read_path import previews, read_records
    from .reading.registry import default_connectors
    from .reading.source_parts import parts

_WHERE = {
    "choose": "reading.detection",
    "rank": "reading.detection",
    "previews": "reading.read_path",
    "read_records": "reading.read_path",
    "default_connectors": "reading.registry",
    "parts": "reading.source_parts",
}


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_WHERE[name]}", __name__), name)
    globals()[name] = value
    return value


__all__ = [
    "DEFAULT_LIMITS",
    "Batch",
    "Connector",
    "Cursor",
    "DateOrder",
    "Limits",
    "LiveConnector",
    "Member",
    "Preview",
    "ReadOptions",
    "Record",
    "Source",
    "choose",
    "default_connectors",
    "open_source",
    "parts",
    "previews",
    "rank",
    "read_records",
]
