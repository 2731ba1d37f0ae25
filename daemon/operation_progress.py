"""How far a long operation of the memory is, and to whom that is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OperationProgress:
    """How far an operation is. ``total`` is 0 while the end is not known."""

    stage: str
    done: int = 0
    total: int = 0


ReportProgress = Callable[[OperationProgress], None]
"""Takes the latest step; never waits: a slow reader sees fewer of them."""
