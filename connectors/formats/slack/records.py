"""The records of one file of an export, one at a time: of a list of objects, or of the object that slackdump writes
around it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import orjson

from ....schemas.errors import SourceError
from ...connector import Member
from ...errors import refusal
from ...files.whole_files import head_of
from ...text.json_parsing import Parsed, parse_json
from ...text.json_splitter import JSONSplitter
from ...text.unicode import Utf8Stream, as_utf8
from .batches import IndentedList
from .values import JSONObject

RECORD_CAP = 16 << 20
"""The maximum number of bytes of one record."""
_WHOLE = 4 << 20
"""The maximum number of bytes parsed in one piece; larger files, and invalid JSON, are read record by record."""
_READ = 1 << 16
_DUMP = re.compile(rb'\A\s*\{(?:[^"\[\]{}]|"(?!messages")[^"\\]*(?:\\.[^"\\]*)*")*"messages"\s*:\s*(?=\[)', re.DOTALL)
_DUMP_FIELD = re.compile(rb'"(channel_id|name)"\s*:\s*"((?:[^"\\]|\\.)*)"')
_DUMP_HEAD = 4096


@dataclass(slots=True)
class Found:
    """A record with its place, or the reason why there is none."""

    file: str
    index: int | None
    record: JSONObject | None = None
    reason: str = ""
    replaced: bool = False
    """True if invalid UTF-8 became U+FFFD."""

    @property
    def locator(self) -> str:
        """The place of the record, ``acme.zip!general/2024-01-15.json#/3``."""
        return self.file if self.index is None else f"{self.file}#/{self.index}"


def records(member: Member, genuine: Callable[[JSONObject], bool]) -> Iterator[Found]:
    """Yield all records of a file. ``genuine`` decides whether an object next to broken JSON is a record of its own.

    Raises:
        SourceError: the file cannot be opened. After a later failure, the records before it are yielded, then its reason.
    """
    with member.open() as raw:
        text = as_utf8(raw)
        stream = text.stream
        data, failure = _beginning(stream)
        if failure is None and len(data) <= _WHOLE and not _DUMP.match(data[:_DUMP_HEAD]):
            try:
                whole = orjson.loads(data)
            except orjson.JSONDecodeError:
                whole = None
            if isinstance(whole, list):
                replaced = text.replaced
                for index, item in enumerate(cast("list[Any]", whole)):
                    yield _checked(item, member.locator, index, replaced)
                return
        source = _Rest(data, stream, failure)
        dump = _DUMP.match(data[:_DUMP_HEAD])
        if dump:
            source.skip(dump.end())
        yield from _one_by_one(source, member.locator, genuine, is_dump=dump is not None, text=text)


def _one_by_one(
    source: _Rest, locator: str, genuine: Callable[[JSONObject], bool], *, is_dump: bool, text: Utf8Stream
) -> Iterator[Found]:
    """Yield the records of a large file, or of one that is invalid JSON as a whole."""
    indented = IndentedList(source.taken(), source.read, RECORD_CAP)
    for batch in indented.batches():
        for index, item in enumerate(batch, indented.count - len(batch)):
            yield _checked(item, locator, index, text.replaced)
    source.put_back(indented.rest)
    splitter = JSONSplitter(source.read, parse_json, lambda parsed: _is_record(parsed, genuine), RECORD_CAP)
    try:
        for piece in splitter.pieces():
            if is_dump and piece.index is None:
                return  # the list has ended; the channel's fields follow
            index = None if piece.index is None else piece.index + indented.count
            if piece.value is None:
                yield Found(locator, index, reason=piece.reason)
            else:
                yield _checked(piece.value.value, locator, index, text.replaced or piece.value.replaced)
    except SourceError as error:
        yield Found(locator, None, reason=refusal(locator, error).reason)


def dump_fields(member: Member) -> dict[str, str]:
    """Return the fields ``channel_id`` and ``name`` of slackdump's object around a channel; empty for lists, and for
    unreadable files, which are reported when their records are read.
    """
    head = head_of(member, _DUMP_HEAD)
    match = _DUMP.match(head)
    fields: dict[str, str] = {}
    for name, value in _DUMP_FIELD.findall(head[: match.end()] if match else b""):
        try:
            fields[name.decode()] = str(orjson.loads(b'"' + value + b'"'))
        except orjson.JSONDecodeError:
            continue  # an invalid name is ignored; the file's own is used instead
    return fields


def is_dump(head: bytes) -> bool:
    """Return whether a file begins like slackdump's object around a channel."""
    return _DUMP.match(head[:_DUMP_HEAD]) is not None


def _checked(item: object, file: str, index: int | None, replaced: bool) -> Found:
    if not isinstance(item, dict):
        return Found(file, index, reason="not an object")
    return Found(file, index, cast("JSONObject", item), "", replaced)


def _is_record(parsed: Parsed, genuine: Callable[[JSONObject], bool]) -> bool:
    return isinstance(parsed.value, dict) and genuine(cast("JSONObject", parsed.value))


def _beginning(stream: io.BufferedReader) -> tuple[bytes, SourceError | None]:
    """Read slightly more than is parsed in one piece; return it with the error that ended the reading."""
    chunks: list[bytes] = []
    size = 0
    try:
        while size <= _WHOLE and (chunk := stream.read1(_READ)):
            chunks.append(chunk)
            size += len(chunk)
    except SourceError as error:
        return b"".join(chunks), error
    return b"".join(chunks), None


class _Rest:
    """A stream that begins with bytes read ahead; raises the error that ended the reading."""

    def __init__(self, data: bytes, stream: BinaryIO, failure: SourceError | None) -> None:
        self._data = data
        self._stream = stream
        self._failure = failure

    def skip(self, count: int) -> None:
        """Drop the first ``count`` of the bytes read ahead."""
        self._data = self._data[count:]

    def taken(self) -> bytes:
        """Return the bytes read ahead; ``read`` continues behind them."""
        data, self._data = self._data, b""
        return data

    def put_back(self, data: bytes) -> None:
        """Put bytes back for ``read`` to return first."""
        self._data = data

    def read(self, count: int, /) -> bytes:
        """Return the next bytes, empty at the end; raises SourceError."""
        if self._data:
            return self.taken()
        if self._failure is not None:
            raise self._failure
        try:
            return cast("io.BufferedReader", self._stream).read1(count)
        except SourceError as error:
            self._failure = error  # a stream that failed once may look as if it had ended
            raise
