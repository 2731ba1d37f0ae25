"""Later readings of a database of Messages: exactly what is new is added, and what was edited or taken back supersedes."""

from __future__ import annotations

from memd.tests.connectors.discord.test_overlap import merged, one
from memd.tests.connectors.imessage.databases import NOON, database, read, said, stream, summary


def test_a_later_reading_adds_what_is_new_and_supersedes_what_changed() -> None:
    """By Apple's ids; the earlier wording stays with the message, of an unsent one nothing new is told."""
    before = [said("A", "One"), said("B", "Tow", 1), said("C", "Oops", 2)]
    stored, _ = merged(None, one(read(database(before))))
    edited = said("B", None, 1, attributedBody=stream("Two"), message_summary_info=summary([("Tow", 60), ("Two", 90)]))
    unsent = said("C", None, 2, message_summary_info=summary([], retracted=[0]), date_edited=(NOON + 200) * 10**9)
    liked = said("R", "Liked", 4, associated_message_type=2001, associated_message_guid="p:0/A")
    later = one(read(database([before[0], edited, unsent, said("D", "New", 3), liked])))
    stored, plan = merged(stored, later)
    assert (len(plan.added), len(plan.updated), plan.unchanged) == (1, 3, 0)
    found = [row.message for row in stored.messages]
    assert [(m.id, m.content, m.deleted) for m in found][:2] == [("A", "One", False), ("B", "Two", False)]
    assert [edit.content for edit in found[1].edits] == ["Tow"]
    assert (found[2].id, found[2].deleted) == ("C", True)
    assert [r.emoji for r in found[0].reactions] == ["👍"]
    _, plan = merged(stored, later)
    assert (len(plan.added), len(plan.updated), plan.unchanged) == (0, 0, 4)
