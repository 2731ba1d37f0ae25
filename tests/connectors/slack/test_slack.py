"""Exports of Slack: which files are read as what, into which documents, and under whose names."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memd.connectors.connector import Connector
from memd.connectors.formats.slack.connector import SlackConnector
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.detection import rank
from memd.connectors.reading.read_path import read_records
from memd.connectors.reading.registry import default_connectors
from memd.schemas import SYSTEM_SPEAKER, UNKNOWN_USER, ConversationDocument, Rejected
from memd.schemas.identity_links import identities_of
from memd.tests.cases import for_each
from memd.tests.connectors.slack.exports import (
    CHANNELS,
    DAY,
    OPTIONS,
    START,
    USERS,
    channel,
    codes,
    documents,
    message,
    packed,
    read,
    reasons,
    reply,
    root,
    stamp,
    user,
    workspace,
)
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

FIRST_DAY = [
    message(0, "U0ANN", "Good morning"),
    message(60, "U0BO", "<@U0BO> has joined the channel", subtype="channel_join"),
    root(120, "U0BO", "Who has the key?", [130, DAY + 5]),
    reply(130, "U0ANN", "Not me", 120),
]
SECOND_DAY = [message(DAY, "U0BO", "Morning again"), reply(DAY + 5, "U0CY", "I do", 120)]
DMS = [{"id": "D0DM1", "created": 1600000000, "members": ["U0ANN", "U0BO"]}]
MPIMS = [channel("G0MP1", "mpdm-ann--bo--cy-1", ["U0ANN", "U0BO", "U0CY"])]


class TestSlackConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = ("slack.message:MessageReader.message",)
    download = Download(
        "the quarterly figures are wrong",
        workspace({"2024-01-15": [message(0, "U0ANN", "The quarterly figures are wrong")]}),
        "Acme Slack export.zip",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return SlackConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A whole export, a channel's folder, one day, and a channel as slackdump dumps it."""
        dump = {
            "channel_id": "C0GEN",
            "name": "general",
            "messages": [{**FIRST_DAY[2], "slackdump_thread_replies": [FIRST_DAY[3]]}, SECOND_DAY[0]],
        }
        return {
            "acme.zip": workspace({"2024-01-15": FIRST_DAY, "2024-01-16": SECOND_DAY}, groups_json=[], dms_json=DMS),
            "general": packed({"2024-01-15.json": FIRST_DAY, "2024-01-16.json": SECOND_DAY}),
            "2024-01-15.json": packed({"2024-01-15.json": FIRST_DAY[:2]}),
            "dump": {"C0GEN.json": json.dumps(dump).encode()},
        }


def test_an_export_becomes_days_and_threads() -> None:
    """Each message stands once: in its thread's document, else in that of its day; ids, people and titles are Slack's."""
    found = documents(read(workspace({"2024-01-15": FIRST_DAY, "2024-01-16": SECOND_DAY})))
    assert set(found) == {
        "slack:T0ACME:C0GEN:2024-01-15",
        "slack:T0ACME:C0GEN:2024-01-16",
        f"slack:T0ACME:C0GEN:{stamp(120)}",
    }
    day = found["slack:T0ACME:C0GEN:2024-01-15"]
    assert [(m.speaker, m.content, m.kind) for m in day.messages] == [
        ("Ann", "Good morning", "text"),
        (SYSTEM_SPEAKER, "@Bo Example has joined the channel", "system"),
    ]
    assert day.conversation.people == ("Ann", SYSTEM_SPEAKER, UNKNOWN_USER)
    assert day.metadata == {
        "identities": '{"Ann":["id:U0ANN","mailto:ann@example.org"]}',
        "title": "#general",
        "chat": "T0ACME:C0GEN",
        "account": "T0ACME",
        "channel": "C0GEN",
        "channel_type": "public",
    }
    thread = found[f"slack:T0ACME:C0GEN:{stamp(120)}"]
    assert [(m.speaker, m.content) for m in thread.messages] == [
        ("Bo Example", "Who has the key?"),
        ("Ann", "Not me"),
        ("cy!", "I do"),
    ]
    first = f"C0GEN:{stamp(120)}"
    assert [m.thread for m in thread.messages] == [first] * 3
    assert [m.reply_to for m in thread.messages] == [None, first, first]
    assert identities_of(thread.metadata).keys() == {"Ann", "Bo Example", "cy!"}
    told = {"identities": thread.metadata["identities"]}
    assert thread.metadata == {**day.metadata, **told, "thread": first}


