"""Where a notice about a whole export stands: at its file, where that is but one. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ..connector import Member, Source


def place_of(source: Source, members: Iterable[Member]) -> str:
    """The locator for what is told of all these members of a source: that of the only one, else the source's."""
    locators = {member.locator for member in members}
    return locators.pop() if len(locators) == 1 else source.locator
