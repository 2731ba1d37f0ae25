"""Reads Element's exports of Matrix rooms, as files, folders and archives."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from ....schemas import Notice, Rejected
from ....schemas.errors import SourceError
from ....schemas.wire import replaced_text
from ...chats.accounts import Accounts
from ...chats.export_files import with_list
from ...chats.exported_chats import ChatExport, ExportConnector, Said, read_members
from ...chats.json_messages import parsed_message
from ...connector import Member, ReadOptions, Source
from ...opening.member_subset import held_files
from ...record_faults import records_at
from ...text.json_fields import object_of, words_of
from ...text.json_lines import Line, json_lines
from ...text.json_splitter import JSONSplitter
from ...text.json_stream import Element, Event, Field, JSONStream, Started
from ...text.unicode import as_utf8
from .detection import LINES, SCORES, kind_of
from .event import EventReader
from .relations import Relations, wanted

_SYNCED = tuple(
    ("rooms", membership, "*", part, "events")
    for membership in ("join", "leave")
    for part in ("state", "timeline", "state_after")
)
"""The paths of the event lists in a server's answer to `/sync`; only these contain the room's id, not the events."""
_PATHS = (("messages",), ("chunk",), ("events",), (), *_SYNCED)
_HEADER = frozenset({"room_name", "topic", "exported_by"})
_ROOM = re.compile(rb'"room_id"\s*:\s*"([^"\\\n]{1,300})"')
_PEEKED = 64 * 1024
_RECORD_CAP = 16 * 1024 * 1024
"""The maximum number of bytes of one event."""
_FILE_NAMES = 50_000
_ENDINGS = (".json", ".jsonl", ".ndjson", ".txt", ".html")


class _File:
    """One file of events, with its header fields and the rooms of its events."""

    def __init__(self, member: Member, kind: str) -> None:
        self.member = member
        self.kind = kind
        self.header: dict[str, str] = {}
        self.rooms: dict[str, None] = {}
        """The ids of the rooms in this file, in order; the export of one room states its id only in its events."""

    def learn(self, relations: Relations) -> None:
        """Pass the events of the first walk to `relations`; errors are ignored: the second walk reports them."""
        with suppress(SourceError), self.member.open() as stream:
            relations.learn(self._wanted(stream))

    def _wanted(self, stream: BinaryIO) -> Iterator[dict[str, Any]]:
        if self.kind == LINES:
            for line in _lines(stream):
                yield self._noted(line.value or {})
            return
        room = ""
        for event in _events(as_utf8(stream).stream, self._parsed):
            if isinstance(event, Started) and (room := _synced_room(event)):
                self.rooms.setdefault(room)
            elif isinstance(event, Element) and event.value:
                yield self._noted(_in_room(object_of(event.value), room))
            elif isinstance(event, Field) and event.key in _HEADER:
                self.header[event.key] = words_of(event.value)

    def _parsed(self, raw: bytes) -> Any:  # noqa: ANN401 - JSON may be anything
        if not raw.startswith(b"{") or wanted(raw):
            return parsed_message(raw)
        if (match := _ROOM.search(raw)) is not None:
            self.rooms.setdefault(match[1].decode("utf-8", "replace"))
        return None

    def _noted(self, event: dict[str, Any]) -> dict[str, Any]:
        if room := words_of(event.get("room_id")):
            self.rooms.setdefault(room)
        return event

    @property
    def chat(self) -> str:
        """The room of events without a room id: the first room, else the header's room name, else the file name."""
        return next(iter(self.rooms), self.header.get("room_name", "")) or self.member.name.rpartition("/")[2]

    def topic(self, room: str) -> str:
        """Return what the file's header says that a room is about; empty for other rooms."""
        return self.header.get("topic", "") if room == self.chat else ""

    def title(self, room: str, relations: Relations) -> str:
        """Return the title of a room: from the file's header, the events or, failing those, its id."""
        named = self.header.get("room_name", "") if room == self.chat else ""
        return named or relations.rooms.get(room, "") or room


def _lines(stream: BinaryIO) -> Iterator[Line]:
    """Yield the events that follow one another, each on a line of its own or, as matrix-archive writes them, over several."""
    text = as_utf8(stream).stream
    if text.peek(_PEEKED)[:_PEEKED].lstrip().partition(b"\n")[0].rstrip().endswith(b"}"):
        yield from json_lines(text)
        return
    for piece in JSONSplitter(
        text.read1, parsed_message, lambda value: "event_id" in object_of(value), _RECORD_CAP
    ).pieces():
        value = object_of(piece.value)
        yield Line(piece.line, value or None, piece.reason or ("" if value else "not an object"))


def _events(stream: io.BufferedReader, parse: Callable[[bytes], Any]) -> Iterator[Event]:
    return JSONStream(stream.read1, _PATHS, parse, genuine=lambda value: "event_id" in object_of(value)).events()


