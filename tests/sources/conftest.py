"""What tests of sources share: the processes that read exports are forked from one that has imported memd."""

from __future__ import annotations

import subprocess

import pytest

from memd.tests import processes


@pytest.fixture(autouse=True)
def forked_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start each reader in a few milliseconds, with the arguments, streams and environment that it would have."""
    monkeypatch.setattr(subprocess, "Popen", processes.Popen)
