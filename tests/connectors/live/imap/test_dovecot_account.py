"""An account on a real Dovecot becomes documents, through the daemon too: everything once, and nothing is lost."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.formats.mail.documents import User
from memd.connectors.live.contract import Batch
from memd.connectors.live.imap import folder_reading, folders, window
from memd.connectors.live.imap.commands import Command
from memd.connectors.live.imap.connection import Connection
from memd.connectors.live.imap.connector import ImapConnector
from memd.connectors.live.imap.cursor import AccountPosition
from memd.connectors.live.imap.folders import ListedFolder
from memd.connectors.live.imap.open_folder import OpenFolder, open_folder
from memd.daemon.app import open_app
from memd.daemon.config.settings import Settings
from memd.tests.connectors.live.imap.dovecot import Account, why_not
from memd.tests.contracts.live_connector import synced, texts

_WHY_NOT = why_not()
pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.skipif(bool(_WHY_NOT), reason=_WHY_NOT)]

Ranges = tuple[tuple[int, int], ...]
MAIL = (
    b"Message-ID: <m%(number)d@example.org>\r\nDate: Mon, 15 Jan 2024 12:%(minute)02d:00 +0000\r\n"
    b"From: Bob <bob@example.org>\r\nTo: Ann <ann@example.org>\r\n%(more)sSubject: Plans\r\n\r\ntext %(number)d\r\n"
)


def mail(number: int, more: bytes = b"") -> bytes:
    """A short mail."""
    return MAIL % {b"number": number, b"minute": number % 60, b"more": more}


def connector(account: Account) -> ImapConnector:
    """What reads it."""
    user = User("Ann", frozenset({"ann@example.org"}))
    return ImapConnector(account.dovecot.server, account.credentials, user, ReadOptions(zone=UTC))


async def pulled(account: Account, cursor: str | None = None) -> tuple[list[Batch], str | None]:
    """Every batch since a cursor, and the last cursor."""
    async with aclosing(connector(account).pull(cursor)) as batches:
        found = [each async for each in batches]
    return found, next((each.cursor for each in reversed(found) if each.cursor is not None), cursor)


def ids(batches: list[Batch]) -> list[str]:
    """The Message-IDs in their order."""
    conversations = [document.as_conversation() for batch in batches for document in batch.documents]
    return [message.id or "" for each in conversations if each for message in each.conversation.conversation]


def gone(batches: list[Batch]) -> tuple[list[Ranges], list[Ranges]]:
    """What is told to have gone, and what is told to be left."""
    losses = [each.numbers for batch in batches for each in batch.losses]
    return losses, [each.numbers for batch in batches for each in batch.contents]


async def test_new_mails_of_every_folder(account: Account) -> None:
    """Once; spam and trash never; a run without anything new gives nothing."""
    account.doveadm("mailbox create", "Arbeit")
    for number, folder in enumerate(["INBOX", "Sent", "Arbeit", "Trash", "Spam", "INBOX"], start=1):
        account.deliver(mail(number), folder)
    batches, cursor = await pulled(account)
    assert sorted(ids(batches)) == [f"m{number}@example.org" for number in (1, 2, 3, 6)]
    tags = {tag for batch in batches for document in batch.documents for tag in document.tags}
    assert tags == {"INBOX", "Sent", "Arbeit"}
    assert await pulled(account, cursor) == ([], cursor)
    account.deliver(mail(7), "Arbeit")
    batches, later = await pulled(account, cursor)
    assert ids(batches) == ["m7@example.org"]
    assert await pulled(account, later) == ([], later)


async def test_nothing_new_in_many_folders(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is seen by one list; no folder is opened."""
    for number in range(12):
        account.doveadm("mailbox create", f"folder {number}")
    account.deliver(mail(1))
    batches, cursor = await pulled(account)
    assert ids(batches) == ["m1@example.org"]
    sent: list[str] = []
    send = Connection.send

    async def noted(self: Connection, command: Command) -> str:
        sent.append(bytes(b" ".join(each for each in command.parts if isinstance(each, bytes))).decode())
        return await send(self, command)

    monkeypatch.setattr(Connection, "send", noted)
    assert await pulled(account, cursor) == ([], cursor)
    assert [each.split()[0] for each in sent] == ["AUTHENTICATE", "COMPRESS", "LIST", "LOGOUT"]


