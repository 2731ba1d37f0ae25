"""Whose account it is, by its mails: the name that the owner writes under, as exports of mail tell it."""

from __future__ import annotations

from datetime import UTC

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.formats.mail.documents import User
from memd.connectors.live.imap.connector import ImapConnector
from memd.connectors.live.imap.cursor import AccountPosition
from memd.tests.connectors.live.imap.dovecot import Account, why_not

_WHY_NOT = why_not()
pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.skipif(bool(_WHY_NOT), reason=_WHY_NOT)]


def mail(number: int, sender: str, to: str, more: str = "") -> bytes:
    """A short mail."""
    head = f"Message-ID: <o{number}@example.org>\r\nDate: Mon, 15 Jan 2024 12:{number:02}:00 +0000\r\n"
    return f"{head}From: {sender}\r\nTo: {to}\r\n{more}Subject: Plans\r\n\r\ntext {number}\r\n".encode()


async def found(account: Account, cursor: str | None = None, me: str | None = None) -> tuple[User | None, str | None]:
    """The user that the account's documents have, and the last cursor."""
    reads = ImapConnector(account.dovecot.server, account.credentials, None, ReadOptions(zone=UTC, me=me))
    names: set[str] = set()
    async for batch in reads.pull(cursor):
        names |= {day.conversation.user or "" for each in batch.documents if (day := each.as_conversation())}
        cursor = batch.cursor or cursor
    user = AccountPosition.of_text(cursor).user
    assert names <= {"" if user is None else user.name}
    return user, cursor


async def test_what_was_sent_tells_the_name(account: Account) -> None:
    """And the address; a mail that comes later under another name changes nothing."""
    account.deliver(mail(1, "Bob <bob@example.org>", "Ann E. <ann@example.org>"))
    for number in (2, 3):
        account.deliver(mail(number, "Ann Example <ann@example.org>", "bob@example.org"), "Sent")
    user, cursor = await found(account)
    assert user == User("Ann Example", frozenset({"ann@example.org"}))
    for number in range(4, 8):
        account.deliver(mail(number, "Dr. Ann <ann@example.org>", "bob@example.org"), "Sent")
    assert (await found(account, cursor))[0] == user


async def test_whom_it_was_delivered_to_tells_where_nothing_was_sent(account: Account) -> None:
    """By the name that others write."""
    more = "Delivered-To: ann@example.org\r\n"
    for number in (1, 2):
        account.deliver(mail(number, "Bob <bob@example.org>", "Ann E. <ann@example.org>", more))
    assert (await found(account))[0] == User("Ann E.", frozenset({"ann@example.org"}))


async def test_what_a_person_said_goes_first(account: Account) -> None:
    """A name, with the addresses that the mails show for it."""
    account.deliver(mail(1, "Bob <bob@example.org>", "Ann <ann@example.org>"))
    account.deliver(mail(2, "Ann <ann@example.org>", "Bob <bob@example.org>"), "Sent")
    assert (await found(account, me="Ann"))[0] == User("Ann", frozenset({"ann@example.org"}))
    assert (await found(account, me="Annie, a2@example.org"))[0] == User("Annie", frozenset({"a2@example.org"}))


async def test_an_empty_account_is_looked_at_later(account: Account) -> None:
    """When its first mail has come."""
    user, cursor = await found(account)
    assert user is None
    account.deliver(mail(1, "Ann Example <ann@example.org>", "bob@example.org"), "Sent")
    assert (await found(account, cursor))[0] == User("Ann Example", frozenset({"ann@example.org"}))
