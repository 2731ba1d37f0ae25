"""Conversion of one message of a personal account's history (Teams or Skype) into a message of a document. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import Any

import orjson

from ....schemas import SYSTEM_SPEAKER
from ...chats.ordered_days import Message
from ...text.html.links import addresses_behind, as_metadata
from ...text.json_fields import id_of, list_of, object_of, text_of, words_of
from ...times.instants import instant_of, milliseconds_of
from .page_text import page_text, placeholder_of
from .rich_text import rich_text
from .skype_events import call_of, contacts_of, event_text, file_of, is_file, place_of

_UNKNOWN = "content-unknown"


def account_of(mri: object) -> str:
    """Return an account without its network's number: ``live:ann`` of ``8:live:ann``, also at the end of an address."""
    text = words_of(mri).rpartition("/")[2]
    network, colon, account_name = text.partition(":")
    return account_name if colon and network.isdigit() and len(network) <= 2 and network != "19" else text


class SkypeReader:
    """Converts the messages of all conversations."""

    def __init__(self, name_of: Callable[[str, str], str], zone: tzinfo, held: frozenset[str]) -> None:
        """Set what the messages need.

        Args:
            name_of: returns the name of an account; its second argument is the name in the message.
            zone: in which times are shown.
            held: the names of the export's files up to the first dot.
        """
        self._held = held
        self._name_of = name_of
        self._zone = zone
        self.counts: Counter[str] = Counter()

    def read(self, raw: dict[str, Any]) -> Message | str:
        """Return the message, or the reason why there is none."""
        message_id = id_of(raw.get("id"))
        time = instant_of(raw.get("originalarrivaltime") or raw.get("composetime"), self._zone)
        if time is None:
            time = milliseconds_of(message_id, self._zone) if len(message_id) == 13 else None
        if time is None:
            return "a message without a time that can be read"
        account = account_of(raw.get("from"))
        speaker = self._name_of(account, words_of(raw.get("displayName")))
        message: Message = {
            "speaker": speaker,
            "content": "",
            "time": time,
            "kind": "text",
            "zone_origin": "explicit",
        }
        if message_id:
            message["id"] = message_id
        if words_of(raw.get("from")).startswith("28:") or "/28:" in words_of(raw.get("from")):
            message["role"] = "tool"
        properties = object_of(raw.get("properties"))
        details: dict[str, str] = {}
        self._fill(words_of(raw.get("messagetype")), text_of(raw.get("content")), properties, message, details)
        self._change(properties, message)
        if reactions := self._reactions(properties.get("emotions")):
            message["reactions"] = reactions
        if details:
            message["metadata"] = details
        return message

    def _fill(
        self, kind: str, content: str, properties: dict[str, Any], message: Message, details: dict[str, str]
    ) -> None:
        """Fill in the text, the kind and the attachments."""
        if kind in ("RichText/Html", "Html"):
            details |= as_metadata(self._page(content, properties, message))
        elif kind in ("RichText", "Text", "RichText/Sms", ""):
            details |= as_metadata(self._words(kind, content, properties, message))
        elif is_file(kind):
            attachment, word = file_of(kind, content, self._held)
            message |= {"kind": "media", "content": word, "attachments": [attachment]}
        elif kind == "RichText/Contacts":
            message |= {"kind": "contact", "content": contacts_of(content)}
        elif kind == "RichText/Location":
            message["kind"] = "location"
            message["content"], where = place_of(content)
            if where:
                details["place"] = where
        elif kind in ("Event/Call", "RichText/ScheduledCallInvite"):
            message["kind"] = "call"
            message["content"], seconds = call_of(content)
            if seconds is not None:
                details["duration_s"] = str(seconds)
        elif kind == "Poll":
            message |= {"kind": "poll", "content": _poll(content, properties) or "[poll]"}
        elif kind.startswith(("ThreadActivity/", "EndToEndEncryption/", "Event/")) or kind in ("Notice", "PopCard"):
            text = event_text(kind, content, lambda mri: self._name_of(account_of(mri), ""))
            message |= {"kind": "system", "speaker": SYSTEM_SPEAKER, "content": text}
        else:
            self.counts[_UNKNOWN] += 1
            text = rich_text(content).text
            message |= {"kind": "unknown", "content": text if text.strip() else f"[{kind[:80]}]"}

    def _words(self, kind: str, content: str, properties: dict[str, Any], message: Message) -> list[str]:
        """Fill in the text; return the addresses behind it."""
        links: list[str] = []
        if kind == "Text":
            message["content"] = content
        else:
            rich = rich_text(content)
            links = addresses_behind(content)
            message["content"] = rich.text
            if rich.segments:
                message["segments"] = rich.segments
            if rich.answers:
                message["reply_to"] = rich.answers
            if rich.edited:
                message["edited"] = True
                message["edited_at"] = milliseconds_of(rich.edited_ms, self._zone)
        self._stand_in(properties, message)
        return links

    def _page(self, content: str, properties: dict[str, Any], message: Message) -> list[str]:
        """Fill in text that is HTML; return the addresses behind it."""
        page = page_text(content)
        message["content"] = page.text
        if page.segments:
            message["segments"] = page.segments
        if page.answers:
            message["reply_to"] = page.answers
        if files := page.pictures + _files(properties.get("files")):
            message["attachments"] = files
        self._stand_in(properties, message)
        return page.links

    def _stand_in(self, properties: dict[str, Any], message: Message) -> None:
        """Fill in a placeholder for empty text: a message without text and attachments was deleted."""
        if properties.get("deletetime"):
            message |= {"kind": "deleted", "deleted": True}
        if message["content"].strip(" \n\t\r\xa0"):
            return
        if message.get("attachments"):
            message |= {"kind": "media", "content": placeholder_of(message["attachments"])}
        else:
            message |= {"kind": "deleted", "deleted": True, "content": "[deleted message]"}
        message.pop("segments", None)

    def _change(self, properties: dict[str, Any], message: Message) -> None:
        if edited := properties.get("edittime"):
            message["edited"] = True
            message["edited_at"] = self._moment(edited) or message.get("edited_at")
        if properties.get("deletetime"):
            message["deleted"] = True

    def _moment(self, value: object) -> datetime | None:
        return milliseconds_of(value, self._zone) or instant_of(value, self._zone)

    def _reactions(self, entries: object) -> list[dict[str, Any]]:
        reactions: list[dict[str, Any]] = []
        for entry in list_of(parsed(entries)):
            emotion = object_of(entry)
            people = [account_of(object_of(user).get("mri")) for user in list_of(parsed(emotion.get("users")))]
            if (emoji := words_of(emotion.get("key"))) and people:
                reactions.append({"emoji": emoji, "people": [self._name_of(each, "") for each in people if each]})
        return reactions


def parsed(value: object) -> object:
    """Parse a value that may be JSON in a string."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return None
    return value


def _files(entries: object) -> list[dict[str, Any]]:
    """Return the files of Teams, which lie in OneDrive."""
    attachments: list[dict[str, Any]] = []
    for entry in list_of(parsed(entries)):
        file = object_of(entry)
        if name := words_of(file.get("fileName")) or words_of(file.get("title")):
            attachments.append({"name": name, "mime": None, "missing": True})
    return attachments


def _poll(content: str, properties: dict[str, Any]) -> str:
    held = object_of(parsed(properties.get("poll"))) or object_of(parsed(content))
    question = words_of(held.get("pollQuestion")) or words_of(held.get("question")) or words_of(held.get("title"))
    answers = [object_of(each) for each in list_of(held.get("pollOptions")) or list_of(held.get("options"))]
    shown = [text for each in answers if (text := words_of(each.get("text")) or words_of(each.get("title")))]
    if not question:
        return rich_text(content).text.strip() if not held else ""
    return "\n".join([question, *(f"- {answer}" for answer in shown)])
