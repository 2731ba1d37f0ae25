"""me.json in the data directory: the user's own names by source, as answered.

A command writes it while the owner of the data directory may remove names from it; me.lock serializes them.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...memory.merge.revisions import without_invisible
from ...memory.private_files import NotRegularError, create_anew, open_private, require_regular_file
from ...memory.text.names import folded
from .paths import REMEMBERED

if TYPE_CHECKING:
    from .settings import Settings


def remembered(data_dir: Path) -> dict[str, str]:
    """Return the names by source; empty if none were given yet, or if the file cannot be read or is a link or a pipe."""
    try:
        return _read(data_dir)
    except OSError:
        return {}  # the user is asked again


def user_names(settings: Settings) -> dict[str, str]:
    """Return the user's own names by source, configured or else remembered; the empty key holds the name for all other
    sources.
    """
    configured = {source: name for source, name in settings.me.items() if name}
    return configured if "" in configured else {**remembered(settings.data_dir), **configured}


def _read(data_dir: Path) -> dict[str, str]:
    try:
        with os.fdopen(open_private(data_dir / REMEMBERED, os.O_RDONLY), "rb") as file:
            body: object = json.loads(file.read())
    except (FileNotFoundError, NotRegularError, ValueError, RecursionError):
        return {}
    plain = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    return {key: value for key, value in plain.items() if isinstance(value, str)}


def remember(data_dir: Path, names: Mapping[str, str]) -> None:
    """Store these names by source; names of other sources are kept.

    Raises:
        OSError: the file cannot be written.
    """
    with _alone(data_dir):
        _write(data_dir, _read(data_dir) | dict(names))


def remember_only(data_dir: Path, names: Collection[str]) -> None:
    """Delete every stored name that is none of these in any spelling, and leftovers of a killed process.

    Raises:
        NotRegularError: the file is a link or a pipe, whose target may hold any names.
        OSError: the file cannot be written or removed.
    """
    path = data_dir / REMEMBERED
    if not (os.path.lexists(path) or os.path.lexists(_beside(path))):
        return
    with _alone(data_dir):
        with suppress(FileNotFoundError):
            _beside(path).unlink()
        require_regular_file(path)
        if not path.exists():
            return
        stored = _read(data_dir)
        folded = {_folded(name) for name in names}
        kept = {source: name for source, name in stored.items() if _folded(name) in folded}
        if not kept:
            path.unlink()
        elif kept != stored:
            _write(data_dir, kept)


def _write(data_dir: Path, names: Mapping[str, str]) -> None:
    path = data_dir / REMEMBERED
    fresh = _beside(path)
    with os.fdopen(create_anew(fresh), "w", encoding="ascii") as file:
        json.dump(names, file)  # ASCII escapes allow a name with half a surrogate pair
    fresh.replace(path)


@contextmanager
def _alone(data_dir: Path) -> Generator[None]:
    """Hold the lock, so that nobody else changes the file in this block."""
    with os.fdopen(open_private(data_dir / "me.lock"), "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the system releases it when the process ends, however it ends
        yield


def _folded(name: str) -> str:
    return folded(without_invisible(name))


def _beside(path: Path) -> Path:
    return path.with_suffix(".new")
