"""Databases of Messages in the shapes that versions of macOS and iOS write, made for tests."""

from __future__ import annotations

import plistlib
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.imessage.connector import IMessageConnector
from memd.schemas import ConversationDocument, ConversationMessage, Notice, Rejected
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
NOON = 726_926_400  # 2024-01-14T12:00:00Z, seconds since 2001
NANO = 10**9

MODERN = """
CREATE TABLE message (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, text TEXT, handle_id INTEGER DEFAULT 0,
  subject TEXT, attributedBody BLOB, service TEXT, account TEXT, error INTEGER DEFAULT 0, date INTEGER, date_read INTEGER,
  date_delivered INTEGER, is_delivered INTEGER DEFAULT 0, is_from_me INTEGER DEFAULT 0, is_read INTEGER DEFAULT 0,
  is_sent INTEGER DEFAULT 0, is_audio_message INTEGER DEFAULT 0, is_auto_reply INTEGER DEFAULT 0, is_forward INTEGER DEFAULT 0,
  is_spam INTEGER DEFAULT 0, cache_roomnames TEXT, item_type INTEGER DEFAULT 0, other_handle INTEGER DEFAULT 0,
  group_title TEXT, group_action_type INTEGER DEFAULT 0, share_status INTEGER DEFAULT 0, associated_message_guid TEXT,
  associated_message_type INTEGER DEFAULT 0, balloon_bundle_id TEXT, payload_data BLOB, expressive_send_style_id TEXT,
  message_summary_info BLOB, reply_to_guid TEXT, thread_originator_guid TEXT, thread_originator_part TEXT,
  date_retracted INTEGER DEFAULT 0, date_edited INTEGER DEFAULT 0, associated_message_emoji TEXT);
CREATE TABLE handle (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, country TEXT, service TEXT NOT NULL,
  uncanonicalized_id TEXT, person_centric_id TEXT);
CREATE TABLE chat (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, style INTEGER, chat_identifier TEXT,
  service_name TEXT, display_name TEXT);
CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER, message_date INTEGER DEFAULT 0,
  PRIMARY KEY (chat_id, message_id));
CREATE TABLE chat_handle_join (chat_id INTEGER, handle_id INTEGER, UNIQUE (chat_id, handle_id));
CREATE TABLE chat_recoverable_message_join (chat_id INTEGER, message_id INTEGER, delete_date INTEGER);
CREATE TABLE attachment (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, filename TEXT, uti TEXT,
  mime_type TEXT, transfer_name TEXT, total_bytes INTEGER DEFAULT 0, is_sticker INTEGER DEFAULT 0);
CREATE TABLE message_attachment_join (message_id INTEGER, attachment_id INTEGER, UNIQUE (message_id, attachment_id));
CREATE TRIGGER gone AFTER DELETE ON attachment BEGIN SELECT delete_attachment_path(OLD.filename); END;
"""
OLD = """
CREATE TABLE message (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, text TEXT, handle_id INTEGER DEFAULT 0,
  service TEXT, date INTEGER, is_from_me INTEGER DEFAULT 0);
CREATE TABLE handle (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, service TEXT NOT NULL);
CREATE TABLE chat (ROWID INTEGER PRIMARY KEY AUTOINCREMENT, guid TEXT UNIQUE NOT NULL, chat_identifier TEXT);
CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER, PRIMARY KEY (chat_id, message_id));
"""
"""Before tapbacks, threads and attributed bodies: seconds since 2001."""

BO = {"id": "+15550001", "service": "iMessage"}
CLEO = {"id": "cleo@example.org", "service": "iMessage"}
DIRECT = {"guid": "iMessage;-;+15550001", "style": 45, "chat_identifier": "+15550001", "service_name": "iMessage"}
GROUP = {
    "guid": "iMessage;+;chat77",
    "style": 43,
    "chat_identifier": "chat77",
    "service_name": "iMessage",
    "display_name": "Sailing",
}

Row = Mapping[str, Any]


def said(
    guid: str, text: str | bytes | None, minute: float = 0, *, me: bool = False, handle: int = 1, **more: object
) -> Row:
    """A row of the table of messages, ``minute`` after noon."""
    date = int((NOON + minute * 60) * NANO)
    row = {"guid": guid, "text": text, "date": date, "is_from_me": int(me), "handle_id": 0 if me else handle}
    return row | {"service": "iMessage"} | more