def test_times_are_exact_and_days_are_local() -> None:
    """A time stamp is an instant: its microseconds stay, the zone of the options decides its day and offset."""
    late = message(13.5 * 3600, "U0ANN", "late")
    tokyo = replace(OPTIONS, zone=ZoneInfo("Asia/Tokyo"))
    found = documents(read(workspace({"2024-01-15": [late]}), tokyo))["slack:T0ACME:C0GEN:2024-01-16"].messages[0]
    zone = timezone(timedelta(hours=9))
    assert found.time == datetime.fromtimestamp(START, zone) + timedelta(hours=13.5, microseconds=100)
    assert found.time.utcoffset() == timedelta(hours=9)
    assert (found.zone_origin, found.time_precision, found.id) == ("explicit", "second", f"C0GEN:{late['ts']}")


def test_chats_of_people_are_called_by_their_names() -> None:
    """A direct message and a group are titled by their people, without the user; their folders are ids and names."""
    files = packed(
        {
            "users.json": USERS,
            "channels.json": [],
            "dms.json": [*DMS, {"id": "D0SELF", "created": 1, "members": ["U0ANN", "U0ANN"]}],
            "mpims.json": MPIMS,
            "groups.json": [channel("G0PRIV", "secret")],
            "D0DM1/2024-01-15.json": [message(0, "U0BO", "psst")],
            "D0SELF/2024-01-15.json": [message(0, "U0ANN", "milk")],
            "mpdm-ann--bo--cy-1/2024-01-15.json": [message(0, "U0CY", "three of us")],
            "secret/2024-01-15.json": [message(0, "U0CY", "hidden")],
        }
    )
    records = read(files, replace(OPTIONS, me="ann@example.org"))
    found = {d.id: (d.metadata["title"], d.metadata["channel_type"]) for d in documents(records).values()}
    assert found == {
        "slack:T0ACME:D0DM1:2024-01-15": ("Bo Example", "dm"),
        "slack:T0ACME:D0SELF:2024-01-15": ("Ann", "dm"),
        "slack:T0ACME:G0MP1:2024-01-15": ("Bo Example, cy!", "group"),
        "slack:T0ACME:G0PRIV:2024-01-15": ("#secret", "private"),
    }
    assert {d.conversation.user for d in documents(records).values()} == {"Ann"}
    assert codes(records) == []


@for_each(["U0ANN", "ann", "@ann", "Ann", "Ann Example", "ANN@example.org"])
def test_the_user_is_found_by_any_of_their_names(me: str) -> None:
    """Id, handle, names and mail address all lead to the name that the documents use."""
    records = read(workspace({"2024-01-15": FIRST_DAY}), replace(OPTIONS, me=me))
    assert {document.conversation.user for document in documents(records).values()} == {"Ann"}
    assert "user-unknown" not in codes(records)


def test_the_user_is_asked_for_once_and_misspellings_are_told() -> None:
    """An export does not tell who made it: one notice for all of it; a name that nobody has is told, too."""
    files = workspace({"2024-01-15": FIRST_DAY, "2024-01-16": SECOND_DAY})
    assert codes(read(files)).count("user-unknown") == 1
    records = read(files, replace(OPTIONS, me="Nobody"))
    assert "user-not-seen" in codes(records)
    assert {document.conversation.user for document in documents(records).values()} == {"Nobody"}


def test_a_name_of_several_people_is_not_the_user() -> None:
    """It does not tell who is meant; a handle does."""
    files = workspace({"2024-01-15": FIRST_DAY})
    files |= packed({"users.json": [*USERS, user("U0ANN2", "ann.other", "Other", "Ann")]})
    records = read(files, replace(OPTIONS, me="Ann"))
    assert codes(records) == ["user-ambiguous"]
    assert {document.conversation.user for document in documents(records).values()} == {UNKNOWN_USER}
    for me, named in (("ann", "Ann (ann)"), ("ann.other", "Ann (ann.other)"), ("U0ANN2", "Ann (ann.other)")):
        found = documents(read(files, replace(OPTIONS, me=me)))
        assert {document.conversation.user for document in found.values()} == {named}


def test_people_of_one_name_stay_apart() -> None:
    """Two accounts of one display name get their handles, and a bot that calls itself like a person its id."""
    people = [*USERS, user("U0ANN2", "ann.other", "Other", "Ann")]
    bot = {"type": "message", "subtype": "bot_message", "bot_id": "B01", "username": "cy!", "text": "x", "ts": stamp(9)}
    files = workspace({"2024-01-15": [message(0, "U0ANN", "a"), message(1, "U0ANN2", "b"), bot]})
    files |= packed({"users.json": people})
    (day,) = documents(read(files)).values()
    assert [m.speaker for m in day.messages] == ["Ann (ann)", "Ann (ann.other)", "cy! (B01)"]


