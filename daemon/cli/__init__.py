"""The command line: one file a verb. The only place that prints. Importing it stays light, see `dispatch`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..exit_codes import INTERRUPTED


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (default: the process's own); returns the exit code."""
    try:
        words = list(sys.argv[1:] if argv is None else argv)
        if words[:1] == ["mcp"]:  # an agent waits for it, and the other verbs take longer to import than it may take
            from .commands.mcp import run_alone

            if (code := run_alone(words)) is not None:
                return code
        # Here and not above, so that importing one verb's file does not import all of them.
        from .dispatch import main as run
    except KeyboardInterrupt:
        return INTERRUPTED
    return run(argv)


__all__ = ["main"]
