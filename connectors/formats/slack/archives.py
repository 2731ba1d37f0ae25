"""slackdump's archives: its database, or the files of chunks that it records, which are sorted in a database of the same
tables. Yields the records that Slack's own exports hold, in the order of time.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal, cast

import orjson

from ....schemas import Rejected
from ....schemas.errors import SourceError
from ...connector import Member, Source
from ...opening.database_copy import Database, log_beside, new_database, opened_copy
from ...opening.tracked_member import COPY, count_left_out, note_role
from .chunk_files import PARENT_CHUNK, ChunkTally, load_chunks
from .records import Found
from .values import JSONObject, text_of

ArchiveKind = Literal["database", "chunks", ""]
ARCHIVE_SCORE = 0.97
_MAGIC = b"SQLite format 3\0"
_TABLES = tuple(re.compile(rb"CREATE TABLE [\"'`\[]?" + name) for name in (rb"CHUNK\b", rb"MESSAGE\b", rb"S_USER\b"))
_TABLE_BYTES = 256 * 1024
_CHUNK = re.compile(rb'\A\s*\{"t":\d{1,2},"ts":\d{9,20},"(?:id|n|nt|r|l|to|ci|cu|p|m|f|u|ch|w|st|b|sq|sm|sf|si)":')
"""Matches the beginning of a recorded chunk, whose keys a program writes in their order."""
_HEAD = 4096
_KEYS = """
SELECT CHANNEL_ID, TS, 0 AS FOUND, CHUNK_ID, rowid FROM MESSAGE{search}
ORDER BY 1, 2, 3 DESC, 4, 5
"""
_SEARCH = " UNION ALL SELECT CHANNEL_ID, TS, 1 AS FOUND, CHUNK_ID, rowid FROM SEARCH_MESSAGE"
_LATEST = "SELECT ID, rowid FROM {0} ORDER BY 1, CHUNK_ID DESC, 2 DESC"
_ROW = "SELECT DATA FROM {0} WHERE rowid = ?"
DAMAGED = "a damaged database: copy it again while slackdump is closed"
_NO_RECORD = "a record that is no JSON object"
_OF_THREADS = ("thread_ts", "reply_count", "latest_reply", "replies")


def archive_kind(member: Member) -> ArchiveKind:
    """Return the kind of slackdump's file; empty for any other, and for an unreadable one."""
    with suppress(SourceError), member.open() as stream:
        head = stream.read(_HEAD)
        if _CHUNK.match(head):
            return "chunks"
        if head.startswith(_MAGIC):
            head += stream.read(_TABLE_BYTES)
            return "database" if all(table.search(head) for table in _TABLES) else ""
    return ""


@dataclass(frozen=True, slots=True)
class ArchiveFiles:
    """The files of one archive: a database, or the chunks of a folder. ``root``: the folder."""

    root: str
    members: tuple[Member, ...]
    kind: ArchiveKind


def archives_of(members: Iterable[tuple[Member, ArchiveKind]]) -> list[ArchiveFiles]:
    """Return the archives of these members: each database, and the chunks of each folder."""
    result: list[ArchiveFiles] = []
    chunks: dict[str, list[Member]] = {}
    for member, kind in members:
        folder = member.name.rpartition("/")[0]
        if kind == "database":
            result.append(ArchiveFiles(folder, (member,), kind))
        else:
            chunks.setdefault(folder, []).append(member)
    return result + [ArchiveFiles(root, tuple(files), "chunks") for root, files in chunks.items()]


