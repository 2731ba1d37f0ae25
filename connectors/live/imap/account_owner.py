"""Find the owner of an account, as exports of mail do: by sent mails and by the addresses to which servers delivered.
Done once, before the first mail is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from ...formats.mail.documents import User
from ...formats.mail.headers import parse_headers
from ...formats.mail.owner import OWNER_FIELDS, OwnerEvidence, named_user, parts_of
from .commands import Command
from .connection import Connection, Done
from .folders import ListedFolder
from .frames import Literal
from .open_folder import open_folder
from .refusals import CommandRefusedError, is_throttled, refused_command
from .responses import Fetch

MOST = 200
"""Mails of a folder whose headers are looked at, the newest."""
_AT_ONCE = 50
"""Mails of one command."""
_MOST_NAMES = 1000


@dataclass(slots=True)
class _Seen:
    """The evidence of an account's owner in the headers seen so far."""

    login: str
    evidence: OwnerEvidence
    names: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Addresses and names of senders."""

    def add(self, header: bytes, *, sent: bool) -> None:
        headers = parse_headers(header)
        sender = next((each for each in headers.addresses("from") if each.address), None)
        address = sender.address if sender else ""
        if sender is not None and sender.name and len(self.names) < _MOST_NAMES:
            self.names[sender.address, sender.name] += 1
        self.evidence.add(headers, address, headers.addresses("to"), sent=sent or address == self.login.lower())

    def name_of(self, addresses: Sequence[str]) -> str:
        matches = (name for (address, name), _ in self.names.most_common() if address in addresses)
        return next(matches, "") or self.evidence.name_of(addresses)

    def addresses_of(self, name: str) -> list[str]:
        matches = [address for address, each in self.names if each.casefold() == name.casefold()]
        return list(dict.fromkeys([*matches, *self.evidence.addresses_of(name)]))


async def find_user(connection: Connection, folders: Iterable[ListedFolder], login: str, me: str | None) -> User:
    """Return the user of an account.

    Args:
        connection: that is logged in.
        folders: that are read.
        login: whom the server knows the account by.
        me: names and addresses that a person said, with commas between them.

    Raises:
        RateLimitError: the server wants to be asked later.
        UnavailableError: the connection is broken.
    """
    seen = _Seen(login, OwnerEvidence(me=frozenset(part.casefold() for part in parts_of(me or ""))))
    every = list(folders)
    for folder in [each for each in every if each.sent or each.name.upper() == b"INBOX"] or every[:1]:
        try:
            await _look(connection, folder, seen)
        except CommandRefusedError:  # it is told when its mails are read
            continue
    login_addresses = [login.lower()] if "@" in login else []
    if me:
        named, _ = named_user(me, seen.addresses_of, seen.name_of)
        return User(named.name, named.addresses | {*login_addresses})
    addresses = list(dict.fromkeys([*login_addresses, *seen.evidence.addresses()]))
    return User(seen.name_of(addresses) or next(iter(addresses), login), frozenset(addresses))


async def _look(connection: Connection, folder: ListedFolder, seen: _Seen) -> None:
    messages = (await open_folder(connection, folder)).messages
    items = f"(BODY.PEEK[HEADER.FIELDS ({' '.join(OWNER_FIELDS).upper()})])".encode()
    commands = [
        Command.of(b"FETCH", b"%d:%d" % (first, min(messages, first + _AT_ONCE - 1)), items)
        for first in range(max(1, messages - MOST + 1), messages + 1, _AT_ONCE)
    ]
    async with aclosing(connection.pipeline(commands)) as responses:
        async for each in responses:
            if isinstance(each, Fetch):
                # Each server writes the names of the fields in its own way.
                for header in (each.section(name) for name in each.items if name.startswith("BODY[HEADER.FIELDS")):
                    if header is not None:
                        seen.add(header.data if isinstance(header, Literal) else header, sent=folder.sent)
            elif isinstance(each, Done) and is_throttled(each.status):
                raise refused_command("FETCH", each.status)
