"""Conversion of signal-export's records (data.json, chat.md) into messages of documents. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from ....schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from ...chats.notices import CONTENT_UNKNOWN
from ...connector import ReadOptions
from ...record_faults import or_reason
from ...text.json_fields import list_of, object_of, text_of, words_of
from ...times.instants import instant_of, is_in_range
from ...times.local_times import LocalTimes
from .files import mime_of, placeholder_of

Message = dict[str, Any]

_ME = "Me"
"""The name of the user in signal-export, whatever the language."""
_BESIDE_BODY = ("quote", "attachments", "reactions", "sticker", "deleted", "call")
"""The fields that a message has only if it is not text alone."""
_NOBODY = ("", "No-Sender", "None")
_ADDED = "  "
"""The blanks behind every message, so that Markdown breaks the line."""
_CALLS = (
    "Incoming call",
    "Outgoing call",
    "Incoming voice call",
    "Outgoing voice call",
    "Incoming video call",
    "Outgoing video call",
    "Missed voice call",
    "Missed video call",
    "Missed call",
)


class RecordReader:
    """Converts the records of one chat."""

    def __init__(self, options: ReadOptions, folder: str, held: Collection[str]) -> None:
        """``held``: the paths of the files in the export; the chat's own lie in ``folder``."""
        self._zone = options.zone
        self._local_times = LocalTimes(options.zone)
        self._origin = options.zone_origin
        self.user = options.me or UNKNOWN_USER
        self._folder = folder
        self._held = held
        self.counts: Counter[str] = Counter()
        """The number of messages that call for a notice, by the notice's code."""

    @or_reason
    def read(self, record: dict[str, Any]) -> Message | str:
        """Return the message, or the reason why there is none."""
        date = words_of(record.get("date"))
        try:
            moment = datetime.fromisoformat(date)
            time = self._local_times.at(moment) if moment.tzinfo is None else instant_of(date, self._zone)
            if time is None or not is_in_range(time):
                return "a message without a time that can be read"
        except (ValueError, OverflowError):
            return "a message without a time that can be read"
        origin = self._origin if moment.tzinfo is None else "explicit"
        body = text_of(record.get("body")).removesuffix(_ADDED)
        if body.partition(" (")[0] not in _CALLS and body.strip() and not any(map(record.get, _BESIDE_BODY)):
            speaker = self._speaker(words_of(record.get("sender")), "text")  # as nearly all are
            return {"speaker": speaker, "content": body, "time": time, "kind": "text", "zone_origin": origin}
        files = self._files(record)
        content, kind, segments = self._content(record, files)
        speaker = self._speaker(words_of(record.get("sender")), kind)
        message: Message = {
            "speaker": speaker,
            "content": content,
            "time": time,
            "kind": "system" if speaker == SYSTEM_SPEAKER and kind == "unknown" else kind,
            "zone_origin": origin,
        }
        if message["kind"] == "unknown":
            self.counts[CONTENT_UNKNOWN] += 1
        if kind == "deleted":
            message["deleted"] = True
        if files:
            message["attachments"] = files
        if segments:
            message["segments"] = segments
        if reactions := self._reactions(record):
            message["reactions"] = reactions
        return message

    def _speaker(self, sender: str, kind: str) -> str:
        if sender == _ME or (sender and sender == self.user):
            return self.user
        if sender in _NOBODY or sender == SYSTEM_SPEAKER:
            return SYSTEM_SPEAKER if kind in ("unknown", "call") else "unknown sender"
        return sender

    def _content(self, record: dict[str, Any], files: list[dict[str, Any]]) -> tuple[str, str, list[dict[str, Any]]]:
        """Return the text, its kind, and the segment that is quoted."""
        if record.get("deleted") is True:
            return "[deleted message]", "deleted", []
        body = text_of(record.get("body")).removesuffix(_ADDED)
        quote = text_of(record.get("quote")).strip("\n")
        sticker = record.get("sticker")
        emoji = words_of(sticker) or words_of(object_of(sticker).get("emoji"))
        kind = "text"
        if not body.strip():
            if sticker:
                body, kind = f"[sticker {emoji}]" if emoji and emoji != "sticker" else "[sticker]", "media"
            elif files:
                body, kind = placeholder_of([], files), "media"
            else:
                body, kind = "[message without text]", "unknown"
        elif record.get("call") is True or (not files and body.partition(" (")[0] in _CALLS):
            kind = "call"
        if not quote:
            return body, kind, []
        return f"{quote}\n\n{body}", kind, [{"kind": "quote", "start": 0, "end": len(quote), "depth": 1}]

    def _files(self, record: dict[str, Any]) -> list[dict[str, Any]]:
        attachments: list[dict[str, Any]] = []
        for entry in list_of(record.get("attachments")):
            path = unquote(text_of(object_of(entry).get("path")))
            name = words_of(object_of(entry).get("name")) or path.rpartition("/")[2]
            if name:
                place = f"{self._folder}/{path}".removeprefix("/")
                attachments.append({"name": name, "mime": mime_of(path or name), "missing": place not in self._held})
        return attachments

    def _reactions(self, record: dict[str, Any]) -> list[dict[str, Any]]:
        people: dict[str, dict[str, None]] = {}
        for entry in list_of(record.get("reactions")):
            pair = list_of(entry) or [object_of(entry).get("name"), object_of(entry).get("emoji")]
            name, emoji = words_of(pair[0]), words_of(pair[1]) if len(pair) > 1 else ""
            if name and emoji:
                people.setdefault(emoji, {})[self.user if name == _ME else name] = None
        return [{"emoji": emoji, "people": list(names)} for emoji, names in people.items()]
