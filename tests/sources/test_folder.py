"""A folder as a source: what is new in it is read once, whole, and nothing else happens to it."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.daemon.app import open_app
from memd.daemon.cli.render.sources import history_line, source_lines
from memd.daemon.config.settings import Settings
from memd.daemon.journal.receipts import receipt_of
from memd.daemon.operation_progress import OperationProgress
from memd.daemon.service.requests import (
    AddSourceRequest,
    ChangeSourceRequest,
    PauseSourceRequest,
    RunsRequest,
    SourceRequest,
    SyncRequest,
    UndoImportRequest,
)
from memd.daemon.service.service import Service
from memd.daemon.sources import export_reader, folder_reader, repository
from memd.daemon.sources.folder_scan import digest_of, scan_folder
from memd.schemas import Query
from memd.schemas.errors import InvalidError, NotFoundError
from memd.tests.daemon.house import wire
from memd.tests.moved_clock import move_timetable

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


def chat(name: str, *texts: str, first: int = 0) -> str:
    """A WhatsApp export, a message a minute from the minute ``first`` of an hour on."""
    lines = [f"15/01/2024, 12:{first + number:02} - {name}: {text}" for number, text in enumerate(texts)]
    return "\n".join(["15/01/2024, 11:59 - Ann: hello", *lines]) + "\n"


class Folder:
    """A folder that is a source, and its memory."""

    def __init__(self, root: Path, service: Service) -> None:
        self.root = root
        self.service = service

    def put(self, name: str, content: str | bytes) -> Path:
        """Write a file at once, as a move into the folder does; old enough to be complete."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        then = path.stat().st_mtime - 60
        os.utime(path, (then, then))
        return path

    async def sync(self, **more: Any) -> dict[str, Any]:
        """Read it now; returns what came of it."""
        with anyio.fail_after(120):
            told = await self.service.sources.sync(SyncRequest(wait=True, **more), nobody)
        (result,) = told["sources"]
        return {"processed": 0, "added": 0, "unchanged": 0, "rejected": 0, "detail": ""} | result

    async def show(self) -> dict[str, Any]:
        """How it is."""
        return wire(await self.service.sources.show("exports"))

    async def finds(self, text: str) -> bool:
        """Whether a message holds these words."""
        return any(text in hit.text for hit in (await self.service.query(Query(text=text))).hits)


def nobody(_progress: OperationProgress) -> None:
    """Nobody watches."""


def settings_in(folder: Path, **more: Any) -> Settings:
    """Words only; files are complete at once."""
    plain = {"data_dir": folder / "data", "embedding": {"enabled": False}, "facts": {"extractor": "off"}, "zone": "UTC"}
    return Settings.model_validate({**plain, "sync": {"settle_s": 0.2}, **more})


@asynccontextmanager
async def folder_in(tmp_path: Path, **source: Any) -> AsyncGenerator[Folder]:
    """A folder ``exports`` that is a source of that name."""
    root = tmp_path / "exports"
    root.mkdir(exist_ok=True)
    async with open_app(settings_in(tmp_path), serve=False) as service:
        try:
            await service.sources.repository.get("exports")
        except NotFoundError:
            request = AddSourceRequest(settings={"name": "exports", "path": str(root), **source})
            await service.sources.add(request)
        yield Folder(root, service)


async def test_what_is_new_is_read_once(tmp_path: Path) -> None:
    """Text, archive, notes in folders; the second time nothing, also after a restart; then only what changed."""
    async with folder_in(tmp_path) as folder:
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon", "in spring"))
        folder.put("vault/deep/plan.md", "# Plan\n\nbuy a zeppelin\n")
        with zipfile.ZipFile(folder.root / "WhatsApp Chat with Eve.zip", "w") as archive:
            archive.writestr("WhatsApp Chat with Eve.txt", chat("Eve", "my dog is called Rex"))
        os.utime(folder.root / "WhatsApp Chat with Eve.zip", (1, 1))
        first = await folder.sync()
        assert (first["outcome"], first["added"]) == ("ok", 6)
        for text in ("Lisbon", "zeppelin", "Rex"):
            assert await folder.finds(text)
        assert (await folder.sync())["processed"] == 0
        assert (await folder.show())["files"] == {"known": 3, "unreadable": 0, "incomplete": 0, "left_out": 0}
    async with folder_in(tmp_path) as folder:
        assert (await folder.sync())["processed"] == 0
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon", "in spring", "by train"))
        again = await folder.sync()
        assert (again["added"], again["processed"]) == (1, 4)
        everything = await folder.sync(again=True)
        assert (everything["added"], everything["unchanged"]) == (0, 7)


