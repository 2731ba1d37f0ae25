"""Starting `memd serve` as a process of its own, for whoever needs the memory where nobody owns it; light, see `cli.dispatch`.

The daemon outlives its starter, and ends by itself when it is not used. Several may want one at once: the first gets it, the
others wait for it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from ..memory.private_files import make_folders, open_private
from .config.paths import ResolvedPaths, config_home, state_folder

if TYPE_CHECKING:
    import subprocess

LOG = "autostart.log"
"""The file in the state folder with the log of started daemons."""
_LOG_BYTES = 1024 * 1024
_OF_SYSTEMD = ("NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "WATCHDOG_USEC", "WATCHDOG_PID")
"""Variables that systemd meant for its own service."""


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
    unit = os.path.join(config_home(environ), "systemd", "user", "memd.service")  # noqa: PTH118 - the light path
    return not (places.origins["data_dir"] == "default" and os.path.exists(unit))  # noqa: PTH110


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


def start_detached(places: ResolvedPaths) -> subprocess.Popen[bytes] | None:
    """Return the process of a new daemon, in a session of its own; None while one that was started this way lives.

    The lock of a file in the state folder is the daemon's for as long as it runs, and is free again when that ends in any
    way. It is no name that other users can take, too.

    Raises:
        OSError: it cannot be started.
    """
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
    place = hashlib.sha256(os.fsencode(places.data_dir)).hexdigest()[:32]
    with open(_log(), "ab") as log, open(_begun(place), "rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        return subprocess.Popen(  # noqa: S603 - memd itself
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
            cwd="/",
            env=variables,
            pass_fds=[lock.fileno()],
        )


def log_path() -> str:
    """Return the path of the log."""
    return os.path.join(state_folder(), LOG)  # noqa: PTH118 - the light path


def _begun(place: str) -> int:
    """A descriptor of the file whose lock a daemon of this data directory has."""
    return open_private(os.path.join(state_folder(), f"autostart-{place}.lock"), os.O_RDONLY | os.O_CREAT)  # noqa: PTH118


def _log() -> int:
    """A descriptor of the log, which is begun anew when it is large. It holds no text of messages."""
    make_folders(state_folder())
    path = log_path()
    with suppress(OSError):
        if os.stat(path).st_size > _LOG_BYTES:  # noqa: PTH116 - the light path
            os.unlink(path)  # noqa: PTH108
    return open_private(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
