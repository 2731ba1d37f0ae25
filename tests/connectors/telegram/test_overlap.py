"""A later export of the same chat: what is new is added once, edits supersede, nothing is lost or doubled."""

from __future__ import annotations

from memd.schemas import ConversationDocument
from memd.tests.connectors.telegram.exports import START, account, chat, documents, read, said, written
from memd.tests.memory.test_merge import after, contents


def days(value: object) -> list[ConversationDocument]:
    """The documents of an export."""
    return documents(read(written(value)))


def test_a_later_export_adds_what_is_new() -> None:
    """It begins later, holds an edit and two new messages, and is that of a whole account."""
    first = chat([said(1, "one"), said(2, "two"), said(3, "three")])
    edited = said(3, "three, better", edited="2024-01-15T14:00:00", edited_unixtime=str(START + 7200))
    second = chat([said(2, "two"), edited, said(4, "four"), said(5, "four")])
    stored = after(*days(first), *days(account([second])))
    assert contents(stored) == ["one", "two", "three, better", "four", "four"]
    (message,) = [row.message for row in stored.messages if row.message.id == "3"]
    assert [edit.content for edit in message.edits] == ["three"]
    assert message.edited
    assert contents(after(*days(account([second])), *days(first))) == contents(stored)


def test_the_same_export_again_changes_nothing() -> None:
    """Also when the group was renamed and became public meanwhile."""
    texts = [said(1, "one"), said(2, "two")]
    before = days(chat(texts, kind="private_supergroup", number=9, name="Club"))
    later = days(chat(texts, kind="public_supergroup", number=9, name="The Club"))
    assert contents(after(*before, *later)) == ["one", "two"]
