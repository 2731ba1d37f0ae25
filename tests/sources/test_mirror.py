"""A mirrored folder: notes go with their files and come back, a renamed file stays one note, and no accident takes any."""

from __future__ import annotations

import errno
import os
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.opening.open_source import OpenedSource
from memd.daemon.cli.render.sources import history_line
from memd.daemon.journal import note_files
from memd.daemon.journal.journal import Journal
from memd.daemon.service.requests import (
    AddSourceRequest,
    ChangeSourceRequest,
    ListingRequest,
    RunsRequest,
    SyncRequest,
    UndoImportRequest,
)
from memd.daemon.sources.folder_scan import FolderScan, FoundFile, path_key, scan_folder
from memd.daemon.sources.mirror import Mirror, StoredNotes
from memd.daemon.sources.repository import FileState
from memd.memory.export import exported_documents
from memd.memory.retirement_service import RetirementService
from memd.memory.search_types import Filter
from memd.schemas import Document, Rejected
from memd.schemas.errors import InvalidError, NotFoundError, StoreError
from memd.tests.daemon.test_forgetting import day, forget
from memd.tests.daemon.test_service import ingest
from memd.tests.effort import examples
from memd.tests.sources.test_folder import Folder, chat, folder_in, nobody

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


def mirrored(tmp_path: Path, **source: Any) -> Any:
    """A folder that is kept in step."""
    return folder_in(tmp_path, mirror=True, **source)


async def names(folder: Folder) -> list[str]:
    """The ids of all notes, without what they have in common."""
    listed = (await folder.service.listing(ListingRequest(limit=100)))["documents"]
    return sorted(each["id"].partition("/")[2] for each in listed)


async def notes(folder: Folder) -> list[Document]:
    """All that is stored."""
    memory = folder.service._memory  # pyright: ignore[reportPrivateUsage]
    return [each async for some in exported_documents(memory.database, Filter()) for each in some]


def codes(run: dict[str, Any]) -> list[str]:
    """The codes of the notices of a run."""
    return [each["code"] for each in run.get("notices", ())]


async def undo(folder: Folder, run: str, *also: str) -> dict[str, Any]:
    """Take back what runs did."""
    request = UndoImportRequest(run=run, also=also, dry_run=True)
    plan = await folder.service.imports.undo(request, nobody)
    request = request.model_copy(update={"plan": plan["plan"], "dry_run": False})
    return {**await folder.service.imports.undo(request, nobody)}


async def test_a_note_goes_with_its_file_and_undo_brings_it_back(tmp_path: Path) -> None:
    """The run tells it; what was brought back stays, although its file is still gone; a file that comes back is a note."""
    async with mirrored(tmp_path) as folder:
        for name in ("zeppelin", "kayak", "lamp"):
            folder.put(f"{name}.md", f"# {name}\n\nwords of {name}\n")
        await folder.sync()
        (folder.root / "zeppelin.md").unlink()
        run = await folder.sync()
        (notice,) = run["notices"]
        assert notice["code"] == "notes-removed"
        assert notice["hint"] == (
            f"1 note is removed, because its file is gone; `memd undo {run['run'][:12]}` brings it back"
        )
        assert await names(folder) == ["kayak.md", "lamp.md"]
        assert not await folder.finds("words of zeppelin")
        assert "notices" not in await folder.sync()
        assert (await undo(folder, run["run"]))["restored"] == 1
        assert await names(folder) == ["kayak.md", "lamp.md", "zeppelin.md"]
        await folder.sync()
        assert await folder.finds("words of zeppelin")
        (folder.root / "kayak.md").unlink()
        await folder.sync()
        folder.put("kayak.md", "# kayak\n\nwords of kayak\n")
        assert (await folder.sync())["added"] == 1
        assert await folder.finds("words of kayak")


