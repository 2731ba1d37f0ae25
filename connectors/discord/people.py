"""The names under which accounts of Discord speak in one chat: one account, one name. Pure."""

from __future__ import annotations

from typing import Any

from ..json_fields import id_of, object_of, words_of

UNKNOWN_AUTHOR = "Unknown"


class Names:
    """Gives each account of a chat its display name; a second account of the same name gets its handle behind it."""

    def __init__(self, me: str | None) -> None:
        self._me = me
        self._wanted = me.casefold() if me else None
        self._names: dict[str, str] = {}
        self._owners: dict[str, str] = {} if me is None else {me: ""}
        self.seen_me = False

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
        if self._wanted is not None and self._wanted in {
            each.casefold() for each in (own, handle, shown, full) if each
        }:
            self.seen_me = True
            name = str(self._me)
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
