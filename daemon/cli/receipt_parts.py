"""A receipt in parts that fit into requests: an export may have tens of thousands of files with long paths."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

PART_BYTES = 4 * 1024 * 1024
"""The files of one part, as JSON: far below what a request may have."""
_REST = {"documents": 0, "messages": 0, "chats": {"count": 0}, "people": {"count": 0}, "rest": True}
"""The fields of an export that continues from the previous part, for its further files."""


def receipt_parts(receipt: Mapping[str, Any], part_bytes: int = PART_BYTES) -> Iterator[dict[str, Any]]:
    """The receipt, as `ReadingLog.to_wire` tells it, in one part or several in their order; each but the first goes on with
    what the one before began, and each but the last says that more follows.
    """
    part: dict[str, Any] = {"exports": [], "skipped": []}
    room = part_bytes
    for export in receipt["exports"]:
        files: list[Any] = []
        part["exports"].append({**export, "files": files})
        for file in export["files"]:
            if (room := room - len(json.dumps(file))) < 0 and (files or part["exports"][1:]):
                yield part | {"more": True}
                files, room = [file], part_bytes
                rest = {"format": export["format"], "version": export["version"], **_REST, "files": files}
                part = {"continues": True, "exports": [rest], "skipped": []}
            else:
                files.append(file)
    for file in receipt["skipped"]:
        if (room := room - len(json.dumps(file))) < 0 and (part["skipped"] or part["exports"]):
            yield part | {"more": True}
            part = {"continues": True, "exports": [], "skipped": []}
            room = part_bytes
        part["skipped"].append(file)
    yield part