@pytest.mark.parametrize("kind", ["md", "txt", "html"])
async def test_a_renamed_file_stays_one_note(tmp_path: Path, kind: str) -> None:
    """Under its new name, in a new folder, and beside a new file of its old name; nothing is told to be removed."""
    text = "<html><body><h1>Old</h1><p>words of a zeppelin over the quarry</p></body></html>"
    text = text if kind == "html" else "words of a zeppelin over the quarry\n"
    async with mirrored(tmp_path) as folder:
        before = folder.put(f"old.{kind}", text)
        folder.put("other.md", "# Other\n\nwords of a kayak\n")
        await folder.sync()
        (folder.root / "deep").mkdir()
        before.rename(folder.root / "deep" / f"new.{kind}")
        run = await folder.sync()
        assert codes(run) == []
        assert await names(folder) == sorted([f"deep/new.{kind}", "other.md"])
        (folder.root / "deep" / f"new.{kind}").rename(folder.root / f"newer.{kind}")
        folder.put(f"deep/new.{kind}", text.replace("quarry", "harbour"))
        await folder.sync()
        assert await names(folder) == sorted([f"deep/new.{kind}", f"newer.{kind}", "other.md"])


async def test_undoing_brings_back_what_went_and_no_former_name(tmp_path: Path) -> None:
    """Of one run or of two, after which the files hold their notes as before; with the run that brought it a note is gone."""
    async with mirrored(tmp_path) as folder:
        for name in "abcd":
            folder.put(f"{name}.md", f"# {name}\n\nwords of {name}\n")
        first = (await folder.sync())["run"]
        (folder.root / "a.md").rename(folder.root / "y.md")
        (folder.root / "b.md").unlink()
        second = (await folder.sync())["run"]
        (folder.root / "y.md").rename(folder.root / "z.md")
        third = (await folder.sync())["run"]
        with pytest.raises(NotFoundError, match="nothing to take back"):
            await undo(folder, third)
        assert (await undo(folder, second, third))["restored"] == 1
        assert await names(folder) == ["b.md", "c.md", "d.md", "z.md"]
        folder.put("z.md", "# a\n\nother words\n")
        await folder.sync()
        assert await names(folder) == ["b.md", "c.md", "d.md", "z.md"]
        (folder.root / "z.md").unlink()
        last = (await folder.sync())["run"]
        assert await names(folder) == ["b.md", "c.md", "d.md"]
        await undo(folder, last)
        assert await names(folder) == ["b.md", "c.md", "d.md", "z.md"]
        assert (await undo(folder, first, second, third))["restored"] == 0
        assert await names(folder) == ["z.md"]


async def test_a_copy_takes_the_place_of_a_file_that_goes(tmp_path: Path) -> None:
    """It was not read, because its content was known."""
    async with mirrored(tmp_path) as folder:
        first = folder.put("a.txt", "words of a zeppelin over the quarry\n")
        await folder.sync()
        folder.put("b.txt", "words of a zeppelin over the quarry\n")
        await folder.sync()
        first.unlink()
        assert codes(await folder.sync()) == []
        assert await names(folder) == ["b.txt"]
        (folder.root / "b.txt").unlink()
        folder.put("c.md", "# c\n")
        assert codes(await folder.sync()) == ["notes-removed"]
        assert await names(folder) == ["c.md"]


async def test_exports_stay_when_they_are_deleted(tmp_path: Path) -> None:
    """Chats, mails, archives, also of notes: an export may be deleted once it was read."""
    async with mirrored(tmp_path) as folder:
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "the zeppelin leaks"))
        folder.put(
            "mail.eml",
            "From: Bob <b@x.org>\nTo: a@x.org\nDate: Mon, 15 Jan 2024 12:00:00 +0000\nSubject: x\n\nthe kayak leaks\n",
        )
        with zipfile.ZipFile(folder.root / "vault.zip", "w") as archive:
            archive.writestr("plan.md", "# Plan\n\nthe lamp leaks\n")
        folder.put("note.md", "# Note\n\nthe tent leaks\n")
        await folder.sync()
        for path in list(folder.root.iterdir()):
            path.unlink()
        folder.put("last.md", "# Last\n")
        assert sorted(codes(await folder.sync())) == ["files-gone", "notes-removed"]
        assert [await folder.finds(f"the {each} leaks") for each in ("zeppelin", "kayak", "lamp", "tent")] == [
            True,
            True,
            True,
            False,
        ]


