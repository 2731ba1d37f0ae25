"""Receipts of runs: kept with the run, shown by its id, without the names of those who are forgotten."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import anyio
import pytest

from memd.daemon.app import open_app
from memd.daemon.cli.receipt_parts import receipt_parts
from memd.daemon.cli.render.receipts import LISTED, LISTED_FLAWED, receipt_lines
from memd.daemon.cli.render.sources import history_line
from memd.daemon.journal.journal import Journal, JournalEntry, open_journal
from memd.daemon.journal.receipts import REMOVED, going_on, keep_names, paths_read, receipt_of, saving_receipt
from memd.daemon.service.requests import ReceiptRequest
from memd.memory import memory as memory_module
from memd.memory.store.documents_write import apply_changes
from memd.memory.write_batches import WriteBatch
from memd.schemas import Document, StoreReport
from memd.schemas.errors import NotFoundError, StoreError
from memd.tests.daemon.house import House, house, note, talk
from memd.tests.daemon.test_forgetting import day, forget
from memd.tests.daemon.test_service import ingest, words_only

pytestmark = pytest.mark.anyio


def export(path: str, people: list[str], messages: int = 3, **more: Any) -> dict[str, Any]:
    """One export of a chat with somebody."""
    files = [{"path": path, "size": 9, "sha256": "ab" * 32, "messages": messages}] if path else []
    names = {"count": len(people), "names": people}
    return {
        "format": "whatsapp",
        "version": 1,
        "path": path,
        "documents": 1,
        "messages": messages,
        "rejected": {},
        "notices": {"zone-assumed": 1},
        "chats": {"count": 1, "names": people[-1:]},
        "people": names,
        "first": "2024-01-14T10:00:00Z",
        "last": "2024-01-15T10:00:00Z",
        "files": files,
    } | more


async def test_parts_of_a_receipt_are_one(tmp_path: Path) -> None:
    """Files one by one; documents that were sent without a file as one export; none without the run."""
    async with open_journal(tmp_path / "journal.db") as journal:
        for run in ("aa1", "aa2"):
            await journal.runs.begin(run, "api")
        sent = export("", ["Ann", "Bob"]), export("", ["Ann", "Cy"], 4, last="2024-02-01T00:00:00Z")
        for each in (export("a.txt", ["Ann", "Bob"]), *sent):
            await journal.run(saving_receipt("aa1", {"exports": [each], "skipped": []}))
        found = await journal.run(lambda connection: receipt_of(connection, "aa1"))
        assert [(each["path"], each["messages"]) for each in found["exports"]] == [("a.txt", 3), ("", 7)]
        assert found["exports"][1]["people"] == {"count": 3, "names": ["Ann", "Bob", "Cy"]}
        assert found["exports"][1]["last"] == "2024-02-01T00:00:00Z"
        assert found["exports"][1]["notices"] == {"zone-assumed": 2}
        with pytest.raises(NotFoundError) as several:
            await journal.runs.with_prefix("aa")
        assert several.value.hint == "it may be aa1, aa2"
        assert await journal.runs.with_prefix("ab") is None
        assert getattr(await journal.runs.with_prefix("aa1"), "run", "") == "aa1"
        await journal.runs.withdraw("aa1")
        empty = await journal.run(lambda connection: receipt_of(connection, "aa1"))
        assert empty == {"exports": [], "skipped": []}


async def test_runs_are_listed_with_what_they_read(tmp_path: Path) -> None:
    """Each path once, in order; a run that read no file has none."""
    async with open_journal(tmp_path / "journal.db") as journal:
        for run, paths in (("aa1", ["a.zip", "b", "a.zip"]), ("aa2", ["c.txt"]), ("aa3", [""])):
            await journal.runs.begin(run, "api")
            exports = [export(path, []) for path in paths]
            await journal.run(saving_receipt(run, {"exports": exports, "skipped": []}))
        found = await journal.run(lambda connection: paths_read(connection, ["aa1", "aa3", "none"]))
        assert found == {"aa1": ["a.zip", "b"]}


def test_the_line_of_a_run_names_files() -> None:
    """Their names without folders; of many, how many more there are."""
    run = {"run": "aa1", "source": "ingest", "finished": "2024-01-15T10:00:00Z", "outcome": "ok", "added": 5010}

    def line(*paths: str, count: int) -> str:
        return history_line(run | {"read": {"count": count, "paths": list(paths)}}).partition("10:00 ")[2]

    assert line("x/Family.zip", count=1) == "ok: 5,010 added from Family.zip"
    assert line("x/Family.zip", "notes/", count=2) == "ok: 5,010 added from Family.zip and notes"
    assert line("a", "b", "c\x1b[2J", "d", count=3000) == "ok: 5,010 added from a, b, c\\x1b[2J and 2,997 more"
    assert history_line(run).endswith("ok: 5,010 added")


async def places_of(journal: Journal, run: str) -> dict[str, tuple[int, int]]:
    """By place what was added and updated."""

    def read(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
        rows = connection.execute("SELECT place, added, updated FROM place_counts WHERE run = ?", (run,))
        return {place: (added, updated) for place, added, updated in rows}

    return await journal.run(read)


async def placed(parts: House, **documents: Document) -> str:
    """A run that is not finished, with documents that were read at these places."""
    run = await parts.pipeline.begin("tests")
    await parts.pipeline.accept(run, [*documents.values()], places=[*documents])
    return run


async def test_what_was_stored_before_a_kill_is_told_as_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store has it, and the journal does not know: what is stored again is what it was, by place and of the run."""

    async def killed(*_: object, **__: object) -> None:
        stored.set()
        await anyio.sleep_forever()

    stored = anyio.Event()
    async with house(tmp_path, embed=False) as parts:
        first = await placed(parts, a=talk("a", 2), b=talk("b", 3))
        await parts.pipeline.drain()
        monkeypatch.setattr(Journal, "done", killed)
        # The second time "a" is told, it is known: one more message, and one with other words.
        await parts.pipeline.accept(first, [talk("a", 3), note("n", "one")], places=["c", "d"])
        await stored.wait()
    monkeypatch.undo()
    async with house(tmp_path, embed=False) as parts:
        assert await places_of(parts.journal, first) == {"a": (2, 0), "b": (3, 0)}
        last = await parts.pipeline.runs.wait(first, "vectors")
        assert await places_of(parts.journal, first) == {"a": (2, 0), "b": (3, 0), "c": (1, 0), "d": (1, 0)}
        assert (last.added, last.unchanged, last.processed, last.documents) == (7, 2, 9, 4)
        again = await placed(parts, e=talk("a", 3), f=note("n", "two"))
        await parts.pipeline.drain()
        assert await places_of(parts.journal, again) == {"f": (0, 1)}


