"""Detection of Telegram's exports by the beginning of a file."""

from __future__ import annotations

import io
import re

from ...text.json_stream import Element, Field, JSONStream, Started
from .chats import CHAT_TYPES
from .json_export import PATHS, is_message
from .message import WITHOUT_ID
from .values import Object, object_of, parse

HEAD = 64 * 1024
"""The number of bytes read for detection."""
SURE = 0.95
_JSON_MARKS = re.compile(rb'"(?:date|date_unixtime|user_id|' + "|".join(sorted(CHAT_TYPES)).encode() + rb')"')
"""Matches the words of which every export has one; this rules out most other JSON beside a chat."""
_HTML_MESSAGE = re.compile(rb'<div class="message (?:service|default clearfix)[^"]*" id="message-?\d')
_HTML_PAGE = re.compile(rb'<div class="page_wrap')
_HTML_TIME = re.compile(rb'<div class="pull_right date details" title="\d\d\.\d\d\.\d{4} ')
_HTML_HEADER = re.compile(rb'<div class="page_header')
_HTML_HISTORY = re.compile(rb'<div class="history')


def json_score(head: bytes) -> float:
    """Return the certainty that a beginning, without a byte order mark, is that of ``result.json``."""
    if not head.lstrip().startswith(b"{") or not _JSON_MARKS.search(head):
        return 0.0
    fields: dict[str, Object] = {}
    best = 0.0
    holder = ""
    for event in JSONStream(io.BytesIO(head).read, PATHS, parse, genuine=is_message).events():
        if isinstance(event, Field):
            fields.setdefault(event.holder, {})[event.key] = event.value
        elif isinstance(event, Started):
            holder = event.holder
            if _is_chat(fields.get(holder, {})):
                best = max(best, 0.9)
        elif isinstance(event, Element):
            best = max(best, _message_score(event.value, fields.get(holder, {})))
            if best >= SURE:
                break
    root = fields.get("", {})
    if "user_id" in object_of(root.get("personal_information")):
        best = max(best, 0.9)
    return best


def _is_chat(fields: Object) -> bool:
    kind = fields.get("type")
    return isinstance(kind, str) and kind in CHAT_TYPES


def _message_score(value: object, chat: Object) -> float:
    message = object_of(value)
    if message.keys() >= WITHOUT_ID and message["type"] == "message" and "id" not in message:
        # the output of a program that rewrites exports
        return 0.75 if "date_unixtime" in message else 0.6 if isinstance(message.get("date"), str) else 0.0
    if not is_message(message) or not isinstance(message["id"], int):
        return 0.0
    if _is_chat(chat):
        return SURE
    marks = message.keys() & {"from_id", "actor_id", "date_unixtime", "text_entities", "actor"}
    return 0.8 if marks and "date" in message else 0.3


def html_score(head: bytes) -> float:
    """Return the certainty that a beginning is that of ``messages.html``."""
    message = _HTML_MESSAGE.search(head)
    if not _HTML_PAGE.search(head):
        return SURE if message and _HTML_TIME.search(head) else 0.0
    if message:
        return SURE
    return 0.8 if _HTML_HEADER.search(head) and _HTML_HISTORY.search(head) else 0.0
