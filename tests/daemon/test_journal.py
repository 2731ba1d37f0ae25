"""The journal: durable, bounded, in order; damaged or foreign files are refused; it gives its room back."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import anyio
import pytest

from memd.connectors.live.contract import Membership
from memd.daemon.journal import database, schema
from memd.daemon.journal.database import salvage
from memd.daemon.journal.journal import open_journal
from memd.daemon.journal.memberships import MembershipChanges
from memd.daemon.journal.run_history import RunOrigin
from memd.memory import sqlite_wal
from memd.schemas.errors import StoreError
from memd.tests.byte_scan import traces
from memd.tests.daemon.house import note, talk

pytestmark = pytest.mark.anyio


async def test_entries_stay_until_they_are_done(tmp_path: Path) -> None:
    """What was added is there after reopening, equal and in order; what is done is gone."""
    path = tmp_path / "journal.db"
    documents = [talk("a", 3), note("n", "a text \N{GRINNING FACE}"), talk("b", 2)]
    async with open_journal(path) as journal:
        await journal.runs.begin("r", "tests")
        await journal.add("r", documents)
    async with open_journal(path) as journal:
        entries = await journal.take(100, 10**6)
        assert [entry.document for entry in entries] == documents
        assert [entry.messages for entry in entries] == [3, 1, 2]
        depth = await journal.depth()
        assert (depth.documents, depth.messages, depth.dead) == (3, 6, 0)
        assert depth.oldest_s >= 0
        await journal.done(entries[:2])
        assert [entry.document for entry in await journal.take(100, 10**6)] == documents[2:]
        (left,) = await journal.runs.queued()
        assert (left.run, left.source, left.documents, left.messages) == ("r", "tests", 1, 2)


async def test_batches_are_bounded_in_messages_and_bytes(tmp_path: Path) -> None:
    """Never more than asked for, but always one, however large."""
    async with open_journal(tmp_path / "journal.db") as journal:
        await journal.add("r", [talk(str(number), 10) for number in range(5)])
        size = len(talk("0", 10).to_json())
        assert len(await journal.take(25, 10**6)) == 2
        assert len(await journal.take(1, 10**6)) == 1
        assert len(await journal.take(1000, size * 3)) == 3
        assert len(await journal.take(1000, 1)) == 1


async def test_a_failing_entry_becomes_a_dead_letter(tmp_path: Path) -> None:
    """Its attempts and reason are kept; as a dead letter it is not taken any more, and not lost."""
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.add("r", [talk("a", 3)])
        (entry,) = await journal.take(100, 10**6)
        assert not await journal.failed(entry, "ValueError", 2)
        (entry,) = await journal.take(100, 10**6)
        assert entry.attempts == 1
        assert await journal.failed(entry, "ValueError", 2)
        assert await journal.take(100, 10**6) == []
        depth = await journal.depth()
        assert (depth.messages, depth.dead) == (0, 1)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT attempts, error, state FROM entries").fetchall() == [(2, "ValueError", "dead")]
    connection.close()


async def test_an_addition_is_whole_or_nothing(tmp_path: Path) -> None:
    """A document that cannot be written takes those added with it along."""

    class Unwritable:
        id, source = "x", "tests"

        def as_conversation(self) -> None:
            """Neither."""

        def to_json(self) -> bytes:
            """Fails late."""
            raise StoreError("no")

    async with open_journal(tmp_path / "journal.db") as journal:
        with pytest.raises(StoreError):
            await journal.add("r", [talk("a", 3), Unwritable()])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
        assert (await journal.depth()).documents == 0


async def test_a_cancelled_addition_is_whole_or_nothing(tmp_path: Path) -> None:
    """At any instant of the cancellation the journal holds all of a group or none of it."""
    group = [talk(str(number), 20) for number in range(50)]
    async with open_journal(tmp_path / "journal.db") as journal:
        for wait in (0.0, 0.0005, 0.002, 0.01):
            before = (await journal.depth()).documents
            with anyio.move_on_after(wait):
                await journal.add("r", group)
            assert (await journal.depth()).documents in (before, before + 50)


async def test_runs_are_remembered(tmp_path: Path) -> None:
    """The last that ended come first, with their counts; abandoned ones are ended unless something waits."""
    async with open_journal(tmp_path / "journal.db") as journal:
        for run in ("one", "two", "left", "waits"):
            await journal.runs.begin(run, "tests")
        await journal.add("waits", [talk("a", 1)])
        await journal.runs.end("one", "ok", {"added": 3})
        await journal.runs.end_abandoned()
        told = await journal.runs.last(10)
        assert {run.run: run.outcome for run in told} == {"one": "ok", "two": "partial", "left": "partial"}
        assert next(run.counts for run in told if run.run == "one") == {"added": 3}
        assert len(await journal.runs.last(1)) == 1


async def test_an_empty_journal_gives_its_room_back(tmp_path: Path) -> None:
    """Nothing of what passed through is left in the file after it was closed."""
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.add("r", [talk(str(number), 200, words="zebrawood") for number in range(20)])
        await journal.done(await journal.take(10**6, 10**9))
    assert b"zebrawood" not in path.read_bytes()
    assert path.stat().st_size < 150_000


async def test_the_file_is_private(tmp_path: Path) -> None:
    """0600, whatever the umask; what SQLite puts beside it too."""
    before = os.umask(0)
    try:
        async with open_journal(tmp_path / "journal.db") as journal:
            await journal.add("r", [talk("a", 1)])
            assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    finally:
        os.umask(before)


async def test_other_files_are_refused(tmp_path: Path) -> None:
    """Garbage, another format and a folder: an error that says so, and the file stays as it is."""
    path = tmp_path / "journal.db"
    path.write_bytes(b"garbage" * 1000)
    with pytest.raises(StoreError, match="journal"):
        async with open_journal(path):
            pass
    assert path.read_bytes() == b"garbage" * 1000
    path.unlink()
    async with open_journal(path):
        pass
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="99"):
        async with open_journal(path):
            pass
    with pytest.raises(StoreError):
        async with open_journal(tmp_path):
            pass


async def test_pages_that_disagree_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    """A log cut short leaves an index without its rows: told on opening, and salvaged without a loss; a purge that is due stays so."""
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.add("r", [talk("a", 1), talk("b", 1)])
        await journal.owe_removal()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'entries_by_state'")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="never used"):
        async with open_journal(path):
            pass
    assert path.read_bytes() == before
    assert salvage(path)[0] == 2
    async with open_journal(path) as journal:
        assert [entry.document for entry in await journal.take(100, 10**9)] == [talk("a", 1), talk("b", 1)]
        assert await journal.purge_owed()


class Killed(BaseException):
    """The process ends here."""


def _killed_at(step: int, monkeypatch: pytest.MonkeyPatch, path: Path) -> bool:
    """Salvage ``path`` until the call of that number which changes a folder or a disk; whether it came so far."""
    calls = 0
    with monkeypatch.context() as patch:

        def counted(original: Callable[..., Any]) -> Callable[..., Any]:
            def call(*values: Any, **named: Any) -> Any:
                nonlocal calls
                calls += 1
                if calls == step:
                    raise Killed
                return original(*values, **named)

            return call

        for name in ("rename", "replace", "unlink", "link", "fsync"):
            patch.setattr(os, name, counted(getattr(os, name)))
        try:
            salvage(path)
        except Killed:
            return True
    return False


async def test_a_salvage_that_is_killed_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At any of its steps: what was acknowledged is in the journal that is opened next, or after another salvage, and
    the damaged one is put aside. What was put aside earlier stays.
    """
    made = tmp_path / "made"
    made.mkdir()
    async with open_journal(made / "journal.db") as journal:
        await journal.add("r", [talk("a", 1)])
        await journal.add("r", [talk("b", 1)])
        with closing(sqlite3.connect(made / "journal.db")) as connection, connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("DELETE FROM sqlite_schema WHERE name = 'entries_by_state'")
        files = {name: (made / name).read_bytes() for name in ("journal.db", "journal.db-wal")}
    assert b"message 0 of b" in files["journal.db-wal"]
    for step in range(1, 100):
        folder = tmp_path / str(step)
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        (folder / "journal.db.damaged-1").write_bytes(b"earlier")
        path = folder / "journal.db"
        killed = _killed_at(step, monkeypatch, path)
        try:
            async with open_journal(path) as journal:
                kept = await journal.take(100, 10**9)
        except StoreError:
            assert killed
            assert salvage(path)[0] == 2
            async with open_journal(path) as journal:
                kept = await journal.take(100, 10**9)
        assert [entry.document for entry in kept] == [talk("a", 1), talk("b", 1)], step
        assert (folder / "journal.db.damaged-1").read_bytes() == b"earlier"
        aside = b"".join(each.read_bytes() for each in folder.glob("journal.db.damaged-2*"))
        assert b"message 0 of a" in aside
        assert b"message 0 of b" in aside
        assert not [each.name for each in folder.iterdir() if each.name.endswith((".salvaged", "-3", "-3-wal"))]
        if not killed:
            break
    else:
        raise AssertionError("it never came to its end")
    assert step > 5


