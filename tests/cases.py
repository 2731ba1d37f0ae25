"""Checks many small cases in one test, and tells all that failed."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from typing import TypeVar

Case = TypeVar("Case")


def check_all(cases: Iterable[Case], check: Callable[[Case], object]) -> None:
    """Check each case.

    Args:
        cases: at least one.
        check: raises AssertionError, or anything else, where a case fails.

    Raises:
        AssertionError: some failed; the message has each of them with its error. Or there was none to check.
    """
    count = 0
    failures: list[str] = []
    for case in cases:
        count += 1
        try:
            check(case)
        except Exception:  # noqa: BLE001 - every failure is told with those of the other cases
            failures.append(f"{case!r}:\n{traceback.format_exc(limit=-2)}")
    assert count, "there was no case to check"
    assert not failures, f"{len(failures)} of {count} cases failed\n\n" + "\n".join(failures)
