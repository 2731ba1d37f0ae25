"""Discord's data package: the account's own messages, by JSON and CSV, and what the files beside them say."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.reading.read_path import read_records
from memd.schemas import UNKNOWN_USER
from memd.schemas.identity_links import IDENTITIES, identities_of
from memd.tests.cases import for_each
from memd.tests.connectors.discord.exports import CHANNEL, OPTIONS, codes, documents, encoded, read, rejected

DIRECT = "824930000000000009"
ROWS = [
    {"ID": 900000000000000002, "Timestamp": "2024-01-15 12:05:00", "Contents": "And Bo?\n", "Attachments": ""},
    {
        "ID": 900000000000000001,
        "Timestamp": "2024-01-15 12:00:00",
        "Contents": "",
        "Attachments": "https://cdn.discordapp.com/attachments/1/2/my%20boat.png?ex=1 https://cdn.discordapp.com/a/rig.pdf",
    },
]
DESCRIBED = {"id": CHANNEL, "type": "GUILD_TEXT", "name": "harbour", "guild": {"id": "8", "name": "Sailors"}}
ACCOUNT: dict[str, Any] = {
    "id": "300000000000000001",
    "username": "ann_99",
    "discriminator": 0,
    "global_name": "Ann",
    "email": "ann@example.org",
    "phone": "+49 171 2345678",
    "relationships": [],
}
INDEX = {CHANNEL: "harbour in Sailors", DIRECT: "Direct Message with bo#0", "824930000000000010": None}


def package(rows: Any = ROWS, **more: Any) -> dict[str, Any]:
    """The files of a package."""
    return {
        "account/user.json": ACCOUNT,
        f"messages/c{CHANNEL}/channel.json": DESCRIBED,
        f"messages/c{CHANNEL}/messages.json": rows,
        "messages/index.json": INDEX,
        "servers/index.json": {"800000000000000001": "Sailors"},
        **more,
    }


def test_a_package_holds_what_the_account_wrote() -> None:
    """In the order of time, under the same ids as other exports; the documents say that one side is missing."""
    records = read(package())
    (found,) = documents(records)
    assert found.id == f"discord:{CHANNEL}:2024-01-15"
    assert found.metadata == {
        "chat": CHANNEL,
        "title": "Sailors #harbour",
        "server": "Sailors",
        "partial_view": "true",
        IDENTITIES: found.metadata[IDENTITIES],
    }
    told = ["id:300000000000000001", "id:@ann_99", "mailto:ann@example.org", "tel:+491712345678"]
    assert identities_of(found.metadata) == {"Ann": told}
    assert found.conversation.user == "Ann"
    assert found.conversation.people == ("Ann",)
    files, words = found.messages
    assert (files.id, files.content, files.kind) == ("900000000000000001", "[photo]", "media")
    assert files.time == datetime(2024, 1, 15, 12, tzinfo=UTC)
    assert [a.to_wire() for a in files.attachments] == [
        {"name": "my boat.png", "mime": "image/png", "missing": True},
        {"name": "rig.pdf", "missing": True},
    ]
    assert (words.id, words.content, words.speaker) == ("900000000000000002", "And Bo?\n", "Ann")
    assert codes(records) == []
    assert rejected(records) == []


def test_a_table_holds_the_same(tmp_path: Path) -> None:
    """The older form, whose folders had no letter; words may go over lines."""
    table = (
        'ID,Timestamp,Contents,Attachments\r\n900000000000000002,2024-01-15 12:05:00.000000+00:00,"And\n""Bo""?",\r\n'
    )
    path = tmp_path / "package.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(f"messages/{CHANNEL}/messages.csv", table)
        packed.writestr(
            f"messages/{CHANNEL}/channel.json", encoded({"id": CHANNEL, "type": 1, "recipients": ["1", "2"]})
        )
        packed.writestr("messages/index.json", encoded({CHANNEL: "Direct Message with bo#0"}))
        packed.writestr("account/user.json", encoded(ACCOUNT))
    (found,) = documents(read_records(path, OPTIONS))
    assert found.metadata["title"] == "bo"
    assert [(m.id, m.content, m.speaker) for m in found.messages] == [("900000000000000002", 'And\n"Bo"?', "Ann")]


def test_names_of_folders_may_be_translated() -> None:
    """The description beside the messages has the id of the channel."""
    files = {"Nachrichten/c1/channel.json": {**DESCRIBED, "id": DIRECT}, "Nachrichten/c1/messages.json": ROWS}
    assert documents(read(files))[0].id == f"discord:{DIRECT}:2024-01-15"


def test_files_that_say_little_are_known_by_their_place() -> None:
    """Short numbers, a channel without a kind, an account without an address: beside messages their names tell them."""
    files = {
        "account/user.json": {"id": "7", "username": "ann"},
        "messages/index.json": {"12": "Direct Message with bo#0", "13": "harbour in Sailors"},
        "messages/c12/channel.json": {"id": "12"},
        "messages/c12/messages.json": ROWS,
        "messages/c13/messages.csv": b"ID,Timestamp,Contents,Attachments\r\n1,2024-01-15 12:00:00,Hi,\r\n",
        "notes/channel.json": {"id": "14"},
    }
    records = read(files)
    assert [(d.metadata["chat"], d.metadata["title"], d.conversation.user) for d in documents(records)] == [
        ("12", "bo", "ann"),
        ("13", "harbour in Sailors", "ann"),
    ]
    assert codes(records) == ["files-left-out"]


@pytest.mark.parametrize("place", ["other/deep", "package", "package/messages", "user"])
def test_a_file_of_an_account_elsewhere_is_none_of_the_package(place: str) -> None:
    """Such a name is everybody's: only a folder beside that of the messages says who the user is."""
    account = {"id": "7", "username": "stranger"}
    records = read({"package/messages/c12/messages.json": ROWS, f"{place}/user.json": account})
    assert documents(records)[0].conversation.user == UNKNOWN_USER
    records = read({"package/messages/c12/messages.json": ROWS, "package/account/user.json": account})
    assert documents(records)[0].conversation.user == "stranger"


