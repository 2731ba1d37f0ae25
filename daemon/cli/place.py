"""Which socket is in force, found with the standard library alone: flag, environment, configuration, default."""

from __future__ import annotations

import argparse
import os


def socket_of(arguments: argparse.Namespace) -> str:
    """The path of the daemon's socket."""
    given = arguments.socket or os.environ.get("MEMD_SOCKET")
    if given:
        return os.path.abspath(os.path.expanduser(given))
    raise NotImplementedError
