"""Formats of which every file is by itself: the loop over the files of a source, and what is told once. No format here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...schemas import Notice
from ...schemas.errors import SourceError
from ..connector import Member, ReadOptions, Record, Source
from ..errors import refusal
from ..opening.document_paths import path_prefix
from ..record_faults import records_at

_SNIFFED_MEMBERS = 200
"""A source of more files is recognised by the first of them."""

ReadFile = Callable[[Member, str, ReadOptions], Iterator[Record]]
"""The records of one file; its path has the root's name."""


def best_score(source: Source, score: Callable[[Member], float], certain: float) -> float:
    """The highest score of a file; looking ends at one that is certain.

    Raises:
        SourceError: a file cannot be read.
    """
    best = 0.0
    for member in source.members()[:_SNIFFED_MEMBERS]:
        best = max(best, score(member))
        if best >= certain:
            break
    return best


def read_files(
    source: Source, options: ReadOptions, read: ReadFile, once: frozenset[str] = frozenset()
) -> Iterator[Record]:
    """The records of every file, in the order of the source; notices of the codes in ``once`` for the first file alone.

    Raises:
        SourceError: the only file cannot be read.
    """
    members = source.members()
    prefix = path_prefix(source, options)
    told: set[str] = set()
    for member in members:
        try:
            for record in records_at(member.locator, read, member, prefix + member.name, options):
                if isinstance(record, Notice) and record.code in once:
                    if record.code in told:
                        continue
                    told.add(record.code)
                yield record
        except SourceError as error:
            if len(members) == 1:
                raise
            yield refusal(member.locator, error)


def stem_of(path: str) -> str:
    """The file's name without its ending."""
    name = path.rpartition("/")[2]
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name
