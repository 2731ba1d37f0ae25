"""Loops over cases tell every failure, and never pass because they checked nothing."""

from __future__ import annotations

import pytest

from memd.tests.cases import check_all, for_each


def test_every_failed_case_is_told() -> None:
    """By its arguments and its error; the cases between them are checked as well."""
    seen: list[int] = []

    def check(number: int) -> None:
        seen.append(number)
        assert number % 2 == 0, f"{number} is odd"

    with pytest.raises(AssertionError, match="2 of 4 cases failed") as caught:
        check_all([1, 2, 3, 4], check)
    assert seen == [1, 2, 3, 4]
    assert "1 is odd" in str(caught.value)
    assert "3 is odd" in str(caught.value)


def test_no_cases_are_a_failure() -> None:
    """A table that is empty, or read from nowhere, checks nothing."""
    with pytest.raises(AssertionError, match="no case"):
        check_all([], print)


def test_a_decorated_function_checks_each_case() -> None:
    """With one argument as it is, with several in the order of the parameters, also those that go by name only."""
    seen: list[object] = []

    @for_each([(1, 2)])
    def check_one(pair: object) -> None:
        seen.append(pair)

    @for_each([(1, 2), (3, 4)])
    def check_two(first: int, *, second: int) -> None:
        seen.append((first, second))
        assert first != 3, "a case that fails"

    check_one()
    with pytest.raises(AssertionError, match="1 of 2 cases failed"):
        check_two()
    assert seen == [(1, 2), (1, 2), (3, 4)]
