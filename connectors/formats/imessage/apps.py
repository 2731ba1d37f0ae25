"""Reads messages made by an app: previews of links, payments, games, handwriting, polls. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...text.json_fields import list_of, words_of
from .property_list import archived_objects, property_list, resolved

_LINKS = "com.apple.messages.URLBalloonProvider"
_KNOWN = {
    "com.apple.Handwriting.HandwritingProvider": ("[handwriting]", "media"),
    "com.apple.DigitalTouchBalloonProvider": ("[Digital Touch message]", "media"),
    "com.apple.findmy.FindMyMessagesApp": ("[location]", "location"),
    "com.apple.messages.Polls": ("[poll]", "poll"),
    "com.apple.PassbookUIService.PeerPaymentMessagesExtension": ("[Apple Cash]", "media"),
}
_WORDS = ("caption", "subcaption", "secondary-subcaption", "tertiary-subcaption", "ldtext")
"""The keys under which an app stores the displayed text of its message."""
_MOST_WORDS = 4096
_NAME = re.compile(r"[\w .+-]{1,80}\Z")


def link_preview(row: Mapping[str, Any]) -> str:
    """Return the title and the summary of a linked page; empty if the message has no preview of a link."""
    if words_of(row["balloon_bundle_id"]) != _LINKS:
        return ""
    objects, root = archived_objects(row["payload_data"])
    metadata = resolved(objects, root, "richLinkMetadata") or root
    name = (words_of(resolved(objects, metadata, key)) for key in ("title", "summary"))
    return "\n".join(text for text in name if text)[:_MOST_WORDS]


def app_of(row: Mapping[str, Any]) -> str:
    """Return the identifier of the app that made a message; empty for other messages and for previews of links."""
    bundle = words_of(row["balloon_bundle_id"])
    if not bundle or bundle == _LINKS:
        return ""
    name = bundle.rpartition(":")[2]
    return name if _NAME.match(name) else "unknown"


def app_content(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the displayed text of an app's message, or a placeholder, and the kind."""
    app = app_of(row)
    words = _shown(row["payload_data"])
    placeholder, kind = _KNOWN.get(app, ("", ""))
    if words:
        return words, kind or "text"
    return (placeholder, kind) if placeholder else (f"[message of the app {app}]", "unknown")


def _shown(payload: object) -> str:
    objects, root = archived_objects(payload)
    if root is None:
        root = property_list(payload)
    info = resolved(objects, root, "userInfo") or root
    keys, values = resolved(objects, info, "NS.keys"), resolved(objects, info, "NS.objects")
    if list_of(keys):  # a dictionary in the form of a keyed archive
        names = [str(_at(objects, key)) for key in list_of(keys)]
        info = dict(zip(names, (_at(objects, value) for value in list_of(values)), strict=False))
    texts = (words_of(resolved(objects, info, key)) for key in _WORDS)
    outer = words_of(resolved(objects, root, "ldtext"))
    return "\n".join(dict.fromkeys(text for text in (*texts, outer) if text))[:_MOST_WORDS]


def _at(objects: list[Any], value: object) -> object:
    index = getattr(value, "data", None)
    if isinstance(index, int):
        return objects[index] if index < len(objects) else None
    return value
