"""memd as a user runs it: its commands and its daemon as processes of their own, on a home that nobody else has."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from memd.daemon.client import Client
from memd.daemon.operations import HEALTH, QUERY, STATUS

READY_SECONDS = 180


@dataclass(frozen=True)
class Home:
    """A folder with a data directory, a socket and settings; none of the user's own are read."""

    folder: Path

    @property
    def environ(self) -> dict[str, str]:
        """The environment for a memd process."""
        (self.folder / "config.toml").touch()
        # An installed package has bytecode from its installation on; a checkout gets it when it first runs.
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        places = {"MEMD_DATA_DIR": self.data, "MEMD_SOCKET": self.socket, "MEMD_CONFIG": self.folder / "config.toml"}
        # Rounds ask the same questions: each is to be searched for.
        unkept = {"MEMD_QUERY_CACHE_ANSWERS": "0"}
        return {**inherited, **unkept, **{name: str(path) for name, path in places.items()}}

    @property
    def data(self) -> Path:
        """The data directory."""
        return self.folder / "data"

    @property
    def socket(self) -> Path:
        """The socket of the daemon."""
        return self.folder / "s"

    def run(self, *arguments: str) -> dict[str, Any]:
        """Run a command to its end; return its JSON.

        Raises:
            SystemExit: it failed; the message is what it said.
        """
        found = self.attempt(*arguments)
        if isinstance(found, str):
            sys.exit(f"memd {arguments[0]} failed: {found}")
        return found

    def attempt(self, *arguments: str) -> dict[str, Any] | str:
        """Run a command to its end; return its JSON, or its error text where it failed."""
        done = subprocess.run(
            [*memd(), *arguments, "--json"], env=self.environ, cwd=self.folder, capture_output=True, check=False
        )
        if done.returncode:
            return done.stderr.decode(errors="replace")[-2000:]
        found: dict[str, Any] = orjson.loads(done.stdout)
        return found

    def ingest(self, export: Path, *flags: str) -> tuple[float, dict[str, Any]]:
        """Ingest in a process of its own; return its seconds and its summary."""
        begin = time.perf_counter()
        summary = self.run("ingest", str(export), "--zone", "UTC", *flags)
        return time.perf_counter() - begin, summary

    @contextmanager
    def daemon(self) -> Generator[Daemon]:
        """Run a daemon until it is ready; stop it at the end."""
        (self.folder / "log").unlink(missing_ok=True)
        begin = time.perf_counter()
        with (self.folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [*memd(), "serve"], env=self.environ, cwd=self.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        try:
            client = Client(str(self.socket))
            while not _answers(client):
                if process.poll() is not None or time.perf_counter() - begin > READY_SECONDS:
                    sys.exit(f"the daemon does not start: {(self.folder / 'log').read_text(encoding='utf-8')[-2000:]}")
                time.sleep(0.005)
            yield Daemon(process.pid, client, begin, time.perf_counter() - begin)
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@dataclass(frozen=True)
class Daemon:
    """A running daemon: the moment it was started, and the seconds until it first answered."""

    pid: int
    client: Client
    began: float
    ready_s: float

    def ask(self, question: str, **more: object) -> dict[str, Any]:
        """Ask one query, as a program asks it; all arms must take part.

        Raises:
            SystemExit: an arm was missing, so that the time would be that of less work.
        """
        found = self.client.call(QUERY, {"text": question, **more})
        if missing := [what for what in found["degraded"] if what != "pending"]:
            sys.exit(f"the daemon answered without {missing}")
        return found

    def wait_idle(self, seconds: float = 600) -> None:
        """Return when nothing is queued and no text waits for its vector."""
        begin = time.perf_counter()
        while True:
            status = self.client.call(STATUS)
            if not status["queue"]["depth"] and not status["running"] and "pending" not in status["degraded"]:
                return
            if time.perf_counter() - begin > seconds:
                sys.exit("the daemon does not come to rest")
            time.sleep(0.05)


def memd() -> list[str]:
    """Return the command as installed beside this Python, or the module where it is not installed."""
    script = Path(sys.executable).parent / "memd"
    return [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "memd.daemon.cli"]


def _answers(client: Client) -> bool:
    try:
        client.call(HEALTH)
    except Exception:  # noqa: BLE001 - not ready yet, whatever it says
        return False
    return True
