"""A memory with a daemon, for the tests of what stands on a terminal."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memd.daemon.client import Client, is_listening
from memd.daemon.operations import QUERY
from memd.tests import processes
from memd.tests.command import memd_command
from memd.tests.pseudo_terminal import environment_of

NOTE = "# Über das Boot\n\n" + "".join(
    f"## Teil {n}\n\nDer {n}. Absatz über „Ruder“ und Segel – mit vielen Wörtern. {'Mehr davon. ' * 40}\n\n"
    for n in range(6)
)
DOCUMENTS = "".join(
    f"{day:02}/01/2024, {12 + n // 60:02}:{n % 60:02} - {'Zoë Müller' if n % 2 else 'Bob'}: "
    + (
        "I live in Berlin now, near the “old” library"
        if (day, n) == (14, 30)
        else f"message {day}-{n} — the garden … 🌱"
    )
    + "\n"
    for day in (14, 15)
    for n in range(60)
)


@dataclass
class Home:
    """A memory with a daemon."""

    path: Path
    variables: dict[str, str]

    def ask(self, text: str, **more: Any) -> dict[str, Any]:
        """A question's answer."""
        client = Client(str(self.path / "s"))
        try:
            return client.call(QUERY, {"text": text, **more})
        finally:
            client.close()

    def run(self, *words: str) -> None:
        """A command that succeeds."""
        environment = environment_of(self.variables)
        processes.run(memd_command(*words), env=environment, check=True, capture_output=True, timeout=120)


@contextmanager
def served(exports: Mapping[str, str], *reading: str, **variables: str) -> Generator[Home]:
    """A daemon whose memory holds these exports.

    Args:
        exports: texts by their names.
        reading: flags of `memd ingest`.
        variables: of the environment of the daemon and of those who ask it.
    """
    with tempfile.TemporaryDirectory(prefix="memd-", dir="/tmp") as folder:
        path = Path(folder)
        (path / "config.toml").touch()
        (path / "exports").mkdir()
        for name, text in exports.items():
            (path / "exports" / name).write_text(text)
        variables |= {"MEMD_DATA_DIR": f"{path}/data", "MEMD_SOCKET": f"{path}/s", "MEMD_CONFIG": f"{path}/config.toml"}
        environment = environment_of(variables)
        with (path / "log").open("wb") as log:
            daemon = processes.Popen(memd_command("serve"), env=environment, stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + 60
            while not is_listening(str(path / "s")):
                assert daemon.poll() is None, (path / "log").read_text()
                assert time.monotonic() < deadline
                time.sleep(0.05)
            words = memd_command("ingest", str(path / "exports"), *reading)
            processes.run(
                words, env=environment, check=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=120
            )
            yield Home(path, variables)
        finally:
            daemon.terminate()
            daemon.wait(30)


@pytest.fixture(scope="session")
def home() -> Iterator[Home]:
    """A chat of two days and a long note, for the tests that only read."""
    exports = {"boat.md": NOTE, "WhatsApp Chat with Zoë Müller.txt": DOCUMENTS}
    with served(exports, "--me", "Bob", "--zone", "UTC", "--date-order", "dmy", TZ="Europe/Berlin") as found:
        yield found
