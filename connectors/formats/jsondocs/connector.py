"""Reads documents as JSON: one object, a list, or one to a line, gzipped or not, in files, folders, archives and pipes."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from ....schemas import ConversationDocument, Notice, Rejected, document_from_wire
from ....schemas.errors import SourceError
from ....schemas.identity_links import PEOPLE_DECISIONS
from ....schemas.wire import NOT_AN_OBJECT, repeated_key_notice, replaced_text
from ...connector import Connector, Member, Preview, ReadOptions, Record, Source
from ...errors import refusal
from ...opening.document_paths import STDIN
from ...opening.limits import MESSAGE_CAP, is_too_large
from ...record_faults import records_at
from ...text.json_parsing import NOT_JSON, Parsed, parse_json
from ...text.json_splitter import JSONPiece, JSONSplitter
from ...text.unicode import Utf8Stream, as_utf8
from .sniff import SURE, document_score

DOCUMENT_CAP = 64 * 1024 * 1024
"""The maximum number of bytes of one document's JSON."""

_HEAD = 64 * 1024
_HAS_BRACKET = re.compile(rb"^[ \t\r\f\v]*+[\[{]", re.MULTILINE)
_HOPELESS = 100
"""The number of records without any JSON, from the beginning of a file, after which reading stops: it is another
format.
"""


class DocumentsConnector:
    """Reads documents written by ``document_to_line``, or by hand in the same form."""

    version = 1
    """The version of the reader, which receipts state."""

    @property
    def name(self) -> str:
        """The name of the format, ``documents``."""
        return "documents"

    def sniff(self, source: Source) -> float:
        """Return a high score if an early object has an id, and a conversation or a content."""
        best = 0.0
        for member in source.members():
            best = max(best, _likeness(member))
            if best >= SURE:
                break
        return best

    def preview(self, source: Source, options: ReadOptions) -> Preview:
        """Return a preview without questions: documents state their people, user and times themselves. Opens each file."""
        del options
        for member in source.members():
            member.open().close()
        return Preview(format=self.name, title=source.name)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Record]:
        """Yield every document of every member, and a ``Rejected`` with its place for each that cannot be read."""
        del options  # a document states everything itself
        members = source.members()
        for member in members:
            try:
                stream = member.open()
            except SourceError as error:
                if len(members) == 1:
                    raise
                yield refusal(member.locator, error)
                continue
            with stream:
                records = _read_member(stream, member.locator)
                yield from records if member.locator == STDIN else _without_decisions(records, member.locator)


def _without_decisions(records: Iterator[Record], locator: str) -> Iterator[Record]:
    """Yield the records without decisions on people, and a notice if there were any.

    A file may be from anybody, and must not decide which names are one person.
    """
    notified = False
    for record in records:
        if not (isinstance(record, ConversationDocument) and PEOPLE_DECISIONS in record.metadata):
            yield record
            continue
        metadata = {name: value for name, value in record.metadata.items() if name != PEOPLE_DECISIONS}
        yield record.model_copy(update={"metadata": metadata})
        if not notified:
            notified = True
            hint = (
                "who is one person is taken over from an export of yours on standard input alone: memd ingest - < FILE"
            )
            yield Notice(code="decisions-left-out", locator=locator, hint=hint)


def _likeness(member: Member) -> float:
    try:
        with member.open() as stream:
            return document_score(as_utf8(stream).stream.peek(_HEAD)[:_HEAD])
    except SourceError:
        return 0.0


def _read_member(stream: BinaryIO, locator: str) -> Iterator[Record]:
    hopeful = False
    failures = 0
    try:
        for record in _records(as_utf8(stream), locator):
            yield record
            if hopeful:
                continue
            hopeful = not (isinstance(record, Rejected) and record.reason.startswith((NOT_JSON, NOT_AN_OBJECT)))
            failures += 1
            if failures > _HOPELESS and not hopeful:
                yield Rejected(locator=locator, reason="nothing in its first records is JSON: not read any further")
                return
    except SourceError as error:  # damaged or over a cap in the middle: the records before it are kept
        yield refusal(locator, error)


def _records(text: Utf8Stream, locator: str) -> Iterator[Record]:
    stream = text.stream
    head = stream.peek(_HEAD)
    if head.strip() and not _HAS_BRACKET.search(head):
        yield Rejected(locator=locator, reason=f"{NOT_JSON}: no line begins like a document")
        return
    if head.lstrip()[:1] == b"[":
        yield from _split(stream.read1, locator, 1)
    else:
        yield from _from_lines(stream, locator)
    if text.replaced:
        yield replaced_text(locator)


def _from_lines(stream: io.BufferedReader, locator: str) -> Iterator[Record]:
    number = 0
    first = b"\n"
    while first.isspace():
        first = stream.readline(DOCUMENT_CAP + 1)
        number += 1
    if not first:
        return
    if _is_line(first):
        for line, data in _lines(stream, first, number):
            place = f"{locator}:{line}"
            yield from records_at(place, _line_records, data, place)
    else:
        yield from _split(_Joined(first, stream), locator, number)


