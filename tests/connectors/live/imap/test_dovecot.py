"""Against a real Dovecot: what the hand-written sessions say of servers is so."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

import anyio
import pytest

from memd.connectors.errors import AuthorizationError, UnavailableError
from memd.connectors.live.imap.body_structure import body_parts
from memd.connectors.live.imap.commands import Command, Text
from memd.connectors.live.imap.connection import Connection, Done
from memd.connectors.live.imap.frames import Literal
from memd.connectors.live.imap.login import Credentials, open_connection
from memd.connectors.live.imap.mailbox_names import decode_name
from memd.connectors.live.imap.refusals import CommandRefusedError
from memd.connectors.live.imap.responses import (
    Count,
    Fetch,
    Folder,
    FolderStatus,
    Response,
    SearchResult,
    Status,
    Vanished,
)
from memd.connectors.live.imap.uid_set import UidSet
from memd.tests.connectors.live.imap.dovecot import Account, why_not

_WHY_NOT = why_not()
pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.skipif(bool(_WHY_NOT), reason=_WHY_NOT)]

MAIL = (
    b"Message-ID: <m%d@example.org>\r\nDate: Mon, 15 Jan 2024 12:%02d:00 +0000\r\nFrom: Bob <bob@example.org>\r\n"
    b"To: ann@example.org\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= %d\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n'
    b'Hi \xc3\xa4 \xf0\x9f\x98\x80 {5}\r\n--b\r\nContent-Type: application/pdf; name="a b.pdf"\r\n'
    b"Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment\r\n\r\nAAAA\r\n--b--\r\n"
)


def mail(number: int) -> bytes:
    """A mail with a text and a file."""
    return MAIL % (number, number % 60, number)


@asynccontextmanager
async def logged_in(account: Account) -> AsyncGenerator[Connection, None]:
    """A connection to the account."""
    async with open_connection(account.dovecot.server, account.credentials) as connection:
        yield connection


def code(responses: Iterable[Response], name: str) -> int:
    """The number of a code that stands in one of the responses."""
    codes = (each.code for each in responses if isinstance(each, Status) and each.code is not None)
    return next(each.number for each in codes if each.name == name and each.number is not None)


async def examine(connection: Connection, folder: bytes, *more: bytes) -> list[Response]:
    """Open a folder for reading."""
    return await connection.run(b"EXAMINE", Text(folder), *more)


@pytest.mark.parametrize("security", ["tls", "starttls"])
async def test_login_and_what_it_offers(account: Account, security: str) -> None:
    """Over both kinds of TLS, compressed."""
    server = account.dovecot.server if security == "tls" else account.dovecot.starttls
    async with open_connection(server, account.credentials) as connection:
        assert {"CONDSTORE", "QRESYNC", "ESEARCH", "LIST-STATUS", "SPECIAL-USE", "IDLE"} <= connection.capabilities
        assert type(connection._stream).__name__ == "DeflateStream"  # pyright: ignore[reportPrivateUsage]
        await connection.run(b"NOOP")


async def test_a_wrong_password(account: Account) -> None:
    """It is refused by its code."""
    with pytest.raises(AuthorizationError, match="AUTHENTICATIONFAILED"):
        async with open_connection(account.dovecot.server, Credentials("ann", password="wrong")):
            pytest.fail("logged in")


async def test_folders_with_odd_names(account: Account) -> None:
    """LIST-STATUS tells everything of them at once; each name opens its folder."""
    names = {
        "Entwürfe 台北": b"Entw&APw-rfe &U,BTFw-",
        'a "quote" \\ {5}': b'a "quote" \\ {5}',
        "R&D": b"R&-D",
        "[Gmail]/Alle": b"[Gmail]/Alle",
        "NIL": b"NIL",
        "(x)": b"(x)",
    }
    async with logged_in(account) as connection:
        for name in names.values():
            await connection.run(b"CREATE", Text(name))
        words = b'LIST "" "*" RETURN (SPECIAL-USE STATUS (MESSAGES UIDNEXT UIDVALIDITY HIGHESTMODSEQ))'
        found = await connection.run(words)
        folders = [each for each in found if isinstance(each, Folder)]
        statuses = {each.name: each.numbers for each in found if isinstance(each, FolderStatus)}
        assert {decode_name(each.name) for each in folders} >= {*names, "INBOX", "Sent", "Trash", "Spam"}
        special = {each.name: each.attributes for each in folders}
        assert [name for name, each in special.items() if "\\junk" in each] == [b"Spam"]
        for folder in folders:
            if folder.can_be_opened:
                opened = await examine(connection, folder.name)
                assert code(opened, "UIDVALIDITY") == statuses[folder.name]["UIDVALIDITY"]
        assert [folder.name for folder in folders if not folder.can_be_opened] == [b"[Gmail]"]
        with pytest.raises(CommandRefusedError, match=r"the server refused EXAMINE\Z"):  # without a code
            await examine(connection, b"absent")


async def test_mails_are_read_and_stay_unseen(account: Account) -> None:
    """Structure, headers, parts and whole mails, with four commands at once; nothing is marked as read."""
    for number in range(1, 9):
        account.deliver(mail(number))
    async with logged_in(account) as connection:
        await examine(connection, b"INBOX")
        words = b"(RFC822.SIZE BODYSTRUCTURE FLAGS BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)] BODY.PEEK[1] BODY.PEEK[])"
        commands = [Command.of(b"UID FETCH", str(part).encode(), words) for part in UidSet(((1, 8),)).parts(2)]
        found = [each async for each in connection.pipeline(commands)]
        mails = {each.uid: each for each in found if isinstance(each, Fetch)}
        assert sorted(uid for uid in mails if uid) == list(range(1, 9))
        assert sum(isinstance(each, Done) for each in found) == 4
        for uid, each in mails.items():
            assert uid is not None
            assert each.size == len(mail(uid))
            assert each.section("BODY[]") == Literal(mail(uid), len(mail(uid)))
            assert each.section("BODY[HEADER.FIELDS (MESSAGE-ID)]") == Literal(
                b"Message-ID: <m%d@example.org>\r\n\r\n" % uid, 32
            )
            text = each.section("BODY[1]")
            assert isinstance(text, Literal)
            assert text.data.decode() == "Hi ä 😀 {5}"
            parts = body_parts(each.items["BODYSTRUCTURE"])
            assert [(part.section, part.mime, part.is_text, part.filename) for part in parts] == [
                ("1", "text/plain", True, ""),
                ("2", "application/pdf", False, "a b.pdf"),
            ]
        searched = await connection.run(b"UID SEARCH RETURN (ALL) UNSEEN")
        assert [each.found for each in searched if isinstance(each, SearchResult)] == [UidSet(((1, 8),))]


async def test_what_changed_since(account: Account) -> None:
    """QRESYNC tells what is gone, what has other flags and what is new; a wrong UIDVALIDITY tells nothing."""
    for number in range(1, 6):
        account.deliver(mail(number))
    async with logged_in(account) as connection:
        await connection.run(b"ENABLE", b"QRESYNC")
        opened = await examine(connection, b"INBOX")
        validity, modseq = code(opened, "UIDVALIDITY"), code(opened, "HIGHESTMODSEQ")
        account.doveadm("expunge", "mailbox", "INBOX", "uid", "2,4")
        account.doveadm("flags add", "\\Flagged", "mailbox", "INBOX", "uid", "3")
        account.deliver(mail(6))
        await connection.run(b"UNSELECT")
        opened = await examine(connection, b"INBOX", b"(QRESYNC (%d %d))" % (validity, modseq))
        assert [each for each in opened if isinstance(each, Vanished)] == [
            Vanished(UidSet(((2, 2), (4, 4))), earlier=True)
        ]
        changed = {each.uid: each.flags for each in opened if isinstance(each, Fetch)}
        assert changed[3] is not None
        assert "\\Flagged" in changed[3]
        assert set(changed) == {3, 6}
        await connection.run(b"UNSELECT")
        opened = await examine(connection, b"INBOX", b"(QRESYNC (%d %d))" % (validity + 1, modseq))
        assert not [each for each in opened if isinstance(each, Vanished | Fetch)]


async def test_idle_tells_of_new_mail(account: Account) -> None:
    """Also after it was asked anew."""
    async with logged_in(account) as connection:
        await examine(connection, b"INBOX")

        async def deliver() -> None:
            await anyio.sleep(0.3)
            await anyio.to_thread.run_sync(account.deliver, mail(1))

        changes: list[Response] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(deliver)
            with anyio.fail_after(20):
                changes = await connection.idle(rearm_s=0.1)
        assert Count("EXISTS", 1) in changes
        await connection.run(b"NOOP")


async def test_a_killed_server_is_told(account: Account) -> None:
    """The connection ends with an error that may be tried again; a new one works."""
    account.deliver(mail(1))
    async with logged_in(account) as connection:
        await examine(connection, b"INBOX")
        account.dovecot.drop_connections()
        with anyio.fail_after(10), pytest.raises(UnavailableError):
            await connection.run(b"NOOP")
    async with logged_in(account) as connection:
        assert Count("EXISTS", 1) in await examine(connection, b"INBOX")
