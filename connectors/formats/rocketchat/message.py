"""Converts one message of Rocket.Chat. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import Any

from ....schemas import SYSTEM_SPEAKER
from ...chats.accounts import Accounts
from ...chats.ordered_days import Message
from ...opening.media_names import mime_of, name_in, word_of
from ...record_faults import or_reason
from ...text.json_fields import list_of, object_of, size_of, text_of, words_of
from ...times.instants import instant_of, milliseconds_of
from .lists import Lists
from .records import key_of, moment_of

_QUOTED = re.compile(r"\[ ?\]\(https?://[^\s()]{1,500}?[?&]msg=([A-Za-z0-9]{1,64})\)\s?")
_EVENTS = {
    "uj": "joined",
    "ujt": "joined the team",
    "ul": "left",
    "ult": "left the team",
    "ut": "joined the discussion",
    "wm": "welcome",
    "au": "added",
    "added-user-to-team": "added to the team",
    "ru": "removed",
    "removed-user-from-team": "removed from the team",
    "r": "named the room",
    "room_changed_topic": "set the topic",
    "room_changed_description": "set the description",
    "room_changed_announcement": "set the announcement",
    "room_changed_privacy": "made the room",
    "room_changed_avatar": "changed the picture of the room",
    "message_pinned": "pinned a message",
    "discussion-created": "began a discussion",
    "subscription-role-added": "gave a role to",
    "subscription-role-removed": "took a role from",
    "user-muted": "muted",
    "user-unmuted": "unmuted",
    "room-archived": "archived the room",
    "room-unarchived": "opened the room again",
    "room_e2e_enabled": "turned on encryption",
    "room_e2e_disabled": "turned off encryption",
}
_CALLS = frozenset({"jitsi_call_started", "videoconf", "rtc", "bbb"})
_FILE_KEYS = ("image_url", "video_url", "audio_url", "title_link")


class MessageReader:
    """Reads the messages of all rooms."""

    def __init__(self, accounts: Accounts, lists: Lists, zone: tzinfo, held: Callable[[str], bool]) -> None:
        """``held``: returns whether the export has the file of this name in its folder ``assets``."""
        self._held = held
        self._accounts = accounts
        self._lists = lists
        self._zone = zone
        self.counts: Counter[str] = Counter()

    @or_reason
    def read(self, row: dict[str, Any]) -> Message | str:
        """Return the message, or the reason for its rejection."""
        time = self._time(row.get("ts"))
        if time is None:
            return "a message without a time that can be read"
        writer = object_of(row.get("u"))
        handle = words_of(writer.get("username")) or words_of(row.get("username"))
        account = key_of(writer.get("_id")) or self._lists.ids.get(handle, handle)
        speaker = self._accounts.name_of(account, words_of(writer.get("name")) or handle, handle, f"@{handle}")
        message: Message = {"speaker": speaker, "content": text_of(row.get("msg")), "time": time, "kind": "text",
                            "zone_origin": "explicit"}  # fmt: skip
        details: dict[str, str] = {}
        message_id = key_of(row.get("_id"))
        if message_id:
            message["id"] = message_id
        if thread := key_of(row.get("tmid")):
            message["thread"] = thread
        if row.get("bot") or account in self._lists.programs:
            message["role"] = "tool"
        if alias := words_of(row.get("alias")):
            details["bot"] = alias
        if row.get("pinned") is True:
            details["pinned"] = "true"
        self._edit(row, message_id, message)
        if reactions := self._reactions(object_of(row.get("reactions"))):
            message["reactions"] = reactions
        self._attached(row, message, details)
        self._kind(words_of(row.get("t")) or words_of(row.get("type")), row, message, details)
        if details:
            message["metadata"] = details
        return message

    def _time(self, value: object) -> datetime | None:
        moment = moment_of(value)
        instant = milliseconds_of(moment, self._zone)
        return instant if instant is not None else instant_of(moment, self._zone)

    def _edit(self, row: dict[str, Any], message_id: str, message: Message) -> None:
        if (edited := self._time(row.get("editedAt"))) is not None:
            message |= {"edited": True, "edited_at": edited}
        versions = self._lists.versions.pop(message_id, []) if message_id else []
        edits = [
            {"content": text, "time": self._time(each.get("editedAt"))}
            for each in versions
            if (text := text_of(each.get("msg"))).strip() and text != message["content"]
        ]
        edits.sort(key=lambda each: str(each["time"] or ""))
        if edits:
            message |= {"edited": True, "edits": edits}

    def _reactions(self, entries: dict[str, Any]) -> list[dict[str, Any]]:
        reactions: list[dict[str, Any]] = []
        for emoji, reaction in entries.items():
            handles = [words_of(each) for each in list_of(object_of(reaction).get("usernames"))]
            people = [self._lists.name_of(handle, self._accounts) for handle in handles if handle]
            if emoji.strip():
                reactions.append({"emoji": emoji, "people": list(dict.fromkeys(people))})
        return reactions

    def _attached(self, row: dict[str, Any], message: Message, details: dict[str, str]) -> None:
        """Add files, quotations and the texts of cards."""
        files = _files_of(row)
        shown: list[str] = []
        quoted: list[str] = []
        for entry in list_of(row.get("attachments")):
            card = object_of(entry)
            text = text_of(card.get("text")) or text_of(card.get("description"))
            if card.get("message_link"):
                quoted.append(text)
                link = re.search(r"[?&]msg=([A-Za-z0-9]{1,64})", words_of(card.get("message_link"))[:2_000])
                if link:
                    message.setdefault("reply_to", link[1])
                continue
            if words_of(card.get("type")) == "file" or any(card.get(key) for key in _FILE_KEYS):
                name = words_of(card.get("title")) or name_in(words_of(card.get("title_link"))) or "file"
                file = files.setdefault(name, {"name": name, "mime": mime_of(name), "missing": True})
                if self._held(f"{words_of(card.get('fileId'))}-{words_of(card.get('fileName'))}"):
                    file["missing"] = False
                if text and not message["content"].strip():
                    message["content"] = text  # the text of a file is the speaker's
                elif text and text != message["content"]:
                    shown.append(text)
                continue
            shown += [each for each in (text_of(card.get("title")), text) if each.strip()]
        if files:
            message["attachments"] = list(files.values())
        if shown:
            details["embeds"] = "\n".join(shown)
        if match := _QUOTED.match(message["content"]):
            message["reply_to"] = match[1]
            message["content"] = message["content"][match.end() :]
        if words := "\n".join(text for text in quoted if text.strip()):
            details["quoted"] = words

    def _kind(self, kind: str, row: dict[str, Any], message: Message, details: dict[str, str]) -> None:
        content: str = message["content"]
        if kind in ("e2e", "otr"):
            self.counts["undecrypted"] += 1
            message |= {"kind": "unknown", "content": "[encrypted message]"}
        elif kind == "rm":
            message |= {
                "kind": "deleted",
                "deleted": True,
                "content": content if content.strip() else "[deleted message]",
            }
        elif kind in _CALLS:
            message |= {"kind": "call", "content": content if content.strip() else "[call]"}
        elif kind and kind not in ("command", "slash-command", "file", "discussion"):
            words = _EVENTS.get(kind, kind.replace("_", " ").replace("-", " "))
            actor: str = message["speaker"]
            about = (
                f": {content}"
                if content.strip() and content != words_of(object_of(row.get("u")).get("username"))
                else ""
            )
            message |= {"kind": "system", "speaker": SYSTEM_SPEAKER, "content": f"{actor} {words}{about}"}
            message.pop("role", None)
        elif not content.strip():
            self._stand_in(row, message, details)

    def _stand_in(self, row: dict[str, Any], message: Message, details: dict[str, str]) -> None:
        place = list_of(object_of(row.get("location")).get("coordinates"))
        if files := message.get("attachments"):
            message |= {"kind": "media", "content": word_of(files[0]["mime"])}
        elif len(place) == 2:
            message |= {"kind": "location", "content": "[location]"}
            details["place"] = f"{place[1]},{place[0]}"
        elif "embeds" in details or "quoted" in details:
            text = details.pop("embeds", "") or details.pop("quoted", "")
            message |= {"content": text, "segments": [{"kind": "quote", "start": 0, "end": len(text)}]}
        else:
            self.counts["content-unknown"] += 1
            message |= {"kind": "unknown", "content": "[message without text]"}


def _files_of(row: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the uploaded files by name, without the thumbnails that the server makes."""
    files: dict[str, dict[str, Any]] = {}
    for entry in [*list_of(row.get("files")), row.get("file")]:
        file = object_of(entry)
        if (name := words_of(file.get("name"))) and not name.startswith("thumb-"):
            mime = words_of(file.get("type")) or mime_of(name)
            files.setdefault(name, {"name": name, "mime": mime, "missing": True})
            if (size := size_of(file.get("size"))) is not None:
                files[name]["size"] = size
    return files
