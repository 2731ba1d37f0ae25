"""Deletes or moves the files of a folder that were read, as the settings of the source say."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from ..config.source_settings import FolderSettings
from .file_changes import is_as_it_was
from .folder_scan import FoundFile


def disposal_of(settings: FolderSettings, files: Sequence[FoundFile]) -> Callable[[], str] | None:
    """Return a function that deletes or moves exports once they are stored, as the settings say; None if nothing is
    to do. The function returns the error, without file names, which may name people.
    """
    if settings.after_read == "keep" or not files:
        return None

    def work() -> str:
        failed: list[str] = []
        for file in files:
            if not is_as_it_was(file):
                continue  # a later export took its place
            try:
                if settings.move_to is None:
                    Path(file.real).unlink()
                else:
                    _move(Path(file.real), settings.move_to / file.path)
            except OSError as error:
                failed.append(error.strerror or type(error).__name__)
        if not failed:
            return ""
        what = "deleted" if settings.move_to is None else "moved"
        count = "1 export was" if len(failed) == 1 else f"{len(failed)} exports were"
        return f"{count} read and cannot be {what}: {failed[0]}"

    return work


def _move(path: Path, target: Path) -> None:
    """Move a file; if the target exists, choose a numbered name."""
    target.parent.mkdir(parents=True, exist_ok=True)
    number = 1
    free = target
    while free.exists():
        number += 1
        free = target.with_name(f"{target.stem} ({number}){target.suffix}")
    shutil.move(path, free)
