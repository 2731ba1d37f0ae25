"""me.json in the data directory: what was answered to the question who the user is, by source."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from ..memory.private_files import create_anew
from .paths import REMEMBERED


def remembered(data_dir: Path) -> dict[str, str]:
    """Names by source; none where nobody was asked yet, or where the file cannot be read."""
    try:
        body: object = json.loads((data_dir / REMEMBERED).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}  # it is asked for again
    plain = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    return {key: value for key, value in plain.items() if isinstance(value, str)}


def remember(data_dir: Path, names: Mapping[str, str]) -> None:
    """Keep these names by source in place of what was kept.

    Raises:
        OSError: the file cannot be written.
    """
    path = data_dir / REMEMBERED
    fresh = _beside(path)
    with os.fdopen(create_anew(fresh), "w", encoding="utf-8") as file:
        json.dump(names, file, ensure_ascii=False)
    fresh.replace(path)


def remember_only(data_dir: Path, names: Collection[str]) -> None:
    """Drop every name that is none of these, in any spelling of case; what a killed process left beside the file goes too.

    Raises:
        OSError: the file cannot be written or removed.
    """
    path = data_dir / REMEMBERED
    with suppress(FileNotFoundError):
        _beside(path).unlink()
    if path.is_symlink() or not path.is_file():
        return
    folded = {name.casefold() for name in names}
    known = remembered(data_dir)
    left = {source: name for source, name in known.items() if name.casefold() in folded}
    if not left:
        path.unlink()
    elif left != known:
        remember(data_dir, left)


def _beside(path: Path) -> Path:
    return path.with_suffix(".new")
