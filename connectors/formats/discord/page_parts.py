"""Parses the parts of a message besides its text on a page of DiscordChatExporter, in the form of its JSON. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from selectolax.lexbor import LexborNode

from ...text.html.text import nodes_text
from .files import name_in

_FILE_TITLE = re.compile(r"(?:Image|Video|Audio|Generic|Sticker): (.+?)(?: \([\d.,]+ [KMGT]?B\))?\Z", re.IGNORECASE)
_COMMAND = re.compile(r"used /(.+)")
_ADDRESSES = ("data-canonical-url", "src", "data-source", "href")
"""The attributes with the address of a medium; if the medium was downloaded with the page, only the first has the
original address.
"""


def words(node: LexborNode) -> str:
    """Return the text of a node in one line."""
    return " ".join((node.text(deep=True) or "").split())


def files_of(node: LexborNode, selector: str) -> Iterator[dict[str, Any]]:
    """Yield the files of a message; ``selector`` matches the element of each."""
    for each in node.css(selector):
        inside = [each, *each.css("[src], a[href]")]
        link = next((n for n in inside if n.tag == "a" and n.attributes.get("href")), None)
        media = next((n for n in inside if n.attributes.get("src")), None)
        if link is None and media is None:
            continue
        url = link.attributes.get("href") if link is not None else None
        url = url or (media.attributes.get("src") if media is not None else None) or ""
        title = next((t for n in [each, *each.css("[title]")] if (t := n.attributes.get("title"))), "")
        match = _FILE_TITLE.match(title)
        yield {"url": url, "fileName": match[1] if match else (words(link) if link is not None else "") or name_in(url)}


def stickers_of(node: LexborNode) -> Iterator[dict[str, Any]]:
    """Yield the stickers of a message; on newer pages the title is the name alone."""
    for each in node.css(".chatlog__sticker"):
        title = each.attributes.get("title") or ""
        match = _FILE_TITLE.match(title)
        yield {"name": match[1] if match else title or "sticker", "sourceUrl": _address(each, _ADDRESSES[1:3])}


def reactions_of(node: LexborNode) -> Iterator[dict[str, Any]]:
    """Yield the reactions to a message with their counts; pages do not show who reacted."""
    for each in node.css(".chatlog__reaction"):
        image = each.css_first("img")
        name = (image.attributes.get("alt") if image is not None else "") or each.attributes.get("title") or ""
        count = each.css_first(".chatlog__reaction-count")
        number = words(count) if count is not None else ""
        yield {"emoji": {"name": name}, "count": int(number) if number.isascii() and number.isdigit() else 1}


def boxes_of(node: LexborNode) -> Iterator[dict[str, Any]]:
    """Yield the boxes below a message and remove each from it; each has the address of its medium, for boxes without
    text.
    """
    for box in node.css(".chatlog__embed"):
        yield {"description": nodes_text([box]), "url": _address(box, _ADDRESSES)}
        box.decompose()


def poll_of(node: LexborNode) -> str:
    """Return a poll as text: the question, then a line for each answer with its votes; empty for a message without one."""
    poll = node.css_first(".chatlog__poll")
    if poll is None:
        return ""
    question = poll.css_first(".chatlog__poll-question")
    lines = [words(question) if question is not None else ""]
    for answer in poll.css(".chatlog__poll-answer"):
        emoji, text, count = (answer.css_first(f".chatlog__poll-answer-{part}") for part in ("emoji", "text", "count"))
        alt = (emoji.attributes.get("alt") or "") if emoji is not None else ""
        said = " ".join(part for part in (alt, words(text) if text is not None else "") if part)
        lines.append(f"- {said}" + (f" ({words(count)})" if count is not None else ""))
    return "\n".join(line for line in lines if line)


def command_of(node: LexborNode) -> dict[str, Any] | None:
    """Return the command that a message answers, or None. Pages show its user without the account, so the user's name
    follows the command.
    """
    said, user = node.css_first(".chatlog__reply-content"), node.css_first(".chatlog__reply-author")
    match = _COMMAND.fullmatch(words(said)) if said is not None else None
    if match is None:
        return None
    return {"name": f"{match[1]} {words(user)}".rstrip() if user is not None else match[1]}


def _address(node: LexborNode, attributes: tuple[str, ...]) -> str:
    for attribute in attributes:
        for each in node.css(f"[{attribute}]"):
            if address := each.attributes.get(attribute):
                return address
    return ""
