"""The private folders, in the data directory, of the processes that read exports."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from ..temporary_folders import private_folder, remove_stale_folders

_READERS = "readers"
_COPIES = "copies"


def reader_folder(data_dir: Path) -> AbstractContextManager[Path]:
    """Make a private folder for one reader, which is removed at the end of the block.

    Raises:
        OSError: it cannot be made.
    """
    return private_folder(data_dir / _READERS, _COPIES)


def sweep_copies(data_dir: Path) -> None:
    """Remove private folders that killed processes left behind."""
    remove_stale_folders(data_dir / _READERS, _COPIES)
