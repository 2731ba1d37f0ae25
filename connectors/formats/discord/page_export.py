"""Reads page files (HTML) of DiscordChatExporter: the channel, and the messages one group at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from io import BufferedReader
from itertools import islice
from typing import Any

from ....schemas import Rejected
from ....schemas.errors import SourceError
from ...chats.export_files import read_text
from ...chats.notices import CONTENT_UNKNOWN, content_unknown
from ...chats.ordered_days import OrderedDays
from ...connector import Member, ReadOptions, Record
from ...files.whole_files import head_of
from ...opening.attached_files import AttachedFiles
from ...record_faults import Failure, records_at
from ...text.html.records import CUT_PAGE, html_records, is_cut
from ...text.json_fields import object_of
from ...text.unicode import as_utf8
from .chat_export import Channel
from .days import chat_days
from .exported_message import MessageReader
from .page import group_messages, page_heads
from .people import Names

GROUP_CAP = 64 * 1024 * 1024
"""The maximum number of bytes of one group of messages."""
_HEAD = 1024 * 1024
_MARKS = (b'<div class="chatlog__message-group', b"<div class=chatlog__message-group")
"""The starts of a group in HTML; newer pages leave out the quotes."""
_CHANNEL_ID = re.compile(r"\[(\d{15,20})\]")
_DIRECT = "Direct Messages"


def page_channel(member: Member) -> Channel | None:
    """Return the channel of a page. Its id is in the file name; without one the names of server and channel replace it."""
    head = head_of(member, _HEAD)
    mark = _mark_of(head)
    if not mark:
        return None
    entries = page_heads(head[: head.find(mark)])
    server = entries[0] if entries else ""
    category, _, name = (entries[1] if len(entries) > 1 else "").rpartition(" / ")
    number = _CHANNEL_ID.search(member.name)
    channel_id = number[1] if number else "/".join(part for part in (server, category, name) if part)
    if not channel_id:
        return None
    topic = entries[2] if len(entries) > 2 else ""
    return Channel(channel_id, name or channel_id, "", "" if server == _DIRECT else server, category, topic)


def page_records(
    member: Member,
    channel: Channel,
    names: Names,
    options: ReadOptions,
    beside: AttachedFiles,
    *,
    chat: str,
    alone: bool,
) -> Iterator[Record]:
    """Yield the day documents of a page, and a rejection for each part that cannot be read.

    Raises:
        SourceError: the file is ``alone`` and cannot be opened.
    """
    metadata = channel.metadata() | ({"title": chat} if chat != channel.id else {})
    days = chat_days(chat, names.user, metadata, names.links)
    held = partial(beside.has, folder=member.name.rpartition("/")[0])
    reader = MessageReader(channel.id, names, options.zone, held, thread=False)
    yield from read_text(member, partial(_messages, member, reader, days), alone=alone)
    yield from days.close()
    yield from content_unknown(reader.counts[CONTENT_UNKNOWN], member.locator)


def _messages(member: Member, reader: MessageReader, days: OrderedDays, stream: BufferedReader) -> Iterator[Record]:
    piece = b""
    for number, piece in enumerate(html_records(stream.read1, _mark_in(member), GROUP_CAP)):
        place = f"{member.locator}#/{number}"
        if number and not piece:
            yield Rejected(locator=place, reason=f"more than {GROUP_CAP} bytes in one group of messages")
        elif number:
            yield from records_at(place, _group, piece, reader, days, place)
    if is_cut(piece):
        yield Rejected(locator=member.locator, reason=CUT_PAGE)


def page_authors(member: Member) -> Iterator[dict[str, Any]]:
    """Yield the author's account of each message of a page, for the preview; unreadable messages are skipped without a
    report.
    """
    with suppress(SourceError):
        mark = _mark_in(member)
        with member.open() as stream:
            pieces = html_records(as_utf8(stream).stream.read1, mark, GROUP_CAP)
            for piece in islice(pieces, 1, None):
                messages = group_messages(piece)
                for raw in () if isinstance(messages, str) else messages:
                    if not isinstance(raw, Failure):
                        yield object_of(raw["author"])


def _group(piece: bytes, reader: MessageReader, days: OrderedDays, place: str) -> Iterator[Record]:
    messages = group_messages(piece)
    if isinstance(messages, str):
        yield Rejected(locator=place, reason=messages)
        return
    for raw in messages:
        result = raw if isinstance(raw, Failure) else reader.read(raw)
        if isinstance(result, str):
            yield Rejected(locator=place, reason=result)
        else:
            yield from days.add(result, place)


def _mark_of(head: bytes) -> bytes:
    return next((mark for mark in _MARKS if mark in head), b"")


def _mark_in(member: Member) -> bytes:
    """Return the bytes with which the groups of a page begin."""
    with member.open() as stream:
        return _mark_of(as_utf8(stream).stream.read(_HEAD)) or _MARKS[0]
