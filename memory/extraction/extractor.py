"""What makes statements out of windows: the protocol, and what an extraction tells beside them."""

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
    """What one window gave."""

    statements: tuple[Statement, ...] = ()
    rejected: Counter[str] = field(default_factory=Counter[str])
    """Statements that did not pass the checks, by the reason; see `verify`."""
    summary: str = ""
    """One sentence on what the window is about, if the extractor gives one."""
    refusals: tuple[Refusal, ...] = ()
    """What is kept of these, at most `refusal.MOST_OF_A_WINDOW`."""
    failure: str = ""
    """Why the window was not read: it stays unread, and is tried again. Empty: it was read."""


class Extractor(Protocol):
    """Reads windows. Equal windows give equal extractions, as far as the extractor can promise it."""

    @property
    def name(self) -> str:
        """``rules``, ``llm``."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever other statements would come out: of the rules, or of model and prompt."""
        ...

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
        """One extraction a window, in order; what it costs counts for ``run``.

        Raises:
            ExtractionError: the model cannot be reached, or refuses; nothing of these windows was extracted.
        """
        ...


def versioned_name(extractor: Extractor) -> str:
    """What a store records of the extractor that read a window: its name and version."""
    return f"{extractor.name}/{extractor.version}"
