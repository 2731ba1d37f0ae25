"""Damage: every kind of file is cut off, flipped, emptied, zeroed, deleted or another store's; then memd is asked and mended.

What is derived (the indexes) is made anew by itself. What is the truth (journal, database) is told of, and comes back
from its source.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path
from typing import Any

from memd.memory.index.exact_vectors import FILE as CODES
from memd.tests.torture.home import Broken, Chat, Home, kept_when_broken, rows

WAYS = ("cut", "flip", "flips", "empty", "zeroes", "garbage", "delete", "foreign", "letter")


class Damage:
    """Rounds in which files are damaged while nobody has them open."""

    def __init__(self, root: Path, seed: int, size: int = 150) -> None:
        self._root = root
        self._seed = seed
        self._chat = Chat("Long", size)
        self._sources = root / "sources"
        self._source = self._chat.export(self._sources)
        self._beside = Chat("Side", 12, seed=3)
        self._other_source = self._beside.export(self._sources)
        self._stranger = Home(root / "stranger", vectors=True)
        self._stranger.json("ingest", str(Chat("Else", size // 2, seed=5).export(self._sources)), "--zone", "UTC")
        self._template = Home(root / "template", vectors=True)
        for end in (size // 2, size):  # two commits, so that the words index has several segments
            self._ingest(self._template, self._chat.export(self._sources / "parts", 0, end))
        self._waiting = Home(root / "waiting")
        self._half_way(self._waiting)
        self._half_way(self._stranger)

    def index(self, number: int) -> str:
        """A file of an index is damaged: questions are answered, ingests go on, doctor is content or mends."""
        chance = random.Random(f"{self._seed}/index/{number}")
        store = self._template.database.parent
        kinds = sorted({path.suffix or path.name for path in (store / "words").iterdir()})
        kind = chance.choice([CODES, *kinds])
        way = WAYS[number % len(WAYS)]
        first = chance.choice(["query", "ingest", "doctor", "repair"])
        told = f"index {number} of seed {self._seed}: {kind} {way}, then {first}"
        with kept_when_broken(told, self._root / f"index-{number}") as folder:
            home = self._template.clone(folder)
            path = store / CODES
            if kind != CODES:
                path = chance.choice(sorted(p for p in (store / "words").iterdir() if kind in (p.suffix, p.name)))
            damage(home.root / path.relative_to(self._template.root), way, chance, self._foreign(path))
            expected = self._chat.texts()
            if first == "query":
                self._must_answer(home, chance)
            elif first == "ingest":
                self._ingest(home, self._other_source)
                expected += self._beside.texts()
            elif first == "doctor":
                self._doctor(home)
            else:
                home.doctor("--repair")
            self._must_answer(home, chance)
            self._doctor(home)
            home.must_hold(expected)
        return told

    def journal(self, number: int) -> str:
        """The journal or a file beside it is damaged: a sentence tells, repair keeps what can be read, sources bring the rest."""
        chance = random.Random(f"{self._seed}/journal/{number}")
        suffix = chance.choice(["", "", "-wal", "-wal", "-shm"])
        way = WAYS[number % len(WAYS)]
        told = f"journal {number} of seed {self._seed}: journal.db{suffix} {way}"
        with kept_when_broken(told, self._root / f"journal-{number}") as folder:
            home = self._waiting.clone(folder)
            if chance.random() < 0.4:  # what waits stands in the file itself, not in the log beside it
                rows(home.journal, "PRAGMA wal_checkpoint(TRUNCATE)")
                suffix = ""
            path = home.journal.with_name(f"journal.db{suffix}")
            damage(path, way, chance, self._stranger.journal.with_name(path.name))
            if chance.random() < 0.5:
                self._may_refuse(home, "doctor", "--json")
            code = self._may_refuse(home, "ingest", str(self._other_source), "--zone", "UTC")
            if code:
                home.doctor("--repair")
            for source in (self._source, self._other_source):
                self._ingest(home, source)
            foreign = (
                [text for text in home.contents() if text.rpartition(" ")[2].startswith("elsewhere")]
                if way == "foreign"
                else []
            )
            home.must_hold(self._chat.texts() + self._beside.texts() + foreign)
        return told

    def database(self, number: int) -> str:
        """The database is damaged: every command answers or says so, and doctor sees what changed a text."""
        chance = random.Random(f"{self._seed}/database/{number}")
        way = chance.choice(
            ["letter", "flip", "flip", "flips", "flips", "cut", "zeroes", "garbage", "empty", "foreign"]
        )
        told = f"database {number} of seed {self._seed}: memory.db {way}"
        with kept_when_broken(told, self._root / f"database-{number}") as folder:
            home = self._template.clone(folder)
            damage(home.database, way, chance, self._stranger.database)
            wanted = self._chat.marker(chance.randrange(self._chat.count))
            commands = [("query", wanted), ("doctor", "--json"), ("doctor", "--repair", "--json"), ("stats",)]
            commands += [("ingest", str(self._other_source), "--zone", "UTC"), ("export",), ("documents",)]
            for words in chance.sample(commands, 3):
                self._may_refuse(home, *words)
            code = self._may_refuse(home, "doctor", "--json")
            if not code and way != "foreign":
                changed = set(self._chat.texts()) - set(home.contents())
                if changed:
                    raise Broken(f"doctor is content, and {len(changed)} messages are not what they were")
        return told

    def _half_way(self, home: Home) -> None:
        """An ingest that was killed when all of it was in the journal and nothing in the store."""
        source = self._source if home is self._waiting else self._sources / "WhatsApp Chat with Else.txt"
        if home is self._stranger:
            source = Chat("Elsewhere", 60, seed=6).export(self._sources)
        process = home.start("ingest", str(source), "--zone", "UTC", order={"place": "store:UPDATE", "nth": 1})
        _, err = process.communicate(timeout=120)
        if not home.journal.with_name("journal.db-wal").exists():
            raise Broken(f"nothing waits in the journal: {err.decode()}")

    def _foreign(self, path: Path) -> Path:
        if path.name == CODES:
            return self._stranger.database.with_name(path.name)
        words = self._stranger.database.with_name("words")
        same = sorted(each for each in words.iterdir() if path.suffix and each.suffix == path.suffix)
        return words / path.name if not same or (words / path.name).exists() else same[0]

    @staticmethod
    def _ingest(home: Home, source: Path) -> None:
        done: dict[str, Any] = home.json("ingest", str(source), "--zone", "UTC")
        if (done["outcome"], done["failed"]) != ("ok", 0):
            raise Broken(f"ingest ended so: {done}")

    def _must_answer(self, home: Home, chance: random.Random) -> None:
        wanted = self._chat.marker(chance.randrange(self._chat.count))
        answer = home.json("query", wanted, "-k", "3")
        if wanted not in json.dumps(answer["hits"]):
            raise Broken(f"the query for {wanted} found {len(answer['hits'])} others; degraded: {answer['degraded']}")

    @staticmethod
    def _doctor(home: Home) -> None:
        """Healthy, or mended by a repair."""
        report = home.json("doctor", codes=(0, 6))
        if not report["healthy"]:
            home.doctor("--repair")

    @staticmethod
    def _may_refuse(home: Home, *words: str) -> int:
        """A command that ends well or says what is wrong, with a hint."""
        code, out, err = home.run(*words, codes=(0, 4, 6, 7))
        if code == 6 and words[0] != "doctor" and "hint" not in err and "\n" not in err.strip():
            raise Broken(f"no hint: {out} {err}")
        return code


def damage(path: Path, way: str, chance: random.Random, foreign: Path) -> None:
    """Do it."""
    data = bytearray(path.read_bytes())
    if way == "delete":
        path.unlink()
        return
    if way == "foreign":
        if foreign.exists():
            shutil.copyfile(foreign, path)
        return
    if way == "cut":
        del data[chance.randrange(max(1, len(data))) :]
    elif way in ("flip", "flips"):
        for _ in range(1 if way == "flip" else 40):
            if data:
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif way == "letter":  # what is read back is well-formed, and not what was written
        places = [place.start() for place in re.finditer(rb"the \w+ of day", data)]
        if places:
            data[chance.choice(places) + 5] ^= 1
    elif way == "empty":
        data.clear()
    elif way == "zeroes":
        first = chance.randrange(max(1, len(data)))
        count = min(len(data) - first, chance.choice([1, 100, 4096, 10**9]))
        data[first : first + count] = bytes(count)
    else:
        data[:] = chance.randbytes(len(data) or 100)
    path.write_bytes(data)
