"""Facts at a moment: plans that are due, and states that are over. Pure."""

from __future__ import annotations

from datetime import datetime

from ...schemas import Fact
from ..extraction.attributes import lasts

PLAN = "plan"


def at_moment(fact: Fact, moment: datetime) -> Fact:
    """The fact as it reads at a moment: a plan that nobody called off or carried out is due when its time has come."""
    over = fact.valid_to is not None and fact.valid_to <= moment
    if fact.attribute != PLAN or fact.status != "active" or fact.negated or not over:
        return fact
    return fact.model_copy(update={"due": True})


def is_over(fact: Fact, moment: datetime) -> bool:
    """Whether a state that had an end has ended; a plan is due then, and what happened stays true."""
    if fact.attribute == PLAN or not lasts(fact.attribute):
        return False
    return fact.valid_to is not None and fact.valid_to <= moment
