"""Killed with SIGKILL, at places in the code and at random times: what each command promises must hold afterwards.

A scenario prepares a memory, says which command is killed in it, and checks what must hold. Where it can be killed is
found out by one run that counts how often each place is reached.
"""

# ruff: noqa: ARG002 - scenarios have one shape, and not each needs all of it

from __future__ import annotations

import json
import random
import shutil
import signal
import sqlite3
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from memd.daemon.client import Client, DaemonError, DaemonGoneError, DaemonTimeoutError, is_listening
from memd.daemon.operations import STATUS
from memd.tests.memory.store.older_formats import FORMAT_1
from memd.tests.torture.home import Broken, Chat, Home, kept_when_broken, rows, said_plainly, until


class Scenario(ABC):
    """One way to be killed. Made once for a run of torture: what is costly is prepared once and copied."""

    name: ClassVar[str]
    vectors: ClassVar[bool] = False
    share: ClassVar[int] = 2
    """How often it is chosen, beside the others."""

    def __init__(self, root: Path, size: int) -> None:
        self.root = root / self.name
        self.chat = Chat("Long", size)
        self.other = Chat("Side", 12, seed=3)
        self.sources = self.root / "sources"
        self.template = Home(self.root / "template", self.vectors)
        self.places: dict[str, int] = {}
        self.seconds = 1.0
        self.prepare()
        self._count()

    @abstractmethod
    def prepare(self) -> None:
        """Fill the template."""

    @abstractmethod
    def words(self, home: Home) -> Sequence[str]:
        """The command that is killed."""

    @abstractmethod
    def afterwards(self, home: Home, chance: random.Random) -> None:
        """Check what must hold."""

    def strike(
        self, home: Home, order: dict[str, Any], after: float | None = None, codes: Sequence[int] = (0,)
    ) -> bool:
        """Run the command with a trap set, or kill it after some seconds; whether it died of that."""
        process = home.start(*self.words(home), order=order)
        if after is not None:
            time.sleep(after)
            process.send_signal(signal.SIGKILL)
        out, err = (part.decode(errors="replace") for part in process.communicate(timeout=180))
        code = process.returncode or 0
        if code != -signal.SIGKILL:
            said_plainly(self.words(home), code, out, err, codes)
        return code == -signal.SIGKILL

    def _count(self) -> None:
        """How often each place is reached."""
        home = self.template.clone(self.root / "counting")
        counts = self.root / "counts.json"
        began = time.monotonic()
        if self.strike(home, {"counts": str(counts)}):
            raise Broken("killed by nobody")
        self.seconds = time.monotonic() - began
        self.places = json.loads(counts.read_text(encoding="utf-8"))

    def order(self, chance: random.Random) -> tuple[str, dict[str, Any], float | None]:
        """Where to kill: three times in four at a place, at once or within 20 ms of it; else at any time."""
        if chance.random() < 0.25:
            return "any time", {}, chance.uniform(0.05, self.seconds * 1.1)
        place = chance.choice(sorted(self.places))
        order: dict[str, Any] = {"place": place, "nth": chance.randint(1, self.places[place])}
        if chance.random() < 0.6:
            order["delay"] = round(chance.choice([0.0002, 0.002, 0.02]) * chance.random(), 6)
        return place, order, None

    def ingest(self, home: Home, path: Path, *flags: str) -> dict[str, Any]:
        """Ingest a source to its end."""
        done: dict[str, Any] = home.json("ingest", str(path), "--zone", "UTC", *flags)
        if (done["outcome"], done["failed"]) != ("ok", 0):
            raise Broken(f"ingest ended so: {done}")
        return done


class Ingest(Scenario):
    """A first ingest is killed; what was acknowledged survives by itself, the rest with the next ingest."""

    name = "ingest"
    share = 4

    def prepare(self) -> None:
        """An export, and nothing stored."""
        self.source = self.chat.export(self.sources / "all")
        self.beside = self.other.export(self.sources / "beside")

    def words(self, home: Home) -> Sequence[str]:
        """Ingest."""
        return ("ingest", str(self.source), "--zone", "UTC", "--json")

    def afterwards(self, home: Home, chance: random.Random) -> None:
        """What the journal holds is stored by the next owner, whatever it came for."""
        expected = self.chat.texts()
        acknowledged = home.acknowledged()
        if chance.random() < 0.3:
            home.doctor()
        if chance.random() < 0.5:
            self.ingest(home, self.beside)
            expected += self.other.texts()
            if lost := acknowledged - set(home.contents()):
                raise Broken(f"{len(lost)} acknowledged messages were lost")
        self.ingest(home, self.source)
        home.must_hold(expected)
        if self.vectors and rows(home.database, "SELECT 1 FROM pending"):
            raise Broken("a text waits for its vector")


