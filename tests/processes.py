"""Starts Python programs for the tests by forking a process that has imported memd: `Popen` and `run`.

A fresh interpreter spends most of a short command on imports. Here each test process has servers, for each locale, which
import memd once and fork for every command. Two servers take turns, because forked commands have the seed of the server
for the hashes of texts: an order that depends on it must not pass from one command to the next. Commands with other
variables of Python than the test process has are few: their servers import nothing, because the imports cost as
much as five commands. The command is what it would be otherwise: a child of the test's process with its own pid,
streams, environment, working directory and signals. A fresh interpreter starts other programs, an installed `memd`
(``MEMD_TEST_COMMAND``), and what is given options of subprocess beyond these.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import gc
import io
import json
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import Any, NoReturn
from uuid import UUID

LOCALE = ("LC_", "LANG")
"""Beginnings of the variables from which an interpreter takes its locale at its start."""
PLAIN = ("C", "POSIX", "C.UTF-8", "C.utf8")
"""Locales in which Python's streams are alike: UTF-8, with what cannot be decoded kept."""
SEEDS = "MEMD_TEST_SEEDS"
"""The number of servers that take turns, each with another seed of hashes; two where it is not set."""
UNBUFFERED = "PYTHONUNBUFFERED"
"""Set to anything, it makes the streams write at once."""
_UNFLUSHED = 120
"""Exit code of an interpreter that could not write the rest of its output."""
PR_SET_CHILD_SUBREAPER = 36
"""<linux/prctl.h>: orphans below this process become its children."""
MADV_COLLAPSE = 25
"""<linux/mman.h>, since 6.1: an older system refuses it."""
LARGE_PAGE = 1 << 21
MESSAGE = 1 << 20
"""Bytes of a request: the environment and the arguments."""


_LATER = (
    "anyio._backends._asyncio", "apscheduler.triggers.cron", "numpy", "onnxruntime", "openai", "openai.lib.streaming.chat",
    "openai.resources.batches", "openai.resources.chat.chat", "openai.resources.embeddings", "openai.resources.files",
    "sentencepiece", "tantivy", "tokenizers", "uvicorn", "uvicorn.lifespan.off", "uvicorn.protocols.http.h11_impl",
)  # fmt: skip
"""Modules that memd imports when it first uses them."""


SENTENCES = (
    "Where do you live now?",
    "I live in Oslo",
    "I moved: now I live in Kiel",
    "I moved to Lisbon in March, near the river",
    "Carla stays in Oslo, she is a dentist there",
    "My sister Carla works at the harbour since 2020",
)
"""What people in the tests say."""


class Popen(subprocess.Popen[bytes]):
    """`subprocess.Popen` that forks `memd` from a server.

    Args:
        controlling_terminal: makes standard input the controlling terminal of a new session, for Ctrl-C.
    """

    def __init__(self, args: Sequence[str], *, controlling_terminal: bool = False, **options: Any) -> None:
        self._controlling_terminal = controlling_terminal
        if controlling_terminal:
            options["start_new_session"] = True
        super().__init__(args, **options)

    def _execute_child(self, args: Sequence[str], executable: Any, preexec_fn: Any, *more: Any) -> None:
        """Take the place of what subprocess does on POSIX; see there for the arguments."""
        _close_fds, pass_fds, cwd, env, _, _, shell = more[:7]
        pipes = more[7:13]
        _, gid, gids, uid, umask, new_session = more[13:19]
        process_group = more[19] if len(more) > 19 else -1
        command = [args] if isinstance(args, str) else [os.fspath(word) for word in args]
        plain = not (preexec_fn or pass_fds or shell or executable not in (None, sys.executable))
        same_user = (gid, gids, uid, umask, process_group) == (None, None, None, -1, -1)
        python = command[:2] == [sys.executable, "-P"] and command[2:3] in (["-c"], ["-m"])
        if not (plain and same_user and python and sys.platform == "linux"):
            if self._controlling_terminal:
                preexec_fn = _take_terminal
            start: Callable[..., None] = getattr(super(), "_execute_child")  # noqa: B009 - subprocess has no public hook
            start(args, executable, preexec_fn, *more)
            return
        stdin, _, _, stdout, _, stderr = pipes
        variables = dict(os.environ if env is None else env)
        request = {
            "command": command[2:],
            "folder": os.fspath(cwd or os.getcwd()),
            "environment": variables,
            "session": bool(new_session),
            "terminal": self._controlling_terminal,
        }
        streams = [given if given >= 0 else own for own, given in enumerate((stdin, stdout, stderr))]
        sys.audit("subprocess.Popen", sys.executable, command, cwd, env)
        self.pid = _fork(variables, request, streams)
        self._child_created = True
        getattr(self, "_close_pipe_fds")(*pipes)  # noqa: B009


