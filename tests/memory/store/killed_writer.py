"""Run as a program: applies groups one by one and prints the number of each when it is acknowledged, until killed."""

import sys
from pathlib import Path

import anyio

from memd.memory.indexing.indexed_store import open_store
from memd.memory.store.documents_write import apply_changes
from memd.memory.store.vectors import keep_vectors
from memd.tests.memory.store.samples import GENERATION, conversation, group, vectors_for


async def write(directory: Path) -> None:
    """Never ends by itself."""
    async with open_store(directory) as store:
        await store.set_generation(GENERATION)
        number = 0
        while True:
            changes = group(conversation(f"k{number}"), [("Ann", f"lamp {number} {n}") for n in range(40)])
            await store.database.write(apply_changes, changes)
            await store.database.write(keep_vectors, vectors_for(changes))
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()
            if number % 7 == 6:
                await store.refresh_indexes()
            if number % 11 == 10:
                await store.vectors.save()  # pyright: ignore[reportPrivateUsage] - snapshots are far apart otherwise
            number += 1


if __name__ == "__main__":
    anyio.run(write, Path(sys.argv[1]))