async def test_a_text_that_is_no_document_any_more_is_told_apart(tmp_path: Path) -> None:
    """A damaged body does not stop the others."""
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.add("r", [talk("a", 1), talk("b", 1)])
    connection = sqlite3.connect(path)
    connection.execute("UPDATE entries SET body = '{' WHERE seq = 1")
    connection.commit()
    connection.close()
    async with open_journal(path) as journal:
        first, second = await journal.take(100, 10**6)
        assert first.document is None
        assert second.document == talk("b", 1)


FORMAT_2 = """
CREATE TABLE entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL,
    messages INTEGER NOT NULL, bytes INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT '', state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'dead')),
    added REAL NOT NULL, crc INTEGER NOT NULL
);
CREATE INDEX entries_by_state ON entries (state, seq, messages, bytes, added);
CREATE TABLE runs (
    run TEXT PRIMARY KEY, source TEXT NOT NULL, begun REAL NOT NULL, ended REAL, outcome TEXT,
    counts TEXT NOT NULL DEFAULT '{}'
) WITHOUT ROWID;
"""
"""The journal's tables as memd 0.2 made them."""


def older_journal(path: Path, version: int) -> None:
    """A journal of an older format: two documents wait, one run has ended."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(FORMAT_2)
        for document in (talk("a", 2), talk("b", 2)):
            body = document.to_json()
            connection.execute(
                "INSERT INTO entries (run, key, body, messages, bytes, added, crc) VALUES ('r', ?, ?, 2, ?, 1.0, ?)",
                (f"tests\n{document.id}", body, len(body), zlib.crc32(body)),
            )
        connection.execute("INSERT INTO runs VALUES ('old', 'ingest', 1.0, 2.0, 'ok', '{\"added\": 4}')")
        if version == 1:
            connection.execute("ALTER TABLE entries DROP COLUMN crc")
        connection.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize("version", [1, 2])
async def test_an_older_journal_comes_along_as_it_is(tmp_path: Path, version: int) -> None:
    """Documents, checksums, runs; and what is new works in it."""
    path = tmp_path / "journal.db"
    older_journal(path, version)
    async with open_journal(path) as journal:
        assert [entry.document for entry in await journal.take(100, 10**9)] == [talk("a", 2), talk("b", 2)]
        assert await journal.check() == ("", 0)
        assert [(run.run, run.counts, run.job) for run in await journal.runs.last(9)] == [("old", {"added": 4}, "")]
        await journal.runs.begin("new", "chats", RunOrigin("source:chats", "schedule", 5.0))
        await journal.runs.end("new", "ok", {})
        assert [run.due for run in await journal.runs.last(9, job="source:chats")] == [5.0]


async def test_a_journal_of_format_3_learns_notices(tmp_path: Path) -> None:
    """What it knows of sources stays; of runs, what a reader should know can be kept."""
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.runs.begin("r", "chats", RunOrigin("source:chats"))
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, column in (
            ("runs", "notices"),
            ("source_files", "format"),
            ("source_files", "note"),
            ("entries", "place"),
        ):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.execute(
            "INSERT INTO source_files (source, key, size, modified, digest, seen) VALUES ('chats', x'01', 1, 1, x'02', 1)"
        )
        connection.execute("PRAGMA user_version = 3")
    async with open_journal(path) as journal:
        await journal.runs.note_notices(
            "r", [{"code": "zone-assumed", "count": 2, "hint": "h", "places": ["/home/Bob.txt"]}]
        )
        await journal.runs.end("r", "ok", {})
        assert await journal.runs.notices("r") == [{"code": "zone-assumed", "count": 2, "hint": "h", "places": []}]
        found = await journal.run(lambda each: each.execute("SELECT key, format, note FROM source_files").fetchall())
        assert found == [(b"\x01", None, "")]


@pytest.mark.parametrize("version", [1, 2])
async def test_an_older_journal_that_is_damaged_is_salvaged(tmp_path: Path, version: int) -> None:
    """Its documents are in the new one."""
    path = tmp_path / "journal.db"
    older_journal(path, version)
    assert salvage(path)[0] == 2
    async with open_journal(path) as journal:
        assert [entry.document for entry in await journal.take(100, 10**9)] == [talk("a", 2), talk("b", 2)]


async def test_a_salvage_tells_what_the_new_journal_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what the damaged one cannot give is left out; a column that an older one lacks takes nothing along."""
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.run(
            lambda connection: connection.execute("INSERT INTO sources (name, settings, added) VALUES ('a', '{}', 1)")
        )
    monkeypatch.setitem(schema.SALVAGED, "sources", ("name", "settings", "added", "later"))
    assert salvage(path)[0] == 0
    async with open_journal(path) as journal:
        assert await journal.run(lambda connection: connection.execute("SELECT name FROM sources").fetchall()) == [
            ("a",)
        ]
    monkeypatch.setattr(database, "_rows_of", lambda *_: iter([{"nowhere": 1}]))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with pytest.raises(StoreError):
        salvage(path)


