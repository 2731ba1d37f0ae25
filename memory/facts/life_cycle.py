"""The state of facts at a moment: plans that are due, and states that are over. Pure."""

from __future__ import annotations

from datetime import datetime

from ...schemas import Fact
from ..extraction.attributes import lasts

PLAN = "plan"


def at_moment(fact: Fact, moment: datetime) -> Fact:
    """Return the fact as it is at a moment: a plan that was neither called off nor carried out is due once its time has
    come.
    """
    over = fact.valid_to is not None and fact.valid_to <= moment
    if fact.attribute != PLAN or fact.status != "active" or fact.negated or not over:
        return fact
    return fact.model_copy(update={"due": True})


def is_over(fact: Fact, moment: datetime) -> bool:
    """Return whether a state with an end has ended; False for plans, which become due, and for events, which stay true."""
    if fact.attribute == PLAN or not lasts(fact.attribute):
        return False
    return fact.valid_to is not None and fact.valid_to <= moment
