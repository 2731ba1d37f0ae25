"""Chats of signal-export in Markdown (chat.md), parsed into the records that data.json has. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

HEADER = re.compile(r"\[(\d{4}-\d{2}-\d{2}),? (\d{2}:\d{2}(?::\d{2})?)\] ([^\n]{1,200}?):(?: |$)")
"""``[2019-05-29, 15:04:11] Sender: words``; newer ones have no comma, the oldest no seconds."""
_DELETED = "(This message was deleted)"
_REACTIONS = re.compile(r"\(- (.+) -\)\Z")
_STICKER = re.compile(r"\(\( (.*) \)\)\Z")
_FILE = re.compile(r"!?\[([^\]\n]*)\]\((\.{1,2}/(?:media|exported_stickers)/[^)\n]*)\)\Z")
_LONGEST = 4096
"""The number of characters at the end in which an attachment, a sticker or reactions are looked for."""
_CAP = 16 * 1024 * 1024
"""The maximum number of characters of one message."""


def markdown_records(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the messages of a chat with the number of their first line; None instead of a message that is too long.

    Non-blank lines before the first message are None, too.
    """
    header: re.Match[str] | None = None
    start, size = 1, 0
    held: list[str] = []
    for number, line in enumerate(lines, 1):
        match = HEADER.match(line)
        if match is None:
            size += len(line)
            if size <= _CAP:
                held.append(line)
            continue
        yield from _told(start, header, held, size)
        header, start, held = match, number, [line[match.end() :]]
        size = len(held[0])
    yield from _told(start, header, held, size)


def _told(
    start: int, header: re.Match[str] | None, held: list[str], size: int
) -> tuple[tuple[int, dict[str, Any] | None], ...]:
    """Return the message with its line number, None for one that is too long or lines without a header; nothing for
    blank lines.
    """
    if header is not None and size <= _CAP:
        return ((start, _record(header, "".join(held))),)
    return ((start, None),) if size > _CAP or "".join(held).strip() else ()


def _record(header: re.Match[str], text: str) -> dict[str, Any]:
    text = text.removesuffix("\n").removesuffix("\r").removesuffix("\n").removesuffix("\r")
    day, clock, sender = header.groups()
    record: dict[str, Any] = {"date": f"{day}T{clock}", "sender": sender, "reactions": [], "attachments": []}
    if _is_plain(text):
        return record | {"body": text, "quote": ""}
    if text.strip() == _DELETED:
        return record | {"body": "", "deleted": True}
    quote, text = _quote(text)
    text = _files(text, record)
    tail = text[-_LONGEST:]
    if tail.endswith(" ))") and (match := _STICKER.search(tail)):
        record["sticker"] = match[1]
        text = text[: len(text) - (len(tail) - match.start())].removesuffix("\n")
        tail = text[-_LONGEST:]
    if tail.endswith(" -)") and (match := _REACTIONS.search(tail[tail.rfind("\n") + 1 :])):
        record["reactions"] = [list(each.rpartition(": ")[::2]) for each in match[1].split(", ")]
        text = text[: len(text) - len(match[0])].removesuffix("\n")
    return record | {"body": text, "quote": quote}


def _is_plain(text: str) -> bool:
    """Return whether the message is text alone, as nearly all are: quotes stand first, and all else ends with a
    bracket.
    """
    return not text.startswith("\n\n> ") and not text.rstrip().endswith(")")


def _quote(text: str) -> tuple[str, str]:
    """Split off the quoted text, which stands before the message's own between empty lines."""
    if not text.startswith("\n\n> "):
        return "", text
    lines = text[2:].split("\n")
    count = next((index for index, line in enumerate(lines) if not line.startswith("> ")), len(lines))
    return "\n".join(lines[:count]), "\n".join(lines[count:]).removeprefix("\n")


def _files(text: str, record: dict[str, Any]) -> str:
    """Remove the attachments from the end of a message and add them to the record."""
    while True:
        bare = text.removesuffix("  ")
        opening = bare.rfind("[", -_LONGEST) if bare.endswith(")") else -1
        if opening < 0:
            return text
        opening -= bare[:opening].endswith("!")
        match = _FILE.match(bare[opening:])
        if match is None:
            return text
        if "/exported_stickers/" in match[2]:
            record["sticker"] = match[1]
        else:
            record["attachments"].insert(0, {"name": match[1], "path": match[2].removeprefix("./")})
        text = bare[:opening]