def run(
    args: Sequence[str],
    *,
    input: bytes | None = None,  # noqa: A002 - the name that subprocess.run has
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool = False,
    **options: Any,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end, as `subprocess.run` does."""
    if input is not None:
        options["stdin"] = subprocess.PIPE
    if capture_output:
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with Popen(args, **options) as process:
        try:
            out, err = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(args, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


class _Server:
    """A process that forks.

    Args:
        variables: the environment of its interpreter.
        imports: whether it imports memd first.
    """

    def __init__(self, variables: Mapping[str, str], *, imports: bool) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MESSAGE)
        self._socket = ours
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-m",
                    "memd.tests.processes",
                    str(theirs.fileno()),
                    *(["imports"] if imports else []),
                ],
                pass_fds=[theirs.fileno()],
                env=dict(variables),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        atexit.register(self.end)

    def fork(self, request: Mapping[str, object], streams: Sequence[int]) -> int:
        """Start a command with these streams; returns its pid. It is a child of this process.

        Raises:
            OSError: the server has ended; it wrote the reason to standard error.
        """
        prctl = ctypes.CDLL(None).prctl
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        try:
            socket.send_fds(self._socket, [json.dumps(request).encode()], streams)
            answer = self._socket.recv(64)
        except ConnectionError:
            answer = b""
        finally:
            prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
        if not answer:
            raise OSError("the process that forks memd has ended")
        return int(answer)

    def end(self) -> None:
        """Close its socket, which ends it."""
        self._socket.close()
        self._process.wait(30)


_SERVERS: dict[tuple[int, tuple[tuple[str, str], ...]], _Server] = {}
_TURNS = cycle(range(int(os.environ.get(SEEDS, "2"))))
_LOCK = threading.Lock()


def _fork(variables: Mapping[str, str], request: Mapping[str, object], streams: Sequence[int]) -> int:
    """Fork from a server for these variables, which is started when first needed; returns the pid."""
    start = startup_variables(variables)
    with _LOCK:
        key = (next(_TURNS), tuple(sorted(start.items())))
        if key not in _SERVERS:
            imports = _python(start).items() <= _python(os.environ).items()
            _SERVERS[key] = _Server({"PATH": os.environ.get("PATH", ""), **start}, imports=imports)
        try:
            return _SERVERS[key].fork(request, streams)
        except BaseException:
            # An answer that nobody took would be the pid of the next command.
            _SERVERS.pop(key).end()
            raise


def startup_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that an interpreter reads at its start: each different set needs a server of its own.

    The locale is left out where every variable of it is plain. Otherwise all of them stay, because the plain ones
    override others: ``LC_ALL=C`` makes ``LANG`` ineffective.
    """
    locale = {name: value for name, value in variables.items() if name.startswith(LOCALE) and value}
    python = _python(variables)
    return python if all(value in PLAIN for value in locale.values()) else python | locale


def _python(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of Python itself that are set, but the one that a forked command can follow."""
    return {
        name: value for name, value in variables.items() if name.startswith("PYTHON") and name != UNBUFFERED and value
    }


def _take_terminal() -> None:
    """Make standard input the controlling terminal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _serve(number: int, *, imports: bool) -> int:
    """Fork a command for each request, until the test process closes the socket; returns the exit code of the server."""
    if imports:
        _import_everything()
    control = socket.socket(fileno=number)
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, MESSAGE, 3)
        if not message:
            control.close()
            return 0
        request = json.loads(message)
        reader, writer = os.pipe()
        gate, gatekeeper = os.pipe()
        between = os.fork()
        if between == 0:
            # The command's parent ends at once, so that the command becomes a child of whoever asked for it.
            command = os.fork()
            if command:
                os.write(writer, str(command).encode())
                os._exit(0)
            for each in (reader, writer, gatekeeper, control.detach()):
                os.close(each)
            os.read(gate, 1)  # until it has its new parent
            os.close(gate)
            _end(_run(request, descriptors))
        os.waitpid(between, 0)
        control.send(os.read(reader, 64))
        for each in (reader, writer, gate, gatekeeper, *descriptors):
            os.close(each)


def _import_everything() -> None:
    """Import memd and what it loads when first needed."""
    import memd

    gc.disable()  # what is imported stays, and looking for what does not takes a tenth of the time
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    for package in ("schemas", "connectors", "memory", "daemon"):
        folder = f"{memd.__path__[0]}/{package}"
        for module in pkgutil.walk_packages([folder], f"memd.{package}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    for name in _LATER:
        import_module(name)
    from memd.memory.embedding import bundled, sentencepiece_tokenizer

    pieces = bundled.bundled_model() / "sentencepiece.model"
    getattr(sentencepiece_tokenizer, "_processor")(pieces.resolve())  # noqa: B009 - kept by the function, half a second
    _compute_what_is_kept()
    gc.collect()
    gc.freeze()
    gc.enable()
    _collapse_pages()


def _collapse_pages() -> None:
    """Let large pages hold what is in memory, where the system can: two forks that copied the tables of small ones took
    half of the processor time of a short command.
    """
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        addresses, rights, _, _, file, *name = line.split()
        begin, end = (int(address, 16) for address in addresses.split("-"))
        if rights == "rw-p" and file == "0" and name in ([], ["[heap]"]):
            for page in range(-(-begin // LARGE_PAGE) * LARGE_PAGE, end - LARGE_PAGE + 1, LARGE_PAGE):
                advise(page, LARGE_PAGE, MADV_COLLAPSE)


def _compute_what_is_kept() -> None:
    """Fill the caches of functions that compute something once in a process, with what most commands of the tests need.

    Tables and compiled patterns: half a second of a command that reads a chat and its facts, half of the processor time of
    a question. No thread may be started.
    """
    from memd.connectors.formats.whatsapp.header_detection import detect_header_format
    from memd.daemon.cli.dispatch import build_parser
    from memd.memory.chunking import boundaries
    from memd.memory.extraction.rules.engine import RulesExtractor
    from memd.memory.extraction.window import Line, Window
    from memd.memory.question.people import SpeakerMatcher
    from memd.memory.question.plan import plan_question
    from memd.memory.text import analyzer
    from memd.memory.text.unmarked_questions import asks_without_mark

    now = datetime(2024, 1, 15, tzinfo=UTC)
    speakers = cycle(("Ann", "Ben"))
    lines = tuple(Line(n, UUID(int=n), "m", next(speakers), text, now) for n, text in enumerate(SENTENCES, 1))
    RulesExtractor().read(Window(UUID(int=0), "d", "s", "t", "Ann", ("Ann", "Ben"), lines))
    build_parser()
    for text in SENTENCES:
        analyzer.terms(text)
        boundaries.clusters(text, 0, len(text))
    for text in (*SENTENCES, "Oslo"):  # a single word may be of any language
        plan_question(text, now, SpeakerMatcher([]))
        asks_without_mark(text)
    for date in ("1/15/24, 9:30 AM", "15/01/2024, 09:30"):
        detect_header_format([f"{date} - Ann: {text}" for text in SENTENCES])


def _run(request: Mapping[str, Any], descriptors: Sequence[int]) -> int:
    """Be the command: its streams, environment, folder and session; returns its exit code."""
    if request["session"]:
        os.setsid()
    # First out of the way of 0, 1 and 2.
    for number, copy in enumerate([fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, 3) for each in descriptors]):
        os.dup2(copy, number)
        os.close(copy)
    for each in descriptors:
        os.close(each)
    if request["terminal"]:
        _take_terminal()
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        _reopen(number, name)
    how, program, *words = request["command"]
    try:
        sys.argv = ["-c", *words]
        if how == "-m":
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            exec(compile(program, "<string>", "exec", dont_inherit=True), {"__name__": "__main__"})
    except SystemExit as ended:
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except KeyboardInterrupt:
        traceback.print_exc()
        return -signal.SIGINT
    except BaseException:  # noqa: BLE001 - the interpreter prints whatever ends a program
        traceback.print_exc()
        return 1
    return 0


def _end(code: int) -> NoReturn:
    """Exit as the interpreter does, without taking the imported modules apart one by one.

    Args:
        code: of the exit; negative for a signal that ends the process.
    """
    getattr(threading, "_shutdown")()  # noqa: B009 - waits for threads that are not daemons
    getattr(atexit, "_run_exitfuncs")()  # noqa: B009
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        code = _UNFLUSHED
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _reopen(number: int, name: str) -> None:
    """Make a text stream as the interpreter does at its start."""
    old = getattr(sys, name)
    raw = io.FileIO(number, "r" if number == 0 else "w", closefd=False)
    unbuffered = bool(os.environ.get(UNBUFFERED))
    buffer: Any = io.BufferedReader(raw) if number == 0 else raw if unbuffered else io.BufferedWriter(raw)
    lines = number == 2 or raw.isatty()
    stream = io.TextIOWrapper(
        buffer, encoding=old.encoding, errors=old.errors, line_buffering=lines, write_through=unbuffered
    )
    setattr(sys, name, stream)
    setattr(sys, f"__{name}__", stream)


if __name__ == "__main__":
    sys.exit(_serve(int(sys.argv[1]), imports="imports" in sys.argv[2:]))
