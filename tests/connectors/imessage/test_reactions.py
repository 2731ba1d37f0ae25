"""Which reactions to a message stand."""

from __future__ import annotations

from typing import Any

from memd.connectors.formats.imessage.reactions import reactions_of
from memd.tests.cases import for_each


def tapback(kind: int) -> tuple[str, dict[str, Any]]:
    """A reaction of Bo to the whole of a message, or its removal."""
    return "Bo", {
        "associated_message_type": kind,
        "associated_message_guid": "p:0/A",
        "associated_message_emoji": "🦭" if kind % 1000 == 6 else None,
    }


@for_each(range(2000, 2008))
def test_a_reaction_of_any_kind_can_be_taken_back(kind: int) -> None:
    """Its removal has a type that is greater by 1000; the reaction stands until then."""
    assert len(reactions_of([tapback(kind)])) == 1
    assert reactions_of([tapback(kind), tapback(kind + 1000)]) == []
