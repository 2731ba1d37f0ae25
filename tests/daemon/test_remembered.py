"""me.json, the remembered answer who the user is: what is kept of it, what a forgetting removes, and what is refused."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import unicodedata
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from memd.daemon.app import open_app
from memd.daemon.cli.settings import remember_user
from memd.daemon.config.paths import JOURNAL, REMEMBERED
from memd.daemon.config.user_names import remember, remember_only, remembered
from memd.daemon.forgetting import file_erasure
from memd.daemon.service.requests import LettersRequest
from memd.schemas import ConversationDocument
from memd.schemas.errors import StoreError
from memd.tests.byte_scan import traces
from memd.tests.daemon.house import note
from memd.tests.daemon.test_forgetting import Refusing, day, drained, forget, queued, refusing
from memd.tests.daemon.test_service import ingest, words_only

__all__ = ["refusing"]
pytestmark = pytest.mark.anyio


@pytest.mark.slow
@pytest.mark.parametrize("blocked", ["folder-beside", "link", "pipe"])
async def test_where_it_cannot_be_purged_the_journal_is_all_the_same_and_the_answer_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocked: str
) -> None:
    """Also damaged journals that were put aside; as soon as it can be written, memd does it by itself."""
    monkeypatch.setattr(file_erasure, "RETRY_SECONDS", 0.05)
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, day(("Quibblefrost", "the wobblegate"), ("Ann", "three")))
        in_the_way = _block(data, tmp_path, blocked)
        (data / f"{JOURNAL}.damaged-1").write_bytes(b"the wobblegate")
        done = await forget(service, people=["Quibblefrost"])
        assert done["unpurged"] == [REMEMBERED]
        assert traces(data, "wobblegate") == {}
        (in_the_way.rmdir if in_the_way.is_dir() else in_the_way.unlink)()
        with anyio.fail_after(60):
            while traces(data, "Quibblefrost"):
                await anyio.sleep(0.02)
        assert (await forget(service, speakers=["Ann"]))["unpurged"] == []


def _block(data: Path, elsewhere: Path, how: str) -> Path:
    """Something in the place of the file, or of the one that takes its place; returns what is in the way."""
    path = data / REMEMBERED
    if how == "folder-beside":
        remember(data, {"chat": "Quibblefrost"})
        (data / "me.new").mkdir()
        return data / "me.new"
    if how == "link":
        (elsewhere / "mine.json").write_text('{"chat": "Quibblefrost"}')
        path.symlink_to(elsewhere / "mine.json")
    else:
        os.mkfifo(path)
    return path


@pytest.mark.slow
async def test_a_purge_that_is_due_for_it_stays_due_when_dead_letters_are_discarded(tmp_path: Path) -> None:
    """The note in the journal stands for both files."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, day(("Quibblefrost", "the wobblegate"), ("Ann", "three")), note("n", "a fandangle"))
        remember(data, {"chat": "Quibblefrost"})
        (data / "me.new").mkdir()
        assert (await forget(service, people=["Quibblefrost"]))["unpurged"] == [REMEMBERED]
        with closing(_connected(data)) as journal, journal:
            journal.execute(
                "INSERT INTO entries (run, key, body, messages, bytes, added, crc, state)"
                " VALUES ('r', 's' || char(10) || 'x', x'00', 1, 1, 0, 0, 'dead')"
            )
        assert (await service.letters.discard(LettersRequest()))["documents"] == 1
        assert remembered(data) == {"chat": "Quibblefrost"}
        (data / "me.new").rmdir()
        assert await service.saga.erasure.purge() == []
        assert remembered(data) == {}


def _connected(data: Path) -> sqlite3.Connection:
    return sqlite3.connect(data / JOURNAL)


@pytest.mark.slow
async def test_a_name_stays_while_its_documents_wait(tmp_path: Path, refusing: Refusing) -> None:
    """A forgetting of another chat while the first ingest of that user is in the journal alone."""
    data = tmp_path / "d"
    async with open_app(words_only(data), serve=False) as service:
        await ingest(service, day(("Bob", "one"), ("Ann", "three"), name="two"))
        remember(data, {"whatsapp": "Quibblefrost"})
        refusing.now = True
        await queued(service, day(("Quibblefrost", "the wobblegate"), ("Ann", "three")))
        await forget(service, speakers=["Bob"])
        assert remembered(data) == {"whatsapp": "Quibblefrost"}
        refusing.now = False
        await drained(service)


@pytest.mark.slow
async def test_a_name_stays_whose_owner_wrote_nothing_or_is_stored_in_another_spelling(tmp_path: Path) -> None:
    """A user who only read; composed and decomposed letters; invisible marks; upper case."""
    data = tmp_path / "d"
    names = {"a": "Reader", "b": unicodedata.normalize("NFC", "Zoë Ärmel"), "c": "\u200eCARL"}
    async with open_app(words_only(data), serve=False) as service:
        quiet = day(("Bob", "one"), (unicodedata.normalize("NFD", "Zoë Ärmel"), "two"), ("Carl", "three"))
        body = quiet.model_dump(mode="json")
        body["conversation"] |= {"user": "Reader", "people": ["Reader", *body["conversation"]["people"]]}
        await ingest(service, ConversationDocument.model_validate(body))
        remember(data, names | {"d": "Nobody"})
        await forget(service, speakers=["Bob"])
        assert remembered(data) == names


def test_a_name_with_half_a_character_is_kept(tmp_path: Path) -> None:
    """As a terminal may give one."""
    remember(tmp_path, {"chat": "Zo\udc80 Ä"})
    assert remembered(tmp_path) == {"chat": "Zo\udc80 Ä"}


def test_two_who_write_lose_nothing_of_each_other(tmp_path: Path) -> None:
    """A command that remembers waits while the owner drops a name, which therefore does not come back."""
    remember(tmp_path, {"a": "Forgotten"})
    with (tmp_path / "me.lock").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        writer = threading.Thread(target=remember, args=(tmp_path, {"b": "Ann"}))
        writer.start()
        (tmp_path / REMEMBERED).write_text("{}")
    writer.join(60)
    assert remembered(tmp_path) == {"b": "Ann"}
    remember_only(tmp_path, ["ann"])
    assert remembered(tmp_path) == {"b": "Ann"}


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """Not taken for an output that cannot be written."""
    (tmp_path / "me.new").mkdir()
    with pytest.raises(StoreError, match=REMEMBERED):
        remember_user(words_only(tmp_path), "chat", "Ann")
