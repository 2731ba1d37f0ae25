"""A mailbox as Google Takeout writes it, of any size: what bench/formats.py reads beside mails that are all small.

What a mailbox is made of was counted by others, and what is written here errs on the side that is slower to read, namely
fewer bytes of attachments, which nobody has to decode:

- 18.6 million mails of a company (https://256stuff.com/gray/docs/misc/email_size_analysis/) had 77 KB each, decoded and
  without headers, in 2.2 parts, and about two thirds of the bytes lay in parts of more than 128 KB. Here a mail has 50 to
  60 KB as it lies in the file, and attachments, in base64, have about 60 % of the bytes.
- The inbox of an Exchange user had 60 times the 2 to 4 KB of 1996 for each mail
  (https://office365itpros.com/2021/05/06/exchange-mailbox-item-size/), which it explains by headers, HTML and pictures. So
  the headers here are those that Gmail adds, with their signatures, 3 to 4 KB.
- Senders of newsletters stay below the 102 KB of HTML at which Gmail cuts mails; here they have 8 to 60 KB of nested tables
  with a style on each cell, links that count readers, and a preheader that nobody sees. A third come without a plain text, so
  their HTML has to be read.
- Mails of people answer each other and quote all of what they answer, in text and HTML, as Gmail does. One mail in ten is of a
  mailing list, in plain text; a tenth of those declares an older encoding, or none at all.
"""

from __future__ import annotations

import base64
import random
import textwrap
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.header import Header
from email.utils import format_datetime
from quopri import encodestring

START = datetime(2016, 1, 4, 7, tzinfo=UTC)
OWNER = ("Ann Example", "ann@example.org")
FRIENDS = tuple(
    (name, f"{name.split()[0].lower()}@mail{number % 7}.example")
    for number, name in enumerate(
        (
            "Ana Torres",
            "Bo Li",
            "Chiara Rossi",
            "Dmitri Orlov",
            "Esra Kaya",
            "Finn Åberg",
            "Grete Müller",
            "Hugo Lefèvre",
        )
    )
)
_FIRST_ID = 1_500_000_000_000_000_000
BASE64_LINE = 76
_QUOTED_AT_MOST = 12_000
"""The most characters of a text that are still quoted whole; longer threads begin anew."""
_UNSIGNED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"


