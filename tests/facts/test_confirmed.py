"""What is known, and what was only said: by whom it was read, and on how many days."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import uuid4

import pytest

from memd.memory.extraction.records import StoredStatement
from memd.memory.extraction.statement import Cited, Statement
from memd.memory.facts.fact_update_plan import cluster_name, resolve_clusters
from memd.schemas.fact import ExtractorInfo, Fact

NOON = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
RULES, MODEL = ExtractorInfo(name="rules"), ExtractorInfo(name="llm", model="qwen3:8b")


def said(at: datetime = NOON, attribute: str = "home", by: ExtractorInfo = RULES) -> Statement:
    """A statement of one message."""
    document, message = uuid4(), uuid4()
    return Statement(
        document=document,
        document_id=str(document),
        speaker="Bob",
        subject="Bob",
        attribute=attribute,
        value="Oslo",
        content="Bob lives in Oslo.",
        evidence=(Cited(message, str(message), "in Oslo"),),
        observed_at=at,
        extractor=by,
    )


def resolved(*statements: Statement) -> Fact:
    """The one fact that they make."""
    stored = [StoredStatement(each, b"", cluster_name(each, str)) for each in statements]
    (fact,) = resolve_clusters({stored[0].cluster: stored}, "run", NOON).values()
    return fact.fact


@pytest.mark.parametrize(
    ("statements", "confirmed"),
    [
        ([said()], False),
        ([said(), said(NOON + timedelta(hours=2))], False),
        ([said(), said(NOON + timedelta(days=1))], True),
        # Eleven in the evening where it was said; by UTC the next day.
        ([said(), said(datetime(2024, 1, 15, 23, 0, tzinfo=timezone(timedelta(hours=-5))))], False),
        ([said(by=MODEL)], True),
        ([said(), said(NOON + timedelta(hours=2), by=MODEL)], True),
        ([said(attribute="location", by=MODEL), said(NOON + timedelta(days=1), "location")], False),
        ([said(attribute="plan", by=MODEL)], False),
        ([said(attribute="need", by=MODEL)], False),
        ([said(attribute="hobby", by=MODEL)], True),
    ],
)
def test_a_model_or_a_second_day_confirms(statements: list[Statement], confirmed: bool) -> None:
    """What passes is never known: a place where somebody is, a plan, a need."""
    assert resolved(*statements).confirmed == confirmed
    assert resolved(*reversed([replace(each) for each in statements])).confirmed == confirmed
