"""Which `memd` the tests of whole commands run: this checkout's, or the one that ``MEMD_TEST_COMMAND`` names."""

from __future__ import annotations

import os
import sys

MODULE_COMMAND = [sys.executable, "-P", "-m", "memd.daemon.cli"]
"""This checkout's, by the interpreter that runs the tests."""
COMMAND = [os.environ["MEMD_TEST_COMMAND"]] if "MEMD_TEST_COMMAND" in os.environ else MODULE_COMMAND


def memd_command(*words: str) -> list[str]:
    """The command line of `memd` with these words."""
    return [*COMMAND, *words]