async def test_a_pull_that_ends_anywhere_goes_on_there(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each batch: what its cursor covers does not come again, and the rest does."""
    monkeypatch.setattr(window, "BATCH_MAILS", 3)
    everything = [f"m{number}@example.org" for number in range(1, 12)]
    for number in range(1, 12):
        account.deliver(mail(number))
    account.doveadm("expunge", "mailbox", "INBOX", "uid", "5,11")
    left = [each for each in everything if each not in ("m5@example.org", "m11@example.org")]
    batches, _ = await pulled(account)
    assert ids(batches) == left
    for taken in range(1, len(batches)):
        kept: list[Batch] = []
        async with aclosing(connector(account).pull(None)) as pulling:
            async for each in pulling:
                kept.append(each)
                if len(kept) == taken:
                    break
        rest, _ = await pulled(account, kept[-1].cursor)
        assert (taken, ids(kept) + ids(rest)) == (taken, left)


async def test_folders_that_are_renamed_emptied_or_made_anew(account: Account) -> None:
    """A new name is known by its last mail, and nothing is read again; new UIDs are read from their beginning. Of an account that
    shows nothing any more that is told, and nothing changes; what comes then is read.
    """
    account.doveadm("mailbox create", "Arbeit")
    account.deliver(mail(1), "Arbeit")
    _, cursor = await pulled(account)
    account.doveadm("mailbox rename", "Arbeit", "Beruf")
    batches, cursor = await pulled(account, cursor)
    (renamed,) = [each for batch in batches for each in batch.renames]
    assert (ids(batches), renamed.old, renamed.new) == ([], "Arbeit", "Beruf")
    account.doveadm("mailbox delete", "-s", "Beruf")
    account.doveadm("mailbox create", "Beruf")
    account.deliver(mail(2), "Beruf")
    batches, cursor = await pulled(account, cursor)
    (contents,) = [each for batch in batches for each in batch.contents]
    assert (ids(batches), contents.folder, contents.numbers) == (["m2@example.org"], "Beruf", ((1, 1),))
    assert contents.validity != renamed.validity
    account.doveadm("expunge", "mailbox", "Beruf", "all")
    batches, after = await pulled(account, cursor)
    assert ([each.code for batch in batches for each in batch.notices], after) == (["account-empty"], cursor)
    account.deliver(mail(3), "Beruf")
    batches, cursor = await pulled(account, cursor)
    assert ids(batches) == ["m3@example.org"]


async def test_another_folder_of_the_same_uidvalidity_is_no_new_name(account: Account) -> None:
    """The mail that was read last in the old one must lie in it, under the same UID."""
    account.doveadm("mailbox create", "Arbeit")
    account.deliver(mail(1), "Arbeit")
    account.deliver(mail(3))
    _, cursor = await pulled(account)
    position = AccountPosition.of_text(cursor)
    validity = position.folders[b"Arbeit"].uidvalidity
    account.doveadm("mailbox delete", "-s", "Arbeit")
    account.doveadm("mailbox create", "Beruf")
    account.doveadm("mailbox update", "--uid-validity", str(validity), "Beruf")
    account.deliver(mail(2), "Beruf")
    batches, _ = await pulled(account, cursor)
    assert [each for batch in batches for each in batch.renames] == []
    gone, new = [each for batch in batches for each in batch.contents]
    assert ((gone.folder, gone.numbers), (new.folder, new.validity)) == (("Arbeit", ()), ("Beruf", validity))
    assert ids(batches) == ["m2@example.org"]


async def test_what_lies_where(account: Account) -> None:
    """Each mail of a batch with its folder, number and marks; what went is told by what is left, and only where something went."""
    for number in range(1, 4):
        account.deliver(mail(number))
    account.doveadm("flags add", "\\Flagged", "mailbox", "INBOX", "uid", "2")
    batches, cursor = await pulled(account)
    members = [each for batch in batches for each in batch.members]
    assert [(each.folder, each.number, each.message) for each in members] == [
        ("INBOX", number, f"m{number}@example.org") for number in range(1, 4)
    ]
    assert [each.tags for each in members] == [("INBOX",), ("INBOX", "Flagged"), ("INBOX",)]
    account.deliver(mail(4))
    batches, cursor = await pulled(account, cursor)
    assert (ids(batches), [each for batch in batches for each in batch.contents]) == (["m4@example.org"], [])
    account.doveadm("expunge", "mailbox", "INBOX", "uid", "2")
    account.deliver(mail(5))
    batches, cursor = await pulled(account, cursor)
    assert (ids(batches), gone(batches)) == (["m5@example.org"], ([((2, 2),)], []))
    account.doveadm("expunge", "mailbox", "INBOX", "uid", "5")
    batches, cursor = await pulled(account, cursor)
    assert (ids(batches), gone(batches)) == ([], ([((5, 5),)], []))
    assert await pulled(account, cursor) == ([], cursor)


async def test_what_went_where_the_server_does_not_tell(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without QRESYNC what is left is told."""

    async def without(_: Connection, extension: str) -> None:
        assert extension == "QRESYNC"

    monkeypatch.setattr(Connection, "enable", without)
    for number in range(1, 5):
        account.deliver(mail(number))
    _, cursor = await pulled(account)
    account.doveadm("expunge", "mailbox", "INBOX", "uid", "2")
    account.deliver(mail(5))
    batches, cursor = await pulled(account, cursor)
    assert (ids(batches), gone(batches)) == (["m5@example.org"], ([], [((1, 1), (3, 5))]))
    assert await pulled(account, cursor) == ([], cursor)


@pytest.mark.parametrize("counts", [True, False], ids=["CONDSTORE", "without"])
async def test_marks_of_mails_that_were_read(
    account: Account, monkeypatch: pytest.MonkeyPatch, *, counts: bool
) -> None:
    """A flag is a tag as long as it is there; a mail that is marked as deleted, or as a draft, has no tags, and one that is not so
    any more is read. A mark that is no tag changes nothing.
    """
    if not counts:
        monkeypatch.setattr(folders, "counts_changes", _never)
        monkeypatch.setattr(folder_reading, "open_folder", _without_modseq)
    for number in range(1, 5):
        account.deliver(mail(number))
    account.doveadm("flags add", "\\Deleted", "mailbox", "INBOX", "uid", "3:4")
    batches, cursor = await pulled(account)
    assert ids(batches) == ["m1@example.org", "m2@example.org"]
    sent = iter(range(50, 100))

    async def changed(what: str, flag: str, uids: str) -> tuple[list[str], dict[int, tuple[str, ...]]]:
        nonlocal cursor
        account.doveadm(f"flags {what}", flag, "mailbox", "INBOX", "uid", uids)
        if not counts:  # a mark alone is not seen there
            account.deliver(mail(next(sent)))
        batches, cursor = await pulled(account, cursor)
        found = [each for each in ids(batches) if len(each) == len("m1@example.org")]
        return found, {each.number: each.tags for batch in batches for each in batch.tags}

    assert await changed("add", "\\Flagged", "1") == ([], {1: ("INBOX", "Flagged")})
    seen = {2: ("INBOX",)} if counts else {}
    assert await changed("add", "\\Seen", "2") == ([], seen)
    assert await changed("remove", "\\Flagged", "1") == ([], {1: ("INBOX",)})
    assert await changed("add", "\\Draft", "2") == ([], {2: ()})
    back, told = await changed("remove", "\\Draft", "2")
    assert (back, told) == (["m2@example.org"], seen)
    back, told = await changed("remove", "\\Deleted", "4")
    assert (back, told) == (["m4@example.org"], {4: ("INBOX",)} if counts else {})
    assert await pulled(account, cursor) == ([], cursor)


def _never(_: Connection) -> bool:
    return False


async def _without_modseq(connection: Connection, folder: ListedFolder) -> OpenFolder:
    return replace(await open_folder(connection, folder), modseq=None)


async def test_a_mail_that_cannot_be_read(account: Account) -> None:
    """It is named by its folder and UID; the others come, and it is not tried again."""
    account.deliver(mail(1))
    account.deliver(b"Subject: no date\r\n\r\ntext\r\n")
    large = mail(3) + b"large words \r\n" * 1_300_000
    account.deliver(large)
    account.deliver(mail(4))
    batches, cursor = await pulled(account)
    assert ids(batches) == ["m1@example.org", "m4@example.org"]
    assert [each.locator for batch in batches for each in batch.rejected] == ["imap:INBOX:2", "imap:INBOX:3"]
    assert await pulled(account, cursor) == ([], cursor)


async def test_through_the_daemon(tmp_path: Path, account: Account) -> None:
    """A thread over two runs and two folders is one document; reading everything again adds nothing."""
    answer = b"In-Reply-To: <m1@example.org>\r\nReferences: <m1@example.org>\r\n"
    account.deliver(mail(1))
    account.deliver(mail(2, answer), "Sent")
    plain = {
        "data_dir": tmp_path / "data",
        "embedding": {"enabled": False},
        "facts": {"extractor": "off"},
        "sources": [{"name": "account", "kind": "scripted"}],
    }
    settings = Settings.model_validate(plain)
    async with open_app(settings, serve=False, connectors={"scripted": lambda _: connector(account)}) as service:
        assert (await synced(service))["added"] == 2
        assert (await synced(service))["processed"] == 0
        account.deliver(mail(3, answer))
        assert (await synced(service))["added"] == 1
        account.deliver(mail(3, answer), "Sent")
        again = await synced(service)
        assert (again["added"], again["outcome"]) == (0, "ok")
        assert (await synced(service, again=True))["added"] == 0
        assert await texts(service) == ["text 1\n", "text 2\n", "text 3\n"]
        document = await service.document("mail:m1@example.org")
        assert sorted(document["tags"]) == ["INBOX", "Sent"]
