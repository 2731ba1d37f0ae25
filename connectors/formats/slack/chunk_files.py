"""slackdump's files of recorded chunks, one answer of Slack's servers a line, put into the tables of its database."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

import orjson

from ....schemas import Rejected
from ....schemas.errors import SourceError
from ....schemas.model import valid_unicode
from ...connector import Member
from ...errors import refusal
from ...opening.database_copy import VALUE_CAP, no_place
from ...text.json_fields import list_of
from ...text.json_lines import Line, json_lines
from .values import JSONObject, object_of, objects_of, text_of, texts_of

_SCHEMA = """
CREATE TABLE MESSAGE (CHANNEL_ID TEXT, TS TEXT, CHUNK_ID INTEGER, DATA BLOB);
CREATE TABLE SEARCH_MESSAGE (CHANNEL_ID TEXT, TS TEXT, CHUNK_ID INTEGER, DATA BLOB, CHANNEL_NAME TEXT);
CREATE TABLE CHANNEL (ID TEXT, CHUNK_ID INTEGER, DATA BLOB);
CREATE TABLE S_USER (ID TEXT, CHUNK_ID INTEGER, DATA BLOB);
CREATE TABLE CHANNEL_USER (CHANNEL_ID TEXT, USER_ID TEXT);
CREATE TABLE WORKSPACE (TEAM_ID TEXT, USER_ID TEXT, USERNAME TEXT, CHUNK_ID INTEGER);
CREATE INDEX CHANNEL_ID ON CHANNEL (ID, CHUNK_ID);
CREATE INDEX S_USER_ID ON S_USER (ID, CHUNK_ID);
"""
_ENTRY = "INSERT INTO {0} VALUES (?, ?, ?)"
_MESSAGE = "INSERT INTO MESSAGE VALUES (?, ?, ?, ?)"
_FOUND = "INSERT INTO SEARCH_MESSAGE VALUES (?, ?, ?, ?, ?)"
_TOO_LARGE = f"a record of more than {VALUE_CAP} bytes"
_NO_OBJECT = "a chunk with an entry that is no object"
_LARGEST = 1 << 62
PARENT_CHUNK = 0
"""The time of the copy of a thread's first message that a chunk of its replies holds: it counts where nothing else has it."""
_NOT_READ = ("st", "b", "si")
"""The keys of items of which memd reads no words: stars, bookmarks, saved items."""

Row = tuple[str, tuple[object, ...]]


@dataclass(slots=True)
class ChunkTally:
    """The outcome of loading: ``files`` by channel, ``size`` in bytes, ``refused`` lines and ``others``, the number of items
    that are no messages.
    """

    files: dict[str, Member] = field(default_factory=dict[str, Member])
    size: int = 0
    refused: list[Rejected] = field(default_factory=list[Rejected])
    others: int = 0


def load_chunks(members: Sequence[Member], connection: sqlite3.Connection) -> ChunkTally:
    """Put the chunks of files into the tables of slackdump's database.

    Args:
        members: the files.
        connection: an empty private database.

    Raises:
        SourceError: it cannot be written.
    """
    tally = ChunkTally()
    try:
        connection.executescript(_SCHEMA)
        for member in members:
            try:
                _load(member, connection, tally)
            except SourceError as error:
                tally.refused.append(refusal(member.locator, error))
    except sqlite3.Error as error:
        raise no_place(members[0].locator) from error
    return tally


def _load(member: Member, connection: sqlite3.Connection, tally: ChunkTally) -> None:
    connection.execute("BEGIN")
    try:
        with member.open() as stream:
            for line in json_lines(stream):
                if line.value is None:
                    tally.refused.append(Rejected(locator=f"{member.locator}#/{line.number}", reason=line.reason))
                    continue
                for statement, values in _rows(line, member, tally):
                    connection.execute(statement, [valid_unicode(value) for value in values])
    finally:
        connection.execute("COMMIT")


def _rows(line: Line, member: Member, tally: ChunkTally) -> Iterator[Row]:
    """Yield the rows of one chunk. Its time orders what several chunks tell of the same."""
    chunk = cast("JSONObject", line.value)
    time = chunk.get("ts")
    order = time if isinstance(time, int) and 0 < time < _LARGEST else 1
    channel = text_of(chunk, "id") or text_of(object_of(chunk, "ci"), "id")
    place = f"{member.locator}#/{line.number}"
    parent = object_of(chunk, "p")
    if parent and objects_of(chunk, "m"):
        yield from _stored("MESSAGE", parent, channel, PARENT_CHUNK, place, tally)
    for table, key in (("MESSAGE", "m"), ("SEARCH_MESSAGE", "sm")):
        for item in _items(chunk, key, place, tally):
            of_item = channel or text_of(object_of(item, "channel"), "id")
            tally.files.setdefault(of_item, member)
            yield from _stored(table, item, of_item, order, place, tally)
    for table, key in (("CHANNEL", "ch"), ("S_USER", "u")):
        for item in _items(chunk, key, place, tally):
            yield from _stored(table, item, text_of(item, "id"), order, place, tally)
    if info := object_of(chunk, "ci"):
        yield from _stored("CHANNEL", info, text_of(info, "id"), order, place, tally)
    for person in texts_of(chunk, "cu"):
        yield "INSERT INTO CHANNEL_USER VALUES (?, ?)", (channel, person)
    if workspace := object_of(chunk, "w"):
        names = tuple(text_of(workspace, key) for key in ("team_id", "user_id", "user"))
        yield "INSERT INTO WORKSPACE VALUES (?, ?, ?, ?)", (*names, order)
    tally.others += sum(len(objects_of(chunk, key)) for key in _NOT_READ)


def _items(chunk: JSONObject, key: str, place: str, tally: ChunkTally) -> list[JSONObject]:
    objects = objects_of(chunk, key)
    if len(objects) < len(list_of(chunk.get(key))) or not isinstance(chunk.get(key), list | None):
        tally.refused.append(Rejected(locator=place, reason=_NO_OBJECT))
    return objects


def _as_bytes(item: JSONObject) -> bytes:
    try:
        return orjson.dumps(item)
    except TypeError:  # half of a character, or a number of more than 64 bits
        return str(valid_unicode(json.dumps(item, ensure_ascii=False))).encode()


def _stored(table: str, item: JSONObject, key: str, order: int, place: str, tally: ChunkTally) -> Iterator[Row]:
    try:
        data = _as_bytes(item)
    except (ValueError, RecursionError):
        tally.refused.append(Rejected(locator=place, reason=_NO_OBJECT))
        return
    tally.size += len(data)
    if len(data) > VALUE_CAP:
        tally.refused.append(Rejected(locator=place, reason=_TOO_LARGE))
    elif table in ("CHANNEL", "S_USER"):
        yield _ENTRY.format(table), (key, order, data)
    elif table == "SEARCH_MESSAGE":
        name = text_of(object_of(item, "channel"), "name")
        yield _FOUND, (key, text_of(item, "ts"), order, data, name)
    else:
        yield _MESSAGE, (key, text_of(item, "ts"), order, data)