def database(
    messages: Sequence[Row],
    *,
    chats: Sequence[Row] = (DIRECT, GROUP),
    joins: Mapping[int, int] | None = None,
    files: Sequence[tuple[int, Row]] = (),
    deleted: Sequence[int] = (),
    schema: str = MODERN,
    statements: Sequence[str] = (),
    bare: bool = False,
) -> bytes:
    """The bytes of a database.

    Args:
        messages: rows; their numbers count from 1.
        chats: rows, numbered so, too.
        joins: the chat of a message; 1 where it is not given.
        files: attachments and the messages that they came with.
        deleted: messages that the user deleted a short time ago.
        schema: the statements that make its tables.
        statements: further ones.
        bare: no rows at all, for a schema of other tables.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chat.db"
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA page_size = 512")
        connection.executescript(schema)
        if not bare:
            fill(connection, messages, chats=chats, joins=joins, files=files, deleted=deleted)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
        return path.read_bytes()


def fill(
    connection: sqlite3.Connection,
    messages: Sequence[Row],
    *,
    chats: Sequence[Row] = (DIRECT, GROUP),
    joins: Mapping[int, int] | None = None,
    files: Sequence[tuple[int, Row]] = (),
    deleted: Sequence[int] = (),
) -> None:
    """Put rows into the tables."""
    for handle in (BO, CLEO):
        insert(connection, "handle", handle)
    for chat in chats:
        insert(connection, "chat", chat)
    for person in (1, 2):
        if chats and "style" in chats[-1]:
            insert(connection, "chat_handle_join", {"chat_id": len(chats), "handle_id": person})
    for number, row in enumerate(messages, 1):
        insert(connection, "message", row)
        table = "chat_recoverable_message_join" if number in deleted else "chat_message_join"
        insert(connection, table, {"chat_id": (joins or {}).get(number, 1), "message_id": number})
    for number, (message, file) in enumerate(files, 1):
        insert(connection, "attachment", file)
        insert(connection, "message_attachment_join", {"message_id": message, "attachment_id": number})


def insert(connection: sqlite3.Connection, table: str, row: Row) -> None:
    """One row."""
    marks = ", ".join("?" for _ in row)
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))


def counted(text: str) -> bytes:
    """A text behind its length, as NSArchiver writes it."""
    data = text.encode()
    if len(data) < 0x80:
        return bytes([len(data)]) + data
    width = 2 if len(data) < 0x10000 else 4
    return bytes([0x80 + width // 2]) + len(data).to_bytes(width, "little") + data


def stream(
    text: str,
    *,
    mutable: bool = False,
    cut: bool = False,
    attributes: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """An attributed string as NSArchiver writes it, with one run that has these attributes: texts, or archived objects."""
    name = (
        b"\x84\x84\x0fNSMutableString\x00\x84\x84\x08NSString\x01\x95" if mutable else b"\x84\x84\x08NSString\x01\x94"
    )
    head = b"\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84\x12NSAttributedString\x00\x84\x84\x08NSObject\x00\x85\x92"
    pairs = attributes or {}
    shared = b"\x92\x84\x98\x98" if mutable else b"\x92\x84\x96\x96"
    listed = b"".join(
        shared + counted(key) + b"\x86" + (value if isinstance(value, bytes) else shared + counted(value) + b"\x86")
        for key, value in pairs.items()
    )
    tail = b"\x86\x84\x02iI\x01\x04\x92\x84\x84\x84\x0cNSDictionary\x00\x94\x84\x01i" + bytes([max(len(pairs), 1)])
    tail += (listed or b"\x92") + b"\x86\x86"
    return head + name + b"\x84\x01+" + counted(text) + (b"" if cut else tail)


def summary(versions: Sequence[tuple[str, float]], *, retracted: Sequence[int] = (), parts: int = 1) -> bytes:
    """The history of a message: wordings with their seconds after noon."""
    listed: dict[str, Any] = {"otr": {str(part): {"lo": 0, "le": 1} for part in range(parts)}}
    if versions:
        listed["ec"] = {"0": [{"d": NOON + after, "t": stream(text)} for text, after in versions]}
    if retracted:
        listed["rp"] = list(retracted)
    return plistlib.dumps(listed, fmt=plistlib.FMT_BINARY)


def read(files: Mapping[str, bytes] | bytes, options: ReadOptions = OPTIONS) -> list[Record]:
    """Everything that the connector tells of files, or of one database."""
    return list(
        IMessageConnector().read(Shelf("m", files if isinstance(files, Mapping) else {"chat.db": files}), options)
    )


def documents(records: Sequence[Record]) -> list[ConversationDocument]:
    """The days."""
    return [record for record in records if isinstance(record, ConversationDocument)]


def messages(records: Sequence[Record]) -> list[ConversationMessage]:
    """The messages of all days."""
    return [message for document in documents(records) for message in document.messages]


def codes(records: Sequence[Record]) -> list[str]:
    """The notices' codes."""
    return [record.code for record in records if isinstance(record, Notice)]


def rejected(records: Sequence[Record]) -> list[Rejected]:
    """What could not be read."""
    return [record for record in records if isinstance(record, Rejected)]


def at(hour: int, minute: int = 0, second: int = 0) -> datetime:
    """A time on 2024-01-14."""
    return datetime(2024, 1, 14, hour, minute, second, tzinfo=UTC)
