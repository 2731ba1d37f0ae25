"""Conversion of one record of an export into a message with its place in a thread. No I/O."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timezone, tzinfo
from typing import Any, cast

from ....schemas.times import fixed_offset
from ...connector import Member
from ...record_faults import or_reason
from .blocks import is_rich_text
from .body import Body, BodyReader, segments_of
from .details import Details
from .files import attachment_of, files_of
from .people import People
from .subtypes import SubtypeKind, kind_of
from .values import JSONObject, microseconds_of, object_of, objects_of, text_of

NO_TIME = "a record without a time stamp that can be read"
_QUARTER = 900
"""A number of seconds in which no zone changes its offset more than once, and then at the first second."""
_CACHED_QUARTERS = 100_000
_PLAIN = frozenset(
    {
        *("subtype", "bot_id", "username", "bot_profile", "comment", "file", "files", "attachments"),
        *("reactions", "edited", "pinned_to", "room"),
    }
).isdisjoint
"""Returns whether a record has none of the keys that make it more than text."""
_KINDS = {"system": "system", "call": "call", "deleted": "deleted", "unknown": "unknown"}


@dataclass(slots=True)
class SlackMessage:
    """A message and its place. ``fields`` is the input of ``ConversationMessage``."""

    fields: dict[str, Any]
    stamp: str
    """The time stamp as written, which identifies the message in its channel."""
    micros: int
    """The time stamp in microseconds."""
    thread: str = ""
    """The time stamp of its thread's first message."""
    latest: int | None = None
    """The time of the last reply as a thread's first message states it; None otherwise."""
    is_change: bool = False
    """True for the record of an edit or a deletion, which holds the new version of an older message."""
    member: Member | None = None
    """The file of a message in a thread."""


@dataclass(slots=True)
class MessageCounts:
    """Counts for the notices of a chat."""

    unknown_subtypes: int = 0
    empty: int = 0


