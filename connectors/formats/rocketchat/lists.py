"""Collects people, rooms and earlier wordings of messages, by their ids in Rocket.Chat."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...chats.accounts import Accounts
from ...text.json_fields import list_of, object_of, text_of, words_of
from .records import key_of

_VERSIONS = 200_000
_AUTHORS = 200_000
_KINDS = {"c": "public", "p": "private", "d": "dm", "l": "livechat", "v": "voip"}


@dataclass(slots=True)
class Lists:
    """The people, rooms and earlier wordings, by id."""

    people: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    ids: dict[str, str] = field(default_factory=dict[str, str])
    """The ids by user name: reactions contain only user names."""
    programs: set[str] = field(default_factory=set[str])
    rooms: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    versions: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    """The earlier wordings by message, which servers keep if they are configured to."""
    left_out: int = 0
    _held: int = 0

    def person(self, row: dict[str, Any]) -> None:
        """Add a user."""
        account, handle = key_of(row.get("_id")), words_of(row.get("username"))
        addresses = [words_of(object_of(each).get("address")) for each in list_of(row.get("emails"))]
        if account:
            self.people[account] = (
                words_of(row.get("name")) or handle,
                handle,
                f"@{handle}" if handle else "",
                *addresses,
            )
            self.ids.setdefault(handle, account)
        if words_of(row.get("type")) in ("bot", "app") or "bot" in list_of(row.get("roles")):
            self.programs.add(account)

    def author(self, row: dict[str, Any]) -> None:
        """Add the author of a message. Needed where no list of users exists: reactions contain only user names."""
        writer = object_of(row.get("u"))
        account, handle = key_of(writer.get("_id")), words_of(writer.get("username"))
        if account and handle and handle not in self.ids and len(self.ids) < _AUTHORS:
            self.ids[handle] = account
            self.people.setdefault(account, (words_of(writer.get("name")) or handle, handle, f"@{handle}"))

    def room(self, row: dict[str, Any]) -> None:
        """Add the fields of a room that are used."""
        kept = ("t", "name", "fname", "usernames", "topic")
        self.rooms[key_of(row.get("_id"))] = {key: row[key] for key in kept if key in row}

    def version(self, row: dict[str, Any]) -> None:
        """Add an earlier wording."""
        parent = key_of(row.get("parent"))
        if row.get("_hidden") is not True or not parent:
            return
        self._held += 1
        if self._held > _VERSIONS:
            self.left_out += 1
            return
        kept = {"msg": text_of(row.get("msg")), "editedAt": row.get("editedAt"), "ts": row.get("ts")}
        self.versions.setdefault(parent, []).append(kept)

    def tell(self, accounts: Accounts) -> None:
        """Register the names of all people."""
        for account, names in self.people.items():
            accounts.name_of(account, *names)

    def name_of(self, handle: str, accounts: Accounts) -> str:
        """Return the display name of a user name."""
        return accounts.name_of(self.ids.get(handle, handle), handle)

    def metadata(self, rid: str, accounts: Accounts) -> dict[str, str]:
        """Return the metadata of a room."""
        room = self.rooms.get(rid, {})
        title = words_of(room.get("fname")) or words_of(room.get("name"))
        handles = [handle for each in list_of(room.get("usernames")) if (handle := words_of(each))]
        if not title and handles:
            names = [self.name_of(handle, accounts) for handle in handles[:20]]
            title = ", ".join(name for name in names if name != accounts.user) or accounts.user
        kind = _KINDS.get(words_of(room.get("t")), "")
        if kind == "dm" and len(handles) > 2:
            kind = "group"
        return {"title": title or rid} | ({"channel_type": kind} if kind else {})
