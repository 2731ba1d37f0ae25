"""Whose mailbox it is: by what was sent, and by the address that servers delivered to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from .documents import User
from .headers import Address, Headers, addresses

_MOST = 10_000
"""Different addresses that are counted."""
_DELIVERED = (
    "delivered-to",
    "x-original-to",
    "envelope-to",
    "x-envelope-to",
    "x-delivered-to",
    "x-apparently-to",
    "apparently-to",
)
OWNER_FIELDS = ("from", "to", "received", *_DELIVERED)
"""Headers that tell whose mailbox it is."""
_FOR = re.compile(r"\bfor\s+<?([^\s<>;@]+@[^\s<>;]+)>?\s*;")
_SHARE = 0.2
"""An address that less of all delivered mail was for is another one's, or a list's."""


@dataclass(slots=True)
class OwnerEvidence:
    """Counts what tells the owner."""

    sent: Counter[str] = field(default_factory=Counter[str])
    delivered: Counter[str] = field(default_factory=Counter[str])
    names: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Addresses and names of recipients that may be the owner."""
    me: frozenset[str] = frozenset()
    """Names and addresses, in small letters, that a person said are the owner's."""

    def add(self, headers: Headers, sender: str, to: Sequence[Address], *, sent: bool) -> None:
        """Look at one mail; ``sent`` tells that it lies among those that the owner sent."""
        if sent and sender:
            if len(self.sent) < _MOST or sender in self.sent:
                self.sent[sender] += 1
        else:
            for address in _recipients(headers):
                if len(self.delivered) < _MOST or address in self.delivered:
                    self.delivered[address] += 1
        for each in to[:10]:
            known = each.address in self.delivered or each.address in self.me or each.name.casefold() in self.me
            if known and each.name and len(self.names) < _MOST:
                self.names[each.address, each.name] += 1

    def addresses_of(self, name: str) -> list[str]:
        """The addresses at which somebody of this name is written to."""
        return list(dict.fromkeys(address for address, each in self.names if each.casefold() == name.casefold()))

    def name_of(self, found: Collection[str]) -> str:
        """The name by which the owner of some addresses is written to most often; empty when nobody names them."""
        return next((name for (address, name), _ in self.names.most_common() if address in found), "")

    def addresses(self) -> list[str]:
        """The owner's addresses, the most used first; none when nothing tells."""
        # One mail among those sent may be somebody else's, such as one that was moved there.
        least = max(self.sent.values(), default=0) * 0.05
        found = [address for address, count in self.sent.most_common() if count >= least]
        total = self.delivered.total()
        if total:
            most = [(address, count) for address, count in self.delivered.most_common(20) if count >= total * _SHARE]
            if found:
                found += [address for address, count in most if count >= total * 0.5]
            else:
                found += [address for address, _ in most[:1]]
        return list(dict.fromkeys(found))


def _recipients(headers: Headers) -> set[str]:
    """Whom the servers delivered a mail to."""
    for name in _DELIVERED:
        if name not in headers.fields:
            continue
        found = {each.address for each in headers.addresses(name)}
        if found:
            return found
    for value in headers.fields.get("received", ())[:2]:
        named = _FOR.search(value[:2000].decode("latin-1"))
        if named is not None:
            return {named[1].lower()}
    return set()


def parts_of(me: str) -> list[str]:
    """Names and addresses that a person said are the owner's."""
    return [part for each in re.split(r"[,;]", me) if (part := each.strip())]


def named_user(
    me: str, addresses_of: Callable[[str], Sequence[str]], name_of: Callable[[Sequence[str]], str]
) -> tuple[User, bool]:
    """The user by what a person said, names or addresses with commas between them; and whether one of them is in the mails.

    Args:
        me: what was said.
        addresses_of: the addresses that somebody of a name writes from.
        name_of: the name that is used with addresses.
    """
    found: dict[str, None] = {}
    name = ""
    for part in parts_of(me):
        if "@" in part:
            for each in addresses(part):
                found[each.address] = None
                name = name or each.name
        else:
            name = name or part
            found.update(dict.fromkeys(addresses_of(part)))
    shown = name_of(list(found)) if found else ""
    return User(name or shown or next(iter(found), me), frozenset(found)), bool(shown)
