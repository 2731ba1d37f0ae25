"""Detects the kinds of an export's files by their beginnings, and reads the JSON values in them one at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from itertools import islice
from typing import Any, TypeVar

import orjson

from ....schemas import Rejected
from ....schemas.errors import SourceError
from ....schemas.wire import replaced_text
from ...chats.export_files import read_text
from ...connector import Member, Record, Source
from ...files.whole_files import HEAD, head_of
from ...text.json_beginnings import object_keys
from ...text.json_fields import object_of
from ...text.json_parsing import Parsed, parse_json
from ...text.json_splitter import JSONSplitter
from ...text.json_stream import Broken, Elements, JSONStream, Path

T = TypeVar("T")
RECORD_CAP = 64 * 1024 * 1024
"""The maximum number of bytes of one conversation's JSON."""
_OPENING = (b"[", b"{")

_WRAPPED = re.compile(
    rb'\s*\{(?:\s*"[^"]{1,60}"\s*:\s*(?:"[^"\\]{0,300}"|[-+.\w]{1,40})\s*,){0,20}\s*"(conversations|chats|data)"\s*:\s*\['
)
"""Matches the start of an object with a list of conversations; programs wrap an export in such an object."""

KindOf = Callable[[set[str], bytes], str]
"""A function that returns the kind of a file from the keys of an object and the file's beginning; empty for an unknown
kind.
"""


@dataclass(slots=True)  # there are millions, and frozen ones take three times as long
class Value:
    """One JSON value of a file, with its place."""

    locator: str
    value: Any


def json_kind(member: Member, kind_of: KindOf) -> str:
    """Return the kind of a file; empty for a file that is not JSON, and for one that cannot be read."""
    head = head_of(member)
    if head.lstrip().startswith(_OPENING):
        for keys in object_keys(head):
            if kind := kind_of(keys, head):
                return kind
    return ""


def by_kind(source: Source, kind_of: Callable[[Member], str]) -> dict[str, list[Member]]:
    """Return the files of an export by kind; the empty kind has all other files."""
    result: dict[str, list[Member]] = {"": []}
    for member in source.members():
        result.setdefault(kind_of(member), []).append(member)
    return result


def values(member: Member, genuine: Callable[[Any], bool], *, alone: bool) -> Iterator[Value | Record]:
    """Yield the values of a list, or those that follow one another; a ``Rejected`` for each that cannot be read.

    Args:
        member: the file.
        genuine: whether a value recovered beside a broken one is a record of its own.
        alone: whether nothing else is read, so that a file that cannot be opened is an error.

    Raises:
        SourceError: the file is ``alone`` and cannot be opened.
    """
    return read_text(member, partial(_values, member.locator, genuine), alone=alone)


def _values(member: str, genuine: Callable[[Any], bool], stream: BufferedReader) -> Iterator[Value | Record]:
    head = stream.peek(HEAD)[:HEAD]
    read = _from_list if head.lstrip().startswith(b"[") else _one_after_the_other
    if wrapped := _WRAPPED.match(head):
        read = partial(_from_list, path=(wrapped[1].decode(),))
    for place, value in read(stream.read1, genuine):
        locator = f"{member}{place}"
        if isinstance(value, str):
            yield Rejected(locator=locator, reason=value)
            continue
        if value.replaced:
            yield replaced_text(locator)
        yield Value(locator, value.value)


def read_values(
    members: Iterable[Member],
    genuine: Callable[[Any], bool],
    read: Callable[[dict[str, Any], str], Iterable[T]],
    *,
    alone: bool,
) -> Iterator[T | Record]:
    """Yield the results of ``read`` for each object of the files and its place; it gets an empty object for any other
    value.
    """
    for member in members:
        for item in values(member, genuine, alone=alone):
            if isinstance(item, Value):
                yield from read(object_of(item.value), item.locator)
            else:
                yield item


def first_values(members: Sequence[Member], genuine: Callable[[Any], bool], most: int) -> Iterator[Any]:
    """Yield the first ``most`` values of each small file, such as the account; unreadable files and values are skipped."""
    for member in members:
        with suppress(SourceError):
            for item in islice(values(member, genuine, alone=False), most):
                if isinstance(item, Value):
                    yield item.value


Read = Callable[[int], bytes]
Found = Iterator[tuple[str, Parsed | str]]
"""The places within a file with their values, or the reasons why they cannot be read."""


def _from_list(read: Read, genuine: Callable[[Any], bool], path: Path = ()) -> Found:
    stream = JSONStream(
        read, (path,), _parse_or_key, genuine=lambda parsed: genuine(_parsed(parsed).value), element_cap=RECORD_CAP
    )
    for event in stream.batches():
        if isinstance(event, Elements):
            for place, value in enumerate(event.values):
                yield f"#{event.pointer(place)}", _parsed(value)
        elif isinstance(event, Broken):
            yield f"#{event.pointer}", event.reason


def _one_after_the_other(read: Read, genuine: Callable[[Any], bool]) -> Found:
    splitter = JSONSplitter(read, _parse, lambda parsed: genuine(parsed.value), RECORD_CAP)
    for piece in splitter.pieces():
        yield f":{piece.line}", piece.reason if piece.value is None else piece.value


def _parse(raw: bytes) -> Parsed:
    """Parse as `parse_json` does, but without its second pass for long numbers: ids are strings here, and times are
    rounded.
    """
    try:
        return Parsed(orjson.loads(raw))
    except orjson.JSONDecodeError:
        return parse_json(raw)


def _parse_or_key(raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
    """Parse like `_parse`, but return a string as it is: the keys of an object are strings."""
    return orjson.loads(raw) if raw[:1] == b'"' else _parse(raw)


def _parsed(value: Any) -> Parsed:  # noqa: ANN401 - JSON may be anything
    return value if isinstance(value, Parsed) else Parsed(value)
