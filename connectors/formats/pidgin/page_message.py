"""Converts a message in HTML: its text, link addresses and pictures. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...opening.media_names import mime_of, name_in, word_of
from ...text.html.links import addresses_behind, as_metadata
from ...text.html.text import plain_text
from ...text.html.tree import html_tree

_LONGEST_NAME = 200


def message_of_page(html: str, held: Collection[str]) -> dict[str, Any]:
    """Return the fields of a message; the content is empty if nothing is visible.

    ``held``: the names of the files beside the log.
    """
    message: dict[str, Any] = {"content": plain_text(html)}
    if links := as_metadata(addresses_behind(html)):
        message["metadata"] = links
    if pictures := _pictures(html, held):
        message["attachments"] = pictures
        if not message["content"].strip():
            message |= {"kind": "media", "content": word_of("image")}
    return message


def _pictures(html: str, held: Collection[str]) -> list[dict[str, Any]]:
    tree = html_tree(html) if "<img" in html.casefold() else None
    attachments: list[dict[str, Any]] = []
    for image in tree.css("img") if tree is not None else ():
        address = image.attributes.get("src") or ""
        named = "" if address.startswith("data:") else name_in(address)
        name = (named or (image.attributes.get("alt") or "").strip() or "image")[:_LONGEST_NAME]
        attachments.append({"name": name, "mime": mime_of(name), "missing": named not in held})
    return attachments