class MessageReader:
    """Reads the records of one channel. ``present``: the ids of the files in the export."""

    def __init__(
        self, channel: str, people: People, bodies: BodyReader, present: Collection[str], zone: tzinfo
    ) -> None:
        self.counts = MessageCounts()
        self._channel = channel
        self._people = people
        self._details = Details(people)
        self._bodies = bodies
        self._present = present
        self._zone = zone
        self._offsets: dict[int, timezone] = {}

    @property
    def people_unknown(self) -> set[str]:
        """The ids of people without a name."""
        return self._details.people_unknown

    @or_reason
    def message(self, record: JSONObject) -> SlackMessage | str:
        """Return the message of a record, or the reason why there is none."""
        if _PLAIN(record):  # nearly all of them
            result = self._plain(record)
            if result is not None:
                return result
        kind = kind_of(text_of(record, "subtype"))
        if kind == "change":
            return self._changed(record)
        written = record.get("ts")
        micros = microseconds_of(written)
        time = None if micros is None else self._time(micros)
        if micros is None or time is None:
            return NO_TIME
        stamp = written if isinstance(written, str) else f"{micros // 1_000_000}.{micros % 1_000_000:06d}"
        if kind == "text" and record.get("type", "message") != "message":
            kind = "unknown"
        if kind == "unknown":
            self.counts.unknown_subtypes += 1
        fields = self._fields(record, kind)
        fields["id"] = f"{self._channel}:{stamp}"
        fields["time"] = time
        fields["time_precision"] = "second"
        fields["zone_origin"] = "explicit"
        result = SlackMessage(fields, stamp, micros)
        if record.get("thread_ts") is not None or record.get("replies"):
            self._place_in_thread(result, record)
        return result

    def _plain(self, record: JSONObject) -> SlackMessage | None:
        """Convert a record that is a person's text and nothing else; return None for any other."""
        text, user, stamp = record.get("text"), record.get("user"), record.get("ts")
        if not (isinstance(text, str) and isinstance(user, str) and isinstance(stamp, str)) or not text or not user:
            return None
        people = self._people
        if record.get("type") != "message" or not people.is_person(user) or text.isspace():
            return None
        blocks = record.get("blocks")
        if blocks and not (isinstance(blocks, list) and is_rich_text(cast("list[Any]", blocks))):
            return None
        micros = microseconds_of(stamp)
        time = None if micros is None else self._time(micros)
        if micros is None or time is None:
            return None
        text = self._bodies.rendered(text)
        fields: dict[str, Any] = {
            "speaker": people.name(user),
            "content": text,
            "id": f"{self._channel}:{stamp}",
            "time": time,
            "time_precision": "second",
            "zone_origin": "explicit",
        }
        if ">" in text or "```" in text:  # nearly no text
            fields["segments"] = segments_of(text)
        result = SlackMessage(fields, stamp, micros)
        if "thread_ts" in record or "replies" in record:
            self._place_in_thread(result, record)
        return result

    def _time(self, micros: int) -> datetime | None:
        seconds, rest = divmod(micros, 1_000_000)
        offset = self._offsets.get(seconds // _QUARTER)
        try:
            if offset is None:
                if len(self._offsets) >= _CACHED_QUARTERS:
                    self._offsets.clear()
                local = fixed_offset(datetime.fromtimestamp(seconds, UTC).astimezone(self._zone))
                delta = local.utcoffset()
                assert delta is not None  # fixed_offset gives none without
                offset = self._offsets[seconds // _QUARTER] = timezone(delta) if delta else UTC
            return datetime.fromtimestamp(seconds, offset).replace(microsecond=rest)
        except (OverflowError, ValueError, OSError):  # after the year 9999
            return None

    def _place_in_thread(self, message: SlackMessage, record: JSONObject) -> None:
        root = microseconds_of(record.get("thread_ts"))
        written = record.get("thread_ts")
        replies = objects_of(record, "replies")
        if root is None or root == message.micros:
            if root is not None and record.get("reply_count") == 0 and not replies:
                return  # its replies were deleted: it is a message like any other
            if root is None and not replies:
                return
            message.thread = message.stamp
            stamps = [microseconds_of(record.get("latest_reply")), *(microseconds_of(r.get("ts")) for r in replies)]
            message.latest = max((each for each in stamps if each), default=None)
        else:
            message.thread = written if isinstance(written, str) else f"{root // 1_000_000}.{root % 1_000_000:06d}"
            message.fields["reply_to"] = f"{self._channel}:{message.thread}"
        message.fields["thread"] = f"{self._channel}:{message.thread}"

    # --- content and speaker ---

    def _fields(self, record: JSONObject, kind: SubtypeKind) -> dict[str, Any]:
        if isinstance(record.get("user_profile"), dict):
            self._people.learn(text_of(record, "user"), object_of(record, "user_profile"))
        if "comment" in record and kind == "text":
            record = _comment_as_message(record)
        speaker, bot = self._details.speaker(record, kind)
        if kind == "deleted":
            text = text_of(record, "text")
            body = Body(content=text if text.strip() else "[deleted]")
        else:
            body = self._bodies.body(record, is_bot=bool(bot))
        fields: dict[str, Any] = {"speaker": speaker, "content": body.content, **({"role": "tool"} if bot else {})}
        if kind != "text":
            fields["kind"] = _KINDS[kind]
        elif body.is_placeholder:
            fields["kind"] = "media"
        if kind == "deleted":
            fields["deleted"] = True
        if body.is_empty and kind in ("text", "unknown"):
            self.counts.empty += 1
            fields["kind"] = "unknown"
        elif body.is_empty:
            fields["content"] = "[huddle]" if kind == "call" else f"[{text_of(record, 'subtype')}]"
        if body.segments:
            fields["segments"] = body.segments
        if body.forwarded_from:
            fields["forwarded_from"] = body.forwarded_from
        self._add_details(fields, record)
        metadata = self._details.metadata(record, kind, bot)
        if metadata:
            fields["metadata"] = metadata
        return fields

    def _add_details(self, fields: dict[str, Any], record: JSONObject) -> None:
        if ("files" in record or "file" in record) and (files := files_of(record)):
            fields["attachments"] = [attachment_of(file, self._present) for file in files]
        if record.get("reactions"):
            fields["reactions"] = self._details.reactions(record)
        if isinstance(record.get("edited"), dict):
            fields["edited"] = True
            micros = microseconds_of(object_of(record, "edited").get("ts"))
            time = None if micros is None else self._time(micros)
            if time is not None:
                fields["edited_at"] = time

    # --- records of edits and deletions, which exports of the whole workspace may hold ---

    def _changed(self, record: JSONObject) -> SlackMessage | str:
        names = ("previous_message", "original", "previous")
        before = next(filter(None, (object_of(record, name) for name in names)), JSONObject())
        after = object_of(record, "message")
        is_deletion = text_of(record, "subtype") == "message_deleted"
        now = before if is_deletion else after
        if is_deletion and record.get("deleted_ts") is not None:
            now = {**now, "ts": record["deleted_ts"]}
        if not now or kind_of(text_of(now, "subtype")) == "change":
            return "a record of an edit or a deletion that does not tell of what"
        changed = self.message(now)
        if isinstance(changed, str):
            return changed
        changed.is_change = True
        fields = changed.fields
        if is_deletion:
            if before.get("text") or before.get("blocks") or before.get("attachments"):
                fields["edits"] = [{"content": fields["content"]}]
            fields |= {"content": "[deleted]", "kind": "deleted", "deleted": True}
            fields.pop("segments", None)
        elif before and kind_of(text_of(before, "subtype")) == "text":
            old = self._bodies.body(before, is_bot=False)
            if not old.is_empty and old.content != fields["content"]:
                fields["edits"] = [{"content": old.content}]
                if "edited_at" in fields:
                    fields["edits"][0]["time"] = fields["edited_at"]
            fields.setdefault("edited", True)
        return changed


def _comment_as_message(record: JSONObject) -> JSONObject:
    """Convert a comment on a file of old exports, whose text and author stand in ``comment``."""
    comment = object_of(record, "comment")
    words = text_of(comment, "comment")
    if not words.strip():
        return record
    return {**record, "text": words, "user": text_of(comment, "user") or text_of(record, "user"), "blocks": None}