def test_people_of_other_workspaces_are_named_by_their_messages() -> None:
    """Who is in no list has a profile in the message; without one the id stands for the name, with a notice."""
    guest = message(0, "U0GUEST", "hello", user_profile={"display_name": "", "real_name": "Gil Guest"}, user_team="T0X")
    records = read(workspace({"2024-01-15": [guest, message(1, "U0WHO", "hm"), message(2, "U0BO", "<@U0GUEST>!")]}))
    (day,) = documents(records).values()
    assert [(m.speaker, m.content) for m in day.messages] == [
        ("Gil Guest", "hello"),
        ("U0WHO", "hm"),
        ("Bo Example", "@Gil Guest!"),
    ]
    assert codes(records) == ["user-unknown", "person-unknown"]


def test_lists_without_messages_are_left_out_with_a_notice() -> None:
    """Integrations and canvases are told as left out, not rejected."""
    log = [{"user_id": "U0ANN", "user_name": "ann", "date": "1600000000", "change_type": "added", "service_id": "1"}]
    canvases = [{"id": "F0CANVAS", "created": 1, "name": "plan", "title": "plan", "mimetype": "text/html"}]
    files = workspace({"2024-01-15": FIRST_DAY[:1]}, integration_logs_json=log, canvases_json=canvases)
    records = read(files | {"empty.json": b""})  # who lists the files that were left out tells that this one is empty
    assert codes(records) == ["not-a-chat", "not-a-chat", "user-unknown"]
    assert reasons(records) == []


def test_everything_in_an_archive_is_slacks(tmp_path: Path) -> None:
    """Through the front door no other format takes a file of an export, in a folder and in an archive in a folder."""
    files = workspace({"2024-01-15": FIRST_DAY, "2024-01-16": SECOND_DAY}, groups_json=[], dms_json=DMS)
    for name, data in files.items():
        (tmp_path / "acme" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "acme" / name).write_bytes(data)
    records = list(read_records(tmp_path / "acme", OPTIONS))
    assert documents(records) == documents(read(files))
    assert not [record for record in records if isinstance(record, Rejected)]


def test_a_channels_folder_alone_is_read() -> None:
    """Without lists the folder names the channel, the messages name the workspace, ids stand for names."""
    records = read(packed({"2024-01-15.json": FIRST_DAY, "2024-01-16.json": SECOND_DAY}), name="general")
    found = documents(records)
    assert set(found) == {
        "slack:T0ACME:general:2024-01-15",
        "slack:T0ACME:general:2024-01-16",
        f"slack:T0ACME:general:{stamp(120)}",
    }
    assert {document.metadata["title"] for document in found.values()} == {"#general"}
    assert found["slack:T0ACME:general:2024-01-16"].messages[0].speaker == "U0BO"


def test_one_day_is_named_by_the_folder_that_it_lies_in(tmp_path: Path) -> None:
    """The file of a day does not name its channel; its folder does."""
    (tmp_path / "random").mkdir()
    path = tmp_path / "random" / "2024-01-15.json"
    path.write_bytes(packed({"": FIRST_DAY[:1]})[""])
    (document,) = documents(read_records(path, OPTIONS)).values()
    assert (document.id, document.metadata["title"]) == ("slack:T0ACME:random:2024-01-15", "#random")


def test_several_exports_in_one_folder_stay_apart() -> None:
    """Each has the lists of its own folder; the chats of one are not those of the other."""
    other = [{**each, "team_id": "T0OTHER"} for each in USERS]
    files = {f"a/{name}": data for name, data in workspace({"2024-01-15": FIRST_DAY[:1]}).items()}
    files |= {f"b/c/{name}": data for name, data in workspace({"2024-01-15": FIRST_DAY[:1]}).items()}
    files |= packed({"b/c/users.json": other})
    assert set(documents(read(files))) == {"slack:T0ACME:C0GEN:2024-01-15", "slack:T0OTHER:C0GEN:2024-01-15"}


def test_an_organisations_people_are_known_in_its_workspaces() -> None:
    """The list above the folders of workspaces has their people; the workspace is told by its own lists and messages."""
    org = [{**each, "team_id": "T0ORG"} for each in USERS]
    files = {f"teams/acme/{name}": data for name, data in workspace({"2024-01-15": FIRST_DAY[:1]}).items()}
    del files["teams/acme/users.json"]
    (document,) = documents(read(files | packed({"org_users.json": org}))).values()
    assert (document.id, document.messages[0].speaker) == ("slack:T0ACME:C0GEN:2024-01-15", "Ann")


