"""What the short forms of torture share: one process that forks, and a seed that each run draws anew."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from memd.tests.torture.home import launcher
from memd.tests.torture.nursery import Nursery


@pytest.fixture(scope="session")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    """Where processes come from."""
    made = Nursery(launcher(), tmp_path_factory.mktemp("nursery"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def seed() -> int:
    """What breaks tells it, and `make torture TORTURE_ARGS="PART --seed SEED --first ROUND --rounds 1"` repeats it."""
    return random.randrange(10**6)
