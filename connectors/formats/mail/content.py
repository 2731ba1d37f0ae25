"""Extracts the text of a mail, chosen among its parts, and its attachments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ....schemas import Attachment
from ...opening.limits import MESSAGE_CAP, is_too_large
from ...text.html.quoted import html_to_text
from .headers import beginning, parse_headers
from .invitations import invitation_lines
from .mime import (
    MARKED_UP,
    Multipart,
    Node,
    Part,
    attachment_of,
    decoded_bytes,
    parse_parts,
    text_of,
    without_uuencoded,
)
from .signed import signed_mail, without_armour

_ASKS_FOR_HTML = re.compile(r"html|browser|cliente de correo|e-?mail[- ]programm|messagerie", re.IGNORECASE)
_SHORT = 400
"""The length in characters below which a plain text may only refer to the HTML part."""
_FEW_WORDS = 15
_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"\[cid:[^\]\s]*\]|\bhttps?://\S+")
_HTML = re.compile(r"\s*<(?:!doctype html|html)\b", re.IGNORECASE)
_CALENDARS = frozenset({"text/calendar", "application/ics"})
_ENRICHED = ("text/enriched", "text/richtext")
_ENCRYPTED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted"})


class MailError(ValueError):
    """A mail that cannot be read; the message contains no private text."""


DEEPEST_MAIL = 16
"""The depth of nested mails whose text is shown; deeper ones are attachments."""


class Content:
    """The text and the attachments of a tree of parts."""

    def __init__(
        self, data: bytes, *, cut: bool, depth: int = 0, left_out: Mapping[int, int] = MappingProxyType({})
    ) -> None:
        self._data = data
        self._depth = depth
        self._cut = cut
        self._left_out = left_out
        self._texts: list[str] = []
        self._mails: list[str] = []
        self._events: dict[str, None] = {}
        self._size = 0
        self.attachments: list[Attachment] = []
        self.encrypted = False
        self.invitation = False
        self.hidden = 0
        self.unread = 0
        self.links: dict[str, None] = {}
        self.inner: list[tuple[int, int]] = []

    def body(self) -> str:
        """Return what an invitation says and the texts do not, the texts one below the other, then the attached mails that are
        shown in the text.
        """
        body = ""
        for text in self._texts:
            body = f"{body}\n{text}" if body and not body.endswith("\n") else body + text
        if self._events:
            squeezed = "".join(body.split())
            lines = [line for line in self._events if "".join(line.split()) not in squeezed]
            body = "\n".join([*lines, body] if body.strip() else lines)
        for mail in self._mails:
            body = body if not body or body.endswith("\n") else body + "\n"
            self.inner.append((len(body), len(body) + len(mail)))
            body += mail
        return body

    def read(self, node: Node, level: int = 0) -> None:
        """Add the content of a part. ``level``: its depth in the outermost mail."""
        if isinstance(node, Part):
            self._leaf(node, level)
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
                    self.read(part, level + 1)
        else:
            for part in node.parts:
                self.read(part, level + 1)

    def _leaf(self, part: Part, level: int) -> None:
        if part.mime == "message/rfc822" and part.end > part.start:
            self._mail(part, level)
        elif part.is_text and not (part.is_named_file and self._texts):
            self._text(part)
        else:
            self._attach(part)

    def _attach(self, part: Part) -> None:
        if part.mime in _ENCRYPTED and not self._signed(part):
            self.encrypted = True
        if part.mime.startswith("multipart/") and part.end > part.start:
            self.unread += 1
        if part.mime in _CALENDARS:
            lines = invitation_lines(decoded_bytes(self._data, part))
            self.invitation = self.invitation or bool(lines) or part.mime == "text/calendar"
            self._events.update(dict.fromkeys(lines))
        size = self._left_out.get(part.start)
        if part.end > part.start or part.head.name or size is not None:
            self.attachments.append(attachment_of(self._data, part, cut=self._cut, left_out=size))

    def _text(self, part: Part) -> None:
        text = self._read_text(part)
        text, files = without_uuencoded(text)
        text, encrypted = without_armour(text)
        self.encrypted = self.encrypted or encrypted
        self.attachments += files
        if text:
            self._texts.append(text)

    def _read_text(self, part: Part) -> str:
        if part.end - part.start > 2 * MESSAGE_CAP or (self._cut and part.end == len(self._data)):
            raise MailError(f"more than {MESSAGE_CAP} bytes of text in one mail")
        text = text_of(self._data, part)
        self._size += len(text)
        if self._size > MESSAGE_CAP or is_too_large(text):
            raise MailError(f"more than {MESSAGE_CAP} bytes of text in one mail")
        if part.mime in _ENRICHED:
            return re.sub(r"<[^<>\n]{1,40}>", "", text)
        if part.mime == "text/html" or (part.mime == "text" and text.lstrip()[:1] == "<"):
            text_of_html = html_to_text(text)
            self.hidden += text_of_html.hidden
            self.links.update(dict.fromkeys(text_of_html.links))
            return text_of_html.text
        return text

    def _alternative(self, node: Multipart) -> None:
        """Add one of several forms of the same text: the plain one, unless the words are in the other."""
        shown: list[Part] = []
        for child in node.parts:
            for part in _leaves(child):
                if part.is_text and not (part.is_named_file and shown):
                    shown.append(part)
                else:
                    self._attach(part)
        plain = [part for part in shown if part.mime not in ("text/html", *MARKED_UP)]
        enriched = [part for part in shown if part.mime in MARKED_UP]
        rich = [part for part in shown if part.mime == "text/html"] or enriched
        plain = plain or enriched
        text = "\n".join(self._read_text(part) for part in plain)
        if rich and _may_be_stub(text):
            before = self.hidden, dict(self.links)
            other = "\n".join(self._read_text(part) for part in rich)
            if _says_more(other, text):
                text = other
            else:
                self.hidden, self.links = before
        if text:
            self._texts.append(text)

    def _mail(self, part: Part, level: int) -> None:
        """Add an attached mail: its name to the attachments, its text as a forward."""
        data, start, end = self._data, part.start, part.end
        if part.head.encoding in ("base64", "quoted-printable") and self._depth < DEEPEST_MAIL:
            data = decoded_bytes(data, part)
            start, end = beginning(data), len(data)
        headers = parse_headers(data, start)
        self.unread += self._depth >= DEEPEST_MAIL
        if self._depth >= DEEPEST_MAIL or not headers.fields:
            self._attach(part)
            return
        subject = " ".join(headers.text("subject").split())
        attached = attachment_of(self._data, part, cut=self._cut)
        self.attachments.append(attached)
        content = Content(data, cut=self._cut and part.end == len(self._data), depth=self._depth + 1)
        content.read(parse_parts(data, headers, end, level + 1), level + 1)
        self._add(content)
        shown = (("From", headers.text("from")), ("Date", headers.raw("date")), ("Subject", subject))
        head = "".join(f"{name}: {value}\n" for name, value in shown if value)
        text = content.body()
        if head or text:
            self._mails.append(f"{head}\n{text}")

    def _signed(self, part: Part) -> bool:
        """Add the text of a mail that lies within its signature; return whether it does."""
        data = signed_mail(decoded_bytes(self._data, part)) if self._depth < DEEPEST_MAIL else None
        if data is None:
            return False
        headers = parse_headers(data, beginning(data))
        content = Content(data, cut=False, depth=self._depth + 1)
        content.read(parse_parts(data, headers))
        self._texts += [text] if (text := content.body()) else []
        self._add(content)
        return True

    def _add(self, content: Content) -> None:
        """Count what was read of a mail within this one, and add its attachments."""
        self._size += content._size
        self.unread += content.unread
        if self._size > MESSAGE_CAP:
            raise MailError(f"more than {MESSAGE_CAP} bytes of text in one mail")
        self.attachments += content.attachments


def _may_be_stub(plain: str) -> bool:
    """Return whether a plain form may not have the words of the mail: it has few, asks for HTML, or is HTML."""
    if len(plain) >= _SHORT:
        return _HTML.match(plain) is not None
    return len(_WORD.findall(_ADDRESS.sub(" ", plain))) <= _FEW_WORDS or bool(
        _ASKS_FOR_HTML.search(plain) or _HTML.match(plain)
    )


def _says_more(rich: str, plain: str) -> bool:
    """Return whether most words of the HTML are not in the plain form, however that breaks its lines."""
    if not plain.strip() or _HTML.match(plain):
        return bool(rich.strip())
    words = set(_WORD.findall(_ADDRESS.sub(" ", rich).casefold()))
    squeezed = "".join(_ADDRESS.sub(" ", plain).casefold().split())
    return 2 * sum(word not in squeezed for word in words) > len(words)


def _leaves(node: Node) -> Sequence[Part]:
    if isinstance(node, Part):
        return (node,)
    return [part for child in node.parts for part in _leaves(child)]