async def test_what_was_stored_before_a_part_of_its_batch_failed_is_told_as_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that comes twice in a batch is stored in two steps; where the second fails, both are tried again."""
    tries = iter(range(9))

    def apply(connection: sqlite3.Connection, changes: WriteBatch, *, read: bool = False) -> None:
        if next(tries) == 1:
            raise StoreError("the disk is full")
        apply_changes(connection, changes, read=read)

    async with house(tmp_path, embed=False) as parts:
        monkeypatch.setattr(memory_module, "apply_changes", apply)
        run = await placed(parts, a=talk("a", 2), b=talk("b", 3), c=talk("a", 4))
        await parts.pipeline.finish(run)
        last = await parts.pipeline.runs.wait(run, "vectors")
        assert next(tries) == 3
        assert await places_of(parts.journal, run) == {"a": (2, 0), "b": (3, 0), "c": (2, 0)}
        assert (last.added, last.unchanged, last.outcome) == (7, 2, "ok")


async def test_counts_of_a_run_that_is_gone_are_not_kept(tmp_path: Path) -> None:
    """Neither when they come nor where an older memd left them."""
    entry = JournalEntry(1, "gone", "k", 1, 0, "1", None)
    async with open_journal(tmp_path / "journal.db") as journal:
        await journal.runs.begin("gone", "tests")
        await journal.done([entry], [StoreReport(added=1)])
        assert await places_of(journal, "gone") == {"1": (1, 0)}
        await journal.runs.withdraw("gone")
        assert await places_of(journal, "gone") == {}
        await journal.done([entry], [StoreReport(added=1)])
        assert await places_of(journal, "gone") == {}
        await journal.run(lambda connection: connection.execute("INSERT INTO place_counts VALUES ('old', '1', 1, 0)"))
    async with open_journal(tmp_path / "journal.db") as journal:
        assert await places_of(journal, "old") == {}


async def test_counts_of_a_killed_run_are_remembered(tmp_path: Path) -> None:
    """Also of one that left nothing to do, so that nobody goes on with it: it tells what it brought."""
    async with house(tmp_path, embed=False) as parts:
        run = await placed(parts, a=talk("a", 2))
        await parts.pipeline.accept(run, [], rejected=2)
        await parts.pipeline.drain()
        await parts.pipeline.accept(run, [talk("a", 2)])
    async with house(tmp_path, embed=False) as parts:
        (told,) = await parts.pipeline.runs.last()
        assert (told["run"], told["outcome"]) == (run, "partial")
        assert [told[name] for name in ("added", "unchanged", "rejected", "processed")] == [2, 2, 2, 4]


async def test_who_is_forgotten_is_named_in_no_receipt(tmp_path: Path) -> None:
    """Not as a person, as a chat or in the name of a file; whoever is known stays."""
    async with open_journal(tmp_path / "journal.db") as journal:
        receipt = {
            "exports": [export("WhatsApp Chat with BOB.txt", ["Ann", "Bob"]), export("Cy.txt", ["Ann", "Cy"])],
            "skipped": [{"path": "bob/p.jpg", "skipped": "picture"}],
        }
        await journal.runs.begin("r", "ingest")
        await journal.run(saving_receipt("r", receipt))
        skipped = [{"path": "Bob.zip", "skipped": "cut off"}, {"path": "Cy.zip", "skipped": "cut off"}]
        await journal.run(saving_receipt("r", {"exports": [], "skipped": skipped}))

        def keep(connection: sqlite3.Connection) -> int:
            return keep_names(connection, {"ann", "cy"}, set())

        assert await journal.run(keep) == 2
        assert await journal.run(keep) == 0
        found = await journal.run(lambda connection: receipt_of(connection, "r"))
        assert "bob" not in str(found).lower()
        assert found["exports"][0]["path"] == found["exports"][0]["files"][0]["path"] == REMOVED
        assert found["exports"][1] == receipt["exports"][1]
        assert [each["path"] for each in found["skipped"]] == [REMOVED, REMOVED, "Cy.zip"]


@pytest.mark.parametrize("again", ["known", "new"])
async def test_no_later_receipt_names_who_is_forgotten(tmp_path: Path, again: str) -> None:
    """An export comes again: the part of it that was forgotten stays out, and its people are told by their number alone."""
    chat = day(("Ann", "hello"), ("Cy", "hi"), ("Bob", "wobblegate"))
    more = chat if again == "known" else day(("Ann", "hello"), ("Cy", "hi"), ("Bob", "wobblegate"), ("Cy", "more"))
    async with open_app(words_only(tmp_path / "d"), serve=False) as service:
        await ingest(service, chat)
        await forget(service, people=["Bob"])
        receipt = {"exports": [export("Crew.txt", ["Ann", "Cy", "Bob"])], "skipped": []}
        run = await service.pipeline.begin("tests")
        await service.pipeline.accept(run, [more], along=saving_receipt(run, receipt))
        await service.pipeline.finish(run)
        with anyio.fail_after(60):
            assert (await service.pipeline.runs.wait(run, "vectors")).forgotten == 1
        told = await service.pipeline.journal.run(lambda connection: receipt_of(connection, run))
        assert told["exports"][0]["people"] == {"count": 3, "names": ["Ann", "Cy"]}
        assert await service.pipeline.journal.purge_owed()


def test_a_receipt_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what a person asks: which file, read by what, how many, about whom, why not."""
    monkeypatch.setenv("TZ", "UTC")
    told = export("a\x1b.txt", ["Ann", "Bob"], rejected={"line N: no time": 2})
    times = {"started": "2024-03-01T00:00:00Z", "finished": "2024-03-01T00:01:00Z"}
    run = {"run": "aa1", "source": "ingest", **times, "outcome": "ok", "added": 3, "exports": [told], "skipped": []}
    lines = list(receipt_lines(run))
    text = "\n".join(lines)
    assert "3 messages in 1 document read, 2 rejected" in text
    assert "2 people: Ann, Bob" in text
    assert "line N: no time" in text
    assert "\x1b" not in text
    assert f"sha256 {'ab' * 6}" in text