def test_folders_are_found_however_archivers_write_them() -> None:
    """A channel's name in decomposed Unicode, and a folder named by the channel's id, are the channel."""
    lists = {"users.json": USERS, "channels.json": [channel("C0CAF", "caf\u00e9"), *CHANNELS]}
    days = {"cafe\u0301/2024-01-15.json": [message(0, "U0BO", "a")], "C0GEN/2024-01-15.json": [message(0, "U0BO", "b")]}
    found = documents(read(packed(lists | days)))
    assert {d.metadata["title"] for d in found.values()} == {"#caf\u00e9", "#general"}
    assert set(found) == {"slack:T0ACME:C0CAF:2024-01-15", "slack:T0ACME:C0GEN:2024-01-15"}


def test_a_name_for_the_chat_counts_for_one_chat() -> None:
    """With one channel it is key and title; several keep their own, with a notice."""
    named = replace(OPTIONS, chat="Work")
    (document,) = documents(read(workspace({"2024-01-15": FIRST_DAY[:1]}), named)).values()
    assert (document.id, document.metadata["title"]) == ("slack:Work:2024-01-15", "Work")
    files = workspace({"2024-01-15": FIRST_DAY[:1]}) | packed({"random/2024-01-15.json": FIRST_DAY[:1]})
    records = read(files, named)
    assert "chat-ignored" in codes(records)
    assert set(documents(records)) == {"slack:T0ACME:C0GEN:2024-01-15", "slack:T0ACME:random:2024-01-15"}


def test_slackdumps_channels_are_read() -> None:
    """One object around a channel, replies inside of the first message of a thread; its copy in the channel counts once."""
    thread = root(0, "U0ANN", "Question?", [5, 9])
    replies = [reply(5, "U0BO", "Answer", 0), reply(9, "U0ANN", "Thanks", 0, subtype="thread_broadcast")]
    thread["slackdump_thread_replies"] = replies
    dump = {"channel_id": "C0GEN", "name": "general", "messages": [thread, replies[1], message(7, "U0CY", "else")]}
    files = packed({"users.json": USERS, "channels.json": CHANNELS}) | {"C0GEN.json": json.dumps(dump).encode()}
    found = documents(read(files))
    assert [m.content for m in found[f"slack:T0ACME:C0GEN:{stamp(0)}"].messages] == ["Question?", "Answer", "Thanks"]
    assert [m.content for m in found["slack:T0ACME:C0GEN:2024-01-15"].messages] == ["else"]
    assert found["slack:T0ACME:C0GEN:2024-01-15"].metadata["title"] == "#general"


def test_the_preview_names_who_wrote() -> None:
    """The most frequent first, the chat if there is one, and how many messages there are."""
    preview = SlackConnector().preview(Shelf("x", workspace({"2024-01-15": [*FIRST_DAY, *SECOND_DAY]})), OPTIONS)
    assert (preview.title, preview.chat, preview.messages) == ("#general", "T0ACME:C0GEN", 6)
    assert list(preview.speakers) == ["Ann", "Bo Example", "cy!"]


@for_each(
    [
        b"1/14/24, 10:00 - Ann: hello\n1/14/24, 10:01 - Bo: hi\n",
        b"# A note\n\nwith words\n",
        b'{"id":"a","conversation":{"source":"x","people":["A"],"user":"A","conversation":[]}}\n',
        b'[{"id": "note", "content": "Words", "metadata": {}}]',
        b'{"name": "Ann", "type": "personal_chat", "id": 1, "messages": [{"id": 1, "type": "message", "text": "x"}]}',
        b'{"guild": {"id": "1"}, "channel": {"id": "2"}, "messages": [{"id": "3", "type": "Default"}]}',
        b'[{"id": "C1", "name": "x"}]',
        b'[{"id": "U1", "name": "x"}]',
        b'[{"ts": "12", "type": "message", "text": "x"}]',
        b"[]",
    ]
)
def test_other_formats_are_not_claimed(data: bytes) -> None:
    """Chats, notes and JSON of other programs, and lists that may be anything, score below one half."""
    assert SlackConnector().sniff(Shelf("x", {"0.txt": data})) < 0.5


def test_nobody_else_is_as_sure_of_an_export(tmp_path: Path) -> None:
    """Of every file of an export Slack's connector is the surest by far."""
    for number, (name, data) in enumerate(workspace({"2024-01-15": FIRST_DAY}, dms_json=DMS).items()):
        path = tmp_path / str(number)
        path.write_bytes(data)
        ranking = rank(open_source(path), default_connectors())
        assert ranking.best is not None, name
        assert ranking.best[0].name == "slack", name
        assert ranking.best[1] >= 0.9, name
        assert ranking.runner_up is None, name


def test_documents_survive_their_json() -> None:
    """What is read is what is stored."""
    for document in documents(read(workspace({"2024-01-15": FIRST_DAY}))).values():
        assert ConversationDocument.from_json(document.to_json()) == document
