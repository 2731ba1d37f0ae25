"""What reading by a model would take: the short days of a chat at once, and the calls that tell facts apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memd.daemon.config.settings import LLMSettings, Settings
from memd.daemon.estimate import estimate
from memd.schemas import ConversationDocument

FIRST = datetime(2024, 1, 1, 9, 0, tzinfo=UTC)


def day(number: int, messages: int) -> ConversationDocument:
    """A day of a chat of two."""
    said = tuple(
        {
            "speaker": ("Ann", "Bob")[at % 2],
            "content": f"we talk about the harbour again, {number} and {at}",
            "time": FIRST + timedelta(days=number, minutes=at),
        }
        for at in range(messages)
    )
    conversation = {"source": "whatsapp", "people": ("Ann", "Bob"), "user": "Ann", "conversation": said}
    at = f"{FIRST + timedelta(days=number):%Y-%m-%d}"
    return ConversationDocument.model_validate(
        {"id": f"whatsapp:Bob:{at}", "conversation": conversation, "metadata": {"chat": "Bob", "title": "Bob"}}
    )


def settings(folder: Path, **llm: object) -> Settings:
    """Of a model that nobody asks."""
    asked = {"model": "large", "price_prompt": 1.0, "price_completion": 2.0, **llm}
    return Settings(data_dir=folder, llm=LLMSettings.model_validate(asked))


@pytest.mark.anyio
@pytest.mark.slow
async def test_short_days_are_counted_as_they_are_asked(tmp_path: Path) -> None:
    """A hundred days of three messages take less than a call for ten messages; by batches each window is asked alone."""
    days = [day(number, 3) for number in range(100)]
    found = (await estimate(settings(tmp_path), days)).to_wire()
    assert (found["messages"], found["windows"]) == (300, 100)
    assert found["calls_per_message"] < 0.1
    alone = (await estimate(settings(tmp_path, batch=True), days)).to_wire()
    asked = settings(tmp_path, batch=True, confirm=False)
    each = (await estimate(asked, days)).to_wire()
    assert each["calls"] - each["judging_calls"] == 100
    assert alone["calls"] > each["calls"]
    assert found["prompt_tokens"] < alone["prompt_tokens"] / 5


@pytest.mark.slow
@pytest.mark.anyio
async def test_telling_facts_apart_is_part_of_it(tmp_path: Path) -> None:
    """Of long days, in which many facts are: calls, tokens and money of judging and of confirming are in the sums."""
    days = [day(number, 60) for number in range(40)]
    wire = (await estimate(settings(tmp_path, confirm=False), days)).to_wire()
    assert wire["judging_calls"] == 2
    assert wire["calls"] == wire["windows"] + 2
    confirmed = (await estimate(settings(tmp_path), days)).to_wire()
    assert confirmed["calls"] == 2 * wire["windows"] + 2
    assert confirmed["money"] > wire["money"]
    assert wire["money"] == pytest.approx(wire["prompt_tokens"] / 1e6 + 2 * wire["completion_tokens"] / 1e6)
