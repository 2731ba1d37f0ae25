"""Follows the people behind nicks: one person through all nick changes between joining and leaving. Bounded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_CHAINS = 200_000
_GENERIC = re.compile(r"(?:guest|webchat|user|mibbit|unknown|nobody)[\d_-]*", re.IGNORECASE)


@dataclass(slots=True)
class Nicks:
    """The people of one log; the methods are called in the order of its lines."""

    changed: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The nicks of everybody who changed it, by the id of the person."""
    _now: dict[str, str] = field(default_factory=dict[str, str])
    _count: int = 0

    def person(self, nick: str) -> str:
        """Return the id of the person who has this nick now; a new one for a new nick."""
        folded = nick.casefold()
        name = self._now.get(folded)
        if name is None:
            self._count += 1
            name = f"#{self._count}"
            if len(self._now) < _CHAINS:
                self._now[folded] = name
        return name

    def change(self, old: str, new: str) -> None:
        """Move a person to another nick."""
        person = self.person(old)
        self._now.pop(old.casefold(), None)
        if len(self._now) < _CHAINS:
            self._now[new.casefold()] = person
        if person in self.changed or len(self.changed) < _CHAINS:
            nicks = self.changed.setdefault(person, [old])
            if new not in nicks and len(nicks) < 50:
                nicks.append(new)

    def gone(self, nick: str) -> None:
        """Forget the holder of a nick, because somebody joined or left: another person may have it from here on."""
        self._now.pop(nick.casefold(), None)

    def restart(self) -> None:
        """Forget the holders of all nicks, because the log was interrupted and nicks may have changed meanwhile."""
        self._now.clear()

    def names(self, counts: Mapping[str, int]) -> dict[str, str]:
        """Return a name for each person with nick changes, by id: the nick with the most messages, generic nicks last."""
        return {person: max(nicks, key=lambda nick: _weight(nick, counts)) for person, nicks in self.changed.items()}


def _weight(nick: str, counts: Mapping[str, int]) -> tuple[bool, int]:
    return _GENERIC.fullmatch(nick) is None, counts.get(nick, 0)
