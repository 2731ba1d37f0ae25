"""Questions read other memories as well: owned or not, absent, damaged or newer; nothing is written there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memd.daemon.app import open_app
from memd.daemon.config.paths import STORE
from memd.daemon.config.settings import Settings
from memd.daemon.service.service import Service
from memd.memory.store.schema import DATABASE
from memd.schemas import Query
from memd.schemas.errors import NotFoundError
from memd.tests.daemon.house import note, talk
from memd.tests.daemon.test_query_buffer import store

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
HARBOUR = Query(text="harbour", explain=True)


def settings(folder: Path, **mounts: Path) -> Settings:
    """Words alone, no facts."""
    return Settings.model_validate(
        {
            "data_dir": folder,
            "socket": folder / "s",
            "zone": "UTC",
            "embedding": {"enabled": False},
            "facts": {"extractor": "off"},
            "mounts": mounts,
        }
    )


async def filled(folder: Path, *notes: str) -> Path:
    """A memory of these notes and a talk, that nobody owns."""
    async with open_app(settings(folder), serve=False) as service:
        await store(service, talk(folder.name, 3), *(note(f"{folder.name}{n}", text) for n, text in enumerate(notes)))
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """Every file with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def places(service: Service, **query: Any) -> list[tuple[str | None, str]]:
    """The memory and the text of each hit."""
    result = await service.query(Query.model_validate({"text": "harbour", **query}))
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    return [(hit.memory, hit.text) for hit in result.hits]


async def test_a_memory_that_nobody_owns_is_read(tmp_path: Path) -> None:
    """In turns with the own hits, what both have once, with filters in each; not a byte of it changes, and its files tell when it does."""
    work = await filled(tmp_path / "work", "the harbour at work", "the harbour of both")
    before = files(work)
    async with open_app(settings(tmp_path / "own", work=work), serve=False) as service:
        await store(service, note("own0", "the harbour at home"), note("work1", "the harbour of both"))
        hits = await places(service)
        assert {text for _, text in hits} == {"the harbour at home", "the harbour at work", "the harbour of both"}
        assert [memory for memory, _ in hits] == [None, "work", None]
        assert len(await places(service, limit=2)) == 2
        assert {memory for memory, _ in await places(service, memories=("work",))} == {"work"}
        assert {memory for memory, _ in await places(service, memories=("own",))} == {None}
        with pytest.raises(NotFoundError, match="no memory"):
            await places(service, memories=("other",))
        # Nobody here is called Bob, and over there he said nothing of the harbour.
        assert [hit.memory for hit in (await service.query(Query(text="message 1", speakers=("Bob",)))).hits[:1]] == [
            "work"
        ]
        assert [(await service.query(HARBOUR)).cached for _ in range(2)] == [False, True]
        assert files(work) == before
        async with open_app(settings(work), serve=False) as other:
            await store(other, note("work2", "a harbour more"))
        again = await service.query(HARBOUR)
        assert not again.cached
        assert "a harbour more" in {hit.text for hit in again.hits}
        counts = (await service.stats())["queries"]["by_source"]
        assert counts["work"] >= 5


async def test_the_owner_of_a_memory_is_asked(tmp_path: Path) -> None:
    """Over its socket, also where it mounts the memory that asks; what is stored there is found at once."""
    work = await filled(tmp_path / "work", "the harbour at work")
    own = tmp_path / "own"
    async with open_app(settings(work, back=own), serve=True) as owner, open_app(settings(own, work=work)) as service:
        assert await places(service) == [("work", "the harbour at work")]
        await store(owner, note("more", "the harbour again"))
        assert {text for _, text in await places(service)} == {"the harbour at work", "the harbour again"}
        await store(service, note("own0", "the harbour at home"))
        assert {memory for memory, _ in await places(owner)} == {None, "back"}
        assert not (await service.query(HARBOUR)).cached
        assert (await service.query(HARBOUR)).degraded == ("vector",)


async def test_a_memory_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Absent, damaged, or of a newer memd: the answer is the own one, and says which is missing; the start does not wait."""
    damaged, newer = await filled(tmp_path / "damaged", "the harbour"), await filled(tmp_path / "newer", "the harbour")
    (damaged / STORE / DATABASE).write_bytes(b"no database at all" * 500)
    with closing(sqlite3.connect(newer / STORE / DATABASE)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    before = files(damaged), files(newer)
    mounts = {"absent": tmp_path / "absent", "damaged": damaged, "newer": newer}
    async with open_app(settings(tmp_path / "own", **mounts), serve=False) as service:
        await store(service, note("own0", "the harbour at home"))
        answer = await service.query(HARBOUR)
        assert [hit.text for hit in answer.hits] == ["the harbour at home"]
        assert answer.degraded == ("vector", "mount:absent", "mount:damaged", "mount:newer")
        assert not (await service.query(HARBOUR)).cached
    assert (files(damaged), files(newer)) == before
    assert not (tmp_path / "absent").exists()
