"""The speakers of messages: display names, made unique by ids."""

from __future__ import annotations

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from .chats import DELETED

_RESERVED = "reserved"


class Speakers:
    """The names of one chat. People who share a name, and deleted accounts, are distinguished by their ids."""

    def __init__(self, user: str | None, user_id: str) -> None:
        """``user`` is the exporter's name and ``user_id`` the exporter's id (``user42``), as far as they are known."""
        self._user_id = user_id
        self._known: dict[tuple[str, str], str] = {}
        self._owners = {SYSTEM_SPEAKER: _RESERVED, UNKNOWN_USER: _RESERVED}
        self._peers: dict[str, str] = {}
        if user and user_id:
            self._owners[user] = self._peers[user] = user_id
            self._user = user
        else:
            self._user = ""

    def name(self, name: str, peer: str) -> str:
        """Return the speaker for a display name and an id, either of which may be empty."""
        settled_name = self._known.get((name, peer))
        if settled_name is None:
            settled_name = self._known[name, peer] = self._new(name, peer)
            if peer:
                self._peers[settled_name] = peer
        return settled_name

    def peer_of(self, name: str) -> str:
        """Return the id behind a speaker; empty if unknown."""
        return self._peers.get(name, "")

    def _new(self, name: str, peer: str) -> str:
        if peer and peer == self._user_id and self._user:
            return self._user
        if not name.strip():
            return f"{DELETED} ({peer})" if peer else DELETED
        owner = self._owners.setdefault(name, peer)
        if owner == peer or (not peer and owner != _RESERVED):
            return name
        if not owner:
            self._owners[name] = peer  # the name was met without its id before
            return name
        return f"{name} ({peer or 'another'})"
