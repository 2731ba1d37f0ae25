"""What tests of the store share: a directory that is made at the first opening."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.memory.indexing.indexed_store import open_store
from memd.tests.memory.store.samples import Opening


@pytest.fixture
def opening(tmp_path: Path) -> Opening:
    """How to open, and after closing to reopen, one store."""
    return lambda: open_store(tmp_path / "data")
