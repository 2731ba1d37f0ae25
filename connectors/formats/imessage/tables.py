"""Reads the tables of Messages of any macOS or iOS version: the chats, their messages, and the files and reactions of
each.

Columns that a version does not have count as NULL.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...opening.database_copy import Database
from ...text.json_fields import words_of
from .placement import attach_files, place_messages, relate_reactions

MESSAGE_COLUMNS = [
    "guid", "text", "attributedBody", "subject", "handle_id", "date", "date_read", "date_edited", "date_retracted",
    "is_from_me", "is_sent", "is_delivered", "is_read", "error", "is_audio_message", "is_auto_reply", "is_forward",
    "is_spam", "item_type", "group_title", "group_action_type", "other_handle", "share_status",
    "associated_message_guid", "associated_message_type", "associated_message_emoji", "balloon_bundle_id",
    "payload_data", "message_summary_info", "thread_originator_guid", "expressive_send_style_id", "service",
    "account", "cache_roomnames", "schedule_type", "schedule_state",
]  # fmt: skip
ATTACHMENT_COLUMNS = ["guid", "filename", "transfer_name", "mime_type", "total_bytes", "is_sticker", "uti"]
_GROUP_STYLE = 43


@dataclass(slots=True)
class Chat:
    """A conversation with a person over all services, or a group."""

    key: str
    title: str = ""
    service: str = ""
    group: bool = False
    members: list[str] = field(default_factory=list[str])

    @property
    def shown(self) -> str:
        """The title, else the members of a group or the key."""
        return self.title or (", ".join(self.members) if self.group and self.members else self.key)


@dataclass(frozen=True, slots=True)
class Place:
    """The chat and the number of a message."""

    chat: str
    message: int
    """The row number in the table of messages."""
    deleted: bool
    """True if the user deleted it; Messages removes it for good within weeks."""


class Tables:
    """Reads the contents of a database of Messages.

    Raises:
        sqlite3.Error: on construction, when its tables cannot be scanned.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.handles = self._handles()
        self.chats: dict[str, Chat] = {}
        self._numbers: dict[int, str] = {}
        self._read_chats()
        self.damaged = not place_messages(database, self._numbers, self.handles)
        """True if the table of messages could not be scanned; only the messages joined to chats are listed then."""
        self.reactions = 0 if self.damaged else relate_reactions(database)
        """The number of messages that are reactions."""
        self._files = attach_files(database)
        self._message = self._selection("message", MESSAGE_COLUMNS, "WHERE ROWID = ?")
        self._attachment = self._selection("attachment", ATTACHMENT_COLUMNS, "WHERE ROWID = ?")
        self._reaction = self._message.replace("WHERE ROWID = ?", "") + (
            " JOIN temp.reaction r ON r.message = message.ROWID WHERE r.target = ? ORDER BY r.seq"
        )

    def has(self, table: str, *columns: str) -> bool:
        """Return whether the database has a table with these columns."""
        return self._database.has(table, *columns)

    def places(self) -> Iterator[Place]:
        """Yield every message that is not a reaction, chat by chat, in order of time."""
        for chat, message, deleted in self._database.walk("SELECT chat, message, deleted FROM temp.place ORDER BY seq"):
            yield Place(chat, message, bool(deleted))

    def message(self, number: int) -> Mapping[str, Any] | None:
        """Return a message with every column of ``MESSAGE_COLUMNS``; None if there is none with this number.

        Raises:
            sqlite3.Error: the row is damaged or too long.
        """
        return self._database.row(self._message, (number,))

    def attachments(self, number: int) -> list[Mapping[str, Any]]:
        """Return the files of a message.

        Raises:
            sqlite3.Error: one is damaged.
        """
        if not self._attachment or not self._files:
            return []
        rows = self._database.rows("SELECT file FROM temp.attached WHERE message = ? ORDER BY seq", (number,))
        files = (self._database.row(self._attachment, (row["file"],)) for row in rows)
        return [file for file in files if file is not None]

    def reactions_to(self, guid: str) -> list[Mapping[str, Any]]:
        """Return the reactions to a message, in order of time.

        Raises:
            sqlite3.Error: one is damaged.
        """
        return self._database.rows(self._reaction, (guid,)) if self.reactions else []

    def own_account(self) -> str:
        """Return the address that most of the user's messages were sent from; empty if there is none."""
        counts: dict[str, int] = {}
        if self.has("message", "account", "is_from_me") and not self.damaged:
            rows = self._database.walk(
                "SELECT account, count(*) FROM message WHERE is_from_me = 1 AND account != '' GROUP BY account"
            )
            for account, count in rows:
                if address := address_of(account):
                    counts[address] = counts.get(address, 0) + count
        return min(counts, key=lambda address: (-counts[address], address), default="")

    def _selection(self, table: str, columns: Sequence[str], condition: str) -> str:
        """Return the statement that reads these columns, with NULL for those that this version does not have."""
        there = self._database.tables.get(table)
        if there is None:
            return ""
        listed = ", ".join(f"{table}.{name}" if name in there else f"NULL AS {name}" for name in columns)
        return f"SELECT {listed} FROM {table} {condition}"  # noqa: S608 - names of this file alone

    def _handles(self) -> dict[int, str]:
        if not self.has("handle", "id"):
            return {}
        rows = self._database.walk("SELECT ROWID, id FROM handle")
        return {number: words_of(name) for number, name in rows if words_of(name)}

    def _read_chats(self) -> None:
        if not self.has("chat"):
            return
        columns = ["guid", "chat_identifier", "display_name", "service_name", "style"]
        statement = self._selection("chat", columns, "ORDER BY ROWID").replace("SELECT", "SELECT ROWID,", 1)
        for number, guid, identifier, title, service, style in self._database.walk(statement):
            kind, mark, address = words_of(guid).rpartition(";")
            key = (mark and address) or words_of(identifier) or words_of(guid) or f"chat {number}"
            chat = self.chats.setdefault(key, Chat(key))
            chat.title = words_of(title) or chat.title
            chat.service = chat.service or words_of(service)
            chat.group |= kind.endswith(";+") if mark else style == _GROUP_STYLE
            self._numbers[number] = key
        if self.has("chat_handle_join", "chat_id", "handle_id"):
            for number, handle in self._database.walk("SELECT chat_id, handle_id FROM chat_handle_join ORDER BY 1, 2"):
                key, name = self._numbers.get(number), self.handles.get(handle)
                if key and name and name not in self.chats[key].members:
                    self.chats[key].members.append(name)
                    self.chats[key].group |= len(self.chats[key].members) > 1


def address_of(account: object) -> str:
    """Return the address of an account, written after the kind of address: ``E:ann@example.org``, ``P:+1555``."""
    text = words_of(account)
    return text[2:] if text[1:2] == ":" else text


def readable(database: Database) -> bool:
    """Return whether the database has a table of messages with times and text."""
    columns = database.tables.get("message", frozenset())
    return "date" in columns and not columns.isdisjoint({"text", "attributedBody"})


def failure(error: sqlite3.Error) -> str:
    """Return the reason why a row cannot be read, without any text of the file."""
    if isinstance(error, sqlite3.DataError):
        return "a message that is too long"
    return "the database is damaged here"
