"""slackdump's archives: the same documents as Slack's own export of the same channels gives, from a database or from chunks."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memd.connectors.connector import Connector
from memd.connectors.formats.slack.connector import SlackConnector
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.schemas import ConversationDocument, ConversationMessage
from memd.tests.cases import for_each
from memd.tests.connectors.slack.archives import chunk, chunk_files, database, packed_chunks
from memd.tests.connectors.slack.exports import (
    CHANNELS,
    DAY,
    OPTIONS,
    USERS,
    Json,
    channel,
    codes,
    documents,
    message,
    read,
    reasons,
    reply,
    root,
    stamp,
    workspace,
)
from memd.tests.contracts.connector import ConnectorContract, Download, Samples

FIRST = [
    message(0, "U0ANN", "Good morning", reactions=[{"name": "wave", "users": ["U0BO"], "count": 1}]),
    root(120, "U0BO", "Who has the key?", [130, DAY + 5]),
]
LATER = [message(DAY, "U0BO", "Morning again", files=[{"id": "F0PIC0", "name": "sail.png", "mimetype": "image/png"}])]
REPLIES = [reply(130, "U0ANN", "Not me", 120), reply(DAY + 5, "U0CY", "I do", 120)]
CHUNKS: list[tuple[str, Sequence[Json]]] = [
    ("C0GEN", [*reversed(LATER), *reversed(FIRST)]),  # the server gives the latest first
    ("C0GEN", REPLIES),
]
DM = {"id": "D0DM1", "created": 1600000000, "is_im": True, "user": "U0BO", "members": ["U0ANN", "U0BO"]}
MPIM = channel("G0MP1", "mpdm-ann--bo--cy-1", ["U0ANN", "U0BO", "U0CY"], is_mpim=True)


def files_of(
    form: str, chunks: Sequence[tuple[str, Sequence[Json]]], channels: Sequence[Json] = CHANNELS
) -> Mapping[str, bytes]:
    """An archive in one of its forms."""
    if form == "database":
        return {"slackdump.sqlite": database(USERS, channels, chunks)}
    return chunk_files(USERS, channels, chunks)


def told(records: Mapping[str, ConversationDocument]) -> dict[str, list[ConversationMessage]]:
    """The messages of the documents."""
    return {key: list(document.messages) for key, document in records.items()}


class TestArchives(ConnectorContract):
    """The connector keeps the contract with archives."""

    readers = ("slack.message:MessageReader.message",)
    download = Download(
        "the quarterly figures are wrong",
        {
            "slackdump.sqlite": database(
                USERS, CHANNELS, [("C0GEN", [message(0, "U0ANN", "The quarterly figures are wrong")])]
            )
        },
        "slackdump_20250503_211802",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return SlackConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """An archive of chunks, packed."""
        return {"slackdump": chunk_files(USERS[:2], CHANNELS, [("C0GEN", FIRST[:1])])}


@for_each(["database", "chunks"])
def test_documents_are_those_of_an_export(form: str) -> None:
    """Same ids, same messages, same titles; only whose archive it is stands in it."""
    days = {"2024-01-15": [*FIRST, REPLIES[0]], "2024-01-16": [*LATER, REPLIES[1]]}
    options = replace(OPTIONS, me="ann")
    export = documents(read(workspace(days), options))
    archive = documents(read(files_of(form, CHUNKS), OPTIONS, "slackdump"))
    assert told(archive) == told(export)
    assert {key: each.metadata for key, each in archive.items()} == {key: each.metadata for key, each in export.items()}
    assert {each.conversation.user for each in archive.values()} == {"Ann"}


@for_each(["database", "chunks"])
def test_small_conversations_have_their_members_names(form: str) -> None:
    """A direct message and one of several, without the user's own name."""
    chunks = [("D0DM1", [message(0, "U0BO", "Psst")]), ("G0MP1", [message(5, "U0CY", "All three")])]
    records = documents(read(files_of(form, chunks, [DM, MPIM]), OPTIONS, "slackdump"))
    titles = {each.metadata["channel"]: each.metadata["title"] for each in records.values()}
    assert titles == {"D0DM1": "Bo Example", "G0MP1": "Bo Example, cy!"}


@for_each(["database", "chunks"])
def test_a_later_run_brings_the_edit_and_keeps_the_old_words(form: str) -> None:
    """Also where a message became the beginning of a thread since; copies are told as left out."""
    before = message(120, "U0BO", "Who has the kee?")
    after = root(120, "U0BO", "Who has the key?", [130], edited={"user": "U0BO", "ts": stamp(125)})
    chunks = [("C0GEN", [FIRST[0], before]), ("C0GEN", [FIRST[0], after]), ("C0GEN", REPLIES[:1])]
    records = documents(read(files_of(form, chunks), OPTIONS, "slackdump"))
    thread = records[f"slack:T0ACME:C0GEN:{stamp(120)}"].messages
    assert [each.content for each in thread] == ["Who has the key?", "Not me"]
    assert thread[0].edits is not None
    assert [edit.content for edit in thread[0].edits] == ["Who has the kee?"]
    assert [each.content for each in records["slack:T0ACME:C0GEN:2024-01-15"].messages] == ["Good morning"]


