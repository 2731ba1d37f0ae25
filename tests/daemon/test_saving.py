"""Backups: taken while documents come in, incremental, verified, pruned; restored whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import zlib
from contextlib import closing
from datetime import UTC
from hashlib import sha256
from pathlib import Path
from typing import Any

import anyio
import orjson
import pytest

from memd.daemon.app import open_app
from memd.daemon.backup import blocks
from memd.daemon.backup.create import list_backups, make_backup, verify_backups
from memd.daemon.backup.repository import MARK, open_repository
from memd.daemon.backup.restore import restore_backup
from memd.daemon.cli import main
from memd.daemon.config.paths import REMEMBERED
from memd.daemon.operation_progress import OperationProgress
from memd.daemon.service.requests import BackupRequest, parse
from memd.daemon.service.service import Service
from memd.memory.store.backup import copy_database
from memd.schemas import Query
from memd.schemas.errors import BusyError, InvalidError, NotFoundError, StoreError
from memd.tests.cases import for_each
from memd.tests.daemon.house import talk
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio


def silent(step: OperationProgress) -> None:
    """Nobody looks."""
    del step


def never() -> None:
    """Nobody cancels."""


def saved(data: Path, folder: Path, keep: int | None = None) -> dict[str, Any]:
    """A backup of a directory that nobody owns at the moment."""
    return make_backup(data, folder, keep, silent, never)


def restored(folder: Path, target: Path, name: str | None = None) -> dict[str, Any]:
    """The newest snapshot, or the one of that name."""
    return restore_backup(folder, name, target, silent)


async def filled(folder: Path, *names: str, count: int = 30) -> Path:
    """A data directory with talks of these names."""
    async with open_app(words_only(folder), serve=False) as service:
        await ingest(service, *(talk(name, count) for name in names))
    return folder


def blocks_in(folder: Path) -> list[Path]:
    """All blocks of a backup."""
    return sorted(path for path in (folder / "blocks").rglob("*") if path.is_file())


@pytest.mark.slow
async def test_a_backup_holds_everything_and_is_private(tmp_path: Path) -> None:
    """The restored memory answers alike; nobody else may enter or read."""
    data = await filled(tmp_path / "data", "a", "b")
    (data / REMEMBERED).write_text('{"whatsapp": "Ann"}')
    done = saved(data, tmp_path / "deep" / "backups")
    assert (done["documents"], done["messages"], done["snapshots"]) == (2, 60, 1)
    assert restored(tmp_path / "deep" / "backups", tmp_path / "new")["messages"] == 60
    assert (tmp_path / "new" / REMEMBERED).read_text() == '{"whatsapp": "Ann"}'
    (data / REMEMBERED).chmod(0o600)
    async with (
        open_app(words_only(data), serve=False) as one,
        open_app(words_only(tmp_path / "new"), serve=False) as other,
    ):
        with anyio.fail_after(60):
            while any((await other.stats())["index_lag"].values()):
                await anyio.sleep(0.02)
        for text in ("message 3 of a", "topic", "b speaks"):
            ours, theirs = await one.query(Query(text=text)), await other.query(Query(text=text))
            assert ours.hits == theirs.hits
            assert ours.hits
    for folder in (tmp_path / "deep" / "backups", tmp_path / "new"):
        for path in (folder, *folder.rglob("*")):
            if not path.is_socket():
                assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.slow
async def test_what_did_not_change_is_not_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second backup of the same state writes nothing, one of a little more writes little."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 32 * 1024)  # so that a small memory has several
    data = await filled(tmp_path / "data", "a", "b")
    first = saved(data, tmp_path / "b")
    assert first["bytes_new"] == first["bytes"] > 3 * blocks.BLOCK_BYTES
    assert first["bytes_written"] < first["bytes"]
    second = saved(data, tmp_path / "b")
    assert (second["bytes_new"], second["bytes_written"], second["snapshots"]) == (0, 0, 2)
    assert second["bytes_stored"] == first["bytes_stored"]


@pytest.mark.slow
async def test_a_backup_during_an_ingest_loses_no_acknowledged_message(tmp_path: Path) -> None:
    """Whatever was acknowledged before it began is in it, in the journal or in the store."""
    data, folder = tmp_path / "data", tmp_path / "b"
    acknowledged: list[str] = []
    before: list[list[str]] = []
    async with open_app(words_only(data), serve=False) as service, anyio.create_task_group() as tasks:
        tasks.start_soon(_feed, service, acknowledged)
        while len(before) < 3:
            await anyio.sleep(0.02)
            if len(acknowledged) > 5 * len(before):
                before.append(list(acknowledged))
                with anyio.fail_after(60):
                    await service.backups.add(BackupRequest(directory=str(folder)), silent)
        tasks.cancel_scope.cancel()
    assert verify_backups(folder, silent)["damaged"] == {}
    for number, line in enumerate(list_backups(folder)["snapshots"]):
        restored(folder, tmp_path / f"new{number}", line["snapshot"])
        async with open_app(words_only(tmp_path / f"new{number}"), serve=False) as service:
            with anyio.fail_after(60):
                while (await service.stats())["queue"]["depth"]:
                    await anyio.sleep(0.02)
            for name in before[number]:
                assert await service.document(f"talk:{name}") == talk(name, 20).to_wire()
            assert (await service.stats())["messages"] == 20 * (await service.stats())["documents"]


async def _feed(service: Service, acknowledged: list[str]) -> None:
    for number in range(10_000):
        run = await service.pipeline.begin("tests")
        await service.pipeline.accept(run, [talk(f"n{number}", 20)])
        acknowledged.append(f"n{number}")
        await service.pipeline.finish(run)


@pytest.mark.slow
async def test_a_cancelled_backup_leaves_only_what_the_next_cleans(tmp_path: Path) -> None:
    """No snapshot, no temporary copy; blocks without a snapshot go."""
    data = await filled(tmp_path / "data", "a")

    class EnoughError(Exception):
        """Somebody went away."""

    for after in range(0, 12, 3):
        calls = iter(range(after))

        def cancelled(calls: Any = calls) -> None:
            if next(calls, None) is None:
                raise EnoughError

        try:
            make_backup(data, tmp_path / "b", None, silent, cancelled)
        except EnoughError:
            assert list_backups(tmp_path / "b")["snapshots"] == []
        assert not [path for path in (tmp_path / "b").iterdir() if path.name.startswith("copy-")]
        for path in (tmp_path / "b" / "snapshots").iterdir():
            path.unlink()
    (tmp_path / "b" / "copy-left").mkdir()
    (tmp_path / "b" / "copy-left" / "store").write_bytes(b"private")
    stray = tmp_path / "b" / "blocks" / "ab" / ("ab" * 32)
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"0left")
    saved(data, tmp_path / "b")
    assert not stray.exists()
    assert not (tmp_path / "b" / "copy-left").exists()
    assert verify_backups(tmp_path / "b", silent)["damaged"] == {}


@pytest.mark.slow
async def test_keep_drops_old_snapshots_and_the_blocks_that_only_they_had(tmp_path: Path) -> None:
    """The newest stay, whatever the clock says, and each can be restored."""
    data = await filled(tmp_path / "data", "a")
    names = [saved(data, tmp_path / "b")["snapshot"]]
    done: dict[str, Any] = {}
    for number in range(3):
        await filled(data, f"more{number}")
        done = saved(data, tmp_path / "b", keep=2)
        names.append(done["snapshot"])
    assert [line["snapshot"] for line in list_backups(tmp_path / "b")["snapshots"]] == names[-2:]
    assert done["pruned"] == [names[1]]
    assert done["bytes_freed"] > 0
    used = {block for name in names[-2:] for block in _blocks_of(tmp_path / "b", name)}
    assert {path.name for path in blocks_in(tmp_path / "b")} == used
    assert restored(tmp_path / "b", tmp_path / "older", names[-2])["messages"] == 90
    assert restored(tmp_path / "b", tmp_path / "newer")["messages"] == 120
    with pytest.raises(NotFoundError):
        restored(tmp_path / "b", tmp_path / "x", names[0])


def _blocks_of(folder: Path, name: str) -> set[str]:
    with open_repository(folder, create=False) as vault:
        return {block for file in vault.snapshot(name).files for block in file.blocks}


@pytest.fixture(scope="module")
def backed_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory ``data`` and its backup ``b``."""
    folder = tmp_path_factory.mktemp("backed-up")
    anyio.run(filled, folder / "data", "a")
    saved(folder / "data", folder / "b")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["flip", "truncate", "delete", "empty", "bomb"])
