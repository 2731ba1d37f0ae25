"""The pieces in which a large export comes: archives of one folder whose names differ in numbers alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ...schemas.errors import SourceError
from ..connector import Source
from ..opening.limits import DEFAULT_LIMITS, Limits
from ..opening.member_names import readable_name
from ..opening.open_source import FileMember, OpenedSource, open_source
from .registry import formats

UNNAMED = "-"
"""The name of an export whose archives bear none, such as Claude's ``conversations-000.zip`` and ``users-000.zip``."""
_ARCHIVE = r"\.(?:zip|tgz|tar|tar\.gz)"
_COPY = r"(?: ?\(\d{1,3}\)| \d{1,2})"
"""The number that a browser or a desktop adds to a name that is there already: ``users-000 (1).zip``."""
_NAMED_ARCHIVE = re.compile(rf".+{_ARCHIVE}", re.IGNORECASE | re.DOTALL)


@cache
def _piece() -> re.Pattern[str]:
    numbers = "|".join(each.pieces for each in formats() if each.pieces)
    return re.compile(rf"(.*?)(?:{numbers}){_COPY}?(?:{_ARCHIVE})?", re.IGNORECASE | re.DOTALL)


def whole_of(name: str) -> str:
    """Return the name of the export of which an archive with this name is a numbered piece, without the number; empty
    if it is none. Pieces that are named after their content alone have `UNNAMED`.
    """
    piece = _piece().fullmatch(name)
    return piece[1] or UNNAMED if piece else ""


def gathered(paths: Sequence[str]) -> list[list[str]]:
    """Paths in their order, the pieces of one export with the first of them."""
    groups: list[list[str]] = []
    of_wholes: dict[tuple[Path, str], list[str]] = {}
    for start_path in paths:
        path = Path(start_path)
        whole = whole_of(path.name) if _NAMED_ARCHIVE.fullmatch(path.name) and path.is_file() else ""
        group = of_wholes.get((path.parent, whole), [])
        if not group:
            groups.append(group)
        if whole:
            of_wholes[path.parent, whole] = group
        if start_path not in group:
            group.append(start_path)
    return groups


def open_pieces(paths: Sequence[str], limits: Limits = DEFAULT_LIMITS) -> Source:
    """Return the source of one path as `open_source` opens it, or of several files as if they lay alone in their
    folder.

    Raises:
        SourceError: there is no such thing, or it cannot be read.
    """
    if len(paths) == 1:
        return open_source(paths[0], limits)
    folder = Path(paths[0]).parent
    try:
        sizes = [Path(path).stat().st_size for path in paths]
    except OSError as error:
        raise SourceError(f"{readable_name(str(folder))}: {error.strerror}", hint="check the path") from error
    members = tuple(
        FileMember(readable_name(Path(path).name), readable_name(path), size, path, limits)
        for path, size in zip(paths, sizes, strict=True)
    )
    return OpenedSource(readable_name(folder.resolve().name), readable_name(str(folder)), members)
