"""The private folders of the processes that read exports, in the data directory."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from ..temporary_folders import private_folder, remove_stale_folders

_READERS = "readers"
_COPIES = "copies"


def reader_folder(data_dir: Path) -> AbstractContextManager[Path]:
    """A new private folder for one reader, which goes with the block.

    Raises:
        OSError: it cannot be made.
    """
    return private_folder(data_dir / _READERS, _COPIES)


def sweep_copies(data_dir: Path) -> None:
    """Remove private folders of readers that were left by an owner who was killed."""
    remove_stale_folders(data_dir / _READERS, _COPIES)
