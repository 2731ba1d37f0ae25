"""Reading mailboxes that lie in memory, and building mails for tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC

from memd.connectors.connector import ReadOptions, Record
from memd.connectors.formats.mail.connector import MailConnector
from memd.connectors.formats.mail.mailbox import segment_text
from memd.schemas import EmailThreadDocument, Notice, Rejected
from memd.tests.contracts.connector import Shelf

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")


def read(files: Mapping[str, bytes] | bytes, *, me: str | None = None) -> list[Record]:
    """Everything that a mailbox or a folder gives."""
    shelf = Shelf("mail", {"mail": files} if isinstance(files, bytes) else files)
    return list(MailConnector().read(shelf, replace(OPTIONS, me=me)))


def threads(files: Mapping[str, bytes] | bytes, *, me: str | None = None) -> list[EmailThreadDocument]:
    """Its threads."""
    return [record for record in read(files, me=me) if isinstance(record, EmailThreadDocument)]


def codes(records: list[Record]) -> list[str]:
    """The codes of the notices."""
    return [record.code for record in records if isinstance(record, Notice)]


def rejections(records: list[Record]) -> list[tuple[str, str]]:
    """Places and reasons."""
    return [(record.locator, record.reason) for record in records if isinstance(record, Rejected)]


def mail(body: str = "Hello.\n", **fields: str) -> bytes:
    """A mail with usual headers; a field of the value "-" is left out, ``_`` in names is ``-``."""
    headers = {
        "From": "Bob <bob@example.com>",
        "To": "Ann <ann@example.org>",
        "Subject": "the boat",
        "Date": "Mon, 7 Apr 2025 14:31:00 +0000",
        "Message-ID": "<m1@example.com>",
    }
    headers |= {name.replace("_", "-"): value for name, value in fields.items()}
    head = "".join(f"{name}: {value}\n" for name, value in headers.items() if value != "-")
    return f"{head}\n{body}".encode()


def mbox(*mails: bytes) -> bytes:
    """Mails in an mbox."""
    return b"".join(b"From x@y.z Mon Apr  7 14:31:02 2025\n" + each.rstrip(b"\n") + b"\n\n" for each in mails)


def parts(body: str, subject: str = "Re: the boat") -> list[tuple[str, int, str]]:
    """Kind, depth and text of every part; together they are the text."""
    found = segment_text(body, subject)
    assert "".join(body[each.start : each.end] for each in found) == body
    return [(each.kind, each.depth, body[each.start : each.end]) for each in found]
