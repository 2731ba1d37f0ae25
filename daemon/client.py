"""A client of a running daemon over its Unix socket, with the standard library alone.

Rule 1: nothing here, and nothing it imports, imports pydantic, Starlette or numpy: `memd query` starts with this file,
and the user waits for its imports. For that reason answers stay plain JSON here.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .exit_codes import NOTHING_READ, OF_CODE, UNEXPECTED
from .http.limits import BODY_BYTES
from .operations import EXPORT, MESSAGES, PROGRESS, STORE, Operation, valid

ANSWER_SECONDS = 60.0
"""The longest silence of a daemon in seconds: before an answer, between two lines of an operation, between two events.
"""

LINES = "application/jsonl"
"""The media type that `Client.operate` accepts: JSON lines with progress or a heartbeat, and the result or the error in
the last.
"""

REQUEST_CAP = BODY_BYTES
"""The server's limit in bytes for one request: a larger single document cannot be sent."""
DOCUMENT_TOO_LARGE = f"the document is larger than {REQUEST_CAP >> 20} MiB"

REQUEST_BYTES = 4 * 1024 * 1024
"""The size in bytes of a request in a stream of documents: far below the server's limit, large enough for few round
trips.
"""


STOPPED_MESSAGE = "stopped; what was kept goes on at the next start"
"""The detail of a run that its owner did not finish."""


QUEUE_SECONDS = 0.02
"""The pause in seconds between two attempts to connect to a daemon whose queue of new connections is full."""

_PLACE = re.compile(rb'\s*\{\s*"read_at"\s*:\s*"(\d{1,9}(?:/\d{1,9})?)"\s*\}\s*')

_UNKNOWN_FIELD = re.compile(r": unknown key\b")
"""The beginning of a daemon's refusal of a request field that its version does not have."""
OTHER_VERSION_HINT = (
    "the memd that runs was started by another version than this command: start it again"
    " (with systemd: systemctl --user restart memd), then the same command"
)

SIGN_OF_LIFE_SECONDS = 600.0
"""The seconds between two signals that a run's sender still waits for documents; after an hour of silence the run would
be ended.
"""

BUSY_SECONDS = 1.0
BUSY_TRIES = 20
"""The number of times that a group refused by a full queue is sent again; the daemon itself waits half a minute each
time.
"""


