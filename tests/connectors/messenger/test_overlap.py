"""A later export of the same chats: what is new is added once, what was unsent is deleted, nothing is doubled."""

from __future__ import annotations

from typing import Any

from memd.schemas import ConversationDocument
from memd.tests.connectors.messenger.exports import ANN, BO, PLACE, chat, documents, read, said
from memd.tests.memory.test_merge import after, contents


def days(*messages: dict[str, Any], **more: Any) -> list[ConversationDocument]:
    """The documents of an export."""
    return documents(read({PLACE: chat(*messages, **more)}))


def test_a_later_export_adds_what_is_new() -> None:
    """It begins in the middle of the day, the chat is archived and the other one has a new name."""
    first = days(said(1, ANN, "one"), said(2, BO, "ok"), said(3, BO, "ok"), said(3, BO, "ok"))
    later = days(
        said(2, BO, "ok"),
        said(3, BO, "ok"),
        said(3, BO, "ok"),
        said(4, ANN, "four"),
        title="Robert",
        thread_path="archived_threads/robert_10200000001",
    )
    stored = after(*first, *later)
    assert contents(stored) == ["one", "ok", "ok", "ok", "four"]
    assert contents(after(*later, *first)) == contents(stored)
    assert contents(after(*first, *first)) == ["one", "ok", "ok", "ok"]


def test_what_was_unsent_meanwhile_is_deleted() -> None:
    """Its words are kept as its older wording."""
    first = days(said(1, ANN, "one"), said(2, BO, "secret"))
    later = days(said(1, ANN, "one"), said(2, BO, None, is_unsent=True))
    stored = after(*first, *later)
    (_, gone) = [row.message for row in stored.messages]
    assert gone.deleted
    assert [edit.content for edit in gone.edits] == ["secret"]


def test_reactions_of_a_later_export_are_taken_over() -> None:
    """The message stays one."""
    first = days(said(1, ANN, "one"))
    later = days(said(1, ANN, "one", reactions=[{"reaction": "x", "actor": BO}]))
    (row,) = after(*first, *later).messages
    assert [each.people for each in row.message.reactions] == [(BO,)]
