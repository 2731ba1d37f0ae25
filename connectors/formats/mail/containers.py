"""Reads raw messages from files: mbox, one message per file (.eml, Maildir, MH), and Apple's .emlx. Streaming."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Literal

from .headers import with_line_feeds
from .likeness import likeness
from .mbox import KEPT, RawMail, is_mbox, split_mbox

Container = Literal["mbox", "eml", "emlx"]

HEAD = 16 * 1024
_EMLX = re.compile(rb"(\d{1,10})[ \t]*\r?\n")
_FLAGS = re.compile(r"[:;!]2,([A-Za-z]*)$")
_MAILDIR_FOLDERS = frozenset({"cur", "new", "tmp"})


@dataclass(frozen=True, slots=True)
class Place:
    """The information about messages in a file's path."""

    folder: str
    """The mailbox, ``Work/Travel``; empty if the path does not show it."""
    flags: str = ""
    """Maildir's flags: D draft, F flagged, P passed on, R replied, S seen, T trashed."""


def container_of(head: bytes) -> tuple[Container, float] | None:
    """Return the container of a file with these first bytes, and the confidence; None if it is no mail."""
    text = with_line_feeds(head).lstrip(b" \t\r\n\xef\xbb\xbf")
    if text.startswith(b"From ") and is_mbox(text):
        return "mbox", 1.0
    if text.startswith((b"From ", b">From ")):  # an envelope line of unknown form before a single mail
        text = text.partition(b"\n")[2]
    counted = _EMLX.match(text)
    if counted is not None and (sure := likeness(text[counted.end() :])):
        return "emlx", sure
    sure = likeness(text)
    return ("eml", sure) if sure else None


def raw_messages(stream: BinaryIO) -> Iterator[RawMail]:
    """Yield the messages of one file in any container; an unrecognised file counts as one message.

    Raises:
        SourceError: the stream raises it.
    """
    head = stream.read(HEAD)
    container = container_of(head)
    if container is not None and container[0] == "mbox":
        yield from split_mbox(stream, head)
        return
    data = head + stream.read(KEPT)
    size = len(data)
    while chunk := stream.read(1 << 20):
        size += len(chunk)
    if container is not None and container[0] == "emlx":
        yield _of_emlx(data, size)
        return
    if data.strip():
        bom = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        yield RawMail(data[bom : KEPT + bom], 0, size - bom)


def _of_emlx(data: bytes, size: int) -> RawMail:
    """Read Apple's form: the mail's size in bytes, the mail, and the program's property list, which is ignored."""
    counted = _EMLX.match(data)
    start = counted.end() if counted else 0
    length = int(counted[1]) if counted else size
    end = min(start + length, size)
    kept = data[start : min(end, start + KEPT)]
    return RawMail(kept, 0, end - start)


def place_of(name: str, *, container: Container) -> Place:
    """Return the mailbox and the flags in a member's path.

    Maildir keeps messages in ``cur`` and ``new`` below the folder, whose ``.A.B`` form joins its parts by dots; an mbox
    is a folder by itself, ``A.sbd/B`` in Thunderbird and ``A.mbox/mbox`` in Apple's export.
    """
    parts = [part for part in name.split("/") if part]
    last = parts.pop() if parts else ""
    flags = _FLAGS.search(last)
    if parts and parts[-1] in _MAILDIR_FOLDERS:
        parts.pop()
        folder = parts[-1] if parts else ""
        named = folder[1:].replace(".", "/") if folder.startswith(".") else "/".join(parts[-1:])
        return Place(named or "INBOX", flags[1] if flags else "")
    parts = [re.sub(r"\.(?:sbd|mbox)$", "", part) for part in parts if part not in ("Messages", "Data")]
    if container == "mbox":
        stem = re.sub(r"\.(?:mbox|mbx|mbs|txt)$", "", re.sub(r"\.gz$", "", last))
        return Place("/".join([*parts[-1:], stem] if stem.lower() != "mbox" else parts[-1:]))
    return Place("/".join(parts[-1:]), flags[1] if flags else "")
