"""The people of exports of phones: a number is a person, and all numbers of one contact are one. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256

from ...schemas.identity_links import mail_link, phone_link
from .accounts import Accounts

_DIGITS = re.compile(r"\D+", re.ASCII)
_NO_NUMBER = re.compile(r"[^\W\d_]|@")
_TWO_DIGITS = frozenset(map(str, [20, 27, *range(30, 35), 36, 39, 40, 41, *range(43, 50), *range(51, 59), *range(60, 67), 81, 82, 84, 86, *range(90, 96), 98]))  # fmt: skip
"""Country codes of two digits; those that begin with 1 and 7 have one, all others three."""
_LONGEST_NATIONAL = 11
_NOBODY = frozenset({"", "-1", "-2", "-3", "insert-address-token"})
"""Numbers that Android writes for withheld and unknown ones, and for the phone itself."""
_UNNAMED = frozenset({"", "null", "(unknown)"})


@lru_cache(maxsize=10_000)
def number_key(written: str) -> str:
    """Return a number without its country code and signs, so that all ways to write it are one; a name or an address in
    small letters; empty for nobody.
    """
    written = written.strip()
    if written in _NOBODY:
        return ""
    if _NO_NUMBER.search(written):
        return written.casefold()
    digits = _DIGITS.sub("", written)
    if written.startswith(("+", "00")):
        digits = digits.removeprefix("00")
        digits = digits[1 if digits[:1] in ("1", "7") else 2 if digits[:2] in _TWO_DIGITS else 3 :]
    if len(digits) == _LONGEST_NATIONAL and digits[0] in "18":  # a long distance prefix, as in North America and Russia
        digits = digits[1:]
    return digits.lstrip("0") or written


def chat_of_numbers(keys: list[str]) -> str:
    """Return the key of the chat with people, by the sorted keys of their numbers."""
    if len(keys) > 1:
        return f"group-{sha256('~'.join(keys).encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
    return keys[0] if keys else "unknown"


def message_id(moment: str, content: str, *, by_user: bool) -> str:
    """Return an id that every export gives a message without one: of its moment, its direction and its words."""
    words = sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{moment}.{'sent' if by_user else 'received'}.{words}"


class Contacts:
    """Names people by their contact, else by their number as it was written first."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts
        self._contacts: dict[str, str] = {}
        self._links: dict[str, set[str]] = {}

    def learn(self, written: str, contact: str) -> str:
        """Return the name of a person."""
        key, contact = number_key(written), contact.strip()
        if contact.casefold() not in _UNNAMED:
            self._contacts.setdefault(key, contact)
        contact = self._contacts.get(key, "")
        name = self._accounts.name_of(contact or key, contact or written.strip())
        if link := phone_link(written) or mail_link(written):
            self._links.setdefault(name, set()).add(link)
        return name

    def links(self, name: str) -> list[str]:
        """Return the numbers and addresses of a person."""
        return sorted(self._links.get(name, ()))
