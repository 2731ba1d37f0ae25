"""Clusters, the groups of statements that are resolved together, and the resolved facts. `supersession` resolves them."""

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
"""A function that decides whether a statement contradicts an earlier one; None: undecided."""


@dataclass(frozen=True, slots=True)
class ClusterKey:
    """The key of a cluster: one speaker, one subject, and one group of related attributes. Each person has one name
    here.
    """

    speaker: str
    subject: str
    family: str
    """The attribute, or the common name of several related ones; see `attributes.FAMILIES`."""
    of: str = ""
    """For ``favourite``, the kind of thing."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A fact without the time of its recording."""

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
    """The evidence, in the order of time."""
    supersedes: UUID | None
    """The fact that this one ended; of several the one stated last."""
    superseded_by: UUID | None
    importance: int
    sensitivity: Sensitivity
    confidence: float
    retires: tuple[UUID, ...] = ()
    """All facts that this one ended, the one stated last first: their ``superseded_by`` is this fact."""
    beside: bool = False
    """True if it holds in addition to another value of a functional attribute, or temporarily."""
    history: bool = False
    """True if it was over when it was stated, or was called off before it began; no other fact superseded it for that
    reason.
    """


def cluster_key(statement: Statement, who: Callable[[str], str]) -> ClusterKey:
    """Return the cluster of a statement; ``who`` maps each name of a person to a single one."""
    family = FAMILIES.get(statement.attribute, statement.attribute)
    of = ""
    if statement.attribute == "favourite" and ":" in statement.value:
        of = normalized_value(statement.value.partition(":")[0])
    return ClusterKey(who(statement.speaker).casefold(), who(statement.subject).casefold(), family, of)
