"""Conversion of one message of Webex into a message of a document. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from datetime import tzinfo
from typing import Any

from ...chats.accounts import Accounts
from ...chats.notices import CONTENT_UNKNOWN
from ...chats.ordered_days import Message
from ...opening.media_names import mime_of, name_in
from ...record_faults import or_reason
from ...text.html.text import plain_text
from ...text.json_fields import entries_of, list_of, object_of, text_of, words_of
from ...times.instants import instant_of

_SAYS = ("text", "title", "value", "label", "altText", "speak", "url")
"""The keys of words in a card."""
_DEEPEST = 48
_MOST_WORDS = 500


class MessageReader:
    """Converts messages. ``held``: the names of all files beside them."""

    def __init__(self, accounts: Accounts, held: Collection[str], zone: tzinfo) -> None:
        self.counts: Counter[str] = Counter()
        self._accounts = accounts
        self._held = held
        self._zone = zone

    @or_reason
    def read(self, row: dict[str, Any]) -> Message | str:
        """Return the message, or the reason why there is none."""
        time = instant_of(row.get("created"), self._zone)
        if not words_of(row.get("id")) or time is None:
            return "a message without an id" if time is not None else "a message without a time that can be read"
        mail = words_of(row.get("personEmail"))
        account = words_of(row.get("personId")) or mail
        if not account:
            return "a message without an author"
        content = _words(row)
        message: Message = {
            "speaker": self._accounts.name_of(account, words_of(row.get("personDisplayName")), mail),
            "content": content,
            "time": time,
            "id": words_of(row.get("id")),
            "kind": "text",
            "zone_origin": "explicit",
        }
        if parent := words_of(row.get("parentId")):
            message |= {"reply_to": parent, "thread": parent}
        if (updated := instant_of(row.get("updated"), self._zone)) is not None:
            message |= {"edited": True, "edited_at": updated}
        if mail.endswith((".bot", "@webex.bot", "@sparkbot.io")):
            message["role"] = "tool"
        if files := [self._file(address) for each in list_of(row.get("files")) if (address := words_of(each))]:
            message["attachments"] = files
        if not content.strip():
            if files:
                message |= {
                    "kind": "media",
                    "content": "[voice message]" if row.get("isVoiceClip") is True else "[file]",
                }
            else:
                self.counts[CONTENT_UNKNOWN] += 1
                message |= {"kind": "unknown", "content": "[message without text]"}
        return message

    def _file(self, address: str) -> dict[str, Any]:
        name = name_in(address) or "file"
        return {"name": name, "mime": mime_of(name), "missing": name not in self._held}


def _words(row: dict[str, Any]) -> str:
    """Return the words of a message: its text, else its other forms; then those of its cards."""
    text = text_of(row.get("text"))
    if not text.strip():
        page = text_of(row.get("html"))
        text = plain_text(page) if page.strip() else text_of(row.get("markdown"))
    cards = [
        words for each in entries_of(row.get("attachments")) for words in _of_card(object_of(each).get("content"), 0)
    ]
    more = [words for words in dict.fromkeys(cards[:_MOST_WORDS]) if words not in text]
    return "\n".join([text, *more] if text.strip() else more)


def _of_card(value: object, depth: int) -> Iterator[str]:
    """Yield the words of an adaptive card in their order."""
    if depth > _DEEPEST:
        return
    for each in list_of(value):
        yield from _of_card(each, depth + 1)
    for key, inner in object_of(value).items():
        if isinstance(inner, str):
            if key in _SAYS and inner.strip():
                yield inner.strip()
        else:
            yield from _of_card(inner, depth + 1)
