"""Notices about files beside an export that are not read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...schemas import Notice, Rejected
from ..connector import Member, Source
from .document_paths import is_file
from .notice_places import place_of

_DATA = (".json", ".jsonl", ".ndjson", ".csv", ".txt", ".html", ".htm")
"""The endings of files that may hold messages; pictures and other attachments are expected beside them."""


def files_left_out(members: Iterable[Member], locator: str) -> Iterator[Notice]:
    """Yield the notice that files which may hold messages were not recognised, if there are any."""
    count = sum(1 for member in members if member.name.lower().endswith(_DATA))
    if count:
        hint = f"{count} file(s) beside the chats hold no messages that memd knows, and were left out"
        yield Notice(code="files-left-out", locator=locator, hint=hint)


def without_messages(source: Source, lists: Sequence[Member], what: str) -> Iterator[Notice | Rejected]:
    """Yield the notices or rejections for an export in which no message was found. Lists of people or chats alone, as
    in half of a download, lose nothing; without them every file is rejected.

    Args:
        source: the export.
        lists: those of its files that are known, and hold no messages.
        what: was not found, ``message of Slack``.
    """
    if lists and not is_file(source):
        hint = f"no {what} lies beside {len(lists)} file(s) that tell who takes part, or of what: is it a part of an export?"
        yield Notice(code="no-messages", locator=place_of(source, lists), hint=hint)
        locators = {member.locator for member in lists}
        yield from files_left_out((each for each in source.members() if each.locator not in locators), source.locator)
        return
    for member in source.members():
        yield Rejected(locator=member.locator, reason=f"no {what} was found")
