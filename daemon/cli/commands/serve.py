"""`memd serve`: own the memory and answer over the socket until told to stop."""

from __future__ import annotations

import argparse

from ..arguments import Verbs, add_verb

_EXAMPLES = """\
  memd serve
  memd serve --wait 300
  memd serve --until-idle      as server.autostart does it
  memd serve --http 127.0.0.1:8377    for programs that cannot open a Unix socket, with a token
  curl --unix-socket "$XDG_RUNTIME_DIR/memd/memd.sock" http://memd/v1/health
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(verbs, "serve", "own the memory and answer over the socket", _EXAMPLES, (0, 2, 5, 6))
    parser.add_argument(
        "--wait",
        dest="owner_wait",
        metavar="SECONDS",
        help="for a command that owns the memory, before giving up; default: settings, then 30",
    )
    parser.add_argument(
        "--until-idle",
        action="store_true",
        help="end when nothing was asked for server.idle_minutes; sources are read only on request",
    )
    parser.add_argument(
        "--http",
        metavar="ADDRESS:PORT",
        help="answer at an address of this machine too, to whoever sends the token of the file http.token in the data directory",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until SIGTERM or Ctrl-C; both end it in order, with exit code 0."""
    from ..in_process import serve_in_process

    return serve_in_process(arguments)
