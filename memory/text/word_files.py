"""Reads files of words and patterns: lines below the name of their section in brackets, and comments behind a #."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path


def numbered_lines(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the lines of a file as (number, section, line)."""
    section = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            yield number, section, line


def sections(path: Path) -> Mapping[str, Sequence[str]]:
    """Return the lines of a file by their section."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for _, section, line in numbered_lines(path):
        found[section].append(line)
    return found
