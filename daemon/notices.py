"""Notices grouped by their code and hint, in constant memory, however much there is to say: of an ingest, a request, a source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..schemas import Notice

PLACES = 3
"""How many places are named for each code and hint; the count is whole."""
HINTS = 5
"""Hints of one code that are told apart: several readers say different things of the same kind. Others count with the first."""
_NUMBER = re.compile(r"\d[\d,]*")


@dataclass(slots=True)
class _Group:
    hint: str
    count: int = 0
    places: list[str] = field(default_factory=list[str])


class Notices:
    """Collects while it goes."""

    def __init__(self) -> None:
        self._groups: dict[str, dict[str, _Group]] = {}
        """By code and hint, whose numbers do not tell it from others."""

    def _group(self, code: str, hint: str) -> _Group:
        known = self._groups.setdefault(code, {})
        plain = _NUMBER.sub("N", hint)
        if plain not in known and len(known) == HINTS:
            return next(iter(known.values()))
        return known.setdefault(plain, _Group(hint))

    def add(self, notice: Notice) -> None:
        """Count it under its code and hint."""
        group = self._group(notice.code, notice.hint)
        group.count += 1
        if len(group.places) < PLACES and notice.locator not in group.places:  # a folder is one for all its files
            group.places.append(notice.locator)

    def merge(self, told: Iterable[Mapping[str, Any]]) -> None:
        """Count what others counted, as `to_wire` tells it."""
        for each in told:
            group = self._group(each["code"], each["hint"])
            group.count += each["count"]
            fresh = [
                place for place in each["places"] if place not in group.places
            ]  # a folder is one for all its files
            group.places += fresh[: PLACES - len(group.places)]

    def to_wire(self) -> list[dict[str, Any]]:
        """For each code and hint, how many there are, what to know, and the first places."""
        return [
            {"code": code, "count": group.count, "hint": group.hint, "places": group.places}
            for code, groups in self._groups.items()
            for group in groups.values()
        ]