async def test_what_lies_beside_an_export_is_neither_its_flaw_nor_read_again(tmp_path: Path) -> None:
    """A picture is no damage of the calendar above it, and a damaged PDF is told for itself alone."""
    event = "BEGIN:VEVENT\r\nUID:e1\r\nDTSTART:20240610T080000Z\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\n"
    async with folder_in(tmp_path) as folder:
        folder.put("home.ics", f"BEGIN:VCALENDAR\r\n{event}END:VCALENDAR\r\n")
        folder.put("chat.txt", chat("Ann", "one"))
        folder.put("pictures/one.jpg", b"\xff\xd8\xff\xe0" + bytes(100))
        folder.put("papers/broken.pdf", b"%PDF-1.4\nnothing")
        assert (await folder.sync())["added"] == 3
        assert (await folder.show())["files"] == {"known": 3, "unreadable": 1, "incomplete": 0, "left_out": 0}


async def test_content_is_recognised(tmp_path: Path) -> None:
    """Touched, renamed, copied: not read again; a moved note is another note."""
    async with folder_in(tmp_path) as folder:
        path = folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        folder.put("a.md", "# one\n")
        await folder.sync()
        os.utime(path)
        os.utime(path, (5, 5))
        shutil.copy(path, folder.root / "other name.txt")
        (folder.root / "a.md").rename(folder.root / "b.md")
        os.utime(folder.root / "other name.txt", (7, 7))
        second = await folder.sync()
        assert second["added"] == 1
        assert (await folder.show())["files"]["known"] == 3


async def test_a_note_that_changed_back_is_what_its_file_is(tmp_path: Path) -> None:
    """Also while a copy holds the same words, which is read when the file changes; undoing a reading brings back those before."""
    async with folder_in(tmp_path) as folder:
        folder.put("n.txt", "a kayak over the quarry\n")
        await folder.sync()
        folder.put("copy.txt", "a kayak over the quarry\n")
        assert (await folder.sync())["added"] == 0
        for words in ("the zeppelin", "a kayak"):
            folder.put("n.txt", f"{words} over the quarry\n")
            run = await folder.sync()
            assert await folder.finds("a kayak")
            assert await folder.finds("the zeppelin") == (words == "the zeppelin")
        assert run["updated"] == 1
        plan = await folder.service.imports.undo(UndoImportRequest(run=run["run"], dry_run=True), nobody)
        await folder.service.imports.undo(UndoImportRequest(run=run["run"], plan=plan["plan"], dry_run=False), nobody)
        assert await folder.finds("the zeppelin")


async def test_what_cannot_be_read_is_told_and_not_tried_for_ever(tmp_path: Path) -> None:
    """A damaged archive, no format at all; the rest is read; a better copy is read when it comes."""
    async with folder_in(tmp_path) as folder:
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        with zipfile.ZipFile(folder.root / "WhatsApp Chat with Eve.zip", "w") as archive:
            archive.writestr("WhatsApp Chat with Eve.txt", chat("Eve", "my dog is called Rex"))
        whole = (folder.root / "WhatsApp Chat with Eve.zip").read_bytes()
        folder.put("WhatsApp Chat with Eve.zip", whole[:-40])
        folder.put("x.bin", bytes(range(256)) * 10)
        first = await folder.sync()
        assert (first["outcome"], first["added"], first["rejected"]) == ("partial", 2, 1)
        assert [(each["path"].rpartition("/")[2], each["skipped"]) for each in first["skipped"]] == [
            ("x.bin", "not recognised"),
            ("WhatsApp Chat with Eve.zip", "the zip archive is cut off; copy or download it again"),
        ]
        shown = await folder.show()
        assert [each["path"] for each in shown["unreadable"]] == ["WhatsApp Chat with Eve.zip"]
        assert [(each["path"], each["reason"]) for each in shown["left_out"]] == [("x.bin", "not recognised")]
        assert all(each["reason"] and "exports" not in each["reason"].split()[0] for each in shown["unreadable"])
        assert "unreadable" in shown["flags"]
        second = await folder.sync()
        assert (second["outcome"], second["rejected"]) == ("ok", 0)
        assert "unreadable" in (await folder.show())["flags"]
        folder.put("WhatsApp Chat with Eve.zip", whole)
        assert (await folder.sync())["added"] == 2
        assert (await folder.show())["flags"] == []


async def test_what_nobody_recognises_is_left_out_beside_exports_alone(tmp_path: Path) -> None:
    """As by `memd ingest`: beside an export it makes no run partial; where nothing else is there, it is a mistake."""
    async with folder_in(tmp_path) as folder:
        folder.put("x.bin", bytes(range(256)) * 10)
        alone = await folder.sync()
        assert (alone["outcome"], alone["rejected"]) == ("partial", 1)
        assert (await folder.show())["flags"] == ["incomplete", "unreadable"]
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        folder.put("x.bin", bytes(range(256)) * 11)
        beside = await folder.sync()
        assert (beside["outcome"], beside["rejected"], len(beside["skipped"])) == ("ok", 0, 1)
        assert (await folder.show())["flags"] == []


