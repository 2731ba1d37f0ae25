"""Converts messages of a Google Chat Takeout to messages of a document. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import tzinfo
from itertools import chain
from typing import Any

from ...chats.plain_runs import FEW, places_with_other_keys, read_in_runs, together_or_alone
from ...opening.media_names import mime_of, word_of
from ...record_faults import or_reason
from ...text.json_fields import list_of, object_of, text_of, words_of
from .annotations import Marks, marks_of
from .dates import chat_date, chat_dates
from .people import Names

Message = dict[str, Any]
Found = Message | str
"""A message, or the reason why it cannot be read."""

_PLAIN = frozenset(
    ["creator", "created_date", "text", "topic_id", "message_id", "reactions", "quoted_message_metadata"]
)
"""The keys of a message without files, marks or edits, as nearly all are."""
_WORDS = frozenset(["creator", "created_date", "text", "topic_id", "message_id"])


class MessageReader:
    """Reads the messages of one chat."""

    def __init__(self, names: Names, zone: tzinfo, held: Callable[[str], bool]) -> None:
        """``held``: returns whether the chat's folder has a file of this name."""
        self._held = held
        self._names = names
        self._zone = zone
        self.unknown = 0
        """The number of messages without any known content."""
        self.speakers: Counter[str] = Counter()

    def read_all(self, raws: Iterable[object]) -> list[Found]:
        """Return `read` of each message, with runs of plain messages in columns.

        This is the hot path: most messages are plain text of people, and follow each other.
        """
        entries = [*map(object_of, raws)]
        if _WORDS.issuperset(chain.from_iterable(entries)):
            return together_or_alone(entries, self._words, self.read)
        return read_in_runs(entries, places_with_other_keys(entries, _WORDS), self._words, self.read)

    def _words(self, raws: Sequence[dict[str, Any]]) -> list[Found]:
        """Return `read` of plain text messages, converted field by field, which is faster than one by one."""
        if len(raws) < FEW:
            return [*map(self.read, raws)]
        try:
            creators = [raw["creator"] for raw in raws]
            speakers = self._names.known([creator["email"] for creator in creators])
            people = {creator["user_type"] for creator in creators} == {"Human"}
            fields = [[raw[name] for raw in raws] for name in ("text", "created_date", "message_id", "topic_id")]
        except (KeyError, TypeError):  # a field is missing or has another type
            return [*map(self.read, raws)]
        if not people or {*map(type, chain.from_iterable(fields))} != {str}:
            return [*map(self.read, raws)]
        contents, dates, owns, topics = fields
        if odd := _odd_places(contents, speakers):
            return read_in_runs(raws, odd, self._words, self.read)
        times = chat_dates(dates, self._zone)
        owns = [*map(str.strip, owns)]
        if times is None or not all(owns):
            return [*map(self.read, raws)]
        self.speakers.update(speakers)
        messages: list[Message] = [
            {
                "speaker": speaker,
                "content": content,
                "time": time,
                "id": message_id,
                "kind": "text",
                "zone_origin": "explicit",
            }
            for speaker, content, time, message_id in zip(speakers, contents, times, owns, strict=True)
        ]
        if not all(map(str.endswith, owns, ["/" + topic for topic in topics])):  # some did not begin their own threads
            for message, message_id, topic in zip(messages, owns, topics, strict=True):
                if thread := _thread(message_id, topic.strip()):
                    message["thread"] = thread
        return [*messages]

    @or_reason
    def read(self, raw: dict[str, Any]) -> Message | str:
        """Return the message, or the reason why it cannot be read."""
        message_id = words_of(raw.get("message_id"))  # exports before 2022 have none
        # Some edited messages have only the time of their edit, and deleted ones that of their deletion.
        date = raw.get("created_date") or raw.get("updated_date") or raw.get("deleted_date")
        time = chat_date(text_of(date), self._zone)
        if time is None:
            return "a message without a time that can be read"
        creator = object_of(raw.get("creator"))
        speaker = self._names.name_of(creator)
        self.speakers[speaker] += 1
        details: dict[str, str] = {}
        message: Message = {
            "speaker": speaker,
            "content": text_of(raw.get("text")),
            "time": time,
            "kind": "text",
            "zone_origin": "explicit",
        }
        if message_id:
            message["id"] = message_id
        if words_of(creator.get("user_type")).casefold() == "bot":
            message["role"] = "tool"
            details["bot"] = "true"
        self._refer(raw, message_id, message, details)
        if not raw.keys() <= _PLAIN or not message["content"].strip():
            self._edits(raw, message)
            self._fill(raw, message, details)
        if raw.get("reactions"):
            message["reactions"] = self._reactions(list_of(raw.get("reactions")))
        if details:
            message["metadata"] = details
        return message

    def _refer(self, raw: dict[str, Any], message_id: str, message: Message, details: dict[str, str]) -> None:
        """Set the message that it answers, and its thread: the message that began a thread has the thread's id as its
        own.
        """
        if quoted := object_of(raw.get("quoted_message_metadata")):
            if answered := words_of(quoted.get("message_id")):
                message["reply_to"] = answered
            elif text := text_of(quoted.get("text")):
                details["quoted"] = text
        if thread := _thread(message_id, words_of(raw.get("topic_id"))):
            message["thread"] = thread

    def _edits(self, raw: dict[str, Any], message: Message) -> None:
        if raw.get("updated_date"):
            message["edited"] = True
            message["edited_at"] = chat_date(text_of(raw.get("updated_date")), self._zone)
        earlier = [object_of(entry) for entry in list_of(raw.get("previous_message_versions"))]
        edits = [{"content": text_of(each.get("text"))} for each in earlier if text_of(each.get("text")).strip()]
        if edits:
            message["edited"] = True
            message["edits"] = edits

    def _fill(self, raw: dict[str, Any], message: Message, details: dict[str, str]) -> None:
        """Add files, previews and links, and set the kind and, for a message without text, a placeholder."""
        content: str = message["content"]
        marks = marks_of(raw.get("annotations"), content)
        files = [self._file(object_of(entry)) for entry in list_of(raw.get("attached_files"))] + marks.documents
        if files:
            message["attachments"] = files
        if marks.segments:
            message["segments"] = marks.segments
        if previews := "\n".join(dict.fromkeys(marks.previews)):
            details["embeds"] = previews
        if links := [link for link in dict.fromkeys(marks.links) if link not in content]:
            details["link"] = " ".join(links)
        if words_of(raw.get("message_state")) == "DELETED" or raw.get("deletion_metadata"):
            message["kind"], message["deleted"] = "deleted", True
        if not content.strip():
            self._stand_in(message, marks, files)

    def _file(self, entry: dict[str, Any]) -> dict[str, Any]:
        exported = words_of(entry.get("export_name"))
        name = words_of(entry.get("original_name")) or exported or "file"
        return {"name": name, "mime": mime_of(name), "missing": not exported or not self._held(exported)}

    def _stand_in(self, message: Message, marks: Marks, files: list[dict[str, Any]]) -> None:
        if message["kind"] == "deleted":
            message["content"] = "[deleted message]"
        elif marks.call:
            message["kind"], message["content"] = "call", "[video call]"
        elif marks.members:
            message["kind"], message["content"] = "system", f"[{marks.members}]"
        elif files:
            message["kind"], message["content"] = "media", word_of(files[0]["mime"])
        elif marks.links or marks.previews:
            text = "\n".join(dict.fromkeys([*marks.links, *marks.previews]))
            message["content"] = text
            message["segments"] = [{"kind": "quote", "start": 0, "end": len(text)}]
        else:
            self.unknown += 1
            message["kind"], message["content"] = "unknown", "[message without text]"

    def _reactions(self, entries: list[Any]) -> list[dict[str, Any]]:
        reactions: list[dict[str, Any]] = []
        for entry in entries:
            reaction = object_of(entry)
            emoji = object_of(reaction.get("emoji"))
            custom = object_of(emoji.get("custom_emoji"))
            shown = words_of(emoji.get("unicode")) or words_of(custom.get("shortcode"))
            if shown:
                people = [self._names.by_email(words_of(email)) for email in list_of(reaction.get("reactor_emails"))]
                reactions.append({"emoji": shown, "people": list(dict.fromkeys(name for name in people if name))})
        return reactions


def _odd_places(contents: list[str], speakers: list[str]) -> list[int]:
    """Return the positions of messages without text or of unknown speakers."""
    if all(speakers) and all(contents) and not any(map(str.isspace, contents)):
        return []
    pairs = enumerate(zip(contents, speakers, strict=True))
    return [place for place, (content, speaker) in pairs if not speaker or not content.strip()]


def _thread(message_id: str, topic: str) -> str:
    """Return the thread of a message; empty for the message that began it."""
    place, _, last = message_id.rpartition("/")
    topic = topic.rpartition("/")[2]
    return f"{place}/{topic}" if place and topic and place.rpartition("/")[2] == topic != last else ""
