"""A memory of its own for one round of torture: its sources, the real command on it, and what must hold at the end."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memd.tests import processes
from memd.tests.command import COMMAND, MODULE_COMMAND
from memd.tests.memory.store.searches import search_words

LAUNCHER = Path(__file__).with_name("launcher.py")
WORDS = ("garden", "bicycle", "dentist", "Lisbon", "piano", "basil", "train", "birthday", "lake", "office")
SPEAKERS = ("Ann Berg", "Bob Tan", "Cleo Park")
CODES = frozenset({0, 1, 2, 3, 4, 5, 6, 7, 130})


class Broken(AssertionError):  # noqa: N818 - what it says is that a promise was
    """A promise of memd that was broken."""


@dataclass(frozen=True)
class Chat:
    """A chat whose messages are all unlike each other; ``export`` writes any stretch of it as an Android export."""

    name: str
    count: int
    seed: int = 0

    def text(self, number: int) -> str:
        """Return the text of a message, which has a word that no other message has."""
        word = WORDS[(number + self.seed) % len(WORDS)]
        return f"the {word} of day {number} is {self.marker(number)}"

    def marker(self, number: int) -> str:
        """Return the word that only this message has."""
        return f"{self.name.lower()}mark{number}x{(number * 7919 + self.seed) % 9973}"

    def speaker(self, number: int) -> str:
        """Return the author of a message."""
        return SPEAKERS[number % 3]

    def texts(self, begin: int = 0, end: int | None = None) -> list[str]:
        """The messages of a stretch."""
        return [self.text(number) for number in range(begin, self.count if end is None else end)]

    def export(self, folder: Path, begin: int = 0, end: int | None = None) -> Path:
        """An export of a stretch."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"WhatsApp Chat with {self.name}.txt"
        moment = datetime(2024, 1, 13, 8, 0, tzinfo=UTC)
        lines = [
            f"{moment + timedelta(seconds=97 * number):%d/%m/%Y, %H:%M} - {self.speaker(number)}: {self.text(number)}\n"
            for number in range(begin, self.count if end is None else end)
        ]
        path.write_text("".join(lines), encoding="utf-8")
        return path

    def documents(self, begin: int = 0, end: int | None = None, size: int = 5) -> list[bytes]:
        """A stretch as JSON lines for the socket, some messages a document."""
        lines: list[bytes] = []
        last = self.count if end is None else end
        for first in range(begin, last, size):
            messages = [
                {
                    "speaker": self.speaker(number),
                    "content": self.text(number),
                    "time": (datetime(2024, 1, 13, 8, 0, tzinfo=UTC) + timedelta(seconds=97 * number)).isoformat(),
                }
                for number in range(first, min(first + size, last))
            ]
            conversation = {
                "source": "torture", "people": list(SPEAKERS), "user": "Ann Berg", "conversation": messages
            }  # fmt: skip
            lines.append(json.dumps({"id": f"{self.name}:{first}", "conversation": conversation}).encode())
        return lines


class Command(processes.Popen):
    """A command that writes into files, so that it never waits for somebody to read."""

    def __init__(self, args: Sequence[str], **options: Any) -> None:
        self._outputs = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115 - `communicate` closes them
        out, err = self._outputs
        super().__init__(args, stdin=subprocess.DEVNULL, stdout=out, stderr=err, **options)

    def communicate(self, input: bytes | None = None, timeout: float | None = None) -> tuple[bytes, bytes]:  # noqa: A002 - its name in subprocess
        """Wait for the end of the command, and return its output and its errors.

        Raises:
            subprocess.TimeoutExpired: the command still runs.
        """
        assert input is None
        self.wait(timeout)
        written: list[bytes] = []
        for file in self._outputs:
            with file:
                file.seek(0)
                written.append(file.read())
        return written[0], written[1]