async def test_an_accident_takes_nothing(tmp_path: Path) -> None:
    """An empty or absent folder, most files at once, a file without content; the command that is told takes them."""
    async with mirrored(tmp_path) as folder:
        paths = [folder.put(f"{number:02}.md", f"# {number}\n\nwords{number}\n") for number in range(12)]
        await folder.sync()
        aside = tmp_path / "aside"
        folder.root.rename(aside)
        assert (await folder.sync())["outcome"] == "failed"
        folder.root.mkdir()
        assert (await folder.sync())["outcome"] == "failed"
        assert len(await names(folder)) == 12
        folder.root.rmdir()
        aside.rename(folder.root)
        paths[0].write_bytes(b"")
        for path in paths[5:]:
            path.unlink()
        for _ in range(2):
            run = await folder.sync()
            assert run["outcome"] == "partial"
            assert run["detail"] == (
                "7 of 12 files with notes are gone at once, so nothing was removed: is everything mounted? If you deleted"
                " them: `memd sync --again exports`"
            )
        assert len(await names(folder)) == 12
        assert codes(await folder.sync(again=True)) == ["notes-removed"]
        assert await names(folder) == ["00.md", "01.md", "02.md", "03.md", "04.md"]
        assert (await folder.sync())["outcome"] == "ok"


async def test_a_disk_that_leaves_another_file_in_its_place_takes_nothing(tmp_path: Path) -> None:
    """All of a few notes are gone, and the folder is not empty."""
    async with mirrored(tmp_path) as folder:
        paths = [folder.put(f"{name}.md", f"# {name}\n") for name in ("a", "b")]
        await folder.sync()
        folder.put("not mounted.jpg", "x")
        for path in paths:
            path.unlink()
        assert (await folder.sync())["outcome"] == "partial"
        assert await names(folder) == ["a.md", "b.md"]
        assert codes(await folder.sync(again=True)) == ["notes-removed"]
        assert await names(folder) == []


async def test_a_note_of_two_mirrors_goes_with_the_last_file(tmp_path: Path) -> None:
    """Their folders have one name; the run of the first tells that it stays."""
    other = tmp_path / "other" / "exports"
    other.mkdir(parents=True)
    async with mirrored(tmp_path) as folder:
        await folder.service.sources.add(AddSourceRequest(settings={"name": "two", "path": str(other), "mirror": True}))
        two = Folder(other, folder.service)
        for each in (folder, two):
            for name in ("a", "b"):
                each.put(f"{name}.md", f"# {name}\n")
        await folder.service.sources.sync(SyncRequest(sources=("exports", "two"), wait=True), nobody)
        (folder.root / "a.md").unlink()
        report = await folder.service.sources.sync(SyncRequest(sources=("exports",), wait=True), nobody)
        assert codes(report["sources"][0]) == ["notes-kept"]
        assert await names(folder) == ["a.md", "b.md"]
        (other / "a.md").unlink()
        report = await folder.service.sources.sync(SyncRequest(sources=("two",), wait=True), nobody)
        assert codes(report["sources"][0]) == ["notes-removed"]
        assert await names(folder) == ["b.md"]


async def test_a_folder_with_another_name_is_no_accident(tmp_path: Path) -> None:
    """All files have another path, and the same content."""
    async with mirrored(tmp_path) as folder:
        for number in range(12):
            folder.put(f"old/{number:02}.md", f"# {number}\n\nwords{number}\n")
        await folder.sync()
        (folder.root / "old").rename(folder.root / "new")
        run = await folder.sync()
        assert (run["outcome"], codes(run)) == ("ok", [])
        assert await names(folder) == [f"new/{number:02}.md" for number in range(12)]


