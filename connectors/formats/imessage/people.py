"""Who is behind the addresses of Messages, which knows no names. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ....schemas.identity_links import mail_link, phone_link

UNKNOWN_SENDER = "unknown sender"


class People:
    """Names everybody by the address; the user by what was given, else by the account that most was sent from."""

    def __init__(self, handles: Mapping[int, str], me: str | None, account: str) -> None:
        self.user = me or account or UNKNOWN_USER
        self._handles = handles
        self._account = account
        self._own = {address.casefold() for address in (me, account) if address}
        self.seen_me = False

    def sender(self, row: Mapping[str, Any], chat: str) -> str:
        """Who wrote a message, or did what it tells of.

        Args:
            row: of the table of messages.
            chat: the address of the other one in a chat of two; empty in a group.
        """
        if row["is_from_me"] == 1:
            self.seen_me = True
            return self.user
        return self.named(row["handle_id"]) or chat or UNKNOWN_SENDER

    def links(self, name: str) -> list[str | None]:
        """The account of the user, whose name may be any; everybody else's name is the address."""
        return [mail_link(self._account), phone_link(self._account)] if name == self.user else []

    def named(self, handle: object) -> str:
        """The person of a handle's number; empty where there is none."""
        address = self._handles.get(handle, "") if isinstance(handle, int) else ""
        if address.casefold() in self._own:
            return self.user
        return f"{address} " if address in (SYSTEM_SPEAKER, UNKNOWN_USER) else address
