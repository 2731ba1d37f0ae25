"""A real `memd serve` under load: questions at a fixed rate, documents coming in, and 200 readers of progress, half of which never read.

    python bench/load.py                   an hour at 10 questions/s, its last minute at 100/s
    python bench/load.py --seconds 30 --json

Questions are sent at the moments of a schedule, whether or not earlier ones have been answered, and each is timed from its
moment of the schedule: a daemon that stalls is charged for every question that had to wait (no coordinated omission). The
rate that was reached and how late questions were sent stand beside the times. Questions that were not sent `GRACE_SECONDS`
after the end of a phase are counted as unsent and enter the percentiles with the time that they waited until then.

The exit code is 1 if there was an error or memory was not flat: in the phase of 10/s the median of the resident memory in
the last quarter may exceed that in the second quarter by `FLAT_MB` or `FLAT_SHARE`, whichever is more, and by
`BYTES_A_MESSAGE` for each message that came in between.
"""

from __future__ import annotations

import argparse
import json
import math
import selectors
import socket
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
from chats import messages, write_export
from machine import description
from query import QUESTIONS
from serving import Daemon, Home
from timing import memory_mb, middle

from memd.daemon.client import Client, DaemonError, DaemonGoneError, DaemonTimeoutError
from memd.daemon.operations import PROGRESS, QUERY

RATE, BURST_RATE = 10.0, 100.0
BURST_SECONDS = 60.0
ASKING = 48
"""The number of connections that ask: so many questions can be under way."""
READERS = 200
"""The number of readers of progress; every second one never reads."""
GRACE_SECONDS = 10.0
END_SECONDS = 120.0
"""The longest wait for the last word of the last run to arrive at the readers."""
FLAT_MB, FLAT_SHARE = 64.0, 0.15
"""The allocator keeps 30 to 50 MB more whenever more batches than before were embedded at once; after some minutes that ends."""
BYTES_A_MESSAGE = 4096
"""The memory that a stored message may cost: its vector takes 1.5 kB, its entries in caches of indexes some more."""
SAMPLE_SECONDS = 0.25
MB = 1024 * 1024


@dataclass
class Errors:
    """The failures, counted by kind."""

    count: Counter[str] = field(default_factory=Counter[str])

    @contextmanager
    def counted(self, where: str) -> Generator[None]:
        """Count an error of the block instead of raising it."""
        try:
            yield
        except DaemonError as error:
            self.count[f"{where}: {error.code}"] += 1
        except (DaemonGoneError, DaemonTimeoutError, OSError) as error:
            self.count[f"{where}: {type(error).__name__}"] += 1


@dataclass
class Phase:
    """Questions at one rate: seconds from the schedule to the answer, and from the schedule to the sending."""

    rate: float
    seconds: float
    took: list[float] = field(default_factory=list[float])
    late: list[float] = field(default_factory=list[float])
    unsent: int = 0
    ended_after: float = 0.0

    def to_wire(self) -> dict[str, Any]:
        """Return the row of the report."""
        answered = len(self.took) - self.unsent
        return {
            "asked_per_s": self.rate,
            "reached_per_s": round(answered / max(self.seconds, self.ended_after), 2),
            "answered": answered,
            "unsent": self.unsent,
            "p50_ms": percentile(self.took, 0.5),
            "p95_ms": percentile(self.took, 0.95),
            "p99_ms": percentile(self.took, 0.99),
            "late_p95_ms": percentile(self.late, 0.95),
        }


def percentile(seconds: Sequence[float], share: float) -> float | None:
    """Return a percentile in milliseconds."""
    ordered = sorted(seconds)
    return round(ordered[max(0, math.ceil(len(ordered) * share) - 1)] * 1000, 1) if ordered else None


