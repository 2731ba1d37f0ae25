"""Files of DiscordChatExporter as pages (HTML): which channel, and its messages, a group at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from ...schemas import UNKNOWN_USER, Rejected
from ...schemas.errors import SourceError
from ...schemas.wire import replaced_text
from ..connector import Member, ReadOptions, Record
from ..errors import refusal
from ..html_records import html_records
from ..unicode import as_utf8
from .chat_export import Channel, unknown_content
from .days import ChatDays
from .exported_message import MessageReader
from .page import group_messages, page_heads
from .people import Names

GROUP_CAP = 64 * 1024 * 1024
"""Bytes of one group of messages."""
_HEAD = 1024 * 1024
_MARKS = (b'<div class="chatlog__message-group', b"<div class=chatlog__message-group")
"""What a group begins with; newer pages leave out the quotes."""
_CHANNEL_ID = re.compile(r"\[(\d{15,20})\]")
_DIRECT = "Direct Messages"


def page_channel(member: Member) -> Channel | None:
    """The channel of a page. Its id is in the name of the file; without one its names stand for it."""
    head = b""
    with suppress(SourceError), member.open() as stream:
        head = as_utf8(stream).stream.read(_HEAD)
    mark = _mark_of(head)
    if not mark:
        return None
    entries = page_heads(head[: head.find(mark)])
    server = entries[0] if entries else ""
    category, _, name = (entries[1] if len(entries) > 1 else "").rpartition(" / ")
    number = _CHANNEL_ID.search(member.name)
    own = number[1] if number else "/".join(part for part in (server, category, name) if part)
    if not own:
        return None
    topic = entries[2] if len(entries) > 2 else ""
    return Channel(own, name or own, "", "" if server == _DIRECT else server, category, topic)


def page_records(
    member: Member, channel: Channel, names: Names, options: ReadOptions, *, chat: str, alone: bool
) -> Iterator[Record]:
    """The days of a page, and what of it cannot be read.

    Raises:
        SourceError: the file is ``alone`` and cannot be opened.
    """
    try:
        stream = member.open()
    except SourceError as error:
        if alone:
            raise
        yield refusal(member.locator, error)
        return
    metadata = channel.metadata() | ({"title": chat} if chat != channel.id else {})
    days = ChatDays(chat, options.me or UNKNOWN_USER, metadata)
    reader = MessageReader(channel.id, names, options.zone, thread=False)
    with stream:
        try:
            text = as_utf8(stream)
            mark = _mark_in(member)
            for number, piece in enumerate(html_records(text.stream.read1, mark, GROUP_CAP)):
                place = f"{member.locator}#/{number}"
                if number and not piece:
                    yield Rejected(locator=place, reason=f"more than {GROUP_CAP} bytes in one group of messages")
                elif number:
                    yield from _group(piece, reader, days, place)
            if text.replaced:
                yield replaced_text(member.locator)
        except SourceError as error:  # damaged or over a cap, in the middle: what came before stays
            yield refusal(member.locator, error)
    yield from days.close()
    yield from unknown_content(reader, member.locator)


def first_page_names(member: Member, names: Names, most: int) -> dict[str, int]:
    """Who wrote the first messages of a page, and how often."""
    found: dict[str, int] = {}
    mark = _mark_in(member)
    with member.open() as stream:
        pieces = html_records(as_utf8(stream).stream.read1, mark, GROUP_CAP)
        groups = (raw for piece in islice(pieces, 1, None) for raw in group_messages(piece))
        for raw in islice(groups, most):
            name = names.name_of(raw["author"])
            found[name] = found.get(name, 0) + 1
    return found


def _group(piece: bytes, reader: MessageReader, days: ChatDays, place: str) -> Iterator[Record]:
    for raw in group_messages(piece):
        found = reader.read(raw)
        if isinstance(found, str):
            yield Rejected(locator=place, reason=found)
        else:
            yield from days.add(found, place)


def _mark_of(head: bytes) -> bytes:
    return next((mark for mark in _MARKS if mark in head), b"")


def _mark_in(member: Member) -> bytes:
    """What the groups of a page begin with."""
    with member.open() as stream:
        return _mark_of(as_utf8(stream).stream.read(_HEAD)) or _MARKS[0]