def test_without_an_account_the_user_is_unknown() -> None:
    """Until `--me` names the user."""
    files = {f"messages/c{CHANNEL}/messages.json": ROWS}
    records = read(files)
    assert documents(records)[0].conversation.user == UNKNOWN_USER
    assert codes(records) == ["user-unknown"]
    records = read(files, ReadOptions(zone=UTC, me="Annie"))
    assert documents(records)[0].conversation.people == ("Annie",)


def test_messages_of_no_channel_are_rejected() -> None:
    """They have no place."""
    records = read({"messages.json": ROWS})
    assert documents(records) == []
    assert "which channel" in rejected(records)[0][1]


@for_each([None, True, -1, 10**30, 1e300, "", "x\0y", "\ud800", [], {}, [None], "9" * 400])
def test_fields_of_wrong_types_are_no_exception(value: Any) -> None:
    """Each field in turn; the rows and files beside are read."""
    for key in ROWS[0]:
        records = read(package([{**ROWS[0], key: value}, ROWS[1]]))
        assert "900000000000000001" in [m.id for d in documents(records) for m in d.messages]
    for name in (f"messages/c{CHANNEL}/channel.json", "messages/index.json", "account/user.json"):
        assert documents(read(package(**{name: value})))
        for key in DESCRIBED:
            assert documents(read(package(**{name: {**DESCRIBED, key: value}})))


@for_each(['900,"open', "a\0b,c,d,e", ",,,", "900,soon,x", "x" * 200_000])
def test_broken_lines_of_a_table_cost_themselves(row: str) -> None:
    """What stands before them is read."""
    good = "900000000000000002,2024-01-15 12:05:00,Good,\r\n"
    data = f"ID,Timestamp,Contents,Attachments\r\n{good}{row}\r\n".encode()
    records = read({f"messages/c{CHANNEL}/messages.csv": data})
    assert [m.content for d in documents(records) for m in d.messages] == ["Good"]
    assert rejected(records)


def test_many_channels_share_an_archive() -> None:
    """Each has its own title."""
    files = package()
    files[f"messages/c{DIRECT}/channel.json"] = {"id": DIRECT, "type": "DM", "recipients": ["1", "2"]}
    files[f"messages/c{DIRECT}/messages.json"] = ROWS
    assert sorted(d.metadata["title"] for d in documents(read(files))) == ["Sailors #harbour", "bo"]
