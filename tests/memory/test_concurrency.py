"""Two operations at once: both results, or the bare error of one, which ends the other."""

from __future__ import annotations

from typing import NoReturn

import anyio
import anyio.lowlevel
import pytest

from memd.memory.concurrency import together
from memd.schemas.errors import StoreError


async def _number() -> int:
    await anyio.lowlevel.checkpoint()
    return 1


@pytest.mark.anyio
async def test_both_results_are_there() -> None:
    """In the order of the operations."""

    async def word() -> str:
        return "a"

    assert await together(_number, word) == (1, "a")


@pytest.mark.anyio
@pytest.mark.parametrize("is_first", [True, False])
async def test_an_error_is_raised_as_it_is_and_ends_the_other(is_first: bool) -> None:
    """With its cause, which the log tells of."""
    ended: list[bool] = []

    async def fail() -> NoReturn:
        await anyio.lowlevel.checkpoint()
        raise StoreError("no") from OSError("disk")

    async def wait() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append(True)

    with pytest.raises(StoreError, match="no") as caught:
        await (together(fail, wait) if is_first else together(wait, fail))
    assert isinstance(caught.value.__cause__, OSError)
    assert ended == [True]


@pytest.mark.anyio
async def test_any_number_of_operations_is_taken() -> None:
    """None gives nothing."""
    assert await together(_number, _number, _number) == (1, 1, 1)
    assert await together(_number) == (1,)
    assert await together() == ()


@pytest.mark.anyio
async def test_a_cancellation_ends_both() -> None:
    """And comes through as what it is."""
    with anyio.move_on_after(0.01) as scope:
        await together(_number, anyio.sleep_forever)
    assert scope.cancelled_caught
