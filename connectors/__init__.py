"""Sources: bytes in, documents out. One file or folder per source; parsers are pure; opening is done in few files."""

from .connector import Connector, DateOrder, Member, ReadOptions, Record, Source, Survey
from .limits import DEFAULT_LIMITS, Limits
from .registry import choose, default_connectors, parts, rank, read_path, read_source, survey_source, surveys
from .source import open_source

__all__ = [
    "DEFAULT_LIMITS",
    "Connector",
    "DateOrder",
    "Limits",
    "Member",
    "ReadOptions",
    "Record",
    "Source",
    "Survey",
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
