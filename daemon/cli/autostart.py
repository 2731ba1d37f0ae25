"""Starting a daemon for the user when a command needs the memory and nobody owns it; light, see `dispatch`.

The setting ``server.autostart`` decides: ``yes`` starts one, which ends by itself when it is not used; ``ask`` says once, on a
terminal, that it would be faster; ``no`` does nothing.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from ..client import is_listening
from ..config.paths import ResolvedPaths, owner_to_wait_for
from ..detached import log_path, may_start, mode_of, start_detached
from .render.terminal import one_line, say
from .said_once import first_time

if TYPE_CHECKING:
    import subprocess

VERBS = frozenset({"query", "show", "ask", "facts", "people", "chats", "documents", "history", "ingest", "stats"})
"""The verbs that start a daemon: those of a person who is likely to go on."""
START_SECONDS = 60.0
"""The seconds that a command waits for the daemon that it started."""
_ADVICE = (
    "each question loads memd anew, which takes a second or two; a running memd answers in a tenth of that. "
    "To let memd start by itself, and end when it is not used:"
)


class Autostart:
    """Starts a daemon for one command, or advises it; one attempt only.

    Args:
        verb: of the command.
    """

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._tried = False

    def starts(self, places: ResolvedPaths) -> bool:
        """Start a daemon, where the settings want one and none was tried before; return whether one serves now."""
        if self._tried or self._mode(places) != "yes":
            return False
        self._tried = True
        return start(places)

    def advise(self, places: ResolvedPaths, *, alone: bool) -> None:
        """Say once that a running memd is faster, after a command that owned the memory ``alone`` for one request."""
        if alone and self._mode(places) == "ask":
            advise_once(places)

    def _mode(self, places: ResolvedPaths) -> str:
        return mode_of(places) if self._verb in VERBS and may_start(places) else "no"


def start(places: ResolvedPaths) -> bool:
    """Start a daemon, and wait until somebody serves this memory; return whether somebody does."""
    deadline = time.monotonic() + START_SECONDS
    process: subprocess.Popen[bytes] | None = None
    while not is_listening(places.serving()):
        # Another daemon or command may have been first; whoever holds the lock serves soon.
        ended = process is not None and process.poll() is not None and owner_to_wait_for(places.lock) is None
        if ended or time.monotonic() > deadline:
            say(f"memd could not be started; {one_line(log_path(), 200)} says why")
            return False
        try:
            process = process or start_detached(places)
        except OSError as error:
            say(f"memd could not be started: {error.strerror}")
            return False
        time.sleep(0.05)
    if process is not None and process.poll() is None:
        say("started memd for this and the next questions; it ends by itself when it is not used")
    return True


def advise_once(places: ResolvedPaths) -> None:
    """Say on a terminal, once for each user, that a running memd is faster, and how one comes by it."""
    if not sys.stderr.isatty() or any(places.origins[name] != "default" for name in ("data_dir", "socket")):
        return
    if first_time(places, _ADVICE):
        say()
        say(_ADVICE)
        say(
            "  memd config autostart yes    (or `memd install-service`; `memd config autostart no` says this never again)"
        )
