"""Sources: bytes in, documents out. One file or folder per source; parsers are pure; opening is done in few files."""

from .connector import Connector, DateOrder, Member, Preview, ReadOptions, Record, Source
from .format_detection import choose, rank
from .limits import DEFAULT_LIMITS, Limits
from .live import Batch, Cursor, LiveConnector
from .open_source import open_source
from .reading import previews, read_records
from .registry import default_connectors
from .source_parts import parts

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