def test_of_hundreds_of_wordings_the_latest_are_kept() -> None:
    """Each is compared with those before it; copies of one are one."""
    chunks = [("C0GEN", [message(120, "U0BO", f"Wording {number // 2}")]) for number in range(410)]
    (kept,) = documents(read(files_of("chunks", chunks), OPTIONS, "slackdump"))[
        "slack:T0ACME:C0GEN:2024-01-15"
    ].messages
    assert kept.content == "Wording 204"
    assert [edit.content for edit in kept.edits or ()] == [f"Wording {number}" for number in range(4, 204)]


def test_what_a_search_gave_is_read() -> None:
    """Where no channel was archived with it, and once where one was."""
    found = {"C0GEN": [{**FIRST[0], "username": "ann"}, {**message(9, "U0BO", "Found alone"), "username": "bo"}]}
    files = {"slackdump.sqlite": database(USERS, CHANNELS, CHUNKS[:1], found)}
    day = documents(read(files, OPTIONS, "slackdump"))["slack:T0ACME:C0GEN:2024-01-15"]
    assert [(each.speaker, each.content) for each in day.messages] == [
        ("Ann", "Good morning"),
        ("Bo Example", "Found alone"),
    ]


@for_each(["database", "chunks"])
def test_a_message_that_was_deleted_between_two_runs_keeps_its_words(form: str) -> None:
    """As an earlier wording."""
    gone = {**message(0, "USLACKBOT", "This message was deleted."), "subtype": "tombstone", "hidden": True}
    records = documents(read(files_of(form, [("C0GEN", FIRST[:1]), ("C0GEN", [gone])]), OPTIONS, "slackdump"))
    (deleted,) = records["slack:T0ACME:C0GEN:2024-01-15"].messages
    assert (deleted.deleted, [edit.content for edit in deleted.edits or ()]) == (True, ["Good morning"])


@for_each(["database", "chunks"])
def test_a_search_alone_names_its_channels(form: str) -> None:
    """Where nothing lists them."""
    hit = {**message(5, "U0BO", "Found"), "channel": {"id": "C0GEN", "name": "general"}}
    lines = [chunk(3, 1, n=1, u=USERS), chunk(10, 2, n=1, sq="x", sm=[hit])]
    files = {"search.json.gz": "\n".join(lines).encode()}
    if form == "database":
        files = {"slackdump.sqlite": database(USERS, [], [], {"C0GEN": [hit]})}
    (day,) = documents(read(files, OPTIONS, "slackdump")).values()
    assert (day.metadata["title"], day.messages[0].speaker) == ("#general", "Bo Example")


@for_each(["database", "chunks"])
def test_an_archive_without_messages_is_told(form: str) -> None:
    """By name."""
    assert reasons(read(files_of(form, []), OPTIONS, "slackdump")) == ["an archive of slackdump without a message"]


def test_damage_costs_one_line() -> None:
    """Of chunks; what is no message is counted."""
    lines = [chunk(0, 1, id="C0GEN", n=2, m=[FIRST[0], 7]), "{broken", chunk(9, 2, id="C0GEN", n=1, b=[{"title": "x"}])]
    records = read({"C0GEN.json.gz": "\n".join(lines).encode()}, OPTIONS, "slackdump")
    assert len(reasons(records)) == 2
    assert codes(records).count("not-a-chat") == 1
    assert len(documents(records)) == 1


def test_a_row_that_is_no_object_costs_itself() -> None:
    """The rest is read."""
    data = database(USERS, CHANNELS, CHUNKS).replace(json.dumps(FIRST[0]).encode(), b"[" * len(json.dumps(FIRST[0])))
    records = read({"slackdump.sqlite": data}, OPTIONS, "slackdump")
    assert reasons(records) == ["a record that is no JSON object"]
    assert sum(len(each.messages) for each in documents(records).values()) == 4


def test_a_person_that_cannot_be_read_costs_no_other_name() -> None:
    """Their own stays unknown."""
    bo = json.dumps(USERS[1]).encode()
    data = database(USERS, CHANNELS, CHUNKS).replace(bo, b"[" * len(bo))
    records = read({"slackdump.sqlite": data}, OPTIONS, "slackdump")
    assert reasons(records) == ["a record that is no JSON object"]
    assert "Ann" in {each.speaker for found in documents(records).values() for each in found.messages}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["folder", "zip"])
def test_packed_chunks_are_read_beside_their_uploads(tmp_path: Path, form: str) -> None:
    """In a folder as in an archive; the picture is there."""
    files = {
        **packed_chunks(files_of("chunks", CHUNKS)),
        "__uploads/F0PIC0/sail.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 40,
    }
    path = tmp_path / "slackdump.zip" if form == "zip" else tmp_path / "slackdump"
    if form == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
    else:
        for name, data in files.items():
            (path / name).parent.mkdir(exist_ok=True, parents=True)
            (path / name).write_bytes(data)
    log = ReadingLog()
    records = list(read_records(path, OPTIONS, log=log))
    assert reasons(records) == []
    messages = [each for record in documents(records).values() for each in record.messages]
    assert len(messages) == 5
    assert [file.missing for each in messages for file in each.attachments or ()] == [False]
    (export,) = log.to_wire()["exports"]
    assert sorted(file["messages"] for file in export["files"]) == [0, 0, 0, 5]
