"""Streaming JSON: the elements of long lists inside one huge value, one at a time."""

from .events import Batch, Broken, Element, Elements, Ended, Event, Field, Path, Skipped, Started
from .reader import ELEMENT_CAP, FIELD_CAP, JSONStream
from .scanner import END, JSONScanner

__all__ = [
    "ELEMENT_CAP",
    "END",
    "FIELD_CAP",
    "Batch",
    "Broken",
    "Element",
    "Elements",
    "Ended",
    "Event",
    "Field",
    "JSONScanner",
    "JSONStream",
    "Path",
    "Skipped",
    "Started",
]
