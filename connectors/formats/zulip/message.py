"""Conversion of one message of Zulip into a message of a document. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import tzinfo
from typing import Any

import orjson

from ...chats.accounts import Accounts
from ...chats.ordered_days import Message
from ...opening.media_names import mime_of, name_in
from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from ...times.instants import instant_of
from .realm import Realm

_UPLOAD = re.compile(r"\]\((?:https?://[^\s()/]{1,200})?/user_uploads/([^\s()]{1,500})\)")
_FENCE = re.compile(r"[ ]{0,3}(`{3,64}|~{3,64})[ \t]*([^\n`]{0,80})")
_FILE_ALONE = re.compile(r"\[[^\[\]\n]{0,500}\]\([^\s()]{1,600}\)")


class MessageReader:
    """Converts the messages of an organisation."""

    def __init__(self, accounts: Accounts, realm: Realm, zone: tzinfo, held: Callable[[str], bool]) -> None:
        """``held``: returns whether the export has an uploaded file of this path."""
        self._accounts = accounts
        self._realm = realm
        self._zone = zone
        self._held = held
        self.unknown = 0

    def read(self, row: dict[str, Any]) -> Message | str:
        """Return the message, or the reason why there is none."""
        message_id, time = id_of(row.get("id")), instant_of(row.get("date_sent") or row.get("pub_date"), self._zone)
        if not message_id or time is None:
            return "a message without an id" if not message_id else "a message without a time that can be read"
        sender = id_of(row.get("sender"))
        if not sender:
            return "a message without a sender"
        content = text_of(row.get("content"))
        message: Message = {
            "speaker": self._accounts.name_of(sender),
            "content": content,
            "time": time,
            "id": message_id,
            "kind": "text",
            "zone_origin": "explicit",
        }
        if sender in self._realm.programs:
            message["role"] = "tool"
        if topic := words_of(row.get("subject")):
            message["metadata"] = {"topic": topic}
        self._edits(row, message)
        if files := self._files(content):
            message["attachments"] = files
            if not _FILE_ALONE.sub("", content).strip(" !\n"):
                message["kind"] = "media"
        if segments := segments_of(content):
            message["segments"] = segments
        if reactions := self._realm.reactions.pop(message_id, None):
            people: dict[str, list[str]] = {}
            for emoji, account in reactions:
                people.setdefault(emoji, []).append(self._accounts.name_of(account))
            message["reactions"] = [{"emoji": emoji, "people": names} for emoji, names in people.items()]
        if not content.strip():
            self.unknown += 1
            message |= {"kind": "unknown", "content": "[message without text]"}
        elif content == "(deleted)":  # left of a message that its author emptied
            message |= {"kind": "deleted", "deleted": True}
        return message

    def _edits(self, row: dict[str, Any], message: Message) -> None:
        """Add the earlier versions, which the history lists newest first. Moves to another topic are no edits."""
        history = row.get("edit_history")
        if isinstance(history, str):
            try:
                history = orjson.loads(history)
            except orjson.JSONDecodeError:
                history = None
        versions = [object_of(entry) for entry in list_of(history)]
        edits = [
            {"content": text_of(each.get("prev_content")), "time": instant_of(each.get("timestamp"), self._zone)}
            for each in reversed(versions)
            if text_of(each.get("prev_content")).strip()
        ]
        if edits:
            last = edits[-1]["time"] or instant_of(row.get("last_edit_time"), self._zone)
            message |= {"edited": True, "edited_at": last, "edits": edits}
        elif row.get("last_edit_time") and not versions:
            message |= {"edited": True, "edited_at": instant_of(row.get("last_edit_time"), self._zone)}

    def _files(self, content: str) -> list[dict[str, Any]]:
        attachments: list[dict[str, Any]] = []
        for path in dict.fromkeys(_UPLOAD.findall(content)):
            name = name_in(f"https://x/{path}")
            file: dict[str, Any] = {"name": name, "mime": mime_of(name), "missing": not self._held(path)}
            if (size := self._realm.sizes.get(path)) is not None:
                file["size"] = size
            attachments.append(file)
        return attachments


def segments_of(content: str) -> list[dict[str, Any]]:
    """Return the outermost quotes and code between the fences of Zulip's Markdown, as segments."""
    if "```" not in content and "~~~" not in content:
        return []
    result: list[dict[str, Any]] = []
    opened: list[str] = []
    kind, start, at = "", 0, 0
    for line in content.split("\n"):
        fence = _FENCE.match(line)
        if fence is not None:
            mark, word = fence[1], fence[2].strip().lower()
            closes = bool(opened) and not word and mark[0] == opened[-1][0] and len(mark) >= len(opened[-1])
            if closes:
                opened.pop()
                if not opened and kind:
                    result.append({"kind": kind, "start": start, "end": min(at + len(line), len(content))})
            elif not opened or kind == "quote":
                if not opened:
                    kind = "quote" if word == "quote" else "" if word.startswith("spoiler") else "code"
                    start = at
                opened.append(mark)
        at += len(line) + 1
    if opened and kind:
        result.append({"kind": kind, "start": start, "end": len(content)})
    return result
