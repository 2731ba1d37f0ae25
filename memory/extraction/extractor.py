"""The protocol of extractors, which make statements from windows, and the result of an extraction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .refusal import Refusal
from .statement import Statement
from .window import Window


@dataclass(frozen=True, slots=True)
class Extraction:
    """The result for one window."""

    statements: tuple[Statement, ...] = ()
    rejected: Counter[str] = field(default_factory=Counter[str])
    """The number of statements that failed the checks, by reason; see `verify`."""
    summary: str = ""
    """One sentence about the topic of the window, if the extractor gives one."""
    refusals: tuple[Refusal, ...] = ()
    """The stored refusals, at most `refusal.MOST_OF_A_WINDOW`."""
    failure: str = ""
    """The reason why the window could not be read; it stays unread and is tried again. Empty if it was read."""


class Extractor(Protocol):
    """Extracts statements from windows. Equal windows give equal extractions, as far as the extractor can guarantee it."""

    @property
    def name(self) -> str:
        """The extractor's name: ``rules`` or ``llm``."""
        ...

    @property
    def version(self) -> str:
        """The version of the rules, or of model and prompt; it changes whenever the statements may change."""
        ...

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
        """Return one extraction for each window, in order; the cost is charged to ``run``.

        Raises:
            ExtractionError: the model cannot be reached, or refuses; nothing of these windows was extracted.
        """
        ...


def versioned_name(extractor: Extractor) -> str:
    """Return the name and version that a store records for the extractor of a window."""
    return f"{extractor.name}/{extractor.version}"
