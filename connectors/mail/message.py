"""One mail taken apart: who wrote what to whom, when, in answer to what, and what is attached."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256

from ...schemas import Attachment
from ...schemas.times import fixed_offset
from .classification import MailKind, labels_of, mail_kind
from .headers import Address, Headers, MailTime, date_of, message_ids, parse_headers
from .html_text import html_to_text
from .mime import Multipart, Node, Part, attachment_of, parse_parts, text_of, without_uuencoded
from .segments import MailSegment, segment_text

MESSAGE_CAP = 16 * 1024 * 1024
"""Bytes of one mail's text."""
_ASKS_FOR_HTML = re.compile(r"html|browser|cliente de correo|e-?mail[- ]programm|messagerie", re.IGNORECASE)
_SHORT = 400
"""Characters of a plain text that may only say that one should look at the other."""
_ENCRYPTED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted"})


class MailError(ValueError):
    """A mail that cannot be read; the text names no private words."""


@dataclass(frozen=True)
class MailMessage:
    """A mail. ``body`` is its text as people read it; ``body_segments`` tells its parts."""

    message_id: str
    """Its Message-ID without brackets; empty when it has none."""
    key: str
    """What it is known by: the Message-ID, else ``sha256:`` over date, sender, subject and text."""
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    """The mails that it follows, the first one of the thread first."""
    subject: str
    time: datetime | None
    """With a fixed offset; None when no header has a date that can be read."""
    zoned: bool
    """Whether the headers tell the zone; else ``time`` is the wall clock, in UTC."""
    sender: Address | None
    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    body: str
    """Empty when there is no text."""
    attachments: tuple[Attachment, ...]
    kind: MailKind
    labels: tuple[str, ...]
    headers: Headers
    encrypted: bool = False
    invitation: bool = False
    """Whether it carries an invitation to an event."""
    hidden: int = 0
    """Characters of its HTML that a reader does not see, which are not in ``body``."""
    links: tuple[str, ...] = ()
    inner: tuple[tuple[int, int], ...] = ()
    """Where whole mails that were attached stand in ``body``: starts and ends."""

    @cached_property
    def body_segments(self) -> tuple[MailSegment, ...]:
        """The parts of ``body``, in order and without gaps."""
        end = self.inner[0][0] if self.inner else len(self.body)
        own = segment_text(self.body[:end], self.subject)
        return (*own, *(MailSegment("forward", start, stop, 1) for start, stop in self.inner))

    def _texts(self, *kinds: str) -> tuple[str, ...]:
        return tuple(self.body[each.start : each.end] for each in self.body_segments if each.kind in kinds)

    @property
    def reply_text(self) -> str:
        """What its author wrote himself, without quotes, forwards, signature and disclaimer."""
        return "".join(self._texts("text"))

    @property
    def quoted_blocks(self) -> tuple[str, ...]:
        """What it quotes, with the lines that say whom."""
        return self._texts("quote", "attribution")

    @property
    def forwarded_blocks(self) -> tuple[str, ...]:
        """What it forwards, with its headers."""
        return self._texts("forward")

    @property
    def signature(self) -> str:
        """The signature, or the empty string."""
        return "".join(self._texts("signature"))

    @property
    def disclaimer_blocks(self) -> tuple[str, ...]:
        """Disclaimers, and footers of mailing lists."""
        return self._texts("disclaimer", "footer")


def parse_message(data: bytes, *, envelope: bytes = b"", cut: bool = False) -> MailMessage:
    """Take a mail apart.

    Args:
        data: headers and body, with either line end.
        envelope: the ``From `` line of an mbox, whose date is used where the headers have none.
        cut: whether the end of the mail is missing.

    Raises:
        MailError: nothing in it is a header, or its text is larger than ``MESSAGE_CAP``.
    """
    headers = parse_headers(data)
    if not headers.fields:
        raise MailError("no headers")
    content = _Content(data, cut=cut)
    content.read(parse_parts(data, headers))
    body = content.body()
    subject = " ".join(headers.text("subject").split())
    sender = _sender(headers)
    time = _time(headers, envelope)
    own = headers.ids("message-id")[:1]
    kind = mail_kind(headers, sender)
    references = tuple(each for each in headers.ids("references") if each not in own)
    answered = tuple(each for each in headers.ids("in-reply-to") if each not in own)
    return MailMessage(
        message_id=own[0] if own else "",
        key=own[0] if own else _hash(headers, subject, body),
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
        links=tuple(content.links),
        inner=tuple(content.inner),
    )


def _hash(headers: Headers, subject: str, body: str) -> str:
    parts = (headers.raw("date"), headers.raw("from"), subject, body)
    return "sha256:" + sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _sender(headers: Headers) -> Address | None:
    """Who wrote it: From, else Sender, Reply-To, Return-Path. A From without an address still gives a name."""
    for name in ("from", "sender", "reply-to", "return-path"):
        found = headers.addresses(name)
        if found:
            return found[0]
    name = headers.text("from").strip(' <>"')
    return Address(name, "") if name else None


def _time(headers: Headers, envelope: bytes) -> MailTime | None:
    """The Date, else when the last server received it, else the envelope's date."""
    for value in headers.fields.get("date", ()):
        found = date_of(value.decode("latin-1").strip())
        if found is not None:
            return found
    for name in ("received", "x-received", "delivery-date", "resent-date"):
        for value in headers.fields.get(name, ())[:3]:
            found = date_of(value.decode("latin-1").rpartition(";")[2].strip())
            if found is not None:
                return found
    if envelope:
        day = re.search(rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun).*", envelope)
        found = date_of(day[0].decode("latin-1").strip()) if day else None
        return None if found is None else MailTime(found.time, zoned=True)  # envelopes are in UTC
    return None


