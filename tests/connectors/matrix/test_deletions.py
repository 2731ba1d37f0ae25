"""Deletions of messages, which name the event that they delete in one of two places."""

from __future__ import annotations

from memd.tests.connectors.matrix.exports import ANN, BO, documents, event, export, joined, read, said


def test_a_deletion_names_its_event_in_its_content_since_version_11_of_rooms() -> None:
    """Older rooms have ``redacts`` beside the content; both delete."""
    records = read(
        export(
            joined(0, ANN, "Ann"),
            said(1, ANN, "one"),
            said(2, ANN, "two"),
            said(3, BO, "three"),
            event(4, ANN, "m.room.redaction", {}, redacts="$e1"),
            event(5, ANN, "m.room.redaction", {"redacts": "$e2"}),
        )
    )
    (day,) = documents(records)
    told = {message.id: message.deleted for message in day.messages}
    assert (told["$e1"], told["$e2"], told["$e3"]) == (True, True, False)
