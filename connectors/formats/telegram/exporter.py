"""The exporter: the user who made the export, as it says, as its chats show, or as configured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...text.json_stream import Element, Event, Field, Started
from .accounts import full_name
from .chats import peer_key
from .values import Object, integer_of, object_of, text_of

_LOOKED_AT = 64 << 20
"""The number of bytes of a file in which the exporter is looked for."""


@dataclass(slots=True)
class Exporter:
    """The user, as far as known."""

    name: str = ""
    id: str = ""
    """``user42``."""
    given: bool = False
    """True if the name was configured; the export's own does not replace it."""
    username: str = ""
    """The handle without ``@``, if the export has it."""
    links: tuple[str | None, ...] = ()
    """The identity links from pages, which name no account."""

    def is_called(self, me: str) -> bool:
        """Return whether ``me`` is this person's name, id or handle."""
        wanted = _plain(me)
        ids = (self.id, self.id.removeprefix("user"))
        return wanted in {_plain(each) for each in (self.name, self.username, *ids) if each}

    def learn(self, personal: Object) -> None:
        """Learn the owner from the export's personal information."""
        number = integer_of(personal.get("user_id"))
        self.username = self.username or text_of(personal.get("username")).strip()
        self.take(full_name(personal), f"user{number}" if number else "")

    def take(self, name: str, peer: str) -> None:
        """Set the id, and the name unless it was configured; ignored if the id is known."""
        if peer and not self.id:
            self.id = peer
            if name.strip() and not self.given:
                self.name = name


def called(me: str, authors: Iterable[tuple[str, str]]) -> Exporter | None:
    """Return the first of these authors, pairs of name and id, that ``me`` refers to."""
    for name, peer in authors:
        exporter = Exporter(name, peer, given=True)
        if name.strip() and exporter.is_called(me):
            return exporter
    return None


def _plain(name: str) -> str:
    return name.strip().removeprefix("@").casefold()


def find_exporter(events: Iterable[Event], exporter: Exporter) -> None:
    """Find the exporter at the beginning of a file: in its personal information, or in a chat of two, as the author
    who is not the other person; the author in a chat with oneself is always the exporter.
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
                    return  # a group does not show who exported it
                continue
            is_exporter = writer == f"user{number}"
            if is_exporter if kind == "saved_messages" else (kind in ("personal_chat", "bot_chat") and not is_exporter):
                exporter.take(text_of(message.get("from")), writer)
            elif kind not in ("personal_chat", "bot_chat", "saved_messages") and event.array == "/messages":
                return
