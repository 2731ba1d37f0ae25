"""Days from messages in any order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.chats import day_documents, mixed_days
from memd.connectors.chats.day_documents import MESSAGE_WEIGHT
from memd.connectors.chats.mixed_days import MixedDays
from memd.connectors.chats.ordered_days import OrderedDays, Place, time_of
from memd.connectors.connector import Record
from memd.schemas import ConversationDocument, Rejected
from memd.tests.effort import examples


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


def test_a_message_twice_in_a_run_or_known_before_it_is_kept_once() -> None:
    """Runs of messages whose ids are all new are taken as they are; of others each is looked at."""
    days = MixedDays("test", "Ann")
    for ids in (["1", "2"], ["3", "3", "4"], ["5", "2"], ["6"]):
        minute = int(ids[0])
        messages = [{**_message(0, minute * 60 + place), "id": own} for place, own in enumerate(ids)]
        assert not [*days.add_all("c", {}, messages, "x:", minute)]
    (document,) = days.close()
    assert isinstance(document, ConversationDocument)
    assert [message.id for message in document.messages] == ["1", "2", "3", "4", "5", "6"]
    assert days.doubled == 2


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


def _piece(record: Record) -> tuple[str, list[str | None]]:
    """A document with the ids of its messages in their order, or what was rejected."""
    if isinstance(record, ConversationDocument):
        return record.id, [message.id for message in record.messages]
    return (record.locator, []) if isinstance(record, Rejected) else ("", [])


def time_and_id(message: dict[str, Any]) -> tuple[datetime, str]:
    """A place in which messages of the same time stand otherwise than they come."""
    return message["time"], message["id"]


@given(
    st.lists(st.integers(-1, 40), max_size=80)
    | st.lists(st.integers(1, 40), max_size=80).map(sorted)
    | st.lists(st.integers(1, 400), max_size=80, unique=True).map(lambda times: sorted(times, reverse=True))
    | st.lists(st.integers(1, 40), max_size=80).map(lambda times: sorted(times, reverse=True)),
    st.sampled_from([1, 7, 80]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([5, 20_000]),
    st.sampled_from([time_of, time_and_id]),
)
@settings(max_examples=examples(60))
def test_many_at_a_time_are_what_each_by_itself_is(
    times: list[int], size: int, newest_first: bool, once: bool, large: int, place: Place
) -> None:
    """In any order, with equal times, over several days, and where a day is given out in pieces: -1 is no message, 0 no time."""
    found: list[dict[str, object] | str] = [
        "no message"
        if each < 0
        else {"id": str(each % 20 if once else number), "speaker": "Ann", "content": "hi", "time": _time(each)}
        for number, each in enumerate(times)
    ]
    with patch.object(day_documents, "LARGE_DAY", large):
        one, many = (
            OrderedDays("test", "c", "Ann", {}, place=place, newest_first=newest_first, once=once) for _ in range(2)
        )
        expected: list[Record] = []
        for index, message in enumerate(found):
            if isinstance(message, str):
                expected.append(Rejected(locator=f"x/{index}", reason=message))
            else:
                expected += one.add({**message}, "x/", index)
        expected += one.close()
        records: list[Record] = []
        for begun in range(0, len(found), size):
            batch = [each if isinstance(each, str) else {**each} for each in found[begun : begun + size]]
            records += many.add_all(batch, "x/", begun)
        records += many.close()
    assert [*map(_piece, records)] == [*map(_piece, expected)]
    assert many.doubled == one.doubled


def test_a_chat_may_begin_with_what_is_no_message() -> None:
    """Each is told with its place."""
    days = OrderedDays("test", "c", "Ann", {})
    told = [*days.add_all(["no message", "none either"], "x/", 3), *days.close()]
    assert told == [
        Rejected(locator="x/3", reason="no message"),
        Rejected(locator="x/4", reason="none either"),
    ]


def _time(number: int) -> datetime:
    return datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=5 * number) if number else datetime(1, 1, 1, tzinfo=UTC)
