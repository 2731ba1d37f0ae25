"""Converts one message of Meta's exports. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, tzinfo
from itertools import chain, compress, count, repeat
from typing import Any, cast

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ...chats.millisecond_times import MillisecondTimes
from ...chats.plain_runs import FEW, places_with_other_keys, read_in_runs, together_or_alone
from ...record_faults import or_reason
from ...text.json_fields import entries_of, list_of, object_of
from .media import MEDIA_KEYS, attachments_of
from .mojibake import repaired_all, repaired_name, repaired_text
from .seen_times import SeenTimes
from .share import shared_part
from .wording import BEGINNINGS, wording_kind

Message = dict[str, Any]
Found = Message | str
"""A message, or the reason for a rejection."""

_DELETED = frozenset(
    {
        "facebook user",
        "instagram user",
        "facebook-nutzer",
        "instagram-nutzer",
        "utilisateur facebook",
        "utilisateur instagram",
        "utilisateur de facebook",
        "usuario de facebook",
        "usuario de instagram",
        "utente di facebook",
        "utente di instagram",
        "usuário do facebook",
        "usuário do instagram",
        "utilizador do facebook",
    }
)
"""The names that the apps show for deleted accounts; one may stand for several people."""
_EVENT_TYPES = {"Subscribe": "system", "Unsubscribe": "system", "Payment": "event", "Plan": "event"}
_EVENT_WORDS = {"Subscribe": "added", "Unsubscribe": "left"}
_PLAIN = frozenset(["sender_name", "senderName", "timestamp_ms", "timestamp", "content", "text"]).union(
    ["is_geoblocked_for_viewer", "is_unsent_image_by_messenger_kid_parent"]
)
"""The keys of a message with only text, as nearly all messages are."""
_FIRSTS = frozenset(words[0] for words in BEGINNINGS)
_NAMED = 100_000
"""The largest number of names in the cache."""


class MessageReader:
    """Reads the messages of one chat in the order of its files."""

    def __init__(self, chat: str, zone: tzinfo, held: Callable[[str], bool]) -> None:
        """``held``: returns whether the export has the file at a path."""
        self._held = held
        self._chat = chat
        self._times = MillisecondTimes(zone)
        self._names: dict[str, str] = {}
        self._seen = SeenTimes()
        self.speakers: Counter[str] = Counter()
        self.unknown = 0
        """The number of messages without any known content."""

    def read_all(self, raws: Iterable[object]) -> list[Found]:
        """Apply `read` to each message. The hot path: most messages have only text and follow each other on one day."""
        entries = cast("list[dict[str, Any]]", [*raws])
        if {*map(type, entries)} != {dict}:
            entries = [*map(object_of, entries)]
        if _PLAIN.issuperset(chain.from_iterable(entries)):
            return together_or_alone(entries, self._words, self.read)
        return self._with_single(entries, places_with_other_keys(entries, _PLAIN))

    def _with_single(self, raws: Sequence[dict[str, Any]], places: Iterable[int]) -> list[Found]:
        """Read messages that have only text, except those at the given places."""
        return read_in_runs(raws, places, self._words, self.read)

    def _words(self, raws: Sequence[dict[str, Any]]) -> list[Found]:
        """Apply `read` to messages with only text, column by column, which is faster than one at a time."""
        if len(raws) < FEW:
            return [*map(self.read, raws)]
        try:
            speakers = [self._names[raw["sender_name"]] for raw in raws]
            owns: list[int] = [raw["timestamp_ms"] for raw in raws]
            contents = repaired_all([raw["content"] for raw in raws])
        except (KeyError, TypeError):  # a new name, a missing field, or a field of the wrong type
            return [*map(self.read, raws)]
        offset = self._times.offset_of_all(owns)
        if offset is None or not self._seen.are_new(owns):
            return [*map(self.read, raws)]
        if odd := _odd_places(contents, speakers):
            return self._with_single(raws, odd)
        self._seen.add_all(owns)
        self.speakers.update(speakers)
        times = map(datetime.fromtimestamp, [milliseconds / 1000 for milliseconds in owns], repeat(offset))
        return [
            {
                "speaker": speaker,
                "content": content,
                "time": time,
                "id": milliseconds,
                "kind": "text",
                "zone_origin": "explicit",
            }
            for speaker, content, time, milliseconds in zip(speakers, contents, times, map(str, owns), strict=True)
        ]

    @or_reason
    def read(self, raw: dict[str, Any]) -> Message | str:
        """Return the message, or the reason for its rejection."""
        instant = self._times.instant(raw.get("timestamp_ms", raw.get("timestamp")))
        if instant is None:
            return "a message without a time that can be read"
        time, milliseconds = instant
        sender = raw.get("sender_name", raw.get("senderName"))
        speaker = self._speaker(sender) if isinstance(sender, str) else SYSTEM_SPEAKER
        content = repaired_text(raw.get("content", raw.get("text")))
        message: Message = {
            "speaker": speaker,
            "content": content,
            "time": time,
            "id": self._id(milliseconds),
            "kind": "text",
            "zone_origin": "explicit",
        }
        if not raw.keys() <= _PLAIN or not content.strip() or wording_kind(content, speaker):
            self._describe(raw, message)
        self.speakers[message["speaker"]] += 1
        return message

    def _describe(self, raw: dict[str, Any], message: Message) -> None:
        """Add everything except the text: attachments, kind, reactions, details."""
        details: dict[str, str] = {}
        attachments = [] if raw.keys().isdisjoint(MEDIA_KEYS) else attachments_of(raw, self._held)
        if attachments:
            message["attachments"] = [each for each, _ in attachments]
        self._fill(raw, message, details, attachments[0][1] if attachments else "")
        if raw.get("reactions"):
            message["reactions"] = self._reactions(list_of(raw.get("reactions")))
        if raw.get("is_taken_down") is True:
            details["taken_down"] = "true"
        bumped = repaired_text(object_of(raw.get("bumped_message_metadata")).get("bumped_message"))
        if bumped.strip() and bumped != repaired_text(raw.get("content")):  # it may repeat the message's own words
            details["quoted"] = bumped
        if details:
            message["metadata"] = details

    def _fill(self, raw: dict[str, Any], message: Message, details: dict[str, str], placeholder: str) -> None:
        """Set the kind of the message, and a placeholder if it has no text."""
        content: str = message["content"]
        written = wording_kind(content, message["speaker"]) if content else ""
        kind = raw.get("type")
        type_name = kind if isinstance(kind, str) else ""
        if raw.get("is_unsent") is True or raw.get("isUnsent") is True:
            message["kind"], message["deleted"] = "deleted", True
            placeholder = "[unsent message]"
        elif type_name == "Call" or written == "call" or "call_duration" in raw or raw.get("missed") is True:
            message["kind"] = "call"
            placeholder = self._call(raw, details)
        elif type_name in _EVENT_TYPES or entries_of(raw.get("users")) or written in ("system", "poll"):
            message["kind"] = "poll" if written == "poll" else _EVENT_TYPES.get(type_name, "system")
            placeholder = self._event(raw, message, details, type_name)
        elif written == "reaction":
            message["kind"] = "event"
        elif message.get("attachments") and (written == "attachment" or not content.strip()):
            message["kind"] = "media"
        if raw.get("share"):
            shared_part(object_of(raw.get("share")), message, details, below=written == "attachment")
            content = message["content"]
        if not content.strip():
            if not placeholder:
                self.unknown += 1
                message["kind"], placeholder = "unknown", "[message without text]"
            message["content"] = placeholder

    def _speaker(self, written_name: str) -> str:
        name = self._names.get(written_name)
        if name is None:
            name = repaired_name(written_name)
            if not name:
                name = f"Deleted account ({self._chat})"
            elif name.casefold() in _DELETED or name in (SYSTEM_SPEAKER, UNKNOWN_USER):
                name = f"{name} ({self._chat})"
            if len(self._names) < _NAMED:
                self._names[written_name] = name
        return name

    def _id(self, milliseconds: int) -> str:
        """Return the time in milliseconds, which identifies a message within a chat; repeated times get a number."""
        count = self._seen.count(milliseconds)
        return str(milliseconds) if count == 1 else f"{milliseconds}.{count}"

    def _call(self, raw: dict[str, Any], details: dict[str, str]) -> str:
        duration = raw.get("call_duration")
        if isinstance(duration, int) and not isinstance(duration, bool) and duration > 0:
            details["duration_s"] = str(duration)
        if raw.get("missed") is True:
            details["missed"] = "true"
            return "[missed call]"
        return "[call]"

    def _event(self, raw: dict[str, Any], message: Message, details: dict[str, str], type_name: str) -> str:
        """Return the placeholder of an app event; for kind ``system`` the speaker becomes the actor in the metadata."""
        if message["kind"] == "system":
            if message["speaker"] != SYSTEM_SPEAKER:
                details["actor"] = message["speaker"]
            message["speaker"] = SYSTEM_SPEAKER
        users = [repaired_name(object_of(user).get("name")) for user in entries_of(raw.get("users"))]
        named = ", ".join(user for user in users if user)
        word = _EVENT_WORDS.get(type_name, type_name.casefold() or "event")
        return f"[{word}: {named}]" if named else f"[{word}]"

    def _reactions(self, entries: list[Any]) -> list[dict[str, Any]]:
        """Return the emoji, each with the people who chose it."""
        reactions: dict[str, dict[str, None]] = {}
        for entry in entries:
            reaction = object_of(entry)
            emoji, actor = repaired_name(reaction.get("reaction")), reaction.get("actor")
            if emoji:
                people = reactions.setdefault(emoji, {})
                if isinstance(actor, str):
                    people[self._speaker(actor)] = None
        return [{"emoji": emoji, "people": list(people)} for emoji, people in reactions.items()]


def _odd_places(contents: list[str], speakers: list[str]) -> list[int]:
    """Return the places whose text is blank or may come from the app."""
    firsts = [words[:1] for words in contents]
    distinct = {*firsts}
    watched = {sign for sign in distinct if not sign or sign.isspace()}
    watched |= distinct & _FIRSTS.union([speaker[:1] for speaker in {*speakers}])
    if not watched:  # no message begins like a line of the app; most begin in lower case
        return []
    return [
        place
        for place in compress(count(), map(watched.__contains__, firsts))
        if not (words := contents[place]).strip() or words.startswith((*BEGINNINGS, speakers[place]))
    ]


def is_message(raw: dict[str, Any]) -> bool:
    """Return whether an object may be a message."""
    return bool(raw.keys() & {"timestamp_ms", "timestamp"}) and bool(raw.keys() & {"sender_name", "senderName"})
