"""Who exported: as the export says, as its chats show, or as was given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...text.json_stream import Element, Event, Field, Started
from .accounts import full_name
from .chats import peer_key
from .values import Object, integer_of, object_of, text_of

_LOOKED_AT = 64 << 20
"""Bytes of a file in which the exporter is looked for."""


@dataclass(slots=True)
class Exporter:
    """The user, as far as known."""

    name: str = ""
    id: str = ""
    """``user42``."""
    given: bool = False
    """The name is what a person said: the export's own does not replace it."""
    username: str = ""
    """``ann``, where the export says it."""
    links: tuple[str | None, ...] = ()
    """What pages, which name no account, tell beside the name."""

    def is_called(self, me: str) -> bool:
        """Whether a person means this one: by the name, the id or the user name."""
        wanted = _plain(me)
        ids = (self.id, self.id.removeprefix("user"))
        return wanted in {_plain(each) for each in (self.name, self.username, *ids) if each}

    def learn(self, personal: Object) -> None:
        """Take what the export says about its owner."""
        number = integer_of(personal.get("user_id"))
        self.username = self.username or text_of(personal.get("username")).strip()
        self.take(full_name(personal), f"user{number}" if number else "")

    def take(self, name: str, peer: str) -> None:
        """Take a name and an id, unless they are known."""
        if peer and not self.id:
            self.id = peer
            if name.strip() and not self.given:
                self.name = name


def called(me: str, authors: Iterable[tuple[str, str]]) -> Exporter | None:
    """The first of these authors, names and ids, whom a person means."""
    for name, peer in authors:
        found = Exporter(name, peer, given=True)
        if name.strip() and found.is_called(me):
            return found
    return None


def _plain(name: str) -> str:
    return name.strip().removeprefix("@").casefold()


def find_exporter(events: Iterable[Event], exporter: Exporter) -> None:
    """Look for the exporter at the beginning of a file: what it says of its owner, or a chat between two, in which
    whoever is not the other one is the exporter; nobody else writes into the chat with oneself.
    """
    fields: dict[str, Object] = {}
    lists: dict[str, str] = {}
    for event in events:
        if exporter.id:
            return
        if isinstance(event, Field):
            if not event.holder and event.key == "personal_information":
                exporter.learn(object_of(event.value))
            fields.setdefault(event.holder, {})[event.key] = event.value
        elif isinstance(event, Started):
            lists[event.pointer] = event.holder
        elif isinstance(event, Element):
            if event.offset > _LOOKED_AT:
                return
            chat = fields.get(lists.get(event.array, ""), {})
            kind, number = chat.get("type"), integer_of(chat.get("id"))
            message = object_of(event.value)
            writer = peer_key(message.get("from_id"))
            if number is None or not writer.startswith("user"):
                if kind not in ("personal_chat", "bot_chat", "saved_messages") and not event.array.startswith("/chats"):
                    return  # a group says nothing about who exported it
                continue
            own = writer == f"user{number}"
            if own if kind == "saved_messages" else (kind in ("personal_chat", "bot_chat") and not own):
                exporter.take(text_of(message.get("from")), writer)
            elif kind not in ("personal_chat", "bot_chat", "saved_messages") and event.array == "/messages":
                return
