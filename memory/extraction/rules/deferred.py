"""The rules as an `Extractor` whose modules are imported when the first window is read: most commands find nothing
unread.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from anyio import to_thread

from ..extractor import Extraction, Extractor
from ..window import Window
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
        """The version of the table and of the code that reads it."""
        return VERSION

    async def extract(self, windows: Sequence[Window], run: str = "") -> list[Extraction]:
        """Return what each window states; never fails."""
        if not windows:
            return []
        made = self._made
        if made is None:
            engine = await to_thread.run_sync(import_module, f"{__package__}.engine")
            made = self._made = engine.RulesExtractor()
        return await made.extract(windows, run)


if TYPE_CHECKING:
    _extractor: type[Extractor] = DeferredRulesExtractor