def ask_on_schedule(path: str, phase: Phase, errors: Errors) -> None:
    """Ask at the phase's rate until its time is over."""
    lock, taken = threading.Lock(), 0
    count = int(phase.rate * phase.seconds)
    began = time.perf_counter()

    def ask() -> None:
        nonlocal taken
        client = Client(path)
        while True:
            with lock:
                number, taken = taken, taken + 1
            due = began + number / phase.rate
            now = time.perf_counter()
            if number >= count:
                break
            if now > began + phase.seconds + GRACE_SECONDS:
                with lock:
                    phase.unsent += 1
                    phase.took.append(now - due)
                continue
            time.sleep(max(0.0, due - now))
            sent = time.perf_counter()
            with errors.counted("query"):
                client.call(QUERY, {"text": QUESTIONS[number % len(QUESTIONS)]})
                answered = time.perf_counter()
                with lock:
                    phase.took.append(answered - due)
                    phase.late.append(sent - due)
                    phase.ended_after = max(phase.ended_after, answered - began)
        client.close()

    asking = [threading.Thread(target=ask) for _ in range(ASKING)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()


class Background(ABC):
    """A thread that works until the block ends."""

    def __init__(self) -> None:
        self.ended = threading.Event()

    @abstractmethod
    def work(self) -> None:
        """Work until ``ended``."""

    @contextmanager
    def running(self) -> Generator[None]:
        """Work beside the block."""
        thread = threading.Thread(target=self.work)
        thread.start()
        try:
            yield
        finally:
            self.ended.set()
            thread.join()


class Ingestion(Background):
    """Documents of `batch` new messages, sent on a schedule; each is a run."""

    batch = 20

    def __init__(self, path: str, rate: float, errors: Errors) -> None:
        super().__init__()
        self._client = Client(path)
        self._pause = self.batch / rate
        self._errors = errors
        self.sent = 0
        self.last_run = ""

    def work(self) -> None:
        """Send until the end."""
        began, number = time.perf_counter(), 0
        while not self.ended.wait(max(0.0, began + number * self._pause - time.perf_counter())):
            with self._errors.counted("ingest"):
                for answer in self._client.send_documents([self._document(number)], {"source": "load"}):
                    self.sent += answer.accepted
                    self.last_run = answer.run
            number += 1

    def _document(self, number: int) -> bytes:
        start = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=number)
        said = list(messages(self.batch, seed=1_000_000 + number))
        conversation = {
            "source": "load",
            "people": sorted({speaker for _, speaker, _ in said} | {"Alice Berg"}),
            "user": "Alice Berg",
            "conversation": [
                {"speaker": speaker, "content": text, "time": (start + timedelta(minutes=minute)).isoformat()}
                for minute, (_, speaker, text) in enumerate(said)
            ],
        }
        return orjson.dumps({"id": f"load:{number}", "conversation": conversation}) + b"\n"


