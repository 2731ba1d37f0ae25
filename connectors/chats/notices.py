"""The notices that several chat connectors share, worded once. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import tzinfo

from ...schemas import UNKNOWN_USER, Notice

CONTENT_UNKNOWN = "content-unknown"
HINTS = {
    CONTENT_UNKNOWN: "message(s) hold content of an unknown type; they were kept as far as it has text",
    "undecrypted": "message(s) are encrypted and the export does not hold their words; each was kept as a placeholder",
    "relations-left-out": "reaction(s), edits or votes belong to messages that this export does not hold",
    "person-unknown": "people are named only by their ids",
}
"""The text after the number, by code."""


def chat_ignored(locator: str, kept: str = "their own titles were kept: read them one by one") -> Notice:
    """Return the notice that the given chat name was not used."""
    return Notice(code="chat-ignored", locator=locator, hint=f"one name cannot stand for several chats, so {kept}")


def user_unknown(locator: str, why: str) -> Notice:
    """Return the notice that the user is unknown."""
    return Notice(code="user-unknown", locator=locator, hint=f"{why}; the user is {UNKNOWN_USER}: --me decides")


def user_not_seen(locator: str, where: str = "export") -> Notice:
    """Return the notice that no message is by the name given as the user's."""
    hint = f"the name given as the user's own writes nothing in this {where}: check --me"
    return Notice(code="user-not-seen", locator=locator, hint=hint)


def zone_assumed(locator: str, zone: tzinfo) -> Notice:
    """Return the notice that wall-clock times were assumed to be of a zone."""
    hint = f"times have no zone; they are taken for {zone}: --zone decides"
    return Notice(code="zone-assumed", locator=locator, hint=hint)


def counted(counts: Mapping[str, int], locator: str, hints: Mapping[str, str] = HINTS) -> Iterator[Notice]:
    """Give the notice of each code that was counted."""
    for code, count in sorted(counts.items()):
        if count:
            yield Notice(code=code, locator=locator, hint=f"{count} {hints[code]}")


def content_unknown(count: int, locator: str) -> Iterator[Notice]:
    """Yield the notice that messages have content of an unknown type, if any do."""
    return counted({CONTENT_UNKNOWN: count}, locator)
