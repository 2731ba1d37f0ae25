"""Finds the past moment that a question asks about: "where did Ann live in 2022?", not "where does Ann live since
2022?". Pure; no clock is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from ..extraction.attributes import lasts
from ..records import StoredFact
from ..text.analyzer import fold
from .asking import asking_pattern
from .times import NamedTime

_BEFORE_A_NAME = r"\bbefore\s+[^\W\d_a-z]\w+\W*$"
"""Words that ask for a former state: "before Bergen" asks for another home than Bergen."""


def past_moment(question: str, times: Sequence[NamedTime], now: datetime) -> datetime | None:
    """Return the last moment of the only time that a question names, if it is over: the question asks about the state
    at that time. Return None if it names several times, or asks about the present ("where does Ann live, she left in
    2023?").

    Args:
        question: the original question.
        times: the result of `times_in`.
        now: the time given to `times_in`: an open period, such as "since 2022", ends exactly then.
    """
    if len(times) != 1 or times[0].end >= now or _asks_of_now(fold(question)):
        return None
    return times[0].end - timedelta(microseconds=1)


def _asks_of_now(folded: str) -> bool:
    folded = asking_pattern("whether_known").sub(" ", folded)
    if asking_pattern("now").search(folded) or asking_pattern("present").search(folded):
        return True
    return asking_pattern("maybe_present").search(folded) is not None and asking_pattern("past").search(folded) is None


def asks_of_former_state(question: str, times: Sequence[NamedTime]) -> bool:
    """Return whether a question that names no time asks for a state that is over: "where did Ann live before?"."""
    if times or not (asking_pattern("former").search(folded := fold(question)) or re.search(_BEFORE_A_NAME, question)):
        return False
    return not _asks_of_now(folded)


def first_told(facts: Iterable[StoredFact], moment: datetime) -> list[StoredFact]:
    """Return for each subject and attribute the first state that was stated after a moment, if no beginning was stated
    with it: it may have held at that moment, and it is shown with the time of its statement.
    """
    first: dict[tuple[str, str], StoredFact] = {}
    for each in sorted(facts, key=_begin):
        fact = each.fact
        is_stated = not (fact.negated or fact.history or fact.status == "retracted")
        if is_stated and lasts(fact.attribute) and _begin(each) > moment:
            first.setdefault((fold(fact.subject), fact.attribute), each)
    return [each for each in first.values() if _begin(each) == (each.fact.first_observed_at or each.fact.observed_at)]


def _begin(stored: StoredFact) -> datetime:
    return stored.fact.valid_from or stored.fact.observed_at