def shown(files: list[dict[str, Any]], skipped: list[dict[str, Any]] | None = None) -> list[str]:
    """The lines about one export of these files."""
    told = export("box", ["Ann"], files=files)
    times = {"started": "2024-03-01T00:00:00Z", "finished": "2024-03-01T00:01:00Z"}
    run = {"run": "aa1", "source": "ingest", **times, "outcome": "ok", "added": 3}
    return list(receipt_lines({**run, "exports": [told], "skipped": skipped or []}))


def test_of_many_files_only_those_with_something_rejected_are_shown() -> None:
    """An export has thousands; of few each is shown, with what of it was left out."""
    clean = [{"path": f"{number}.eml", "size": 9, "messages": 1, "left_out": {"copy": 2}} for number in range(5000)]
    flawed = [{"path": f"bad {number}", "size": 1, "messages": 0, "rejected": {"no date": 1}} for number in range(500)]
    few = shown(clean[:LISTED])
    assert sum("  file: " in line for line in few) == sum("    left out: 2 copy" in line for line in few) == LISTED
    many = shown([*clean, *flawed[:2]])
    assert "  files: 5,002 (5,000 with messages), 45,002 bytes; `--json` lists all" in many
    assert "  left out: 10,000 copy" in many
    assert "3 messages in 1 document read, 0 rejected, 10,000 left out" in many[4]
    assert [line.split("  ")[1] for line in many if "file: " in line] == ["file: bad 0", "file: bad 1"]
    assert many[-1] == "    rejected: 1 no date"
    worst = shown([*clean, *flawed], [{"path": f"{number}.jpg", "skipped": "empty"} for number in range(5000)])
    assert len(worst) < 2 * LISTED_FLAWED + 20
    assert any("400 more files with records that were rejected" in line for line in worst)
    assert worst[-1] == "left out: 5,000 .jpg files: empty"


