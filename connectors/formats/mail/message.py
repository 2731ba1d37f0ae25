"""Parses one mail: sender, recipients, time, text, references and attachments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType

from ....schemas import Attachment
from ....schemas.times import fixed_offset
from ...opening.limits import MESSAGE_CAP
from .classification import MailKind, labels_of, mail_kind
from .content import Content, MailError
from .dates import MailTime, date_of
from .headers import Address, Headers, beginning, decoded, message_ids, parse_headers, unfolded, with_line_feeds
from .mime import charset_of, parse_parts
from .segments import MailSegment, segment_text

_VIA = re.compile(r"(.+) via .+", re.DOTALL)
_LIST_FIELDS = frozenset({"list-id", "list-post", "mailing-list"})


@dataclass(frozen=True)
class MailMessage:
    """A mail. ``body`` is its readable text; ``body_segments`` are the parts of that."""

    message_id: str
    """Its Message-ID without brackets; empty if it has none."""
    key: str
    """The identity of the mail: the Message-ID, else ``sha256:`` and a hash of date, sender, subject and text."""
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    """The ids of the mails that it follows, the first of the thread first."""
    subject: str
    time: datetime | None
    """The time with a fixed offset; None if no header has a readable date."""
    zoned: bool
    """True if the headers state the zone; else ``time`` is the wall clock time, labelled UTC."""
    sender: Address | None
    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    body: str
    """The text; empty if there is none."""
    attachments: tuple[Attachment, ...]
    kind: MailKind
    labels: tuple[str, ...]
    headers: Headers
    encrypted: bool = False
    invitation: bool = False
    """True if it carries an invitation to an event."""
    hidden: int = 0
    """The number of invisible characters in its HTML, which are not in ``body``."""
    unread_parts: int = 0
    """The number of parts that were not parsed because of their depth or number; they are attachments."""
    links: tuple[str, ...] = ()
    inner: tuple[tuple[int, int], ...] = ()
    """The ranges in ``body`` of whole mails that were attached: starts and ends."""

    @cached_property
    def body_segments(self) -> tuple[MailSegment, ...]:
        """The parts of ``body``, in order and without gaps."""
        end = self.inner[0][0] if self.inner else len(self.body)
        segments = segment_text(self.body[:end], self.subject)
        return (*segments, *(MailSegment("forward", start, stop, 1) for start, stop in self.inner))

    def _texts(self, *kinds: str) -> tuple[str, ...]:
        return tuple(self.body[each.start : each.end] for each in self.body_segments if each.kind in kinds)

    @property
    def reply_text(self) -> str:
        """The author's own text, without quotes, forwards, signature and disclaimer."""
        return "".join(self._texts("text"))

    @property
    def quoted_blocks(self) -> tuple[str, ...]:
        """The quoted text, with its attributions."""
        return self._texts("quote", "attribution")

    @property
    def forwarded_blocks(self) -> tuple[str, ...]:
        """The forwarded text, with its headers."""
        return self._texts("forward")

    @property
    def signature(self) -> str:
        """The signature, or the empty string."""
        return "".join(self._texts("signature"))

    @property
    def disclaimer_blocks(self) -> tuple[str, ...]:
        """The disclaimers, and footers of mailing lists."""
        return self._texts("disclaimer", "footer")


