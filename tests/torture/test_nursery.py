"""The process that forks: it ends when nobody can ask it any more, and what holds it up is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.tests.torture import nursery
from memd.tests.torture.home import launcher
from memd.tests.torture.nursery import Nursery


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="who holds a pipe is looked up in /proc")
def test_what_holds_up_its_end_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its state, its stack, and who else has its standard input."""
    made = Nursery(launcher(), tmp_path)
    made.ask({"poll": made.start(["--version"], {}, dict(os.environ), tmp_path).pid})
    stdin = made._process.stdin  # pyright: ignore[reportPrivateUsage] - somebody else who holds it
    assert stdin is not None
    held = os.dup(stdin.fileno())
    monkeypatch.setattr(nursery, "CLOSE_SECONDS", 0.1)
    try:
        with pytest.raises(AssertionError) as raised:
            made.close()
    finally:
        os.close(held)
    told = str(raised.value)
    assert "in forks" in told
    assert str(os.getpid()) in told.partition("its input is held by ")[2].splitlines()[0]
    assert "State:" in told
