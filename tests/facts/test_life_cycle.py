"""Facts at a moment: a plan holds until it is due, then nobody knows; a state that had an end is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memd.daemon.cli.render.facts import fact_lines
from memd.memory.facts.life_cycle import at_moment, is_over
from memd.schemas import Evidence, Fact
from memd.schemas.fact import ExtractorInfo

SAID = datetime(2024, 3, 1, 12, 0, tzinfo=UTC)
DUE = datetime(2024, 5, 1, tzinfo=UTC)
PLAN = Fact(
    id=UUID(int=1),
    subject="Ann",
    attribute="plan",
    value="fly to Lima in April",
    content="Ann flies to Lima in April.",
    speaker="Ann",
    valid_from=SAID,
    valid_to=DUE,
    observed_at=SAID,
    recorded_at=SAID,
    evidence=(Evidence(document_id="d", message_id="m", quote="fly to Lima"),),
    extractor=ExtractorInfo(name="rules"),
)


def test_a_plan_is_due_from_its_time_on() -> None:
    """Not before; not when it was called off, or carried out; and no other fact ever."""
    assert not at_moment(PLAN, DUE - timedelta(seconds=1)).due
    assert at_moment(PLAN, DUE).due
    assert at_moment(PLAN, DUE).to_wire()["due"] is True
    assert "due" not in PLAN.to_wire()
    for changes in ({"status": "superseded"}, {"negated": True}, {"valid_to": None}, {"attribute": "home"}):
        assert not at_moment(PLAN.model_copy(update=changes), DUE).due


def test_a_state_with_an_end_is_over_then() -> None:
    """A plan is not, and what happened stays true."""
    stay = PLAN.model_copy(update={"attribute": "location", "value": "Lima"})
    assert (is_over(stay, DUE), is_over(stay, SAID)) == (True, False)
    assert not is_over(PLAN, DUE)
    assert not is_over(stay.model_copy(update={"attribute": "event"}), DUE)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "in April. (until 2024-05-01) “fly to Lima” — Ann, 2024-03-01"),
        ({"due": True}, "(until 2024-05-01, due, unknown whether it happened)"),
        ({"attribute": "home", "valid_from": DUE - timedelta(days=91), "valid_to": None}, "(since 2024-01-31) "),
        ({"attribute": "home", "valid_to": None}, "in April. “fly to Lima” — Ann, 2024-03-01"),
        (
            {"attribute": "home", "valid_to": None, "observed_at": DUE, "first_observed_at": SAID},
            "in April. “fly to Lima” — Ann, 2024-05-01, first 2024-03-01",
        ),
        (
            {"attribute": "home", "valid_from": None, "valid_to": SAID, "history": True},
            "(was over when it was said, until 2024-03-01)",
        ),
    ],
)
def test_times_are_shown_as_they_were_told(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], told: str
) -> None:
    """The beginning that was told, else when it was said; what was over has no beginning that nobody told."""
    monkeypatch.setenv("TZ", "UTC")
    lines = " ".join(" ".join(fact_lines(PLAN.model_copy(update=changes).to_wire())).split())
    assert told in lines
