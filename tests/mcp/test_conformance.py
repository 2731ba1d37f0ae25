"""Both sets of requirements of the protocol's conformance suite, against the product's protocol and endpoint."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.tests.mcp import conformance

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(conformance.why_not()), reason=conformance.why_not())]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server with all that the suite asks for."""
    command = [sys.executable, "-P", "-m", "memd.tests.mcp.everything"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


@pytest.mark.parametrize("revision", conformance.REVISIONS)
def test_every_requirement_is_met(address: str, revision: str, tmp_path: Path) -> None:
    """None of those that count for a revision fails, and there are many."""
    done = conformance.run(address, revision, tmp_path)
    summary = done.stdout.partition("=== SUMMARY ===")[2]
    assert done.returncode == 0, summary + done.stderr
    assert len(re.findall(r"^✓ ", summary, re.MULTILINE)) >= 30
