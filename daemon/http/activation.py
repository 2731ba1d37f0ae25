"""Socket activation: takes over the listening socket that systemd passed to this process (sd_listen_fds(3)).

systemd owns such a socket: it made the file with its mode and group, and removes it. The socket is checked here, never
unlinked.
"""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping
from pathlib import Path

from ...schemas.errors import ConfigError

FIRST_DESCRIPTOR = 3
"""The first passed descriptor (SD_LISTEN_FDS_START), after the three standard streams."""
_VARIABLES = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


def passed_socket(
    path: Path, environ: MutableMapping[str, str] | None = None, first: int = FIRST_DESCRIPTOR
) -> socket.socket | None:
    """Return the listening socket that systemd passed to this process, or None. Removes the variables that announce it,
    so that no child of this process uses them.

    Args:
        path: where clients look for the socket; the passed one must be bound there.
        environ: the process's own by default.
        first: the number of the first passed descriptor.

    Raises:
        ConfigError: more than one descriptor was passed, or it is not a listening Unix stream socket at ``path``.
    """
    variables = os.environ if environ is None else environ
    if variables.get("LISTEN_PID", "") != str(os.getpid()):
        return None  # nothing was passed, or it was passed to the process that started this one
    count = variables.get("LISTEN_FDS", "")
    for name in _VARIABLES:
        variables.pop(name, None)
    if not count.isdecimal() or int(count) == 0:
        return None
    for descriptor in range(first, first + int(count)):
        os.set_inheritable(descriptor, False)
    if int(count) > 1:
        raise ConfigError(f"systemd passed {count} sockets", hint="name one ListenStream= in memd.socket")
    return _checked(first, path)


def _checked(descriptor: int, path: Path) -> socket.socket:
    try:
        listener = socket.socket(fileno=descriptor)
    except OSError as error:
        raise _unusable(f"descriptor {descriptor} is no socket: {error.strerror}") from error
    try:
        if listener.family != socket.AF_UNIX or listener.type != socket.SOCK_STREAM:
            raise _unusable("it is no Unix stream socket")
        if not listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            raise _unusable("it does not listen")
        bound = listener.getsockname()
        if not isinstance(bound, str) or not bound or os.path.realpath(bound) != os.path.realpath(path):
            raise _unusable(f"it is bound to {bound!r}, and clients look for {path}")
    except ConfigError:
        listener.close()
        raise
    listener.setblocking(False)
    return listener


def _unusable(reason: str) -> ConfigError:
    return ConfigError(
        f"the socket that systemd passed cannot be used: {reason}",
        hint="let ListenStream= of memd.socket and MEMD_SOCKET of memd.service name one path, with Accept=no",
    )
