"""Parses pages of DiscordChatExporter (HTML) into messages in the form of its JSON. Pure.

Pages have no machine-readable dates, but they have the ids of messages, and an id contains the time of sending.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ...record_faults import Failure, attempt
from ...text.html.text import children_of
from ...text.html.tree import TOO_COSTLY, html_tree
from .page_parts import boxes_of, command_of, files_of, poll_of, reactions_of, stickers_of, words

_EPOCH = datetime(2015, 1, 1, tzinfo=UTC)
"""The epoch of Discord's ids: an id is the milliseconds since then, shifted left by 22 bits (Discord's reference,
"Snowflakes").
"""
_NUMBER = re.compile(r"\d{5,20}")
_AUTHORS = ".chatlog__author, .chatlog__author-name, .chatlog__system-notification-author"
_CONTENTS = ".chatlog__markdown-preserve, .preserve-whitespace, .chatlog__system-notification-content"
_BLOCKS = frozenset({"div", "pre", "blockquote", "ul", "ol", "li", "h1", "h2", "h3"})
_CALL = "#call-icon"
_SYSTEM, _EDITED, _FILE = "chatlog__system-notification", "chatlog__edited-timestamp", "chatlog__attachment"
_BOX, _STICKER, _REACTION = "chatlog__embed", "chatlog__sticker", "chatlog__reaction"
_FORWARDED, _POLL, _REPLY = "chatlog__forwarded", "chatlog__poll", "chatlog__reply"
_ANSWERS = frozenset({"chatlog__reply-link", "chatlog__reference-link"})
_PARTS = _ANSWERS | {_SYSTEM, _EDITED, _FILE, _BOX, _STICKER, _REACTION, _FORWARDED, _POLL, _REPLY}


def sent_at(message_id: str) -> str:
    """Return the time at which the message with an id was sent, as ISO 8601; empty for an id that is not a number or
    has no time.
    """
    try:
        return (_EPOCH + timedelta(milliseconds=int(message_id) >> 22)).isoformat()
    except (ValueError, OverflowError):
        return ""


def page_heads(head: bytes) -> list[str]:
    """Return the lines above the messages: the server, the category with the channel, the topic."""
    root = html_tree(head.decode("utf-8", "replace"))
    return [words(node) for node in root.css(".preamble__entry") if words(node)] if root is not None else []


def group_messages(piece: bytes) -> Iterable[dict[str, Any] | Failure] | str:
    """Return the messages of one group, or the reason why it cannot be read. A group has one author, named above its
    first message.
    """
    root = html_tree(piece.decode("utf-8", "replace"))
    return TOO_COSTLY if root is None else _messages(root, piece)


def _messages(root: LexborHTMLParser, piece: bytes) -> Iterator[dict[str, Any] | Failure]:
    parts = frozenset(part for part in _PARTS if part.encode() in piece)  # most groups have only text
    author: dict[str, Any] = {}
    for node in root.css("[data-message-id]"):
        element = node.css_first(_AUTHORS)
        if element is not None:
            author = _author(element, node)
        elif not author and (above := root.css_first(_AUTHORS)) is not None:
            author = _author(above, root.body)
        yield attempt(_message, node, author, parts)


def _author(node: LexborNode, around: LexborNode | None) -> dict[str, Any]:
    full = (node.attributes.get("title") or "").strip()
    handle, _, number = full.rpartition("#") if re.search(r"#\d{4}\Z", full) else (full, "", "")
    tag = around.css_first(".chatlog__author-tag, .chatlog__bot-tag") if around is not None else None
    return {
        "id": node.attributes.get("data-user-id") or "",
        "name": handle or full,
        "discriminator": number,
        "nickname": words(node),
        "isBot": tag is not None and words(tag) != "SERVER",
    }


def _message(node: LexborNode, author: dict[str, Any], parts: frozenset[str]) -> dict[str, Any]:
    """Return the message of an element; ``parts`` are the classes that occur in its group."""
    message_id = node.attributes.get("data-message-id") or ""
    system = node.css_first(".chatlog__system-notification-content") if _SYSTEM in parts else None
    icon = node.css_first(".chatlog__system-notification-icon use") if _SYSTEM in parts else None
    called = icon is not None and icon.attributes.get("href") == _CALL
    link = node.css_first(".chatlog__reply-link, .chatlog__reference-link") if parts & _ANSWERS else None
    answered = _NUMBER.search((link.attributes.get("onclick") or "") if link is not None else "")
    # Forwarded messages and boxes contain the same text classes: they are removed before the message's own text is
    # looked up.
    forwarded = _forwarded(node) if _FORWARDED in parts else None
    boxes = list(boxes_of(node)) if _BOX in parts else []
    poll = poll_of(node) if _POLL in parts else ""
    content = node.css_first(_CONTENTS)
    return {
        "id": message_id,
        "type": "46" if poll else "Default" if system is None else "Call" if called else "GuildMemberJoin",
        "timestamp": sent_at(message_id),
        "timestampEdited": _EDITED in parts and node.css_first(f".{_EDITED}") is not None,
        "isPinned": "pinned" in (node.attributes.get("class") or ""),
        "content": "\n".join(filter(None, (_shown(content) if content is not None else "", poll))),
        "author": author,
        "attachments": list(files_of(node, ".chatlog__attachment")) if _FILE in parts else [],
        "embeds": boxes,
        "stickers": list(stickers_of(node)) if _STICKER in parts else [],
        "reactions": list(reactions_of(node)) if _REACTION in parts else [],
        "reference": {"messageId": answered[0]} if answered else None,
        "forwardedMessage": forwarded,
        "interaction": command_of(node) if _REPLY in parts and link is None else None,
    }


def _forwarded(node: LexborNode) -> dict[str, Any] | None:
    """Return the forwarded message in the form of JSON, and remove it from the message that contains it."""
    box = node.css_first(f".{_FORWARDED}")
    if box is None:
        return None
    content = box.css_first(_CONTENTS)
    metadata = {
        "content": _shown(content) if content is not None else "",
        "attachments": list(files_of(box, ".chatlog__forwarded-attachment, .chatlog__attachment-generic")),
        "stickers": list(stickers_of(box)),
    }
    box.decompose()
    return metadata


def _shown(content: LexborNode) -> str:
    """Return the text of a message with its white space and line ends; an image of an emoji gives the emoji."""
    parts: list[str] = []
    stack: list[LexborNode | str] = [content]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        tag = node.tag or ""
        if tag == "-text":
            parts.append(node.text(deep=False) or "")
        elif tag == "br":
            parts.append("\n")
        elif tag == "img":
            parts.append(node.attributes.get("alt") or "")
        elif not tag.startswith(("-", "!", "_")):
            if tag in _BLOCKS and node is not content:
                if parts and not parts[-1].endswith("\n"):
                    parts.append("\n")
                stack.append("\n")
            stack.extend(reversed(children_of(node)))
    text = "".join(parts)
    system = "system" in (content.attributes.get("class") or "")
    return " ".join(text.split()) if system else text.removesuffix("\n")
