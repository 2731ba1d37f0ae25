"""The records of extractions: statements with their windows, refused proposals, and windows that could not be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from .refusal import Refusal
from .statement import Statement


@dataclass(frozen=True, slots=True)
class StoredStatement:
    """A statement with its document and window. ``cluster`` names the statements that are resolved together."""

    statement: Statement
    window: bytes
    cluster: str
    run: str = ""
    """The run that first extracted it."""


@dataclass(frozen=True, slots=True)
class WindowRecord:
    """The result of extracting a window: the extractor, the refused proposals, and a summary."""

    hash: bytes
    extractor: str
    rejected: Mapping[str, int] = field(default_factory=dict[str, int])
    summary: str = ""
    refusals: tuple[Refusal, ...] | None = None
    """The refused proposals to store; None: keep the stored ones."""


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A refused proposal in a listing, with its document and run."""

    document: UUID
    document_id: str
    source: str
    run: str
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class UnreadWindow:
    """A window whose extraction failed, with the reason."""

    hash: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class UnreadWindowLine:
    """A failed window in a listing. Times are seconds since 1970; without ``due`` it is given up."""

    document: UUID
    document_id: str
    source: str
    hash: bytes
    reason: str
    attempts: int
    at: float
    due: float | None


@dataclass(frozen=True, slots=True)
class DocumentExtraction:
    """The extraction result of one document; replaces the former result."""

    document: UUID
    windows: Sequence[WindowRecord] = ()
    statements: Sequence[StoredStatement] = ()
    unread: Sequence[UnreadWindow] = ()
    """Windows whose extraction failed; ``windows`` and ``statements`` have at most the substitute's result for them."""
    provisional: bool = False
    """True if the substitute extracted it while the extractor failed: the document still awaits the extractor."""