async def test_a_damaged_block_is_found_and_mended_by_the_next_backup(
    tmp_path: Path, backed_up: Path, harm: str
) -> None:
    """Verify and restore name the snapshot, nothing is left half restored; what the memory still has is written anew."""
    data = shutil.copytree(backed_up / "data", tmp_path / "data")
    shutil.copytree(backed_up / "b", tmp_path / "b")
    (name,) = [each["snapshot"] for each in list_backups(tmp_path / "b")["snapshots"]]
    block = max(blocks_in(tmp_path / "b"), key=lambda path: path.stat().st_size)
    body = block.read_bytes()
    data_of = zlib.decompress(body[1:])
    flipped = b"0" + data_of[:4096] + bytes([data_of[4096] ^ 1]) + data_of[4097:]
    bomb = b"z" + zlib.compress(bytes(8 * blocks.BLOCK_BYTES))
    block.unlink()
    if harm != "delete":
        block.write_bytes({"flip": flipped, "truncate": body[:-9], "empty": b"", "bomb": bomb}[harm])
    with pytest.raises(StoreError, match=name) as raised:
        restored(tmp_path / "b", tmp_path / "new")
    assert "--verify" in raised.value.hint
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "data"]
    before = everything_in(tmp_path / "b")
    assert list(verify_backups(tmp_path / "b", silent)["damaged"]) == [name]
    assert everything_in(tmp_path / "b") == before
    assert saved(data, tmp_path / "b")["bytes_new"] > 0
    assert verify_backups(tmp_path / "b", silent)["damaged"] == {}
    restored(tmp_path / "b", tmp_path / "new", name)
    aside = {path: body for path, body in everything_in(tmp_path / "b").items() if path.endswith(".damaged")}
    harmed = (
        {}
        if harm == "delete"
        else {f"{block.relative_to(tmp_path / 'b')}.damaged": before[str(block.relative_to(tmp_path / "b"))]}
    )
    assert aside == harmed
    shutil.rmtree(tmp_path / "new")
    await filled(data, "b")
    for path in (tmp_path / "b" / "snapshots").iterdir():
        path.unlink()
    saved(data, tmp_path / "b", keep=1)
    with open_repository(tmp_path / "b", create=False) as vault:
        named = {each for each in vault.names() for file in vault.snapshot(each).files for each in file.blocks}
    assert all(path.name.partition(".")[0] in named for path in blocks_in(tmp_path / "b"))


