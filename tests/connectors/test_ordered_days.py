"""Days from messages in any order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memd.connectors import day_documents, mixed_days
from memd.connectors.day_documents import MESSAGE_WEIGHT
from memd.connectors.mixed_days import MixedDays
from memd.connectors.ordered_days import OrderedDays
from memd.schemas import ConversationDocument, Rejected


def test_a_time_that_means_none_is_rejected_and_the_rest_is_kept() -> None:
    """The year 1 stands for a time that was not set; a document would refuse the whole day for it."""
    days = OrderedDays("test", "c", "Ann", {})
    records = [
        record
        for number, time in enumerate((datetime(1, 1, 1, tzinfo=UTC), datetime(2024, 1, 15, tzinfo=UTC)))
        for record in days.add({"id": str(number), "speaker": "Ann", "content": "hi", "time": time}, f"x#{number}")
    ]
    records += days.close()
    assert [record.locator for record in records if isinstance(record, Rejected)] == ["x#0"]
    (document,) = [record for record in records if isinstance(record, ConversationDocument)]
    assert [message.id for message in document.messages] == ["1"]


def _message(day: int, number: int, content: str = "hi", **more: object) -> dict[str, object]:
    time = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=day, seconds=number)
    return {"id": str(number), "speaker": "Ann", "content": content, "time": time, **more}


@pytest.mark.parametrize(("count", "content"), [(3000, "hi"), (300, "x" * 10_000)], ids=["many", "long"])
def test_messages_that_alternate_between_days_are_given_out(
    monkeypatch: pytest.MonkeyPatch, count: int, content: str
) -> None:
    """Two days in turn, for ever: what is held stays small, and each message comes once."""
    monkeypatch.setattr(day_documents, "LARGE_DAY", 500)
    monkeypatch.setattr(day_documents, "LARGE_TEXT", 500_000)
    days = OrderedDays("test", "c", "Ann", {})
    given: list[str | None] = []
    most = 0
    for number in range(count):
        found = days.add(_message(number % 2, number * 60 % 80_000 + number % 60, content), "x")
        given += [m.id for record in found if isinstance(record, ConversationDocument) for m in record.messages]
        most = max(most, days.held())
    given += [m.id for record in days.close() if isinstance(record, ConversationDocument) for m in record.messages]
    assert len(given) == count
    assert most <= min(510, 600_000 // len(content)) * (MESSAGE_WEIGHT + len(content))


def test_a_message_twice_on_a_day_that_is_still_open_is_kept_once() -> None:
    """Also when another day stood between the two."""
    days = MixedDays("test", "Ann")
    records = [
        record
        for day, number in ((0, 1), (1, 2), (0, 1), (1, 3), (0, 4))
        for record in days.add("c", {}, _message(day, number), "x")
    ]
    records += days.close()
    found = [[m.id for m in record.messages] for record in records if isinstance(record, ConversationDocument)]
    assert sorted(found) == [["1", "4"], ["2", "3"]]
    assert days.doubled == 1


def test_many_chats_at_once_are_held_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """However the messages of hundreds of chats are mixed, so many stay open and no more."""
    monkeypatch.setattr(mixed_days, "HELD", 100 * MESSAGE_WEIGHT)
    days = MixedDays("test", "Ann")
    count = 0
    for number in range(2000):
        found = list(days.add(f"c{number % 150}", {}, _message(0, number), "x"))
        count += sum(len(record.messages) for record in found if isinstance(record, ConversationDocument))
        assert number - count < 150
    count += sum(len(record.messages) for record in days.close() if isinstance(record, ConversationDocument))
    assert count == 2000
