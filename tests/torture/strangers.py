"""Nobody else plays by our rules: other processes, occupied sockets, stale locks, folders that may not be written, clocks."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from memd.daemon.client import is_listening
from memd.tests.torture.home import Broken, Chat, Home, kept_when_broken, said_plainly, until

YEAR = 365 * 86_400.0
READING = (("query", "garden"), ("stats",), ("documents",), ("export",), ("status",), ("doctor", "--json"))


class Strangers:
    """Cases, each in a memory of its own."""

    def __init__(self, root: Path, size: int = 200) -> None:
        self._root = root
        self._chat = Chat("Long", size)
        self._beside = Chat("Side", 60, seed=3)
        self._source = self._chat.export(root / "sources")
        self._other_source = self._beside.export(root / "sources")
        self._template = Home(root / "template")
        self._template.json("ingest", str(self._source), "--zone", "UTC")
        self._both = self._chat.texts() + self._beside.texts()
        self._words = ("ingest", str(self._other_source), "--zone", "UTC", "--json")

    def cases(self, *, mounts: bool = False) -> dict[str, Callable[[Home], None]]:
        """By name; those that mount need a namespace of our own."""
        if mounts:
            return {"a read-only mount": self.read_only_mount}
        return {
            "two ingests at once": self.two_ingests,
            "ingests beside a daemon": self.beside_a_daemon,
            "locks of the dead": self.stale_lock,
            "an occupied socket": self.occupied_socket,
            "a read-only folder": self.read_only_folder,
            "a clock set back between runs": self.clock_between_runs,
            "a clock set back in a run": self.clock_in_a_run,
        }

    def run(self, name: str, case: Callable[[Home], None]) -> str:
        """One case."""
        with kept_when_broken(name, self._root / name.replace(" ", "-")) as folder:
            case(self._template.clone(folder))
        return name

    def two_ingests(self, home: Home) -> None:
        """Both come to their end, in one way or the other; a third of the same adds nothing."""
        for same in (False, True):
            first = home.start(*self._words)
            second = home.start(*(self._words if same else ("ingest", str(self._source), "--zone", "UTC", "--json")))
            for process in (first, second):
                out, err = (part.decode() for part in process.communicate(timeout=120))
                said_plainly(self._words, process.returncode or 0, out, err, (0, 5))
        if home.json(*self._words[:-1])["added"]:
            raise Broken("an ingest that ended well left something out")
        home.must_hold(self._both)

    def beside_a_daemon(self, home: Home) -> None:
        """Through the daemon, while another owner is refused."""
        with _served(home):
            both = [home.start(*self._words), home.start("ingest", str(self._source), "--zone", "UTC", "--json")]
            for process in both:
                out, err = (part.decode() for part in process.communicate(timeout=120))
                said_plainly(self._words, process.returncode or 0, out, err, (0,))
            home.run("serve", codes=(5,))
            home.run("--socket", str(home.root / "another"), "serve", codes=(5,))
            home.doctor()
        home.must_hold(self._both)

    def stale_lock(self, home: Home) -> None:
        """A lock is held by a process, not by what stands in its file."""
        lock = next(path for path in home.data.iterdir() if "lock" in path.name)
        stale = (b"", b"nonsense", b"[]", b"{}", b"\xff\xfe", b"7" * 100_000)
        alive = [{"pid": pid, "socket": str(home.root / "gone")} for pid in (os.getpid(), 1, 2**40, -1, "x")]
        for text in (*stale, *(json.dumps(each).encode() for each in alive)):
            lock.write_bytes(text)
            home.run("query", "garden")
            lock.write_bytes(text)
            home.run("stats")
        home.json(*self._words[:-1])
        home.must_hold(self._both)

    def occupied_socket(self, home: Home) -> None:
        """A file or a folder in its place is told of and left alone; the socket of a dead process is replaced."""
        for occupy in (lambda: home.socket.write_text("mine"), home.socket.mkdir):
            occupy()
            home.run("serve", codes=(2,))
            home.run("query", "garden", codes=(0, 2))
            home.run(*self._words, codes=(0, 2))
            if home.socket.is_dir():
                home.socket.rmdir()
            elif home.socket.read_text() != "mine":
                raise Broken("somebody else's file was changed")
            else:
                home.socket.unlink()
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(home.socket))
        home.run(*self._words)
        with _served(home):
            home.run("query", "garden")
        home.must_hold(self._both)

    def read_only_folder(self, home: Home) -> None:
        """Nothing may be written: what needs to write says so, nothing is harmed."""
        everything = [home.data, *home.data.rglob("*")]
        for path in everything:
            path.chmod(0o500 if path.is_dir() else 0o400)
        try:
            self._asked(home, {"powerless": True})
        finally:
            for path in everything:
                if path.exists():
                    path.chmod(0o700 if path.is_dir() else 0o600)
        home.must_hold(self._chat.texts())

    def read_only_mount(self, home: Home) -> None:
        """The same, where the file system is read-only."""
        from memd.tests.torture.disk import mount_read_only, unmount

        mount_read_only(home)
        try:
            self._asked(home, {})
        finally:
            unmount(home.data)
        home.must_hold(self._chat.texts())

    def _asked(self, home: Home, order: dict[str, Any]) -> None:
        for words in (*READING, self._words, ("forget", "--speaker", "Bob Tan", "--yes"), ("reindex",)):
            code, out, err = home.run(*words, order=order, codes=(0, 6))
            if code and not (out + err).strip():
                raise Broken(f"not a word of why: {words}")
        home.run("backup", str(home.root / "vault"), order=order, codes=(0, 6))

    def clock_between_runs(self, home: Home) -> None:
        """Ten years ahead, then back: ages are not negative, the newest backup is the one made last, nothing is lost."""
        ahead = {"clock": 10 * YEAR}
        vault = str(home.root / "vault")
        home.run("backup", vault, order=ahead)
        trap = {"place": "store:UPDATE", "nth": 1}
        home.start(*self._words, order=ahead | trap).communicate(timeout=120)
        with _served(home):
            _no_negative(home.json("status"))
        home.run(*self._words)
        _no_negative(home.json("status"))
        home.run("stats", order={"clock": -30 * YEAR})
        home.run(*self._words, order={"clock": -30 * YEAR})
        home.run("backup", vault)
        elsewhere = Home(home.root / "elsewhere")
        elsewhere.run("restore", vault)
        elsewhere.must_hold(self._both)
        home.must_hold(self._both)

    def clock_in_a_run(self, home: Home) -> None:
        """Set back by a day while an ingest and a daemon run."""
        for after in (3, 20):
            home.run(*self._words, order={"clock": -86_400.0, "clock_after": after})
            home.run("ingest", str(self._source), "--zone", "UTC", order={"clock": -86_400.0, "clock_after": after})
        with _served(home, {"clock": -86_400.0, "clock_after": 10}):
            home.run(*self._words)
            _no_negative(home.json("status"))
            _no_negative(home.json("stats"))
        home.must_hold(self._both)


@contextmanager
def _served(home: Home, order: dict[str, Any] | None = None) -> Generator[None]:
    """A daemon as long as the block lasts, ended as one ends a daemon."""
    process = home.start("serve", order=order)
    try:
        until(lambda: process.poll() is not None or is_listening(str(home.socket)))
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        out, err = (part.decode(errors="replace") for part in process.communicate(timeout=60))
    said_plainly(("serve",), process.returncode or 0, out, err, (0,))


def _no_negative(value: object, path: str = "") -> None:
    """No number in a status is below zero, and no run ends before it began by the clock that told both."""
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, object]", value).items():
            _no_negative(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            _no_negative(inner, path)
    elif isinstance(value, int | float) and value < 0:
        raise Broken(f"{path} is {value} at {time.time()}")