@pytest.mark.slow
@pytest.mark.parametrize("which", ["block", "snapshot"])
async def test_what_cannot_be_read_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str) -> None:
    """An error of the disk is told as one, nothing is renamed or removed, and once it is over all is whole."""
    data = await filled(tmp_path / "data", "a")
    name = saved(data, tmp_path / "b")["snapshot"]
    before = everything_in(tmp_path / "b")
    failing = max(blocks_in(tmp_path / "b"), key=lambda path: path.stat().st_size)
    failing = failing if which == "block" else tmp_path / "b" / "snapshots" / f"{name}.json"
    read = Path.read_bytes

    def broken(path: Path) -> bytes:
        if path == failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return read(path)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", broken)
        found = verify_backups(tmp_path / "b", silent)
        assert (found["damaged"], list(found["unreadable"])) == ({}, [name])
        with pytest.raises(StoreError, match="Input/output error") as raised:
            restored(tmp_path / "b", tmp_path / "new")
        assert (raised.value.meaning.code, raised.value.meaning.retryable) == ("STORE", True)
        assert "check the disk" in raised.value.hint
        if which == "block":
            with pytest.raises(StoreError, match="Input/output error"):
                saved(data, tmp_path / "b")
        assert backup_command(tmp_path / "b", "--verify") == 6
        assert backup_command(tmp_path / "b", "--list") == 0
    assert everything_in(tmp_path / "b") == before
    assert backup_command(tmp_path / "b", "--verify") == 0
    restored(tmp_path / "b", tmp_path / "new")


def backup_command(*words: str | Path) -> int:
    """The exit code of `memd backup` with these words."""
    return main(["backup", *map(str, words)])


