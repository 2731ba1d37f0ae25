"""Conversion of posts of X into messages of documents; long posts are completed from the archive's notes. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from ....schemas.times import fixed_offset
from ...chats.accounts import Accounts
from ...chats.ordered_days import Message
from ...connector import Member
from ...opening.media_names import mime_of, name_in, word_of
from ...opening.tracked_member import count_left_out
from ...record_faults import or_reason
from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from ...times.dates_written import zone_at
from ...times.instants import instant_of
from ...times.month_names import ENGLISH_MONTHS

_CREATED = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d{2}) (\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2}) (\d{4})")
_OLD_CREATED = re.compile(r"(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2})")
_PASSED_ON = re.compile(r"RT @(\w{1,50}): ")
_KINDS = {"photo": "image/jpeg", "video": "video/mp4", "animated_gif": "video/mp4"}
_COMPARED = 80
"""The number of characters by which a post is matched with its note."""
_LATER = timedelta(minutes=10)
"""The maximum difference between the times of a post and of its note."""


def time_of(value: object, zone: tzinfo) -> datetime | None:
    """Parse ``Wed Oct 10 20:19:24 +0000 2018``, ``2013-04-05 12:00:00 +0000`` or ISO 8601; return None for anything
    else.
    """
    text = words_of(value)
    try:
        if match := _CREATED.fullmatch(text):
            offset = zone_at(match[6], match[7], match[8])
            month = ENGLISH_MONTHS.get(match[1].lower(), 0)
            day = datetime(
                int(match[9]), month, int(match[2]), int(match[3]), int(match[4]), int(match[5]), tzinfo=offset
            )
            return instant_of(day.astimezone(UTC).isoformat(), zone)
        if match := _OLD_CREATED.fullmatch(text):
            text = f"{match[1]}T{match[2]}{match[3]}:{match[4]}"
    except (ValueError, OverflowError):
        return None
    found_time = instant_of(text, zone) if "-" in text else None
    return fixed_offset(found_time) if found_time is not None else None


@dataclass(slots=True)
class Note:
    """The whole text of a long post."""

    own: str
    text: str
    time: datetime
    member: Member
    """The file of the note."""
    used: bool = False


@dataclass(slots=True)
class Notes:
    """The notes, by their first characters."""

    held: dict[str, list[Note]] = field(default_factory=dict[str, list[Note]])

    def add(self, raw: dict[str, Any], member: Member) -> bool:
        """Add a note from a file of the archive; return False if it has no text or time."""
        note = object_of(raw.get("noteTweet"))
        core = object_of(note.get("core"))
        time = instant_of(words_of(note.get("createdAt")), UTC)
        if not text_of(core.get("text")).strip() or time is None:
            return False
        text = expanded(text_of(core.get("text")), list_of(core.get("urls")))
        beginning = text_of(core.get("text"))[:_COMPARED]
        self.held.setdefault(beginning, []).append(Note(id_of(note.get("noteTweetId")), text, time, member))
        return True

    def of_post(self, text: str, time: datetime) -> Note | None:
        """Return the unused note that a post is the beginning of, and mark it as used."""
        for note in self.held.get(text[:_COMPARED], []) if len(text) > _COMPARED else []:
            if not note.used and abs(note.time - time) < _LATER:
                note.used = True
                count_left_out(note.member, "long text of a post, and went into that")
                return note
        return None

    def left(self) -> list[Note]:
        """Return the notes that belong to no post."""
        return [note for notes in self.held.values() for note in notes if not note.used]


class PostReader:
    """Converts the posts of an account."""

    def __init__(
        self, accounts: Accounts, message_id: str, notes: Notes, zone: tzinfo, held: Callable[[str, str], bool]
    ) -> None:
        """``message_id``: the account's id. ``held``: returns whether the archive has a message's file."""
        self._accounts = accounts
        self._own = message_id
        self._notes = notes
        self._zone = zone
        self._held = held

    @or_reason
    def read(self, raw: dict[str, Any], *, deleted: bool) -> Message | str:
        """Return the message, or the reason why there is none."""
        post = object_of(raw.get("tweet")) or raw
        message_id = words_of(post.get("id_str")) or id_of(post.get("id"))
        time = time_of(post.get("created_at"), self._zone)
        if not message_id or time is None:
            return "a post without an id" if not message_id else "a post without a time that can be read"
        writer = object_of(post.get("user"))
        account = words_of(writer.get("id_str")) or self._own
        shown, handle = words_of(writer.get("name")), words_of(writer.get("screen_name"))
        message: Message = {
            "speaker": self._accounts.name_of(account, shown, handle, f"@{handle}" if handle else ""),
            "content": "",
            "time": time,
            "id": message_id,
            "kind": "text",
            "zone_origin": "explicit",
        }
        details: dict[str, str] = {}
        self._words(post, message, details)
        self._files(message_id, post, message)
        if answered := words_of(post.get("in_reply_to_status_id_str")):
            message["reply_to"] = answered
        if whom := words_of(post.get("in_reply_to_screen_name")):
            details["reply_to_account"] = f"@{whom}"
        if deleted:
            message |= {"kind": "deleted", "deleted": True}
        if not message["content"].strip():
            files = message.get("attachments")
            content = word_of(files[0]["mime"]) if files else "[post without text]"
            message |= {"content": content, "kind": "deleted" if deleted else "media" if files else "unknown"}
        if details:
            message["metadata"] = details
        return message

    def note(self, note: Note) -> Message:
        """Convert a note that belongs to no post into a message."""
        return {
            "speaker": self._accounts.name_of(self._own),
            "content": note.text,
            "time": note.time.astimezone(self._zone),
            "id": f"note:{note.own}",
            "kind": "text",
            "zone_origin": "explicit",
        }

    def _words(self, post: dict[str, Any], message: Message, details: dict[str, str]) -> None:
        raw = text_of(post.get("full_text")) or text_of(post.get("text"))
        text = html.unescape(raw)
        entities = object_of(post.get("entities"))
        note = self._notes.of_post(text, message["time"])
        message["content"] = note.text if note else expanded(text, list_of(entities.get("urls")))
        if note:
            details["note"] = "true"
        passed_on = _PASSED_ON.match(text)
        if passed_on:  # a repost: the text is another account's
            message["forwarded_from"] = f"@{passed_on[1]}"
            message["segments"] = [{"kind": "forward", "start": 0, "end": len(message["content"])}]

    def _files(self, message_id: str, post: dict[str, Any], message: Message) -> None:
        media = list_of(object_of(post.get("extended_entities")).get("media"))
        media = media or list_of(object_of(post.get("entities")).get("media"))
        attachments: list[dict[str, Any]] = []
        for entry in media:
            file = object_of(entry)
            name = name_in(words_of(file.get("media_url_https")) or words_of(file.get("media_url")))
            mime, kind = mime_of(name), _KINDS.get(words_of(file.get("type")))
            if kind and (mime is None or word_of(mime) != word_of(kind)):  # a video is listed by its preview picture
                mime = kind
            if name:
                attachments.append({"name": name, "mime": mime, "missing": not self._held(message_id, name)})
        if attachments:
            message["attachments"] = attachments


def expanded(text: str, urls: list[Any]) -> str:
    """Replace shortened addresses in a text by their targets."""
    for entry in urls[:200]:
        url = object_of(entry)
        short = words_of(url.get("url")) or words_of(url.get("shortUrl"))
        long = words_of(url.get("expanded_url")) or words_of(url.get("expandedUrl")) or words_of(url.get("expanded"))
        if len(short) > 8 and long and len(long) < 4_096:
            text = text.replace(short, long, 4)
    return text
