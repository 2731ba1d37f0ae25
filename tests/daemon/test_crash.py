"""Killed with SIGKILL at random instants: what was acknowledged is there, once, and the next run completes the rest."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest

from memd.memory.search_types import Filter
from memd.memory.store.sqlite_store import SQLiteStore
from memd.tests import processes
from memd.tests.command import memd_command
from memd.tests.memory.store.searches import search_words

MESSAGES = 3000
WORDS = ("garden", "bicycle", "dentist", "Lisbon", "piano", "basil", "train", "birthday", "lake", "office")


def export(path: Path, count: int) -> Path:
    """An Android export in which each message is unlike the others."""
    moment = datetime(2024, 1, 13, 8, 0, tzinfo=UTC)
    lines: list[str] = []
    for number in range(count):
        moment += timedelta(seconds=97)
        speaker = ("Ann Berg", "Bob Tan", "Cleo Park")[number % 3]
        lines.append(f"{moment:%d/%m/%Y, %H:%M} - {speaker}: the {WORDS[number % 10]} of day {number}\n")
    path.write_text("".join(lines), encoding="utf-8")
    return path


def environment(home: Path, *, vectors: bool) -> dict[str, str]:
    """A memory of its own."""
    (home / "config.toml").write_text(f"[embedding]\nenabled = {str(vectors).lower()}\n")
    return {
        **os.environ,
        "MEMD_DATA_DIR": str(home / "data"),
        "MEMD_SOCKET": str(home / "s"),
        "MEMD_CONFIG": str(home / "config.toml"),
    }


def ingest(path: Path, home: Path, *flags: str, vectors: bool = False) -> subprocess.Popen[bytes]:
    """`memd ingest`, started."""
    command = memd_command("ingest", str(path), "--zone", "UTC", "--json", *flags)
    return processes.Popen(
        command,
        env=environment(home, vectors=vectors),
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )


def acknowledged(home: Path) -> int:
    """Messages that the journal or the store holds: both are durable."""
    total = 0
    for name, statement in (
        ("journal.db", "SELECT coalesce(sum(messages), 0) FROM entries"),
        ("store/memory.db", "SELECT count(*) FROM messages"),
    ):
        path = home / "data" / name
        if path.exists():
            connection = sqlite3.connect(path)
            try:
                total += connection.execute(statement).fetchone()[0]
            except sqlite3.OperationalError:
                continue  # killed before its tables were made: nothing was acknowledged yet
            finally:
                connection.close()
    return total


def check(home: Path, count: int) -> None:
    """Every message once; the words index finds exactly what SQLite holds."""

    async def look() -> None:
        async with SQLiteStore.open(home / "data" / "store") as backend:
            await backend.refresh_indexes()
            stats = await backend.stats()
            assert (count, count) == (stats.messages, stats.chunks)
            assert {0} == set(stats.lag.values())
            for word in ("lisbon", "piano"):
                found = await search_words(backend, "lexical", [word], Filter(), count)
                assert count // 10 == len({hit.key for hit in found})

    anyio.run(look)
    connection = sqlite3.connect(home / "data" / "store" / "memory.db")
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert count == connection.execute("SELECT count(DISTINCT content) FROM messages").fetchone()[0]
    finally:
        connection.close()


def killed_and_resumed(tmp_path: Path, instants: int, seed: int, *, count: int, vectors: bool) -> None:
    """Kill at random instants of one ingest, over and over, then let it end."""
    random_ = random.Random(seed)
    path = export(tmp_path / "WhatsApp Chat with Bob.txt", count)
    whole = 2.0
    kept = 0
    for _ in range(instants):
        process = ingest(path, tmp_path, vectors=vectors)
        time.sleep(random_.uniform(0.05, whole))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        now = acknowledged(tmp_path)
        assert now >= kept, f"seed {seed}: something acknowledged was lost"
        kept = min(now, count)  # while an entry is in both, it counts twice
    process = ingest(path, tmp_path, vectors=vectors)
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err.decode()
    body = json.loads(out)
    assert (body["outcome"], body["failed"]) == ("ok", 0)
    check(tmp_path, count)


@pytest.mark.slow
def test_two_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    """The short form, words only."""
    killed_and_resumed(tmp_path, 2, random.randrange(10**6), count=600, vectors=False)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_twenty_kills_of_three_thousand_messages_lose_and_double_nothing(tmp_path: Path) -> None:
    """Killed among reading, journaling, storing and indexing; then, with vectors, to the end."""
    killed_and_resumed(tmp_path, 20, random.randrange(10**6), count=MESSAGES, vectors=False)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kills_while_vectors_are_made_embed_every_message_in_the_end(tmp_path: Path) -> None:
    """What waited for its vector is embedded by the next owner."""
    killed_and_resumed(tmp_path, 5, random.randrange(10**6), count=400, vectors=True)
    connection = sqlite3.connect(tmp_path / "data" / "store" / "memory.db")
    try:
        assert connection.execute("SELECT count(*) FROM pending").fetchone()[0] == 0
    finally:
        connection.close()
