"""`memd health`: whether somebody serves this memory, for scripts: one line and an exit code."""

from __future__ import annotations

import argparse
from typing import Any

from ...client import Client, DaemonError, DaemonGoneError, DaemonTimeoutError, is_listening
from ...config.paths import owner_to_wait_for
from ...exit_codes import DONE, OF_CODE
from ...operations import HEALTH
from ..arguments import Verbs, add_verb
from ..connect import paths_of
from ..output import print_json
from ..render.terminal import one_line

ANSWER_SECONDS = 5.0
"""The longest silence. The answer needs neither the disk nor a model."""

_EXAMPLES = """\
  memd health || systemctl --user restart memd
  memd health --strict       a degraded daemon counts as one that does not serve
  memd health --json | jq -r .status
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "health", "say whether somebody serves, for scripts", _EXAMPLES, (0, 2, 6))
    parser.add_argument("--strict", action="store_true", help="exit with 6 also when the health is degraded")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the health of whoever serves the socket; never starts or waits for anything."""
    health = _health(arguments)
    if arguments.json:
        print_json(health)
    else:
        print(_line(health))
    serving = health["status"] == "ok" or (health["status"] == "degraded" and not arguments.strict)
    return DONE if serving else OF_CODE["STORE"]


def _health(arguments: argparse.Namespace) -> dict[str, Any]:
    """The daemon's answer; where there is none, ``status`` is ``starting``, ``stopping``, ``silent`` or ``down``."""
    places = paths_of(arguments)
    path = places.serving()
    if not is_listening(path):
        owner = owner_to_wait_for(places.lock)
        return {"status": "down" if owner is None else owner.state}
    client = Client(path, ANSWER_SECONDS)
    try:
        return client.call(HEALTH)
    except DaemonGoneError:
        return {"status": "down"}
    except DaemonTimeoutError as error:
        return {"status": "silent", "reason": str(error)}
    except DaemonError as error:
        return {"status": "silent", "reason": error.message}
    finally:
        client.close()


def _line(health: dict[str, Any]) -> str:
    reason = ", ".join(map(str, health.get("degraded", ()))) or health.get("reason", "")
    return one_line(f"{health['status']}: {reason}" if reason else health["status"])