async def test_a_folder_that_is_empty_or_gone_changes_nothing(tmp_path: Path) -> None:
    """Unmounted, or emptied: reported; when it is back, nothing is read twice."""
    async with folder_in(tmp_path) as folder:
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        await folder.sync()
        kept = tmp_path / "elsewhere"
        folder.root.rename(kept)
        gone = await folder.sync()
        assert (gone["outcome"], "mounted" in gone["detail"]) == ("failed", True)
        folder.root.mkdir()
        empty = await folder.sync()
        assert (empty["outcome"], "held 1 file before" in empty["detail"]) == ("failed", True)
        assert (await folder.show())["flags"] == ["failing"]
        assert await folder.finds("Lisbon")
        folder.root.rmdir()
        kept.rename(folder.root)
        back = await folder.sync()
        assert (back["outcome"], back["processed"]) == ("ok", 0)
        assert (await folder.show())["flags"] == []
        for path in folder.root.iterdir():
            path.unlink()
        assert (await folder.sync())["outcome"] == "failed"
        assert (await folder.sync(again=True))["outcome"] == "ok"
        assert (await folder.sync())["outcome"] == "ok"
        assert await folder.finds("Lisbon")


async def test_a_file_that_is_still_written_is_left_for_later(tmp_path: Path) -> None:
    """It grows between looks; its unfinished name is not looked at; when it is complete it is read."""
    async with folder_in(tmp_path) as folder:
        folder.put("Signal.txt.part", chat("Bob", "unfinished"))
        path = folder.root / "WhatsApp Chat with Bob.txt"
        path.write_text(chat("Bob", "I moved to Lisbon"))
        async with anyio.create_task_group() as tasks:

            async def write() -> None:
                for number in range(400):
                    with path.open("a") as file:
                        file.write(f"15/01/2024, 13:{number % 60:02} - Bob: more {number}\n")
                    await anyio.sleep(0.02)

            tasks.start_soon(write)
            first = await folder.sync()
            assert first["processed"] == 0
        os.utime(path, (9, 9))
        second = await folder.sync()
        assert second["added"] == 402
        assert not await folder.finds("unfinished")


async def test_another_chat_of_the_same_name_is_left_out(tmp_path: Path) -> None:
    """It is reported, and what is stored of the first stays as it is."""
    async with folder_in(tmp_path) as folder:
        folder.put("a/WhatsApp Chat with Family.txt", chat("Bob", *(f"the first chat {n}" for n in range(20))))
        await folder.sync()
        folder.put(
            "b/WhatsApp Chat with Family.txt",
            chat("Eve", *(f"quite another {n}" for n in range(20))).replace("hello", "hi"),
        )
        second = await folder.sync()
        assert (second["outcome"], second["added"]) == ("partial", 0)
        assert "`memd sources show exports` names them" in second["detail"]
        (left_out,) = (await folder.show())["unreadable"]
        assert (left_out["path"], "--chat" in left_out["reason"]) == ("b/WhatsApp Chat with Family.txt", True)
        assert not await folder.finds("quite another")


async def test_an_export_that_ends_its_reader_harms_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that reads is killed by one of three files, each time; that one is told, three times tried."""
    monkeypatch.setattr(export_reader, "_MODULE", "memd.tests.sources.fragile_reader")
    async with folder_in(tmp_path) as folder:
        for name in ("Ada", "Bob", "Eve"):
            folder.put(f"WhatsApp Chat with {name}.txt", chat(name, "KILL" if name == "Bob" else f"I am {name}"))
        for _ in range(3):
            told = await folder.sync()
            assert told["outcome"] == "partial"
            assert "signal 9" in (await folder.show())["unreadable"][0]["reason"]
            assert (await folder.finds("I am Ada"), await folder.finds("I am Eve")) == (True, True)
            assert [each["path"] for each in (await folder.show())["unreadable"]] == ["WhatsApp Chat with Bob.txt"]
        assert (await folder.sync())["outcome"] == "ok"


async def test_a_large_export_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than is held at once, in a folder with others: every message once."""
    monkeypatch.setattr(folder_reader, "HELD_BYTES", 20_000)
    monkeypatch.setattr(folder_reader, "BATCH_BYTES", 10_000)
    async with folder_in(tmp_path) as folder:
        lines = [
            f"{day:02}/03/2024, 10:{minute:02} - Bob: word{day}x{minute}"
            for day in range(1, 29)
            for minute in range(50)
        ]
        folder.put("WhatsApp Chat with Bob.txt", "\n".join(lines) + "\n")
        folder.put("WhatsApp Chat with Eve.txt", chat("Eve", "small"))
        assert (await folder.sync())["added"] == 1402
        assert (await folder.sync())["processed"] == 0


@pytest.mark.parametrize("after", ["move", "delete"])
async def test_exports_are_moved_or_deleted_only_where_that_is_wanted(tmp_path: Path, after: str) -> None:
    """And only those that were read without a flaw."""
    target = tmp_path / "done"
    more = {"after_read": after} | ({"move_to": str(target)} if after == "move" else {})
    async with folder_in(tmp_path, **more) as folder:
        good = folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        bad = folder.put("x.bin", bytes(range(256)) * 10)
        await folder.sync()
        assert (good.exists(), bad.exists()) == (False, True)
        assert await folder.finds("Lisbon")
        assert (target / good.name).exists() == (after == "move")
        bad.unlink()
        assert (await folder.sync())["outcome"] == "ok"  # an empty folder is what was wanted


