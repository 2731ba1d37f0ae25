"""Reads Adium's XML logs: sender, time with zone, and text as HTML. Streaming."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any, BinaryIO
from unicodedata import normalize

from ...chats.text_chats import NO_TIME, ChatFile, Item, Said, Unread, items_at
from ...connector import Member
from ...text.chat_lines import MESSAGE_LIMIT, TOO_LONG, FileState
from ...text.xml_stream import XmlError, XmlEvent, xml_events
from .lines import account_of
from .page_message import message_of_page

_CHAT = re.compile(rb"(?:\s|<\?xml[^>]{0,200}\?>){0,40}<chat\s(?P<attributes>[^>]{0,1000})>")
_SPACE = b"http://purl.org/net/ulf/ns/"
_ACCOUNT = re.compile(rb"""\b(?P<key>account|service)=(?:"(?P<value>[^"]{1,300})"|'(?P<other>[^']{1,300})')""")
_OTHER = re.compile(r"(?P<name>.+) \(\d{4}-\d\d-\d\dT[\d.]+[+-]\d{4}\)")
"""Matches the name of a file or bundle: ``ann@example.org (2010-01-15T12.00.00+0100).chatlog``."""
_TOLD = ("href", "src", "alt")
"""The attributes of a tag that carry content."""
_RECORDS = frozenset({"message", "action", "status", "event"})


@dataclass(slots=True)
class _Record:
    """A message whose text is being read."""

    number: int
    tag: str
    said: dict[str, str]
    page: list[str]
    size: int = 0


def chat_file(member: Member, head: bytes, name: str, held: frozenset[str]) -> ChatFile | None:
    """Return the chat in a file; None if it is not a log of Adium.

    Args:
        member: the file.
        head: its first bytes.
        name: its name, which contains the other person's account.
        held: the names of the files beside it.
    """
    begun = _CHAT.match(head.removeprefix(b"\xef\xbb\xbf"))
    if begun is None or _SPACE not in begun["attributes"]:
        return None
    values = {match["key"]: match["value"] or match["other"] for match in _ACCOUNT.finditer(begun["attributes"])}
    account, service = (values.get(key, b"").decode("utf-8", "replace") for key in (b"account", b"service"))
    named = _OTHER.match(normalize("NFC", name))
    other, account, protocol = account_of(named["name"] if named else name), account_of(account), service.casefold()
    log = _Log(account, held)
    return ChatFile(
        member, other, log.items, {"account": account, "network": protocol}, key=f"{protocol}/{account}/{other}"
    )


@dataclass(frozen=True, slots=True)
class _Log:
    account: str
    held: frozenset[str]

    def items(self, stream: BinaryIO, state: FileState) -> Iterator[Item]:
        record: _Record | None = None
        depth = number = 0
        try:
            for event in xml_events(stream):
                depth += (event.kind == "start") - (event.kind == "end")
                if record is not None and event.kind == "end" and depth == 1:
                    yield from items_at(f"/{record.number}", self._item, record, state)
                    record = None
                elif record is not None:
                    _add(record, event)
                elif event.kind == "start" and depth == 2 and event.name in _RECORDS:
                    number += 1
                    record = _Record(number, event.name, event.attributes, [])
        except XmlError as error:
            yield Unread(f"/{number + 1}", f"what follows cannot be read: {error}")

    def _item(self, record: _Record, state: FileState) -> Iterator[Item]:
        said, place = record.said, f"/{record.number}"
        message: dict[str, Any] = {"content": ""}
        if record.size <= MESSAGE_LIMIT:
            message = message_of_page("".join(record.page), self.held)
        if record.tag in ("event", "status") and not message["content"].strip():
            return  # opened windows, and presence changes without a text
        time = _time(said.get("time", ""))
        if time is None or record.size > MESSAGE_LIMIT:
            yield Unread(place, NO_TIME if time is None else TOO_LONG)
            return
        if not message["content"].strip():
            state.unknown += 1
            message = {"content": "[message without text]", "kind": "unknown"}
        account = _sender(said.get("sender", ""), said.get("alias", "").strip())
        if record.tag in ("event", "status"):
            yield Said(place, "", time, "second", message | {"kind": "system"})
            return
        if record.tag == "action" or said.get("auto") == "true":
            form = "action" if record.tag == "action" else "auto-reply"
            message["metadata"] = {**message.get("metadata", {}), "form": form}
        name = normalize("NFC", said.get("alias", "").strip()) or account
        is_own = bool(account) and account.casefold() == self.account.casefold()
        yield Said(place, name, time, "second", message, account, own=is_own)


def _sender(account: str, alias: str) -> str:
    """Return the sender's account. In a room the part after the slash is the alias, not a resource, and is kept."""
    return account.strip() if alias and account.endswith(f"/{alias}") else account_of(account)


def _add(record: _Record, event: XmlEvent) -> None:
    piece = escape(event.name, quote=False) if event.kind == "text" else _tag(event)
    record.size += len(piece)
    if record.size <= MESSAGE_LIMIT and not (event.kind == "end" and event.name == "br"):
        record.page.append(piece)


def _tag(event: XmlEvent) -> str:
    if event.kind == "end":
        return f"</{event.name}>"
    attributes = "".join(f' {key}="{escape(event.attributes[key])}"' for key in _TOLD if key in event.attributes)
    return f"<{event.name}{attributes}>"


def _time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time
