"""The command line: one file a verb. The only place that prints. Importing it stays light, see `command`."""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (default: the process's own); returns the exit code."""
    # Here and not above, so that importing one verb's file does not import all of them.
    from .command import main as run

    return run(argv)


__all__ = ["main"]
