"""Reaching the memory: through whoever owns it, or as its owner for as long as one command takes.

With a daemon running, everything here stays in the standard library. Without one, the command takes the lock, opens the
same application that `memd serve` runs, socket included, and asks it in the same words.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ..client import Client, DaemonGoneError, answers, in_json, with_parameters
from ..paths import Places, locate

if TYPE_CHECKING:
    from .alone import Alone

WAIT_SECONDS = 5.0
"""How long a command waits for somebody else's lock: the one who holds it may be about to serve."""

T = TypeVar("T")


def places_of(arguments: argparse.Namespace) -> Places:
    """Where things lie, with this command's flags.

    Raises:
        ConfigError: the configuration cannot be read.
    """
    return locate(config=arguments.config, data_dir=arguments.data_dir, socket=arguments.socket)


def daemon_of(arguments: argparse.Namespace) -> Client | None:
    """The daemon that serves the socket in force, if there is one."""
    path = places_of(arguments).serving()
    return Client(path) if answers(path) else None


def with_client(arguments: argparse.Namespace, work: Callable[[Client], T], *, lone: bool = False) -> T:
    """Do some work with a client of the daemon or, with none, of this process as the owner.

    ``lone``: an owner for one question only, which does not start on what waits for vectors.

    Raises:
        DaemonError: the daemon answered with an error.
        BusyError: another process holds the lock and does not answer.
        MemdError: this process could not become the owner.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    alone: Alone | None = None
    while True:
        client = daemon_of(arguments)
        if client is not None:
            try:
                return work(client)
            finally:
                client.close()
        # Only now: what an owner needs takes a second to import.
        from ...schemas.errors import BusyError
        from .alone import Alone

        alone = alone or Alone(arguments)
        try:
            return alone.work(work, lone=lone)
        except BusyError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


def ask(
    arguments: argparse.Namespace,
    method: str,
    path: str,
    *,
    parameters: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
    idempotent: bool = False,
) -> dict[str, Any]:
    """One request, as ``with_client``.

    If the daemon ends in the middle of it, the request is sent once more, to the next daemon or to this process as the
    owner, but only when it is idempotent, as every GET is, or was never sent. After a time-out nothing is sent again.
    """
    target = with_parameters(path, parameters)
    data = None if body is None else in_json(body)

    def work(client: Client) -> dict[str, Any]:
        return client.ask(method, target, data, "application/json" if data else "", idempotent=idempotent)

    try:
        return with_client(arguments, work, lone=True)
    except DaemonGoneError as error:
        if error.sent and not idempotent and method != "GET":
            raise
        return with_client(arguments, work, lone=True)
