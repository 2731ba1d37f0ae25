"""Which `memd` the tests of whole commands run: this checkout's, or the one that ``MEMD_TEST_COMMAND`` names."""

from __future__ import annotations

import os
import sys

COMMAND = [os.environ["MEMD_TEST_COMMAND"]] if "MEMD_TEST_COMMAND" in os.environ else []
"""Empty: this checkout's, by the interpreter that runs the tests."""


def memd_command(*words: str) -> list[str]:
    """The command line of `memd` with these words."""
    return [*(COMMAND or [sys.executable, "-P", "-m", "memd.daemon.cli"]), *words]
