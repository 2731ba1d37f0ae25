"""Converts JSON to documents and back: the rules of the wire format. Pure; opening and splitting files is done
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import orjson
from pydantic import BaseModel, ValidationError

from .collection import DocumentCollectionDocument
from .conversation import ConversationDocument, StructuredConversation
from .document import UNKNOWN_TYPE, Document
from .email_thread import EmailThreadDocument
from .message import Attachment, ConversationMessage, Edit, Reaction, Segment
from .model import valid_unicode
from .records import Notice, Rejected
from .struct import Struct
from .text import TextDocument
from .timeline import TimelineDocument, TimelineEvent
from .validation import messages_of
from .video_call import VideoCallDocument

Concrete = ConversationDocument | TextDocument | TimelineDocument | DocumentCollectionDocument

UNKNOWN_KEY = "unknown-key"
REPLACED_TEXT = "replaced-text"
REPEATED_KEY = "repeated-key"
NOT_AN_OBJECT = "a document must be a JSON object"
_LONGEST_KEY = 64
"""The most characters of a key that are shown."""
_DEEPEST = 200
"""The most levels of nesting in a document; orjson writes no more than 254."""
_NESTED: dict[str, type[Struct]] = {
    "edits": Edit,
    "attachments": Attachment,
    "reactions": Reaction,
    "segments": Segment,
}
_NULLABLE = ("timestamp", "tags", "metadata", "start", "end")
_KINDS: dict[str, type[Concrete]] = {
    "email_thread": EmailThreadDocument,
    "video_call": VideoCallDocument,
    "timeline": TimelineDocument,
    "collection": DocumentCollectionDocument,
}
"""Documents that only their ``kind`` tells apart."""
_NEEDED = {"timeline": "events", "collection": "members"}
"""The required key by kind; for other kinds it is ``conversation``."""


def document_from_wire(data: object, locator: str) -> Iterator[Document | Notice | Rejected]:
    """Read one document from parsed JSON: yields notices first, then the document or the reason why there is none.

    Unknown keys move into ``metadata`` as ``x-<key>`` (JSON text). ``kind`` tells the type; without it the key
    ``conversation`` means a conversation and ``content`` a text. Lone surrogates become U+FFFD, with a notice.
    """
    if not isinstance(data, dict):
        yield Rejected(locator=locator, reason=NOT_AN_OBJECT)
        return
    replaced = False
    try:
        orjson.dumps(data)
    except TypeError:  # lone surrogates, too much nesting, or what is no JSON
        try:
            data = mended(cast("object", data))
            orjson.dumps(data)
        except (TypeError, RecursionError) as error:
            yield Rejected(locator=locator, reason=_unusable(error))
            return
        replaced = True
    plain = {str(key): value for key, value in cast("dict[str, Any]", data).items()}
    kind = plain.pop("kind", None)
    model = _model_of(kind, plain)
    if model is None:
        yield Rejected(locator=locator, reason=UNKNOWN_TYPE)
        return
    moved = _tidy_document(plain, model)
    try:
        document = model.model_validate(plain)
    except ValidationError as error:
        yield Rejected(locator=locator, reason="; ".join(messages_of(error)))
        return
    if replaced:
        yield replaced_text(locator)
    if moved:
        hint = f"keys that memd does not know were kept in metadata: {', '.join(sorted(moved)[:10])}"
        yield Notice(code=UNKNOWN_KEY, locator=locator, hint=hint)
    yield document


def replaced_text(locator: str) -> Notice:
    """Return the notice that damaged text was replaced."""
    return Notice(
        code=REPLACED_TEXT, locator=locator, hint="bytes or surrogates that are no text were replaced by U+FFFD"
    )


def repeated_key_notice(locator: str, key: str) -> Notice:
    """Return the notice that an object had a key twice."""
    hint = f"a key occurs twice in one object, and its last value was taken: {_shortened(key)}"
    return Notice(code=REPEATED_KEY, locator=locator, hint=hint)


def _shortened(key: str) -> str:
    return str(valid_unicode(key if len(key) <= _LONGEST_KEY else key[: _LONGEST_KEY - 1] + "…"))


def document_to_line(document: Document) -> bytes:
    """Return one line of JSON with its newline."""
    return document.to_json() + b"\n"


def document_schemas() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of the documents, by type name."""
    models = (ConversationDocument, *_KINDS.values(), TextDocument)
    return {model.__name__: model.model_json_schema() for model in models}


def mended(value: object, depth: int = 0) -> object:
    """Return a copy of a JSON value without lone surrogates, in keys too.

    Raises:
        RecursionError: it is nested deeper than a document may be.
    """
    if depth > _DEEPEST:
        raise RecursionError
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {valid_unicode(key): mended(item, depth + 1) for key, item in items}
    if isinstance(value, list | tuple):
        return [mended(item, depth + 1) for item in cast("list[object]", value)]
    return valid_unicode(value)


