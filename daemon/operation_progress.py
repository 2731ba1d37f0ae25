"""The progress of a long operation of the memory, and the type of its receivers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OperationProgress:
    """The progress of an operation. ``total`` is 0 while it is not known."""

    stage: str
    done: int = 0
    total: int = 0


ReportProgress = Callable[[OperationProgress], None]
"""A function that receives the latest step and never waits: a slow reader gets fewer of them."""
