"""Converts posts and replies of Mattermost to messages. Pure."""

from __future__ import annotations

from collections import Counter
from datetime import tzinfo
from hashlib import sha256
from typing import Any

from ....schemas import SYSTEM_SPEAKER
from ...chats.accounts import Accounts
from ...chats.ordered_days import Message
from ...opening.media_names import mime_of, name_in, word_of
from ...record_faults import or_reason
from ...text.json_fields import list_of, object_of, text_of, words_of
from ...times.instants import milliseconds_of
from .lists import Lists

_PROGRAM_TEXTS = ("pretext", "author_name", "title", "text", "footer")
_JOINS = (" joined the channel.", " left the channel.", " joined the team.", " left the team.")


class PostReader:
    """Reads the posts of an export."""

    def __init__(self, accounts: Accounts, lists: Lists, zone: tzinfo, files: set[str]) -> None:
        """``files``: the paths of the files in the export."""
        self._accounts = accounts
        self._lists = lists
        self._zone = zone
        self._files = files
        self.counts: Counter[str] = Counter()

    @or_reason
    def read(self, post: dict[str, Any], chat: str, thread: str | None) -> Message | str:
        """Return the message, or the reason for its rejection.

        Mattermost exports no ids. On import it identifies a post by author, channel and time in milliseconds, so the id
        is a hash of these, and an edit keeps it.

        Args:
            post: a post or a reply.
            chat: the key of its channel.
            thread: the id of the post that it replies to.
        """
        time = milliseconds_of(post.get("create_at"), self._zone)
        account = words_of(post.get("user"))
        if time is None or not account:
            return "a post without a time that can be read" if account else "a post without an author"
        key = sha256(f"{chat}\n{account}\n{post.get('create_at')}".encode("utf-8", "surrogatepass"))
        message: Message = {
            "speaker": self._accounts.name_of(account),
            "content": text_of(post.get("message")),
            "time": time,
            "id": key.hexdigest()[:24],
            "kind": "text",
            "zone_origin": "explicit",
        }
        props = object_of(post.get("props"))
        kind = words_of(post.get("type"))
        details: dict[str, str] = {}
        if thread is not None:
            message["thread"] = thread
        self._edited(post, message)
        self._files_of(post, message)
        self._program(account, props, message, details)
        if reactions := self._reactions(list_of(post.get("reactions"))):
            message["reactions"] = reactions
        if post.get("is_pinned") is True:
            details["pinned"] = "true"
        self._kind(account, kind, message, details)
        if details:
            message["metadata"] = details
        return message

    def _edited(self, post: dict[str, Any], message: Message) -> None:
        edited = post.get("edit_at")
        if isinstance(edited, int) and edited > 0:
            message |= {"edited": True, "edited_at": milliseconds_of(edited, self._zone)}

    def _files_of(self, post: dict[str, Any], message: Message) -> None:
        attachments: list[dict[str, Any]] = []
        for entry in list_of(post.get("attachments")):
            path = words_of(object_of(entry).get("path"))
            if name := name_in(path):
                missing = not any(place in self._files for place in (path, f"data/{path}"))
                attachments.append({"name": name, "mime": mime_of(name), "missing": missing})
        if attachments:
            message["attachments"] = attachments

    def _program(self, account: str, props: dict[str, Any], message: Message, details: dict[str, str]) -> None:
        """Mark messages of bots and webhooks, with the name that they display."""
        from_hook = str(props.get("from_webhook", "")).lower() == "true"
        if from_hook or account in self._lists.programs or str(props.get("from_bot", "")).lower() == "true":
            message["role"] = "tool"
            if from_hook and (name := words_of(props.get("override_username"))):
                details["bot"] = name
        shown: list[str] = []
        for entry in list_of(props.get("attachments")):
            card = object_of(entry)
            shown += [text for key in _PROGRAM_TEXTS if (text := text_of(card.get(key))).strip()]
            for each in list_of(card.get("fields")):
                program = object_of(each)
                shown += [f"{text_of(program.get('title'))}: {text_of(program.get('value'))}"]
        if shown:
            details["embeds"] = "\n".join(shown)

    def _kind(self, account: str, kind: str, message: Message, details: dict[str, str]) -> None:
        content: str = message["content"]
        joined = content.removeprefix("@").startswith(account) and content.endswith(_JOINS) and not kind
        if (kind.startswith("system_") and kind != "system_ephemeral") or joined:
            message |= {"kind": "system", "speaker": SYSTEM_SPEAKER}
            details["actor"] = self._accounts.name_of(account)
            if kind:
                details["subtype"] = kind
        elif kind in ("me", "custom_me"):
            details["emote"] = "true"
        elif "call" in kind:
            message["kind"] = "call"
        if content.strip():
            return
        if files := message.get("attachments"):
            message |= {"kind": "media", "content": word_of(files[0]["mime"])}
        elif "embeds" in details:
            text = details.pop("embeds")
            message |= {"content": text, "segments": [{"kind": "quote", "start": 0, "end": len(text)}]}
        elif message["kind"] in ("system", "call"):
            message["content"] = f"[{kind.removeprefix('system_').replace('_', ' ')}]"
        else:
            self.counts["content-unknown"] += 1
            message |= {"kind": "unknown", "content": "[message without text]"}

    def _reactions(self, entries: list[Any]) -> list[dict[str, Any]]:
        reactions: dict[str, list[str]] = {}
        for entry in entries:
            reaction = object_of(entry)
            if name := words_of(reaction.get("emoji_name")):
                people = reactions.setdefault(f":{name}:", [])
                if account := words_of(reaction.get("user")):
                    people.append(self._accounts.name_of(account))
        return [{"emoji": emoji, "people": list(dict.fromkeys(people))} for emoji, people in reactions.items()]
