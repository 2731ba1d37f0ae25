"""Days from messages in any order."""

from __future__ import annotations

from datetime import UTC, datetime

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
