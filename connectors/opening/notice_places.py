"""The locator of a notice about a whole export: its file, if there is only one. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ..connector import Member, Source


def place_of(source: Source, members: Iterable[Member]) -> str:
    """Return the locator of a notice about several members of a source: that of the only one, otherwise the source's."""
    locators = {member.locator for member in members}
    return locators.pop() if len(locators) == 1 else source.locator
