"""The index engine without a server: files beside the store, tantivy for words and codes for vectors."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from ..file_errors import file_errors
from .exact_vectors import ExactVectors, remove_files
from .ports import Indexes, RowsOf, VectorRows
from .tantivy_text import TantivyText


class EmbeddedIndexes:
    """The `Indexes` of a directory."""

    name = "embedded"
    holds_filters = False
    holds_texts = False

    def __init__(self, directory: Path, *, read_only: bool) -> None:
        self._directory = directory
        self._read_only = read_only

    def text(self, identity: str, rows_of: RowsOf, on_damage: Callable[[], None]) -> TantivyText:
        """Return the word index in the folder ``words``."""
        return TantivyText(self._directory / "words", identity, rows_of, on_damage, read_only=self._read_only)

    def vectors(
        self, identity: str, model: str, dimension: int, rows: VectorRows, on_damage: Callable[[], None]
    ) -> ExactVectors:
        """Return the vector index in the file ``vectors.codes``."""
        del model
        return ExactVectors(self._directory, identity, dimension, rows, on_damage, read_only=self._read_only)

    def facts(self, store: str, on_damage: Callable[[], None]) -> None:
        """Return None: no other tool reads facts here."""
        del store, on_damage

    async def remove(self, store: str) -> None:
        """Remove the files."""
        del store
        await anyio.to_thread.run_sync(self._remove)

    def _remove(self) -> None:
        with file_errors():
            for path in self._directory.glob("words*"):
                shutil.rmtree(path)
        remove_files(self._directory)

    async def close(self) -> None:
        """Do nothing: the indexes share no open resources."""


def open_engine(directory: Path, settings: None, key: str, *, read_only: bool) -> EmbeddedIndexes:
    """Return the indexes in files of a directory."""
    del settings, key
    return EmbeddedIndexes(directory, read_only=read_only)


if TYPE_CHECKING:
    _indexes: type[Indexes] = EmbeddedIndexes
