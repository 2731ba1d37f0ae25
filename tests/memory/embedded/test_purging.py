"""After a purge no file holds what was forgotten, and everything else is found as before; whatever happens meanwhile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memd.memory.changes import Changes, Removal
from memd.memory.embedded import EmbeddedBackend
from memd.memory.embedded import database as database_module
from memd.memory.searching import Filter
from memd.schemas.keys import text_hash
from memd.tests.contracts.backend import (
    GENERATION,
    LINES,
    chunk_of,
    conversation,
    group,
    keys_of,
    vector_of,
    vectors_for,
)
from memd.tests.contracts.upkeep import sound

GONE = range(30, 45)
SPEAKERS = ("Ann", "Bob")


def _chat(name: str = "a", count: int = 120) -> Changes:
    """Messages with words and a vector that no other one has."""
    return group(conversation(name), [(SPEAKERS[n % 2], f"lamp {name}canary{n}end") for n in range(count)])


CHAT = _chat()
REMOVAL = Removal(
    messages=[CHAT.messages[n].key for n in GONE],
    tombstones={CHAT.documents[0].key: [CHAT.messages[n].key for n in GONE]},
)


def _traces(changes: Changes, numbers: range) -> list[bytes]:
    """The word, the vector in 16 and 32 bits, and the hash of each of these messages."""
    traces: list[bytes] = []
    for chunk in (chunk_of(changes.messages[n]) for n in numbers):
        vector = vector_of(chunk.embed_text)
        unit = vector / np.linalg.norm(vector)
        traces += [chunk.embed_text.split()[-1].encode(), text_hash(chunk.embed_text)]
        traces += [array.astype(kind).tobytes() for array in (vector, unit) for kind in ("<f2", "<f4")]
    return traces


def _holding(directory: Path, traces: list[bytes]) -> list[tuple[str, bytes]]:
    files = [(path.name, path.read_bytes()) for path in directory.rglob("*") if path.is_file()]
    return [(name, trace) for name, data in files for trace in traces if trace in data]


async def _fill(backend: EmbeddedBackend, *groups: Changes) -> None:
    await backend.set_generation(GENERATION)
    for changes in groups:
        await backend.apply(changes)
        await backend.put_vectors(vectors_for(changes))
        await backend.settle()


async def _check(backend: EmbeddedBackend) -> None:
    """Each message that is left is found by its words and its vector, and no other; the store is sound."""
    await backend.settle()
    left = {chunk.key for n, chunk in enumerate(CHAT.chunks) if n not in GONE}
    assert set(keys_of(await backend.search_words("lexical", ["lamp"], Filter(), 500))) == left
    assert set(keys_of(await backend.search_vectors(vector_of("q"), Filter(), 500))) == left
    for number in (0, 29, 45, 119):
        chunk = chunk_of(CHAT.messages[number])
        found = await backend.search_words("lexical", [f"acanary{number}end"], Filter(), 5)
        assert keys_of(found) == [chunk.key]
        assert keys_of(await backend.search_vectors(vector_of(chunk.embed_text), Filter(), 1)) == [chunk.key]
    assert sound(await backend.check())


@pytest.mark.anyio
async def test_no_file_holds_what_was_purged(tmp_path: Path) -> None:
    """No word, vector or hash of it: not afterwards, not after later changes, not after a restart."""
    traces = _traces(CHAT, GONE)
    async with EmbeddedBackend.open(tmp_path) as backend:
        await _fill(backend, CHAT)
        await backend.forget(REMOVAL)
        await backend.purge()
        assert _holding(tmp_path, traces) == []
        await _check(backend)
        await backend.apply(group(conversation("later"), LINES))
        await backend.settle()
        assert _holding(tmp_path, traces) == []
    assert _holding(tmp_path, traces) == []
    async with EmbeddedBackend.open(tmp_path) as backend:
        assert sound(await backend.check())
    assert _holding(tmp_path, traces) == []


@pytest.mark.anyio
async def test_a_database_of_another_layout_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be overwritten in place is left behind by VACUUM."""

    def refuse(_: int) -> int:
        raise ValueError("another layout")

    traces = _traces(CHAT, GONE)
    async with EmbeddedBackend.open(tmp_path) as backend:
        await _fill(backend, CHAT)
        await backend.forget(REMOVAL)
        monkeypatch.setattr(database_module, "zero_unused", refuse)
        await backend.purge()
        assert _holding(tmp_path, traces) == []
        await _check(backend)
