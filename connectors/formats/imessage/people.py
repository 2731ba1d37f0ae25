"""Names the people behind the addresses of Messages, which stores no names. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ....schemas.identity_links import mail_link, phone_link

UNKNOWN_SENDER = "unknown sender"


class People:
    """Names everybody by address; the user by the given name, else by the account that most messages were sent from."""

    def __init__(self, handles: Mapping[int, str], me: str | None, account: str) -> None:
        self.user = me or account or UNKNOWN_USER
        self._handles = handles
        self._account = account
        self._own = {address.casefold() for address in (me, account) if address}
        self.seen_me = False

    def sender(self, row: Mapping[str, Any], chat: str) -> str:
        """Return the author of a message, or the actor of an event.

        Args:
            row: a row of the table of messages.
            chat: the address of the other person in a chat of two; empty in a group.
        """
        if row["is_from_me"] == 1:
            self.seen_me = True
            return self.user
        return self.named(row["handle_id"]) or chat or UNKNOWN_SENDER

    def links(self, name: str) -> list[str | None]:
        """Return the links of the user's account if ``name`` is the user's; other names are addresses and need none."""
        return [mail_link(self._account), phone_link(self._account)] if name == self.user else []

    def named(self, handle: object) -> str:
        """Return the name of the person with this handle number; empty if it is unknown."""
        address = self._handles.get(handle, "") if isinstance(handle, int) else ""
        if address.casefold() in self._own:
            return self.user
        return f"{address} " if address in (SYSTEM_SPEAKER, UNKNOWN_USER) else address