class Readers(Background):
    """Streams of progress, all open; every second one is read."""

    def __init__(self, path: str, count: int, errors: Errors) -> None:
        super().__init__()
        self._errors = errors
        self._connections = [self._open(path) for _ in range(count)]
        self._seen: dict[int, bytes] = {}
        """The end of what each reader has read: long enough to hold a last word across two pieces."""
        self._finished: dict[str, set[int]] = {}
        """The readers that heard the last word, by the run that is awaited."""
        self.awaited = ""
        self.bytes = 0

    @property
    def reading(self) -> int:
        """Return the number of those that read."""
        return len(self._connections[::2])

    @property
    def finished(self) -> int:
        """Return the number of those that know how the awaited run ended."""
        return len(self._finished.get(self.awaited, ()))

    def work(self) -> None:
        """Read until the end."""
        with selectors.DefaultSelector() as selector:
            for number, connection in enumerate(self._connections[::2]):
                selector.register(connection, selectors.EVENT_READ, number)
            while not self.ended.is_set():
                for key, _ in selector.select(0.2):
                    self._read(selector, key)
        for connection in self._connections:
            connection.close()

    def _read(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        connection, number = key.fileobj, int(key.data)
        assert isinstance(connection, socket.socket)
        piece = b""
        with self._errors.counted("progress"):
            piece = connection.recv(65536)
            if not piece:
                raise OSError("the stream ended")
        if not piece:
            selector.unregister(connection)
            return
        self.bytes += len(piece)
        text = self._seen.get(number, b"") + piece
        *events, rest = text.split(b"\n\n")
        self._seen[number] = rest
        for event in events:
            if b'"outcome"' in event:
                run = orjson.loads(event.partition(b"data: ")[2].partition(b"\n")[0])["run"]
                self._finished.setdefault(run, set()).add(number)
                if len(self._finished) > 1000:
                    del self._finished[next(iter(self._finished))]

    @staticmethod
    def _open(path: str) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(60)
        connection.connect(path)
        connection.sendall(f"GET {PROGRESS.path} HTTP/1.1\r\nHost: memd\r\n\r\n".encode())
        if not connection.recv(12).endswith(b"200"):
            sys.exit("the daemon does not let so many follow its progress")
        return connection


class Memory(Background):
    """The resident memory of a process, several times a second, with the messages that had come in by then."""

    def __init__(self, pid: int, sent: Callable[[], int]) -> None:
        super().__init__()
        self._pid = pid
        self._sent = sent
        self._began = time.perf_counter()
        self.samples: list[tuple[float, float, int]] = []
        """The samples: seconds, MB, messages."""

    def work(self) -> None:
        """Look until the end."""
        while not self.ended.wait(SAMPLE_SECONDS):
            sample = time.perf_counter() - self._began, memory_mb(self._pid, "VmRSS"), self._sent()
            self.samples.append(sample)

    def judged(self, until: float) -> dict[str, Any]:
        """Return the figures until so many seconds, and whether memory was flat by the rule above."""
        steady = [sample for sample in self.samples if sample[0] <= until]
        early, late = steady[len(steady) // 4 : len(steady) // 2], steady[-(len(steady) // 4) :]
        before, after = middle([mb for _, mb, _ in early]), middle([mb for _, mb, _ in late])
        allowed = max(FLAT_MB, before * FLAT_SHARE) + (late[-1][2] - early[0][2]) * BYTES_A_MESSAGE / MB
        return {
            "start_mb": round(self.samples[0][1], 1),
            "second_quarter_mb": round(before, 1),
            "last_quarter_mb": round(after, 1),
            "max_mb": round(max(mb for _, mb, _ in self.samples), 1),
            "end_mb": round(self.samples[-1][1], 1),
            "slope_mb_per_min": round(_slope(early + late) * 60, 2),
            "allowed_growth_mb": round(allowed, 1),
            "flat": after - before <= allowed,
        }


def _slope(samples: Sequence[tuple[float, float, int]]) -> float:
    """Return MB a second, by least squares."""
    seconds, mb = [each[0] for each in samples], [each[1] for each in samples]
    mean_s, mean_mb = sum(seconds) / len(seconds), sum(mb) / len(mb)
    spread = sum((each - mean_s) ** 2 for each in seconds)
    return sum((s - mean_s) * (m - mean_mb) for s, m in zip(seconds, mb, strict=True)) / spread if spread else 0.0


def measured(daemon: Daemon, path: str, seconds: float, ingest_rate: float, readers: int) -> dict[str, Any]:
    """Put the whole load on a daemon that is ready; return the figures."""
    errors = Errors()
    burst_s = min(BURST_SECONDS, seconds / 3)
    steady, burst = Phase(RATE, seconds - burst_s), Phase(BURST_RATE, burst_s)
    for question in QUESTIONS:
        daemon.ask(question)
    following = Readers(path, readers, errors)
    ingestion = Ingestion(path, ingest_rate, errors)
    memory = Memory(daemon.pid, lambda: ingestion.sent)
    with following.running(), memory.running():
        with ingestion.running():
            ask_on_schedule(path, steady, errors)
            until = memory.samples[-1][0]
            ask_on_schedule(path, burst, errors)
        following.awaited = ingestion.last_run
        deadline = time.perf_counter() + END_SECONDS
        while following.finished < following.reading and time.perf_counter() < deadline:
            time.sleep(0.1)
        daemon.wait_idle()
    if missing := following.reading - following.finished:
        errors.count["progress: no last word"] += missing
    return {
        "seconds": seconds,
        "steady": steady.to_wire(),
        "burst": burst.to_wire(),
        "ingested_messages": ingestion.sent,
        "readers": {"open": readers, "reading": following.reading, "bytes": following.bytes},
        "memory": memory.judged(until),
        "errors": dict(errors.count),
        "machine": description(),
    }


def table(found: dict[str, Any]) -> str:
    """Return the table for people."""
    names = list(found["steady"])
    rows = [["phase", *names], *([name, *map(str, found[name].values())] for name in ("steady", "burst"))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    lines.append("memory   " + ", ".join(f"{name} {value}" for name, value in found["memory"].items()))
    lines.append(f"messages {found['ingested_messages']} came in; readers {found['readers']}")
    lines.append(f"errors   {found['errors'] or 'none'}")
    return "\n".join([*lines, found["machine"]])


def main() -> int:
    """Prepare a store, run the load, print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3600.0, help="of load; the last minute, or third, at 100/s")
    parser.add_argument("--messages", type=int, default=5000, help="that are stored before")
    parser.add_argument("--ingest-rate", type=float, default=10.0, metavar="N", help="messages a second that come in")
    parser.add_argument("--readers", type=int, default=READERS, help="of progress, half of which never read")
    parser.add_argument(
        "--json", action="store_true", help="one JSON object on standard output, the table on standard error"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memd-load-", dir="/tmp") as folder:
        home = Home(Path(folder))
        home.ingest(write_export(home.folder / "WhatsApp Chat with Group.txt", arguments.messages))
        with home.daemon() as daemon:
            found = measured(daemon, str(home.socket), arguments.seconds, arguments.ingest_rate, arguments.readers)
    if arguments.json:
        print(json.dumps(found))
    print(table(found), file=sys.stderr if arguments.json else sys.stdout)
    return 1 if found["errors"] or not found["memory"]["flat"] else 0


if __name__ == "__main__":
    sys.exit(main())
