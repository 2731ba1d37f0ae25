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
from .times import NamedTime

_NOW = (
    r"\b(?:now|nowadays|today|currently|these days|at present"
    r"|jetzt|heute|heutzutage|derzeit|zurzeit|momentan|aktuell|gegenwartig|ahora|hoy|actualmente"
    r"|simdi|su an|bugun)\b|今(?![年月週])|現在"
)
_WHETHER_KNOWN = (
    r"\b(?:do|does|is|are)\s+(?:(?:you|we|i|they|any(?:one|body)|some(?:one|body))\s+(?:still\s+)?(?:know|remember|recall|have|think)"
    r"|it\s+known)\b|\b(?:biliyor|hatirliyor)\w*|(?:知っ|覚え|わかっ|分かっ)て(?:い)?(?:る|ます)"
)
"""Words that ask whether something is known, which say nothing about the time asked for: "do you know where Ann lived
in 2022?".
"""
_PRESENT = (
    r"\b(?:does|doesn'?t|lives|works|wohnt|lebt|arbeitet|viven?|trabajan?|residen?|\w+[iu]yor(?:lar)?)\b"
    r"|[てで]い(?:る|ます)"
)
"""Verbs that ask about the present, whatever else the question contains."""
_MAYBE_PRESENT = r"\b(?:is|are|do|(?:where|who|what|how)['’]s|(?:has|have)\s+(?:\w+\s+){0,3}got)\b"
_PAST = (
    r"\b(?:did|didn'?t|was|were|had|used\s+to)\b"
    r"|\b(?:where|who|whom|what|which|that)(?:\s+(?!(?:is|are|do)\b)[\w'’]+){1,4}\s+\w+ed\b"
)
"""Verbs beside which "is" and "do" do not ask about the present: "what did Ann do in 2022?", "what is the town where
Ann lived?".
"""

_FORMER = (
    r"\bbefore(?:\s+(?:that|this|now|then))?\W*$|\b(?:previous(?:ly)?|former(?:ly)?|used?\s+to)\b"
    r"|\b(?:davor|vorher\w*|zuvor|fruher\w*|ehemal\w*)\b|\bantes(?:\s+de\s+(?:eso|ahora))?\W*$|\banterior\w*"
    r"|\b(?:eskiden|daha\s+once|onceden|onceki)\b|以前|かつて|前[はに]"
)
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
    # These are compiled by `re` for the first question that names a time: few do, and compiling takes longer than a
    # search by words.
    folded = re.sub(_WHETHER_KNOWN, " ", folded)
    if re.search(_NOW, folded) or re.search(_PRESENT, folded):
        return True
    return re.search(_MAYBE_PRESENT, folded) is not None and re.search(_PAST, folded) is None


def asks_of_former_state(question: str, times: Sequence[NamedTime]) -> bool:
    """Return whether a question that names no time asks for a state that is over: "where did Ann live before?"."""
    if times or not (re.search(_FORMER, folded := fold(question)) or re.search(_BEFORE_A_NAME, question)):
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
