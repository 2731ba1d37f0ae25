"""What the short forms of torture share: one process that forks, and a seed."""

from __future__ import annotations

import os
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
    """The same each time, so that a change is judged by what it changed; ``MEMD_SEED`` is another. `make torture` draws
    its own, and TORTURE_ARGS="PART --seed SEED --first ROUND --rounds 1" repeats what broke.
    """
    return int(os.environ.get("MEMD_SEED", "1"))
