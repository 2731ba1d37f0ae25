"""Detects that an open file was deleted or replaced at its path: SQLite would go on writing to the old one."""

from __future__ import annotations

from pathlib import Path

from ..schemas.errors import StoreError

_HINT = "stop memd, put the file back or restore a backup, start memd, and ingest again what came since"


class FileInPlace:
    """An open database with its write-ahead log, once there is one, identified by device and inode."""

    def __init__(self, path: Path) -> None:
        self._files = (path, path.with_name(f"{path.name}-wal"))
        self._found: dict[Path, tuple[int, int]] = {}
        self.failure()

    def failure(self) -> StoreError | None:
        """Return the error if one of the files is missing or was replaced; otherwise None."""
        for path in self._files:
            try:
                status = path.stat()
            except FileNotFoundError:
                if path in self._found:
                    return StoreError(f"{path.name} was deleted while memd uses it", hint=_HINT)
                continue
            except OSError as error:
                return StoreError(f"{path.name} cannot be looked at: {error.strerror}", hint=_HINT)
            number = (status.st_dev, status.st_ino)
            if self._found.setdefault(path, number) != number:
                return StoreError(f"{path.name} was replaced while memd uses it", hint=_HINT)
        return None

    def require(self) -> None:
        """Raise the `failure`, if there is one. If there is none right after a commit, the committed data is at its
        path.
        """
        if (failure := self.failure()) is not None:
            raise failure
