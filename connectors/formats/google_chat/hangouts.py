"""Hangouts, which became Google Chat: one file with all conversations, their events one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....schemas import UNKNOWN_USER, Notice, Rejected
from ....schemas.errors import SourceError
from ....schemas.wire import replaced_text
from ...chats.json_messages import parsed_message
from ...chats.ordered_days import OrderedDays
from ...connector import Member, ReadOptions, Record
from ...errors import refusal
from ...text.json_fields import list_of, object_of, words_of
from ...text.json_stream import Broken, Element, JSONStream, Started
from ...text.json_stream import Field as JSONField
from ...text.unicode import as_utf8
from .hangouts_event import EventReader, person_id
from .people import Names

SOURCE = "google_chat"
_PATHS = (("conversations", "*", "events"), ("conversation_state", "*", "conversation_state", "event"))
"""Of newer and of older exports."""
_TITLED = 20


class Hangouts:
    """Reads one file. ``seen``: whether the user wrote in it; ``unknown``: how many events were of no known type."""

    def __init__(self, member: Member, options: ReadOptions) -> None:
        self.seen = False
        self.unknown = 0
        self._member = member
        self._options = options
        self._unnamed = False

    def records(self, *, alone: bool) -> Iterator[Record]:
        """Every conversation, one local day after the other.

        Raises:
            SourceError: the file is ``alone`` and cannot be opened.
        """
        try:
            stream = self._member.open()
        except SourceError as error:
            if alone:
                raise
            yield refusal(self._member.locator, error)
            return
        with stream:
            text = as_utf8(stream)
            try:
                yield from self._conversations(text.stream)
            except SourceError as error:
                yield refusal(self._member.locator, error)
            if text.replaced:
                yield replaced_text(self._member.locator)
        if self._unnamed:
            hint = f"a conversation does not say whose it is; the user is {UNKNOWN_USER}: --me decides"
            yield Notice(code="user-unknown", locator=self._member.locator, hint=hint)

    def _conversations(self, stream: Any) -> Iterator[Record]:  # noqa: ANN401 - a buffered reader
        locator = self._member.locator
        described: dict[str, dict[str, Any]] = {}
        reader: EventReader | None = None
        days: OrderedDays | None = None
        user, started = "", False
        events = JSONStream(stream.read1, _PATHS, parsed_message, genuine=_is_event).events()
        for event in events:
            if isinstance(event, JSONField) and event.key == "conversation":
                described = {event.holder: object_of(event.value)}
            elif isinstance(event, Started):
                yield from self._close(days, reader, user)
                started = True
                reader, days, user = self._begin(described.get(event.holder, {}), event.holder)
            elif isinstance(event, Element) and reader is not None and days is not None:
                found = reader.read(object_of(event.value))
                if isinstance(found, str):
                    yield Rejected(locator=f"{locator}#{event.pointer}", reason=found)
                else:
                    yield from days.add(found, f"{locator}#{event.pointer}")
            elif isinstance(event, Broken):
                yield Rejected(locator=f"{locator}#{event.pointer}", reason=event.reason)
        yield from self._close(days, reader, user)
        if not started:
            yield Rejected(locator=locator, reason="the file has no list of events")

    def _begin(self, described: dict[str, Any], holder: str) -> tuple[EventReader, OrderedDays, str]:
        inner = object_of(described.get("conversation")) or described
        key = words_of(object_of(described.get("conversation_id") or inner.get("id")).get("id"))
        people = [object_of(entry) for entry in list_of(inner.get("participant_data"))]
        members = [{"email": person_id(each.get("id")), "name": each.get("fallback_name")} for each in people]
        names = Names({"members": members})
        state = object_of(object_of(inner.get("self_conversation_state")).get("self_read_state"))
        own = person_id(state.get("participant_id"))
        me = self._options.me
        user = names.given(me) if me else (names.name_of({"email": own}) if own else UNKNOWN_USER)
        self._unnamed = self._unnamed or user == UNKNOWN_USER
        others = ", ".join([name for name in names.listed if name != user][:_TITLED])
        direct = words_of(inner.get("type")).endswith("ONE_TO_ONE")
        metadata = {
            "title": words_of(inner.get("name")) or others or key or holder,
            "channel_type": "dm" if direct else "group",
            "platform": "hangouts",
        }
        days = OrderedDays(SOURCE, key or others or holder, user, metadata)
        return EventReader(names, self._options.zone), days, user

    def _close(self, days: OrderedDays | None, reader: EventReader | None, user: str) -> Iterator[Record]:
        if days is not None and reader is not None:
            yield from days.close()
            self.seen = self.seen or user in reader.speakers
            self.unknown += reader.unknown


def _is_event(value: Any) -> bool:  # noqa: ANN401 - JSON may be anything
    event = object_of(value)
    return "timestamp" in event and "sender_id" in event
