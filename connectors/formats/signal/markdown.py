"""Chats of signal-export in Markdown (chat.md): each message as the record that data.json has of it. Pure."""

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
"""Characters in which a file, a sticker or a list of reactions is looked for."""
_CAP = 16 * 1024 * 1024
"""Characters of one message."""


def markdown_records(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """The messages of a chat, with the number of their first line; None for one that is too long.

    Lines before the first message are None, too, if they hold anything.
    """
    header: re.Match[str] | None = None
    start, size = 1, 0
    held: list[str] = []
    for number, line in enumerate(lines, 1):
        found = HEADER.match(line)
        if found is None:
            size += len(line)
            if size <= _CAP:
                held.append(line)
            continue
        yield from _told(start, header, held, size)
        header, start, held = found, number, [line[found.end() :]]
        size = len(held[0])
    yield from _told(start, header, held, size)


def _told(
    start: int, header: re.Match[str] | None, held: list[str], size: int
) -> tuple[tuple[int, dict[str, Any] | None], ...]:
    """The message, or that there is none; nothing for blank lines before the first."""
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
    if tail.endswith(" ))") and (found := _STICKER.search(tail)):
        record["sticker"] = found[1]
        text = text[: len(text) - (len(tail) - found.start())].removesuffix("\n")
        tail = text[-_LONGEST:]
    if tail.endswith(" -)") and (found := _REACTIONS.search(tail[tail.rfind("\n") + 1 :])):
        record["reactions"] = [list(each.rpartition(": ")[::2]) for each in found[1].split(", ")]
        text = text[: len(text) - len(found[0])].removesuffix("\n")
    return record | {"body": text, "quote": quote}


def _is_plain(text: str) -> bool:
    """Whether there are words alone, as nearly always: quotes stand first, and all else ends with a bracket."""
    return not text.startswith("\n\n> ") and not text.rstrip().endswith(")")


def _quote(text: str) -> tuple[str, str]:
    """What is quoted stands before the words, between empty lines."""
    if not text.startswith("\n\n> "):
        return "", text
    lines = text[2:].split("\n")
    count = next((index for index, line in enumerate(lines) if not line.startswith("> ")), len(lines))
    return "\n".join(lines[:count]), "\n".join(lines[count:]).removeprefix("\n")


def _files(text: str, record: dict[str, Any]) -> str:
    """Take the files off the end of a message."""
    while True:
        bare = text.removesuffix("  ")
        opening = bare.rfind("[", -_LONGEST) if bare.endswith(")") else -1
        if opening < 0:
            return text
        opening -= bare[:opening].endswith("!")
        found = _FILE.match(bare[opening:])
        if found is None:
            return text
        if "/exported_stickers/" in found[2]:
            record["sticker"] = found[1]
        else:
            record["attachments"].insert(0, {"name": found[1], "path": found[2].removeprefix("./")})
        text = bare[:opening]