@dataclass
class Home:
    """A data directory with its configuration and socket."""

    root: Path
    vectors: bool = False
    extra: str = ""
    """Further lines of the configuration."""

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        self.configure()

    def configure(self) -> None:
        """Write the configuration."""
        text = f"[embedding]\nenabled = {str(self.vectors).lower()}\nthreads = 1\n{self.extra}"
        (self.root / "config.toml").write_text(text, encoding="utf-8")

    @property
    def data(self) -> Path:
        """The data directory."""
        return self.root / "data"

    @property
    def socket(self) -> Path:
        """The socket of the process that owns the data directory."""
        return self.root / "s"

    @property
    def database(self) -> Path:
        """The database of the stored messages."""
        return self.data / "store" / "memory.db"

    @property
    def journal(self) -> Path:
        """The database of the documents that are not stored yet."""
        return self.data / "journal.db"

    def environment(self) -> dict[str, str]:
        """The environment of a command: the caller's, without the caller's settings of memd."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("MEMD_")},
            "MEMD_DATA_DIR": str(self.data),
            "MEMD_SOCKET": str(self.socket),
            "MEMD_CONFIG": str(self.root / "config.toml"),
            "TZ": "UTC",
        }

    def clone(self, root: Path) -> Home:
        """Copy the memory into another folder."""
        root.mkdir(parents=True, exist_ok=True)
        if self.data.exists():
            shutil.copytree(self.data, root / "data")
        return Home(root, self.vectors, self.extra)

    def start(self, *words: str, order: dict[str, Any] | None = None) -> Command:
        """Start a command, with a trap set in it by ``order``; see the launcher."""
        return Command([*launcher(order), json.dumps(order or {}), *words], env=self.environment(), cwd=self.root)

    def run(
        self, *words: str, codes: Sequence[int] = (0,), order: dict[str, Any] | None = None, seconds: float = 120
    ) -> tuple[int, str, str]:
        """Run a command to its end: it must end with one of these codes, in sentences and not in a traceback."""
        process = self.start(*words, order=order)
        try:
            out, err = (part.decode(errors="replace") for part in process.communicate(timeout=seconds))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Broken(f"memd {' '.join(words)} did not end in {seconds} s") from None
        code = process.returncode or 0
        said_plainly(words, code, out, err, codes)
        return code, out, err

    def json(self, *words: str, codes: Sequence[int] = (0,)) -> Any:
        """The object that a command prints."""
        _, out, err = self.run(*words, "--json", codes=codes)
        return json.loads(out or err)

    # --- what must hold -------------------------------------------------------------------------------------------

    def contents(self) -> list[str]:
        """The texts of all stored messages, read from the database."""
        return [row[0] for row in rows(self.database, "SELECT content FROM messages")]

    def acknowledged(self) -> set[str]:
        """The texts of all messages in the journal or the store: both are durable."""
        found: set[str] = set()
        for (body,) in rows(self.journal, "SELECT body FROM entries WHERE state = 'queued'"):
            found |= {message["content"] for message in json.loads(body)["conversation"]["conversation"]}
        return found | set(self.contents())

    def doctor(self, *flags: str, codes: Sequence[int] = (0,)) -> dict[str, Any]:
        """Run `memd doctor` and return its report; an exit code that is not in ``codes`` raises `Broken`."""
        return self.json("doctor", *flags, codes=codes)

    def must_hold(self, expected: Sequence[str]) -> None:
        """Check that the store has exactly these messages, doctor finds no fault, and each document is found."""
        have, want = Counter(self.contents()), Counter(expected)
        if have != want:
            lost, extra = want - have, have - want
            raise Broken(f"lost {lost.total()}, too many {extra.total()}: {[*lost][:2]} {[*extra][:2]}")
        self.doctor()
        self.must_find()

    def must_find(self) -> None:
        """Search one message of each document by the word that only it has: all in the index, one by the command."""
        statement = "SELECT min(content) FROM messages GROUP BY document ORDER BY document"
        markers = [row[0].rpartition(" ")[2] for row in rows(self.database, statement)]
        if not markers:
            return
        missing = missing_words(self.database.parent, markers)
        if missing:
            raise Broken(f"{len(missing)} of {len(markers)} documents are not found: {missing[:3]}")
        wanted = random.choice(markers)
        hits = self.json("query", wanted, "-k", "1")["hits"]
        if not hits or wanted not in json.dumps(hits):
            raise Broken(f"the query for {wanted} found something else")

    def must_not_hold(self, word: str) -> None:
        """Check that no file of the data directory has this word, as a text or an index spells it.

        Raises:
            Broken: a file has it, or there is no file to search.
        """
        files = [path for path in self.data.rglob("*") if path.is_file()]
        if not files:
            raise Broken(f"{self.data} has no files in which a forgotten word could be")
        for path in files:
            if word.encode().lower() in path.read_bytes().lower():
                raise Broken(f"{path.name} still holds what was forgotten")


def launcher(order: dict[str, Any] | None) -> list[str]:
    """The interpreter of the `memd` under test, and the launcher.

    A fresh interpreter runs an installed `memd`, and sets the clock: a forked one has read the module of times before.
    """
    if COMMAND != MODULE_COMMAND:
        return [str(Path(COMMAND[0]).parent / "python"), "-P", str(LAUNCHER)]
    if order and "clock" in order:
        return [sys.executable, "-P", str(LAUNCHER)]
    return [sys.executable, "-P", "-m", "memd.tests.torture.launcher"]


@contextmanager
def kept_when_broken(told: str, folder: Path) -> Generator[Path]:
    """Give a folder for one attempt; it is kept where a promise was broken, and the ``Broken`` says how to repeat it."""
    try:
        yield folder
    except (Broken, sqlite3.DatabaseError, KeyError) as error:
        raise Broken(f"{told}\n{error!r}\nkept in {folder}") from error
    shutil.rmtree(folder)


def said_plainly(words: Sequence[str], code: int, out: str, err: str, codes: Sequence[int]) -> None:
    """Check that the exit code is one of those expected and that the output has no traceback."""
    shown = f"memd {' '.join(words)}: exit {code}\n{out[-1500:]}\n{err[-3000:]}"
    if "Traceback" in err + out or "UNEXPECTED" in err + out:
        raise Broken(f"a traceback instead of a sentence: {shown}")
    if code not in codes:
        raise Broken(f"exit code {code} instead of {list(codes)}: {shown}")


def rows(path: Path, statement: str) -> list[tuple[Any, ...]]:
    """Return the rows of a database that no process has open.

    There are none where the database is missing, or its process was killed before the tables were made.

    A closed database in WAL mode cannot be opened read-only without making files beside it; so it is a plain opening.
    """
    if not path.exists():
        return []
    connection = sqlite3.connect(path, timeout=5)
    try:
        return connection.execute(statement).fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return []
        raise
    finally:
        connection.close()


def missing_words(folder: Path, markers: Sequence[str]) -> list[str]:
    """Return the words that the index of words does not find."""
    import anyio

    from memd.memory.indexing.indexed_store import open_store
    from memd.memory.search_types import Filter

    async def look() -> list[str]:
        async with open_store(folder, read_only=True) as store:
            return [word for word in markers if len(await search_words(store, "lexical", [word], Filter(), 3)) != 1]

    return anyio.run(look)


def until(condition: Any, seconds: float = 60) -> None:
    """Wait for a condition that depends on another process."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Broken("waited too long")
        time.sleep(0.02)
