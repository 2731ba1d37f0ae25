"""What the tests with hostile input share: the real command with a home of its own, and one that is served."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.tests.e2e.conftest import Memd


@pytest.fixture
def memd(tmp_path: Path) -> Iterator[Memd]:
    """The command with a fresh home."""
    home = tmp_path / "home"
    home.mkdir()
    command = Memd(home)
    yield command
    command.end()


@pytest.fixture
def without_vectors(memd: Memd) -> Memd:
    """The command with a fresh home, and embedding off."""
    memd.environment["MEMD_EMBEDDING_ENABLED"] = "false"
    return memd


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memd]:
    """A daemon of its own for the tests of one file: each leaves it answering."""
    command = Memd(tmp_path_factory.mktemp("h"))
    process = command.start("serve")
    command.until_served(process)
    yield command
    command.end()
