"""Names the accounts of Discord in one chat: each account has one name, each name one account. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ....schemas import UNKNOWN_USER
from ....schemas.identity_links import account_link
from ...text.json_fields import id_of, object_of, words_of

UNKNOWN_AUTHOR = "Unknown"


@dataclass(slots=True)
class Exporter:
    """The exporter as named by the user, and the first account that matches this name."""

    me: str | None
    account: str | None = None
    shown: str = ""
    """The display name of the account."""

    @property
    def name(self) -> str | None:
        """The exporter's name in documents: the account's display name, else ``me``."""
        return self.shown or self.me

    def look(self, accounts: Iterable[dict[str, Any]]) -> bool:
        """Search accounts for the exporter by id, handle or name; return whether the exporter's account is known."""
        for account in accounts:
            if self.account is not None or self.me is None:
                break
            account_id, handle, shown, full = _called(account)
            if self.me.casefold() in {name.casefold() for name in (account_id, handle, shown, full)}:
                self.account = account_id
                self.shown = shown or account_id
        return self.account is not None


class Names:
    """Gives each account of a chat its display name; a second account of the same name gets its handle in brackets."""

    def __init__(self, exporter: Exporter) -> None:
        self._exporter = exporter
        self._names: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        self._links: dict[str, list[str | None]] = {}
        if exporter.name is not None:
            self._owners[exporter.name] = "the exporter"  # reserves the name

    @property
    def user(self) -> str:
        """The exporter's name in documents."""
        return self._exporter.name or UNKNOWN_USER

    def name_of(self, account: dict[str, Any]) -> str:
        """Return the name of an account as described in an export; the exporter has the same name in every chat."""
        account_id = id_of(account.get("id"))
        settled_name = self._names.get(account_id)
        if settled_name is not None and account_id:
            return settled_name
        _, _, shown, full = _called(account)
        if self._exporter.account is not None and self._exporter.account == account_id:
            name = str(self._exporter.name)
        else:
            name = self._free(shown or account_id or UNKNOWN_AUTHOR, full, account_id)
        self._owners.setdefault(name, account_id)
        self._names[account_id] = name
        self._links[name] = [account_link(account_id), handle_link(full)]
        return name

    def links(self, name: str) -> list[str | None]:
        """Return the links of the account with this name: its id, its handle."""
        return self._links.get(name, [])

    def resolved(self, mentions: list[Any]) -> dict[str, str]:
        """Return the names of mentioned accounts by their ids."""
        result: dict[str, str] = {}
        for mention in mentions:
            account = object_of(mention)
            if account_id := id_of(account.get("id")):
                result[account_id] = self.name_of(account)
        return result

    def _free(self, shown: str, full: str, account: str) -> str:
        for name in (shown, f"{shown} ({full})" if full and full != shown else "", f"{shown} ({account})"):
            if name and self._owners.get(name, account) == account:
                return name
        return f"{shown} ({account or 'another'})"


def handle_of(account: dict[str, Any]) -> str:
    """Return the user name, with the number that old accounts have."""
    handle = words_of(account.get("name")) or words_of(account.get("username"))
    number = id_of(account.get("discriminator"))
    return f"{handle}#{number}" if number.strip("0") else handle


def handle_link(full: str) -> str | None:
    """Return a handle as a link, such as ``@ann_99``, or ``@ann#1234`` of an old account; None without one."""
    return account_link(f"@{full}") if full else None


def _called(account: dict[str, Any]) -> tuple[str, str, str, str]:
    """Return an account's id, its handle, its display name, and its handle with the number that old accounts have."""
    handle = words_of(account.get("name"))
    return id_of(account.get("id")), handle, words_of(account.get("nickname")) or handle, handle_of(account)
