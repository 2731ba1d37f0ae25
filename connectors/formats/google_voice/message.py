"""Converts the pages of Google Voice to messages of chats: one for each number, and for each group. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import Any

from ...chats.notices import CONTENT_UNKNOWN
from ...chats.ordered_days import Message
from ...chats.phone_contacts import Contacts, chat_of_numbers, message_id, number_key
from ...opening.media_names import mime_of, word_of
from ...record_faults import Failure, or_reason
from ...times.instants import instant_of
from .pages import MISSED, PLACED, RECEIVED, RECORDED, VOICEMAIL, Caller, PageFile, PageRecord, VoicePage

NO_TIME = "a message without a time that can be read"
_UNKNOWN = "unknown number"
_CALLS = {
    RECEIVED: "[incoming call]", PLACED: "[outgoing call]", MISSED: "[missed call]", VOICEMAIL: "[voicemail]",
    RECORDED: "[recorded call]",
}  # fmt: skip
_WORDS = {"image": "[photo]", "audio": "[audio]", "video": "[video]", "contact": "[contact]"}
_MMS = frozenset({"MMS Sent", "MMS Received"})
"""The words of the program in place of words that are not there."""
_NOT_TRANSCRIBED = "Unable to transcribe"
FindFile = Callable[[str], str]
"""A function that returns the name of a file beside a page by its beginning; empty if it is not there."""


class PageReader:
    """Converts pages, whose people were learned before."""

    def __init__(self, contacts: Contacts, user: str, zone: tzinfo) -> None:
        self._contacts = contacts
        self._user = user
        self._zone = zone
        self._numbers: dict[str, str] = {}
        self._own: set[str] = set()
        self.counts: Counter[str] = Counter()

    def learn(self, number: str, name: str) -> None:
        """Remember who has a number; pages with the owner's words alone only have the name."""
        if number_key(number) and name.strip():
            self._contacts.learn(number, name)
            self._numbers.setdefault(name.strip().casefold(), number)

    def learn_own(self, number: str) -> None:
        """Remember a number of the account's owner."""
        self._own.add(number_key(number))

    def messages(
        self, page: VoicePage, name: str, find_file: FindFile
    ) -> Iterator[tuple[str, dict[str, str], Message | str]]:
        """Yield the chat, its metadata and each message of a page, or the reason why it cannot be read.

        Args:
            page: the page.
            name: by which its file is named.
            find_file: for its files.
        """
        callers = [each.caller for each in page.records if not isinstance(each, Failure)]
        senders = {_key(each): each for each in callers if not self._is_own(each)}
        group = page.people or [*senders.values()]
        others = group if page.people or len(group) > 1 else [self._other(page, callers, name)]
        people = {_key(each): each for each in others if not self._is_own(each)}
        names = sorted(self._name(each) for each in people.values())
        keys = sorted(key for key in people if key)
        metadata = {"title": ", ".join(names) or _UNKNOWN} | ({"group": "true"} if others is group else {})
        for record in page.records:
            message = record if isinstance(record, Failure) else self._message(page, record, find_file)
            yield chat_of_numbers(keys), metadata, message

    def _other(self, page: VoicePage, callers: list[Caller], name: str) -> Caller:
        """Return the other side of a conversation of two, who may have said nothing in it."""
        for caller in callers:
            if not self._is_own(caller) and (caller.number or caller.name):
                return caller
        shown = name or page.title
        if number_key(shown).isdigit():
            return Caller(shown, "")
        return Caller(self._numbers.get(shown.casefold(), ""), shown)

    def _is_own(self, caller: Caller) -> bool:
        return caller.own or (bool(caller.number) and number_key(caller.number) in self._own)

    def _name(self, caller: Caller) -> str:
        if not (number_key(caller.number) or caller.name.strip()):
            return _UNKNOWN
        return self._contacts.learn(caller.number or caller.name, caller.name)

    @or_reason
    def _message(self, page: VoicePage, record: PageRecord, find_file: FindFile) -> Message | str:
        time = instant_of(record.time, self._zone)
        if time is None:
            return NO_TIME
        by_user = page.kind == PLACED or self._is_own(record.caller)
        files = [_attachment(each, find_file) for each in record.files]
        message: Message = {
            "speaker": self._user if by_user else self._name(record.caller),
            "time": time,
            "zone_origin": "explicit",
            **self._content(page.kind, record, files),
        }
        if files:
            message["attachments"] = files
        details = {"duration_s": str(record.seconds)} if record.seconds else {}
        details |= {"voicemail": "true"} if page.kind == VOICEMAIL else {}
        details |= {"labels": ", ".join(page.labels)} if page.labels else {}
        if details:
            message["metadata"] = details
        message["id"] = message_id(str(round(time.timestamp() * 1000)), message["content"], by_user=by_user)
        return message

    def _content(self, kind: str, record: PageRecord, files: list[dict[str, Any]]) -> Message:
        words = record.text
        if kind:
            is_transcript = bool(words) and not words.startswith(_NOT_TRANSCRIBED)
            return {"content": words or _CALLS.get(kind, "[call]"), "kind": "text" if is_transcript else "call"}
        if words.strip() and not (files and words.strip() in _MMS):
            return {"content": words, "kind": "text"}
        if files:
            first = record.files[0].kind
            shown = words if words.strip() else _WORDS.get(first) or word_of(files[0]["mime"])
            return {"content": shown, "kind": "contact" if first == "contact" else "media"}
        self.counts[CONTENT_UNKNOWN] += 1
        return {"content": "[message without text]", "kind": "unknown"}


def _key(caller: Caller) -> str:
    """Return the key of a person: of the number, else of the name."""
    return number_key(caller.number) or caller.name.casefold()


def _attachment(file: PageFile, find_file: FindFile) -> dict[str, Any]:
    name = find_file(file.name)
    return {"name": name or file.name, "mime": mime_of(name or file.name), "missing": not name}