def _unusable(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return f"nested more than {_DEEPEST} levels deep"
    return "holds something that is no JSON"


def _model_of(kind: object, plain: Mapping[str, Any]) -> type[Concrete] | None:
    if isinstance(kind, str) and kind in _KINDS:
        return _KINDS[kind] if _NEEDED.get(kind, "conversation") in plain else None
    if kind == "conversation" or (kind is None and "conversation" in plain):
        return ConversationDocument
    if kind == "text" or (kind is None and "content" in plain):
        return TextDocument
    return None


def _tidy_document(plain: dict[str, Any], model: type[BaseModel]) -> list[str]:
    """Move unknown keys into metadata and drop nulls of optional keys; return the names of moved keys."""
    for name in _NULLABLE:
        if plain.get(name, ...) is None:
            del plain[name]
    moved = _move_unknown(plain, model, plain, "")
    body = plain.get("conversation")
    if issubclass(model, ConversationDocument) and isinstance(body, dict):
        inner = dict(cast("dict[str, Any]", body))
        plain["conversation"] = inner
        moved += _move_unknown(inner, StructuredConversation, plain, "conversation.")
        messages = inner.get("conversation")
        if isinstance(messages, list):
            tidied = [_tidy_message(message, moved) for message in cast("list[Any]", messages)]
            inner["conversation"] = tidied
    events = plain.get("events")
    if model is TimelineDocument and isinstance(events, list):
        plain["events"] = [_tidy_event(event, plain, moved) for event in cast("list[object]", events)]
    return moved


def _tidy_event(event: object, home: dict[str, Any], moved: list[str]) -> object:
    """Return the event without nulls; unknown keys go into its own metadata, or into the document's if that is
    malformed.
    """
    if not isinstance(event, dict):
        return event
    plain = {key: value for key, value in cast("dict[str, Any]", event).items() if value is not None}
    target = plain if isinstance(plain.get("metadata", {}), dict) else home
    moved += [f"events.{key}" for key in _move_unknown(plain, TimelineEvent, target, "")]
    return plain


def _tidy_message(message: object, moved: list[str]) -> object:
    if not isinstance(message, dict):
        return message
    fields = cast("dict[str, Any]", message)
    plain = {key: value for key, value in fields.items() if value is not None or key in _REQUIRED}
    _cut_times(plain)
    if plain.keys() <= _PLAIN_FIELDS:
        return plain
    moved += _move_unknown(plain, ConversationMessage, plain, "")
    for name, model in _NESTED.items():
        items = plain.get(name)
        if isinstance(items, list):
            copies: list[object] = []
            for index, item in enumerate(cast("list[object]", items)):
                copy = dict(cast("dict[str, Any]", item)) if isinstance(item, dict) else None
                if copy is not None:
                    _cut_times(copy)
                    moved += _move_unknown(copy, model, plain, f"{name}.{index}.")
                copies.append(copy if copy is not None else cast("object", item))
            plain[name] = copies
    return plain


def _cut_times(plain: dict[str, Any]) -> None:
    """Cut times to microseconds; the quick way to a message would round them."""
    for name in ("time", "edited_at"):
        if isinstance(written := plain.get(name), str):
            plain[name] = _FINER.sub(r"\1", written)


_FINER = re.compile(r"(\.[0-9]{6})[0-9]+")
_REQUIRED = frozenset({"speaker", "content", "time"})
_FIELDS: dict[type[BaseModel | Struct], frozenset[str]] = {
    **{
        model: frozenset(model.model_fields)
        for model in (ConversationDocument, *_KINDS.values(), StructuredConversation, TextDocument, TimelineEvent)
    },
    **{struct: frozenset(struct.__struct_fields__) for struct in (ConversationMessage, *_NESTED.values())},
}
_PLAIN_FIELDS = _FIELDS[ConversationMessage] - _NESTED.keys()


def _move_unknown(
    plain: dict[str, Any], model: type[BaseModel | Struct], home: dict[str, Any], prefix: str
) -> list[str]:
    if plain.keys() <= _FIELDS[model]:
        return []
    unknown = [key for key in plain if key not in _FIELDS[model]]
    kept = home.get("metadata")
    if kept is not None and not isinstance(kept, dict):
        return []  # the metadata itself is wrong: validation says so
    metadata: dict[str, Any] = dict(cast("dict[str, Any]", kept or {}))
    for key in unknown:
        name = f"x-{prefix}{key}"
        while name in metadata:
            name += "'"
        metadata[name] = orjson.dumps(plain.pop(key)).decode()
    home["metadata"] = metadata
    return [prefix + key for key in unknown]


__all__ = [
    "NOT_AN_OBJECT",
    "REPEATED_KEY",
    "REPLACED_TEXT",
    "UNKNOWN_KEY",
    "document_from_wire",
    "document_schemas",
    "document_to_line",
    "repeated_key_notice",
    "replaced_text",
]