def _synced_room(list_of_events: Started) -> str:
    """Return the room whose events this list of an answer to `/sync` holds; empty for other lists."""
    names = list_of_events.holder.split("/")
    return names[3].replace("~1", "/").replace("~0", "~") if len(names) == 5 else ""


def _in_room(event: dict[str, Any], room: str) -> dict[str, Any]:
    return {"room_id": room, **event} if room else event


class MatrixConnector(ExportConnector):
    """Reads rooms of Matrix."""

    name = "matrix"
    program = "Matrix"

    def score(self, member: Member) -> float:
        """Return a high score for Element's exports and for lists of events."""
        return SCORES.get(kind_of(member), 0.0)

    def opened(self, source: Source, options: ReadOptions) -> ChatExport | None:
        """Open the export; a first walk through all files collects names, edits and reactions."""
        files: list[_File] = []
        others: list[Member] = []
        for member in source.members():
            if kind := kind_of(member):
                files.append(_File(member, kind))
            else:
                others.append(member)
        if not files:
            return None
        relations = Relations()
        for file in files:
            file.learn(relations)
        return _export(source, options, files, others, relations)


def _export(
    source: Source, options: ReadOptions, files: list[_File], others: list[Member], relations: Relations
) -> ChatExport:
    maker = next((name for file in files if (name := file.header.get("exported_by", ""))), "")
    accounts = Accounts(options.me, maker)
    names = [file.name.rpartition("/")[2] for file in held_files(source)[:_FILE_NAMES]]
    reader = EventReader(accounts, relations, options.zone, [n for n in names if not n.lower().endswith(_ENDINGS)])
    for account in (*relations.names, *([maker] if maker.startswith("@") else [])):
        reader.speaker(account)
    titles = {room: file.title(room, relations) for file in files for room in (file.rooms or {file.chat: None})}
    alone = len(source.members()) == 1

    def said() -> Iterator[Said | Rejected | Notice]:
        walks = [_Walk(file, reader, relations) for file in files]
        for file, walk in zip(files, walks, strict=True):
            yield from read_members([file.member], walk.read, alone=alone)
        for walk in walks:
            yield from walk.left()
        reader.counts["relations-left-out"] += relations.left()

    return ChatExport(accounts, said, titles, others, reader.counts)


class _Walk:
    """The second walk through a file, which yields its messages."""

    def __init__(self, file: _File, reader: EventReader, relations: Relations) -> None:
        self._file = file
        self._reader = reader
        self._relations = relations
        self._chats: dict[str, dict[str, str]] = {}
        self._waiting: list[tuple[dict[str, Any], str]] = []
        """Edits that stand before their events. If an event never comes, its edit becomes a message."""

    def left(self) -> Iterator[Said | Rejected]:
        """Yield the edits whose events no file contains.

        They come last because a server's list may be saved in several files, the newest first.
        """
        for event, place in self._waiting:
            for record in records_at(place, self._told, event, place):
                if isinstance(record, Said):
                    record.member = self._file.member
                yield record

    def read(self, member: Member, stream: BinaryIO) -> Iterator[Said | Rejected | Notice]:
        """Yield the messages, rejections and notices of the file, except the edits that `left` yields."""
        if self._file.kind == LINES:
            for line in _lines(stream):
                place = f"{member.locator}:{line.number}"
                if line.value:
                    yield from records_at(place, self._event, line.value, place)
                else:
                    yield Rejected(locator=place, reason=line.reason)
            return
        room = ""
        text = as_utf8(stream)
        for event in with_list(_events(text.stream, parsed_message), member.locator):
            if isinstance(event, Element):
                place = f"{member.locator}#{event.pointer}"
                yield from records_at(place, self._event, _in_room(object_of(event.value), room), place)
            elif isinstance(event, Rejected):
                yield event
            elif isinstance(event, Started):
                room = _synced_room(event)
        if text.replaced:
            yield replaced_text(member.locator)

    def _event(self, event: dict[str, Any], place: str) -> Iterator[Said | Rejected]:
        if self._reader.may_follow(event) and self._relations.may_wait(event):
            self._waiting.append((event, place))
        else:
            yield from self._told(event, place)

    def _told(self, event: dict[str, Any], place: str) -> Iterator[Said | Rejected]:
        result = self._reader.read(event)
        if isinstance(result, str):
            yield Rejected(locator=place, reason=result)
        elif result is not None:
            chat = words_of(event.get("room_id")) or self._file.chat
            metadata = self._chats.get(chat)
            if metadata is None:
                metadata = self._chats[chat] = {"title": self._file.title(chat, self._relations)}
                if topic := self._file.topic(chat):
                    metadata["topic"] = topic
            yield Said(chat, metadata, result, place)
