"""Speaking to a running daemon over its Unix socket, with the standard library alone.

Rule 1: nothing here, and nothing it imports, imports pydantic, Starlette or numpy: `memd query` starts with this file,
and what it takes to start is what the user waits for. That is why answers stay plain JSON here.
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
"""The longest silence of a daemon: for an answer at once, between two lines of an operation, between two events."""

LINES = "application/jsonl"
"""What `Client.operate` accepts: JSON lines with progress or a sign of life, the result or the error in the last."""

REQUEST_CAP = BODY_BYTES
"""The server's cap for one request: a single document above it cannot be sent."""
DOCUMENT_TOO_LARGE = f"the document is larger than {REQUEST_CAP >> 20} MiB"

REQUEST_BYTES = 4 * 1024 * 1024
"""How much of a stream of documents goes into one request: far below the server's cap, few enough round trips."""


STOPPED_MESSAGE = "stopped; what was kept goes on at the next start"
"""What a run is told with that its owner did not bring to its end."""


QUEUE_SECONDS = 0.02
"""Pause between two attempts to connect to a daemon whose queue of new connections is full."""

_PLACE = re.compile(rb'\s*\{\s*"read_at"\s*:\s*"(\d{1,9}(?:/\d{1,9})?)"\s*\}\s*')

_UNKNOWN_FIELD = re.compile(r": unknown key\b")
"""How a daemon refuses a field of a request that its version does not have."""
OTHER_VERSION_HINT = (
    "the memd that runs was started by another version than this command: start it again"
    " (with systemd: systemctl --user restart memd), then the same command"
)

SIGN_OF_LIFE_SECONDS = 600.0
"""How often a run is told that its sender still waits for documents; after an hour of silence it would be ended."""

BUSY_SECONDS = 1.0
BUSY_TRIES = 20
"""How often a group that a full queue refused is sent again; the daemon itself waits half a minute each time."""


