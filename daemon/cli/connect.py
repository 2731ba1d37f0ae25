"""Reaching the memory: through whoever owns it, or as its owner for as long as one command takes.

With a daemon running, everything here stays in the standard library. Without one, the command takes the lock, opens the
same application that `memd serve` runs, socket included, and asks it in the same words.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..client import Client, DaemonGoneError, is_listening
from ..config.paths import Owner, ResolvedPaths, locate, nothing_stored, owner_to_wait_for, read_owner
from ..operations import Operation
from .autostart import Autostart
from .render.progress import ProgressBar
from .render.terminal import say

if TYPE_CHECKING:
    from .in_process import InProcessDaemon

WAIT_SECONDS = 5.0
"""The seconds a command waits for another process's lock: its holder may be about to serve."""
OWNER_WAIT_SECONDS = 30.0
"""The seconds it waits for an owner whose state is starting or stopping."""
NOTICE_SECONDS = 2.0
"""After so long it says on a terminal whom it waits for."""
PAUSE_SECONDS = 0.1
"""Between two looks at an owner."""
SENDS = 4
"""The number of times an idempotent request is sent, when one daemon after another ends in the middle of it."""

T = TypeVar("T")


def paths_of(arguments: argparse.Namespace) -> ResolvedPaths:
    """Return the paths in force, with this command's flags.

    Raises:
        ConfigError: the configuration cannot be read.
    """
    return locate(config=arguments.config, data_dir=arguments.data_dir, socket=arguments.socket)


def daemon_of(arguments: argparse.Namespace) -> Client | None:
    """The daemon that serves the socket in force, if there is one."""
    path = paths_of(arguments).serving()
    return Client(path) if is_listening(path) else None


def daemon_after_start(arguments: argparse.Namespace) -> Client | None:
    """The daemon that serves the socket in force; one that is starting is waited for, and one that is stopping until it ends."""
    transition = _OwnerTransition()
    while (client := daemon_of(arguments)) is None and transition.lasts(paths_of(arguments)):
        time.sleep(PAUSE_SECONDS)
    return client


def with_client(
    arguments: argparse.Namespace, work: Callable[[Client], T], *, single_request: bool = False, reads: bool = False
) -> T:
    """Do some work with a client of the daemon or, with none, of this process as the owner.

    Args:
        arguments: of the command.
        work: is done once.
        single_request: an owner for one question only, which does not start on what waits for vectors.
        reads: the work changes nothing; where nothing is stored, nothing is made for it, and where nothing can be written,
            it is done all the same.

    Raises:
        DaemonError: the daemon answered with an error.
        BusyError: another process holds the lock and does not answer.
        MemdError: this process could not become the owner.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    transition = _OwnerTransition()
    alone: InProcessDaemon | None = None
    busy: Owner | None = None
    autostart = Autostart(getattr(arguments, "verb", ""))
    while True:
        client = daemon_of(arguments)
        if client is not None:
            try:
                return work(client)
            finally:
                client.close()
        if transition.lasts(paths_of(arguments)):
            deadline = time.monotonic() + WAIT_SECONDS
            time.sleep(PAUSE_SECONDS)
            continue
        # Only now: what an owner needs takes a second to import.
        from ...schemas.errors import BusyError, StoreError
        from .in_process import InProcessDaemon

        if reads and _nobody_began(paths_of(arguments)):
            with ExitStack() as stack:
                folder = _temporary_folder(stack)
                if folder is not None:
                    return _of_nothing(arguments, work, folder)
        if autostart.starts(paths_of(arguments)):
            continue
        alone = alone or InProcessDaemon(arguments)
        try:
            answer = alone.work(work, single_request=single_request)
            autostart.advise(paths_of(arguments), alone=single_request)
            return answer
        except BusyError:
            if (owner := read_owner(paths_of(arguments).lock)) != busy:  # another one, or further on: it may serve soon
                busy, deadline = owner, time.monotonic() + WAIT_SECONDS
            elif time.monotonic() > deadline:
                raise
        except StoreError:
            with ExitStack() as stack:
                folder = _temporary_folder(stack) if reads and _has_no_room(arguments) else None
                if folder is None:
                    raise
                return _without_writing(arguments, work, folder)
        time.sleep(PAUSE_SECONDS)


class _OwnerTransition:
    """The time an owner has been starting or stopping, while a command waits for its socket; it restarts with each
    owner.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._pid: int | None = None
        self._told = False

    def lasts(self, places: ResolvedPaths) -> bool:
        """Return whether an owner is starting or stopping, and within its time; says so on a terminal."""
        owner = owner_to_wait_for(places.lock)
        if owner is not None and owner.pid != self._pid:
            self._pid, self._began = owner.pid, time.monotonic()
        seconds = time.monotonic() - self._began
        if seconds >= OWNER_WAIT_SECONDS:
            return False
        if owner is not None and not self._told and seconds >= NOTICE_SECONDS and sys.stderr.isatty():
            self._told = True
            say(f"waiting for {owner.name}, which is {owner.state}")
        return owner is not None