class DaemonGoneError(Exception):
    """Nothing answers at the socket, or the daemon ended in the middle of an answer.

    ``sent`` is false when the connection was never made, so that the daemon cannot have seen the request.
    """

    def __init__(self, message: str, *, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


class ForeignDaemonError(Exception):
    """Another user listens at the socket, and could read the request."""

    def __init__(self, path: str, user: int) -> None:
        super().__init__(f"another user ({user}) listens at {path}: nothing was sent there")
        self.hint = "choose a socket that others cannot replace, with --socket or MEMD_SOCKET; for a memd of a system, ask its group"


class DaemonTimeoutError(Exception):
    """The daemon is running and did not answer in time. It may still carry out the request: never send it again."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the daemon did not answer within {seconds:g} seconds")


class DaemonError(Exception):
    """The daemon answered with an error; the fields are those of its envelope."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.code = str(body.get("code", "UNEXPECTED"))
        self.message = str(body.get("message", "the daemon gave an answer that memd does not understand"))
        self.hint = str(body.get("hint", ""))
        self.retryable = bool(body.get("retryable", False))
        self.correlation_id = str(body.get("correlation_id", ""))
        self.problems = [str(problem) for problem in body.get("problems", ())]
        super().__init__(self.message)

    @property
    def exit_code(self) -> int:
        """Return the exit code for the shell."""
        return OF_CODE.get(self.code, UNEXPECTED)

    @property
    def of_other_version(self) -> bool:
        """Return whether the daemon lacks a field that this version sends: it was started before memd was updated."""
        return any(_UNKNOWN_FIELD.search(problem) for problem in self.problems or [self.message])

    def envelope(self) -> dict[str, Any]:
        """Return the JSON form in which it arrived."""
        body: dict[str, Any] = {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "retryable": self.retryable,
            "correlation_id": self.correlation_id,
        }
        return body | ({"problems": self.problems} if self.problems else {})


class UnreadableAccountError(DaemonError):
    """The daemon could not read an account: nothing was read, so the command is not partly done."""

    @property
    def exit_code(self) -> int:
        """Return the exit code of a source of which nothing could be read, if the account is the reason."""
        return NOTHING_READ if self.code == "PROC" else super().exit_code


@dataclass(frozen=True, slots=True)
class Accepted:
    """The answer to a group of documents: its run, and the numbers of messages by result."""

    run: str
    accepted: int
    unchanged: int
    rejected: int


class _UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("memd", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket instead of a host.

        Raises:
            DaemonGoneError: no process listens.
            ForeignDaemonError: another user's process listens.
            TimeoutError: the queue of the listening daemon stayed full.
        """
        deadline = time.monotonic() + (self.timeout or 0.0)
        while True:
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                self.sock.settimeout(self.timeout)
                self.sock.connect(self._path)
                require_trusted(self.sock, self._path)
            except BlockingIOError as error:  # Linux does not wait for room in the queue of a socket with a time-out
                self._drop()
                if time.monotonic() > deadline:
                    raise TimeoutError from error
                time.sleep(QUEUE_SECONDS)
            except OSError as error:
                self._drop()
                if isinstance(error, TimeoutError):
                    raise
                raise DaemonGoneError("no daemon answers at the socket", sent=False) from error
            except BaseException:
                self._drop()
                raise
            else:
                return

    def end(self) -> None:
        """Wake a thread that waits for bytes; unlike `close`, any thread may do this."""
        sock: socket.socket | None = self.sock
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _drop(self) -> None:
        self.sock.close()
        self.sock = None


class Client:
    """A connection to one daemon, by the path of its socket, kept open between requests. Not for several threads.

    Every method raises ``DaemonError`` for an error that the daemon reported, ``DaemonGoneError`` when it cannot be
    reached or went away, and ``DaemonTimeoutError`` when it is running and silent.

    A request that changes something is sent once, over a new connection: the daemon may close an idle one at the moment
    of sending, which would leave open whether the request was read. Only a GET, and a request that the caller marks as
    idempotent, uses the kept connection and is repeated over a new one.
    """

    def __init__(self, path: str, seconds: float = ANSWER_SECONDS) -> None:
        self._path = path
        self._seconds = seconds
        self._kept: _UnixConnection | None = None
        self._streams: set[_UnixConnection] = set()
        self._ended = False
        self.unanswered = False
        """True if documents were sent whose acknowledgement has not arrived."""

    def end(self) -> None:
        """End for good, from any thread: the request in progress raises `DaemonGoneError`, and each further one."""
        self._ended = True
        for connection in (self._kept, *tuple(self._streams)):
            if connection is not None:
                connection.end()

    def close(self) -> None:
        """Close the connection; streams go on."""
        connection, self._kept = self._kept, None
        if connection is not None:
            connection.close()

    def call(
        self, operation: Operation, values: Mapping[str, Any] | None = None, *, idempotent: bool = False
    ) -> dict[str, Any]:
        """Request an operation that answers with an object; ``values`` are the fields of its request.

        ``idempotent`` as in `ask`, for a request that is idempotent although its operation is not in general.
        """
        fields = values or {}
        body = operation.body(fields)
        return self.ask(
            operation.method,
            operation.target(fields),
            None if body is None else json_body(body),
            "" if body is None else "application/json",
            idempotent=idempotent or operation.idempotent,
        )

    def send_documents(
        self,
        lines: Iterable[bytes],
        parameters: Mapping[str, Any] | None = None,
        rejected: Callable[[], int] = lambda: 0,
    ) -> Generator[Accepted, None, None]:
        """Send documents, one JSON line each, in requests of bounded size; yield each answer when it arrives.

        All belong to one run, which ends with the last of them.

        Args:
            lines: the documents.
            parameters: of `StoreRequest`.
            rejected: called after the last line; returns the number of records that could not be read, which the run
                records.
        """
        waiting: bytes | None = None
        kept = False
        fields = dict(parameters or {})
        with ExitStack() as alive:
            for group in grouped(lines):
                if waiting is not None:
                    answer = self._send_group(waiting, fields | {"more": 1})
                    fields["run"] = answer.run
                    if not kept:
                        kept = True
                        alive.enter_context(self._kept_open(fields | {"more": 1}))
                    yield answer
                waiting = group
        count = rejected()
        if waiting is not None or count:
            yield self._send_group(waiting or b"", fields | ({"rejected": count} if count else {}))

    @contextmanager
    def _kept_open(self, parameters: Mapping[str, Any]) -> Generator[None]:
        """Signal from time to time that the run's sender lives: a pipe may be silent for hours, and the daemon ends the
        runs of silent clients.
        """
        ended = threading.Event()

        def tell() -> None:
            while not ended.wait(SIGN_OF_LIFE_SECONDS):
                client = Client(self._path, self._seconds)
                # Any error is left for the next documents to find.
                with suppress(DaemonError, DaemonGoneError, DaemonTimeoutError, ForeignDaemonError):
                    client.ask("POST", STORE.target(parameters), b"", LINES)
                client.close()

        threading.Thread(target=tell, daemon=True).start()
        try:
            yield
        finally:
            ended.set()

    def add(self, *lists: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Add lists of messages {role, content, name?, time?, id?, metadata?}; return run, accepted and buffered.

        Sent once: only messages with ids of their own may be sent again.
        """
        return self.call(MESSAGES, {"lists": [list(each) for each in lists]})

    def conflicts(self, lines: Iterable[bytes]) -> list[str]:
        """Return the titles of chats among these documents that are stored as another chat; nothing is kept."""
        return self._checked(lines, "check", "conflicts")

    def undecided(self, days: Iterable[tuple[str, str, str]]) -> set[str]:
        """Return the keys of the days, each a key, the title of its chat and the SHA-256 of its line without the end,
        whose documents `conflicts` has to see: nothing else can be stored as another chat.
        """
        return set(self._checked((json.dumps(day).encode() + b"\n" for day in days), "digests", "undecided"))

    def _checked(self, lines: Iterable[bytes], parameter: str, field: str) -> list[str]:
        names: dict[str, None] = {}
        for group in grouped(lines):
            body = self.ask("POST", STORE.target({parameter: 1}), group, LINES, idempotent=True)
            names.update(dict.fromkeys(body[field]))
        return list(names)

    def _send_group(self, group: bytes, parameters: Mapping[str, Any]) -> Accepted:
        target = STORE.target(parameters)
        tries = 0
        while True:
            self.unanswered = True
            try:
                # Documents that are stored already are recognised by their keys.
                body = self.ask("POST", target, group, LINES, idempotent=True)
            except DaemonError as error:
                self.unanswered = False
                # A full queue empties, and nothing of a refused group was kept, so it may be sent again.
                tries += 1
                if error.code != "BUSY" or not error.retryable or tries > BUSY_TRIES:
                    raise
                time.sleep(BUSY_SECONDS)
                continue
            self.unanswered = False
            return Accepted(*(body[name] for name in ("run", "accepted", "unchanged", "rejected")))

    def events(self, run: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield progress as it happens, each update as a JSON object, until the run (or the daemon) ends.

        Uses a connection of its own, so that other requests go on. The daemon sends something at least every 10 s.
        """
        data: list[str] = []  # of a server-sent event; comments only keep the connection alive
        for line in self._raw_lines("GET", PROGRESS.target({"run": run})):
            text = line.decode().rstrip("\r\n")
            if text.startswith("data:"):
                data.append(text[5:].removeprefix(" "))
            elif not text and data:
                yield json.loads("\n".join(data))
                data.clear()

    def operate(
        self,
        operation: Operation,
        values: Mapping[str, Any] | None = None,
        tell: Callable[[dict[str, Any]], None] | None = None,
    ) -> dict[str, Any]:
        """Run a long operation and return its result; ``tell`` gets each step (stage, done, total).

        The daemon sends a line at least every 10 s while it works, so the total time is not limited.
        """
        for line in self.lines("POST", operation.path, json_body(values or {})):
            if "result" in line:
                return dict(line["result"])
            if "error" in line:
                raise DaemonError(line["error"])
            if "progress" in line and tell is not None:
                tell(line["progress"])
        raise DaemonGoneError("the daemon ended in the middle of an operation")

    def lines(self, method: str, path: str, body: bytes | None = None) -> Iterator[dict[str, Any]]:
        """Yield the JSON lines of an answer as they come, on a connection of their own."""
        for line in self._raw_lines(method, path, body):
            yield json.loads(line)

    def _raw_lines(self, method: str, path: str, body: bytes | None = None) -> Iterator[bytes]:
        connection = _UnixConnection(self._path, self._seconds)
        self._streams.add(connection)
        headers = {"Accept": LINES} | ({"Content-Type": "application/json"} if body else {})
        try:
            with self._failures():
                self._connect(connection)
                connection.request(method, path, body, headers)
                response = connection.getresponse()
                if response.status >= http.client.BAD_REQUEST:
                    raise DaemonError(_body_of(response))
            while True:
                with self._failures():
                    line = response.readline()
                if not line:
                    return
                yield line
        finally:
            self._streams.discard(connection)
            connection.close()

    def documents(
        self,
        values: Mapping[str, Any] | None = None,
        tell: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> Iterator[bytes]:
        """Yield the documents of an export, each as its line. Ends without an error only if all of them came; ``tell``
        then gets the counts.
        """
        for count, line in enumerate(self._raw_lines("GET", EXPORT.target(values or {}))):
            if line.startswith(b'{"error"'):
                raise DaemonError(json.loads(line)["error"])
            if line.startswith(b'{"result"'):
                result = json.loads(line)["result"]
                if result.get("documents") != count:
                    break
                if tell is not None:
                    tell(result)
                return
            yield line
        raise DaemonGoneError("the daemon ended in the middle of an export")

    def ask(
        self, method: str, path: str, body: bytes | None = None, kind: str = "", *, idempotent: bool = False
    ) -> dict[str, Any]:
        """Send one request of any kind that is answered by a JSON object.

        Args:
            method: of HTTP.
            path: with its query string.
            body: or None.
            kind: the media type of the body.
            idempotent: carrying it out twice has the same effect as once. Every GET is idempotent.
        """
        headers = {"Content-Type": kind} if kind else {}
        with self._failures():
            response = self._send(method, path, body, headers, idempotent=idempotent or method == "GET")
            answer = _body_of(response)
        if response.status >= http.client.BAD_REQUEST:
            raise DaemonError(answer)
        return answer

    def _send(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], *, idempotent: bool
    ) -> http.client.HTTPResponse:
        connection = self._kept
        if connection is not None and idempotent:
            try:
                connection.request(method, path, body, headers)
                return connection.getresponse()
            except TimeoutError:
                raise
            except (OSError, http.client.HTTPException):
                pass  # the daemon closed an idle connection: a new one shows whether it still runs
        self.close()
        self._kept = connection = _UnixConnection(self._path, self._seconds)
        self._connect(connection)
        with suppress(BrokenPipeError):  # refused before everything was read: the reason can still be read
            connection.request(method, path, body, headers)
        return connection.getresponse()

    def _connect(self, connection: _UnixConnection) -> None:
        connection.connect()
        if self._ended:  # looked at last: `end` wakes a connection that is made, and no other
            connection.close()
            raise DaemonGoneError("the connection was closed")

    @contextmanager
    def _failures(self) -> Generator[None, None, None]:
        """Raise the sockets' errors as those of this module; a failed connection is not used again."""
        try:
            yield
        except TimeoutError as error:
            self.close()
            raise DaemonTimeoutError(self._seconds) from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise DaemonGoneError("the daemon ended in the middle of an answer") from error


def json_body(body: Mapping[str, Any]) -> bytes:
    """Return a JSON object as the body of a request."""
    return valid(json.dumps(body, ensure_ascii=False)).encode()


def is_listening(path: str) -> bool:
    """Return whether a process accepts connections at this socket.

    Raises:
        ForeignDaemonError: it is another user's process.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(2.0)
        try:
            probe.connect(path)
        except BlockingIOError:
            return True  # the queue of new connections is full, so there is a listener
        except OSError:
            return False
        require_trusted(probe, path)
    return True


_CREDENTIALS = struct.Struct("3i")


def require_trusted(connected: socket.socket, path: str) -> None:
    """Require that this user or root listens at the other end, or a service whose folder nobody else can change.

    The kernel reports the listener (unix(7), SO_PEERCRED). Where it does not, only this user and root may be able to
    change the folder.

    Raises:
        ForeignDaemonError: it is another user.
    """
    folder = Path(path).absolute().parent
    if hasattr(socket, "SO_PEERCRED"):
        raw = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        _, user, _ = _CREDENTIALS.unpack(raw)
        trusted = user in (0, os.geteuid()) or (_shares(path) and _only_of(user, folder))
    else:
        user = folder.stat().st_uid
        trusted = user in (0, os.geteuid()) and _only_of(user, folder)
    if not trusted:
        raise ForeignDaemonError(path, user)


def _shares(path: str) -> bool:
    """Return whether the socket is meant for this user: it belongs to one of the user's groups, or the user is root."""
    return not os.geteuid() or Path(path).stat().st_gid in {os.getegid(), *os.getgroups()}


def _only_of(user: int, folder: Path) -> bool:
    """Return whether only ``user``, this user and root can put anything into a folder, or replace a folder above it."""
    for each in (folder, *folder.parents):
        status = each.stat()
        owners = (0, os.geteuid(), user) if each == folder else (0, os.geteuid())
        if status.st_uid not in owners or status.st_mode & 0o022:
            return False
    return True


def _body_of(response: http.client.HTTPResponse) -> dict[str, Any]:
    data = response.read()
    try:
        body: object = json.loads(data)
    except ValueError:
        return {}
    return {str(key): value for key, value in body.items()} if isinstance(body, dict) else {}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def place_line(place: str) -> bytes:
    """Return a line with the place in the receipt of the documents after it: `EXPORT` or `EXPORT/FILE`, numbers from 0."""
    return b'{"read_at":"%s"}\n' % place.encode()


def place_in(line: bytes) -> str | None:
    """Return the place in a `place_line`, with any blanks; None for any other line, also a document that begins like
    one.
    """
    match = _PLACE.fullmatch(line)
    return None if match is None else match[1].decode()


def grouped(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Group lines into bodies of bounded size; each but the first begins with the place line that is in force."""
    group: list[bytes] = []
    size = 0
    place = b""
    for line in lines:
        if group and size + len(line) > REQUEST_BYTES:
            yield b"".join(group)
            group, size = [place], len(place)
        if place_in(line) is not None:
            place = line
        group.append(line)
        size += len(line)
    if group:
        yield b"".join(group)