class IngestWithVectors(Ingest):
    """The same while vectors are made: every text has its vector in the end."""

    name = "ingest with vectors"
    vectors = True
    share = 1

    def __init__(self, root: Path, size: int) -> None:
        super().__init__(root, min(size, 150))


class Overlap(Scenario):
    """An export that overlaps with what is stored is killed while it is merged."""

    name = "overlap"

    def prepare(self) -> None:
        """Two thirds are stored, the last two thirds come."""
        third = self.chat.count // 3
        self.ingest(self.template, self.chat.export(self.sources / "first", 0, 2 * third))
        self.source = self.chat.export(self.sources / "second", third)

    def words(self, home: Home) -> Sequence[str]:
        """Ingest the second."""
        return ("ingest", str(self.source), "--zone", "UTC", "--json")

    def afterwards(self, home: Home, chance: random.Random) -> None:
        """The next ingest completes the merge."""
        acknowledged = home.acknowledged()
        if chance.random() < 0.5:
            home.doctor()
            if len(home.contents()) != len(set(home.contents())):
                raise Broken("a message is stored twice")
        self.ingest(home, self.source)
        if lost := acknowledged - set(home.contents()):
            raise Broken(f"{len(lost)} acknowledged messages were lost")
        home.must_hold(self.chat.texts())


class Forget(Scenario):
    """Forgetting is killed: before, between or after; asked for again it is complete, in every file."""

    name = "forget"
    share = 3

    def prepare(self) -> None:
        """A chat of three people."""
        self.source = self.chat.export(self.sources)
        self.ingest(self.template, self.source)
        self.gone = [number for number in range(self.chat.count) if self.chat.speaker(number) == "Bob Tan"]

    def words(self, home: Home) -> Sequence[str]:
        """Forget one of them."""
        return ("forget", "--speaker", "Bob Tan", "--yes")

    def afterwards(self, home: Home, chance: random.Random) -> None:
        """All of it is there, or what was to go is gone; never a part. Then it goes, and stays away."""
        everything, kept = self.chat.texts(), [
            self.chat.text(number) for number in range(self.chat.count) if number not in set(self.gone)
        ]  # fmt: skip
        if sorted(home.contents()) not in (sorted(everything), sorted(kept)):
            raise Broken("half of what was to be forgotten is gone")
        if chance.random() < 0.3:
            home.doctor()
        if chance.random() < 0.3 and len(home.contents()) == len(kept):
            self._serve_until_clean(home)  # the next owner ends by itself what was begun
        else:
            home.run(*self.words(home), codes=(0, 7))
        for number in chance.sample(self.gone, min(8, len(self.gone))):
            home.must_not_hold(self.chat.marker(number))
        if chance.random() < 0.4:
            self.ingest(home, self.source)
        home.must_hold(kept)

    @staticmethod
    def _serve_until_clean(home: Home) -> None:
        process = home.start("serve")
        try:
            until(lambda: process.poll() is not None or is_listening(str(home.socket)))
            until(lambda: not rows(home.database, "SELECT 1 FROM meta WHERE name = 'purge'"))
        finally:
            process.send_signal(signal.SIGTERM)
            out, err = (part.decode(errors="replace") for part in process.communicate(timeout=60))
        said_plainly(("serve",), process.returncode or 0, out, err, (0,))


class Reindex(Scenario):
    """Cutting everything anew is killed; asked for again it goes on."""

    name = "reindex"

    def prepare(self) -> None:
        """A chat whose chunks an older strategy made."""
        self.ingest(self.template, self.chat.export(self.sources))
        _sql(self.template.database, "UPDATE makes SET version = 'older'")

    def words(self, home: Home) -> Sequence[str]:
        """Cut anew."""
        return ("reindex",)

    def afterwards(self, home: Home, chance: random.Random) -> None:
        """Nothing is lost in between, and in the end all chunks are new."""
        if chance.random() < 0.4:
            home.must_hold(self.chat.texts())
        home.run("reindex")
        home.must_hold(self.chat.texts())
        statement = "SELECT count(*) FROM chunks c JOIN makes m ON m.id = c.make WHERE m.version = 'older'"
        if rows(home.database, statement) != [(0,)]:
            raise Broken("some chunks are still the old ones")