def _nobody_began(places: ResolvedPaths) -> bool:
    return nothing_stored(places) and not os.path.lexists(places.lock)


def _temporary_folder(stack: ExitStack) -> Path | None:
    """A folder for the memory of this command; None where none can be made. What killed commands left of them goes."""
    from ..temporary_folders import private_folder, remove_stale_folders

    target = Path(f"/tmp/memd-{os.getuid()}")  # noqa: S108 - short, for the socket; its folders are private
    remove_stale_folders(target, "empty")
    try:
        return stack.enter_context(private_folder(target, "empty"))
    except OSError:
        return None


def _has_no_room(arguments: argparse.Namespace) -> bool:
    from ...memory.private_files import can_be_written

    folder = paths_of(arguments).data_dir
    # Path.is_dir raises for a name that is too long, which is no folder.
    return os.path.isdir(folder) and not can_be_written(Path(folder))  # noqa: PTH112


def _without_writing(arguments: argparse.Namespace, work: Callable[[Client], T], folder: Path) -> T:
    """Do the work over a memory in whose data directory nothing can be written; the socket lies in another folder."""
    from ...memory.file_errors import is_full
    from .in_process import InProcessDaemon

    full = is_full(paths_of(arguments).data_dir)
    why = ", for the disk is full (free some space)" if full else ""
    say(f"nothing can be written to the data directory now{why}: what is stored there is read, and left as it is")
    reader = InProcessDaemon(argparse.Namespace(**vars(arguments) | {"socket": str(folder / "memd.sock")}))
    return reader.work(work, single_request=True, reading=True)


def _of_nothing(arguments: argparse.Namespace, work: Callable[[Client], T], folder: Path) -> T:
    """Do the work over an empty memory in a temporary folder, which nobody else finds."""
    from .in_process import InProcessDaemon

    places = {"data_dir": str(folder), "socket": str(folder / "memd.sock")}
    return InProcessDaemon(argparse.Namespace(**vars(arguments) | places)).work(work, single_request=True)


def request(
    arguments: argparse.Namespace,
    operation: Operation,
    given: Mapping[str, Any] | None = None,
    *,
    idempotent: bool = False,
) -> dict[str, Any]:
    """Ask for an operation, as ``with_client``; ``given`` and ``idempotent`` as in `Client.call`.

    If the daemon ends in the middle of it, the request is sent again, `SENDS` times at most, to the next daemon or to this
    process as the owner, but only when it is idempotent, or was never sent. After a time-out nothing is sent again.
    """

    def work(client: Client) -> dict[str, Any]:
        return client.call(operation, given, idempotent=idempotent)

    reads = operation.permission == "read"
    for _ in range(SENDS - 1):
        try:
            return with_client(arguments, work, single_request=True, reads=reads)
        except DaemonGoneError as error:
            if error.sent and not idempotent and not operation.idempotent:
                raise
    return with_client(arguments, work, single_request=True, reads=reads)


def operate(
    arguments: argparse.Namespace,
    operation: Operation,
    given: Mapping[str, Any],
    *,
    single_request: bool = True,
    reads: bool = False,
) -> dict[str, Any]:
    """Run a long operation through the owner, or as the owner; returns its result. ``single_request`` and ``reads`` as in
    `with_client`; an operation that only reads always does.

    Raises:
        DaemonError: it failed.
        DaemonGoneError: the daemon ended in the middle of it; it is not begun again.
    """
    reads = reads or operation.permission == "read"
    with ProgressBar(quiet=bool(arguments.json)) as bar:
        return with_client(
            arguments,
            lambda client: client.operate(operation, given, bar.show),
            single_request=single_request,
            reads=reads,
        )
