"""The names under which accounts of Discord speak in one chat: one account, one name. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..json_fields import id_of, object_of, words_of

UNKNOWN_AUTHOR = "Unknown"


@dataclass(slots=True)
class Exporter:
    """Who exported, as somebody said it, and the account that turned out to be it: the first that fits, and no other."""

    me: str | None
    account: str | None = None

    def is_it(self, own: str, names: set[str]) -> bool:
        """Whether an account of these names is the exporter's."""
        if self.me is None or (self.account is not None and self.account != own):
            return False
        if self.me.casefold() not in {name.casefold() for name in names}:
            return False
        self.account = own
        return True


class Names:
    """Gives each account of a chat its display name; a second account of the same name gets its handle behind it."""

    def __init__(self, exporter: Exporter) -> None:
        self._exporter = exporter
        self._names: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        if exporter.me is not None:
            self._owners[exporter.me] = "the exporter"  # nobody else is called so

    def name_of(self, account: dict[str, Any]) -> str:
        """The name of an account as an export describes it; the exporter's is the one that was given."""
        own = id_of(account.get("id"))
        known = self._names.get(own)
        if known is not None and own:
            return known
        handle = words_of(account.get("name"))
        shown = words_of(account.get("nickname")) or handle
        number = words_of(account.get("discriminator"))
        full = f"{handle}#{number}" if number.strip("0") else handle
        if self._exporter.is_it(own, {own, handle, shown, full}):
            name = str(self._exporter.me)
        else:
            name = self._free(shown or own or UNKNOWN_AUTHOR, full, own)
        self._owners.setdefault(name, own)
        self._names[own] = name
        return name

    def resolved(self, mentions: list[Any]) -> dict[str, str]:
        """The names of mentioned accounts by their ids."""
        found: dict[str, str] = {}
        for mention in mentions:
            account = object_of(mention)
            if own := id_of(account.get("id")):
                found[own] = self.name_of(account)
        return found

    def _free(self, shown: str, full: str, own: str) -> str:
        for name in (shown, f"{shown} ({full})" if full and full != shown else "", f"{shown} ({own})"):
            if name and self._owners.get(name, own) == own:
                return name
        return f"{shown} ({own or 'another'})"
