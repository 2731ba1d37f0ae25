"""Who is behind a nick: one person through all changes of it between coming and going. Bounded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_CHAINS = 200_000
_GENERIC = re.compile(r"(?:guest|webchat|user|mibbit|unknown|nobody)[\d_-]*", re.IGNORECASE)


@dataclass(slots=True)
class Nicks:
    """The people of one log, in its order."""

    changed: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The nicks of everybody who changed it, by the id of the stay."""
    _now: dict[str, str] = field(default_factory=dict[str, str])
    _count: int = 0

    def person(self, nick: str) -> str:
        """The id of who has this nick now."""
        folded = nick.casefold()
        found = self._now.get(folded)
        if found is None:
            self._count += 1
            found = f"#{self._count}"
            if len(self._now) < _CHAINS:
                self._now[folded] = found
        return found

    def change(self, old: str, new: str) -> None:
        """Somebody takes another nick."""
        person = self.person(old)
        self._now.pop(old.casefold(), None)
        if len(self._now) < _CHAINS:
            self._now[new.casefold()] = person
        if person in self.changed or len(self.changed) < _CHAINS:
            nicks = self.changed.setdefault(person, [old])
            if new not in nicks and len(nicks) < 50:
                nicks.append(new)

    def gone(self, nick: str) -> None:
        """Somebody came or left: whoever has the nick from here on may be another."""
        self._now.pop(nick.casefold(), None)

    def restart(self) -> None:
        """The log was interrupted: nobody knows what happened meanwhile."""
        self._now.clear()

    def names(self, counts: Mapping[str, int]) -> dict[str, str]:
        """The name of everybody who changed it: the nick under which most is said in the whole log."""
        return {person: max(nicks, key=lambda nick: _weight(nick, counts)) for person, nicks in self.changed.items()}


def _weight(nick: str, counts: Mapping[str, int]) -> tuple[bool, int]:
    return _GENERIC.fullmatch(nick) is None, counts.get(nick, 0)
