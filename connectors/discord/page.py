"""Pages of DiscordChatExporter (HTML): what a message shows, in the form that its JSON has. Pure.

Pages have no dates that a program can read, but the ids of messages, and an id tells when its message was sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..html_text import children_of, nodes_text
from .files import name_in

_EPOCH = datetime(2015, 1, 1, tzinfo=UTC)
"""Where Discord's ids begin: milliseconds since then, above 22 other bits (Discord's reference, "Snowflakes")."""
_NUMBER = re.compile(r"\d{5,20}")
_FILE_TITLE = re.compile(r"(?:Image|Video|Audio|Generic|Sticker): (.+?)(?: \([\d.,]+ [KMGT]?B\))?\Z", re.IGNORECASE)
_AUTHORS = ".chatlog__author, .chatlog__author-name, .chatlog__system-notification-author"
_CONTENTS = ".chatlog__markdown-preserve, .preserve-whitespace, .chatlog__system-notification-content"
_BLOCKS = frozenset({"div", "pre", "blockquote", "ul", "ol", "li", "h1", "h2", "h3"})
_CALL = "#call-icon"
_SYSTEM, _EDITED, _FILE = "chatlog__system-notification", "chatlog__edited-timestamp", "chatlog__attachment"
_BOX, _STICKER, _REACTION = "chatlog__embed", "chatlog__sticker", "chatlog__reaction"
_ANSWERS = frozenset({"chatlog__reply-link", "chatlog__reference-link"})
_PARTS = _ANSWERS | {_SYSTEM, _EDITED, _FILE, _BOX, _STICKER, _REACTION}


def sent_at(message_id: str) -> str:
    """When the message of an id was sent, as ISO 8601; empty where the id is none of Discord's."""
    try:
        return (_EPOCH + timedelta(milliseconds=int(message_id) >> 22)).isoformat()
    except (ValueError, OverflowError):
        return ""


def page_heads(head: bytes) -> list[str]:
    """What stands above the messages: the server, the channel behind its category, the topic."""
    root = LexborHTMLParser(head.decode("utf-8", "replace"))
    return [_words(node) for node in root.css(".preamble__entry") if _words(node)]


def group_messages(piece: bytes) -> Iterator[dict[str, Any]]:
    """The messages of one group: of one author, whose name stands above the first."""
    root = LexborHTMLParser(piece.decode("utf-8", "replace"))
    parts = frozenset(part for part in _PARTS if part.encode() in piece)  # most groups have words alone
    author: dict[str, Any] = {}
    for node in root.css("[data-message-id]"):
        found = node.css_first(_AUTHORS)
        if found is not None:
            author = _author(found, node)
        elif not author and (above := root.css_first(_AUTHORS)) is not None:
            author = _author(above, root.body)
        yield _message(node, author, parts)


def _author(node: LexborNode, around: LexborNode | None) -> dict[str, Any]:
    full = (node.attributes.get("title") or "").strip()
    handle, _, number = full.rpartition("#") if re.search(r"#\d{4}\Z", full) else (full, "", "")
    tag = around.css_first(".chatlog__author-tag, .chatlog__bot-tag") if around is not None else None
    return {
        "id": node.attributes.get("data-user-id") or "",
        "name": handle or full,
        "discriminator": number,
        "nickname": _words(node),
        "isBot": tag is not None and _words(tag) != "SERVER",
    }


def _message(node: LexborNode, author: dict[str, Any], parts: frozenset[str]) -> dict[str, Any]:
    """``parts``: what the group has at all."""
    own = node.attributes.get("data-message-id") or ""
    system = node.css_first(".chatlog__system-notification-content") if _SYSTEM in parts else None
    icon = node.css_first(".chatlog__system-notification-icon use") if _SYSTEM in parts else None
    called = icon is not None and icon.attributes.get("href") == _CALL
    link = node.css_first(".chatlog__reply-link, .chatlog__reference-link") if parts & _ANSWERS else None
    answered = _NUMBER.search((link.attributes.get("onclick") or "") if link is not None else "")
    content = node.css_first(_CONTENTS)
    return {
        "id": own,
        "type": "Default" if system is None else "Call" if called else "GuildMemberJoin",
        "timestamp": sent_at(own),
        "timestampEdited": _EDITED in parts and node.css_first(f".{_EDITED}") is not None,
        "isPinned": "pinned" in (node.attributes.get("class") or ""),
        "content": _shown(content) if content is not None else "",
        "author": author,
        "attachments": list(_files(node)) if _FILE in parts else [],
        "embeds": [{"description": nodes_text([box])} for box in node.css(f".{_BOX}")] if _BOX in parts else [],
        "stickers": list(_stickers(node)) if _STICKER in parts else [],
        "reactions": list(_reactions(node)) if _REACTION in parts else [],
        "reference": {"messageId": answered[0]} if answered else None,
    }


def _files(node: LexborNode) -> Iterator[dict[str, Any]]:
    for each in node.css(".chatlog__attachment"):
        media = each.css_first("[src]")
        link = each.css_first("a[href]")
        shown = media if media is not None else link
        if shown is None:
            continue
        url = (link.attributes.get("href") if link is not None else shown.attributes.get("src")) or ""
        titled = next((n.attributes.get("title") for n in each.css("[title]")), None)
        match = _FILE_TITLE.match(titled or "")
        yield {"url": url, "fileName": match[1] if match else name_in(url)}


def _stickers(node: LexborNode) -> Iterator[dict[str, Any]]:
    for each in node.css(".chatlog__sticker"):
        match = _FILE_TITLE.match(each.attributes.get("title") or "")
        media = each.css_first("[src], [data-source]")
        url = (media.attributes.get("src") or media.attributes.get("data-source")) if media is not None else ""
        yield {"name": match[1] if match else "sticker", "sourceUrl": url}


def _reactions(node: LexborNode) -> Iterator[dict[str, Any]]:
    for each in node.css(".chatlog__reaction"):
        image = each.css_first("img")
        name = (image.attributes.get("alt") if image is not None else "") or each.attributes.get("title") or ""
        count = each.css_first(".chatlog__reaction-count")
        number = _words(count) if count is not None else ""
        yield {"emoji": {"name": name}, "count": int(number) if number.isascii() and number.isdigit() else 1}


def _shown(content: LexborNode) -> str:
    """The words of a message with their blanks and line ends; pictures of emoji as the emoji."""
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


def _words(node: LexborNode) -> str:
    return " ".join((node.text(deep=True) or "").split())
