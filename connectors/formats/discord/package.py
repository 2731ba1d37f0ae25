"""Reads the data package of Discord: everything that one account wrote, without the messages of others."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ....schemas import UNKNOWN_USER, Rejected
from ....schemas.identity_links import account_link, mail_link, phone_link
from ...chats.export_files import read_text
from ...connector import Member, ReadOptions, Record
from ...opening.media_names import mime_of
from ...record_faults import or_reason
from ...text.json_fields import id_of, object_of, text_of, words_of
from ...text.json_parsing import Parsed, parse_json
from ...text.json_splitter import JSONSplitter
from ...times.instants import instant_of
from .days import chat_days
from .files import name_in, placeholder_of
from .people import handle_link, handle_of

RECORD_CAP = 64 * 1024 * 1024
"""The maximum number of bytes of one message's JSON."""
SMALL_FILE = 16 * 1024 * 1024
"""The maximum number of bytes of a file that describes others and is read as a whole."""
_NUMBER = re.compile(r"(?:(?<![^/])c|(?=\d{5}))(\d{1,20})\Z")
"""Matches the number of a channel: after ``c`` of any length; without it of five digits or more, for a short one may be
a year.
"""
_DIRECT_MESSAGE = re.compile(r"Direct Message with (.+?)(?:#0)?\Z")


@dataclass(slots=True)
class PackageIndex:
    """The account and the names of the channels, from the files beside the messages."""

    user: str = ""
    links: tuple[str | None, ...] = ()
    """The links of the account besides its name: id, handle, mail address, phone number."""
    titles: dict[str, str] = field(default_factory=dict[str, str])
    channels: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """The descriptions of channels by the folder that contains them."""

    def channel_id(self, member: Member) -> str:
        """Return the id of the channel of a file of messages, from the description beside it, else the number of its
        folder.
        """
        folder = member.name.rpartition("/")[0]
        number = _NUMBER.search(folder or member.locator.rpartition("/")[0])
        if channel_id := id_of(self.channels.get(folder, {}).get("id")):
            return channel_id
        return number[1] if number else ""

    def metadata(self, member: Member, channel_id: str) -> dict[str, str]:
        """Return the metadata for the documents of a channel; ``partial_view`` says that the messages of others are
        missing.
        """
        channel = self.channels.get(member.name.rpartition("/")[0], {})
        server, name = words_of(object_of(channel.get("guild")).get("name")), words_of(channel.get("name"))
        listed = self.titles.get(channel_id, "")
        title = f"{server} #{name}" if server and name else name or _DIRECT_MESSAGE.sub(r"\1", listed) or channel_id
        return {"title": title, "partial_view": "true"} | ({"server": server} if server else {})


def account_name(account: dict[str, Any]) -> str:
    """Return the displayed name of a package's account."""
    return words_of(account.get("global_name")) or words_of(account.get("username"))


def account_links(account: dict[str, Any]) -> tuple[str | None, ...]:
    """Return the links of a package's account: id, handle, mail address, phone number."""
    mail, phone = words_of(account.get("email")), words_of(account.get("phone"))
    return account_link(id_of(account.get("id"))), handle_link(handle_of(account)), mail_link(mail), phone_link(phone)


def package_records(
    member: Member, index: PackageIndex, options: ReadOptions, *, chat: str, alone: bool
) -> Iterator[Record]:
    """Yield the day documents of one channel, and a rejection for each part that cannot be read.

    Raises:
        SourceError: the file is ``alone`` and cannot be opened.
    """
    channel_id = index.channel_id(member)
    if not chat:
        reason = "nothing says which channel these messages are of: no number in its folder, no description beside it"
        yield Rejected(locator=member.locator, reason=reason)
        return
    user = options.me or index.user or UNKNOWN_USER
    metadata = index.metadata(member, channel_id or chat) | ({"title": chat} if chat != channel_id else {})
    days = chat_days(chat, user, metadata, lambda name: index.links if name == user else ())

    def messages(stream: io.BufferedReader) -> Iterator[Record]:
        is_json = stream.peek(1)[:1].strip()[:1] in (b"[", b"{", b"")
        rows = _json_rows(stream, member.locator) if is_json else _csv_rows(stream, member.locator)
        for place, row in rows:
            message = row if isinstance(row, Rejected) else _message(row, user, options)
            if isinstance(message, Rejected):
                yield message
            elif isinstance(message, str):
                yield Rejected(locator=place, reason=message)
            else:
                yield from days.add(message, place)

    yield from read_text(member, messages, alone=alone)
    yield from days.close()


@or_reason
def _message(row: dict[str, Any], user: str, options: ReadOptions) -> dict[str, Any] | str:
    """Return the message of a row, or the reason why it cannot be read."""
    message_id = id_of(row.get("ID"))
    time = instant_of(row.get("Timestamp"), options.zone)
    if not message_id or time is None:
        return "a message without an id" if not message_id else "a message without a time that can be read"
    addresses = words_of(row.get("Attachments")).split()
    attachments = [
        {"name": name, "mime": mime_of(name), "missing": True} for url in addresses if (name := name_in(url))
    ]
    content, kind = text_of(row.get("Contents")), "text"
    if not content.strip():
        content, kind = (placeholder_of(attachments), "media") if attachments else ("[message without text]", "unknown")
    message: dict[str, Any] = {
        "speaker": user,
        "content": content,
        "time": time,
        "id": message_id,
        "kind": kind,
        "zone_origin": "explicit",
    }
    if attachments:
        message["attachments"] = attachments
    return message


def _json_rows(stream: io.BufferedReader, locator: str) -> Iterator[tuple[str, dict[str, Any] | Rejected]]:
    splitter: JSONSplitter[Parsed] = JSONSplitter(stream.read1, parse_json, _is_row, RECORD_CAP)
    for piece in splitter.pieces():
        place = f"{locator}#/{piece.index}" if piece.index is not None else f"{locator}:{piece.line}"
        if piece.value is None:
            yield place, Rejected(locator=place, reason=piece.reason)
        else:
            yield place, object_of(piece.value.value)


def _csv_rows(stream: io.BufferedReader, locator: str) -> Iterator[tuple[str, dict[str, Any] | Rejected]]:
    lines = io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="")
    rows = csv.DictReader(lines)
    try:
        while True:
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error:
                place = f"{locator}:{rows.line_num}"
                yield place, Rejected(locator=place, reason="no valid line of CSV")
                continue
            yield f"{locator}:{rows.line_num}", {str(key): value for key, value in row.items()}
    finally:
        lines.detach()  # the caller closes the stream


def _is_row(parsed: Parsed) -> bool:
    row = object_of(parsed.value)
    return "ID" in row and "Contents" in row
