"""The command line: one file a verb. The only place that prints. Importing it stays light, see `command`."""

from .command import main

__all__ = ["main"]
