"""Everything that `make systemd` checks, where this machine can boot a systemd of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memd.tests.systemd.machine import obstacle


@pytest.mark.slow
def test_memd_runs_under_a_real_systemd(checkout: Path) -> None:
    """From the installation to the removal, as a service of the machine and of a user."""
    if reason := obstacle():
        pytest.skip(reason)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "memd.tests.systemd.checks"],
        cwd=checkout,
        capture_output=True,
        text=True,
        timeout=590,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
