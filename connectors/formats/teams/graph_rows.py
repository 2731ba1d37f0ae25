"""The messages of a file in Graph's JSON: a list, a response of Graph, a single message, or one
message on each line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO, cast
from urllib.parse import unquote

import orjson

from ....schemas import Notice, Rejected
from ....schemas.wire import replaced_text
from ...chats.json_messages import parsed_message
from ...connector import Member
from ...text.json_fields import id_of, list_of, object_of, words_of
from ...text.json_lines import json_lines
from ...text.json_stream import Broken, Element, Field, JSONStream, Started
from ...text.unicode import as_utf8

GRAPH_PATHS = ((), ("value",), ("messages",))
_HEAD = 64 * 1024
_LINK = re.compile(r"/l/message/([^/?#]{1,300})/")
_CONTEXT = re.compile(r"(?:chats|channels)\('([^']{1,300})'\)")
_DEPTH = 12
Row = tuple[dict[str, Any], str]
"""A message with capitalised keys, and its place."""


def capitalised(value: object, depth: int = _DEPTH) -> Any:  # noqa: ANN401 - JSON may be anything
    """Capitalise the keys of JSON: the exporting programs differ in that."""
    if isinstance(value, dict) and depth:
        held = cast("dict[str, object]", value)
        return {key[:1].upper() + key[1:]: capitalised(each, depth - 1) for key, each in held.items()}
    if isinstance(value, list) and depth:
        return [capitalised(each, depth - 1) for each in cast("list[object]", value)]
    return cast("object", value)


def graph_rows(member: Member, stream: BinaryIO) -> Iterator[Row | Rejected | Notice]:
    """Yield every message and the replies nested in it, each with the chat that the response names.

    Raises:
        SourceError: the stream raises it.
    """
    text = as_utf8(stream)
    context = ""
    for value, place in _lines(member, text.stream) if _one_on_each_line(text.stream) else _values(member, text.stream):
        if isinstance(value, str):
            yield Rejected(locator=place, reason=value)
            continue
        if "Id" not in value and "id" not in value and words_of(value.get("@odata.context")):
            context = _named(_CONTEXT, value.get("@odata.context"))
            continue
        yield from _with_replies(value, place, context)
    if text.replaced:
        yield replaced_text(member.locator)


def _one_on_each_line(stream: Any) -> bool:  # noqa: ANN401 - a buffered reader, or one that decodes
    """Return whether the first line is a message and another object follows."""
    first, _, rest = stream.peek(_HEAD)[:_HEAD].partition(b"\n")
    if not rest.lstrip().startswith(b"{"):
        return False
    try:
        value = orjson.loads(first)
    except orjson.JSONDecodeError:
        return False
    return isinstance(value, dict) and any(key in value for key in ("createdDateTime", "CreatedDateTime"))


def _lines(member: Member, stream: BinaryIO) -> Iterator[tuple[dict[str, Any] | str, str]]:
    for line in json_lines(stream):
        yield line.reason if line.value is None else line.value, f"{member.locator}:{line.number}"


def _values(member: Member, stream: Any) -> Iterator[tuple[dict[str, Any] | str, str]]:  # noqa: ANN401 - as above
    """Yield the elements of the list; or the file's only object if there is no list."""
    alone: dict[str, Any] = {}
    started = False
    for event in JSONStream(stream.read1, GRAPH_PATHS, parsed_message, genuine=_genuine).events():
        if isinstance(event, Element):
            yield object_of(event.value), f"{member.locator}#{event.pointer}"
        elif isinstance(event, Broken):
            yield event.reason, f"{member.locator}#{event.pointer}"
        elif isinstance(event, Started):
            started = True
        elif isinstance(event, Field) and not event.holder:
            alone[event.key] = event.value
            if event.key == "@odata.context" and not started:
                yield {event.key: event.value}, member.locator
    if alone and not started:
        yield alone, member.locator


def _with_replies(value: dict[str, Any], place: str, context: str) -> Iterator[Row | Rejected]:
    """Yield a message, then the replies that Graph nests in it if both were requested."""
    row: dict[str, Any] = value if "Id" in value else object_of(capitalised(value))
    if not chat_of(row):
        row["ChatId"] = _named(_LINK, row.get("WebUrl")) or context
    yield row, place
    for number, each in enumerate(list_of(row.get("Replies"))):
        reply = object_of(each)
        reply.setdefault("ReplyToId", row.get("Id"))
        if not chat_of(reply):
            reply |= {key: row.get(key) for key in ("ChannelIdentity", "ChatId")}
        yield reply, f"{place}/{'replies' if 'replies' in value else 'Replies'}/{number}"


def chat_of(row: dict[str, Any]) -> str:
    """Return the id of the channel or chat that a message names."""
    return id_of(object_of(row.get("ChannelIdentity")).get("ChannelId")) or id_of(row.get("ChatId"))


def _named(pattern: re.Pattern[str], value: object) -> str:
    """Return the id in an address of Microsoft."""
    match = pattern.search(words_of(value))
    return unquote(match[1]) if match else ""


def _genuine(value: object) -> bool:
    """Return whether an object after broken JSON may be a message."""
    return any(key.lower() == "createddatetime" for key in object_of(value))
