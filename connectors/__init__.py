"""Sources: bytes in, documents out. One file or folder per source; parsers are pure; opening is done in few files.

Each name is imported when it is first asked for: the command line knows the kinds of accounts without a parser, and a
daemon has its sources read by processes of their own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .connector import Connector, DateOrder, Member, Preview, ReadOptions, Record, Source
    from .live.contract import Batch, Cursor, LiveConnector
    from .opening.limits import DEFAULT_LIMITS, Limits
    from .opening.open_source import open_source
    from .reading.detection import choose, rank
    from .reading.read_path import previews, read_records
    from .reading.registry import default_connectors
    from .reading.source_parts import parts

_NAMES = {
    "connector": ("Connector", "DateOrder", "Member", "Preview", "ReadOptions", "Record", "Source"),
    "live.contract": ("Batch", "Cursor", "LiveConnector"),
    "opening.limits": ("DEFAULT_LIMITS", "Limits"),
    "opening.open_source": ("open_source",),
    "reading.detection": ("choose", "rank"),
    "reading.read_path": ("previews", "read_records"),
    "reading.registry": ("default_connectors",),
    "reading.source_parts": ("parts",),
}
_WHERE = {name: module for module, names in _NAMES.items() for name in names}


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