async def test_an_export_that_could_not_be_moved_is_moved_later(tmp_path: Path) -> None:
    """It is told each time without its name, and everything is read all the same."""
    target = tmp_path / "done"
    target.write_text("no folder")
    async with folder_in(tmp_path, after_read="move", move_to=str(target)) as folder:
        names = [f"WhatsApp Chat with {name}.txt" for name in ("Bob", "Eve")]
        for name in names:
            folder.put(name, chat(name[19:22], f"I am {name[19:22]}"))
        for _ in range(2):
            result = await folder.sync()
            assert "2 exports were read and cannot be moved" in result["detail"]
            assert "Bob" not in result["detail"]
            assert (await folder.show())["flags"] == ["incomplete"]
        assert await folder.finds("I am Eve")
        target.unlink()
        assert (await folder.sync())["outcome"] == "ok"
        assert sorted(path.name for path in target.iterdir()) == names


async def test_other_settings_read_everything_again(tmp_path: Path) -> None:
    """An export that was read as notes is read as what it is when the format is given."""
    declared = {"name": "exports", "path": str(tmp_path / "exports"), "format": "notes"}
    async with folder_in(tmp_path) as folder:
        folder.put("chat.txt", chat("Bob", "I moved to Lisbon"))
    async with open_app(settings_in(tmp_path, sources=[declared]), serve=False) as service:
        folder = Folder(tmp_path / "exports", service)
        assert (await folder.sync())["added"] == 1
        assert (await folder.sync())["processed"] == 0
    async with open_app(settings_in(tmp_path, sources=[{**declared, "format": "whatsapp"}]), serve=False) as service:
        folder = Folder(tmp_path / "exports", service)
        assert (await folder.sync())["added"] == 2
        assert (await folder.sync())["processed"] == 0


async def test_memds_own_data_is_no_source(tmp_path: Path) -> None:
    """Neither the data directory, nor what is in it, nor what holds it; where it is hidden, what holds it is."""
    async with folder_in(tmp_path) as folder:
        for wrong in (tmp_path / "data", tmp_path / "data" / "store", tmp_path):
            with pytest.raises(InvalidError, match="holds memd's own data"):
                await folder.service.sources.add(AddSourceRequest(settings={"name": "two", "path": str(wrong)}))
    hidden = tmp_path / ".hidden" / "data"
    async with open_app(settings_in(tmp_path, data_dir=str(hidden)), serve=False) as service:
        await service.sources.add(AddSourceRequest(settings={"name": "home", "path": str(tmp_path)}))


async def test_what_was_assumed_is_told_once_for_each_source(tmp_path: Path) -> None:
    """By its code, with the number of files and the first places; of what was read before nothing is assumed again."""
    async with folder_in(tmp_path) as folder:
        for number in range(4):
            folder.put(f"WhatsApp Chat with Club {number}.txt", chat("Bob", "hello") + chat("Eve", "hi", first=5))
        (told,) = (await folder.sync())["notices"]
        assert (told["code"], told["count"], "--me" in told["hint"]) == ("user-unknown", 4, True)
        assert len({*told["places"]}) == 3
        assert "notices" not in await folder.sync()


async def test_a_folder_is_one_source_by_whatever_name(tmp_path: Path) -> None:
    """A link to it, a link above it, or a way round: each is refused as its own path is."""
    async with folder_in(tmp_path) as folder:
        link = tmp_path / "link"
        link.symlink_to(folder.root)
        (tmp_path / "above").symlink_to(folder.root.parent)
        ways = (folder.root, link, tmp_path / "above" / folder.root.name, folder.root / ".." / folder.root.name)
        for number, way in enumerate(ways):
            with pytest.raises(InvalidError, match="the source 'exports' reads this folder already"):
                await folder.service.sources.add(AddSourceRequest(settings={"name": f"n{number}", "path": str(way)}))


async def test_a_folder_in_a_source_or_around_one_is_refused(tmp_path: Path) -> None:
    """Its files would be read twice; a folder beside it is another source."""
    (tmp_path / "outer" / "beside").mkdir(parents=True)
    async with folder_in(tmp_path) as folder:
        (folder.root / "inner").mkdir()
        await folder.service.sources.add(
            AddSourceRequest(settings={"name": "beside", "path": str(tmp_path / "outer" / "beside")})
        )
        for path, relation in ((folder.root / "inner", "in which this"), (tmp_path / "outer", "which lies in this")):
            with pytest.raises(InvalidError, match=relation):
                await folder.service.sources.add(AddSourceRequest(settings={"name": "other", "path": str(path)}))


