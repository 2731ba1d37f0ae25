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

from memd.memory.indexing.indexed_store import open_store
from memd.memory.search_types import Filter
from memd.tests import processes
from memd.tests.command import memd_command
from memd.tests.memory.store.searches import search_words

MESSAGES = 3000
WORDS = ("garden", "bicycle", "dentist", "Lisbon", "piano", "basil", "train", "birthday", "lake", "office")
MESSAGES_IN = {
    "journal.db": "SELECT coalesce(sum(messages), 0) FROM entries",
    "store/memory.db": "SELECT count(*) FROM messages",
}
"""How the messages of each database are counted."""


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


def number(path: Path, statement: str) -> int:
    """The number that a statement gives; 0 where there is no database or no table yet."""
    if not path.exists():
        return 0
    connection = sqlite3.connect(path)
    try:
        return connection.execute(statement).fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # killed before its tables were made: nothing was acknowledged yet
    finally:
        connection.close()


def acknowledged(home: Path) -> int:
    """Number of messages in the journal or the store, which are both durable."""
    return sum(number(home / "data" / name, statement) for name, statement in MESSAGES_IN.items())


def has_messages(home: Path, name: str) -> bool:
    """Whether a database holds messages, while a daemon uses it.

    It is not opened before it has a write-ahead log: nobody else may read a database that changes to one.
    """
    path = home / "data" / name
    return path.with_name(f"{path.name}-wal").exists() and number(path, MESSAGES_IN[name]) > 0


def waiting_vectors(home: Path) -> int:
    """Number of messages that wait for their vectors."""
    return number(home / "data" / "store" / "memory.db", "SELECT count(*) FROM pending")


def check(home: Path, count: int) -> None:
    """Every message once; the words index finds exactly what SQLite holds."""

    async def look() -> None:
        async with open_store(home / "data" / "store") as store:
            await store.refresh_indexes()
            stats = await store.stats()
            assert (count, count) == (stats.messages, stats.chunks)
            assert {0} == set(stats.lag.values())
            for word in ("lisbon", "piano"):
                found = await search_words(store, "lexical", [word], Filter(), count)
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
    kept = 0
    for _ in range(instants):
        process = ingest(path, tmp_path, vectors=vectors)
        time.sleep(random_.uniform(0.05, 2.0))  # the instant of the kill; nothing is waited for
        kept = killed(process, tmp_path, kept, count)
    completed(path, tmp_path, count, vectors=vectors)


def killed(process: subprocess.Popen[bytes], home: Path, kept: int, count: int) -> int:
    """Kill a command that ingests; returns how many messages are kept, at least as many as before."""
    process.send_signal(signal.SIGKILL)
    process.communicate()
    now = acknowledged(home)
    assert now >= kept, "something acknowledged was lost"
    return min(now, count)  # while an entry is in both, it counts twice


def completed(path: Path, home: Path, count: int, *, vectors: bool) -> None:
    """Ingest once more, to the end, and check what is stored."""
    process = ingest(path, home, vectors=vectors)
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err.decode()
    body = json.loads(out)
    assert (body["outcome"], body["failed"]) == ("ok", 0)
    check(home, count)
    if vectors:
        assert waiting_vectors(home) == 0


def killed_where(path: Path, home: Path, *names: str, count: int, vectors: bool) -> int:
    """Kill an ingest as soon as one of these databases holds messages; returns how many messages are kept."""
    process = ingest(path, home, vectors=vectors)
    while process.poll() is None and not any(has_messages(home, name) for name in names):
        time.sleep(0.005)
    return killed(process, home, 0, count)


@pytest.mark.slow
def test_two_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    """An ingest is killed when the first messages are in the journal, and the next one when they are in the store."""
    path = export(tmp_path / "WhatsApp Chat with Bob.txt", 600)
    kept = killed_where(path, tmp_path, *MESSAGES_IN, count=600, vectors=False)
    assert killed_where(path, tmp_path, "store/memory.db", count=600, vectors=False) >= kept
    completed(path, tmp_path, 600, vectors=False)


@pytest.mark.slow
def test_a_kill_while_vectors_are_made_loses_none(tmp_path: Path) -> None:
    """An ingest is killed while messages wait for their vectors: the next owner embeds them."""
    path = export(tmp_path / "WhatsApp Chat with Bob.txt", 100)
    assert killed_where(path, tmp_path, "store/memory.db", count=100, vectors=True)
    completed(path, tmp_path, 100, vectors=True)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_twenty_kills_of_three_thousand_messages_lose_and_double_nothing(tmp_path: Path) -> None:
    """An ingest is killed among reading, journaling, storing and indexing."""
    killed_and_resumed(tmp_path, 20, random.randrange(10**6), count=MESSAGES, vectors=False)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_kills_while_vectors_are_made_embed_every_message_in_the_end(tmp_path: Path) -> None:
    """The next owner embeds what waited for its vector."""
    killed_and_resumed(tmp_path, 5, random.randrange(10**6), count=400, vectors=True)
