"""The commands in README.md and in docs/*.md are run in their order, over one small memory, and print what stands there."""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memd.daemon.client import Client, is_listening
from memd.daemon.operations import STATUS
from memd.tests import processes
from memd.tests.command import memd_command

BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]*) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
COMMAND = re.compile(r"^(\$ )?((?:memd|curl|make|echo) .*)$")
CHAT = """\
1/15/24, 12:00 - Alice: Who brings the next book? Where do you live now?
1/15/24, 12:01 - Bob: I live in Berlin, near the library
1/15/24, 12:02 - Alice: Then we meet at your place
"""
UNLIKE = (
    (re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"), "ID"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "RUN"),
    (re.compile(r"\bin \d+(\.\d+)? (s|min)\b"), "in TIME"),
    (re.compile(r"\brecorded \d{4}-\d\d-\d\d \d\d:\d\d\b"), "recorded TIME"),
    (re.compile(r"\d+(\.\d+)? (B|kB|KB|KiB|MB|MiB|GB|GiB|bytes)\b"), "SIZE"),
    (re.compile(r"\bmemd \d+\.\d+\.\d+\S*"), "memd VERSION"),
)
"""What is another thing each time, and what stands for it."""


SHELL = re.compile(r"[|&;<>$*?`\\#~]")
"""What a shell makes something else of, inside quotes or not."""
MEMD = """
import sys
from memd.daemon.cli import main
sys.stdout.reconfigure(line_buffering=True)
sys.exit(main())
"""
"""The command, whose lines on both streams stay in their order."""


@dataclass
class Block:
    """A block of commands, each with the lines that it prints; None where the page shows only commands."""

    place: str
    reason: str
    commands: list[tuple[str, list[str] | None]] = field(default_factory=list[tuple[str, list[str] | None]])


def blocks_of(page: Path) -> list[Block]:
    """Every block with a command in it."""
    text = page.read_text(encoding="utf-8")
    found: list[Block] = []
    for match in BLOCK.finditer(text):
        if match["language"] not in ("", "sh", "console"):
            continue
        line = text.count("\n", 0, match.start("text"))
        block = Block(f"{page.name}:{line}", match["reason"] or "")
        for each in match["text"].splitlines():
            if command := COMMAND.match(each):
                block.commands.append((command[2], [] if command[1] else None))
            elif block.commands and (printed := block.commands[-1][1]) is not None:
                printed.append(each)
        if block.commands:
            found.append(block)
    return found


def pages_of(checkout: Path) -> list[Path]:
    """In the order in which they are read."""
    pages = [checkout / "README.md", checkout / "examples" / "README.md", *sorted(checkout.glob("docs/*.md"))]
    return [*pages, *sorted(checkout.glob("connectors/formats/*/*.md"))]


class Home:
    """A home with the example chats, a daemon, and a `memd` on the path."""

    def __init__(self, checkout: Path) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="memd-"))  # short, for the socket
        (self.path / "bin").mkdir()
        shim = self.path / "bin" / "memd"
        shim.write_text(f'#!/bin/sh\nPYTHONUNBUFFERED=1 exec {shlex.join(memd_command())} "$@"\n')
        shim.chmod(0o755)
        (self.path / "run").mkdir(mode=0o700)
        (self.path / "disk").mkdir()
        shutil.copytree(checkout / "examples", self.path / "examples")
        with zipfile.ZipFile(self.path / "whatsapp.zip", "w") as archive:
            archive.writestr("WhatsApp Chat with Book club.txt", CHAT)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMD_", "XDG_"))}
        self.environment = kept | {
            "HOME": str(self.path),
            "XDG_RUNTIME_DIR": str(self.path / "run"),
            "PATH": f"{self.path / 'bin'}:{os.environ['PATH']}",
            "TZ": "Europe/Berlin",
        }
        self.socket = self.path / "run" / "memd" / "memd.sock"
        log = (self.path / "daemon.log").open("wb")
        self.daemon = processes.Popen(
            memd_command("serve"), cwd=self.path, env=self.environment, stderr=log, stdout=log
        )
        log.close()
        deadline = time.monotonic() + 120
        while not is_listening(str(self.socket)):
            assert self.daemon.poll() is None, (self.path / "daemon.log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def run(self, command: str) -> tuple[int, str]:
        """A line of the shell: its exit code, and what it prints. A shell runs what is more than words for memd."""
        line = command.replace("/mnt/disk", str(self.path / "disk"))
        plain = line.startswith("memd ") and not SHELL.search(line)
        words = [sys.executable, "-P", "-c", MEMD, *shlex.split(line)[1:]] if plain else ["/bin/sh", "-c", line]
        done = processes.run(
            words,
            cwd=self.path,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )
        if "ingest" in command:
            self._settled()
        return done.returncode, done.stdout.decode()

    def _settled(self) -> None:
        """Wait until what was ingested is read for facts and has its vectors: pages show the state after that."""
        client = Client(str(self.socket))
        deadline = time.monotonic() + 120
        while (status := client.call(STATUS))["reading"]["unread"] or status["vectors"]["pending"]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        client.close()

    def end(self) -> None:
        """Stop the daemon, and leave nothing."""
        self.daemon.send_signal(signal.SIGTERM)
        self.daemon.wait(120)
        shutil.rmtree(self.path)


@pytest.fixture
def home(checkout: Path) -> Iterator[Home]:
    """One for all pages."""
    made = Home(checkout)
    yield made
    made.end()


def alike(lines: list[str]) -> list[str]:
    """Lines without what differs from run to run."""
    text = "\n".join(lines).strip("\n")
    for pattern, name in UNLIKE:
        text = pattern.sub(name, text)
    return [line.rstrip() for line in text.split("\n")]


def fits(expected: list[str], printed: list[str]) -> bool:
    """Whether these lines are those; a line of ``…`` stands for any number of them."""
    pattern = "".join(r"(?:.*\n)*?" if line == "…" else re.escape(line) + r"\n" for line in expected)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


@pytest.mark.slow
def test_the_pages_show_what_commands_print(checkout: Path, home: Home) -> None:
    """Commands with a prompt print what stands below them, others succeed."""
    wrong: list[str] = []
    for block in (each for page in pages_of(checkout) for each in blocks_of(page) if not each.reason):
        for command, expected in block.commands:
            if command.startswith("curl ") and shutil.which("curl") is None:
                continue
            code, text = home.run(command)
            printed = alike(text.splitlines())
            if code:
                wrong.append(f"{block.place}: {command}: exit code {code}\n{text}")
            elif expected is not None and not fits(alike(expected), printed):
                difference = difflib.unified_diff(alike(expected), printed, "the page", "the command", lineterm="")
                wrong.append(f"{block.place}: {command}\n" + "\n".join(difference))
    assert not wrong, "\n\n".join(wrong)


BLOCKS = [each for page in pages_of(Path(__file__).parent.parent) for each in blocks_of(page)]


def test_most_blocks_are_run() -> None:
    """Of those with commands in them."""
    assert len(BLOCKS) > 2 * sum(bool(each.reason) for each in BLOCKS) > 0


@pytest.mark.parametrize("block", [each for each in BLOCKS if each.reason], ids=lambda block: block.place)
def test_what_is_not_run_says_why(block: Block) -> None:
    """Each counts as skipped, for the reason in the comment above it."""
    pytest.skip(f"{block.place} is not run: {block.reason}")