async def test_files_that_are_gone_are_told_once(tmp_path: Path) -> None:
    """Deleted or renamed: what was read of them stays, and the next run says nothing."""
    async with folder_in(tmp_path) as folder:
        gone = [folder.put(f"{name}.md", f"# {name}\n\nwords of {name}\n") for name in ("zeppelin", "kayak", "lamp")]
        await folder.sync()
        gone[0].unlink()
        gone[1].rename(folder.root / "canoe.md")
        (notice,) = (await folder.sync())["notices"]
        assert (notice["code"], notice["hint"].partition(" that")[0]) == ("files-gone", "2 files are gone")
        assert await folder.finds("zeppelin")
        assert "notices" not in await folder.sync()


async def test_a_chat_in_another_place_is_not_gone(tmp_path: Path) -> None:
    """It is not read again: who forgot what was read under its former name would lose it. The same for one of two copies."""
    async with folder_in(tmp_path) as folder:
        moved = folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        copy = folder.put("copy.txt", chat("Eve", "the kayak leaks"))
        (folder.root / "again.txt").write_bytes(copy.read_bytes())
        await folder.sync()
        (folder.root / "2024").mkdir()
        moved.rename(folder.root / "2024" / moved.name)
        copy.unlink()
        assert "notices" not in await folder.sync()
        (folder.root / "2024" / moved.name).unlink()
        (notice,) = (await folder.sync())["notices"]
        assert notice["hint"].startswith("1 file is gone")


async def test_a_source_within_another_can_be_changed(tmp_path: Path) -> None:
    """Such as one around which the configuration declares another later; only its folder must not come to lie there."""
    async with folder_in(tmp_path) as folder:
        (folder.root / "inner").mkdir()
        declared = [{"name": "outer", "path": str(tmp_path)}]
    async with open_app(settings_in(tmp_path, sources=declared), serve=False) as service:
        changed = await service.sources.change(ChangeSourceRequest(name="exports", settings={"schedule": "@weekly"}))
        assert changed["schedule"] == "@weekly"
        path = str(tmp_path / "exports" / "inner")
        with pytest.raises(InvalidError, match="in which this folder lies"):
            await service.sources.change(ChangeSourceRequest(name="exports", settings={"path": path}))


async def test_a_source_of_an_unknown_format_is_refused(tmp_path: Path) -> None:
    """When it is added or changed, not file by file at night."""
    async with folder_in(tmp_path) as folder:
        sources = folder.service.sources
        with pytest.raises(InvalidError, match="no format is called 'whatsap'"):
            await sources.add(AddSourceRequest(settings={"name": "n", "path": str(tmp_path), "format": "whatsap"}))
        with pytest.raises(InvalidError, match="no format is called 'whatsap'"):
            await sources.change(ChangeSourceRequest(name="exports", settings={"format": "whatsap"}))


async def test_two_adds_at_once_are_one(tmp_path: Path) -> None:
    """Of one name, and of one folder; what was left of a removed source of that name is gone."""
    (tmp_path / "x").mkdir()
    refused: list[str] = []
    async with open_app(settings_in(tmp_path), serve=False) as service:

        async def add(name: str) -> None:
            try:
                await service.sources.add(AddSourceRequest(settings={"name": name, "path": str(tmp_path / "x")}))
            except InvalidError as error:
                refused.append(error.message)

        async with anyio.create_task_group() as tasks:
            for name in ("a", "a", "b"):
                tasks.start_soon(add, name)
        assert len(refused) == 2
        assert len((await service.sources.listing())["sources"]) == 1


async def test_what_a_run_notes_of_a_removed_source_is_dropped(tmp_path: Path) -> None:
    """Another source of that name begins anew, also while the run of the removed one goes on."""
    async with folder_in(tmp_path) as folder:
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        await folder.sync()
        sources, journal = folder.service.sources, folder.service.pipeline.journal
        settings = (await sources.repository.get("exports")).settings
        known = list((await sources.repository.files("exports")).values())
        await sources.remove(SourceRequest(name="exports"))
        await journal.run(repository.saving_files(settings, known))
        assert await sources.repository.file_counts() == {}
        other = {"name": "exports", "path": str(folder.root), "zone": "Asia/Tokyo", "chat": "Renamed"}
        await sources.add(AddSourceRequest(settings=other))
        await journal.run(repository.saving_files(settings, known))
        assert await sources.repository.file_counts() == {}
        assert (await folder.sync())["added"] == 2
        await journal.run(repository.saving_cursor(settings, ""))  # the old run was about to begin
        assert (await folder.sync())["processed"] == 2


async def test_sources_are_added_paused_removed(tmp_path: Path) -> None:
    """What cannot be a source is refused; a paused one is read on demand alone; what was read stays."""
    async with folder_in(tmp_path) as folder:
        sources = folder.service.sources
        other = tmp_path / "other"
        other.mkdir()
        for wrong in (
            {"name": "exports", "path": str(other)},
            {"name": "two", "path": str(folder.root)},
            {"name": "two", "path": str(tmp_path / "nowhere")},
            {"name": "two", "path": str(other), "schedule": "whenever"},
            {"name": "../x", "path": str(other)},
            {"name": "two"},
            {"name": "two", "path": "relative"},
            {"name": "two", "kind": "carrier-pigeon"},
            {"name": "two", "path": str(other), "after_read": "move"},
        ):
            with pytest.raises(InvalidError):
                await sources.add(AddSourceRequest(settings=wrong))
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        await sources.pause(PauseSourceRequest(name="exports", paused=True))
        assert (await sources.sync(SyncRequest(wait=True), nobody))["sources"] == []
        assert (await folder.sync(sources=("exports",)))["added"] == 2
        await sources.remove(SourceRequest(name="exports"))
        with pytest.raises(NotFoundError):
            await sources.show("exports")
        assert await folder.finds("Lisbon")
        assert len((await sources.runs(RunsRequest(source="exports")))["runs"]) == 1


