"""Forgetting by the owner: no file of the data directory holds what was forgotten, and it does not come back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.daemon import purging
from memd.daemon.app import open_app
from memd.daemon.paths import JOURNAL
from memd.daemon.service import Service
from memd.memory import sqlite_wal
from memd.schemas import ConversationDocument
from memd.tests.byte_scan import traces
from memd.tests.daemon.house import START, note, talk
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio


def day(
    *lines: tuple[str, str] | tuple[str, str, dict[str, Any]], name: str = "one", **more: Any
) -> ConversationDocument:
    """A day of a WhatsApp-like chat, without ids; one message a minute unless a line gives its ``time``."""
    messages: list[dict[str, Any]] = []
    for minute, (speaker, text, *rest) in enumerate(lines):
        fields: dict[str, Any] = {"time": START + timedelta(minutes=minute)}
        messages.append({"speaker": speaker, "content": text, **fields, **(rest[0] if rest else {})})
    return ConversationDocument.model_validate(
        {
            "id": f"chat:{name}:2024-01-15",
            "conversation": {
                "source": "chat",
                "people": tuple(dict.fromkeys(["Ann", *(line[0] for line in lines)])),
                "user": "Ann",
                "conversation": messages,
            },
            "metadata": {"chat": name, "title": name.title(), **more},
        }
    )


def minute(number: int) -> datetime:
    """So many minutes after the first message."""
    return START + timedelta(minutes=number)


async def forget(service: Service, **selection: Any) -> dict[str, Any]:
    """Plan and carry out, as the command does."""
    plan = await service.upkeep.forget(dict(selection), _silent)
    with anyio.fail_after(60):
        return await service.upkeep.forget({**selection, "dry_run": False, "plan": plan["plan"]}, _silent)


def _silent(step: object) -> None:
    del step


def hashed(*lines: tuple[str, str]) -> Iterable[str]:
    """What the store's texts are the hashes of."""
    return [f"{speaker}: {text}" for speaker, text in lines]


async def test_no_file_of_a_running_owner_holds_what_was_forgotten(tmp_path: Path) -> None:
    """The journal that it passed through neither, though nothing of it waits there any more; nor damaged ones put aside."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, day(("Ann", "a quibblefrost"), ("Bob", "the wobblegate")), note("n", "a fandangle"))
        (data / f"{JOURNAL}.damaged-1").write_bytes(b"the wobblegate")
        assert JOURNAL in {Path(name).name.removesuffix("-wal") for name in traces(data, "wobblegate")["wobblegate"]}
        done = await forget(service, speakers=["Bob"])
        assert (done["messages"], done["unpurged"]) == (1, [])
        assert traces(data, "wobblegate", "Bob", texts=hashed(("Bob", "the wobblegate"))) == {}
        assert set(traces(data, "quibblefrost", "fandangle")) == {"quibblefrost", "fandangle"}
    assert traces(data, "wobblegate", "Bob", texts=hashed(("Bob", "the wobblegate"))) == {}


async def test_the_first_wording_of_an_edited_message_goes_with_its_vector_and_hash(tmp_path: Path) -> None:
    """The store keeps former wordings' vectors until something is forgotten."""
    data = tmp_path / "d"
    first, second = ("Bob", "the snorkelbane"), ("Bob", "the tumblewick")
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, day(("Ann", "where"), first, ("Ann", "thanks")))
        await ingest(service, day(("Ann", "where"), (*second, {"edited": True}), ("Ann", "thanks")))
        assert traces(data, texts=hashed(first, second)).keys() == set(hashed(first, second))
        await forget(service, speakers=["Bob"])
        assert traces(data, "snorkelbane", "tumblewick", texts=hashed(first, second)) == {}
        with closing(sqlite3.connect(data / "store" / "memory.db")) as store:
            unused = "SELECT count(*) FROM {} WHERE {} NOT IN (SELECT text FROM chunks)"
            for table, column in (("texts", "id"), ("vectors", "text"), ("pending", "text")):
                assert store.execute(unused.format(table, column)).fetchone() == (0,)


async def test_a_reader_that_holds_a_file_delays_its_purge_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forgetting says so; as soon as the reader ends, or at the next start, the file is purged."""
    monkeypatch.setattr(sqlite_wal, "WAIT_SECONDS", 0.1)
    monkeypatch.setattr(purging, "RETRY_SECONDS", 0.05)
    data = tmp_path / "d"
    with closing(_made(data)) as reader:
        async with open_app(words_only(data), serve=False) as service:
            await ingest(service, talk("a", 3, words="wobblegate"), talk("b", 3))
            _hold(reader)
            assert (await forget(service, documents=["talk:a"]))["unpurged"] == [JOURNAL]
            assert traces(data, "wobblegate")
            reader.execute("ROLLBACK")
            await _until_purged(data)
            await ingest(service, talk("c", 3, words="snorkelbane"))
            _hold(reader)
            assert (await forget(service, documents=["talk:c"]))["unpurged"] == [JOURNAL]
        assert traces(data, "snorkelbane")
        reader.execute("ROLLBACK")
    async with open_app(words_only(data), serve=False):
        await _until_purged(data)
        assert traces(data, "wobblegate", "snorkelbane") == {}


def _made(data: Path) -> sqlite3.Connection:
    data.mkdir(mode=0o700)
    return sqlite3.connect(data / JOURNAL, isolation_level=None)


def _hold(reader: sqlite3.Connection) -> None:
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entries").fetchone()


async def _until_purged(data: Path) -> None:
    with anyio.fail_after(60), closing(sqlite3.connect(data / JOURNAL)) as look:
        while sqlite_wal.purge_owed(look):
            await anyio.sleep(0.02)
