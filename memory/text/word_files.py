"""Reads files of words and of patterns: lines below the name of their section in brackets, and comments behind a #."""

from __future__ import annotations

import re
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


def patterns(path: Path, flags: int = 0) -> Mapping[str, re.Pattern[str]]:
    """Return one pattern for each section of a file: its lines are alternatives that match whole words; those that begin
    with ~ match anywhere, for languages without blanks.
    """
    return {name: re.compile(_alternatives(lines), flags) for name, lines in sections(path).items()}


def _alternatives(lines: Sequence[str]) -> str:
    words = "|".join(line for line in lines if not line.startswith("~"))
    anywhere = [line.removeprefix("~") for line in lines if line.startswith("~")]
    return "|".join([*([rf"(?<![^\W_])(?:{words})(?![^\W_])"] if words else []), *anywhere])
