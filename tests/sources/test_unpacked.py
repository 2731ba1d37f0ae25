"""Exports of many files in a source: read as one, as `memd ingest FOLDER` reads them, with the reason for what is not."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import orjson
import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.reading.read_path import read_records
from memd.daemon.config.timezones import zone_named
from memd.daemon.service.requests import AddSourceRequest, ChangeSourceRequest, PauseSourceRequest, RunsRequest
from memd.schemas import ConversationDocument
from memd.schemas.errors import InvalidError, NotFoundError
from memd.tests.connectors.discord import exports as discord
from memd.tests.connectors.imessage.test_database import database_with_log
from memd.tests.connectors.office_files import pdf
from memd.tests.connectors.signal import exports as signal
from memd.tests.connectors.slack import exports as slack
from memd.tests.connectors.telegram import exports as telegram
from memd.tests.connectors.test_shared_folder import long_message
from memd.tests.daemon.house import wire
from memd.tests.sources.test_folder import Folder, chat, folder_in

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
DAYS = {
    "2024-01-15": [slack.message(0, "U0ANN", "the figures are wrong")],
    "2024-01-16": [slack.message(90_000, "U0ANN", "now they are right")],
}


def unpack(folder: Folder, at: str, days: dict[str, list[dict[str, object]]], *, lists: bool = True) -> None:
    """An export of Slack as its archive unpacks."""
    for name, data in slack.workspace(days).items():
        if lists or "/" in name:
            folder.put(f"{at}/{name}" if at else name, data)


async def unknown_of(folder: Folder) -> list[ConversationDocument]:
    """What `memd ingest` of the folder would add."""
    records = read_records(folder.root, ReadOptions(zone=zone_named("UTC")))
    days = [record for record in records if isinstance(record, ConversationDocument)]
    assert days
    return [day for day in days if not await _is_stored(folder, day)]


async def _is_stored(folder: Folder, day: ConversationDocument) -> bool:
    try:
        stored = (await folder.service.document(day.id))["conversation"]
    except NotFoundError:
        return False
    return [(each["speaker"], each["content"]) for each in stored["conversation"]] == [
        (each.speaker, each.content) for each in day.messages
    ]


@pytest.mark.parametrize("at", ["Acme", ""])
async def test_an_unpacked_export_is_read_as_one(tmp_path: Path, at: str) -> None:
    """With its lists of people and chats, also when only a day is new; the folder is then known as it stands."""
    async with folder_in(tmp_path) as folder:
        unpack(folder, at, {"2024-01-15": DAYS["2024-01-15"]})
        first = await folder.sync()
        assert (first["outcome"], first["added"], first["rejected"]) == ("ok", 1, 0)
        assert await unknown_of(folder) == []
        unpack(folder, at, DAYS)
        second = await folder.sync()
        assert (second["outcome"], second["added"], second["rejected"]) == ("ok", 1, 0)
        assert await unknown_of(folder) == []
        assert (await folder.sync())["processed"] == 0


async def test_each_file_that_is_not_read_is_told_with_its_reason(tmp_path: Path) -> None:
    """Nobody recognises it; some of its records are broken; it lies in an export and holds nothing. Notices are kept."""
    async with folder_in(tmp_path) as folder:
        unpack(folder, "Acme", DAYS)
        folder.put("Acme/integration_logs.json", b'[{"service_id": 1}]')
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        folder.put("unknown.bin", bytes(range(256)) * 8)
        export = discord.export(discord.message(1, discord.BO, "Who lost the anchor?"))
        export["messages"].append({**export["messages"][0], "id": "2", "timestamp": "never"})
        folder.put("d/harbour.json", discord.encoded(export))
        done = await folder.sync()
        assert (done["outcome"], done["rejected"]) == ("partial", 1)
        shown = await folder.show()
        assert shown["files"] == {"known": 8, "unreadable": 0, "incomplete": 1, "left_out": 2}
        (part,) = shown["incomplete"]
        assert (part["path"], part["rejected"], "1 record could not be read: " in part["reason"]) == (
            "d/harbour.json",
            1,
            True,
        )
        assert [each["path"] for each in shown["left_out"]] == ["Acme/integration_logs.json", "unknown.bin"]
        assert {"user-unknown"} <= {each["code"] for each in shown["notices"]}
        assert not any(each["places"] for each in shown["notices"])
        await folder.sync()
        last, first = (await folder.service.sources.runs(RunsRequest(source="exports")))["runs"]
        assert (await folder.service.sources.run(last["run"]))["notices"] == []
        assert (await folder.service.sources.run(first["run"][:12]))["notices"] == shown["notices"]
        assert (await folder.show())["notices"] == shown["notices"]


async def test_an_export_whose_files_still_come_is_left_for_later(tmp_path: Path) -> None:
    """A file of it is being written: nothing of it is read without that one; the others are."""
    async with folder_in(tmp_path) as folder:
        unpack(folder, "Acme", DAYS, lists=False)
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        coming = folder.root / "Acme" / "users.json"
        coming.write_bytes(b"[")
        os.utime(coming, (2**40, 2**40))  # its clock is wrong: it is always new

        async def no_sleep(_seconds: float) -> None:
            coming.write_bytes(coming.read_bytes() + b" ")

        from memd.daemon.sources import folder_reader

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(folder_reader.anyio, "sleep", no_sleep)
            first = await folder.sync()
        assert (first["added"], await folder.finds("figures")) == (2, False)
        unpack(folder, "Acme", DAYS)
        assert (await folder.sync())["added"] == 2
        assert await unknown_of(folder) == []


async def test_a_source_is_changed_in_place(tmp_path: Path) -> None:
    """What was read, its files and its pause stay; a moved folder is no reason to forget them; nonsense changes nothing."""
    async with folder_in(tmp_path, zone="Europe/Berlin") as folder:
        folder.put("WhatsApp Chat with Bob.txt", chat("Bob", "I moved to Lisbon"))
        await folder.sync()
        sources = folder.service.sources
        await sources.pause(PauseSourceRequest(name="exports", paused=True))
        wrong: tuple[dict[str, object], ...] = (
            {"schedule": "0 0 30 2 *"},
            {"name": "other"},
            {"pth": "/x"},
            {"path": None},
            {"path": str(tmp_path / "nowhere")},
            {"move_to": str(tmp_path / "done")},
        )
        before = await folder.show()
        for settings in wrong:
            with pytest.raises(InvalidError):
                await sources.change(ChangeSourceRequest(name="exports", settings=settings))
        assert (await folder.show())["settings"] == before["settings"]
        with pytest.raises(InvalidError) as refused:
            await sources.add(AddSourceRequest(settings={"name": "two", "path": str(folder.root)}))
        assert refused.value.hint == "`memd sources set exports` changes it; or choose another folder"
        moved = folder.root.rename(tmp_path / "moved")
        settings = {"path": str(moved), "schedule": "every 6h", "watch": True, "jitter_s": 5}
        shown = wire(await sources.change(ChangeSourceRequest(name="exports", settings=settings)))
        assert (shown["paused"], shown["files"]["known"], len(shown["runs"])) == (True, 1, 1)
        assert shown["settings"] == before["settings"] | settings
        await sources.change(ChangeSourceRequest(name="exports", settings={"jitter_s": None, "watch": False}))
        assert (await folder.show())["settings"] == before["settings"] | {"path": str(moved), "schedule": "every 6h"}
        done = await folder.sync(sources=("exports",))
        assert (done["added"], done["unchanged"]) == (0, 2)
        assert (await folder.sync(sources=("exports",)))["processed"] == 0


async def test_pages_that_go_on_are_read_together(tmp_path: Path) -> None:
    """Telegram's JSON beside lists, and ids are those of the folder read by hand."""
    async with folder_in(tmp_path) as folder:
        chats = telegram.chat(
            [telegram.said(1, "Trombone lessons"), telegram.said(2, "See you", who="Bob", peer="user2")]
        )
        folder.put("ChatExport/result.json", telegram.written(chats))
        folder.put("ChatExport/extra.json", orjson.dumps({"theme": "dark"}))
        assert (await folder.sync())["outcome"] == "ok"
        assert await unknown_of(folder) == []
        assert [each["path"] for each in (await folder.show())["left_out"]] == ["ChatExport/extra.json"]