def parse_message(
    data: bytes, *, envelope: bytes = b"", cut: bool = False, left_out: Mapping[int, int] = MappingProxyType({})
) -> MailMessage:
    """Parse a mail.

    Args:
        data: headers and body, with either line end.
        envelope: the ``From `` line of an mbox; its date is used if the headers have none.
        cut: whether the end of the mail is missing.
        left_out: the sizes in bytes of files whose content is not in the data, by the offset at which it would begin.

    Raises:
        MailError: it has no header, or its text is larger than ``MESSAGE_CAP``.
    """
    data = with_line_feeds(data)
    headers = parse_headers(data, beginning(data))
    if not headers.fields:
        raise MailError("no headers")
    content = Content(data, cut=cut, left_out=left_out)
    parts = parse_parts(data, headers)
    if not data.isascii() and not data[: headers.end].isascii() and (charset := charset_of(parts)):
        headers = headers.in_charset(charset)
    content.read(parts)
    body = content.body()
    subject = " ".join(headers.text("subject").split())
    sender = _sender(headers)
    time = _time(headers, envelope)
    own_ids = headers.ids("message-id")[:1]
    kind = mail_kind(headers, sender)
    references = tuple(each for each in headers.ids("references") if each not in own_ids)
    answered = tuple(each for each in headers.ids("in-reply-to") if each not in own_ids)
    return MailMessage(
        message_id=own_ids[0] if own_ids else "",
        key=own_ids[0] if own_ids else _hash(headers, subject, body),
        in_reply_to=answered,
        references=references,
        subject=subject,
        time=fixed_offset(time.time) if time else None,
        zoned=time is not None and time.zoned,
        sender=sender,
        to=headers.addresses("to"),
        cc=(*headers.addresses("cc"), *headers.addresses("bcc")),
        body=body,
        attachments=tuple(content.attachments),
        kind=kind,
        labels=labels_of(headers),
        headers=headers,
        encrypted=content.encrypted,
        invitation=content.invitation,
        hidden=content.hidden,
        unread_parts=content.unread,
        links=tuple(content.links),
        inner=tuple(content.inner),
    )


def _hash(headers: Headers, subject: str, body: str) -> str:
    parts = (headers.raw("date"), headers.raw("from"), subject, body)
    return "sha256:" + sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _sender(headers: Headers) -> Address | None:
    """Return the author: From, else Sender, Reply-To, Return-Path. A From without an address still gives a name."""
    for name in ("from", "sender", "reply-to", "return-path"):
        before: list[str] = []  # of one author, names without an address are parts of the name: "Ida Korn, PhD <ida@…>"
        for each in headers.addresses(name):
            if each.address:
                author = Address(", ".join([*before, each.name]), each.address) if before and each.name else each
                return _behind_list(headers, author)
            before.append(each.name)
    name = headers.text("from").strip(' <>"')
    return Address(name, "") if name else None


def _behind_list(headers: Headers, sender: Address) -> Address:
    """Return the author of a mail that a list sends under its own address: ``'Ida Korn' via Boats <boats@lists.example>``."""
    match = _VIA.fullmatch(sender.name) if headers.fields.keys() & _LIST_FIELDS else None
    if match is None:
        return sender
    name = match[1].strip(" '\"")
    for header in ("x-original-from", "x-original-sender", "reply-to", "cc"):
        for each in headers.addresses(header):
            if each.address not in ("", sender.address) and (each.name == name or header.startswith("x-")):
                return Address(name, each.address)
    return Address(name, "")


def _time(headers: Headers, envelope: bytes) -> MailTime | None:
    """Return the Date, else the time at which the last server received it, else the envelope's date."""
    for value in headers.fields.get("date", ()):
        moment = date_of(decoded(unfolded(value)))
        if moment is not None:
            return moment
    for name in ("received", "x-received", "delivery-date", "resent-date"):
        for value in headers.fields.get(name, ())[:3]:
            moment = date_of(unfolded(value).rpartition(";")[2].strip())
            if moment is not None:
                return moment
    if envelope:
        day = re.search(rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun).*", envelope)
        moment = date_of(day[0].decode("latin-1").strip()) if day else None
        return None if moment is None else MailTime(moment.time, zoned=True)  # envelopes are in UTC
    return None


def answered_ids(message: MailMessage) -> tuple[str, ...]:
    """Return the ids of the mails that it follows, the nearest last: its references, then its In-Reply-To."""
    first = message.in_reply_to[0] if message.in_reply_to else ""
    if not first:
        return message.references
    return (*(each for each in message.references if each != first), first)


__all__ = ["MESSAGE_CAP", "MailError", "MailMessage", "answered_ids", "message_ids", "parse_message"]