async def test_a_changed_letter_is_noticed(tmp_path: Path) -> None:
    """A text that is still JSON, but not what was written, is no document."""
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.add("r", [talk("a", 2), talk("b", 2)])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE entries SET body = CAST(replace(CAST(body AS TEXT), 'topic', 'tonic') AS BLOB) WHERE seq = 1"
        )
    async with open_journal(path) as journal:
        assert [entry.document is not None for entry in await journal.take(100, 10**9)] == [False, True]
        assert await journal.check() == ("", 1)
    kept, aside = salvage(path)
    assert (kept, aside.name) == (1, "journal.db.damaged-1")


async def test_what_is_known_of_sources_survives_a_damaged_journal(tmp_path: Path) -> None:
    """Sources, when they ran, and their files are in the new one."""
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.runs.begin("one", "chats", RunOrigin("source:chats", "schedule", 5.0))
        await journal.run(lambda connection: connection.execute("INSERT INTO sources VALUES ('chats', '{}', 1.0)"))
        member = Membership("INBOX", 7, 1, ("INBOX",), "d", "m")
        changes = MembershipChanges("source:chats", "imap ann", {"d": UUID(int=1)}, members=[member])
        await journal.run(lambda connection: changes.save(connection, "one", {UUID(int=1)}))
    salvage(path)
    async with open_journal(path) as journal:
        tables = (
            "SELECT name FROM sources",
            "SELECT job, due FROM jobs",
            "SELECT job, f.folder, validity, tag, number, document FROM account_folders f JOIN memberships m ON m.folder = f.id",
            "SELECT tag, run FROM tag_checks",
        )
        found = [
            await journal.run(lambda connection, each=each: connection.execute(each).fetchall()) for each in tables
        ]
    place = ("source:chats", "INBOX", 7, "INBOX", 1, UUID(int=1).bytes)
    assert found == [[("chats",)], [("source:chats", 5.0)], [place], [("INBOX", "one")]]


