"""Converts rows of the store to objects of Weaviate, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

import orjson
from weaviate.collections.classes.types import WeaviateField

from ...text.fields import LexicalFields
from ..errors import IndexServerError
from ..rows import FilterRow, TextRow
from .server import Properties

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def object_id(row: int) -> UUID:
    """Return the id of the object of a chunk. The same row always gives the same id, so that a repeated write changes nothing."""
    return uuid5(NAMESPACE_OID, f"memd/{row}")


def exact(value: str) -> str:
    """Return the text in brackets, which Weaviate compares as it is; it would trim the ends of the bare text."""
    return f"[{value}]"


def filter_properties(row: FilterRow | TextRow) -> Properties:
    """Return the filter properties of a row."""
    properties: Properties = {
        "row": row.chunk,
        "kind": row.kind,
        "source_key": exact(row.document.source),
        "people_keys": [exact(name) for name in row.document.people],
        "tag_keys": [exact(tag) for tag in row.document.tags],
    }
    if row.time is not None:
        properties["micros"] = row.time
    if row.document.chat:
        properties["chat_key"] = row.document.chat
    if row.document.crowd is not None:
        properties["crowd"] = row.document.crowd
    if row.speaker is not None:
        properties["speaker_key"] = exact(row.speaker)
    return properties


def text_properties(row: TextRow) -> Properties:
    """Return all properties of a chunk: its terms, its filter columns, and the texts for other tools."""
    properties = filter_properties(row)
    properties |= {"lexical": row.fields.lexical, "near": row.fields.near, "wide": row.fields.wide}
    properties |= {"source": row.document.source, "tags": list(row.document.tags)}
    if row.time is not None:
        properties["time"] = _EPOCH + timedelta(microseconds=row.time)
    if row.shown is not None:
        shown = {"key": str(row.shown.key), "document": str(row.shown.document), "text": row.shown.text}
        shown |= {"speaker": row.shown.speaker, "chat": row.shown.chat}
        properties |= {name: value for name, value in shown.items() if value} | {"people": list(row.shown.people)}
    return properties


def texts_of(properties: Mapping[str, WeaviateField]) -> LexicalFields:
    """Return the terms of an object and of its neighbourhood; empty where it has none."""
    lexical, near, wide = (str(properties.get(name) or "") for name in ("lexical", "near", "wide"))
    return LexicalFields(lexical, near, wide)


def row_of(properties: Mapping[str, WeaviateField]) -> int:
    """Return the row of an object; Weaviate gives every number back as a float.

    Raises:
        IndexServerError: it has none.
    """
    value = properties.get("row")
    if not isinstance(value, int | float):
        raise IndexServerError(
            "an object of the Weaviate server has no row of memd's", hint="other tools should only read what memd keeps"
        )
    return int(value)


def content_hash(properties: Mapping[str, WeaviateField]) -> bytes:
    """Return a hash of all that an object holds, the same for what was sent and for what is read back: Weaviate gives numbers as floats,
    times in its own zone, and leaves out what is empty.
    """
    held = {name: _plain(value) for name, value in properties.items()}
    kept = {name: value for name, value in held.items() if value not in (None, "", [])}
    return sha256(orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)).digest()


def _plain(value: WeaviateField) -> Any:  # noqa: ANN401 - whatever JSON takes
    if isinstance(value, datetime):
        return {"micros": (value - _EPOCH) // timedelta(microseconds=1)}
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return value


def distinct(values: Iterable[int]) -> list[int]:
    """Return the values in their order, each once."""
    return list(dict.fromkeys(values))
