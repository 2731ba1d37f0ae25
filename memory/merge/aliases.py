"""Decides which names in two readings of a chat belong to one person: contacts get renamed, and each phone has its own
names. Pure.
"""

from __future__ import annotations

from collections.abc import Collection

from ...schemas import SYSTEM_SPEAKER, UNKNOWN_USER

ANYBODY = ""
"""Stands for every name that only one side uses, when possible renames are searched."""
_NOBODY = frozenset({SYSTEM_SPEAKER, UNKNOWN_USER})


class Aliases:
    """People, looked up by any of their names.

    Args:
        old: names in the stored reading.
        new: names in the incoming reading. An export gives each person one name, so two of its names are two people.
        known: pairs of names of one person.
    """

    def __init__(self, old: Collection[str], new: Collection[str], renames: Collection[tuple[str, str]] = ()) -> None:
        self._person: dict[str, str] = {}
        self._names: dict[str, list[str]] = {}
        self._new = frozenset(new)
        for pair in sorted(renames):
            if _NOBODY.isdisjoint(pair):
                self._unite(*pair)
        ours, theirs = ({self.person(name) for name in names} - _NOBODY for names in (old, new))
        self.strangers = (frozenset(ours - theirs), frozenset(theirs - ours))
        """The people known only to the stored reading, and those known only to the incoming one."""

    def person(self, name: str) -> str:
        """Return one name that represents all names of the person."""
        return self._person.get(name, name)

    def _unite(self, one: str, other: str) -> None:
        one, other = self.person(one), self.person(other)
        ours, theirs = self._names.get(one, [one]), self._names.get(other, [other])
        if one == other or sum(name in self._new for name in (*ours, *theirs)) > 1:
            return
        self._names[one] = [*ours, *theirs]
        self._person.update(dict.fromkeys(self._names[one], one))
