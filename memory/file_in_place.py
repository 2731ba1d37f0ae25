"""Whether the file that is open is still the one at its path: SQLite goes on writing to one that somebody deleted or replaced."""

from __future__ import annotations

from pathlib import Path

from ..schemas.errors import StoreError

_HINT = "stop memd, put the file back or restore a backup, start memd, and ingest again what came since"


class FileInPlace:
    """A database that is open, with its write-ahead log as soon as there is one, by their devices and inodes."""

    def __init__(self, path: Path) -> None:
        self._files = (path, path.with_name(f"{path.name}-wal"))
        self._found: dict[Path, tuple[int, int]] = {}
        self.failure()

    def failure(self) -> StoreError | None:
        """The error to tell when one of the files is missing, or another one than before."""
        for path in self._files:
            try:
                found = path.stat()
            except FileNotFoundError:
                if path in self._found:
                    return StoreError(f"{path.name} was deleted while memd uses it", hint=_HINT)
                continue
            except OSError as error:
                return StoreError(f"{path.name} cannot be looked at: {error.strerror}", hint=_HINT)
            number = (found.st_dev, found.st_ino)
            if self._found.setdefault(path, number) != number:
                return StoreError(f"{path.name} was replaced while memd uses it", hint=_HINT)
        return None

    def require(self) -> None:
        """Raise the `failure`, if there is one. Without it right after a commit, what was committed is at its path."""
        if (failure := self.failure()) is not None:
            raise failure
