"""Reads Hangouts, the predecessor of Google Chat: one file with all conversations, their events one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from io import BufferedReader
from typing import Any

from ....schemas import UNKNOWN_USER, Rejected
from ...chats.export_files import read_text, with_list
from ...chats.json_messages import parsed_message
from ...chats.notices import user_unknown
from ...chats.ordered_days import OrderedDays
from ...connector import Member, ReadOptions, Record
from ...opening.attached_files import AttachedFiles
from ...text.json_fields import list_of, object_of, words_of
from ...text.json_stream import Element, JSONStream, Started
from ...text.json_stream import Field as JSONField
from .hangouts_event import EventReader, person_id
from .people import Names

SOURCE = "google_chat"
_PATHS = (("conversations", "*", "events"), ("conversation_state", "*", "conversation_state", "event"))
"""The paths of the events, in newer and in older exports."""
_TITLED = 20


class Hangouts:
    """Reads one file. ``seen`` is whether the user wrote in it, ``unknown`` the number of events of unknown types."""

    def __init__(self, member: Member, options: ReadOptions, beside: AttachedFiles) -> None:
        self.seen = False
        self.unknown = 0
        self._member = member
        self._options = options
        self._unnamed = False
        self._held = partial(beside.has, folder=member.name.rpartition("/")[0])

    def records(self, *, alone: bool) -> Iterator[Record]:
        """Yield the day documents of every conversation, in order of the local days.

        Raises:
            SourceError: the file is ``alone`` and cannot be opened.
        """
        yield from read_text(self._member, self._conversations, alone=alone)
        if self._unnamed:
            yield user_unknown(self._member.locator, "a conversation does not say whose it is")

    def _conversations(self, stream: BufferedReader) -> Iterator[Record]:
        locator = self._member.locator
        described: dict[str, dict[str, Any]] = {}
        reader: EventReader | None = None
        days: OrderedDays | None = None
        user = ""
        events = JSONStream(stream.read1, _PATHS, parsed_message, genuine=_is_event).events()
        for event in with_list(events, locator, "events"):
            if isinstance(event, JSONField) and event.key == "conversation":
                described = {event.holder: object_of(event.value)}
            elif isinstance(event, Started):
                yield from self._close(days, reader, user)
                reader, days, user = self._begin(described.get(event.holder, {}), event.holder)
            elif isinstance(event, Element) and reader is not None and days is not None:
                result = reader.read(object_of(event.value))
                if isinstance(result, str):
                    yield Rejected(locator=f"{locator}#{event.pointer}", reason=result)
                else:
                    yield from days.add(result, f"{locator}#{event.pointer}")
            elif isinstance(event, Rejected):
                yield event
        yield from self._close(days, reader, user)

    def _begin(self, described: dict[str, Any], holder: str) -> tuple[EventReader, OrderedDays, str]:
        inner = object_of(described.get("conversation")) or described
        key = words_of(object_of(described.get("conversation_id") or inner.get("id")).get("id"))
        people = [object_of(entry) for entry in list_of(inner.get("participant_data"))]
        members = [{"email": person_id(each.get("id")), "name": each.get("fallback_name")} for each in people]
        names = Names({"members": members})
        state = object_of(object_of(inner.get("self_conversation_state")).get("self_read_state"))
        account = person_id(state.get("participant_id"))
        me = self._options.me
        user = names.given(me) if me else (names.name_of({"email": account}) if account else UNKNOWN_USER)
        self._unnamed = self._unnamed or user == UNKNOWN_USER
        others = ", ".join([name for name in names.listed if name != user][:_TITLED])
        direct = words_of(inner.get("type")).endswith("ONE_TO_ONE")
        metadata = {
            "title": words_of(inner.get("name")) or others or key or holder,
            "channel_type": "dm" if direct else "group",
            "platform": "hangouts",
        }
        days = OrderedDays(SOURCE, key or others or holder, user, metadata)
        return EventReader(names, self._options.zone, self._held), days, user

    def _close(self, days: OrderedDays | None, reader: EventReader | None, user: str) -> Iterator[Record]:
        if days is not None and reader is not None:
            yield from days.close()
            self.seen = self.seen or user in reader.speakers
            self.unknown += reader.unknown


def _is_event(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    event = object_of(value)
    return "timestamp" in event and "sender_id" in event
