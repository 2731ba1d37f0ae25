"""`memd serve` with one more kind of source: the scripted account of the torture, at a port that the environment names."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from memd.connectors.live.contract import LiveConnector
from memd.daemon import lifecycle
from memd.daemon.app import open_app
from memd.daemon.cli import main
from memd.daemon.config.source_settings import SourceSettings
from memd.daemon.scheduler import settings_check
from memd.daemon.sources import runner
from memd.tests.sources.scripted_account import ScriptedConnector


def connector(_settings: SourceSettings) -> LiveConnector:
    """A connector with the token that is in a file, as a renewed one would be."""
    token = Path(os.environ["TORTURE_TOKEN"]).read_text()
    return ScriptedConnector(int(os.environ["TORTURE_PORT"]), token, 5, patience_s=1.0)


if __name__ == "__main__":
    runner.UNREACHABLE_PAUSES = (0.05, 0.1, 0.2)
    runner.RATE_LIMIT_SECONDS = 0.05
    settings_check.KINDS = (*settings_check.KINDS, "scripted")  # pyright: ignore[reportConstantRedefinition]
    lifecycle.open_app = partial(open_app, connectors={"scripted": connector})  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
    sys.exit(main(sys.argv[1:]))