class Mailbox:
    """The mails in the order of an export, without an end, the same for every run."""

    def __init__(self, words: list[str]) -> None:
        self._chance = random.Random(11)
        self._words = words
        self._sentences = [self._sentence() for _ in range(4000)]
        self._blocks = [base64.encodebytes(self._chance.randbytes(57 * 20_000)) for _ in range(3)]
        self._answered: list[tuple[str, str, str, str, int, datetime]] = []
        self._number = 0

    def __iter__(self) -> Iterator[bytes]:
        kinds: list[Callable[[datetime], bytes]] = [self._newsletter, self._notification, self._personal, self._posted]
        when = START
        while True:
            self._number += 1
            when += timedelta(seconds=self._chance.randrange(60, 7200))
            (make,) = self._chance.choices(kinds, weights=(50, 15, 25, 10))
            yield make(when)

    def _sentence(self) -> str:
        text = " ".join(self._chance.choices(self._words, k=self._chance.randrange(4, 22)))
        return text[:1].upper() + text[1:] + self._chance.choice("..!?")

    def _paragraph(self, most: int) -> str:
        return " ".join(self._chance.choices(self._sentences, k=self._chance.randrange(1, most)))

    def _token(self, length: int) -> str:
        return "".join(self._chance.choices(_UNSIGNED, k=length))

    # The kinds of mail.

    def _newsletter(self, when: datetime) -> bytes:
        shop = self._chance.randrange(40)
        sender = (f"Shop {shop}", f"news@shop{shop}.example")
        paragraphs = [self._paragraph(5) for _ in range(self._chance.randrange(4, 30))]
        html = _letter(paragraphs, self._token(40), shop)
        more = f"List-Unsubscribe: <https://shop{shop}.example/u/{self._token(60)}>\nPrecedence: bulk\nFeedback-ID: {self._token(12)}:shop{shop}\n"
        plain = "" if self._chance.random() < 0.34 else "\n\n".join(f"{each}\nhttps://shop{shop}.example/c/{self._token(90)}" for each in paragraphs)  # fmt: skip
        head = self._head(when, sender, OWNER, self._subject(paragraphs[0]), "Category Promotions,Unread", more)
        return self._mail(when, head, self._texts(plain, html, self._encoding()))

    def _notification(self, when: datetime) -> bytes:
        shop = self._chance.randrange(60)
        sender = (f"Service {shop}", f"no-reply@service{shop}.example")
        paragraphs = [self._paragraph(3) for _ in range(self._chance.randrange(2, 6))]
        plain = "Hello Ann Example,\n\n" + "\n\n".join(paragraphs) + "\n\n-- \nThis is an automatic message.\n"
        html = _letter(paragraphs, self._token(30), shop)
        head = self._head(when, sender, OWNER, self._subject(paragraphs[0]), "Category Updates,Opened", "Auto-Submitted: auto-generated\n")  # fmt: skip
        files = [("Invoice.pdf", "application/pdf", self._chance.randrange(30_000, 150_000))] if self._chance.random() < 0.15 else []  # fmt: skip
        plain = "" if self._chance.random() < 0.3 else plain
        return self._mail(when, head, self._with_files(self._texts(plain, html, self._encoding()), files))

    def _personal(self, when: datetime) -> bytes:
        mine = self._chance.random() < 0.4
        friend = self._chance.choice(FRIENDS)
        sender, to = (OWNER, friend) if mine else (friend, OWNER)
        own = [self._paragraph(6) for _ in range(self._chance.randrange(1, 5))]
        plain = "\n\n".join("\n".join(textwrap.wrap(each, 76)) for each in own)
        html = "".join(f"<div>{each}</div><div><br></div>" for each in own)
        signature = f"{sender[0]}\nHarbour Street 12\n+49 40 555 01 {len(sender[0]):02}"
        plain += f"\n\n-- \n{signature}\n"
        html += f'-- <br><div dir="ltr" class="gmail_signature">{signature.replace(chr(10), "<br>")}</div>'
        thread, more, subject = self._number, "", self._subject(own[0])
        if self._answered and self._chance.random() < 0.6:
            answered, whom, before, subject, thread, at = self._answered[-self._chance.randrange(1, len(self._answered) + 1)]  # fmt: skip
            more = f"In-Reply-To: <{answered}>\nReferences: <{answered}>\n"
            if len(before) < _QUOTED_AT_MOST:
                said = f"On {at:%a, %b} {at.day}, {at.year} at {at:%I:%M %p} {whom} wrote:"
                plain += f"\n{said}\n\n" + "".join(f"> {line}".rstrip() + "\n" for line in before.split("\n"))
                quoted = before.replace("&", "&amp;").replace("<", "&lt;").replace("\n", "<br>\n")
                html += f'<br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">{said}<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex">{quoted}</blockquote></div>'  # fmt: skip
            subject = subject if subject.startswith("Re: ") else f"Re: {subject}"
        own_id = f"CA{self._number}{self._token(20).replace('/', '-')}@mail.example"
        self._answered = [*self._answered[-30:], (own_id, f"{sender[0]} <{sender[1]}>", plain, subject, thread, when)]
        labels = "Sent,Opened" if mine else "Inbox,Opened"
        head = self._head(when, sender, to, subject, labels, more, own_id=own_id, thread=thread, signed=not mine)
        files = [self._file() for _ in range(self._chance.randrange(1, 4))] if self._chance.random() < 0.22 else []
        return self._mail(when, head, self._with_files(self._texts(plain, f'<div dir="ltr">{html}</div>', "quoted-printable"), files))  # fmt: skip

    def _posted(self, when: datetime) -> bytes:
        name, address = self._chance.choice(FRIENDS)
        lines: list[str] = []
        for _ in range(self._chance.randrange(1, 4)):
            lines += [f"> {line}" for line in textwrap.wrap(self._paragraph(7), 72)]
            lines += ["", *textwrap.wrap(self._paragraph(6), 72), ""]
        body = f"{name} wrote:\n" + "\n".join(lines)
        body += f"\n{'_' * 47}\nHarbour mailing list\nHarbour@lists.example\nhttps://lists.example/mailman/listinfo/harbour\n"
        more = "List-Id: Harbour <harbour.lists.example>\nList-Post: <mailto:harbour@lists.example>\nPrecedence: list\n"
        head = self._head(when, (name, address), ("Harbour", "harbour@lists.example"), f"[Harbour] {self._subject(body)}", "Category Forums,Opened", more)  # fmt: skip
        charset = self._chance.choices(("utf-8", "iso-8859-1", ""), weights=(90, 6, 4))[0]
        declared = f'Content-Type: text/plain; charset="{charset}"\n' if charset else ""
        data = body.encode(charset or "cp1252", "replace")
        return self._mail(when, head, f"{declared}Content-Transfer-Encoding: 8bit\n\n".encode() + data)

    # Their parts.

    def _subject(self, text: str) -> str:
        return " ".join(text.split()[: self._chance.randrange(2, 9)])

    def _file(self) -> tuple[str, str, int]:
        size = min(6_000_000, int(self._chance.lognormvariate(12.0, 1.1)))
        name, mime = self._chance.choice((("IMG_{}.jpg", "image/jpeg"), ("Scan {}.pdf", "application/pdf"), ("Offer {}.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document")))  # fmt: skip
        return name.format(self._number), mime, size

    def _encoding(self) -> str:
        return self._chance.choices(("quoted-printable", "base64", "8bit"), weights=(70, 20, 10))[0]

    def _texts(self, plain: str, html: str, encoding: str) -> bytes:
        forms = [("html", html)] if not plain else [("plain", plain), ("html", html)]
        if len(forms) == 1:
            return _part("text/html", html, encoding)
        boundary = f"000000000000{self._token(16).replace('/', '0').replace('+', '1')}"
        parts = [_part(f"text/{kind}", text, encoding) for kind, text in forms]
        return _joined("alternative", boundary, parts)

    def _with_files(self, texts: bytes, files: list[tuple[str, str, int]]) -> bytes:
        if not files:
            return texts
        parts = [texts]
        for name, mime, size in files:
            head = f'Content-Type: {mime}; name="{name}"\nContent-Disposition: attachment; filename="{name}"\nContent-Transfer-Encoding: base64\nX-Attachment-Id: f_{self._token(8)}\nContent-ID: <f_{self._token(8)}>\n\n'  # fmt: skip
            lines = -(-size // 57)
            data = b""
            while lines > 0:
                block = self._chance.choice(self._blocks)
                data += block[: lines * (BASE64_LINE + 1)]
                lines -= len(block) // (BASE64_LINE + 1)
            parts.append(head.encode() + data)
        return _joined("mixed", f"000000000000{self._token(16).replace('/', '0').replace('+', '1')}", parts)

    def _head(
        self,
        when: datetime,
        sender: tuple[str, str],
        to: tuple[str, str],
        subject: str,
        labels: str,
        more: str,
        *,
        own_id: str = "",
        thread: int = 0,
        signed: bool = True,
    ) -> str:
        date = format_datetime(when)
        own_id = own_id or f"{self._number}.{self._token(12).replace('/', '-')}@{sender[1].partition('@')[2]}"
        received = f"Received: by 2002:a05:7010:{self._number % 9999:04x} with HTTP; {date}"
        lines = [
            f"X-GM-THRID: {_FIRST_ID + (thread or self._number)}",
            f"X-Gmail-Labels: {labels}",
            *(self._delivery(date, sender[1]) if signed else [received]),
            more.rstrip("\n"),
            f"MIME-Version: 1.0\nDate: {date}\nMessage-ID: <{own_id}>",
            f"Subject: {_encoded(subject)}",
            f"From: {_encoded(sender[0])} <{sender[1]}>",
            f"To: {_encoded(to[0])} <{to[1]}>",
        ]
        return "\n".join(line for line in lines if line) + "\n"

    def _delivery(self, date: str, sender: str) -> list[str]:
        """Return the headers that Gmail adds to a mail that it takes in: the servers on its way, and signatures."""
        domain = sender.partition("@")[2]
        seal, signature = self._token(344), self._token(344)

        def folded(text: str) -> str:
            return "\n         ".join(textwrap.wrap(text, 66))

        listed = "h=mime-version:date:message-id:subject:from:to:feedback-id:list-unsubscribe"
        return [
            f"Delivered-To: {OWNER[1]}",
            f"Received: by 2002:a05:7010:1234:b0:3a1:{self._number % 9999:04x} with SMTP id x{self._number}csp;\n        {date}",
            f"X-Google-Smtp-Source: {self._token(84)}",
            f"X-Received: by 2002:a17:906:3a1:b0:{self._number % 9999:04x} with SMTP id x{self._number}mr;\n        {date}",
            f"ARC-Seal: i=1; a=rsa-sha256; t=1458139; cv=none;\n        d=google.com; s=arc-20160816;\n        b={folded(seal)}",
            f"ARC-Message-Signature: i=1; a=rsa-sha256; c=relaxed/relaxed; d=google.com; s=arc-20160816;\n        {listed};\n        bh={self._token(43)}=;\n        b={folded(signature)}",
            f"ARC-Authentication-Results: i=1; mx.google.com;\n       dkim=pass header.i=@{domain} header.s=s1 header.b={self._token(8)};\n       spf=pass (google.com: domain of bounce@{domain} designates 203.0.113.7 as permitted sender) smtp.mailfrom=bounce@{domain};\n       dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from={domain}",
            f"Return-Path: <bounce-{self._number}@{domain}>",
            f"Received: from mta{self._number % 97}.{domain} (mta{self._number % 97}.{domain}. [203.0.113.7])\n        by mx.google.com with ESMTPS id x{self._number}si\n        for <{OWNER[1]}>\n        (version=TLS1_3 cipher=TLS_AES_256_GCM_SHA384 bits=256/256);\n        {date}",
            f"Received-SPF: pass (google.com: domain of bounce@{domain} designates 203.0.113.7 as permitted sender) client-ip=203.0.113.7;",
            f"Authentication-Results: mx.google.com;\n       dkim=pass header.i=@{domain} header.s=s1 header.b={self._token(8)};\n       spf=pass (google.com: domain of bounce@{domain} designates 203.0.113.7 as permitted sender) smtp.mailfrom=bounce@{domain};\n       dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from={domain}",
            f"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d={domain}; s=s1; t=1458139;\n        {listed};\n        bh={self._token(43)}=;\n        b={folded(self._token(172))}",
        ]

    def _mail(self, when: datetime, head: str, body: bytes) -> bytes:
        envelope = f"From {_FIRST_ID + self._number}@xxx {when:%a %b %d %H:%M:%S} +0000 {when.year}\n"
        return envelope.encode() + head.encode() + body.rstrip(b"\n").replace(b"\nFrom ", b"\n>From ") + b"\n\n"


def _encoded(text: str) -> str:
    return text if text.isascii() else Header(text, "utf-8", maxlinelen=70).encode(linesep="\n")


def _part(mime: str, text: str, encoding: str) -> bytes:
    data = text.encode()
    if encoding == "quoted-printable":
        data = encodestring(data)
    elif encoding == "base64":
        data = base64.encodebytes(data)
    return f'Content-Type: {mime}; charset="UTF-8"\nContent-Transfer-Encoding: {encoding}\n\n'.encode() + data


def _joined(kind: str, boundary: str, parts: list[bytes]) -> bytes:
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n'.encode()
    mark = f"--{boundary}".encode()
    return head + b"".join(mark + b"\n" + part + b"\n" for part in parts) + mark + b"--\n"


_CELL = (
    '<tr><td align="left" valign="top" style="padding:10px 18px 12px;margin:0;font-family:Helvetica,Arial,sans-serif;'
    'font-size:15px;line-height:150%;color:#333333;text-align:left;">'
)


def _letter(paragraphs: list[str], token: str, shop: int) -> str:
    """Return HTML as programs for newsletters write it: preheader, styles, nested tables, pictures, long links."""
    rows: list[str] = []
    for number, text in enumerate(paragraphs):
        link = f"https://click.shop{shop}.example/ls/click?upn={token}{number}-{token[::-1]}&amp;u={number:06}&amp;c={token[:20]}"
        rows.append(
            '<table border="0" cellpadding="0" cellspacing="0" width="100%" style="min-width:100%;border-collapse:collapse;">'
            f'<tbody>{_CELL}<h2 style="margin:0;padding:0;font-size:20px;font-weight:bold;color:#202020;"><a href="{link}" '
            f'target="_blank" style="color:#2baadf;text-decoration:none;">{text[:40]}</a></h2></td></tr>\n'
            f'{_CELL}<img alt="" src="https://cdn.shop{shop}.example/{token}/{number}.png" width="564" style="max-width:564px;'
            f'padding-bottom:0;display:inline !important;vertical-align:bottom;"><span style="color:#555">{text}</span><br>'
            f'<a href="{link}2" style="background-color:#2baadf;color:#ffffff;padding:10px">More&nbsp;about this</a></td></tr>'
            "</tbody></table>\n"
        )
    return (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n'
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8">\n'
        f'<title>Shop {shop}</title><style type="text/css">\n'
        + "".join(
            f"@media only screen and (max-width:480px){{.c{n} td,.c{n} p{{width:100%!important;font-size:{n + 8}px;line-height:125%}}}}\n"
            for n in range(12)
        )
        + "</style></head>\n"
        '<body style="margin:0;padding:0;background-color:#fafafa;"><span style="display:none;font-size:0px;line-height:0px;'
        f'max-height:0px;opacity:0;overflow:hidden;mso-hide:all;">{paragraphs[0][:60]}</span>\n'
        '<center><table align="center" border="0" cellpadding="0" cellspacing="0" width="100%" id="bodyTable"><tr><td align="center" valign="top">'
        '<table border="0" cellpadding="0" cellspacing="0" width="100%" style="max-width:600px;"><tr><td valign="top">\n'
        + "".join(rows)
        + f'</td></tr></table></td></tr><tr><td style="font-size:12px;color:#656565">You get this because you asked for it. '
        f'<a href="https://shop{shop}.example/unsubscribe/{token}">Unsubscribe</a></td></tr></table></center>'
        f'<img src="https://open.shop{shop}.example/o/{token}" width="1" height="1" alt=""></body></html>\n'
    )
