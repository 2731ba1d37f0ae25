"""The indexes of a store in files beside it: tantivy finds words, codes vectors. No server."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from ..store.errors import database_errors
from .exact_vectors import ExactVectors, remove_files
from .ports import Indexes, VectorRows
from .tantivy_text import TantivyText


class EmbeddedIndexes:
    """The `Indexes` of a directory."""

    name = "embedded"
    holds_filters = False
    holds_texts = False

    def __init__(self, directory: Path, *, read_only: bool) -> None:
        self._directory = directory
        self._read_only = read_only

    def text(self, identity: str, newest: Callable[[], int], on_damage: Callable[[], None]) -> TantivyText:
        """In the folder ``words``."""
        return TantivyText(self._directory / "words", identity, newest, on_damage, read_only=self._read_only)

    def vectors(
        self, identity: str, model: str, dimension: int, rows: VectorRows, on_damage: Callable[[], None]
    ) -> ExactVectors:
        """In the file ``vectors.codes``."""
        del model, on_damage  # it opens nothing anew by itself
        return ExactVectors(self._directory, identity, dimension, rows, read_only=self._read_only)

    def facts(self, store: str, on_damage: Callable[[], None]) -> None:
        """Nobody else reads."""
        del store, on_damage

    async def remove(self, store: str) -> None:
        """Remove the files."""
        del store
        await anyio.to_thread.run_sync(self._remove)

    def _remove(self) -> None:
        with database_errors():
            for path in self._directory.glob("words*"):
                shutil.rmtree(path)
        remove_files(self._directory)

    async def close(self) -> None:
        """Nothing is open beside the indexes themselves."""


if TYPE_CHECKING:
    _indexes: type[Indexes] = EmbeddedIndexes
