"""What the short forms of torture share: a seed."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session")
def seed() -> int:
    """The same each time, so that a change is judged by what it changed; ``MEMD_SEED`` is another. `make torture` draws
    its own, and TORTURE_ARGS="PART --seed SEED --first ROUND --rounds 1" repeats what broke.
    """
    return int(os.environ.get("MEMD_SEED", "1"))
