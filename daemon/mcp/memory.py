"""The way to the memory: the daemon behind its socket, which is started where none runs.

A daemon may end and another begin between two calls, and in the middle of one: what can be sent twice is sent again.
Each call has a connection of its own, so that calls may run at the same time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..exit_codes import OF_CODE
from .results import ToolError

if TYPE_CHECKING:
    import subprocess

    from ..client import Client
    from ..config.paths import ResolvedPaths
    from ..operations import Operation

T = TypeVar("T")
PAUSES = (1.0, 2.0, 4.0)
"""Seconds before each further attempt at a store that is not available."""
START_SECONDS = 60.0
"""The longest that a daemon may take until it answers."""


class Daemon(Protocol):
    """Finds the daemon's socket, and starts a daemon."""

    def socket(self) -> str:
        """Return the path of the socket in force."""
        ...

    def starting(self) -> bool:
        """Return whether a daemon is about to answer, or to end."""
        ...

    def start(self) -> bool:
        """Start a daemon, unless another process of this user has just done so; return False if that is not allowed."""
        ...

    def failed(self) -> bool:
        """Return whether the daemon that was started has ended with an error."""
        ...


class Memory:
    """The memory as tools see it. For several threads."""

    def __init__(self, daemon: Daemon, sleep: Callable[[float], None] = time.sleep) -> None:
        self._daemon = daemon
        self._sleep = sleep

    def call(
        self, operation: Operation, values: Mapping[str, Any] | None = None, *, idempotent: bool = False
    ) -> dict[str, Any]:
        """Return the answer to an operation.

        Raises:
            ToolError: the daemon refused it, or there is none.
        """
        return self._with_client(
            lambda client: client.call(operation, values, idempotent=idempotent),
            idempotent=(idempotent or operation.idempotent),
        )

    def operate(self, operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a long operation.

        Raises:
            ToolError: it failed.
        """
        return self._with_client(lambda client: client.operate(operation, values), idempotent=False)

    def store(self, line: bytes, source: str, tell: Callable[[int, int | None], None]) -> str:
        """Store a document, one JSON line; returns its run when it is stored, and may be found. ``tell`` gets what is done of
        how much.

        Raises:
            ToolError: it is refused, with the daemon's reason.
        """
        from ..client import LINES
        from ..operations import STORE

        def send(client: Client) -> str:
            answer = client.ask(
                "POST", STORE.target({"source": source, "again": True}), line + b"\n", LINES, idempotent=True
            )
            if answer.get("rejected"):
                reasons: list[dict[str, str]] = answer.get("reasons") or []
                raise ToolError("VAL", reasons[0]["reason"] if reasons else "the document was rejected")
            _wait_until_stored(client.events(answer["run"]), tell)
            return str(answer["run"])

        return self._with_client(send, idempotent=True)

    def _with_client(self, work: Callable[[Client], T], *, idempotent: bool) -> T:
        from ..client import Client, DaemonError, DaemonGoneError, DaemonTimeoutError, ForeignDaemonError

        for pause in (*PAUSES, None):
            path = self._ready()
            client = Client(path)
            try:
                return work(client)
            except DaemonError as error:
                if pause is None or not error.retryable or error.code not in ("STORE", "BUSY"):
                    raise ToolError(
                        error.code,
                        "; ".join(error.problems) or error.message,
                        hint=error.hint,
                        retryable=error.retryable,
                        correlation=error.correlation_id,
                    ) from None
            except DaemonTimeoutError as error:
                raise ToolError("TIMEOUT", str(error), hint="it may still carry it out") from None
            except ForeignDaemonError as error:
                raise ToolError("STORE", str(error), hint=error.hint) from None
            except DaemonGoneError as error:
                if pause is None or (error.sent and not idempotent):
                    raise ToolError("STORE", str(error), retryable=True) from None
                continue  # `_ready` waits for the next one
            finally:
                client.close()
            self._sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _ready(self) -> str:
        """Return the socket of a daemon that answers.

        Raises:
            ToolError: there is none, and none came.
        """
        from ..client import ForeignDaemonError, is_listening

        deadline = time.monotonic() + START_SECONDS
        began = False
        while True:
            path = self._daemon.socket()
            try:
                if is_listening(path):
                    return path
            except ForeignDaemonError as error:
                raise ToolError("STORE", str(error), hint=error.hint) from None
            late = time.monotonic() > deadline
            if late or not self._daemon.starting():
                # A daemon that ended before this call has not failed to start.
                if late or (began and self._daemon.failed()):
                    raise ToolError("STORE", "memd does not start", hint="see why: memd serve", retryable=True)
                began = self._daemon.start()
                if not began:
                    raise ToolError("STORE", "no memd runs", hint="start one: memd serve", retryable=True)
            self._sleep(0.05)


def _wait_until_stored(updates: Iterator[Mapping[str, Any]], tell: Callable[[int, int | None], None]) -> None:
    """Return when a run has left the stages in which its documents cannot be found yet."""
    shown = -1
    for update in updates:
        if (processed := int(update.get("processed", 0))) > shown:  # the protocol wants it to grow
            shown = processed
            tell(processed, update.get("total"))
        if update.get("outcome") or update.get("stage") not in ("reading", "storing"):
            if update.get("outcome") == "failed":
                raise ToolError("PROC", str(update.get("detail") or "the document could not be stored"))
            return


class RunningDaemon:
    """The daemon at a socket, which is never started: for what runs inside it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def socket(self) -> str:
        """Return the path of the socket."""
        return self._path

    def starting(self) -> bool:
        """Return False: it runs."""
        return False

    def start(self) -> bool:
        """Return False: no other one may be started."""
        return False

    def failed(self) -> bool:
        """Return False: none was started."""
        return False


class LocalDaemon:
    """The daemon of this user's paths, which is started where the settings allow it, and outlives us."""

    def __init__(self, places: Callable[[], ResolvedPaths], *, allowed: bool = True) -> None:
        self._places = places
        self._allowed = allowed
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def socket(self) -> str:
        """Return the path of the socket in force."""
        return self._places().serving()

    def starting(self) -> bool:
        """Return whether the owner of the data directory is starting or stopping."""
        from ..config.paths import owner_to_wait_for

        return owner_to_wait_for(self._places().lock) is not None

    def start(self) -> bool:
        """Start a daemon, once for all processes that want one at the same time; return False where none may be started:
        by the settings, or because a service of systemd is to own this memory.
        """
        from ..detached import may_start, mode_of, start_detached

        places = self._places()
        if not self._allowed or mode_of(places) == "no" or not may_start(places):
            return False
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                try:
                    self._process = start_detached(places)
                except OSError as error:
                    raise ToolError("STORE", f"memd cannot be started: {error.strerror}", retryable=True) from None
        return True

    def failed(self) -> bool:
        """Return whether the daemon that was started has ended with an error; that another one was first is none."""
        code = None if self._process is None else self._process.poll()
        return code not in (None, 0, OF_CODE["BUSY"])
