"""Reads TXT and CSV exports of DiscordChatExporter: they have no ids, and times in the format of the exporter's
language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO

from ....schemas.errors import SourceError
from ...chats.text_chats import NO_TIME, ChatFile, Item, Said, Unread, item_at
from ...connector import DateOrder, Member
from ...text.chat_lines import TOO_LONG, FileState, chat_lines, headed
from ...text.csv_rows import csv_rows
from .chat_export import Channel
from .files import attachments_of, name_in, placeholder_of
from .written_times import STAMP, WrittenTimes, order_of

_HEADER = re.compile(rf"\[(?P<time>{STAMP})\] (?P<name>.+?)(?P<pinned> \(pinned\))?")
_TIME_IN_LINE = re.compile(rf"\[({STAMP})\] |^\"?\d{{15,20}}\"?,\"?[^\n]{{0,80}}?\"?,\"?({STAMP})\"?,")
_ROW = re.compile(r'"?\d{15,20}"?,"')
_COLUMNS = 6
_SECTION = re.compile(r"^\{(Attachments|Embed|Stickers|Reactions|Forwarded Message)\}$", re.MULTILINE)
_ENDING = re.compile(r"(?:\A|\n)={20,}\nExported [^\n]{1,40} message\(s\)\n={20,}\n*\Z")
_REACTION = re.compile(r"([^\s,][^\n,]*?)(?: \((\d[\d.,\u00a0\u202f ]*)\))?(?:,|\Z| (?=\S))")
_NOTICE = re.compile(
    r"Joined the server\.|Left the group\.|Started a thread\.|Pinned a message\.|Changed the channel icon\."
    r"|Changed the channel name: [^\n]+|(?:Added|Removed) [^\n]+ (?:to|from) the group\."
)
"""Matches the texts that the exporter writes for events of the app; nothing else marks them."""
_CALL = re.compile(r"Started a call that lasted [\d.,]+ minutes\.")
_CHANNEL_ID = re.compile(r"[ ]?\[(\d{15,20})\].*\Z", re.DOTALL)
_DIRECT = "Direct Messages"
_Held = Callable[[str], bool]
"""Returns whether the export has the file at a path."""


def text_file(member: Member, head: str, held: _Held) -> ChatFile:
    """Return the chat of a text file; its first lines state the server and the channel.

    Args:
        member: the file.
        head: its beginning.
        held: returns whether the export has the file at a path.
    """
    header = dict(re.findall(r"^(Guild|Channel|Topic): (.+?)\r?$", head.split("\n[", 1)[0], re.MULTILINE))
    category, _, name = header.get("Channel", "").rpartition(" / ")
    channel = _channel(member, header.get("Guild", ""), category, name, header.get("Topic", ""))
    return _chat_file(member, channel, partial(_text_items, order=_order(member), held=held))


def table_file(member: Member, held: _Held) -> ChatFile:
    """Return the chat of a table; only its file name states the chat, as ``Server - Category - channel [id].csv``. The
    arguments are those of `text_file`.
    """
    stem = _CHANNEL_ID.sub("", member.name.rpartition("/")[2].removesuffix(".csv"))
    server, *between = stem.split(" - ")
    name = between.pop() if between else stem
    return _chat_file(
        member,
        _channel(member, server if stem != name else "", " - ".join(between), name, ""),
        partial(_table_items, order=_order(member), held=held),
    )


def _channel(member: Member, server: str, category: str, name: str, topic: str) -> Channel:
    number = _CHANNEL_ID.search(member.name)
    channel_id = number[1] if number else "/".join(part for part in (server, category, name) if part)
    return Channel(channel_id, name, "", "" if server == _DIRECT else server, category, topic)


def _chat_file(member: Member, channel: Channel, items: Any) -> ChatFile:  # noqa: ANN401 - a partial
    return ChatFile(member, channel.title, items, channel.metadata(), key=channel.id)


def _order(member: Member) -> DateOrder | None:
    """Return the order of day and month in the file's dates with slashes; None if there are none, or it cannot be read."""
    with suppress(SourceError), member.open() as stream:
        lines = chat_lines(stream, FileState())
        return order_of(m[1] or m[2] for line in lines if not line.torn and (m := _TIME_IN_LINE.match(line.text)))
    return None