async def test_runs_are_pruned_by_age_but_the_last_of_a_job_stays(tmp_path: Path) -> None:
    """A job that has not run for long still tells how it ended."""
    async with open_journal(tmp_path / "journal.db") as journal:
        for run, job in (("a", ""), ("b", "source:x"), ("c", "source:x"), ("d", "source:y")):
            await journal.runs.begin(run, "x", RunOrigin(job, "schedule"))
            await journal.runs.end(run, "ok", {})
        assert await journal.runs.prune(time.time() + 1) == 2
        assert {run.run for run in await journal.runs.last(9)} == {"c", "d"}


async def test_a_buffer_holds_documents_back(tmp_path: Path) -> None:
    """They count as waiting, and are not taken; what is written along is in the same transaction, or not at all."""
    async with open_journal(tmp_path / "journal.db") as journal:
        await journal.add("r", [talk("a", 1)], buffer="session")
        assert (await journal.depth()).documents == 1
        assert await journal.take(9, 10**6) == []

        def fails(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO jobs (job, cursor) VALUES ('source:x', 'next')")
            raise StoreError("no")

        with pytest.raises(StoreError):
            await journal.add("r", [talk("b", 1)], along=fails)
        assert (await journal.depth()).documents == 1
        assert await journal.run(lambda connection: connection.execute("SELECT * FROM jobs").fetchall()) == []


async def test_a_purge_overwrites_what_was_removed_and_what_was_put_aside(tmp_path: Path) -> None:
    """While the journal is open: not in the file, not in its log, not in damaged journals beside it."""
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.add("r", [talk("a", 50, words="zebrawood"), talk("b", 5)])
        await journal.add("r", [talk("c", 5)])
        (tmp_path / "journal.db.damaged-1").write_bytes(path.read_bytes())
        (tmp_path / "journal.db.damaged-1-wal").write_bytes(b"zebrawood")
        (tmp_path / "journal.db.new").write_bytes(b"zebrawood")
        assert traces(tmp_path, "zebrawood")
        named = await journal.scan(lambda document: document.id)
        await journal.replace({number: None for number, name in named if name == "talk:a"})
        assert await journal.purge_owed()
        assert await journal.purge()
        assert traces(tmp_path, "zebrawood") == {}
        assert not await journal.purge_owed()
        assert [entry.document for entry in await journal.take(100, 10**9)] == [talk("b", 5), talk("c", 5)]


@pytest.mark.slow
async def test_a_purge_that_a_reader_prevents_stays_due_until_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller is told, the journal works on, and the note survives the owner."""
    monkeypatch.setattr(sqlite_wal, "WAIT_SECONDS", 0.2)
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        async with open_journal(path) as journal:
            await journal.add("r", [talk("a", 5, words="zebrawood")])
            reader.execute("BEGIN")
            assert reader.execute("SELECT count(*) FROM entries").fetchone() == (1,)
            await journal.replace({1: None})
            assert not await journal.purge()
            assert await journal.purge_owed()
            await journal.add("r", [talk("b", 5)])
            assert traces(tmp_path, "zebrawood")
        async with open_journal(path) as journal:
            assert await journal.purge_owed()
            reader.execute("ROLLBACK")
            assert await journal.purge()
            assert not await journal.purge_owed()
            assert traces(tmp_path, "zebrawood") == {}


@pytest.mark.slow
async def test_a_purge_beside_a_reader_writes_the_file_anew_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each further try, also a later owner's, only empties the log; what is removed since is rewritten again."""
    monkeypatch.setattr(sqlite_wal, "WAIT_SECONDS", 0.2)
    path = tmp_path / "journal.db"
    said: list[str] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        async with open_journal(path) as journal:
            await journal.run(lambda connection: connection.set_trace_callback(said.append))
            await journal.add("r", [talk("a", 5, words="zebrawood"), talk("b", 5)])
            reader.execute("BEGIN")
            assert reader.execute("SELECT count(*) FROM entries").fetchone() == (2,)
            await journal.replace({1: None})
            assert not await journal.purge()
            assert not await journal.purge()
            assert said.count("VACUUM") == 1
        async with open_journal(path) as journal:
            await journal.run(lambda connection: connection.set_trace_callback(said.append))
            assert await journal.purge_owed()
            assert not await journal.purge()
            assert said.count("VACUUM") == 1
            await journal.replace({2: None})
            assert not await journal.purge()
            reader.execute("ROLLBACK")
            assert await journal.purge()
            assert said.count("VACUUM") == 2
            assert not await journal.purge_owed()
            assert traces(tmp_path, "zebrawood") == {}


async def test_the_journal_is_used_while_a_purge_waits_for_a_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two tries to empty the log others have their turn."""
    monkeypatch.setattr(sqlite_wal, "WAIT_SECONDS", 90)
    path = tmp_path / "journal.db"
    said: list[str] = []
    async with open_journal(path) as journal:
        await journal.run(lambda connection: connection.set_trace_callback(said.append))
        await journal.add("r", [talk("a", 5)])
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM entries").fetchone()
            await journal.replace({1: None})
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(journal.purge)
                with anyio.fail_after(60):
                    while "VACUUM" not in said:
                        await anyio.sleep(0.01)
                    await journal.add("r", [talk("b", 5)])
                reader.execute("ROLLBACK")
        assert not await journal.purge_owed()
        assert [entry.document for entry in await journal.take(100, 10**9)] == [talk("b", 5)]


def test_every_commit_is_flushed_to_the_disk(tmp_path: Path) -> None:
    """SQLite flushes its write-ahead log with each commit at the level FULL (2), and with none at the levels below."""
    with closing(database.open_file(tmp_path / "journal.db")) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
