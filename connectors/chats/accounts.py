"""The accounts of an export by their ids: one account, one name; and which of them is the user's. Pure."""

from __future__ import annotations

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER

_KNOWN = 200_000
"""Accounts whose names are remembered."""
_ID, _HANDLE, _NAME = 3, 2, 1


class Accounts:
    """Gives each account its display name; a second account of the same name gets its handle, or its id, behind it.

    The user is the account that ``me`` names by id, handle or display name (in this order), else the one that the export
    names so as its maker. Lists of accounts should be learned before the first message is read.
    """

    def __init__(self, me: str | None, maker: str = "") -> None:
        """``maker``: the id, handle or name of the person who made the export, as the export states it."""
        self._wanted = me or maker
        self._me = self._wanted.casefold()
        self._user = ""
        self._rank = 0
        self._names: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        self._named: set[str] = set()
        """The accounts whose display name is the one given as the user's."""

    @property
    def user(self) -> str:
        """Return the user's name; the placeholder if the user is unknown."""
        if self.ambiguous:
            return UNKNOWN_USER
        return self._names.get(self._user) or self._wanted or UNKNOWN_USER

    @property
    def ambiguous(self) -> bool:
        """Return whether several accounts have the name given as the user's."""
        return self._rank == _NAME and len(self._named) > 1

    def name_of(self, account: str, shown: str = "", *handles: str) -> str:
        """Return the name of an account.

        Args:
            account: its id; without one, the name stands for itself.
            shown: its display name, where the export has it; counts when the account is first seen.
            handles: other names that are its own alone: of a user, an address.
        """
        settled_name = self._names.get(account)
        if settled_name is not None and account:
            return settled_name
        handles = tuple(handle for handle in handles if handle)
        if not (account or shown or handles):
            return SYSTEM_SPEAKER
        name = self._free(_safe(shown or next(iter(handles), account)), account, handles)
        if not account:
            return name
        self._recognise(account, shown, handles)
        if len(self._names) < _KNOWN:
            self._names[account] = name
            self._owners.setdefault(name, account)
        return name

    def known(self, account: str) -> str:
        """Return the learned name of an account; for others the id, without recording it as a name."""
        return self._names.get(account, account)

    def _recognise(self, account: str, shown: str, handles: tuple[str, ...]) -> None:
        """Note whether this is the user's account."""
        if not self._me:
            return
        if shown.casefold() == self._me:
            self._named.add(account)
        rank = 0
        if account.casefold() == self._me:
            rank = _ID
        elif any(handle.casefold() == self._me for handle in handles):
            rank = _HANDLE
        elif shown.casefold() == self._me:
            rank = _NAME
        if rank > self._rank:
            self._user, self._rank = account, rank

    def _free(self, shown: str, account: str, handles: tuple[str, ...]) -> str:
        if self._owners.get(shown, account) == account:
            return shown
        for handle in (*handles, account):
            name = f"{shown} ({handle})"
            if handle and handle != shown and self._owners.get(name, account) == account:
                return name
        return f"{shown} ({account or 'another'})"


def _safe(name: str) -> str:
    """Nobody is called like the reserved speakers."""
    return f"{name} (name)" if name == UNKNOWN_USER or name.strip() == SYSTEM_SPEAKER else name
