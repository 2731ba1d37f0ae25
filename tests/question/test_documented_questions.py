"""The questions in docs/questions.md are understood as the page says."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from memd.memory.question.people import SpeakerMatcher
from memd.memory.question.plan import plan_question
from memd.memory.question.understood import understood_of

NOW = datetime(2026, 11, 26, 20, tzinfo=ZoneInfo("Europe/Berlin"))
NAMES = SpeakerMatcher(["Ann Berg", "Bert Kunz", "Renate Berg"])
MUM = {"mum": frozenset({"Renate Berg"})}
ROW = re.compile(r"^\| (?P<question>[^|]+) \| (?P<plan>[^|]+) \|$", re.MULTILINE)
LEAST_ROWS = 30


def plan_of(question: str) -> str:
    """The line of `--explain` for Ann, who calls Renate mum."""
    return understood_of(plan_question(question, NOW, NAMES, ["Ann Berg"], (), MUM)).words


def test_each_question_of_the_page_is_understood_as_it_says(checkout: Path) -> None:
    """Row by row of its tables; each part of a plan stands in one of them."""
    page = (checkout / "docs" / "questions.md").read_text(encoding="utf-8")
    rows = [match.groups() for match in ROW.finditer(page) if match["question"] not in ("question", "---")]
    assert len(rows) >= LEAST_ROWS
    assert [(question, plan_of(question)) for question, _ in rows] == rows
    said = " ".join(plan for _, plan in rows)
    for part in ("from ", "about you", " to ", "about: ", "first", "how often", "together"):
        assert part in said
