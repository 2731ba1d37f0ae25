"""Finding what was forgotten takes few hashes, however many people write and under whichever name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memd.memory.forgetting.selection import Candidate, ForgetSelection, plan_forgetting
from memd.memory.merge import tombstones
from memd.memory.merge.plan import Stored, plan_conversation
from memd.schemas import ConversationDocument

START = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
PEOPLE = [f"Person {number}" for number in range(30)]
MINUTES = 20


def _day(name: str) -> ConversationDocument:
    """Everybody says something in the first minute, then one of this name ``thanks`` once a minute."""
    said = [(person, f"I am {person}", 0) for person in PEOPLE]
    said += [(name, "thanks", minute) for minute in range(1, MINUTES + 1)]
    return ConversationDocument.model_validate(
        {
            "id": "chat:one:0",
            "conversation": {
                "source": "chat",
                "people": tuple(dict.fromkeys(person for person, _, _ in said)),
                "user": PEOPLE[0],
                "conversation": tuple(
                    {"speaker": person, "content": text, "time": START + timedelta(minutes=minute)}
                    for person, text, minute in said
                ),
            },
            "metadata": {"chat": "one", "title": "One"},
        }
    )


@pytest.mark.parametrize("name", ["Bob", "Robert"])
def test_few_hashes_tell_what_was_forgotten(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """All of it stays out, also under a new name; not every second of every person is tried for every message."""
    plan = plan_conversation(None, _day("Bob"), b"")
    assert plan is not None
    kept = Candidate(plan.document, plan.added, ["One"], [])
    removal = plan_forgetting(ForgetSelection(speakers=("Bob",)), [kept]).removal
    (gone,) = removal.tombstones.values()
    left = Stored(removal.changes.documents[0], [row for row in plan.added if row.key not in removal.messages])
    counts: Counter[str] = Counter()
    for function in (tombstones.author_tombstone_key, tombstones.reworded_tombstone_key):

        def counted(*values: object, original: Callable[..., UUID] = function) -> UUID:
            counts[original.__name__] += 1
            return original(*values)

        monkeypatch.setattr(tombstones, function.__name__, counted)
    again = plan_conversation(left, _day(name), b"", frozenset(gone))
    assert again is not None
    assert (again.forgotten, len(again.added)) == (MINUTES, 0)
    assert counts["author_tombstone_key"] <= MINUTES * 61
    assert counts["reworded_tombstone_key"] <= MINUTES * (len(PEOPLE) + 4)
