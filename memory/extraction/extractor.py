"""What makes statements out of windows: the protocol, and what an extraction tells beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

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


@dataclass(frozen=True, slots=True)
class RowVersions:
    """What a version of an extractor consists of, where most changes touch few texts."""

    base: str
    """Of everything that is not a row; another one touches every text."""
    rows: Mapping[str, str]
    """By the version of each row, in their order, the words one of which is in every text that it reads; in a form of the
    extractor's own, for they are stored.
    """


@runtime_checkable
class RowVersioned(Protocol):
    """An `Extractor` that reads by rows."""

    def row_versions(self) -> RowVersions:
        """Of its present version."""
        ...

    def is_touched(self, window: Window, words: AbstractSet[str]) -> bool:
        """Whether a row with these words may read something in a window."""
        ...


def changed_words(old: RowVersions, new: RowVersions) -> frozenset[str] | None:
    """The words of all rows that are in one version alone, or stand elsewhere among the others: of two that read the same
    words the first counts. None where every text may be read in another way.
    """
    if old.base != new.base:
        return None
    from difflib import SequenceMatcher  # rarely needed, and this file is read by every command

    before, now = list(old.rows), list(new.rows)
    blocks = SequenceMatcher(None, before, now, autojunk=False).get_matching_blocks()
    stayed = {row for block in blocks for row in before[block.a : block.a + block.size]}
    changed = [words for versions in (old, new) for row, words in versions.rows.items() if row not in stayed]
    return frozenset(word for words in changed for word in words.split())


def versioned_name(extractor: Extractor) -> str:
    """What a store records of the extractor that read a window: its name and version."""
    return f"{extractor.name}/{extractor.version}"
