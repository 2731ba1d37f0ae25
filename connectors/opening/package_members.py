"""A file that is an archive of parts (an office document, a book): its parts by name, and the check of which kind it
is.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...schemas.errors import SourceError
from ..connector import Member
from .limits import DEFAULT_LIMITS, Limits
from .open_source import open_inside
from .zip_source import is_zip

DEPTH = DEFAULT_LIMITS.depth - 1
"""The file may itself lie in an archive; nothing in it is opened as one."""


def package_members(member: Member, limits: Limits = DEFAULT_LIMITS) -> Mapping[str, Member]:
    """Return the parts of a file; none if it is no archive.

    Raises:
        SourceError: it is damaged or breaks a cap.
    """
    with member.open() as stream:
        if not is_zip(stream.read(4)):
            return {}
    archive = open_inside(member, limits, 0)
    return {} if archive is None else {part.name: part for part in archive.members()}


def part_names(member: Member) -> frozenset[str]:
    """Return the names of the parts; none if the file is no archive, or a damaged one."""
    try:
        return frozenset(package_members(member))
    except SourceError:
        return frozenset()