async def test_a_folder_that_cannot_be_listed_hides_files_and_loses_none(tmp_path: Path) -> None:
    """What lies in it may still be there."""
    (tmp_path / "closed").mkdir()
    (tmp_path / "here.md").write_text("# Here\n")
    scan = scan_folder(tmp_path)
    (here,) = scan.files.values()

    mirror = Mirror("source:x", {here.key: frozenset(), b"gone": frozenset()}, cast("StoredNotes", None))
    assert mirror.unseen(tmp_path, [scan], ()) == {b"gone"}
    refused = Rejected(locator=f"{tmp_path}/closed", reason="Permission denied")
    assert mirror.unseen(tmp_path, [scan, FolderScan(scan.files, (refused,))], ()) == set()


async def test_an_unreadable_file_may_be_one_that_is_missing() -> None:
    """By its size: nothing tells its content, so the note of that one stays, unless somebody says that it was deleted."""
    keys = [path_key(name) for name in ("a.md", "b.md", "c.md")]
    states = {key: FileState(key, "", size, 1, bytes([size])) for size, key in enumerate(keys, start=10)}
    for confirmed, lost in ((False, keys[1:2]), (True, keys[:2])):
        mirror = Mirror("source:x", dict.fromkeys(keys, frozenset()), cast("StoredNotes", None))
        mirror.missing = {*keys[:2]}
        await mirror.divide_missing([], [FoundFile("new.md", 10, 2, 3, "new.md")], states, confirmed=confirmed)
        assert mirror.gone.lost == {*lost}


async def test_a_link_that_leads_out_keeps_no_note(tmp_path: Path) -> None:
    """It is not followed, so nothing is waited for behind it."""
    async with mirrored(tmp_path) as folder:
        for name in ("here", "gone"):
            folder.put(f"{name}.md", f"# {name}\n\nwords of {name}\n")
        (tmp_path / "outside").mkdir()
        (folder.root / "link").symlink_to(tmp_path / "outside")
        await folder.sync()
        (folder.root / "gone.md").unlink()
        assert codes(await folder.sync()) == ["notes-removed"]
        assert await names(folder) == ["here.md"]


