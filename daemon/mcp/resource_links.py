"""The addresses of what is stored: ``memd://message/ID``, ``memd://document/ID``, ``memd://chat/TITLE``. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KINDS = ("document", "message", "chat")


def message_link(identifier: str) -> str:
    """Return the address of a message, or of a piece of a text."""
    return _link("message", identifier)


def document_link(identifier: str) -> str:
    """Return the address of a document."""
    return _link("document", identifier)


def chat_link(identifier: str) -> str:
    """Return the address of a chat."""
    return _link("chat", identifier)


def hit_link(hit: Mapping[str, Any]) -> str:
    """Return the address of a hit in its document; empty if it cannot be opened here: it is not stored yet, or in a
    mounted memory.
    """
    return "" if hit.get("waiting") or hit.get("memory") else message_link(str(hit["id"]))


def parsed_link(link: str) -> tuple[str, str] | None:
    """Return kind and id of an address; None if it is none."""
    from urllib.parse import unquote

    scheme, _, rest = link.partition("://")
    kind, _, identifier = rest.partition("/")
    if scheme != "memd" or kind not in KINDS or not identifier:
        return None
    return kind, unquote(identifier)


def _link(kind: str, identifier: str) -> str:
    from urllib.parse import quote

    from ..operations import valid

    return f"memd://{kind}/{quote(valid(identifier), safe='')}"
