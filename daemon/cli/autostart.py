"""Starting a daemon for the user when a command needs the memory and nobody owns it; light, see `dispatch`.

The setting ``server.autostart`` decides: ``yes`` starts one, which ends by itself when it is not used; ``ask`` says once, on a
terminal, that it would be faster; ``no`` does nothing. Two commands may start two: the lock of the data directory lets
one of them serve, and the other end.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from ...memory.private_files import make_folders, open_private
from ..client import is_listening
from ..config.paths import ResolvedPaths, owner_to_wait_for, state_folder
from .render.terminal import one_line, say

if TYPE_CHECKING:
    import subprocess

VERBS = frozenset({"query", "show", "ask", "facts", "people", "chats", "documents", "history", "ingest", "stats"})
"""The verbs that start a daemon: those of a person who is likely to go on."""
START_SECONDS = 60.0
"""The seconds that a command waits for the daemon that it started."""
LOG = "autostart.log"
"""The file in the state folder with the log of started daemons."""
_LOG_BYTES = 1024 * 1024
_TOLD = "autostart.told"
_OF_SYSTEMD = ("NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "WATCHDOG_USEC", "WATCHDOG_PID")
"""Variables that systemd meant for its own service."""
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


def mode_of(places: ResolvedPaths, environ: Mapping[str, str] = os.environ) -> str:
    """Return ``server.autostart`` as far as the light path can know it; a wrong value counts as ``no``, and is told by the
    commands that read all settings.
    """
    section: object = places.table.get("server")
    table = cast("dict[str, object]", section) if isinstance(section, dict) else dict[str, object]()
    value = environ.get("MEMD_SERVER_AUTOSTART") or table.get("autostart", "ask")
    return str(value) if value in ("ask", "yes") else "no"


def may_start(places: ResolvedPaths, environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether a daemon of this user may be started: not by a service of systemd, whose processes end with it, and
    not where a service is installed that owns this memory.
    """
    if _under_systemd(environ) or places.socket.startswith("/run/memd/"):
        return False
    units = os.path.join(os.path.dirname(os.path.dirname(places.config)), "systemd", "user", "memd.service")  # noqa: PTH118, PTH120
    return not (places.origins["data_dir"] == "default" and os.path.exists(units))  # noqa: PTH110


def _under_systemd(environ: Mapping[str, str]) -> bool:
    """Return whether this is a process of a unit: its standard error is the journal that systemd names. A terminal may have
    inherited the variable alone.
    """
    device, _, inode = environ.get("JOURNAL_STREAM", "").partition(":")
    with suppress(OSError):
        status = os.fstat(2)
        if (device, inode) == (str(status.st_dev), str(status.st_ino)):
            return True
    return bool(environ.get("NOTIFY_SOCKET"))


def start(places: ResolvedPaths) -> bool:
    """Start a daemon, and wait until somebody serves this memory; return whether somebody does."""
    process = _process(places)
    if process is None:
        return False
    deadline = time.monotonic() + START_SECONDS
    while not is_listening(places.serving()):
        # Another daemon or command may have been first; whoever holds the lock serves soon.
        if (process.poll() is not None and owner_to_wait_for(places.lock) is None) or time.monotonic() > deadline:
            say(f"memd could not be started; {one_line(_log_path(), 200)} says why")
            return False
        time.sleep(0.05)
    if process.poll() is None:
        say("started memd for this and the next questions; it ends by itself when it is not used")
    return True


def _process(places: ResolvedPaths) -> subprocess.Popen[bytes] | None:
    """Return the process of a new daemon, in a session of its own; None if it cannot be started."""
    import subprocess

    chosen = (("config", places.config), ("data_dir", places.data_dir), ("socket", places.socket))
    flags = [
        word
        for name, path in chosen
        if places.origins[name] != "default"
        for word in (f"--{name.replace('_', '-')}", path)
    ]
    command = [sys.executable, "-P", "-m", __name__.partition(".")[0], "serve", "--until-idle", *flags]
    variables = {name: value for name, value in os.environ.items() if name not in _OF_SYSTEMD}
    try:
        with open(_log(), "ab") as log:
            return subprocess.Popen(  # noqa: S603 - memd itself
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
                cwd="/",
                env=variables,
            )
    except OSError as error:
        say(f"memd could not be started: {error.strerror}")
        return None


def _log_path() -> str:
    return os.path.join(state_folder(), LOG)  # noqa: PTH118 - the light path


def _log() -> int:
    """A descriptor of the log, which is begun anew when it is large. It holds no text of messages."""
    make_folders(state_folder())
    path = _log_path()
    with suppress(OSError):
        if os.stat(path).st_size > _LOG_BYTES:  # noqa: PTH116 - the light path
            os.unlink(path)  # noqa: PTH108
    return open_private(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def advise_once(places: ResolvedPaths) -> None:
    """Say on a terminal, once for each user, that a running memd is faster, and how one comes by it."""
    if not sys.stderr.isatty() or any(places.origins[name] != "default" for name in ("data_dir", "socket")):
        return
    with suppress(OSError):
        make_folders(state_folder())
        os.close(open_private(os.path.join(state_folder(), _TOLD), os.O_WRONLY | os.O_CREAT | os.O_EXCL))  # noqa: PTH118
        say()
        say(_ADVICE)
        say(
            "  memd config autostart yes    (or `memd install-service`; `memd config autostart no` says this never again)"
        )
