"""Builds temporary tables with the chat and order of each message, so that sorting by time takes no memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from ...opening.database_copy import Database

_TIME_ORDER = (
    "CASE WHEN typeof(m.date) = 'integer' AND abs(m.date) < 1000000000000 THEN m.date * 1000000000 ELSE m.date END"
)
"""An SQL expression for the time of a message in nanoseconds; older databases store seconds, see ``times``."""


def place_messages(database: Database, chats: Mapping[int, str], handles: Mapping[int, str]) -> bool:
    """Create ``temp.place``: every message that is not a reaction, chat by chat in order of time.

    If the table of messages is damaged, the numbers of its messages are still in the tables that join them to chats:
    then each message is placed by its number, whether it can be read or not.

    Args:
        database: the database to create it in.
        chats: the keys of chats by their numbers.
        handles: addresses by their numbers.

    Returns:
        Whether the whole table of messages could be scanned.

    Raises:
        sqlite3.Error: not even the tables that join messages to chats can be read.
    """
    run = database.run
    run("CREATE TEMP TABLE chat_key (chat INTEGER PRIMARY KEY, key TEXT)")
    for pair in chats.items():
        run("INSERT INTO temp.chat_key VALUES (?, ?)", pair)
    run("CREATE TEMP TABLE person (handle INTEGER PRIMARY KEY, name TEXT)")
    for pair in handles.items():
        run("INSERT INTO temp.person VALUES (?, ?)", pair)
    run("CREATE TEMP TABLE joined (message INTEGER PRIMARY KEY, chat INTEGER, deleted INTEGER)")
    for table, deleted in (("chat_message_join", 0), ("chat_recoverable_message_join", 1)):
        if database.has(table, "chat_id", "message_id"):
            run(
                f"INSERT OR IGNORE INTO temp.joined SELECT message_id, chat_id, {deleted} FROM {table} "  # noqa: S608
                "WHERE typeof(message_id) = 'integer'"
            )
    run("CREATE TEMP TABLE place (seq INTEGER PRIMARY KEY, chat TEXT, message INTEGER, deleted INTEGER)")
    try:
        _place_all(database)
    except sqlite3.Error:
        run("DELETE FROM temp.place")
        run(
            "INSERT INTO temp.place (chat, message, deleted) SELECT coalesce(k.key, 'unknown'), j.message, j.deleted "
            "FROM temp.joined j LEFT JOIN temp.chat_key k ON k.chat = j.chat ORDER BY 1, j.message"
        )
        return False
    return True


def _place_all(database: Database) -> None:
    room = "m.cache_roomnames" if database.has("message", "cache_roomnames") else "NULL"
    handle = "m.handle_id" if database.has("message", "handle_id") else "NULL"
    database.run(
        "INSERT INTO temp.place (chat, message, deleted) "  # noqa: S608 - names of this file alone
        f"SELECT coalesce(k.key, nullif(CAST({room} AS TEXT), ''), p.name, 'unknown'), m.ROWID, ifnull(j.deleted, 0) "
        "FROM message m LEFT JOIN temp.joined j ON j.message = m.ROWID LEFT JOIN temp.chat_key k ON k.chat = j.chat "
        f"LEFT JOIN temp.person p ON p.handle = {handle} WHERE NOT ({_is_reaction(database)}) "
        f"ORDER BY 1, {_TIME_ORDER}, m.ROWID"
    )


def relate_reactions(database: Database) -> int:
    """Create ``temp.reaction``: each reaction with the id of its message; return their number.

    Raises:
        sqlite3.Error: the messages cannot be scanned.
    """
    database.run("CREATE TEMP TABLE reaction (seq INTEGER PRIMARY KEY, target TEXT, message INTEGER)")
    if database.has("message", "associated_message_guid", "associated_message_type"):
        target = "m.associated_message_guid"
        database.run(
            "INSERT INTO temp.reaction (target, message) "  # noqa: S608 - names of this file alone
            f"SELECT CASE WHEN instr({target}, '/') THEN substr({target}, instr({target}, '/') + 1) "
            f"WHEN {target} LIKE 'bp:%' THEN substr({target}, 4) ELSE {target} END, m.ROWID "
            f"FROM message m WHERE {_is_reaction(database)} ORDER BY {_TIME_ORDER}, m.ROWID"
        )
    database.run("CREATE INDEX temp.reaction_target ON reaction (target)")
    return sum(number for (number,) in database.walk("SELECT count(*) FROM temp.reaction"))


def attach_files(database: Database) -> int:
    """Create ``temp.attached``: the numbers of each message's files; return how many there are.

    Raises:
        sqlite3.Error: the table cannot be read.
    """
    database.run("CREATE TEMP TABLE attached (seq INTEGER PRIMARY KEY, message INTEGER, file INTEGER)")
    if database.has("message_attachment_join", "message_id", "attachment_id"):
        database.run(
            "INSERT INTO temp.attached (message, file) "
            "SELECT message_id, attachment_id FROM message_attachment_join ORDER BY 1, 2"
        )
    database.run("CREATE INDEX temp.attached_message ON attached (message)")
    return sum(number for (number,) in database.walk("SELECT count(*) FROM temp.attached"))


def _is_reaction(database: Database) -> str:
    """Return the SQL condition for rows of the table of messages that are reactions."""
    if not database.has("message", "associated_message_guid", "associated_message_type"):
        return "0"
    return "ifnull(m.associated_message_type, 0) BETWEEN 2000 AND 3999 AND ifnull(m.associated_message_guid, '') != ''"
