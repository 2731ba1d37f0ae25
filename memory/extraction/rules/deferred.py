"""The rules as an `Extractor` whose patterns are compiled when the first window is read: that takes a third of a second of
every command, and most commands find nothing unread.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from importlib import import_module
from typing import TYPE_CHECKING

from anyio import to_thread

from ..extractor import Extraction, Extractor, RowVersioned, RowVersions
from ..window import Window
from .prefilter import word_sums
from .version import NAME, VERSION

if TYPE_CHECKING:
    from .engine import RulesExtractor


class DeferredRulesExtractor:
    """Reads as `RulesExtractor` does, and has its name and version."""

    def __init__(self) -> None:
        self._made: RulesExtractor | None = None

    @property
    def name(self) -> str:
        """``rules``."""
        return NAME

    @property
    def version(self) -> str:
        """Of the table and the code that reads it."""
        return VERSION

    def row_versions(self) -> RowVersions:
        """Of each row of the table, which is compiled for that: only another version of the rules asks for it."""
        from .patterns import row_versions

        return row_versions()

    def is_touched(self, window: Window, words: AbstractSet[str]) -> bool:
        """Whether a line to be read has one of these cue words."""
        return any(not words.isdisjoint(word_sums(line.text)) for line in window.lines)

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
        """What each window states; never fails."""
        if not windows:
            return []
        made = self._made
        if made is None:
            engine = await to_thread.run_sync(import_module, f"{__package__}.engine")
            made = self._made = engine.RulesExtractor()
        return await made.extract(windows, run)


if TYPE_CHECKING:
    _extractor: type[Extractor] = DeferredRulesExtractor
    _rows: type[RowVersioned] = DeferredRulesExtractor
