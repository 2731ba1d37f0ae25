"""Messages of Telegram that are read together come out as those that are read one by one: days, order, large days, counts."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.chats import day_documents
from memd.connectors.formats.telegram import message as telegram_message
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.tests.connectors.telegram.exports import OPTIONS, START, chat, said, written
from memd.tests.contracts.connector import Shelf
from memd.tests.effort import examples

HOUR = 3_600


def messages(source: random.Random, count: int) -> list[Any]:
    """Mostly words of two people, with replies, gaps of days, steps back in time, long texts and records that are none."""
    made: list[Any] = []
    at = START
    for number in range(count):
        at += source.choice([0, 1, 60, HOUR, 9 * HOUR, -90])
        who, peer = source.choice([("Ann Lee", "user1"), ("Bob", "user2")])
        text = "x" * 400_000 if source.random() < 0.01 else source.choice(["yes", "a longer line", "🎂", "two\nlines"])
        each = said(number, text, at=at, who=who, peer=peer)
        if source.random() < 0.03:
            each["reply_to_message_id"] = number - 1
        if source.random() < 0.02:
            each[source.choice(["id", "from", "text", "date_unixtime", "from_id", "type"])] = source.choice(
                [None, 7, [], ""]
            )
        made.append("no message" if source.random() < 0.005 else each)
    return made


def told(made: list[Any]) -> tuple[list[str], dict[str, Any]]:
    """All that is read, and the receipt."""
    log = ReadingLog()
    export = Shelf("export", {"result.json": written(chat(made))})
    records = [repr(record) for record in read_records(export, OPTIONS, log=log)]
    return records, log.to_wire()


def check_runs(made: list[Any]) -> list[str]:
    """What is read does not depend on how many messages are read together; returns it."""
    together = told(made)
    with patch.object(telegram_message, "FEW", 1_000_000):
        assert told(made) == together
    return together[0]


@pytest.mark.slow
@given(st.integers(0, 2**32))
@settings(max_examples=examples(4), deadline=None)
def test_runs_are_what_single_messages_are(seed: int) -> None:
    """Also where days change within a run, where many lie on one day, and where records of other kinds stand between."""
    assert len(check_runs(messages(random.Random(seed), 700))) > 10


@pytest.mark.slow
def test_a_large_day_is_cut_at_the_same_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """A day of more messages than a document holds is several documents."""
    monkeypatch.setattr(day_documents, "LARGE_DAY", 2_000)
    records = check_runs([said(n, "words", at=START + n // 2) for n in range(4_500)])
    assert len([record for record in records if record.startswith("ConversationDocument")]) == 3
