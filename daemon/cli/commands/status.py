"""`memd status`: who owns the memory, where it lies, what is going on in it."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from ...config.paths import SOCKET_BYTES, nothing_stored, owner_to_wait_for
from ...operations import STATUS
from ..arguments import Verbs, add_verb
from ..connect import daemon_of, paths_of, request
from ..output import print_json
from ..render.status import status_lines
from ..render.terminal import line_columns, say

_EXAMPLES = """\
  memd status
  memd status --json | jq -r .socket
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "status", "say what is going on, and which paths are in force", _EXAMPLES, (0, 2, 5, 6))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the state of the owner, or that there is none; where nothing is stored, nothing is made."""
    status = _of_nothing(arguments) or request(arguments, STATUS)
    if status["pid"] == os.getpid():  # this very command: it owns the memory for as long as the answer takes
        # Its own socket may be a private one, which nobody finds: that of the next owner is told.
        status |= {"pid": None, "uptime_s": None}
        if len(os.fsencode(socket := paths_of(arguments).socket)) <= SOCKET_BYTES:
            status["socket"] = socket
    if arguments.json:
        print_json(status)
        return 0
    if status["pid"] is None:
        say("no memd runs here; `memd serve` starts one, and every command works without")
    for line in status_lines(status, line_columns(sys.stdout)):
        print(line)
    return 0


def _of_nothing(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """The status where nobody serves and nothing was ever stored, though it could be; None elsewhere."""
    places = paths_of(arguments)
    if not nothing_stored(places) or daemon_of(arguments) or owner_to_wait_for(places.lock):
        return None
    from .... import __version__
    from ..settings import settings_of

    settings = settings_of(arguments)
    return {
        "version": __version__,
        "pid": None,
        "uptime_s": None,
        "config": str(settings.config),
        "data_dir": str(settings.data_dir),
        "socket": str(settings.socket),
        "http": "",
        "zone": str(settings.zone_in_force()[0]),
        "generation": None,
        "fallback": None,
        "degraded": [],
        "failures": {},
        "workers": [],
        "vectors": {"done": 0, "pending": 0},
        "index": {"name": settings.storage.index, "failure": "", "lag": {"words": 0, "vectors": 0}},
        "reading": {
            "unread": 0,
            "batches": 0,
            "trouble": "",
            "by_rules": 0,
            "stopped": "",
            "unreadable": [],
            "given_up": 0,
        },
        "queue": {"depth": 0, "oldest_s": 0.0, "buffered": 0},
        "dead_letters": 0,
        "running": [],
        "last_runs": [],
        "scheduled": False,
        "sources": [],
        "maintenance": [],
    }
