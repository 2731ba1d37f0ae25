"""One story on every server: mails come, are flagged and not any more, moved and deleted, folders are renamed, deleted and made
anew; the memory is the same.
"""

from __future__ import annotations

import imaplib
import ssl
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC
from hashlib import sha256
from pathlib import Path
from typing import Self

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.live.imap.connector import ImapConnector
from memd.connectors.live.imap.login import Credentials
from memd.connectors.live.imap.transport import Server
from memd.daemon.app import open_app
from memd.daemon.config.settings import Settings
from memd.daemon.service.requests import ListingRequest
from memd.daemon.service.service import Service
from memd.tests.connectors.live.imap import cyrus, dovecot, greenmail
from memd.tests.connectors.live.imap.cyrus import Cyrus
from memd.tests.connectors.live.imap.dovecot import PASSWORD, Dovecot
from memd.tests.connectors.live.imap.greenmail import GreenMail
from memd.tests.connectors.live.imap.test_dovecot_account import mail
from memd.tests.contracts.live_connector import synced

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
        self._server, self._user = server, user
        self._client = self._logged_in()

    def _logged_in(self) -> imaplib.IMAP4_SSL:
        context = ssl.create_default_context(cafile=self._server.ca_file)
        client = imaplib.IMAP4_SSL(self._server.host, self._server.port, ssl_context=context, timeout=60)
        client.login(self._user, PASSWORD)
        return client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.logout()

    def does(self, verb: str, *words: str) -> None:
        """A command that must succeed, ``create``, ``rename``, ``delete``."""
        assert getattr(self._client, verb)(*words)[0] == "OK"

    def deletes(self, folder: str) -> None:
        """A folder. GreenMail deletes none that another connection had opened: there it becomes one that is not read."""
        try:
            self.does("delete", folder)
        except imaplib.IMAP4.abort:
            self._client.shutdown()
            self._client = self._logged_in()
            self.does("rename", folder, next(each for each in ("Trash", "Spam") if not self._has(each)))
        assert not self._has(folder)

    def _has(self, folder: str) -> bool:
        return self._client.list('""', folder)[1] != [None]

    def puts(self, folder: str, data: bytes) -> None:
        """A mail into a folder, unread."""
        assert self._client.append(folder, "", "", data)[0] == "OK"

    def marks(self, folder: str, number: int, flag: str, how: str = "+FLAGS") -> None:
        """The mail with this number in a folder gets a flag."""
        self.does("select", folder)
        assert self._client.store(str(number), how, flag)[0] == "OK"

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


@asynccontextmanager
async def daemon(folder: Path, reads: ImapConnector) -> AsyncGenerator[Service]:
    """A memory whose one source is the account."""
    plain = {
        "data_dir": folder / "data",
        "embedding": {"enabled": False},
        "facts": {"extractor": "off"},
        "sources": [{"name": "account", "kind": "scripted"}],
    }
    settings = Settings.model_validate(plain)
    async with open_app(settings, serve=False, connectors={"scripted": lambda _: reads}) as service:
        yield service


Memory = dict[str, tuple[str, list[str]]]
"""By Message-ID the text and the tags."""


async def memory_of(service: Service) -> Memory:
    """All that is stored."""
    found: Memory = {}
    for line in (await service.listing(ListingRequest(limit=100)))["documents"]:
        document = await service.document(line["id"])
        for message in document["conversation"]["conversation"]:
            found[message["id"]] = (message["content"], sorted(document.get("tags", [])))
    return found


def wanted(*tags: str) -> Memory:
    """The mails from the first one on, each with its tags, with blanks between them."""
    return {f"m{number}@example.org": (f"text {number}\n", sorted(each.split())) for number, each in enumerate(tags)}


@pytest.mark.parametrize("name", ["dovecot", "cyrus", "greenmail"])
async def test_one_story(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Folders are tags as long as a mail lies there; no mail is ever lost, and none is marked as read."""
    user = f"u{sha256(name.encode()).hexdigest()[:8]}"
    root = tmp_path_factory.mktemp("s")
    with started(name, root, user) as server, Person(server, user) as person:
        reads = ImapConnector(server, Credentials(user, password=PASSWORD), None, ReadOptions(zone=UTC))
        person.does("create", "Work")
        person.does("create", "Old")
        for number, folder in enumerate(["INBOX", "INBOX", "INBOX", "Work", "Sent", "Old"]):
            person.puts(folder, mail(number))
        async with daemon(root, reads) as service:
            assert (await synced(service))["added"] == 6
            assert await memory_of(service) == wanted("INBOX", "INBOX", "INBOX", "Work", "Sent", "Old")
            assert person.unread("INBOX", "Work", "Sent") == [b"3)", b"1)", b"1)"]
            assert (await synced(service))["processed"] == 0

            person.marks("INBOX", 1, "\\Flagged")
            person.moves("INBOX", 2, "Work")
            person.removes("INBOX", 1)
            person.puts("INBOX", mail(6))
            assert (await synced(service))["added"] == 1
            assert await memory_of(service) == wanted("", "Work", "INBOX", "Work", "Sent", "Old", "INBOX")

            person.does("rename", "Work", "Job")
            person.does("create", "Work")
            person.puts("Work", mail(7))
            person.puts("Work", mail(8))
            assert (await synced(service))["added"] == 2
            assert await memory_of(service) == wanted("", "Job", "INBOX", "Job", "Sent", "Old", "INBOX", "Work", "Work")

            person.marks("INBOX", 1, "\\Flagged")  # m2
            person.moves("Job", 1, "INBOX")  # m3, for the first time in the inbox
            assert (await synced(service))["added"] == 0
            assert await memory_of(service) == wanted(
                "", "Job", "INBOX Flagged", "INBOX", "Sent", "Old", "INBOX", "Work", "Work"
            )
            person.marks("INBOX", 1, "\\Flagged", "-FLAGS")
            person.marks("INBOX", 2, "\\Deleted")  # m6
            person.puts("INBOX", mail(9))
            assert (await synced(service))["added"] == 1
            marked = wanted("", "Job", "INBOX", "INBOX", "Sent", "Old", "", "Work", "Work", "INBOX")
            assert await memory_of(service) == marked
            person.marks("INBOX", 2, "\\Deleted", "-FLAGS")
            person.removes("INBOX", 4)
            assert (await synced(service))["added"] == 0
            back = wanted("", "Job", "INBOX", "INBOX", "Sent", "Old", "INBOX", "Work", "Work", "")
            assert await memory_of(service) == back

            person.deletes("Old")
            person.deletes("Work")
            person.does("create", "Work")
            person.puts("Work", mail(7))  # with other numbers; m8 does not lie there any more
            assert (await synced(service))["added"] == 0
            kept = wanted("", "Job", "INBOX", "INBOX", "Sent", "", "INBOX", "Work", "", "")
            assert await memory_of(service) == kept
            assert (await synced(service, again=True))["added"] == 0
            assert await memory_of(service) == kept
            assert person.unread("INBOX", "Work", "Sent") == [b"3)", b"1)", b"1)"]

            for folder in ("INBOX", "INBOX", "INBOX", "Sent", "Job", "Work"):
                person.removes(folder, 1)
            await synced(service)
            assert await memory_of(service) == kept  # an account that is suddenly empty changes nothing
