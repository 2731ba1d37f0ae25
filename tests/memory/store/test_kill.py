"""kill -9 at any instant: what was acknowledged is there, once, and the indexes agree with SQLite after settling."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memd.memory.indexing.indexed_store import open_store
from memd.memory.search_types import Filter
from memd.memory.store.vectors import generation_of
from memd.tests import processes
from memd.tests.memory.store.samples import GENERATION, keys_of, vector_of
from memd.tests.memory.store.searches import search_vectors, search_words

CHILD = "memd.tests.memory.store.killed_writer"


def kill_after(directory: Path, groups: int, seconds: float) -> int:
    """Kill the writer so long after it acknowledged this number of groups; returns how many it acknowledged in all."""
    command = [sys.executable, "-P", "-m", CHILD, str(directory)]
    with processes.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        for _ in range(groups):
            assert child.stdout.readline()
        time.sleep(seconds)  # the instant of the kill; nothing is waited for
        child.kill()
        rest = child.stdout.read().split(b"\n")
    return groups + len(rest) - 1


async def agree(directory: Path, acknowledged: int) -> None:
    """At least the acknowledged groups, at most the one in flight besides, each whole and found exactly once."""
    async with open_store(directory) as store:
        await store.refresh_indexes()
        stats = await store.stats()
        assert acknowledged <= stats.documents <= acknowledged + 1
        assert stats.messages == stats.chunks == stats.documents * 40
        found = keys_of(await search_words(store, "lexical", ["lamp"], Filter(), 100_000))
        assert len(found) == len(set(found)) == stats.chunks
        near = keys_of(await search_vectors(store, vector_of("q"), Filter(), 100_000))
        assert len(near) == len(set(near)) == stats.vectors_done
        assert stats.vectors_done + stats.vectors_pending == stats.chunks
        assert await store.database.read(generation_of) == GENERATION


@pytest.mark.slow
@pytest.mark.anyio
async def test_killed_at_a_few_instants(tmp_path: Path) -> None:
    """A writer is killed at its start, while it writes, indexes words, and saves vectors."""
    rng = random.Random()
    for groups in (1, 2, 7, 11):
        directory = tmp_path / str(groups)
        await agree(directory, kill_after(directory, groups, rng.random() * 0.02))


@pytest.mark.long
@pytest.mark.anyio
@pytest.mark.timeout(600)
async def test_killed_at_many_instants(tmp_path: Path) -> None:
    """A writer is killed at twenty random instants."""
    rng = random.Random(20)
    for n in range(20):
        directory = tmp_path / str(n)
        await agree(directory, kill_after(directory, 1, rng.random() * 1.5))
