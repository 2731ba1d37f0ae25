"""Starts `memd` processes quickly: one process imports everything once and forks for each command.

Three rounds in the time of one. What is killed is a whole process of its own, as ever; only its imports were done before.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

CLOSE_SECONDS = 600.0
"""How long the process that forks may take to end, on whatever machine."""


class Child:
    """A forked command; the part of ``subprocess.Popen`` that torture uses."""

    def __init__(self, nursery: Nursery, pid: int, outputs: tuple[Path, Path]) -> None:
        self._nursery = nursery
        self._outputs = outputs
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, negative for a signal, when it has ended."""
        if self.returncode is None:
            self.returncode = self._nursery.ask({"poll": self.pid})["code"]
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal; to nobody when it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Wait for its end; what it wrote.

        Raises:
            subprocess.TimeoutExpired: it runs on.
        """
        deadline = time.monotonic() + (timeout or 3600)
        while self.poll() is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("memd", timeout or 3600)
            time.sleep(0.01)
        out, err = (path.read_bytes() for path in self._outputs)
        return out, err


class Nursery:
    """The process that forks."""

    def __init__(self, launcher: Sequence[str], folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        (folder / "where").touch()
        self._process = subprocess.Popen(
            [*launcher, "nursery", str(folder / "where")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._count = 0

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One request, one answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def start(self, words: Sequence[str], order: Mapping[str, Any], environment: Mapping[str, str], cwd: Path) -> Child:
        """Fork a command."""
        self._count += 1
        number = self._count % 8  # those of commands that run beside each other
        outputs = (self._folder / f"out-{number}", self._folder / f"err-{number}")
        request = {
            "words": list(words), "order": dict(order), "environment": dict(environment), "cwd": str(cwd),
            "out": str(outputs[0]), "err": str(outputs[1]),
        }  # fmt: skip
        return Child(self, self.ask(request)["pid"], outputs)

    def close(self) -> None:
        """End it; nothing that it forked runs any more by then.

        Raises:
            AssertionError: it does not end; says what it does, and who else could send it requests.
        """
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        try:
            self._process.wait(timeout=CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            where = self._where()
            self._process.kill()
            self._process.wait()
            raise AssertionError(f"the process that forks did not end in {CLOSE_SECONDS:g} s: {where}") from None

    def _where(self) -> str:
        """What the process does now: its state, its stack, and the processes that hold an end of its standard input."""
        pid, told = self._process.pid, self._folder / "where"
        self._process.send_signal(signal.SIGUSR1)
        for _ in range(100):
            if told.stat().st_size:
                break
            time.sleep(0.1)
        found = [f"process {pid}"]
        for name in ("status", "wchan"):
            with suppress(OSError):
                found.append(Path(f"/proc/{pid}/{name}").read_text().partition("\nTgid")[0])
        found.append(f"its input is held by {sorted(_holders(pid))}")
        return "\n".join([*found, told.read_text()])


def _holders(pid: int) -> set[int]:
    """The processes that have the pipe open which is the standard input of this one."""
    holders: set[int] = set()
    with suppress(OSError):
        pipe = os.readlink(f"/proc/{pid}/fd/0")
        for each in Path("/proc").glob("[0-9]*/fd/*"):
            with suppress(OSError):
                if os.readlink(each) == pipe:
                    holders.add(int(each.parts[2]))
    return holders


def forks(run: Any, where: TextIO) -> None:
    """The loop of the process that forks: read requests, answer them. ``run`` is what a child does, given its order."""
    for module in (
        "app",
        "cli.in_process",
        "cli.dispatch",
        "diagnostics.offline",
        "backup.create",
        "service.maintenance",
    ):
        importlib.import_module(f"memd.daemon.{module}")

    # Where it stands is written there when somebody asks.
    faulthandler.register(signal.SIGUSR1, file=where, all_threads=True)
    ended: dict[int, int] = {}
    for line in sys.stdin:
        request = json.loads(line)
        if "poll" in request:
            pid = request["poll"]
            if pid not in ended:
                found, status = os.waitpid(pid, os.WNOHANG)
                if found:
                    ended[pid] = os.waitstatus_to_exitcode(status)
            answer: dict[str, Any] = {"code": ended.get(pid)}
        else:
            pid = os.fork()
            if not pid:
                _become(request, run)
            ended.pop(pid, None)  # the number was another's before
            answer = {"pid": pid}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _become(request: Mapping[str, Any], run: Any) -> None:
    """In the child: its own outputs and environment, then memd, to the end as an interpreter ends."""
    for number, name in ((0, os.devnull), (1, request["out"]), (2, request["err"])):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        descriptor = os.open(name, flags, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    faulthandler.unregister(signal.SIGUSR1)
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["cwd"])
    sys.exit(run(request["order"], request["words"]))
