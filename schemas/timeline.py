"""Timelines: events with a start each, such as those of a calendar."""

from __future__ import annotations

from datetime import MAXYEAR, datetime
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from pydantic import Field, ModelWrapValidatorHandler, ValidationError, model_validator

from .model import Metadata, Model, Text
from .text import TextDocument
from .times import GO_ZERO_TIME, Instant
from .validation import DOCUMENT_ID, broken_rules, structural_errors

if TYPE_CHECKING:
    from .conversation import ConversationDocument

ALSO = "also "
"""The beginning of the line that lists the further times of equal events."""
EVENTS = "timeline must contain at least one event"


class TimelineEvent(Model):
    """Something that has a time: ``start`` and ``title`` are required."""

    start: Instant
    end: Instant | None = None
    """Exclusive, as in calendars: an event of one whole day ends with the next day's beginning."""
    title: Text
    text: Text = ""
    place: Text | None = None
    people: tuple[Text, ...] = ()
    all_day: bool = False
    """Without a time of day: ``start`` is the beginning of the day."""
    metadata: Metadata = Field(default_factory=dict)


class TimelineDocument(Model):
    """Events in the order of the source. Raises ``pydantic.ValidationError`` when a rule is broken.

    Its source is ``metadata["source"]``. What memd keeps of it is ``as_text()``.
    """

    kind: Literal["timeline"] = "timeline"
    id: Text
    events: tuple[TimelineEvent, ...]
    tags: tuple[Text, ...] = ()
    metadata: Metadata = Field(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _keeps_every_rule(cls, value: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        rest = []
        try:
            document = handler(value)
            fields: dict[str, Any] = {"id": document.id, "events": document.events}
        except ValidationError as error:
            document = None
            fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
            rest = structural_errors(error)
        problems = _problems(fields)
        rest = [detail for detail in rest if _named(detail.get("loc", ())) not in problems]
        if document is None or problems:
            raise broken_rules(cls.__name__, problems, rest)
        return document

    @property
    def source(self) -> str:
        """The source system, or the empty string."""
        return self.metadata.get("source", "")

    @property
    def content(self) -> str:
        """Each event with its time, title, place, people and text; equal ones with all their times."""
        groups: dict[tuple[str, str, str | None, tuple[str, ...]], list[TimelineEvent]] = {}
        for event in self.events:
            groups.setdefault((event.title, event.text, event.place, event.people), []).append(event)
        return "\n\n".join(_shown(events) for events in groups.values())

    @property
    def timestamp(self) -> datetime | None:
        """The start of the earliest event."""
        return min(event.start for event in self.events)

    def is_conversation(self) -> bool:
        """Always false."""
        return False

    def as_conversation(self) -> ConversationDocument | None:
        """Always None: a document answers exactly one of the two."""
        return None

    def as_text(self) -> TextDocument | None:
        """The events as a text."""
        return TextDocument(
            id=self.id, content=self.content, timestamp=self.timestamp, tags=self.tags, metadata=dict(self.metadata)
        )

    def to_wire(self) -> dict[str, Any]:
        """The JSON form as plain dicts; ``kind`` is always written."""
        wire = super().to_wire()
        return {"id": wire.pop("id"), "kind": self.kind, **wire}


def _problems(document: dict[str, Any]) -> list[str]:
    identifier = document.get("id")
    problems = [] if isinstance(identifier, str) and identifier.strip() else [DOCUMENT_ID]
    events = document.get("events")
    if not isinstance(events, list | tuple) or not events:
        return [*problems, EVENTS]
    for index, event in enumerate(cast("list[object]", events)):
        if isinstance(event, TimelineEvent):
            title, start = event.title, event.start
        else:
            fields = cast("dict[str, Any]", event) if isinstance(event, dict) else {}
            title, start = fields.get("title"), fields.get("start")
        if not isinstance(title, str) or not title.strip():
            problems.append(f"event {index}: title is required")
        if start is None or start == GO_ZERO_TIME:
            problems.append(f"event {index}: start is required")
    return problems


def _named(place: tuple[int | str, ...]) -> str:
    """Return the wording for a missing field of an event."""
    return f"event {place[1]}: {place[2]} is required" if len(place) == 3 else EVENTS if place == ("events",) else ""


def _shown(events: list[TimelineEvent]) -> str:
    first = events[0]
    lines = [f"{_span(first)}: {first.title}"]
    if first.place:
        lines.append(f"@ {first.place}")
    if first.people:
        lines.append(f"with {', '.join(first.people)}")
    if first.text.strip():
        lines.append(first.text)
    if len(events) > 1:  # at the end: what is said of the event is not torn from its title
        lines.append(ALSO + ", ".join(_span(event) for event in events[1:]))
    return "\n".join(lines)


def _span(event: TimelineEvent) -> str:
    start, end = event.start, event.end
    if event.all_day:
        first = start.date().isoformat()
        last = _last_day(event)
        return first if last in ("", first) else f"{first} to {last}"
    shown = start.isoformat(sep=" ", timespec="minutes")[:16]
    if end is None or end == start:
        return shown
    until = end.astimezone(start.tzinfo) if _comparable(end) else end
    if until.date() == start.date():
        return f"{shown} to {until.isoformat(timespec='minutes')[11:16]}"
    return f"{shown} to {until.isoformat(sep=' ', timespec='minutes')[:16]}"


def _last_day(event: TimelineEvent) -> str:
    if event.end is None or event.end <= event.start:
        return ""
    day = event.end.date().toordinal() - (event.end.timetz().replace(tzinfo=None).isoformat() == "00:00:00")
    return datetime.fromordinal(max(1, day)).date().isoformat()  # a day, not an instant


def _comparable(time: datetime) -> bool:
    """Return whether the time exists in every zone: not in the first and the last day of the calendar."""
    return 1 < time.year < MAXYEAR