class _Content:
    """The text and the attachments of a tree of parts."""

    def __init__(self, data: bytes, *, cut: bool) -> None:
        self._data = data
        self._cut = cut
        self._texts: list[str] = []
        self._mails: list[str] = []
        self._size = 0
        self.attachments: list[Attachment] = []
        self.encrypted = False
        self.invitation = False
        self.hidden = 0
        self.links: dict[str, None] = {}
        self.inner: list[tuple[int, int]] = []

    def body(self) -> str:
        """The texts one below the other, then the mails that were attached as they are shown."""
        body = ""
        for text in self._texts:
            body = f"{body}\n{text}" if body and not body.endswith("\n") else body + text
        for mail in self._mails:
            body = body if not body or body.endswith("\n") else body + "\n"
            self.inner.append((len(body), len(body) + len(mail)))
            body += mail
        return body

    def read(self, node: Node) -> None:
        """Take over what a part holds."""
        if isinstance(node, Part):
            self._leaf(node)
            return
        if node.mime == "multipart/alternative":
            self._alternative(node)
        elif node.mime == "multipart/encrypted":
            self.encrypted = True
            for part in _leaves(node):
                self._attach(part)
        elif node.mime == "multipart/report":
            for part in node.parts:
                if isinstance(part, Part) and part.mime.startswith("message/"):
                    self._attach(part)
                else:
                    self.read(part)
        else:
            for part in node.parts:
                self.read(part)

    def _leaf(self, part: Part) -> None:
        if part.mime == "message/rfc822" and part.end > part.start:
            self._mail(part)
        elif part.is_text:
            self._text(part)
        else:
            self._attach(part)

    def _attach(self, part: Part) -> None:
        if part.mime in _ENCRYPTED:
            self.encrypted = True
        if part.mime == "text/calendar":
            self.invitation = True
        if part.end > part.start or part.name:
            self.attachments.append(attachment_of(self._data, part, cut=self._cut))

    def _text(self, part: Part) -> None:
        text = self._read_text(part)
        text, files = without_uuencoded(text)
        self.attachments += files
        if text:
            self._texts.append(text)

    def _read_text(self, part: Part) -> str:
        if part.end - part.start > 2 * MESSAGE_CAP or (self._cut and part.end == len(self._data)):
            raise MailError(f"more than {MESSAGE_CAP} bytes of text in one mail")
        text = text_of(self._data, part)
        self._size += len(text)
        if (
            len(text) > MESSAGE_CAP
            or self._size > MESSAGE_CAP
            or (len(text) * 4 > MESSAGE_CAP and len(text.encode("utf-8", "replace")) > MESSAGE_CAP)
        ):
            raise MailError(f"more than {MESSAGE_CAP} bytes of text in one mail")
        if part.mime in ("text/enriched", "text/richtext"):
            return re.sub(r"<[^<>\n]{1,40}>", "", text)
        if part.mime == "text/html" or (part.mime == "text" and text.lstrip()[:1] == "<"):
            found = html_to_text(text)
            self.hidden += found.hidden
            self.links.update(dict.fromkeys(found.links))
            return found.text
        return text

    def _alternative(self, node: Multipart) -> None:
        """One of several forms of the same text: the plain one, unless it is empty or only points to the other."""
        shown: list[Part] = []
        for child in node.parts:
            for part in _leaves(child):
                if part.is_text:
                    shown.append(part)
                else:
                    self._attach(part)
        plain = [part for part in shown if part.mime != "text/html"]
        rich = [part for part in shown if part.mime == "text/html"]
        text = "\n".join(self._read_text(part) for part in plain)
        pointing = len(text) < _SHORT and _ASKS_FOR_HTML.search(text) is not None
        if rich and (not text.strip() or pointing):
            other = "\n".join(self._read_text(part) for part in rich)
            if other.strip() and (not text.strip() or len(other) > 2 * len(text)):
                text = other
        if text:
            self._texts.append(text)

    def _mail(self, part: Part) -> None:
        """A mail that was attached: its name among the attachments, its words as a forward."""
        headers = parse_headers(self._data, part.start)
        if not headers.fields or part.headers.raw("content-transfer-encoding").lower() in (
            "base64",
            "quoted-printable",
        ):
            self._attach(part)
            return
        subject = " ".join(headers.text("subject").split())
        attached = attachment_of(self._data, part, cut=self._cut)
        self.attachments.append(attached)
        content = _Content(self._data, cut=self._cut)
        content.read(parse_parts(self._data, headers, part.end))
        self._size += content._size
        if self._size > MESSAGE_CAP:
            raise MailError(f"more than {MESSAGE_CAP} bytes of text in one mail")
        self.attachments += content.attachments
        shown = (("From", headers.text("from")), ("Date", headers.raw("date")), ("Subject", subject))
        head = "".join(f"{name}: {value}\n" for name, value in shown if value)
        text = content.body()
        if head or text:
            self._mails.append(f"{head}\n{text}")


def _leaves(node: Node) -> Sequence[Part]:
    if isinstance(node, Part):
        return (node,)
    return [part for child in node.parts for part in _leaves(child)]


def answered_ids(message: MailMessage) -> tuple[str, ...]:
    """The mails that one follows, the nearest last: its references, then what it answers."""
    first = message.in_reply_to[0] if message.in_reply_to else ""
    if not first:
        return message.references
    return (*(each for each in message.references if each != first), first)


__all__ = ["MESSAGE_CAP", "MailError", "MailMessage", "answered_ids", "message_ids", "parse_message"]
