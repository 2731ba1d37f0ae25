"""Sources: bytes in, documents out. One file or folder per source; parsers are pure; opening is done in few files."""

from .connector import Connector, DateOrder, Member, Preview, ReadOptions, Record, Source
from .limits import DEFAULT_LIMITS, Limits
from .open_source import open_source
from .registry import choose, default_connectors, parts, rank, read_path, read_source, survey_source, surveys

__all__ = [
    "DEFAULT_LIMITS",
    "Connector",
    "DateOrder",
    "Limits",
    "Member",
    "Preview",
    "ReadOptions",
    "Record",
    "Source",
    "choose",
    "default_connectors",
    "open_source",
    "parts",
    "rank",
    "read_path",
    "read_source",
    "survey_source",
    "surveys",
]
