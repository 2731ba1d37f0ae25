"""Conversion of one message of ``messages.html`` into a record of ``result.json``, as far as the
page shows it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from selectolax.lexbor import LexborNode

from .html_media import media_fields
from .html_nodes import child, children, own_text, text_parts, words
from .values import Object

_ID = re.compile(r"message(-?[0-9]{1,18})", re.ASCII)
_GO_TO = re.compile(r"go_to_message(-?[0-9]{1,18})", re.ASCII)
_TIME = re.compile(
    r"(\d{2})\.(\d{2})\.(\d{4})\s+(\d{2}):(\d{2}):(\d{2})(?:\s+UTC([+-]\d{2}:\d{2}|\b(?![+-])))?", re.ASCII
)  # fmt: skip
_DAY = re.compile(r"(\d{1,2}) ([A-Z][a-z]+) (\d{4})", re.ASCII)
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_SEPARATORS = range(-100_000_000, 0)
"""The ids of the lines that name a day; ids of messages from before a group became a supergroup are far below."""
_VIA = re.compile(r"(?<!\s)\s++via\s++(@\w+)\s*+\Z", re.ASCII)
DELETED = "Deleted Account"


@dataclass(slots=True)
class Page:
    """The state carried from one message to the next, over all pages of a chat: the values that later messages leave
    out.
    """

    name: str = ""
    forwarded: str | None = None
    day: date | None = None
    """The day of the last line that names one."""
    time: str = ""
    """The time of the last message; service messages have none of their own."""


def record_of(node: LexborNode, page: Page) -> Object | None:
    """Return the record of a ``div.message``; None for a line that only names a day."""
    match = _ID.fullmatch(node.attributes.get("id") or "")
    number = int(match[1]) if match else None
    classes = (node.attributes.get("class") or "").split()
    if "service" in classes:
        return _service(node, number, page)
    body = child(node, "body")
    if body is None:
        return {"id": number, "type": "message"}
    record: Object = {"id": number, "type": "message"}
    shown = child(body, "date")
    page.time = record["date"] = _time((shown.attributes.get("title") or "") if shown else "")
    if (name := child(body, "from_name")) is not None:
        page.name = _name(name, record)
    record["from"] = None if page.name == DELETED else page.name
    _forwarded_and_content(body, record, page, joined="joined" in classes)
    _reply(body, record)
    _extras(body, record)
    return record


def _service(node: LexborNode, number: int | None, page: Page) -> Object | None:
    body = child(node, "body")
    line = words(body) if body is not None else ""
    day = _day(line)
    if number in _SEPARATORS if number is not None else day:
        page.day, page.time = day, ""
        return None
    record: Object = {"id": number, "type": "service", "information_text": line}
    record["date"] = page.time or (page.day.isoformat() if page.day else None)
    for link in body.css("a") if body is not None else ():
        if target := _GO_TO.search(link.attributes.get("href") or ""):
            record["message_id"] = int(target[1])
    return record


def _forwarded_and_content(body: LexborNode, record: Object, page: Page, *, joined: bool) -> None:
    content = child(body, "body")
    if content is not None:
        if (name := child(content, "from_name")) is not None:
            page.forwarded = _name(name, record)
        elif not joined:
            page.forwarded = None
        record["forwarded_from"] = None if page.forwarded == DELETED else page.forwarded
    else:
        page.forwarded = None
        content = body
    wrap = child(content, "media_wrap")
    if wrap is not None:
        record |= media_fields(wrap)
        if "action" in record:  # a call
            record["actor"] = record.pop("from")
    text = child(content, "text") or child(body, "text")
    parts = text_parts(text) if text is not None else []
    record["text"] = parts
    if (signature := child(content, "signature")) is not None:
        record["author"] = words(signature)


def _reply(body: LexborNode, record: Object) -> None:
    for holder in (*children(body, "reply_to"), *(each for inner in children(body, "body") for each in children(inner, "reply_to"))):  # fmt: skip
        for link in holder.css("a"):
            if target := _GO_TO.search(link.attributes.get("href") or ""):
                record["reply_to_message_id"] = int(target[1])


def _extras(body: LexborNode, record: Object) -> None:
    """Add the reactions and the buttons of bots."""
    reactions = list(_reactions(body))
    if reactions:
        record["reactions"] = reactions
    rows = [
        [{"text": words(button)} for button in row.css(".bot_button") if words(button)]
        for row in body.css("table.bot_buttons_table tr")
    ]
    if any(rows):
        record["inline_bot_buttons"] = [row for row in rows if row]


def _reactions(body: LexborNode) -> Iterator[Object]:
    for each in body.css(".reactions .reaction"):
        emoji = each.css_first(".emoji")
        people = [who.attributes.get("title") or "" for who in each.css(".initials")]
        reactions: dict[str, Any] = {"type": "emoji", "emoji": words(emoji) if emoji else ""}
        reactions["recent"] = [{"from": name} for name in people if name.strip()]
        count = each.css_first(".count")
        shown = words(count) if count else ""
        reactions["count"] = int(shown) if shown.isdecimal() and len(shown) < 10 else len(people)
        yield reactions


def _name(node: LexborNode, record: Object) -> str:
    """Return the name without its "via @bot" suffix, which is added to the record."""
    name = own_text(node).strip()
    if not name and (link := node.css_first("a")) is not None:  # another program's page: the app writes no links here
        name = words(link)
    if via := _VIA.search(name):
        record["via_bot"] = via[1]
        name = name[: via.start()]
    return name


def _time(title: str) -> str:
    match = _TIME.search(title)
    if match is None:
        return ""
    day, month, year, hour, minute, second, zone = match.groups()
    offset = zone or ("" if zone is None else "+00:00")
    return f"{year}-{month}-{day}T{hour}:{minute}:{second}{offset}"


def _day(line: str) -> date | None:
    match = _DAY.fullmatch(line)
    if match is None or match[2] not in _MONTHS:
        return None
    try:
        return date(int(match[3]), _MONTHS.index(match[2]) + 1, int(match[1]))
    except ValueError:
        return None
