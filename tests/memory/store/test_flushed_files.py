"""Files that replace others are on the disk before they do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.memory.index import segment_checksums
from memd.memory.index.exact_vectors import FILE
from memd.memory.indexing.indexed_store import open_store
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import keep_vectors
from memd.memory.write_batches import Removal
from memd.tests.memory.store.samples import GENERATION, conversation, group, vectors_for


@pytest.mark.anyio
@pytest.mark.slow
async def test_a_file_is_flushed_before_it_replaces_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every file that the store writes anew when something is forgotten, or repaired: after a power cut it is whole."""
    flushed: set[int] = set()
    replaced: dict[str, bool] = {}
    fsync, replace = os.fsync, Path.replace

    def noting_fsync(descriptor: int) -> None:
        fsync(descriptor)
        flushed.add(os.fstat(descriptor).st_ino)

    def noting_replace(self: Path, target: Path) -> Path:
        replaced[target.name] = replaced.get(target.name, True) and self.stat().st_ino in flushed
        return replace(self, target)

    changes = group(conversation("a"), [("Ann", f"lamp canary{n}") for n in range(40)])
    async with open_store(tmp_path) as store:
        await store.set_generation(GENERATION)
        await store.database.write(apply_changes, changes)
        await store.database.write(keep_vectors, vectors_for(changes))
        await store.refresh_indexes()
        monkeypatch.setattr(os, "fsync", noting_fsync)
        monkeypatch.setattr(Path, "replace", noting_replace)
        await store.forget(Removal(messages=[changes.messages[n].key for n in range(10, 20)]))
        await store.purge()
        await store.repair()
    assert {"meta.json", ".managed.json", FILE} <= replaced.keys()
    # Checksums of files that are all checked again where these are lost.
    assert {name for name, is_flushed in replaced.items() if not is_flushed} <= {segment_checksums.MANIFEST}
