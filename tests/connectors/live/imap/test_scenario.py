"""One story on every server: mails come, are flagged, moved and deleted, folders are renamed and made anew; the memory is the same."""

from __future__ import annotations

import imaplib
import ssl
from collections.abc import Generator
from contextlib import aclosing, contextmanager
from datetime import UTC
from hashlib import sha256
from pathlib import Path
from typing import Self

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.live.imap.connector import ImapConnector
from memd.connectors.live.imap.login import Credentials
from memd.connectors.live.imap.transport import Server
from memd.tests.connectors.live.imap import cyrus, dovecot, greenmail
from memd.tests.connectors.live.imap.cyrus import Cyrus
from memd.tests.connectors.live.imap.dovecot import PASSWORD, Dovecot
from memd.tests.connectors.live.imap.greenmail import GreenMail
from memd.tests.connectors.live.imap.test_dovecot_account import mail

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@contextmanager
def started(name: str, root: Path, user: str) -> Generator[Server]:
    """A server of this kind with an empty account."""
    if reason := {"dovecot": dovecot, "cyrus": cyrus, "greenmail": greenmail}[name].why_not():
        pytest.skip(reason)
    if name == "dovecot":
        with Dovecot(root) as found:
            yield found.server
    elif name == "greenmail":
        with GreenMail(root, user) as found:
            with Person(found.server, user) as person:
                person.does("create", "Sent")
            yield found.server
    else:
        with Cyrus(root) as found:
            found.add_account(user)
            yield found.server


class Person:
    """Somebody with another client of mail. Use as a context manager."""

    def __init__(self, server: Server, user: str) -> None:
        context = ssl.create_default_context(cafile=server.ca_file)
        self._client = imaplib.IMAP4_SSL(server.host, server.port, ssl_context=context, timeout=60)
        self._client.login(user, PASSWORD)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.logout()

    def does(self, verb: str, *words: str) -> None:
        """A command that must succeed, ``create``, ``rename``, ``delete``."""
        assert getattr(self._client, verb)(*words)[0] == "OK"

    def puts(self, folder: str, data: bytes) -> None:
        """A mail into a folder, unread."""
        assert self._client.append(folder, "", "", data)[0] == "OK"

    def marks(self, folder: str, number: int, flag: str) -> None:
        """The mail with this number in a folder gets a flag."""
        self.does("select", folder)
        assert self._client.store(str(number), "+FLAGS", flag)[0] == "OK"

    def moves(self, folder: str, number: int, to: str) -> None:
        """A mail into another folder."""
        self.does("select", folder)
        assert self._client.copy(str(number), to)[0] == "OK"
        self.removes(folder, number)

    def removes(self, folder: str, number: int) -> None:
        """A mail, for good."""
        self.marks(folder, number, "\\Deleted")
        assert self._client.expunge()[0] == "OK"
        self.does("close")

    def unread(self, *folders: str) -> list[bytes | None]:
        """How many mails of each folder were not read."""
        return [self._client.status(each, "(UNSEEN)")[1][0].rpartition(b"UNSEEN ")[2] for each in folders]


async def pulled(server: Server, user: str, cursor: str | None) -> tuple[dict[str, str], str | None]:
    """The texts of mails by their ids, and the last cursor."""
    reads = ImapConnector(server, Credentials(user, password=PASSWORD), None, ReadOptions(zone=UTC))
    texts: dict[str, str] = {}
    async with aclosing(reads.pull(cursor)) as batches:
        async for batch in batches:
            assert batch.rejected == ()
            days = [day for each in batch.documents if (day := each.as_conversation())]
            texts |= {each.id or "": each.content for day in days for each in day.conversation.conversation}
            cursor = batch.cursor or cursor
    return texts, cursor


@pytest.mark.parametrize("name", ["dovecot", "cyrus", "greenmail"])
async def test_one_story(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each part gives what is new, or is new under its name; reading changes nothing, and a fresh reading gives what is left."""
    user = f"u{sha256(name.encode()).hexdigest()[:8]}"
    with started(name, tmp_path_factory.mktemp("s"), user) as server, Person(server, user) as person:
        person.does("create", "Work")
        for number, folder in enumerate(["INBOX", "INBOX", "INBOX", "Work", "Sent"]):
            person.puts(folder, mail(number))
        texts, cursor = await pulled(server, user, None)
        assert texts == {f"m{number}@example.org": f"text {number}\n" for number in range(5)}
        assert person.unread("INBOX", "Work") == [b"3)", b"1)"]
        assert await pulled(server, user, cursor) == ({}, cursor)
        person.marks("INBOX", 1, "\\Flagged")
        person.moves("INBOX", 2, "Work")
        person.removes("INBOX", 1)
        person.puts("INBOX", mail(5))
        texts, cursor = await pulled(server, user, cursor)
        assert set(texts) == {"m1@example.org", "m5@example.org"}
        person.does("rename", "Work", "Job")
        person.does("create", "Work")
        person.puts("Work", mail(6))
        texts, cursor = await pulled(server, user, cursor)
        assert set(texts) == {"m1@example.org", "m3@example.org", "m6@example.org"}
        assert await pulled(server, user, cursor) == ({}, cursor)
        fresh, _ = await pulled(server, user, None)
        assert set(fresh) == {f"m{number}@example.org" for number in (1, 2, 3, 4, 5, 6)}
        assert person.unread("INBOX", "Work") == [b"2)", b"1)"]