class Backup(Scenario):
    """A backup is killed: the older snapshot stays whole, and the next backup is."""

    name = "backup"

    def prepare(self) -> None:
        """A memory and a snapshot of a part of it."""
        self.ingest(self.template, self.chat.export(self.sources / "first", 0, self.chat.count // 2))
        self.template.run("backup", str(self.template.root / "vault"))
        self.ingest(self.template, self.chat.export(self.sources / "all"))

    def words(self, home: Home) -> Sequence[str]:
        """Save it."""
        return ("backup", str(self._vault(home)))

    def _vault(self, home: Home) -> Path:
        vault = home.root / "vault"
        if not vault.exists():
            shutil.copytree(self.template.root / "vault", vault)
        return vault

    def afterwards(self, home: Home, chance: random.Random) -> None:
        """Every snapshot that is listed restores."""
        vault = str(self._vault(home))
        if chance.random() < 0.3:
            self._all_whole(home, vault)
        home.run("backup", vault)
        self._all_whole(home, vault)
        elsewhere = Home(home.root / "elsewhere")
        elsewhere.run("restore", vault)
        elsewhere.must_hold(self.chat.texts())
        home.must_hold(self.chat.texts())

    def _all_whole(self, home: Home, vault: str) -> None:
        checked = home.json("backup", vault, "--verify")
        if checked["damaged"] or not checked["snapshots"]:
            raise Broken(f"a damaged snapshot: {checked}")


class Restore(Backup):
    """Restoring is killed: the data directory is not there, or whole."""

    name = "restore"
    share = 1

    def prepare(self) -> None:
        """A vault with two snapshots, and nothing else."""
        super().prepare()
        self.template.run("backup", str(self.template.root / "vault"))
        shutil.rmtree(self.template.data)

    def words(self, home: Home) -> Sequence[str]:
        """Restore the newest."""
        return ("restore", str(self._vault(home)))

    def afterwards(self, home: Home, chance: random.Random) -> None:
        """What is there is whole; what is not, comes with the next try."""
        home.run("restore", str(self._vault(home)), codes=(2,) if home.journal.exists() else (0,))
        home.must_hold(self.chat.texts())


class Migrate(Scenario):
    """The first opening of a store of format 1 is killed: it is a whole one of the old format or of the new."""

    name = "migrate"
    share = 1

    def prepare(self) -> None:
        """A store of format 1."""
        self.ingest(self.template, self.chat.export(self.sources))
        _sql(self.template.database, FORMAT_1)

    def words(self, home: Home) -> Sequence[str]:
        """Any command that may write."""
        return ("doctor", "--json")

    def afterwards(self, home: Home, chance: random.Random) -> None:
        """The next command brings it up to date, and the copy of the old one is whole."""
        home.must_hold(self.chat.texts())
        copy = home.database.with_name("memory.db.format-1")
        if rows(copy, "SELECT count(*) FROM messages") != [(self.chat.count,)]:
            raise Broken("the copy of the old format is not whole")


class Repair(Scenario):
    """Mending is killed: mending again mends."""

    name = "repair"
    share = 1

    def prepare(self) -> None:
        """A store with wrong counts and without its log of changes."""
        self.ingest(self.template, self.chat.export(self.sources))
        _sql(self.template.database, "UPDATE speakers SET messages = 7; DELETE FROM word_changes WHERE chunk < 50")

    def words(self, home: Home) -> Sequence[str]:
        """Mend."""
        return ("doctor", "--repair", "--json")

    def afterwards(self, home: Home, chance: random.Random) -> None:
        """Again."""
        home.doctor("--repair")
        home.must_hold(self.chat.texts())


class RepairJournal(Scenario):
    """Making the journal anew is killed: no document that waits in it is lost."""

    name = "repair of the journal"
    share = 1

    def prepare(self) -> None:
        """An ingest that was killed when all of it waited, in a journal whose pages disagree."""
        source = self.chat.export(self.sources)
        self.beside = self.other.export(self.sources / "beside")
        words = ("ingest", str(source), "--zone", "UTC")
        self.template.start(*words, order={"place": "store:UPDATE", "nth": 1}).communicate(timeout=180)
        if self.template.acknowledged() != set(self.chat.texts()):
            raise Broken("not everything waits in the journal")
        _sql(
            self.template.journal,
            "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'entries_by_state'",
        )

    def words(self, home: Home) -> Sequence[str]:
        """Mend."""
        return ("doctor", "--repair", "--json")

    def afterwards(self, home: Home, chance: random.Random) -> None:
        """Again, or whatever comes next where the new journal is in its place."""
        home.doctor("--repair")
        self.ingest(home, self.beside)
        home.must_hold([*self.chat.texts(), *self.other.texts()])


class Serve(Scenario):
    """A daemon is killed while documents are posted: every one it answered for is there when the next has drained."""

    name = "serve"
    share = 4

    def prepare(self) -> None:
        """Nothing but documents to send."""
        self.lines = self.chat.documents()
        self.answered: list[bytes] = []

    def words(self, home: Home) -> Sequence[str]:
        """Serve."""
        return ("serve",)

    def strike(
        self, home: Home, order: dict[str, Any], after: float | None = None, codes: Sequence[int] = (0,)
    ) -> bool:
        """Post documents until the daemon is dead, or all are posted; then end it as one ends a daemon."""
        self.answered = []
        process = home.start("serve", order=order)
        until(lambda: process.poll() is not None or is_listening(str(home.socket)))
        deadline = time.monotonic() + (after if after is not None else 60)
        client = Client(str(home.socket))
        try:
            for first in range(0, len(self.lines), 8):
                if after is not None and time.monotonic() > deadline:
                    break
                group = self.lines[first : first + 8]
                client.ask("POST", "/v1/documents?source=torture", b"\n".join(group), "application/jsonl")
                self.answered += group
            if after is None and "file_size" not in order:
                until(lambda: client.call(STATUS)["queue"]["depth"] == 0)
        except DaemonError as error:
            if 6 not in codes or error.exit_code != 6:
                raise
        except (DaemonGoneError, DaemonTimeoutError, OSError):
            until(lambda: process.poll() is not None)
        finally:
            client.close()
        process.send_signal(signal.SIGTERM if after is None else signal.SIGKILL)
        out, err = (part.decode(errors="replace") for part in process.communicate(timeout=60))
        code = process.returncode or 0
        if code != -signal.SIGKILL:
            said_plainly(("serve",), code, out, err, codes)
        return code == -signal.SIGKILL

    def afterwards(self, home: Home, chance: random.Random) -> None:
        """What it answered for is stored; then all is sent again, and all is there once."""
        process = home.start("serve")
        try:
            until(lambda: process.poll() is not None or is_listening(str(home.socket)))
            client = Client(str(home.socket))
            until(lambda: client.call(STATUS)["queue"]["depth"] == 0)
            have = home.contents()
            want = _texts(self.answered)
            if lost := want - set(have):
                raise Broken(f"{len(lost)} of {len(want)} messages that were answered for were lost")
            if len(have) != len(set(have)) or set(have) - set(self.chat.texts()):
                raise Broken("something is stored twice, or was never sent")
            client.ask("POST", "/v1/documents?source=torture", b"\n".join(self.lines), "application/jsonl")
            until(lambda: client.call(STATUS)["queue"]["depth"] == 0)
            client.close()
        finally:
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=60)
        if process.returncode != 0:
            raise Broken(f"the second daemon ended with {process.returncode}: {err.decode()[-2000:]}")
        home.must_hold(self.chat.texts())


def _texts(lines: Sequence[bytes]) -> set[str]:
    return {message["content"] for line in lines for message in json.loads(line)["conversation"]["conversation"]}


def _sql(path: Path, script: str) -> None:
    connection = sqlite3.connect(path)
    try:
        connection.executescript(script)
    finally:
        connection.close()


SCENARIOS: tuple[type[Scenario], ...] = (
    Ingest, Serve, Overlap, Forget, Reindex, Backup, Restore, Migrate, Repair, RepairJournal,
    IngestWithVectors,
)  # fmt: skip


class Kills:
    """Rounds of all scenarios in a random order that a seed decides."""

    def __init__(self, root: Path, seed: int, size: int = 400) -> None:
        self._root = root
        self._seed = seed
        self._size = size
        self._ready: dict[str, Scenario] = {}
        self.kills: Counter[str] = Counter()
        """By scenario and place: how often it died there."""
        self.survived = 0
        """Rounds whose command came to its end before its time."""

    def scenario(self, kind: type[Scenario]) -> Scenario:
        """A scenario, prepared at its first use."""
        if kind.name not in self._ready:
            self._ready[kind.name] = kind(self._root, self._size)
        return self._ready[kind.name]

    def round(self, number: int, only: str = "") -> str:
        """One round; returns what was done. A promise that does not hold is ``Broken``, with all that repeats it."""
        chance = random.Random(f"{self._seed}/{number}")
        kind = chance.choice([kind for kind in SCENARIOS for _ in range(kind.share) if only in ("", kind.name)])
        scenario = self.scenario(kind)
        place, order, after = scenario.order(chance)
        told = f"round {number} of seed {self._seed}: {kind.name}, {place} {order or after}"
        with kept_when_broken(told, self._root / f"round-{number}") as folder:
            home = scenario.template.clone(folder)
            if scenario.strike(home, order, after):
                self.kills[f"{kind.name} · {place}"] += 1
            else:
                self.survived += 1
            scenario.afterwards(home, chance)
        return told
