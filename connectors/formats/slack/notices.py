"""Notices about an export, for the readers of its documents. Pure; they contain no private text."""

from __future__ import annotations

from collections.abc import Iterator

from ....schemas import Notice, Rejected
from ....schemas.wire import replaced_text
from ...chats.notices import chat_ignored, user_not_seen, user_unknown
from ...connector import ReadOptions
from .chat import ChatTally
from .layout import Layout


def before_reading(
    layout: Layout, locator: str, options: ReadOptions, *, several: bool, is_export: bool
) -> Iterator[Notice | Rejected]:
    """Yield the notices that are known once the files are sorted. ``several``: there is more than one chat; ``is_export``:
    an export, which tells nobody's name, not only slackdump's archives, which do.
    """
    if options.chat and several:
        yield chat_ignored(locator)
    for member in layout.set_aside:
        hint = "a list of integrations, canvases or the like, which holds no messages: it was left out"
        yield Notice(code="not-a-chat", locator=member.locator, hint=hint)
    texts = [member for member in layout.others if member.name.lower().endswith(".json") and member.size != 0]
    for member in texts:
        hint = "a JSON file beside the chats that is none itself was left out"
        yield Notice(code="not-a-chat", locator=member.locator, hint=hint)
    if options.me is None and is_export:
        yield user_unknown(locator, "nothing shows who made this export")


def items_left_out(count: int, locator: str) -> Iterator[Notice]:
    """Yield the notice that an archive holds items that are no messages, if it does."""
    if count:
        hint = f"{count} bookmark(s), star(s) or saved item(s) hold no messages, and were left out"
        yield Notice(code="not-a-chat", locator=locator, hint=hint)


def after_reading(
    tally: ChatTally, unknown_blocks: int, locator: str, options: ReadOptions, *, user_listed: bool
) -> Iterator[Notice]:
    """Yield the notices about the chats that were read. ``user_listed``: the list of users has the configured name of the
    user.
    """
    if options.me is not None and not user_listed and not tally.user_seen:
        yield user_not_seen(locator)
    counted = (
        (
            "unknown-subtype",
            tally.unknown_subtypes,
            "message(s) of a kind that memd does not know; their text was kept",
        ),
        (
            "unknown-block",
            unknown_blocks,
            "part(s) of messages of a kind that memd does not know; their words were kept",
        ),
        ("empty-message", tally.empty, "message(s) without words and files; [empty] stands for them"),
        ("duplicate-message", tally.duplicates, "message(s) stand twice in their file; each was read once"),
        ("thread-without-start", tally.orphans, "thread(s) begin with a message that the export does not hold"),
        ("person-unknown", len(tally.people_unknown), "people are in no list of the export; their ids stand for them"),
    )
    for code, count, hint in counted:
        if count:
            yield Notice(code=code, locator=locator, hint=f"{count} {hint}")
    for place in tally.replaced:
        yield replaced_text(place)
