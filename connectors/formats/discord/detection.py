"""Detects the kind of a file of a Discord export by its first bytes. Pure except for reading these bytes."""

from __future__ import annotations

import re

from ...connector import Member
from ...files.whole_files import head_of
from ...text.json_beginnings import object_keys

EXPORT, PAGE, MESSAGES, CHANNEL, INDEX, ACCOUNT = "export", "page", "messages", "channel", "index", "account"
TEXT, TABLE = "text", "table"
SCORES = {EXPORT: 0.97, PAGE: 0.95, TEXT: 1.0, TABLE: 0.97, MESSAGES: 0.95, CHANNEL: 0.6, INDEX: 0.55, ACCOUNT: 0.6}
"""The score of a file by kind; a text file scores above WhatsApp, whose message headers look alike."""
_CSV = re.compile(rb'"?ID"?,"?Timestamp"?,"?Contents"?,"?Attachments"?\r?\n')
_TABLE = re.compile(rb'"?AuthorID"?,"?Author"?,"?Date"?,"?Content"?,"?Attachments"?,"?Reactions"?\r?\n')
_TEXT = re.compile(rb"={20,}\r?\nGuild: [^\n]*\nChannel: ")
_CHANNEL_TYPE = re.compile(
    rb'"type"\s*:\s*(?:\d{1,2}\b|"(?:GUILD|PUBLIC|PRIVATE|ANNOUNCEMENT|GROUP|DM|UNKNOWN)[A-Z_]*")'
)
_CHANNEL_ID = re.compile(rb'\{\s*"id"\s*:\s*"\d{15,20}"')
_NUMBER = re.compile(r"\d{15,20}")


def kind_of(member: Member) -> str:
    """Return the kind of a file; empty for any other file, and for one that cannot be read."""
    head = head_of(member)
    start = head.lstrip()
    if start.startswith(b"<"):
        return PAGE if b"chatlog__message" in head and b"preamble__" in head else ""
    if _CSV.match(start):
        return MESSAGES
    if _TABLE.match(start) or _TEXT.match(start):
        return TABLE if _TABLE.match(start) else TEXT
    if start.startswith((b"{", b"[")):
        for keys in object_keys(head):
            if kind := _of_keys(keys, start):
                return kind
    return ""


def kind_beside(name: str, messages: frozenset[str]) -> str:
    """Return the kind of a file that only its name and its place beside files of messages show; empty for any other
    file.

    Args:
        name: the name of the file, with its folders.
        messages: the folders that contain files of messages.
    """
    folder, _, base = name.rpartition("/")
    if base == "channel.json" and folder in messages:
        return CHANNEL
    if base not in ("index.json", "user.json"):
        return ""
    lists = {_above(each) for each in messages}
    if base == "index.json":
        return INDEX if folder and folder in lists else ""
    # Files named user.json are common: one counts only in a folder beside the folder of the messages.
    beside = folder not in messages and folder not in lists and _above(folder) in {*map(_above, lists)}
    return ACCOUNT if beside else ""


def _above(folder: str) -> str:
    return folder.rpartition("/")[0]


def _of_keys(keys: set[str], start: bytes) -> str:
    if {"guild", "channel"} <= keys and keys & {"messages", "dateRange", "exportedAt"}:
        return EXPORT
    if {"ID", "Timestamp", "Contents"} <= keys:
        return MESSAGES
    if not start.startswith(b"{"):
        return ""
    if {"id", "username", "discriminator"} <= keys and keys & {"email", "relationships", "avatar_hash", "global_name"}:
        return ACCOUNT
    if {"id", "type"} <= keys and len(keys) <= 6 and _CHANNEL_ID.match(start) and _CHANNEL_TYPE.search(start):
        return CHANNEL
    return INDEX if keys and all(_NUMBER.fullmatch(key) for key in keys) else ""
