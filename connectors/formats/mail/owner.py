"""Finds the owner of a mailbox, from sent mail and from the addresses that servers delivered to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from .documents import User
from .headers import Address, Headers, addresses

_MOST = 10_000
"""The largest number of different addresses that are counted."""
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
"""The headers that help to find the owner of a mailbox."""
_FOR = re.compile(r"\bfor\s+<?([^\s<>;@]+@[^\s<>;]+)>?\s*;")
_SHARE = 0.2
"""The smallest share of delivered mail for an owner's address; rarer ones are another person's, or a list's."""


@dataclass(slots=True)
class OwnerEvidence:
    """Counts the evidence for the owner."""

    sent: Counter[str] = field(default_factory=Counter[str])
    delivered: Counter[str] = field(default_factory=Counter[str])
    names: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """The addresses and names of recipients that may be the owner."""
    me: frozenset[str] = frozenset()
    """The names and addresses, in lower case, that the user gave as the owner's."""

    def add(self, headers: Headers, sender: str, to: Sequence[Address], *, sent: bool) -> None:
        """Count one mail; ``sent``: whether it is in the owner's sent mail."""
        if sent and sender:
            if len(self.sent) < _MOST or sender in self.sent:
                self.sent[sender] += 1
        else:
            for address in _recipients(headers):
                if len(self.delivered) < _MOST or address in self.delivered:
                    self.delivered[address] += 1
        for each in to[:10]:
            is_owner = each.address in self.delivered or each.address in self.me or each.name.casefold() in self.me
            if is_owner and each.name and each.address and len(self.names) < _MOST:
                self.names[each.address, each.name] += 1

    def addresses_of(self, name: str) -> list[str]:
        """Return the addresses of recipients with this name."""
        return list(dict.fromkeys(address for address, each in self.names if each.casefold() == name.casefold()))

    def name_of(self, addresses: Collection[str]) -> str:
        """Return the name most often used for recipients with these addresses; empty if they have none."""
        return next((name for (address, name), _ in self.names.most_common() if address in addresses), "")

    def addresses(self) -> list[str]:
        """Return the owner's addresses, the most used first; empty without evidence."""
        # A few mails among the sent ones may be by others, such as one that was moved there.
        least = max(self.sent.values(), default=0) * 0.05
        addresses_by_count = [address for address, count in self.sent.most_common() if count >= least]
        total = self.delivered.total()
        if total:
            most = [(address, count) for address, count in self.delivered.most_common(20) if count >= total * _SHARE]
            if addresses_by_count:
                addresses_by_count += [address for address, count in most if count >= total * 0.5]
            else:
                addresses_by_count += [address for address, _ in most[:1]]
        return list(dict.fromkeys(addresses_by_count))


def _recipients(headers: Headers) -> set[str]:
    """Return the addresses to which the servers delivered a mail."""
    for name in _DELIVERED:
        if name not in headers.fields:
            continue
        recipients = {each.address for each in headers.addresses(name) if each.address}
        if recipients:
            return recipients
    for value in headers.fields.get("received", ())[:2]:
        named = _FOR.search(value[:2000].decode("latin-1"))
        if named is not None:
            return {named[1].lower()}
    return set()


def parts_of(me: str) -> list[str]:
    """Split the names and addresses that the user gave as the owner's."""
    return [part for each in re.split(r"[,;]", me) if (part := each.strip())]


def named_user(
    me: str, addresses_of: Callable[[str], Sequence[str]], name_of: Callable[[Sequence[str]], str]
) -> tuple[User, bool]:
    """Return the user from the given names or addresses, and whether one of them occurs in the mails.

    Args:
        me: the given names and addresses, separated by commas.
        addresses_of: returns the addresses from which a person of this name writes.
        name_of: returns the name that is used with these addresses.
    """
    result: dict[str, None] = {}
    name = ""
    for part in parts_of(me):
        if "@" in part:
            for each in addresses(part):
                result[each.address] = None
                name = name or each.name
        else:
            name = name or part
            result.update(dict.fromkeys(addresses_of(part)))
    shown = name_of(list(result)) if result else ""
    return User(name or shown or next(iter(result), me), frozenset(result)), bool(shown)
