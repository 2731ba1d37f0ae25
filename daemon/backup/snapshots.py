"""A snapshot: one saved state of the memory, with its files as lists of blocks, and its JSON form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import orjson

from .folder_errors import DamagedError

FORMAT = 1
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class SavedFile:
    """One file of a snapshot. ``path``: relative to the data directory, with slashes."""

    path: str
    size: int
    sha256: str
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state of the memory. ``formats``: versions of the store and the journal; ``counts``: numbers of its contents,
    for people.
    """

    name: str
    time: str
    memd: str
    formats: dict[str, int]
    counts: dict[str, int]
    files: tuple[SavedFile, ...]

    @property
    def size(self) -> int:
        """Return the size of all files, in bytes."""
        return sum(file.size for file in self.files)


def snapshot_to_json(snapshot: Snapshot) -> bytes:
    """Return the content of a snapshot's file."""
    files = [{"path": f.path, "size": f.size, "sha256": f.sha256, "blocks": f.blocks} for f in snapshot.files]
    body: dict[str, Any] = {
        "format": FORMAT,
        "time": snapshot.time,
        "memd": snapshot.memd,
        "formats": snapshot.formats,
        "counts": snapshot.counts,
        "files": files,
    }
    body["check"] = _check(body)
    return orjson.dumps(body, option=orjson.OPT_INDENT_2)


def snapshot_from_json(name: str, data: bytes) -> Snapshot:
    """Parse the content of a snapshot's file.

    Raises:
        DamagedError: the content is damaged, or of a newer format.
    """
    try:
        body: dict[str, Any] = orjson.loads(data)
        if body.pop("check") != _check(body) or body["format"] > FORMAT:
            raise ValueError
        files = tuple(
            SavedFile(str(f["path"]), int(f["size"]), str(f["sha256"]), tuple(f["blocks"])) for f in body["files"]
        )
        if not all(_HASH.fullmatch(block) for file in files for block in file.blocks):
            raise ValueError
        return Snapshot(name, body["time"], body["memd"], body["formats"], body["counts"], files)
    except (ValueError, KeyError, TypeError):
        raise DamagedError(f"snapshot {name} is damaged", hint="take another: --list shows them") from None


def _check(body: dict[str, Any]) -> str:
    """Return a hash over all fields of a snapshot."""
    return sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()
