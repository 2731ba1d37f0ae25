"""Messages of Telegram that are read together come out as those that are read one by one: days, order, large days, counts."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from memd.connectors import read_records
from memd.connectors.reading_log import ReadingLog
from memd.connectors.telegram import message as telegram_message
from memd.tests.connectors.telegram.exports import OPTIONS, START, chat, said, written

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


def told(path: Path) -> tuple[list[str], dict[str, Any]]:
    """All that is read, and the receipt."""
    log = ReadingLog()
    records = [repr(record) for record in read_records(path, OPTIONS, log=log)]
    return records, log.to_wire()


@pytest.mark.parametrize("seed", range(6))
def test_runs_are_what_single_messages_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Also where days change within a run, where many lie on one day, and where records of other kinds stand between."""
    (tmp_path / "result.json").write_bytes(written(chat(messages(random.Random(seed), 1_500))))
    together = told(tmp_path)
    monkeypatch.setattr(telegram_message, "FEW", 1_000_000)
    assert told(tmp_path) == together
    assert len(together[0]) > 10


def test_a_large_day_is_cut_at_the_same_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A day of more than 20,000 messages is several documents."""
    (tmp_path / "result.json").write_bytes(written(chat([said(n, "words", at=START + n // 2) for n in range(45_000)])))
    together = told(tmp_path)
    monkeypatch.setattr(telegram_message, "FEW", 1_000_000)
    assert told(tmp_path) == together
    assert len([record for record in together[0] if record.startswith("ConversationDocument")]) > 1