def everything_in(folder: Path) -> dict[str, bytes]:
    """All files of a backup, by their place in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def test_a_damaged_snapshot_is_named_and_takes_no_blocks_with_it(tmp_path: Path) -> None:
    """It is listed as damaged; nothing is swept while nobody knows which blocks are its own."""
    data = await filled(tmp_path / "data", "a")
    name = saved(data, tmp_path / "b")["snapshot"]
    path = tmp_path / "b" / "snapshots" / f"{name}.json"
    whole = path.read_bytes()
    before = blocks_in(tmp_path / "b")
    for harmed in (whole[:-20], whole.replace(b'"size": ', b'"size": 1'), b"[]", b"\xff"):
        path.write_bytes(harmed)
        assert "damaged" in list_backups(tmp_path / "b")["snapshots"][0]
        assert list(verify_backups(tmp_path / "b", silent)["damaged"]) == [name]
        with pytest.raises(StoreError, match="damaged"):
            restored(tmp_path / "b", tmp_path / "new")
        saved(data, tmp_path / "b", keep=2)
        assert set(before) <= set(blocks_in(tmp_path / "b"))
        for other in (tmp_path / "b" / "snapshots").iterdir():
            if other != path:
                other.unlink()


@pytest.mark.slow
async def test_nothing_foreign_is_ever_overwritten(tmp_path: Path) -> None:
    """Folders with other things, the data directory itself, and data directories that hold a memory are refused."""
    data = await filled(tmp_path / "data", "a")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("")
    (tmp_path / "link").symlink_to(data)
    for folder in (tmp_path / "mine", data, data / "inside", tmp_path / "link" / "inside"):
        with pytest.raises(InvalidError):
            saved(data, folder)
    with pytest.raises(StoreError):
        saved(data, tmp_path / "mine" / "thesis.tex")
    with pytest.raises(InvalidError):
        list_backups(tmp_path / "mine")
    saved(data, tmp_path / "b")
    for target in (data, tmp_path / "mine"):
        with pytest.raises(InvalidError):
            restored(tmp_path / "b", target)
    (tmp_path / "empty").mkdir()
    restored(tmp_path / "b", tmp_path / "empty")
    with pytest.raises(InvalidError, match="holds a memory"):
        restored(tmp_path / "b", tmp_path / "empty")


@pytest.mark.slow
async def test_two_at_once_and_newer_formats_are_refused(tmp_path: Path) -> None:
    """With what to do about it."""
    data = await filled(tmp_path / "data", "a")
    name = saved(data, tmp_path / "b")["snapshot"]
    with open_repository(tmp_path / "b", create=True), pytest.raises(BusyError):
        saved(data, tmp_path / "b")
    with open_repository(tmp_path / "b", create=False) as vault:
        found = vault.snapshot(name)
        found.formats["store"] = 99
        vault.add(found)
    with pytest.raises(StoreError, match="format 99"):
        restored(tmp_path / "b", tmp_path / "new")
    (tmp_path / "b" / MARK).write_bytes(orjson.dumps({"memd": "backup", "format": 99}))
    with pytest.raises(StoreError, match="format 99"):
        list_backups(tmp_path / "b")
    (tmp_path / "b" / MARK).write_bytes(b"{}")
    with pytest.raises(StoreError, match="damaged"):
        list_backups(tmp_path / "b")


@for_each([{}, {"directory": "relative"}, {"directory": "/x\0"}, {"directory": "/x", "keep": 0}, {"directory": 1}])
def test_a_request_that_makes_no_sense_is_refused(body: dict[str, Any]) -> None:
    """Before anything is touched."""
    with pytest.raises(InvalidError):
        parse(BackupRequest, body, UTC)


@pytest.mark.slow
def test_a_copy_is_one_state_while_others_write(tmp_path: Path) -> None:
    """Commits between two steps of the copying are not in it, and do not make it begin anew."""
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE t (x)")
        writer.executemany("INSERT INTO t VALUES (?)", [(os.urandom(4000),) for _ in range(3000)])
        steps: list[int] = []

        def step(done: int, pages: int) -> None:
            del pages
            steps.append(done)
            writer.execute("INSERT INTO t VALUES (zeroblob(4000))")

        copy_database(tmp_path / "a.db", tmp_path / "b.db", step)
        assert len(steps) > 2
        assert steps == sorted(steps)
        (count,) = writer.execute("SELECT count(*) FROM t").fetchone()
    with closing(sqlite3.connect(tmp_path / "b.db")) as copy:
        assert copy.execute("SELECT count(*) FROM t").fetchone() == (3000,)
        assert count == 3000 + len(steps)


@pytest.mark.slow
async def test_whoever_goes_away_ends_the_backup(tmp_path: Path) -> None:
    """A cancelled request stops between two steps, and another can begin at once."""
    async with open_app(words_only(tmp_path / "data"), serve=False) as service:
        await ingest(service, talk("a", 200))
        body = {"directory": str(tmp_path / "b")}
        for stage in ("copying the journal", "copying the store", "writing"):
            with anyio.CancelScope() as scope:

                def tell(step: OperationProgress, scope: anyio.CancelScope = scope, stage: str = stage) -> None:
                    if step.stage == stage:
                        scope.cancel()

                await service.backups.add(BackupRequest.model_validate(body), tell)
            assert scope.cancelled_caught
            assert list_backups(tmp_path / "b")["snapshots"] == []
        assert (await service.backups.add(BackupRequest.model_validate(body), silent))["messages"] == 200


@pytest.mark.slow
async def test_a_backup_can_be_read_without_memd(tmp_path: Path) -> None:
    """As the documentation says: unpack the blocks, put them together, and the hash is the file's."""
    data = await filled(tmp_path / "data", "a")
    name = saved(data, tmp_path / "b")["snapshot"]
    for file in orjson.loads((tmp_path / "b" / "snapshots" / f"{name}.json").read_bytes())["files"]:
        bodies = [(tmp_path / "b" / "blocks" / block[:2] / block).read_bytes() for block in file["blocks"]]
        whole = b"".join(zlib.decompress(body[1:]) if body[:1] == b"z" else body[1:] for body in bodies)
        assert (len(whole), sha256(whole).hexdigest()) == (file["size"], file["sha256"])
