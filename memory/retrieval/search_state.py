"""A question in work: its plan, and the candidates that were found so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...schemas import Query
from ..question.plan import QuestionPlan
from ..search_types import CandidateSet, QuestionVectors
from ..store.addressed_rows import Addressed
from .events import Upcoming
from .in_order import Ordered
from .ranking import Ranked


@dataclass(slots=True)
class SearchState:
    """A question in work: its plan, and the candidates of the best few and of the many hits."""

    query: Query
    plan: QuestionPlan
    missing: list[str]
    within: Query
    """The query, perhaps limited to the time that is all the question asks for."""
    nothing_then: bool = False
    """True if there is nothing of that time, and all times were searched instead."""
    few: CandidateSet = field(default_factory=CandidateSet)
    many: CandidateSet | None = None
    vectors: QuestionVectors | None = None
    """The question's vectors, once they are known."""
    to: Addressed | None = None
    """The chats of the people to whom the messages were written that the question asks for."""
    ordered: Ordered | None = None
    first: Ranked | None = None
    """The message that is certainly the first in the order that the question asks for."""
    dated: frozenset[int] = frozenset()
    """The rows that mention the day that the question names."""
    repeating: frozenset[int] = frozenset()
    """The rows of the events that repeat at the times that the question names."""
    upcoming: Upcoming = field(default_factory=Upcoming)
    """The events from now on, if the question asks for the next one."""
    scattered: Sequence[str] = ()
    """The quoted phrases that stand together nowhere, so that their words are searched alone."""
    apart: Sequence[str] = ()
    """The quoted phrases that stand in different messages only, so that their words are searched alone."""
    nothing_said: bool = False
    """True if the named people wrote nothing at the named times."""
    nearest: Sequence[int] = ()
    """The rows nearest to the named time, if there is nothing of then."""
    named: bool = False
    """True if hits name the time of which there is nothing."""
    unknown: Sequence[str] = ()
    """The names of people in the question that nobody has and no hit contains."""
    no_kind: bool = False
    """True if nothing in the store is of the kind that the question asks for."""
    timely: bool = False
    """True if what was found changes as time goes by: dates of events, facts that end."""
    top: Sequence[Ranked] = ()
    reranked: Mapping[tuple[bool, int], tuple[int, float]] = field(
        default_factory=dict[tuple[bool, int], tuple[int, float]]
    )
    """The rank among the reranked candidates, from 1, and the reranker's score, by the identity of the hit."""
