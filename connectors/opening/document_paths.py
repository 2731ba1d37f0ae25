"""The paths by which files of their own (notes, pages, books) are known: below the folder or archive, with its name."""

from __future__ import annotations

from pathlib import Path

from ..connector import ReadOptions, Source
from .member_names import archive_stem

STDIN = "-"


def is_file(source: Source) -> bool:
    """Return whether a source is one file, not a folder or an archive."""
    members = source.members()
    return len(members) == 1 and members[0].locator == source.locator


def root_of(source: Source, options: ReadOptions) -> str:
    """Return the first part of the ids: the given name, or the name of the folder or archive; for a file, the name of
    its folder.

    Links are resolved, as in the name of a source: folder and name of an id must be those of one file.
    """
    if options.chat:
        return options.chat
    if is_file(source):
        return "" if source.locator == STDIN else Path(source.locator).resolve().parent.name
    return archive_stem(source.name)


def path_prefix(source: Source, options: ReadOptions) -> str:
    """Return the prefix of the members' names: the same for a folder and for an archive that contains it under its
    name.
    """
    root = root_of(source, options)
    members = source.members()
    packed = all(member.locator == f"{source.locator}!{member.name}" for member in members)
    if not root or (packed and all(member.name.startswith(f"{root}/") for member in members)):
        return ""
    return f"{root}/"