async def test_declared_sources_win(tmp_path: Path) -> None:
    """A table of the configuration replaces an added one, and no command removes it."""
    async with folder_in(tmp_path) as folder:
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
    declared = [{"name": "exports", "path": str(tmp_path / "exports"), "schedule": "@weekly"}]
    async with open_app(settings_in(tmp_path, sources=declared), serve=False) as service:
        shown = await service.sources.show("exports")
        assert (shown["declared"], shown["schedule"]) == (True, "@weekly")
        with pytest.raises(InvalidError, match="configuration"):
            await service.sources.remove(SourceRequest(name="exports"))
        (result,) = (await service.sources.sync(SyncRequest(wait=True), nobody))["sources"]
        assert result["added"] == 2


async def test_an_added_source_gives_way_to_a_declared_one_of_its_folder(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever link it goes by: no file is read twice, the log says so once, and the added one can be removed."""
    async with folder_in(tmp_path) as folder:
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
    (tmp_path / "link").symlink_to(tmp_path / "exports")
    declared = [{"name": "nightly", "path": str(tmp_path / "link")}]
    async with open_app(settings_in(tmp_path, sources=declared), serve=False) as service:
        names = [each["name"] for each in (await service.sources.listing())["sources"]]
        (result,) = (await service.sources.sync(SyncRequest(wait=True), nobody))["sources"]
        assert (names, result["name"], result["added"]) == (["nightly"], "nightly", 2)
        told = [record for record in caplog.records if "reads its folder" in record.getMessage()]
        assert [record.args for record in told] == [("exports", "nightly")]
        (tmp_path / "other").mkdir()
        again = AddSourceRequest(settings={"name": "exports", "path": str(tmp_path / "other")})
        with pytest.raises(InvalidError, match="there is a source 'exports' already") as refused:
            await service.sources.add(again)
        assert "memd sources remove exports" in str(refused.value.hint)
        await service.sources.remove(SourceRequest(name="exports"))
        with pytest.raises(NotFoundError):
            await service.sources.remove(SourceRequest(name="exports"))
        assert (await service.sources.add(again))["name"] == "exports"


async def test_names_that_are_no_text_and_what_is_hidden(tmp_path: Path) -> None:
    """An export with a name in another encoding is read; settings of programs, pictures and spreadsheets are not."""
    async with folder_in(tmp_path) as folder:
        odd = os.fsencode(folder.root) + b"/WhatsApp Chat with J\xfcrgen.txt"
        Path(os.fsdecode(odd)).write_text(chat("Juergen", "I moved to Lisbon"))
        os.utime(odd, (5, 5))
        folder.put(".obsidian/app.json", "{}")
        folder.put("IMG-0001.webp", b"RIFF" + bytes(99))
        folder.put("empty.md", b"")
        folder.put("table.xlsx", b"PK" + bytes(99))
        result = await folder.sync()
        assert (result["outcome"], result["added"]) == ("ok", 2)
        assert (await folder.show())["files"] == {"known": 2, "unreadable": 0, "incomplete": 0, "left_out": 0}
        assert (await folder.sync())["processed"] == 0
        folder.put("two\nlines.md", "# text\n")
        (folder.root / "out.md").symlink_to(tmp_path)
        await folder.sync()
        assert len((await folder.show())["unreadable"]) == 2
        (folder.root / "out.md").unlink()
        await folder.sync()
        assert len((await folder.show())["unreadable"]) == 1


async def test_files_whose_names_look_alike_are_not_left_out_silently(tmp_path: Path) -> None:
    """One of them is read, and stays the one; the others are told, whichever comes first in the folder."""
    async with folder_in(tmp_path) as folder:
        for byte, who in ((b"\xff", "Ann"), (b"\xfe", "Bob")):
            odd = os.fsencode(folder.root) + b"/WhatsApp Chat with " + byte + b".txt"
            Path(os.fsdecode(odd)).write_text(chat(who, "I moved to Lisbon"))
            os.utime(odd, (5, 5))
        first = await folder.sync()
        assert first["added"] == 2
        (told,) = (await folder.show())["unreadable"]
        assert "another file here has the same name" in told["reason"]
        again = await folder.sync()
        assert (again["processed"], len((await folder.show())["unreadable"])) == (0, 1)


@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_what_took_the_place_of_a_file_is_not_opened(tmp_path: Path, kind: str) -> None:
    """A pipe would be waited for without end, a link leads out of the folder."""
    path = tmp_path / "a.json"
    path.write_text("{}")
    (found,) = scan_folder(tmp_path).files.values()
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        (tmp_path.parent / "secret").write_text("x")
        path.symlink_to(tmp_path.parent / "secret")
    with pytest.raises(OSError, match=r"."):
        digest_of(found)


async def test_a_later_export_that_takes_the_place_of_a_kept_one_is_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes between the reading of the first and its deletion."""
    async with folder_in(tmp_path, after_read="delete") as folder:
        path = folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        accept = folder.service.pipeline.accept

        async def replaced(*args: Any, **more: Any) -> Any:
            report = await accept(*args, **more)
            if args[1] and path.read_text().count("Bob") < 2:
                folder.put(path.name, chat("Bob", "I moved to Lisbon", "by train, Bob"))
            return report

        monkeypatch.setattr(folder.service.pipeline, "accept", replaced)
        await folder.sync()
        assert path.exists()
        monkeypatch.undo()
        assert (await folder.sync())["added"] == 1
        assert not path.exists()


async def test_a_folder_that_is_not_there_is_told_before_any_run(tmp_path: Path) -> None:
    """As after a move to another machine; the health says that a source needs somebody."""
    declared = [{"name": "exports", "path": str(tmp_path / "nowhere")}]
    async with open_app(settings_in(tmp_path, sources=declared), serve=False, scheduled=True) as service:
        (shown,) = (await service.sources.listing())["sources"]
        assert shown["flags"] == ["absent"]
        assert (await service.health_with_sources())["degraded"] == ["sources"]
        assert service.health()["degraded"] == []
        (tmp_path / "nowhere").mkdir()
        assert (await service.health_with_sources())["degraded"] == []


async def test_a_schedule_that_cannot_be_read_stops_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The daemon runs, the source and the maintenance are told of, and other sources are read."""
    (tmp_path / "exports").mkdir()
    declared = [
        {"name": "bad", "path": str(tmp_path / "exports"), "schedule": "3am"},
        {"name": "good", "path": str(tmp_path / "exports" / ".."), "schedule": "every 1h"},
    ]
    settings = settings_in(
        tmp_path / "d", sources=declared, maintenance={"backup_to": str(tmp_path / "b"), "backup_schedule": "nightly"}
    )
    async with open_app(settings, serve=False, scheduled=True) as service:
        body = await service.sources.listing()
        assert [(each["name"], "schedule" in each["flags"]) for each in body["sources"]] == [
            ("bad", True),
            ("good", False),
        ]
        backup = next(each for each in body["maintenance"] if each["name"] == "backup")
        assert "is no schedule" in backup["trouble"]
        assert backup["flags"] == ["schedule"]
        assert body["sources"][1]["next"] is not None
    assert {record.__dict__.get("job") for record in caplog.records if record.levelname == "ERROR"} == {
        "source:bad", "maintenance:backup"
    }  # fmt: skip


async def test_maintenance_that_is_never_due_or_overdue_is_unwell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The health says so, and the list of sources which and why; without, all is well."""
    now = [datetime(2026, 3, 2, 12, tzinfo=UTC)]
    move_timetable(monkeypatch, lambda: now[0])
    for schedule, flags in (("0 0 30 2 *", ["schedule"]), ("0 13 * * *", [])):
        settings = settings_in(tmp_path / "d", zone="UTC", maintenance={"prune_schedule": schedule})
        async with open_app(settings, serve=False, scheduled=True, clock=lambda: now[0]) as service:
            (prune,) = [each for each in (await service.sources.listing())["maintenance"] if each["name"] == "prune"]
            assert (prune["flags"], bool(prune["trouble"])) == (flags, bool(flags))
            assert (await service.health_with_sources())["degraded"] == (["sources"] if flags else [])
            if not flags:
                now[0] += timedelta(hours=2)
                assert "overdue" in (await service.sources.maintenance_statuses())[-1]["flags"]
                assert (await service.health_with_sources())["degraded"] == ["sources"]


async def test_a_file_that_stays_unreadable_is_no_failure_of_the_source(tmp_path: Path) -> None:
    """Also where nothing else is new: the run is partial, and the health well."""
    async with folder_in(tmp_path) as folder:
        folder.put("x.zip", b"PK\3\4 and no more")
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        assert (await folder.sync())["outcome"] == "partial"
        for _ in range(3):
            assert (await folder.sync())["outcome"] in ("partial", "ok")
            assert "unreadable" in (await folder.show())["flags"]
            assert not await folder.service.sources.failing()


async def test_files_that_cannot_be_read_are_told_by_each_run_that_found_one(tmp_path: Path) -> None:
    """All of them, also those that are not tried again, with their number and in the receipt; each once."""

    async def left_out(run: str) -> list[tuple[str, str]]:
        receipt = await folder.service.pipeline.journal.run(partial(receipt_of, run=run))
        exports = [file["path"] for each in receipt["exports"] for file in each["files"]]
        told = [each["path"] for each in receipt["skipped"]]
        assert len({*told, *exports}) == len(told) + len(exports)
        return sorted((path.rpartition("/")[2], "skipped") for path in told) + [
            (each["files"][0]["path"].rpartition("/")[2], "export") for each in receipt["exports"]
        ]

    async with folder_in(tmp_path) as folder:
        folder.put("x.zip", b"PK\3\4 and no more")
        folder.put("y.pdf", b"%PDF-1.4 and no more")
        (folder.root / "z.txt").symlink_to("/nowhere")
        first = await folder.sync()
        second = await folder.sync()
        for each in (first, second):
            assert each["outcome"] == "partial"
            assert each["detail"] == "3 files could not be read: `memd sources show exports` names them"
        later, earlier = [each["run"] for each in (await folder.show())["runs"]]
        assert await left_out(earlier) == [("x.zip", "skipped"), ("z.txt", "skipped"), ("y.pdf", "export")]
        assert await left_out(later) == [("x.zip", "skipped"), ("y.pdf", "skipped"), ("z.txt", "skipped")]
        shown = await folder.show()
        lines = list(source_lines(shown, alone=True)) + [history_line(each, files_told=True) for each in shown["runs"]]
        assert not [line for line in lines if "sources show" in line]
        assert sum("3 files could not be read" in line for line in lines) == 2
        assert sum("`memd sources show exports` names them" in line for line in source_lines(shown)) == 1
        (folder.root / "z.txt").unlink()
        assert (await folder.sync())["outcome"] == "ok"


async def test_a_run_that_could_not_read_everything_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With its source and the reason, and without the names of files."""
    async with folder_in(tmp_path) as folder:
        folder.put("x.bin", bytes(range(256)) * 10)
        await folder.sync()
    told, *_ = [record for record in caplog.records if "not read whole" in record.getMessage()]
    assert (told.__dict__["job"], "1 file could not be read" in told.getMessage()) == ("source:exports", True)
    assert "x.bin" not in told.getMessage()


async def test_another_chat_of_the_name_is_left_out_though_its_hours_are_others(tmp_path: Path) -> None:
    """Three days on which the one is written in the morning and the other in the afternoon, by other people."""

    def club(people: tuple[str, str], hour: int) -> str:
        return "".join(
            f"{day:02}/03/2024, {hour:02}:{minute:02} - {people[minute % 2]}: {people[minute % 2]} says {day} {minute}\n"
            for day in range(14, 19)
            for minute in range(4)
        )

    async with folder_in(tmp_path) as folder:
        folder.put("one/WhatsApp Chat with Club.txt", club(("Ann", "Bob"), 9))
        assert (await folder.sync())["added"] == 20
        folder.put("two/WhatsApp Chat with Club.txt", club(("Zoe", "Max"), 15))
        refused = await folder.sync()
        assert (refused["added"], "1 file could not be read" in refused["detail"]) == (0, True)


async def test_the_history_of_a_source_that_never_was(tmp_path: Path) -> None:
    """Is told apart from one without runs; that of a removed source is kept."""
    async with folder_in(tmp_path) as folder:
        sources = folder.service.sources
        assert (await sources.runs(RunsRequest(source="exports")))["runs"] == []
        await folder.sync()
        await sources.remove(SourceRequest(name="exports"))
        assert len((await sources.runs(RunsRequest(source="exports")))["runs"]) == 1
        with pytest.raises(NotFoundError):
            await sources.runs(RunsRequest(source="nowhere"))


async def test_a_grace_without_bounds_is_refused(tmp_path: Path) -> None:
    """It could not be added to any time: no daemon would begin any more."""
    async with folder_in(tmp_path) as folder:
        for grace in (1e300, -1):
            settings = {"name": "far", "path": str(folder.root), "misfire_grace_s": grace}
            with pytest.raises(InvalidError, match="misfire_grace_s"):
                await folder.service.sources.add(AddSourceRequest(settings=settings))


async def test_what_took_the_place_of_a_read_file_is_not_deleted_unread(tmp_path: Path) -> None:
    """Of the same name, size and time, as files are that were unpacked from archives: its content decides."""
    async with folder_in(tmp_path, after_read="delete") as folder:
        for word in ("zeppelin", "airships"):
            folder.put("plan.md", f"buy {word}\n")
            os.utime(folder.root / "plan.md", (5, 5))
            await folder.sync()
            assert await folder.finds(word)
            assert not (folder.root / "plan.md").exists()


async def test_exports_are_not_moved_into_the_folder_by_a_link(tmp_path: Path) -> None:
    """They would be read, and moved one folder deeper, again and again; nor among memd's own files."""
    async with folder_in(tmp_path) as folder:
        other = tmp_path / "other"
        other.mkdir()
        (tmp_path / "link").symlink_to(other)
        for target in (tmp_path / "link" / "done", tmp_path / "data" / "store"):
            settings = {"name": "two", "path": str(other), "after_read": "move", "move_to": str(target)}
            with pytest.raises(InvalidError, match="leads into"):
                await folder.service.sources.add(AddSourceRequest(settings=settings))
