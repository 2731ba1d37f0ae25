"""kill -9 at any instant: what was acknowledged is there, once, and the indexes agree with SQLite after settling."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memd.memory.search_types import Filter
from memd.memory.store.sqlite_store import SQLiteStore
from memd.tests.memory.store.samples import GENERATION, keys_of, vector_of
from memd.tests.memory.store.searches import search_vectors, search_words

CHILD = Path(__file__).with_name("killed_writer.py")


def kill_after(directory: Path, seconds: float) -> int:
    """Let the writer work, kill it, and return how many groups it acknowledged."""
    command = [sys.executable, "-P", str(CHILD), str(directory)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child.stdout:
        first = child.stdout.readline()
        time.sleep(seconds)
        child.kill()
        rest = child.stdout.read().split("\n")
    child.wait()
    whole = [line for line in [first.strip(), *rest[:-1]] if line]
    return int(whole[-1]) + 1 if whole else 0


async def agree(directory: Path, acknowledged: int) -> None:
    """At least the acknowledged groups, at most the one in flight besides, each whole and found exactly once."""
    async with SQLiteStore.open(directory) as backend:
        await backend.refresh_indexes()
        stats = await backend.stats()
        assert acknowledged <= stats.documents <= acknowledged + 1
        assert stats.messages == stats.chunks == stats.documents * 40
        found = keys_of(await search_words(backend, "lexical", ["lamp"], Filter(), 100_000))
        assert len(found) == len(set(found)) == stats.chunks
        near = keys_of(await search_vectors(backend, vector_of("q"), Filter(), 100_000))
        assert len(near) == len(set(near)) == stats.vectors_done
        assert stats.vectors_done + stats.vectors_pending == stats.chunks
        assert await backend.generation() == GENERATION


@pytest.mark.slow
@pytest.mark.anyio
async def test_killed_at_a_few_instants(tmp_path: Path) -> None:
    """Three kills of a fresh writer."""
    for n, seconds in enumerate((0.0, 0.11, 0.4)):
        directory = tmp_path / str(n)
        await agree(directory, kill_after(directory, seconds))


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.timeout(600)
async def test_killed_at_many_instants(tmp_path: Path) -> None:
    """Twenty kills at random instants, followed by a kill while the next start is still catching up."""
    rng = random.Random(20)
    for n in range(20):
        directory = tmp_path / str(n)
        await agree(directory, kill_after(directory, rng.random() * 1.5))