def _is_line(first: bytes) -> bool:
    """Return whether the file has one document to a line: its first line is a whole JSON value, or does not begin like
    an object.
    """
    text = first.strip()
    if text.startswith(b"["):
        return False
    try:
        parse_json(text)
    except ValueError:
        return not text.startswith(b"{")
    return True


def _lines(stream: BinaryIO, first: bytes, number: int) -> Iterator[tuple[int, bytes]]:
    """Yield lines with their numbers. A line over the cap is cut to one byte more than the cap; its rest is skipped."""
    line = first
    while line:
        yield number, line
        while len(line) > DOCUMENT_CAP and not line.endswith(b"\n"):
            line = stream.readline(DOCUMENT_CAP + 1)
            if not line:
                return
        line = stream.readline(DOCUMENT_CAP + 1)
        number += 1


def _line_records(line: bytes, locator: str) -> Iterator[Record]:
    if line.isspace():
        return
    if len(line) > DOCUMENT_CAP:
        yield Rejected(locator=locator, reason=f"more than {DOCUMENT_CAP} bytes in one record")
        return
    try:
        parsed = parse_json(line)
    except ValueError as error:
        # The line may have two documents, or a damaged one before another: recover the values that are documents. The
        # line is split twice, because a list of its values may take fifty times its memory.
        whole = all(isinstance(piece.value and piece.value.value, dict) for piece in _pieces(io.BytesIO(line).read))
        if not whole:
            yield Rejected(locator=locator, reason=str(error))
        for piece in _pieces(io.BytesIO(line).read):
            if piece.value is not None and (whole or _genuine(piece.value)):
                yield from records_at(locator, _piece_records, piece, locator)
        return
    yield from _value_records(parsed, locator, len(line))


def _split(read: Callable[[int], bytes], locator: str, line: int) -> Iterator[Record]:
    for piece in _pieces(read):
        place = f"{locator}#/{piece.index}" if piece.index is not None else f"{locator}:{piece.line + line - 1}"
        yield from records_at(place, _piece_records, piece, place)


def _pieces(read: Callable[[int], bytes]) -> Iterator[JSONPiece[Parsed]]:
    return JSONSplitter(read, parse_json, _genuine, DOCUMENT_CAP).pieces()


def _piece_records(piece: JSONPiece[Parsed], locator: str) -> Iterator[Record]:
    if piece.value is None:
        yield Rejected(locator=locator, reason=piece.reason)
    else:
        yield from _value_records(piece.value, locator, piece.size)


def _value_records(parsed: Parsed, locator: str, size: int) -> Iterator[Record]:
    value: object = parsed.value
    if isinstance(value, list):
        if parsed.repeated is not None:
            yield repeated_key_notice(locator, parsed.repeated)
        for index, item in enumerate(cast("list[Any]", value)):
            place = f"{locator}#/{index}"
            yield from records_at(place, _value_records, Parsed(item, parsed.replaced), place, size)
        return
    if size > MESSAGE_CAP and isinstance(value, dict):
        yield from _drop_giants(cast("dict[str, Any]", value), locator)
    if parsed.replaced:
        yield replaced_text(locator)
    if parsed.repeated is not None:
        yield repeated_key_notice(locator, parsed.repeated)
    yield from document_from_wire(cast("object", value), locator)


def _drop_giants(document: dict[str, Any], locator: str) -> Iterator[Rejected]:
    """Remove the messages over the cap from a document, and yield a rejection for each."""
    body = document.get("conversation")
    messages = cast("dict[str, Any]", body).get("conversation") if isinstance(body, dict) else None
    if not isinstance(messages, list):
        return
    kept: list[Any] = []
    for index, message in enumerate(cast("list[Any]", messages)):
        content = cast("dict[str, Any]", message).get("content") if isinstance(message, dict) else None
        if isinstance(content, str) and is_too_large(content):
            yield Rejected(locator=locator, reason=f"message {index}: more than {MESSAGE_CAP} bytes")
        else:
            kept.append(message)
    cast("dict[str, Any]", body)["conversation"] = kept


def _genuine(parsed: Parsed) -> bool:
    """Return whether a value recovered beside a broken one is a document and not one of its messages."""
    value = parsed.value
    if not isinstance(value, dict):
        return False
    return "conversation" in value or ("content" in value and "speaker" not in value)


class _Joined:
    """A read function that returns bytes already taken from a stream, then the stream."""

    def __init__(self, first: bytes, stream: io.BufferedReader) -> None:
        self._first = first
        self._stream = stream

    def __call__(self, count: int, /) -> bytes:
        first, self._first = self._first, b""
        return first or self._stream.read1(count)


if TYPE_CHECKING:
    _connector: type[Connector] = DocumentsConnector