def _text_items(stream: BinaryIO, state: FileState, order: DateOrder | None, held: _Held) -> Iterator[Item]:
    times = WrittenTimes(state.date_order or order)
    blank = True

    def header_of(text: str) -> tuple[re.Match[str], str] | None:
        nonlocal blank
        above, blank = blank, not text.strip()
        match = _HEADER.fullmatch(text) if above else None
        return None if match is None else (match, "")

    for record in headed(chat_lines(stream, state), header_of):
        if record.header is None:
            continue  # the server and the channel
        yield item_at(record.line, _said, record.line, record.header, record.text, times, held)


def _said(line: int, header: re.Match[str], text: str | None, times: WrittenTimes, held: _Held) -> Item:
    when = times.read(header["time"])
    if when is None or text is None:
        return Unread(line, NO_TIME if when is None else TOO_LONG)
    said = _ENDING.sub("", text.removeprefix("\n").replace("\r", ""))
    message = _message_of_sections(said, times, held)
    if header["pinned"]:
        message["metadata"] = {**message.get("metadata", {}), "pinned": "true"}
    return Said(line, header["name"], *when, message)


def _message_of_sections(text: str, times: WrittenTimes, held: _Held) -> dict[str, Any]:
    """Return a message with its text and the sections below it."""
    content, *rest = _SECTION.split(text)
    sections: dict[str, list[str]] = {}
    for name, lines in zip(rest[::2], rest[1::2], strict=True):
        sections.setdefault(name, []).append(lines.strip("\n"))
    forwarded = "\n".join(sections.get("Forwarded Message", []))
    words, _, last = forwarded.rpartition("\n")
    if forwarded and times.read(last.rpartition(": ")[2].strip("[]() ")):
        forwarded = words.rstrip("\n")  # the last line is the time of sending
    return _message(
        content.rstrip("\n"),
        "\n".join(sections.get("Attachments", [])).split("\n"),
        "\n".join(sections.get("Reactions", [])),
        held,
        stickers="\n".join(sections.get("Stickers", [])).split("\n"),
        boxes="\n\n".join(sections.get("Embed", [])),
        forwarded=forwarded,
    )


def _table_items(stream: BinaryIO, state: FileState, order: DateOrder | None, held: _Held) -> Iterator[Item]:
    times = WrittenTimes(state.date_order or order)
    for number, (line, row) in enumerate(csv_rows(stream, state, _ROW)):
        if number == 0 or (row is not None and not any(row)):
            continue
        if row is None or len(row) < _COLUMNS:
            yield Unread(line, TOO_LONG if row is None else "a row with too few columns")
            continue
        yield item_at(line, _said_in_row, line, row, times, held)


def _said_in_row(line: int, row: list[str], times: WrittenTimes, held: _Held) -> Item:
    account, author, time, content, files, reactions = row[:_COLUMNS]
    when = times.read(time)
    if when is None:
        return Unread(line, NO_TIME)
    message = _message(content, re.split(r",(?=https?:|[^,]*/)", files), reactions, held)
    # In the reader's zone, like times in JSON, so that a message is in the same day document whichever file it is read
    # from.
    return Said(line, author, *when, message, account, instant=when[0].tzinfo is not None)


def _message(
    content: str,
    files: list[str],
    reactions: str,
    held: _Held,
    *,
    stickers: list[str] | None = None,
    boxes: str = "",
    forwarded: str = "",
) -> dict[str, Any]:
    attachments = attachments_of(
        {
            "attachments": [{"url": url.strip()} for url in files],
            "stickers": [{"name": name_in(url), "sourceUrl": url} for url in stickers or [] if url.strip()],
        },
        held,
    )
    message: dict[str, Any] = {"content": content, "kind": "text"}
    details: dict[str, str] = {}
    if _CALL.fullmatch(content):
        message["kind"] = "call"
    elif _NOTICE.fullmatch(content):
        message["kind"] = "system"
    if forwarded:
        above = f"{content}\n" if content.strip() else ""
        message["content"] = above + forwarded
        message["segments"] = [{"kind": "forward", "start": len(above), "end": len(above) + len(forwarded)}]
    elif not content.strip() and not boxes:
        message |= {"content": placeholder_of(attachments) if attachments else "[message without text]"}
        message["kind"] = "media" if attachments else "unknown"
    elif not content.strip():
        message["content"] = boxes
    elif boxes:
        details["embeds"] = boxes
    if attachments:
        message["attachments"] = attachments
    if matches := _REACTION.findall(reactions.strip()):
        message["reactions"] = [{"emoji": emoji, "people": []} for emoji, _ in matches]
        details["reaction_counts"] = ", ".join(f"{emoji} {count or 1}" for emoji, count in matches)
    if details:
        message["metadata"] = details
    return message
