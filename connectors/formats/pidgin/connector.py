"""Reads logs of Pidgin and Adium as text, HTML and XML: one file per conversation, in folders by account."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape, unescape
from typing import Any, BinaryIO
from unicodedata import normalize

from ...chats.text_chat_connector import TextChatConnector
from ...chats.text_chats import NO_TIME, ChatFile, Item, Said, Unread, item_at
from ...connector import Member
from ...text.chat_lines import TOO_LONG, FileState, chat_lines, headed
from ...text.html.text import plain_text
from . import adium
from .lines import Line, account_of, line_of
from .page_message import message_of_page
from .times import Beginning, Times, beginning_of, clock_in, day_in, order_in

_TITLE = re.compile(
    r"(?:<!DOCTYPE[^<>]{0,200}>\s*)?(?:<html[^<>]{0,200}>.{0,600}?<title>)?"
    r"Conversation with (?P<other>[^\n<>]{1,300}?) at (?P<begun>[^\n<>]{6,80}?) on (?P<account>[^\n<>]{1,300}?) \((?P<protocol>[\w-]{2,30})\)"
    r"(?:\s*$|</title>)",
    re.DOTALL | re.MULTILINE,
)
_LEAST_NUMBERS = 4
"""The smallest number of numerals in a title's time: ``Conversation with Ann at 10:30 on Zoom (video)`` is a note."""
_NUMBER = re.compile(r"\d+")
_PEOPLE = 1_000
"""The largest number of names that are remembered to find the actor of an action."""


class PidginConnector(TextChatConnector):
    """Reads Pidgin's logs, which have a title with both accounts, and lines with timestamps."""

    name = "pidgin"
    program = "Pidgin"

    def chat_in(self, member: Member, head: bytes, held: frozenset[str], *, detect: bool) -> ChatFile | bool | None:
        """Recognise a log by its first line."""
        del detect
        name = normalize("NFC", member.name.rpartition("/")[2])
        if chat_file := adium.chat_file(member, head, name, held):
            return chat_file
        if b"Conversation with " not in head[:2048]:
            return None
        text = head.decode("utf-8", "replace").lstrip("\ufeff \r\n")
        title = _TITLE.match(text)
        if title is None or len(_NUMBER.findall(title["begun"])) < _LEAST_NUMBERS:
            return None
        if not any(line_of(line) for line in text.splitlines()[1:]):
            return None
        other, account = (account_of(normalize("NFC", unescape(title[key]))) for key in ("other", "account"))
        log = _Log(title["begun"], account, beginning_of(name), held)
        metadata = {"account": account, "network": title["protocol"]}
        return ChatFile(member, other, log.items, metadata, key=f"{title['protocol']}/{account}/{other}")


@dataclass(frozen=True, slots=True)
class _Log:
    """One log file."""

    begun: str
    """The beginning of the conversation as the title writes it."""
    account: str
    """The user's account."""
    name: Beginning
    held: frozenset[str]
    """The names of the files beside the log."""

    def items(self, stream: BinaryIO, state: FileState) -> Iterator[Item]:
        order = order_in(self.begun) or state.date_order
        day = self.name.day or day_in(self.begun, order)
        other = day_in(self.begun, "mdy")
        if order is None and self.name.day == other != day_in(self.begun, "dmy"):
            order = "mdy"  # the file name has the same day in another form
        state.date_order_open = order is None and self.name.day is None and day != other
        begun = clock_in(self.begun) if self.name.clock is None else self.name.clock
        times = Times(day, self.name.zone, order, begun)
        names: set[str] = set()
        for record in headed(chat_lines(stream, state), line_of):
            if record.header is None:
                if record.text is None or not _is_title(record.text):
                    yield Unread(record.line, "text before the first message")
            elif record.text is None:
                yield Unread(record.line, TOO_LONG)
            else:
                line, text = record.header, record.text
                if line.kind == "action" and not line.html:
                    name = _actor(text, names)
                    line, text = line._replace(name=name), text[len(name) :].lstrip(" ")
                if len(names) < _PEOPLE:
                    names.add(line.name)
                yield item_at(record.line, self._item, record.line, line, text, times, state)

    def _item(self, number: int, line: Line, text: str, times: Times, state: FileState) -> Item:
        result = times.read(line.stamp)
        if result is None:
            return Unread(number, NO_TIME)
        message: dict[str, Any] = {"content": text.rstrip("\n")}
        if line.html:
            message = message_of_page(text.rstrip().removesuffix("<br/>").removesuffix("<br>"), self.held)
        if not message["content"].strip():
            state.unknown += 1
            message = {"content": "[message without text]", "kind": "unknown"}
        elif line.kind == "event":
            message["kind"] = "system"
        if line.kind in ("action", "reply"):
            form = "auto-reply" if line.kind == "reply" else "action"
            message["metadata"] = {**message.get("metadata", {}), "form": form}
        is_own = line.kind == "own" or line.name.casefold() == self.account.casefold()
        return Said(number, line.name, result[0], result[1], message, own=is_own)


def _actor(text: str, names: set[str]) -> str:
    """Return the actor in ``Ann Archer waves``: the longest name that wrote before, else the first word."""
    speakers = (name for name in names if name and text.startswith(f"{name} "))
    return max(speakers, key=len, default="") or text.partition(" ")[0]


def _is_title(text: str) -> bool:
    """Return whether the text is only the title; most HTML logs repeat it as a heading."""
    text = text.strip("\ufeff \r\n")
    words = escape(plain_text(text).strip(), quote=False) if text.startswith("<") else text
    return not words or _TITLE.fullmatch(words) is not None
