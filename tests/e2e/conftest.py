"""What the end-to-end tests share: the real command in a process of its own, with a home of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memd.tests import processes
from memd.tests.command import memd_command
from memd.tests.openai_server.faults import Fault
from memd.tests.openai_server.server import Server
from memd.tests.weaviate_server.node import Node

EMBEDDING = "MEMD_EMBEDDING_ENABLED"
PATIENCE = 120
"""Seconds that memd waits for an embedder that holds back vectors."""
LINES = [
    ("Ann", "Where do you live now?"),
    ("Bob", "I moved to Lisbon in March, near the river"),
    ("Ann", "And your sister?"),
    ("Bob", "Carla stays in Oslo, she is a dentist there"),
]


class Memd:
    """The command, run for one test: its own data directory, socket and configuration; without vectors unless they are asked for."""

    def __init__(self, home: Path, *, vectors: bool = False) -> None:
        self.home = home
        self.data = home / "data"
        self.socket = home / "s"
        config = home / "config.toml"
        config.write_text("")
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MEMD_")},
            "MEMD_DATA_DIR": str(self.data),
            "MEMD_SOCKET": str(self.socket),
            "MEMD_CONFIG": str(config),
            "TZ": "UTC",
        }
        if not vectors:
            self.environment[EMBEDDING] = "false"
        self.running: list[subprocess.Popen[bytes]] = []

    def __call__(self, *words: str, stdin: bytes = b"", seconds: float = 60) -> subprocess.CompletedProcess[bytes]:
        """Run one command to its end."""
        return processes.run(
            self._words(words), input=stdin, capture_output=True, env=self.environment, timeout=seconds, check=False
        )

    def json(self, *words: str, stdin: bytes = b"", seconds: float = 60) -> Any:
        """Run a command that must succeed, with --json; returns its one object."""
        done = self(*words, "--json", stdin=stdin, seconds=seconds)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start one that runs on; it is ended with the test."""
        process = processes.Popen(
            self._words(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
        )
        self.running.append(process)
        return process

    def until_served(self, process: subprocess.Popen[bytes], seconds: float = 30) -> None:
        """Wait until somebody listens at the socket."""
        from memd.daemon.client import is_listening

        deadline = time.monotonic() + seconds
        while not is_listening(str(self.socket)):
            assert process.poll() is None, process.communicate()[1].decode()
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def end(self) -> None:
        """End what still runs."""
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)

    @staticmethod
    def _words(words: tuple[str, ...]) -> list[str]:
        return memd_command(*words)


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    """A Weaviate server of the test's own, stopped."""
    folder = tmp_path / "weaviate"
    folder.mkdir()
    node = Node(folder)
    node.choose_ports()
    yield node
    node.stop()


@pytest.fixture
def memd(tmp_path: Path) -> Iterator[Memd]:
    """The command with a fresh home, without vectors."""
    command = Memd(tmp_path)
    yield command
    command.end()


@pytest.fixture
def vectors(memd: Memd) -> None:
    """Let the command make vectors, and use them."""
    memd.environment.pop(EMBEDDING, None)


@pytest.fixture
def held(memd: Memd) -> Iterator[threading.Event]:
    """An embedder at an endpoint, which holds back the vectors of the messages of `long_chat` until the event is set."""
    released = threading.Event()

    def of_messages(request: Any) -> bool:
        return any("speaks of topic" in text for text in request["input"])

    def hold(answer: Any) -> Any:
        released.wait(PATIENCE)
        return answer

    with Server() as server:
        settings = {"provider": "openai", "model": "words", "base_url": server.base_url, "timeout_s": PATIENCE}
        lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
        Path(memd.environment["MEMD_CONFIG"]).write_text("\n".join(["[embedding]", *lines]))
        memd.environment["OPENAI_API_KEY"] = "none"
        del memd.environment[EMBEDDING]
        server.fail_always(Fault(when=of_messages, change=hold))
        yield released
        released.set()


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A small WhatsApp export of two people."""
    return write_chat(tmp_path / "WhatsApp Chat with Two.txt", LINES)


@pytest.fixture
def long_chat(tmp_path: Path) -> Callable[[int], Path]:
    """A chat of so many messages, each another sentence."""

    def make(count: int) -> Path:
        lines = [
            ("Ann" if n % 2 else "Bob", f"message {n} speaks of topic {n * 7919 % 1013} and of {n}")
            for n in range(count)
        ]
        return write_chat(tmp_path / "WhatsApp Chat with Long.txt", lines)

    return make


def write_chat(path: Path, lines: list[tuple[str, str]]) -> Path:
    """An Android export, one message a minute from 15 January 2024 on."""
    time_of = datetime(2024, 1, 15, 12, 0)  # noqa: DTZ001 - exports write the wall clock
    written: list[str] = []
    for speaker, text in lines:
        written.append(f"{time_of:%d/%m/%Y, %H:%M} - {speaker}: {text}\n")
        time_of += timedelta(minutes=1)
    path.write_text("".join(written), encoding="utf-8")
    return path
