"""A subset of a source's members as a source of its own, which still knows the other files of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from ...schemas import Notice, Rejected
from ..connector import Member, Source

_MOST_NAMES = 1_000_000


class HeldFile(Protocol):
    """A file that exists but may not be opened here, since another connector may read it."""

    @property
    def name(self) -> str:
        """Return the name, as of a member."""
        ...

    @property
    def size(self) -> int | None:
        """Return the size in bytes, as of a member."""
        ...


@dataclass(frozen=True, slots=True)
class MemberSubset:
    """Some members of a source, as a source of their own."""

    name: str
    locator: str
    _members: tuple[Member, ...]
    _files: Sequence[HeldFile] = ()
    """All files of the whole source, these members included; empty if no others are known."""
    _root: str = ""
    """The prefix of the names of all files in the same top folder as the export."""

    def members(self) -> Sequence[Member]:
        """Return the selected members."""
        return self._members

    def notices(self) -> Sequence[Notice | Rejected]:
        """Return nothing: the notices belong to the whole source, where they were reported."""
        return ()

    def held(self) -> Sequence[HeldFile]:
        """Return the files for `held_files`. The list is made on request, since most formats never need it."""
        files = self._files or self._members
        return [file for file in files if file.name.startswith(self._root)] if self._root else files

    def with_members(self, members: tuple[Member, ...], root: str | None = None) -> MemberSubset:
        """Other members of the same files; see `subset_of`."""
        files = self._files or self._members
        return replace(self, _members=members, _files=files, _root=self._root if root is None else root)


def held_files(source: Source) -> Sequence[HeldFile]:
    """Return all files of a source in its order, also those that other connectors read: an attachment may be one of
    them.
    """
    return source.held() if isinstance(source, MemberSubset) else source.members()


def held_names(source: Source) -> frozenset[str]:
    """Return the names of all files of a source without their folders; of more than a million files the first ones."""
    return frozenset(file.name.rpartition("/")[2] for file in islice(held_files(source), _MOST_NAMES))


def subset_of(source: Source, members: tuple[Member, ...], root: str | None = None) -> MemberSubset:
    """Return some members of a source as a source in its place.

    Args:
        source: a whole, or a subset, whose files stay known.
        members: the selected ones, which may be wrapped.
        root: what the names of the held files begin with; None: as before.
    """
    if isinstance(source, MemberSubset):
        return source.with_members(members, root)
    return MemberSubset(source.name, source.locator, members, source.members(), root or "")
