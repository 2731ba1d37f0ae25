"""me.json in the data directory: what was answered to the question who the user is, by source.

A command writes it while the owner of the data directory may remove names from it; me.lock keeps them apart.
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
    """Names by source; none where nobody was asked yet, or where the file cannot be read or is a link or a pipe."""
    try:
        return _read(data_dir)
    except OSError:
        return {}  # it is asked for again


def user_names(settings: Settings) -> dict[str, str]:
    """The user's own names by source, configured or else remembered; under the empty name that of all other sources."""
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
    """Keep these names by source beside what is kept of other sources.

    Raises:
        OSError: the file cannot be written.
    """
    with _alone(data_dir):
        _write(data_dir, _read(data_dir) | dict(names))


def remember_only(data_dir: Path, names: Collection[str]) -> None:
    """Drop every name that is none of these in any spelling; what a killed process left beside the file goes too.

    Raises:
        NotRegularError: a link or a pipe lies in the place of the file; nobody knows what names lie behind it.
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
        known = _read(data_dir)
        folded = {_folded(name) for name in names}
        left = {source: name for source, name in known.items() if _folded(name) in folded}
        if not left:
            path.unlink()
        elif left != known:
            _write(data_dir, left)


def _write(data_dir: Path, names: Mapping[str, str]) -> None:
    path = data_dir / REMEMBERED
    fresh = _beside(path)
    with os.fdopen(create_anew(fresh), "w", encoding="ascii") as file:
        json.dump(names, file)  # escaped: a name that is no whole text, with half a character, is written as well
    fresh.replace(path)


@contextmanager
def _alone(data_dir: Path) -> Generator[None]:
    """Nobody else changes the file in this block."""
    with os.fdopen(open_private(data_dir / "me.lock"), "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # which the end of a process gives back, whatever ended it
        yield


def _folded(name: str) -> str:
    return folded(without_invisible(name))


def _beside(path: Path) -> Path:
    return path.with_suffix(".new")
