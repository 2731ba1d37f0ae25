"""The connector of mail keeps the contract of connectors, and is not mistaken for others, or others for it."""

from __future__ import annotations

import pytest

from memd.connectors.connector import Connector
from memd.connectors.formats.mail.connector import MailConnector
from memd.connectors.reading.registry import default_connectors
from memd.tests.cases import for_each
from memd.tests.connectors.mail.samples import HTML, MAILDIR, SINGLE, TAKEOUT, THUNDERBIRD, emlx
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf


class TestMailConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = (
        "mail.message:parse_message",
        "mail.documents:spooled_form",
    )
    download = Download(
        "the allotment committee wants a beehive",
        {
            "All mail.mbox": b"""From ann@example.org Mon Apr 07 14:31:00 2025
From: Ann <ann@example.org>
To: Bob <bob@example.org>
Subject: The allotment
Message-ID: <a1@example.org>
Date: Mon, 7 Apr 2025 14:31:00 +0000
Content-Type: text/plain; charset=utf-8

The allotment committee wants a beehive.

"""
        },
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return MailConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """Every container."""
        return {
            "All mail.mbox": {"All mail.mbox": TAKEOUT},
            "Inbox": {"Inbox": THUNDERBIRD},
            "one.eml": {"one.eml": SINGLE},
            "html.eml": {"html.eml": HTML},
            "1.emlx": {"1.emlx": emlx(SINGLE)},
            "Maildir": MAILDIR,
        }


OTHERS = {
    "chat": b"1/15/24, 10:00 - Ann: hello\n1/15/24, 10:01 - Bob: From: me to you\n",
    "note": b"# From here\n\nTo: do\nDate: tomorrow\n",
    "letter": b"Dear Ann,\n\nFrom: the heart.\nSubject: none.\n",
    "from": b"From here on we walked.\n\nTo: the lake.\n",
    "front matter": b"---\ntitle: x\ndate: 2024-01-01\nfrom: a\nto: b\nsubject: c\n---\ntext\n",
    "json": b'{"id": "a", "content": "From: a@b.c\\nSubject: x"}',
    "yaml": b"name: a\nversion: 1\nto: b\ndate: 2024\nkeywords: c\n",
    "http": b"Server: x\nDate: Mon, 7 Apr 2025 14:31:00 GMT\nContent-Type: text/html\nContent-Length: 5\n\nhello",
    "card": b"BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nEND:VCARD\n",
}


@for_each(OTHERS)
def test_other_texts_are_no_mail(name: str) -> None:
    """Neither words that begin lines like headers nor other formats with headers are taken for mail."""
    assert MailConnector().sniff(Shelf("0", {"0": OTHERS[name]})) < 0.5


@for_each([TAKEOUT, THUNDERBIRD, SINGLE, HTML, emlx(SINGLE)])
def test_no_other_format_claims_mail(data: bytes) -> None:
    """Beside mail nobody else is sure enough to be asked."""
    scores = {each.name: each.sniff(Shelf("0", {"0": data})) for each in default_connectors()}
    assert scores.pop("mail") >= 0.9
    assert max(scores.values()) <= 0.5  # what nobody knows is a note
