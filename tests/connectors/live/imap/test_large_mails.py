"""A large mail comes without its files, and becomes the same document as the whole mail."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from contextlib import aclosing
from datetime import UTC

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memd.connectors.connector import ReadOptions
from memd.connectors.formats.mail.documents import User
from memd.connectors.formats.mail.headers import Headers
from memd.connectors.formats.mail.mime import Head, Part, size_of
from memd.connectors.live.imap.connector import ImapConnector
from memd.connectors.live.imap.errors import ProtocolError
from memd.connectors.live.imap.fetching import read_mails, uids_after
from memd.connectors.live.imap.folders import list_folders
from memd.connectors.live.imap.frames import ReaderLimits
from memd.connectors.live.imap.large_mails import LargeMail, decoded_size, large_mail, put_together
from memd.connectors.live.imap.login import open_connection
from memd.connectors.live.imap.mails import FetchedMail, documents_of
from memd.connectors.live.imap.open_folder import open_folder
from memd.connectors.live.imap.responses import Fetch
from memd.connectors.live.imap.values import parse_values
from memd.tests.cases import for_each
from memd.tests.connectors.live.imap.dovecot import Account, why_not

_WHY_NOT = why_not()
ANN = User("Ann", frozenset({"ann@example.org"}))
OPTIONS = ReadOptions(zone=UTC)
CHANCE = random.Random(5)
HEAD = (
    "Message-ID: <m{number}@example.org>\r\nDate: Mon, 15 Jan 2024 12:{number:02}:00 +0000\r\n"
    "From: Bob <bob@example.org>\r\nTo: ann@example.org\r\nSubject: Number {number}\r\nMIME-Version: 1.0\r\n"
)
TEXT = b"Content-Type: text/plain; charset=utf-8\r\n\r\nwords of it\r\n"


def lines(size: int, width: int = 57) -> bytes:
    """A file in base64."""
    data = CHANCE.randbytes(size)
    return b"\r\n".join(base64.b64encode(data[at : at + width]) for at in range(0, size, width))


def file(content: bytes, mime: str = "application/pdf", name: str = "a.pdf", encoding: str = "base64") -> bytes:
    """A part that is a file."""
    named = f'; name="{name}"' if name else ""
    head = f"Content-Type: {mime}{named}\r\nContent-Transfer-Encoding: {encoding}\r\nContent-Disposition: attachment\r\n\r\n"
    return head.encode() + content


def several(kind: str, boundary: str, *parts: bytes) -> bytes:
    """A part of parts, with its headers."""
    mark = f"--{boundary}".encode()
    inner = b"".join(mark + b"\r\n" + part + b"\r\n" for part in parts)
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"\r\n\r\n'
    return head.encode() + b"preamble\r\n" + inner + mark + b"--\r\n"


HTML = b"Content-Type: text/html; charset=utf-8\r\n\r\n<p>words of it</p>"
MAILS: dict[str, Callable[[], bytes]] = {
    "a text and a file": lambda: several("mixed", "b", TEXT, file(lines(90_001))),
    "two texts and two files": lambda: several(
        "mixed", "b", several("alternative", "c", TEXT, HTML), file(lines(90_002), name=""), file(lines(70_003))
    ),
    "nothing but a file": lambda: file(lines(90_000)),
    "a picture in a page": lambda: several(
        "alternative", "x y", TEXT, several("related", "d", HTML, file(lines(99_999), "image/png", "", "base64"))
    ),
    "a file as it is": lambda: several("mixed", "b", TEXT, file(b"a line\r\n" * 20_000, "text/csv", "a.csv", "7bit")),
    "a text that is a file": lambda: several("mixed", "b", TEXT, file(lines(80_000), "text/plain", "notes.txt")),
    "lines of another width": lambda: several("mixed", "b", TEXT, file(lines(90_000, 45))),
    "blank lines at the end": lambda: several("mixed", "b", TEXT, file(lines(90_000) + b"\r\n\r\n")),
}
WHOLE: dict[str, Callable[[], bytes]] = {
    "no lines at all": lambda: several("mixed", "b", TEXT, file(base64.b64encode(CHANCE.randbytes(90_000)))),
    "a mail in a mail": lambda: several(
        "mixed", "b", TEXT, b"Content-Type: message/rfc822\r\n\r\n" + HEAD.format(number=99).encode() + TEXT + b"w " * 50_000
    ),
    "a long text": lambda: TEXT + b"many words \r\n" * 8000,
    "a type that is none": lambda: several("mixed", "b", TEXT, file(lines(90_000), "pdf", "a.pdf")),
}  # fmt: skip


def mail_of(name: str, number: int) -> bytes:
    """The mail with its headers."""
    return HEAD.format(number=number).encode() + {**MAILS, **WHOLE}[name]()


@pytest.mark.anyio
@pytest.mark.slow
@pytest.mark.skipif(bool(_WHY_NOT), reason=_WHY_NOT)
async def test_the_documents_are_those_of_whole_mails(account: Account) -> None:
    """With the names and exact sizes of all files, of which little is fetched."""
    mails = [mail_of(name, number) for number, name in enumerate({**MAILS, **WHOLE})]
    for each in mails:
        account.deliver(each)
    async with open_connection(account.dovecot.server, account.credentials) as connection:
        (inbox, *_) = await list_folders(connection)
        opened = await open_folder(connection, inbox)
        fetched = [
            mail
            async for batch in read_mails(connection, opened, await uids_after(connection, 0))
            for mail in batch.mails
        ]
    by_uid = {int(each.locator.rpartition(":")[2]): each for each in fetched}
    for uid, (name, mail) in enumerate(zip({**MAILS, **WHOLE}, mails, strict=True), start=1):
        assert (name, len(by_uid[uid].data) < 2000) == (name, name in MAILS)
        assert (name, by_uid[uid].data in (mail, mail + b"\r\n")) == (name, name in WHOLE)
    wanted = documents_of(
        [FetchedMail(f"imap:INBOX:{uid}", each, cut=False, labels=("INBOX",)) for uid, each in enumerate(mails, 1)],
        ANN,
        OPTIONS,
        "imap:INBOX",
    )
    found = documents_of([by_uid[uid] for uid in sorted(by_uid)], ANN, OPTIONS, "imap:INBOX")
    assert (found.documents, found.notices, found.rejected) == (wanted.documents, wanted.notices, wanted.rejected)
    reads = ImapConnector(account.dovecot.server, account.credentials, ANN, OPTIONS)
    async with aclosing(reads.pull(None)) as batches:
        pulled = [document async for batch in batches for document in batch.documents]
    assert {each.id: each for each in pulled} == {each.id: each for each in wanted.documents}


@given(st.binary(min_size=1, max_size=900), st.sampled_from([9, 45, 48, 54, 57]), st.integers(0, 2))
def test_the_size_is_that_of_the_whole(data: bytes, width: int, ends: int) -> None:
    """Of every length, width of lines, and number of line ends behind it."""
    content = (
        b"\r\n".join(base64.b64encode(data[at : at + width]) for at in range(0, len(data), width)) + ends * b"\r\n"
    )
    assume(len(content) >= 8 and b"\r\n" in content[:200])
    whole = Part(Head(Headers().fields, "application/pdf", {}, "", "", "base64"), "application/pdf", 0, len(content))
    assert decoded_size(len(content), content[:200], content[-8:]) == size_of(content, whole) == len(data)


@for_each(
    [
        (400, b"A" * 200, b"AAAAAAAA"),
        (400, b"\r\n" + b"A" * 198, b"AAAAAAAA"),
        (400, b"A" * 76 + b"\r\n" + b"A" * 76, b"AAA"),
        (401, b"A" * 76 + b"\r\n" + b"A" * 76, b"AAAAAAAA"),
        (400, b"A" * 76 + b"\r\n" + b"A" * 76, b"\r\n\r\n\r\n\r\n"),
    ]
)
def test_base64_that_is_not_regular(size: int, first: bytes, last: bytes) -> None:
    """Its size cannot be told."""
    with pytest.raises(ProtocolError, match="no regular lines"):
        decoded_size(size, first, last)


STRUCTURE = (
    b'(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 5 1) ("APPLICATION" "PDF" NIL NIL NIL "7BIT" 90000 NIL '
    b'("attachment" NIL)) "MIXED")'
)
ITEMS = {
    "BODY[HEADER]": b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n',
    "BODY[1.MIME]": b"\r\n",
    "BODY[1]": b"words",
    "BODY[2.MIME]": b"Content-Type: application/pdf\r\n\r\n",
}


def planned() -> LargeMail:
    """What is fetched of a mail with this structure."""
    (structure,) = parse_values([STRUCTURE], ReaderLimits())
    large = large_mail(structure)
    assert large is not None
    return large


def test_what_is_asked_for() -> None:
    """Headers, texts, and what tells of files."""
    sections = " ".join(f"BODY.PEEK[{each}]" for each in ("HEADER", "1.MIME", "1", "2.MIME"))
    assert planned().items == sections
    data, sizes = put_together(Fetch(1, dict(ITEMS)), planned())
    assert data.endswith(b"--b\r\nContent-Type: application/pdf\r\n\r\n\r\n--b--\r\n")
    assert list(sizes.values()) == [90_000]


@for_each(
    [
        ("BODY[1]", None),
        ("BODY[HEADER]", b"Content-Type: text/plain\r\n\r\n"),
        ("BODY[HEADER]", b'Content-Type: multipart/mixed; boundary=""\r\n\r\n'),
        ("BODY[2.MIME]", b"Content-Type: text/plain\r\n\r\n"),
        ("BODY[2.MIME]", b"no header\r\n\r\n"),
    ]
)
def test_what_does_not_fit_together(item: str, value: bytes | None) -> None:
    """Is an error, and the mail is fetched whole."""
    with pytest.raises(ProtocolError):
        put_together(Fetch(1, {**ITEMS, item: value}), planned())