@dataclass(slots=True)
class Archive:
    """An opened archive. ``files``: the file of each channel, where it is of chunks."""

    database: Database
    member: Member
    files: Mapping[str, Member] = field(default_factory=dict[str, Member])
    tally: ChunkTally = field(default_factory=ChunkTally)

    def users(self) -> Iterator[JSONObject]:
        """Yield the people, each as last recorded.

        Raises:
            sqlite3.Error: they cannot be read.
        """
        return self._latest("S_USER")

    def channels(self, user: str) -> Iterator[JSONObject]:
        """Yield the channels, each as last recorded, conversations of few people with their members.

        Args:
            user: the id of the person whose archive it is.

        Raises:
            sqlite3.Error: they cannot be read.
        """
        records = list(self._latest("CHANNEL"))
        few = {text_of(each, "id") for each in records if each.get("is_im") is True or each.get("is_mpim") is True}
        members: dict[str, dict[str, None]] = {}
        if few and self.database.has("CHANNEL_USER", "CHANNEL_ID", "USER_ID"):
            for channel, person in self.database.walk("SELECT CHANNEL_ID, USER_ID FROM CHANNEL_USER ORDER BY rowid"):
                if channel in few and isinstance(person, str):
                    members.setdefault(channel, {})[person] = None
        for record in records:
            identifier = text_of(record, "id")
            if identifier in few and not record.get("members"):
                people = list(members.get(identifier, ())) or [text_of(record, "user"), user]
                record["members"] = [person for person in people if person]
            yield record
        names = {text_of(each, "id") for each in records}
        if self.database.has("SEARCH_MESSAGE", "CHANNEL_ID", "CHANNEL_NAME"):
            for identifier, name in self.database.walk("SELECT DISTINCT CHANNEL_ID, CHANNEL_NAME FROM SEARCH_MESSAGE"):
                if isinstance(name, str) and f"{identifier}"[:1] in ("C", "G") and identifier not in names:
                    names.add(identifier)
                    yield {"id": identifier, "name": name}

    def workspace(self) -> tuple[str, str, str]:
        """Return the workspace's id, and the id and handle of the person whose archive it is; empty where not recorded.

        Raises:
            sqlite3.Error: they cannot be read.
        """
        if not self.database.has("WORKSPACE", "TEAM_ID", "USER_ID", "USERNAME", "CHUNK_ID"):
            return "", "", ""
        statement = "SELECT TEAM_ID, USER_ID, USERNAME FROM WORKSPACE ORDER BY CHUNK_ID DESC LIMIT 1"
        row = next(self.database.walk(statement), ("", "", ""))
        team, user, handle = (value if isinstance(value, str) else "" for value in row)
        return team, user, handle

    def chats(self) -> Iterator[tuple[str, Iterator[Found]]]:
        """Yield each channel's id, with its records in the order of time. Exhaust one before asking for the next.

        Raises:
            sqlite3.Error: they cannot be read.
        """
        keys = self._keys()
        for channel, of_channel in groupby(keys, lambda key: key[0]):
            yield str(channel or ""), self._records(str(channel or ""), of_channel)

    def _keys(self) -> Iterator[tuple[Any, ...]]:
        search = _SEARCH if self.database.has("SEARCH_MESSAGE", "CHANNEL_ID", "TS", "CHUNK_ID", "DATA") else ""
        return self.database.walk(_KEYS.format(search=search))

    def _records(self, channel: str, keys: Iterator[tuple[Any, ...]]) -> Iterator[Found]:
        place = self.files.get(channel, self.member)
        for _, versions in groupby(keys, lambda key: key[1]):
            wordings: dict[str, Found] = {}  # of thousands of copies one is held
            copies = 0
            for _, _, of_search, chunk, row in versions:
                read = self._record("SEARCH_MESSAGE" if of_search else "MESSAGE", row, place)
                if read.record is None:
                    yield read
                else:
                    text = text_of(read.record, "text")
                    wordings.pop(text, None)
                    wordings[text] = read
                    copies += chunk != PARENT_CHUNK
            if wordings:
                changed = list(_as_changed([*wordings.values()]))
                count_left_out(place, COPY, max(0, copies - len(changed)))
                yield from changed

    def _record(self, table: str, row: int, place: Member) -> Found:
        locator = f"{place.locator}#{table}/{row}"
        try:
            stored = self.database.row(_ROW.format(table), (row,))
        except sqlite3.Error:
            return Found(locator, None, reason=DAMAGED)
        record = _object(stored["DATA"] if stored else None)
        return Found(locator, None, record, "" if record is not None else _NO_RECORD)

    def _latest(self, table: str) -> Iterator[JSONObject]:
        """Yield the newest record of each id; one that cannot be read costs itself, and is told by the tally."""
        if not self.database.has(table, "ID", "CHUNK_ID", "DATA"):
            return
        for _, versions in groupby(self.database.walk(_LATEST.format(table)), lambda key: key[0]):
            read = self._record(table, next(versions)[1], self.member)
            if read.record is not None:
                yield read.record
            else:
                self.tally.refused.append(Rejected(locator=read.file, reason=read.reason))


def _as_changed(records: Sequence[Found]) -> Iterator[Found]:
    """Yield the records of one time stamp, the oldest first, of different words, as Slack tells an edit: the earlier words,
    and what they became.
    """
    last = records[-1].record or {}
    older = [each for each in records[:-1] if text_of(each.record or {}, "text")]
    if not older:
        yield records[-1]
        return
    # In its thread stands what later became the beginning of one.
    place = {key: last[key] for key in _OF_THREADS if key in last}
    for number, each in enumerate([*older, records[-1]]):
        version = last if each is records[-1] else {**(each.record or {}), **place}
        changed = {"type": "message", "subtype": "message_changed", "ts": last.get("ts"), "message": version}
        yield Found(each.file, None, changed if number else version)


def _object(data: object) -> JSONObject | None:
    if isinstance(data, str | bytes):
        with suppress(orjson.JSONDecodeError):
            value = orjson.loads(data)
            return cast("JSONObject", value) if isinstance(value, dict) else None
    return None


@contextmanager
def opened_archive(files: ArchiveFiles, source: Source, temporary: str | None) -> Generator[Archive]:
    """Yield an archive.

    Args:
        files: of the archive.
        source: in which a log may lie beside the database.
        temporary: the folder of private copies.

    Raises:
        SourceError: it cannot be copied, or is no database of slackdump.
    """
    if files.kind == "database":
        (member,) = files.members
        log = log_beside(member, source.members())
        if log is not None:
            note_role(log, "the log of the database: holds its newest messages", used=True)
        with opened_copy(member, log, temporary) as database:
            if not database.has("MESSAGE", "CHANNEL_ID", "TS", "CHUNK_ID", "DATA"):
                raise SourceError(f"{member.locator}: its table of messages is none that memd knows")
            yield Archive(database, member)
        return
    with new_database(files.members[0].locator, temporary) as connection:
        tally = load_chunks(files.members, connection)
        yield Archive(Database(connection, tally.size), files.members[0], tally.files, tally)
