"""Clusters, the statements that are resolved together, and what they are resolved to. `supersession` resolves them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ...schemas.fact import FactStatus, Sensitivity
from ..extraction.attributes import FAMILIES
from ..extraction.statement import Statement
from .value_similarity import normalized_value

Judge = Callable[[Statement, Statement], bool | None]
"""Whether a statement says something that the earlier one cannot be true beside; None: nobody was asked."""


@dataclass(frozen=True, slots=True)
class ClusterKey:
    """What one speaker says about one subject and one group of related attributes. Names of people are already one for each person."""

    speaker: str
    subject: str
    family: str
    """The attribute, or for several that bear on each other their common name; see `attributes.FAMILIES`."""
    of: str = ""
    """For ``favourite``: of what."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A fact without the time it was recorded at."""

    key: UUID
    cluster: ClusterKey
    subject: str
    attribute: str
    value: str
    content: str
    speaker: str
    negated: bool
    status: FactStatus
    valid_from: datetime
    valid_to: datetime | None
    observed_at: datetime
    statements: tuple[Statement, ...]
    """In the order they were said: the evidence."""
    supersedes: UUID | None
    """The fact that this one ended; of several the one that was said last."""
    superseded_by: UUID | None
    importance: int
    sensitivity: Sensitivity
    confidence: float
    retires: tuple[UUID, ...] = ()
    """All facts that this one ended, the last said first: those whose ``superseded_by`` it is."""
    beside: bool = False
    """It holds in addition to another value of a functional attribute, or for a while."""
    history: bool = False
    """It was over when it was said, or was called off before it began; nothing superseded it for that."""


def cluster_key(statement: Statement, who: Callable[[str], str]) -> ClusterKey:
    """The cluster that a statement belongs to; ``who`` gives a person's one name for any of theirs."""
    family = FAMILIES.get(statement.attribute, statement.attribute)
    of = ""
    if statement.attribute == "favourite" and ":" in statement.value:
        of = normalized_value(statement.value.partition(":")[0])
    return ClusterKey(who(statement.speaker).casefold(), who(statement.subject).casefold(), family, of)
