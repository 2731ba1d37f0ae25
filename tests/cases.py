"""Checks many small cases in one test, and tells all that failed."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Signature, signature
from typing import Any, TypeVar

import pytest

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
        # Every failure is told with those of the other cases; to leave out a case is one, too.
        except (Exception, pytest.fail.Exception, pytest.skip.Exception):  # noqa: BLE001
            failures.append(f"{case!r}:\n{traceback.format_exc(limit=-2)}")
    assert count, "there was no case to check"
    assert not failures, f"{len(failures)} of {count} cases failed\n\n" + "\n".join(failures)


def for_each(cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Make one test of a function that checks one case, where `pytest.mark.parametrize` makes a test of each case.

    Args:
        cases: the arguments of each call, in the order of the function's parameters; the argument itself where it has
            one parameter. The cases must be cheap and independent, and the function may use no fixture.
    """

    def decorate(check: Callable[..., None]) -> Callable[[], None]:
        names = tuple(signature(check).parameters)

        def check_case(case: Any) -> None:
            values = (case,) if len(names) == 1 else case
            check(**dict(zip(names, values, strict=True)))

        @wraps(check)
        def test() -> None:
            check_all(cases, check_case)

        setattr(test, "__signature__", Signature())  # noqa: B010 - pytest looks for the fixtures of a test in its signature
        return test

    return decorate