async def test_files_of_one_document_have_no_added_of_their_own(tmp_path: Path) -> None:
    """A conversation in several files is stored as one: it is not known from which of them it came."""
    async with open_journal(tmp_path / "journal.db") as journal:
        await journal.runs.begin("r", "ingest")
        files = [{"path": name, "messages": 1} for name in ("a.json", "b.json")]
        exports = [export("a", ["Ann"], files=files, together=True), export("b", ["Ann"], files=files)]
        await journal.run(saving_receipt("r", {"exports": exports, "skipped": []}, placed=True))
        entry = JournalEntry(1, "r", "k", 1, 0, "1/0", None)
        await journal.done([entry], [StoreReport(added=2)])
        found = await journal.run(lambda connection: receipt_of(connection, "r"))
        assert [each["added"] for each in found["exports"]] == [2, 0]
        assert ["added" in file for each in found["exports"] for file in each["files"]] == [False, False, True, True]


@pytest.mark.parametrize("part_bytes", [1, 150, 400, 10**6])
async def test_a_receipt_in_parts_is_one(tmp_path: Path, part_bytes: int) -> None:
    """An export of many files is too large for one request; places count through all parts."""
    files = [{"path": f"{number}.txt", "messages": 1} for number in range(9)]
    exports = [
        export("a", ["Ann"], files=files),
        export("b", ["Bo"], files=files[:1]),
        export("c", ["Cy"], files=files),
    ]
    receipt = {"exports": exports, "skipped": [{"path": f"{number}.jpg", "skipped": "empty"} for number in range(9)]}
    parts = list(receipt_parts(receipt, part_bytes))
    assert len(parts) > 1 or part_bytes > 1000
    async with open_journal(tmp_path / "journal.db") as journal:
        await journal.runs.begin("r", "ingest")
        for each in parts:
            request = ReceiptRequest.model_validate_json(json.dumps({"run": "r", **each}))
            told = request.model_dump(mode="json", exclude={"run", "continues"}, exclude_none=True)
            save = going_on("r", told) if request.continues else saving_receipt("r", told, placed=True)
            await journal.run(save)
        await journal.done([JournalEntry(1, "r", "k", 1, 0, "1/2/8", None)], [StoreReport(added=2)])
        found = await journal.run(lambda connection: receipt_of(connection, "r"))
    assert [[file["path"] for file in each["files"]] for each in found["exports"]] == [
        [file["path"] for file in each["files"]] for each in exports
    ]
    assert [each["messages"] for each in found["exports"]] == [3, 3, 3]
    assert not any("rest" in each for each in found["exports"])
    assert found["skipped"] == receipt["skipped"]
    assert [file["added"] for file in found["exports"][2]["files"]] == [0] * 8 + [2]