async def test_what_messages_consist_of_is_read_with_them(tmp_path: Path) -> None:
    """The end of a long text of Signal is no note, and is told as read; a file that was sent is left out, and stays there."""
    async with folder_in(tmp_path, after_read="delete") as folder:
        name = sha256(b"content" + b"key").hexdigest()
        messages = folder.put("signal/main.jsonl", signal.export(long_message()))
        end = folder.put(f"signal/files/{name[:2]}/{name}.txt", "Long text that goes on")
        sent = folder.put(f"signal/files/ab/{'ab' * 32}.pdf", pdf(["A contract"]))
        assert len(records := await unknown_of(folder)) == 1
        done = await folder.sync()
        assert (done["outcome"], done["added"], done["rejected"]) == ("ok", 1, 0)
        assert await _is_stored(folder, records[0])
        assert [message.content for message in records[0].messages] == ["Long text that goes on"]
        assert [each["path"] for each in (await folder.show())["left_out"]] == [f"signal/files/ab/{'ab' * 32}.pdf"]
        assert [each.exists() for each in (messages, end, sent)] == [False, False, True]


async def test_the_log_of_a_database_is_not_left_out(tmp_path: Path) -> None:
    """Its reader used it; SQLite's file beside it holds nothing."""
    async with folder_in(tmp_path) as folder:
        (folder.root / "Messages").mkdir(parents=True, exist_ok=True)
        database_with_log(folder.root / "Messages")
        for each in (folder.root / "Messages").iterdir():
            os.utime(each, (2**30, 2**30))
        await folder.sync()
        assert await folder.finds("Late")
        assert [each["path"] for each in (await folder.show())["left_out"]] == ["Messages/chat.db-shm"]
