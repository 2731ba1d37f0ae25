"""Raw messages out of files: mbox, one message per file (.eml, Maildir, MH), and Apple's .emlx. Streaming."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Literal

from .mbox import KEPT, RawMail, is_mbox, split_mbox

Container = Literal["mbox", "eml", "emlx"]

HEAD = 16 * 1024
_HEADER_LINE = re.compile(rb"([!-9;-~]{1,80})[ \t]*:(?:[^\n]*\n)")
_CONTINUED = re.compile(rb"[ \t]+[^\n]*\n")
_EMLX = re.compile(rb"(\d{1,10})[ \t]*\r?\n")
_OF_MAIL = frozenset(
    b"from to cc subject date message-id received return-path mime-version delivered-to content-type references "
    b"in-reply-to reply-to sender x-mailer user-agent dkim-signature content-transfer-encoding x-received "
    b"arc-seal x-gm-thrid x-gmail-labels thread-topic thread-index resent-from x-originating-ip list-id".split()
)
_TELLING = frozenset(b"message-id received return-path mime-version delivered-to dkim-signature x-received".split())
_NEWS = frozenset(b"path newsgroups xref".split())
_FLAGS = re.compile(r"[:;!]2,([A-Za-z]*)$")
_MAILDIR_FOLDERS = frozenset({"cur", "new", "tmp"})


@dataclass(frozen=True, slots=True)
class Place:
    """What a file's path tells about its messages."""

    folder: str
    """The mailbox, ``Work/Travel``; empty when the path does not say."""
    flags: str = ""
    """Of Maildir: D draft, F flagged, P passed on, R replied, S seen, T trashed."""


def container_of(head: bytes) -> tuple[Container, float] | None:
    """What a file that begins like this holds, and how sure that is; None for no mail."""
    text = head.lstrip(b"\r\n\xef\xbb\xbf")
    if text.startswith(b"From ") and is_mbox(text):
        return "mbox", 1.0
    if text.startswith(b"From "):  # an envelope line of no known shape, before one mail
        text = text.partition(b"\n")[2]
    counted = _EMLX.match(text)
    if counted is not None and (sure := _likeness(text[counted.end() :])):
        return "emlx", sure
    sure = _likeness(text)
    return ("eml", sure) if sure else None


def _likeness(text: bytes) -> float:
    """How surely headers of a mail stand here."""
    names: list[bytes] = []
    place = 0
    while len(names) < 60:
        found = _HEADER_LINE.match(text, place)
        if found is None:
            break
        names.append(found[1].lower())
        place = found.end()
        while continued := _CONTINUED.match(text, place):
            place = continued.end()
    known = set(names) & _OF_MAIL
    if not names or (len(known) * 3 < len(set(names)) and not known & _TELLING):
        return 0.0
    telling = known & _TELLING or set(names) & _NEWS
    if b"from" in known and len(known) >= 3 and telling:
        return 0.95
    if len(known) >= 3 and (telling or b"from" in known):
        return 0.8
    return 0.6 if len(known) >= 2 and (b"from" in known or telling) else 0.0


def raw_messages(stream: BinaryIO) -> Iterator[RawMail]:
    """The messages of one file, whatever kind of container it is; a file of another kind is taken for one message.

    Raises:
        SourceError: the stream raises it.
    """
    head = stream.read(HEAD)
    found = container_of(head)
    if found is not None and found[0] == "mbox":
        yield from split_mbox(stream, head)
        return
    data = head + stream.read(KEPT)
    size = len(data)
    while chunk := stream.read(1 << 20):
        size += len(chunk)
    if found is not None and found[0] == "emlx":
        yield _of_emlx(data, size)
        return
    if data.strip():
        bom = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        yield RawMail(data[bom : KEPT + bom], 0, size - bom)


def _of_emlx(data: bytes, size: int) -> RawMail:
    """Apple's: the number of bytes, so many bytes of mail, and a property list, which is about the program."""
    counted = _EMLX.match(data)
    start = counted.end() if counted else 0
    length = int(counted[1]) if counted else size
    end = min(start + length, size)
    kept = data[start : min(end, start + KEPT)]
    return RawMail(kept, 0, end - start)


def place_of(name: str, *, container: Container) -> Place:
    """The mailbox and the flags that a member's path tells.

    Maildir keeps messages in ``cur`` and ``new`` below the folder, whose parts its ``.A.B`` form joins by dots; an mbox
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
