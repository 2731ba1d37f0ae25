"""Runs `memd` in this process with a trap set: SIGKILL at the n-th time a place in the code is reached, or soon after.

``python launcher.py '{"place": "store:COMMIT", "nth": 3, "delay": 0.002}' ingest chat.txt``. The places are functions
and SQL statements of the real command; nothing of memd knows of them. Without ``nth`` nothing dies and how often each
place was reached is written to ``counts`` as JSON. ``clock`` sets the wall clock of this process off by so many seconds.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import itertools
import json
import os
import resource
import signal
import sqlite3
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

FILES = {"journal.db": "journal", "journal.db.new": "journal", "memory.db": "store", "memory.db.format-1.new": "copy"}
VERBS = ("BEGIN", "COMMIT", "INSERT", "UPDATE", "DELETE", "VACUUM", "PRAGMA wal_checkpoint", "CREATE")

PLACES = (
    ("memory.index.tantivy_index", "TantivyIndex.update", "words:update"),
    ("memory.index.tantivy_index", "TantivyIndex.close", "words:close"),
    ("memory.index.tantivy_index", "TantivyIndex.discard", "words:discard"),
    ("memory.index.tantivy_text", "TantivyText._change_over", "words:change over"),
    ("memory.index.vector_codes", "VectorCodes._put", "vectors:put"),
    ("memory.index.vector_codes", "VectorCodes._write_head", "vectors:head"),
    ("memory.index.vector_codes", "VectorCodes.save", "vectors:save"),
    ("memory.index.vector_codes", "VectorCodes.move", "vectors:move"),
    ("memory.store.forget_rows", "forget", "forget:begin"),
    ("memory.store.forget_rows", "clean", "forget:clean"),
    ("memory.store.database", "Database._try_compact", "forget:compact"),
    ("memory.store.migrations", "_copy", "migrate:copy"),
    ("daemon.journal.journal", "Journal.replace", "forget:journal"),
    ("daemon.journal.journal", "Journal.purge", "forget:purge"),
    ("daemon.backup.blocks", "BlockStore.put", "backup:put"),
    ("daemon.backup.repository", "BackupRepository.add", "backup:add"),
    ("daemon.backup.repository", "BackupRepository.sweep", "backup:sweep"),
    ("daemon.backup.restore", "_restore", "restore:file"),
    ("daemon.backup.restore", "_put_in_place", "restore:put in place"),
)
"""What works on files that are not SQLite's, or decides when SQLite's are written: module, name, and our name for it."""


class Trap:
    """Counts how often places are reached, and kills at the chosen one."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._place: str = order.get("place", "")
        self._nth: int = order.get("nth", 0)
        self._delay: float = order.get("delay", 0.0)
        self._reached: Counter[str] = Counter()
        self._guard = threading.Lock()
        self._fuse = _fuse() if self._nth and self._delay else -1
        if "counts" in order:
            atexit.register(self._tell, order["counts"])

    def reached(self, place: str) -> None:
        """Die here if it is time."""
        with self._guard:
            self._reached[place] += 1
            if place != self._place or self._reached[place] != self._nth:
                return
        if self._fuse < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        os.write(self._fuse, f"{self._delay}\n".encode())

    def at(self, owner: Any, name: str, place: str) -> None:
        """Make a function or method one of the places: reached when it is called."""
        original: Callable[..., Any] = getattr(owner, name)

        @functools.wraps(original)
        def trapped(*arguments: Any, **named: Any) -> Any:
            self.reached(place)
            return original(*arguments, **named)

        setattr(owner, name, trapped)

    def _tell(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self._reached, file)


def _fuse() -> int:
    """A pipe to a process that kills this one, so many seconds after it is told how many: no lock here holds it up."""
    target = os.getpid()
    reading, writing = os.pipe()
    if os.fork():
        os.close(reading)
        return writing
    os.close(writing)
    for descriptor in (0, 1, 2):
        os.close(descriptor)  # whoever waits for the end of our output must not wait for this process
    told = os.read(reading, 32)
    if told and os.getppid() == target:
        time.sleep(float(told))
        if os.getppid() == target:
            os.kill(target, signal.SIGKILL)
    os._exit(0)


def trap_sql(trap: Trap) -> None:
    """Each statement of the journal and the store is a place: ``store:COMMIT``, ``journal:INSERT``."""
    original = sqlite3.connect

    def connect(database: Any, *arguments: Any, **named: Any) -> sqlite3.Connection:
        connection = original(database, *arguments, **named)
        file = str(database).rpartition("/")[2].partition("?")[0]
        name = FILES.get(file, "other")

        def told(statement: str) -> None:
            for verb in VERBS:
                if statement.startswith(verb):
                    trap.reached(f"{name}:{verb}")
                    return

        connection.set_trace_callback(told)
        return connection

    sqlite3.connect = connect


def trap_code(trap: Trap) -> None:
    """The system calls that decide what is on the disk, and what works on files that are not SQLite's."""
    for name in ("replace", "rename", "fsync", "unlink", "pwrite"):
        trap.at(os, name, f"os:{name}")
    for module, dotted, place in PLACES:
        owner: Any = importlib.import_module(f"memd.{module}")
        *path, name = dotted.split(".")
        for part in path:
            owner = getattr(owner, part)
        trap.at(owner, name, place)


def set_clock(seconds: float, after: int) -> None:
    """The wall clock of this process is so many seconds off, once it was read so many times."""
    import datetime as dt

    now, now_ns = time.time, time.time_ns
    reads = itertools.count()

    def shift() -> float:
        return seconds if next(reads) >= after else 0.0

    time.time = lambda: now() + shift()
    time.time_ns = lambda: now_ns() + int(shift() * 1e9)
    real = dt.datetime

    class Shifted(real):
        """The same, as datetime tells it."""

        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Shifted:
            return cls.fromtimestamp(time.time(), tz)

    dt.datetime = Shifted


def drop_powers() -> None:
    """Root without its powers is held by the modes of files, like everybody."""
    import ctypes

    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    data = (ctypes.c_uint32 * 6)()  # nothing effective, permitted or inheritable
    if ctypes.CDLL(None, use_errno=True).capset(header, data):
        raise OSError(ctypes.get_errno(), "capset")


def run(order: dict[str, Any], words: list[str]) -> int:
    """Set the trap, be memd."""
    if order.get("clock"):
        set_clock(order["clock"], order.get("clock_after", 0))
    trap = Trap(order)
    if order.get("place") or "counts" in order:
        trap_sql(trap)
        trap_code(trap)
    if order.get("file_size"):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["file_size"], order["file_size"]))
    if order.get("powerless"):
        drop_powers()
    sys.argv = ["memd", *words]
    from memd.daemon.cli import main as memd

    return memd(words)


if __name__ == "__main__":
    sys.exit(run(json.loads(sys.argv[1]), sys.argv[2:]))
