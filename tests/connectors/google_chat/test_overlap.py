"""A later Takeout of the same chats: what is new is added once, edits and deletions supersede."""

from __future__ import annotations

from typing import Any

from memd.schemas import ConversationDocument
from memd.tests.connectors.google_chat.exports import ANN, BO, documents, event, hangouts, read, said, space
from memd.tests.memory.test_merge import after, contents


def days(*messages: dict[str, Any], **more: Any) -> list[ConversationDocument]:
    """The documents of a Takeout."""
    return documents(read(space(*messages, **more)))


def test_a_later_takeout_adds_what_is_new() -> None:
    """It holds an edit and a deletion, and the space has another name."""
    first = days(said(1, ANN, "one"), said(2, BO, "tow"), said(3, BO, "secret"), said(4, ANN, "ok"))
    later = days(
        said(1, ANN, "one"),
        said(2, BO, "two", updated_date="Monday, January 15, 2024 at 2:00:00 PM UTC"),
        said(3, BO, None, message_state="DELETED"),
        said(4, ANN, "ok"),
        said(5, ANN, "ok"),
        name="Pier",
    )
    stored = after(*first, *later)
    assert contents(stored) == ["one", "two", "[deleted message]", "ok", "ok"]
    assert [[edit.content for edit in row.message.edits] for row in stored.messages] == [
        [],
        ["tow"],
        ["secret"],
        [],
        [],
    ]
    assert contents(after(*later, *first)) == contents(stored)


def test_the_same_takeout_again_changes_nothing() -> None:
    """Of Hangouts, too."""
    once = documents(read({"Hangouts.json": hangouts(event(1, "11", "a"), event(2, "22", "a"))}))
    assert contents(after(*once, *once)) == ["a", "a"]
