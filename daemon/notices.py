"""Notices grouped by their code, in constant memory, however much there is to say: of an ingest, a request, a source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..schemas import Notice

PLACES = 3
"""How many places are named for each code; the count is whole."""


@dataclass(slots=True)
class _Group:
    hint: str
    count: int = 0
    places: list[str] = field(default_factory=list[str])


class Notices:
    """Collects while it goes."""

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}

    def add(self, notice: Notice) -> None:
        """Count it under its code."""
        group = self._groups.setdefault(notice.code, _Group(notice.hint))
        group.count += 1
        if len(group.places) < PLACES and notice.locator not in group.places:  # a folder is one for all its files
            group.places.append(notice.locator)

    def merge(self, told: Iterable[Mapping[str, Any]]) -> None:
        """Count what others counted, as `to_wire` tells it."""
        for each in told:
            group = self._groups.setdefault(each["code"], _Group(each["hint"]))
            group.count += each["count"]
            fresh = [
                place for place in each["places"] if place not in group.places
            ]  # a folder is one for all its files
            group.places += fresh[: PLACES - len(group.places)]

    def to_wire(self) -> list[dict[str, Any]]:
        """For each code, how many there are, what to know, and the first places."""
        return [
            {"code": code, "count": group.count, "hint": group.hint, "places": group.places}
            for code, group in self._groups.items()
        ]
