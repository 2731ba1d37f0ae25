"""Who wrote a message: display names, kept apart by the ids behind them."""

from __future__ import annotations

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from .chats import DELETED

_RESERVED = "reserved"


class Speakers:
    """The names of one chat. Two people of one name, and all whose accounts are gone, are told apart by their ids."""

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
        """The speaker for a display name and an id, either of which may be empty."""
        known = self._known.get((name, peer))
        if known is None:
            known = self._known[name, peer] = self._new(name, peer)
            if peer:
                self._peers[known] = peer
        return known

    def peer_of(self, name: str) -> str:
        """The id behind a name that was given out; empty where none is known."""
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
            self._owners[name] = peer  # it was met without its id until now
            return name
        return f"{name} ({peer or 'another'})"
