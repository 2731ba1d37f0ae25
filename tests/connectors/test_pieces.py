"""Exports that come in several archives, and parts of exports that hold no message."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.reading.export_pieces import gathered, open_pieces
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.reading_log import ReadingLog
from memd.schemas import ConversationDocument, Notice, Rejected
from memd.schemas.errors import SourceError
from memd.tests.connectors.google_chat import exports as google_chat
from memd.tests.connectors.llm_chats.test_claude import conversation, message
from memd.tests.connectors.slack import exports as slack

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
ANN: dict[str, Any] = {"user": google_chat.ANN, "membership_info": []}
SPACE = google_chat.space(google_chat.said(1, google_chat.BO, "the anchor is loose"), name="Harbour")
LISTS: Mapping[str, dict[str, Any]] = {
    "google_chat": {"Takeout/Google Chat/Users/User 123/user_info.json": ANN},
    "messenger": {
        "profile_information/profile_information.json": {
            "profile_v2": {"name": {"full_name": "Ann Archer"}, "emails": {"emails": ["ann@example.org"]}}
        }
    },
    "discord": {"account/user.json": {"id": "1", "username": "ann", "discriminator": 0, "email": "ann@example.org"}},
    "claude": {
        "users.json": [{"uuid": "0a", "full_name": "Ann", "email_address": "a@b", "verified_phone_number": None}]
    },
    "slack": {"users.json": slack.USERS, "channels.json": slack.CHANNELS},
}


def archives(folder: Path, stem: str) -> list[Path]:
    """A Takeout in two pieces: the lists of people in the first, the messages in the second."""
    chat = {name: value for name, value in SPACE.items() if name.endswith("messages.json")}
    lists = {name: value for name, value in SPACE.items() if name not in chat} | LISTS["google_chat"]
    found: list[Path] = []
    for number, files in enumerate((lists, chat), 1):
        found.append(folder / f"{stem}-{number:03d}.zip")
        with zipfile.ZipFile(found[-1], "w") as archive:
            for name, value in files.items():
                archive.writestr(name, json.dumps(value))
    return found


def chats(records: list[Any]) -> list[ConversationDocument]:
    """The conversations among them; nothing may be rejected."""
    assert not [record for record in records if isinstance(record, Rejected)]
    return [record for record in records if isinstance(record, ConversationDocument)]


def check(found: list[ConversationDocument]) -> None:
    """It is known whose the chat is, and how it is called."""
    assert [each.conversation.user for each in found] == ["Ann Archer"]
    assert found[0].metadata["title"] == "Harbour"


@pytest.mark.parametrize("names", [("Z-001", "Z-002"), ("Z-1-001", "Z-1-002"), ("Z-1-001", "Z-2-001")])
def test_pieces_of_a_takeout_are_one(tmp_path: Path, names: tuple[str, str]) -> None:
    """In a folder, named one by one, and unpacked beside each other."""
    found = archives(tmp_path, "takeout")
    pieces = [
        each.rename(tmp_path / f"takeout-20240115T101500{name}.zip") for each, name in zip(found, names, strict=True)
    ]
    check(chats([*read_records(tmp_path, OPTIONS)]))
    (group,) = gathered([str(piece) for piece in reversed(pieces)])
    check(chats([*read_records(open_pieces(group), OPTIONS)]))
    for piece in pieces:
        with zipfile.ZipFile(piece) as archive:
            archive.extractall(tmp_path / piece.stem)
        piece.unlink()
    check(chats([*read_records(tmp_path, OPTIONS)]))


@pytest.mark.parametrize("copy", ["", " (1)", "(2)", " 2"])
def test_archives_of_claude_are_one_export(tmp_path: Path, copy: str) -> None:
    """They are named after what each holds: the account in one of them, which may have been downloaded before, is the user of
    the conversations in another.
    """
    said = message("m1", "human", "the anchor is loose", 0)
    for name, value in (("conversations", [conversation(said)]), ("users", LISTS["claude"]["users.json"])):
        with zipfile.ZipFile(tmp_path / f"{name}-000{copy if name == 'users' else ''}.zip", "w") as archive:
            archive.writestr(f"{name}.json", json.dumps(value))
    (tmp_path / "manifest.json").write_text('{"export_id": "x"}')
    (found,) = chats([*read_records(tmp_path, OPTIONS)])
    assert found.conversation.user == "Ann"
    (group,) = gathered([str(path) for path in sorted(tmp_path.glob("*.zip"))])
    (found,) = chats([*read_records(open_pieces(group), OPTIONS)])
    assert found.conversation.user == "Ann"


def test_what_is_no_piece_stays_alone(tmp_path: Path) -> None:
    """Two Takeouts are two; a text, a folder, standard input and what is not there are no pieces."""
    one, two = (archives(tmp_path, f"takeout-2024011{day}T101500Z")[1] for day in (5, 6))
    monthly = [archives(tmp_path, f"takeout-2024-0{month}")[1] for month in (1, 2)]
    (tmp_path / "folder-001.zip").mkdir()
    texts = [tmp_path / f"chat-00{number}.txt" for number in (1, 2)]
    for text in texts:
        text.write_text("words")
    given = [*map(str, (one, two, *monthly, *texts, tmp_path / "folder-001.zip", tmp_path / "gone-001.zip")), "-"]
    assert gathered(given) == [[path] for path in given]
    assert gathered([str(one), str(one)]) == [[str(one)]]


def test_a_piece_that_went_away_is_told(tmp_path: Path) -> None:
    """Between the listing of the paths and their reading."""
    pieces = archives(tmp_path, "takeout-x")
    pieces[0].unlink()
    with pytest.raises(SourceError, match="No such file"):
        open_pieces([str(piece) for piece in pieces])


@pytest.mark.parametrize("name", sorted(LISTS))
def test_lists_without_messages_are_no_loss(name: str, tmp_path: Path) -> None:
    """A part of a download that says who takes part is told, and nothing of it is rejected: it holds no record."""
    for path, value in LISTS[name].items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(json.dumps(value))
    log = ReadingLog()
    records = [*read_records(tmp_path, OPTIONS, log=log)]
    assert [record.code for record in records if isinstance(record, Notice)] == ["no-messages"]
    assert len(records) == 1
    assert [each["format"] for each in log.to_wire()["exports"]] == [name]


def test_a_list_that_is_given_alone_is_not_what_was_meant(tmp_path: Path) -> None:
    """Whoever names one file wants its messages."""
    file = tmp_path / "user_info.json"
    file.write_text(json.dumps(ANN))
    records = [*read_records(file, OPTIONS)]
    assert [type(record) for record in records] == [Rejected]