class DaemonGoneError(Exception):
    """Nobody answers at the socket, or the daemon ended in the middle of an answer.

    ``sent`` is false when the connection was never made, so that the daemon cannot have seen the request.
    """

    def __init__(self, message: str, *, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


class ForeignDaemonError(Exception):
    """Another user listens at the socket, who would get to see what is asked and sent."""

    def __init__(self, path: str, user: int) -> None:
        super().__init__(f"another user ({user}) listens at {path}: nothing was sent there")
        self.hint = "choose a socket that others cannot replace, with --socket or MEMD_SOCKET; for a memd of a system, ask its group"


class DaemonTimeoutError(Exception):
    """The daemon is there and did not answer in time. It may still carry out the request: never send it again."""

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
        """What a shell gets to see."""
        return OF_CODE.get(self.code, UNEXPECTED)

    @property
    def of_other_version(self) -> bool:
        """Whether the daemon does not know a field that this version sends: it was started before memd was renewed."""
        return any(_UNKNOWN_FIELD.search(problem) for problem in self.problems or [self.message])

    def envelope(self) -> dict[str, Any]:
        """The JSON shape it came in."""
        body: dict[str, Any] = {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "retryable": self.retryable,
            "correlation_id": self.correlation_id,
        }
        return body | ({"problems": self.problems} if self.problems else {})


class UnreadableAccountError(DaemonError):
    """The daemon could not look at an account: nothing was read, so that the command is not partly done."""

    @property
    def exit_code(self) -> int:
        """That of a source of which nothing could be read, where the account is why."""
        return NOTHING_READ if self.code == "PROC" else super().exit_code


@dataclass(frozen=True, slots=True)
class Accepted:
    """The answer to a group of documents: the run they belong to, and how many messages each fate took."""

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
        """Open the socket instead of a host.

        Raises:
            DaemonGoneError: nobody listens.
            ForeignDaemonError: another user does.
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

    def _drop(self) -> None:
        self.sock.close()
        self.sock = None


class Client:
    """One daemon, by the path of its socket. Holds a connection between requests; not for several threads.

    Every method raises ``DaemonError`` for an error that the daemon told, ``DaemonGoneError`` when it cannot be reached
    or went away, and ``DaemonTimeoutError`` when it is there and silent.

    A request that changes something is sent once: over a new connection, because an idle one may be closed by the daemon
    at the moment of sending, which leaves open whether the request was read. Only a GET, and a request whose caller says
    that it is idempotent, uses the kept connection and is repeated over a new one.
    """

    def __init__(self, path: str, seconds: float = ANSWER_SECONDS) -> None:
        self._path = path
        self._seconds = seconds
        self._kept: _UnixConnection | None = None
        self.unanswered = False
        """Documents were sent, and no answer has come that says whether they were kept."""

    def close(self) -> None:
        """Let go of the connection."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def call(
        self, operation: Operation, given: Mapping[str, Any] | None = None, *, idempotent: bool = False
    ) -> dict[str, Any]:
        """Ask for an operation that answers with an object; ``given`` are the fields of its request.

        ``idempotent`` as in `ask`, for a request that is so though not every one of its operation is.
        """
        given = given or {}
        body = operation.body(given)
        return self.ask(
            operation.method,
            operation.target(given),
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
        """Send documents, one JSON line each, in requests of bounded size; yields each answer when it arrives.

        All belong to one run, which ends with the last of them.

        Args:
            lines: the documents.
            parameters: of `StoreRequest`.
            rejected: asked behind the last line, how many records could not be read; the run tells it.
        """
        waiting: bytes | None = None
        kept = False
        given = dict(parameters or {})
        with ExitStack() as alive:
            for group in grouped(lines):
                if waiting is not None:
                    answer = self._send_group(waiting, given | {"more": 1})
                    given["run"] = answer.run
                    if not kept:
                        kept = True
                        alive.enter_context(self._kept_open(given | {"more": 1}))
                    yield answer
                waiting = group
        count = rejected()
        if waiting is not None or count:
            yield self._send_group(waiting or b"", given | ({"rejected": count} if count else {}))

    @contextmanager
    def _kept_open(self, parameters: Mapping[str, Any]) -> Generator[None]:
        """In this block the run is told now and then that its sender lives: a pipe may be silent for hours, and the daemon ends
        the run of a client that is.
        """
        ended = threading.Event()

        def tell() -> None:
            while not ended.wait(SIGN_OF_LIFE_SECONDS):
                client = Client(self._path, self._seconds)
                # Whatever is wrong, the next documents find out.
                with suppress(DaemonError, DaemonGoneError, DaemonTimeoutError, ForeignDaemonError):
                    client.ask("POST", STORE.target(parameters), b"", LINES)
                client.close()

        threading.Thread(target=tell, daemon=True).start()
        try:
            yield
        finally:
            ended.set()

    def add(self, *lists: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Add lists of messages {role, content, name?, time?, id?, metadata?}; returns run, accepted and buffered.

        Sent once: only messages with ids of their own may be sent again.
        """
        return self.call(MESSAGES, {"lists": [list(each) for each in lists]})

    def conflicts(self, lines: Iterable[bytes]) -> list[str]:
        """Titles of chats among these documents that are stored as another chat; nothing is kept."""
        found: dict[str, None] = {}
        for group in grouped(lines):
            body = self.ask("POST", STORE.target({"check": 1}), group, LINES, idempotent=True)
            found.update(dict.fromkeys(body["conflicts"]))
        return list(found)

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
                # A full queue empties; of what was refused nothing was kept, so that it may be sent again.
                tries += 1
                if error.code != "BUSY" or not error.retryable or tries > BUSY_TRIES:
                    raise
                time.sleep(BUSY_SECONDS)
                continue
            self.unanswered = False
            return Accepted(*(body[name] for name in ("run", "accepted", "unchanged", "rejected")))

    def events(self, run: str | None = None) -> Iterator[dict[str, Any]]:
        """Progress as it happens, each update as a JSON object, until the run (or the daemon) ends.

        A connection of its own, so that other requests go on. The daemon says something at least every 10 s.
        """
        data: list[str] = []  # of a server-sent event; comments keep the line alive and say nothing
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
        given: Mapping[str, Any] | None = None,
        tell: Callable[[dict[str, Any]], None] | None = None,
    ) -> dict[str, Any]:
        """Run a long operation; ``tell`` gets each step (stage, done, total), and the result is returned.

        The daemon sends a line at least every 10 s while it works, so that there is no bound for the whole.
        """
        for line in self.lines("POST", operation.path, json_body(given or {})):
            if "result" in line:
                return dict(line["result"])
            if "error" in line:
                raise DaemonError(line["error"])
            if "progress" in line and tell is not None:
                tell(line["progress"])
        raise DaemonGoneError("the daemon ended in the middle of an operation")

    def lines(self, method: str, path: str, body: bytes | None = None) -> Iterator[dict[str, Any]]:
        """The JSON lines of an answer as they come, on a connection of their own."""
        for line in self._raw_lines(method, path, body):
            yield json.loads(line)

    def _raw_lines(self, method: str, path: str, body: bytes | None = None) -> Iterator[bytes]:
        connection = _UnixConnection(self._path, self._seconds)
        headers = {"Accept": LINES} | ({"Content-Type": "application/json"} if body else {})
        try:
            with self._failures():
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
            connection.close()

    def documents(
        self,
        given: Mapping[str, Any] | None = None,
        tell: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> Iterator[bytes]:
        """The documents of an export, each as its line. Ends well only when all of them came; ``tell`` then gets the counts."""
        for count, line in enumerate(self._raw_lines("GET", EXPORT.target(given or {}))):
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
        """One request of any kind, answered by a JSON object.

        Args:
            method: of HTTP.
            path: with its query string.
            body: or None.
            kind: the media type of the body.
            idempotent: carrying it out twice leaves what carrying it out once leaves. Every GET is.
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
                pass  # the daemon let go of an idle connection: a new one tells whether it is still there
        self.close()
        self._kept = connection = _UnixConnection(self._path, self._seconds)
        with suppress(BrokenPipeError):  # it refused before it had read everything: its reason waits to be read
            connection.request(method, path, body, headers)
        return connection.getresponse()

    @contextmanager
    def _failures(self) -> Generator[None, None, None]:
        """What the sockets raise, as the errors of this file; a connection that failed is not used again."""
        try:
            yield
        except TimeoutError as error:
            self.close()
            raise DaemonTimeoutError(self._seconds) from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise DaemonGoneError("the daemon ended in the middle of an answer") from error


def json_body(body: Mapping[str, Any]) -> bytes:
    """A JSON object as the body of a request."""
    return valid(json.dumps(body, ensure_ascii=False)).encode()


def is_listening(path: str) -> bool:
    """Whether somebody accepts connections at this socket.

    Raises:
        ForeignDaemonError: another user does.
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
    """Require that we or root listen at the other end, or a service whose folder nobody else can change.

    The kernel tells who listens (unix(7), SO_PEERCRED). Where it does not, only we and root may be able to change the folder.

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
    """Whether the socket is made for us: for a group of ours, or for anybody where we are root."""
    return not os.geteuid() or Path(path).stat().st_gid in {os.getegid(), *os.getgroups()}


def _only_of(user: int, folder: Path) -> bool:
    """Whether nobody but a user, we and root can put anything into a folder, or another folder in the place of those above."""
    for each in (folder, *folder.parents):
        found = each.stat()
        owners = (0, os.geteuid(), user) if each == folder else (0, os.geteuid())
        if found.st_uid not in owners or found.st_mode & 0o022:
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
    """A line that says of the documents behind it where in the receipt they were read: `EXPORT` or `EXPORT/FILE`, numbers
    from 0.
    """
    return b'{"read_at":"%s"}\n' % place.encode()


def place_in(line: bytes) -> str | None:
    """What a `place_line` says, whatever blanks are in it; None for any other line, also a document that begins as one."""
    found = _PLACE.fullmatch(line)
    return None if found is None else found[1].decode()


def grouped(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines in bodies of bounded size; each but the first begins with the place line that holds for it."""
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