async def test_a_file_that_is_deleted_while_its_folder_is_listed_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is gone, and nothing is wrong with it; a link to what is not there is refused."""
    (tmp_path / "here.md").write_text("# Here\n")
    (tmp_path / "link.md").symlink_to(tmp_path / "nothing")
    gone = Rejected(locator=f"{tmp_path}/gone.md", reason=os.strerror(errno.ENOENT))
    notices = OpenedSource.notices

    def with_gone(self: OpenedSource) -> list[Any]:
        return [*notices(self), gone]

    monkeypatch.setattr(OpenedSource, "notices", with_gone)
    scan = scan_folder(tmp_path)
    assert list(scan.files) == ["here.md"]
    assert [refused.locator for refused in scan.refused] == [f"{tmp_path}/link.md"]


async def test_what_was_imported_stays(tmp_path: Path) -> None:
    """By a command of its own, which the run tells; forgetting removes it."""
    async with mirrored(tmp_path) as folder:
        path = folder.put("note.md", "# Note\n\nwords of a zeppelin\n")
        folder.put("other.md", "# Other\n")
        await folder.sync()
        await ingest(folder.service, *[each for each in await notes(folder) if "zeppelin" in each.content])
        path.unlink()
        run = await folder.sync()
        assert codes(run) == ["notes-kept"]
        assert await folder.finds("zeppelin")


async def test_what_was_forgotten_stays_out(tmp_path: Path) -> None:
    """While its file is there, after it went, and when it comes back."""
    async with mirrored(tmp_path) as folder:
        path = folder.put("note.md", "# Note\n\nwords of a zeppelin\n")
        folder.put("other.md", "# Other\n")
        await folder.sync()
        await forget(folder.service, documents=["notes:exports/note.md"])
        path.unlink()
        assert codes(await folder.sync()) == []
        folder.put("note.md", "# Note\n\nwords of a zeppelin, again\n")
        await folder.sync()
        assert await names(folder) == ["other.md"]


async def test_what_was_forgotten_or_redacted_stays_so_under_another_name(tmp_path: Path) -> None:
    """The run tells it; the file goes on to hold the former note, also under the next name and with other words."""
    words = "the wobblegate opens at seven, bring the snorkelbane"
    async with mirrored(tmp_path) as folder:
        await ingest(folder.service, day(("Ann", "a fandangle"), ("Bob", words)))
        for name, text in (("bob", words), ("diary", "words of a zeppelin"), ("other", "a quibblefrost")):
            folder.put(f"{name}.md", f"# {name}\n\n{text}\n")
        await folder.sync()
        await forget(folder.service, people=["Bob"], quotes="redact")
        await forget(folder.service, documents=["notes:exports/diary.md"])
        (folder.root / "bob.md").rename(folder.root / "bill.md")
        (folder.root / "diary.md").rename(folder.root / "log.md")
        assert codes(await folder.sync()) == ["notes-kept-out"]
        (folder.root / "bill.md").rename(folder.root / "ben.md")
        (folder.root / "log.md").rename(folder.root / "logs.md")
        folder.put("more.md", "# More\n")
        await folder.sync()
        folder.put("logs.md", "# diary\n\nwords of a zeppelin, again\n")
        await folder.sync()
        assert [each for each in await names(folder) if each.endswith(".md")] == ["bob.md", "more.md", "other.md"]
        assert not await folder.finds("wobblegate")
        (folder.root / "ben.md").unlink()
        assert codes(await folder.sync()) == ["notes-removed"]


async def test_a_run_counts_the_notes_that_went_came_back_and_were_renamed(tmp_path: Path) -> None:
    """In the list of runs and of itself; a former name is no return."""
    async with mirrored(tmp_path) as folder:
        for name in "abcde":
            folder.put(f"{name}.md", f"# {name}\n\nwords of {name}\n")
        await folder.sync()
        counts: list[dict[str, int]] = []
        lines: list[str] = []
        for step in range(3):
            if step == 0:
                (folder.root / "a.md").unlink()
                (folder.root / "b.md").rename(folder.root / "z.md")
            elif step == 1:
                folder.put("a.md", "# a\n\nwords of a\n")
            else:
                (folder.root / "z.md").rename(folder.root / "b.md")
            run = await folder.sync()
            (listed, *_) = (await folder.service.sources.runs(RunsRequest()))["runs"]
            assert (await folder.service.sources.run(run["run"]))["notes"] == listed["notes"]
            counts.append(listed["notes"])
            lines.append(history_line(listed).split("; ")[1])
        assert [tuple(each.values()) for each in counts] == [(1, 0, 1), (0, 1, 0), (0, 0, 1)]
        assert lines == ["1 note removed, 1 renamed", "1 note came back", "1 note renamed"]


async def test_a_source_becomes_a_mirror_later(tmp_path: Path) -> None:
    """What was read before goes from then on, also what went while it was none for a time."""
    async with folder_in(tmp_path) as folder:
        for name in "abcd":
            folder.put(f"{name}.md", f"# {name}\n")
        await folder.sync()
        (folder.root / "a.md").unlink()
        assert codes(await folder.sync()) == ["files-gone"]
        change = folder.service.sources.change
        await change(ChangeSourceRequest(name="exports", settings={"mirror": True}))
        (folder.root / "b.md").unlink()
        assert (await folder.sync())["unchanged"] == 2
        assert await names(folder) == ["a.md", "b.md", "c.md", "d.md"]  # it did not know which file held which note
        (folder.root / "c.md").unlink()
        await folder.sync()
        assert await names(folder) == ["a.md", "b.md", "d.md"]
        with pytest.raises(InvalidError, match="a mirror keeps the files"):
            await change(ChangeSourceRequest(name="exports", settings={"after_read": "delete"}))
        await change(ChangeSourceRequest(name="exports", settings={"mirror": None}))
        (folder.root / "d.md").unlink()
        folder.put("e.md", "# e\n")
        await folder.sync()
        assert await names(folder) == ["a.md", "b.md", "d.md", "e.md"]
        await change(ChangeSourceRequest(name="exports", settings={"mirror": True}))
        await folder.sync()
        assert await names(folder) == ["a.md", "b.md", "e.md"]


@pytest.mark.parametrize("place", ["before", "within", "behind"])
async def test_an_interruption_loses_no_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """Before the store has retired a note, while it does, and before the journal knows: the next owner completes it once."""

    async def refuse(*_: object, **__: object) -> int:
        raise StoreError("the disk is gone")

    async with mirrored(tmp_path) as folder:
        folder.put("note.md", "# Note\n\nwords of a zeppelin\n")
        folder.put("other.md", "# Other\n")
        await folder.sync()
        (folder.root / "note.md").unlink()
        with monkeypatch.context() as patch:
            if place == "behind":
                run_work = Journal.run

                async def run(self: Journal, work: Any) -> Any:
                    if getattr(work, "func", None) is note_files.end_checks:
                        raise StoreError("the disk is gone")
                    return await run_work(self, work)

                patch.setattr(Journal, "run", run)
            else:
                patch.setattr(RetirementService, "divided" if place == "within" else "retire", refuse)
            with anyio.move_on_after(1.5):
                await folder.sync()
    async with mirrored(tmp_path) as folder:
        with anyio.fail_after(60):
            while await folder.service.pipeline.journal.run(note_files.runs_with_checks):
                await anyio.sleep(0.02)
        await folder.sync()
        assert await names(folder) == ["other.md"]
        removing = [run for run in await runs(folder) if await brings_back(folder, run)]
        assert len(removing) == 1
        await undo(folder, removing[0])
        assert await names(folder) == ["note.md", "other.md"]


async def runs(folder: Folder) -> list[str]:
    """The runs that ended."""
    return [each["run"] for each in (await folder.service.sources.runs(RunsRequest()))["runs"]]


async def brings_back(folder: Folder, run: str) -> bool:
    """Whether undoing a run brings something back."""
    try:
        plan = await folder.service.imports.undo(UndoImportRequest(run=run, dry_run=True), nobody)
    except NotFoundError:
        return False
    return plan["restored"] > 0


NAMES = st.sampled_from(["a.md", "b.md", "c.txt", "d/e.md"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), NAMES, st.sampled_from(["one", "two"])),
        st.tuples(st.just("delete"), NAMES, st.just("")),
        st.tuples(st.just("rename"), NAMES, NAMES),
        st.tuples(st.just("sync"), st.just(""), st.just("")),
        st.tuples(st.just("restart"), st.just(""), st.just("")),
    ),
    max_size=12,
)


@given(STEPS)
@settings(max_examples=examples(6), deadline=None)
def test_the_notes_are_those_of_the_files(steps: list[tuple[str, str, str]]) -> None:
    """Whatever is written, deleted and renamed, in however many runs, and across restarts."""

    async def work(tmp_path: Path) -> None:
        left = [*steps, ("sync", "", "")]
        while left:
            async with mirrored(tmp_path) as folder:
                folder.put("last.md", "words of the last\n")
                while left:
                    what, name, more = left.pop(0)
                    path = folder.root / name
                    if what == "restart":
                        break
                    if what == "sync":
                        await folder.sync()
                        assert await said(folder) == on_disk(folder.root)
                    elif what == "write":
                        folder.put(name, f"words {more}\n")
                    elif what == "delete" and path.exists():
                        path.unlink()
                    elif what == "rename" and path.exists():
                        (folder.root / more).parent.mkdir(exist_ok=True)
                        path.rename(folder.root / more)

    with tempfile.TemporaryDirectory() as folder:
        anyio.run(work, Path(folder))


async def said(folder: Folder) -> Counter[str]:
    """The contents of all notes."""
    return Counter(each.content for each in await notes(folder))


def on_disk(root: Path) -> Counter[str]:
    """The contents of all files."""
    return Counter(path.read_text() for path in root.rglob("*") if path.is_file())
