"""Messages that look like facts and are none: other voices, jests, idioms, fiction, and what lasts an hour."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from memd.memory.extraction.rules.engine import RulesExtractor
from memd.memory.extraction.window import Line, Window
from memd.tests.cases import for_each

FILE = Path(__file__).parent / "labels" / "no_facts.txt"
SAID = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


def messages() -> list[str]:
    """Each line of the file but its comments."""
    return [line for line in FILE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def lines_of(talk: str) -> tuple[Line, ...]:
    """A message of Ann, or messages of Ben and Ann."""
    parts = [part.partition(": ") if "||" in talk else ("Ann", "", part) for part in talk.split(" || ")]
    return tuple(
        Line(number, UUID(int=number), f"m{number}", speaker, text, SAID + timedelta(minutes=number))
        for number, (speaker, _, text) in enumerate(parts, start=1)
    )


@for_each(messages())
@pytest.mark.slow
def test_nothing_is_stated(talk: str) -> None:
    """Of nobody: neither of the writer nor of whom the message is about."""
    lines = lines_of(talk)
    people = tuple(dict.fromkeys(line.speaker for line in lines))
    found = RulesExtractor().read(Window(UUID(int=99), "d", "s", "", "Ann", people, lines)).statements
    assert [(each.subject, each.attribute, each.value) for each in found] == []
