"""Some members of a source as a source of their own, which still knows what else the source holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ...schemas import Notice, Rejected
from ..connector import Member, Source


class HeldFile(Protocol):
    """A file that is there. Another connector may read it, so that it cannot be opened here."""

    @property
    def name(self) -> str:
        """As a member's."""
        ...

    @property
    def size(self) -> int | None:
        """As a member's."""
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
        """The selected ones."""
        return self._members

    def notices(self) -> Sequence[Notice | Rejected]:
        """None: they belong to the whole, and were told."""
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
    """All files of a source in its order, also those that other connectors read: an attachment may be one of them."""
    return source.held() if isinstance(source, MemberSubset) else source.members()


def subset_of(source: Source, members: tuple[Member, ...], root: str | None = None) -> MemberSubset:
    """These members of a source, in the place of those that it has.

    Args:
        source: a whole, or a subset, whose files stay known.
        members: the selected ones, which may be wrapped.
        root: what the names of the held files begin with; None: as before.
    """
    if isinstance(source, MemberSubset):
        return source.with_members(members, root)
    return MemberSubset(source.name, source.locator, members, source.members(), root or "")
