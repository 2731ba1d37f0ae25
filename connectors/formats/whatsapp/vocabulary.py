"""The phrases that WhatsApp itself writes into an export, by language: ``vocabulary.json``.

All are compared folded (see ``message_body.fold_body``): without direction marks, case, and the final full stop.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

_PHRASES: dict[str, Any] = json.loads(files(__package__ or __name__).joinpath("vocabulary.json").read_text("utf-8"))


def _phrases(meaning: str) -> tuple[str, ...]:
    return tuple(_PHRASES[meaning])


MEDIA_OMITTED = _phrases("media_omitted")
"""Whole bodies that stand for a file left out of the export. iOS names the kind of file, Android does not."""
OMITTED_PARTS = _phrases("omitted_parts")
"""Parts of words that only the bodies for files left out have, for those that are not listed as a whole."""
DOCUMENT_OMITTED = _phrases("document_omitted")
"""The iOS wordings that follow a file's name and page count: ``Name.pdf • 12 pages document omitted``."""
ATTACHED_AFTER = _phrases("attached_after")
"""The words that Android appends in brackets to the name of an attached file."""
ATTACHED_BEFORE = _phrases("attached_before")
"""The words that iOS writes in front of the name: ``<attached: NAME>``."""
EDITED = _phrases("edited")
DELETED = _phrases("deleted")
DELETED_BY_ME = _phrases("deleted_by_me")
"""The text of the exporter's own deletions alone, so it identifies the exporter."""
DELETED_BY_ADMIN = _phrases("deleted_by_admin")
"""The first words of the text of a message that an administrator deleted; the name of that one follows."""
WAITING = _phrases("waiting")
"""Whole bodies of messages that this device could not read yet, so nobody's words."""
VIEW_ONCE = _phrases("view_once")
"""Whole bodies of files that could be opened once, on another device."""
FORWARDED = _phrases("forwarded")
"""The words in brackets that the export in a browser writes before what was forwarded."""
CONTACT = _phrases("contact")
"""The words that it writes before a contact."""
YOU = _phrases("you")
"""The first words of a system line that is about the exporter."""
EVENT = _phrases("event")
"""The first words of a planned event."""
POLL = _phrases("poll")
LOCATION = _phrases("location")
CALL = _phrases("call")
SYSTEM_PARTS = _phrases("system_parts")
"""Phrases of system lines; a line without an author is one anyway. They distinguish messages of people from system
lines that iOS labels with the group's or somebody's name, or whose text contains ``: ``.
"""
ENCRYPTED: dict[str, str] = _PHRASES["encrypted"]
"""The notice of encryption that opens nearly every export, by its language."""
GROUP_PARTS = _phrases("group_parts")
"""Phrases of system lines that only groups have."""
