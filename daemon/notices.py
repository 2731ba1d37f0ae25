"""Notices of an ingest, a request or a source, grouped by code and hint, in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..schemas import Notice

PLACES = 3
"""The maximum number of places that are listed for each code and hint; the count is of all."""
HINTS = 5
"""The maximum number of hints per code: several readers give different hints for the same code. Further ones count with
the first.
"""
_NUMBER = re.compile(r"\d[\d,]*")


@dataclass(slots=True)
class _Group:
    hint: str
    count: int = 0
    places: list[str] = field(default_factory=list[str])


class Notices:
    """Collects notices."""

    def __init__(self) -> None:
        self._groups: dict[str, dict[str, _Group]] = {}
        """The groups by code and by hint, with numbers in the hint masked."""

    def _group(self, code: str, hint: str) -> _Group:
        groups = self._groups.setdefault(code, {})
        plain = _NUMBER.sub("N", hint)
        if plain not in groups and len(groups) == HINTS:
            return next(iter(groups.values()))
        return groups.setdefault(plain, _Group(hint))

    def add(self, notice: Notice) -> None:
        """Count a notice under its code and hint."""
        group = self._group(notice.code, notice.hint)
        group.count += 1
        if (
            len(group.places) < PLACES and notice.locator not in group.places
        ):  # a folder counts as one place for all its files
            group.places.append(notice.locator)

    def merge(self, groups: Iterable[Mapping[str, Any]]) -> None:
        """Add grouped notices in the form of `to_wire`."""
        for each in groups:
            group = self._group(each["code"], each["hint"])
            group.count += each["count"]
            fresh = [
                place for place in each["places"] if place not in group.places
            ]  # a folder is one for all its files
            group.places += fresh[: PLACES - len(group.places)]

    def to_wire(self) -> list[dict[str, Any]]:
        """Return the count, the hint and the first places for each code and hint."""
        return [
            {"code": code, "count": group.count, "hint": group.hint, "places": group.places}
            for code, groups in self._groups.items()
            for group in groups.values()
        ]
