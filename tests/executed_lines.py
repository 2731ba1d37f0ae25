"""How many lines of Python are executed while something runs: a measure of work that no other process disturbs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def executed_lines(work: Callable[[], object]) -> int:
    """Lines that ``work`` executes, in any file; one in a loop counts each time.

    What a library in C does inside of one line is not seen.
    """
    count = 0

    def step(_frame: FrameType, event: str, _told: Any) -> Any:
        nonlocal count
        if event == "line":
            count += 1
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
