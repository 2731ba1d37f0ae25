"""Checks an index in steps, so that updates and other waiting tasks get their turn between two steps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ..records import CheckResult

CHECKED_AT_ONCE = 2_000
"""The number of rows compared in one step."""


@dataclass(slots=True)
class RunningCheck:
    """The progress of an index check. Rows that change between two steps are compared with their new state or skipped;
    the set of existing rows is compared in the last step, at one moment.
    """

    contents: bool = False
    """True if the content of each row is compared too, where the index can return it."""
    begun: bool = False
    after: int = 0
    """The last compared row, or the number of its change."""
    compared: bool = False
    """True if only the set of existing rows remains to be compared."""
    differing: set[int] = field(default_factory=set[int])
    """The rows whose content differs from the store's."""
    findings: list[CheckResult] | None = None
    """The result of the finished check."""


async def checked(step: Callable[[RunningCheck], Awaitable[None]], *, contents: bool) -> list[CheckResult]:
    """Run all steps of a check and return the result."""
    running = RunningCheck(contents)
    while running.findings is None:
        await step(running)
    return running.findings
