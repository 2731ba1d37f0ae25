"""A check of an index in steps: whoever changes the index, or waits for it, has a turn between two of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ..records import CheckResult

CHECKED_AT_ONCE = 2_000
"""Rows that are compared in one step."""


@dataclass(slots=True)
class RunningCheck:
    """How far a check of an index is. What changes between two steps is compared with the store as it is then, or not at all;
    which rows are there is compared in the last step, at one moment.
    """

    contents: bool = False
    """Whether all that is held of each row is compared, where the index can give it back."""
    begun: bool = False
    after: int = 0
    """The last row that was compared, or the number of its change."""
    compared: bool = False
    """Whether nothing is left but to compare which rows are there."""
    differing: set[int] = field(default_factory=set[int])
    """Rows that are held otherwise than the store has them."""
    findings: list[CheckResult] | None = None
    """What it found, once it is done."""


async def checked(step: Callable[[RunningCheck], Awaitable[None]], *, contents: bool) -> list[CheckResult]:
    """All steps of a check, and what they found."""
    running = RunningCheck(contents)
    while running.findings is None:
        await step(running)
    return running.findings
