"""The past moment of which a question asks what held then: "where did Ann live in 2022?", not "where does Ann live since 2022?".
Pure; no clock is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from ..extraction.attributes import lasts
from ..records import StoredFact
from ..text.analyzer import fold
from .time_words import NamedTime

_NOW = (
    r"\b(?:now|nowadays|today|currently|these days|at present"
    r"|jetzt|heute|heutzutage|derzeit|zurzeit|momentan|aktuell|gegenwartig|ahora|hoy|actualmente"
    r"|simdi|su an|bugun)\b|今(?![年月週])|現在"
)
_WHETHER_KNOWN = (
    r"\b(?:do|does|is|are)\s+(?:(?:you|we|i|they|any(?:one|body)|some(?:one|body))\s+(?:still\s+)?(?:know|remember|recall|have|think)"
    r"|it\s+known)\b|\b(?:biliyor|hatirliyor)\w*|(?:知っ|覚え|わかっ|分かっ)て(?:い)?(?:る|ます)"
)
"""What asks whether something is known says nothing of when it held: "do you know where Ann lived in 2022?"."""
_PRESENT = (
    r"\b(?:does|doesn'?t|lives|works|wohnt|lebt|arbeitet|viven?|trabajan?|residen?|\w+[iu]yor(?:lar)?)\b"
    r"|[てで]い(?:る|ます)"
)
"""Verbs that ask for what holds now, whatever else the question says."""
_MAYBE_PRESENT = r"\b(?:is|are|do|(?:where|who|what|how)['’]s|(?:has|have)\s+(?:\w+\s+){0,3}got)\b"
_PAST = (
    r"\b(?:did|didn'?t|was|were|had|used\s+to)\b"
    r"|\b(?:where|who|whom|what|which|that)(?:\s+(?!(?:is|are|do)\b)[\w'’]+){1,4}\s+\w+ed\b"
)
"""Beside one of these "is" and "do" ask for nothing of now: "what did Ann do in 2022?", "what is the town where Ann lived?"."""


def past_moment(question: str, times: Sequence[NamedTime], now: datetime) -> datetime | None:
    """The last moment of the one time that a question names, if it is over: what held then is asked for. Where it names
    several, or asks for what holds now ("where does Ann live, she left in 2023?"), none is meant for sure.

    Args:
        question: as it was asked.
        times: what `times_in` found in it.
        now: as for `times_in`: what has no end, as "since 2022", ends exactly then.
    """
    if len(times) != 1 or times[0].end >= now or _asks_of_now(fold(question)):
        return None
    return times[0].end - timedelta(microseconds=1)


def _asks_of_now(folded: str) -> bool:
    # Compiled by `re` when a question first names a time: few do, and it takes longer than to answer by words.
    folded = re.sub(_WHETHER_KNOWN, " ", folded)
    if re.search(_NOW, folded) or re.search(_PRESENT, folded):
        return True
    return re.search(_MAYBE_PRESENT, folded) is not None and re.search(_PAST, folded) is None


def first_told(facts: Iterable[StoredFact], moment: datetime) -> list[StoredFact]:
    """Of the states that were told after a moment, the first of each subject and attribute, where no beginning was told with
    it: it may have held at that moment, and what shows it says when it was said.
    """
    first: dict[tuple[str, str], StoredFact] = {}
    for each in sorted(facts, key=_begin):
        fact = each.fact
        known = not (fact.negated or fact.history or fact.status == "retracted")
        if known and lasts(fact.attribute) and _begin(each) > moment:
            first.setdefault((fold(fact.subject), fact.attribute), each)
    return [each for each in first.values() if _begin(each) == (each.fact.first_observed_at or each.fact.observed_at)]


def _begin(stored: StoredFact) -> datetime:
    return stored.fact.valid_from or stored.fact.observed_at
