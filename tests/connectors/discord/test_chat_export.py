"""Files of DiscordChatExporter: messages of every type, chats, threads, parts, and everything that may be broken."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memd.connectors.connector import Connector, ReadOptions
from memd.connectors.formats.discord.connector import DiscordConnector
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.detection import choose
from memd.connectors.reading.read_path import previews, read_records
from memd.schemas import UNKNOWN_USER, Notice
from memd.schemas.identity_links import IDENTITIES, identities_of
from memd.tests.cases import for_each
from memd.tests.connectors.discord.exports import (
    ANN,
    BO,
    BOT,
    CHANNEL,
    OPTIONS,
    codes,
    documents,
    encoded,
    export,
    message,
    messages,
    read,
    rejected,
)
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

TALK = export(message(1, ANN, "Who moors in Kiel?\n"), message(2, BO, "I do"))


class TestDiscordConnector(ConnectorContract):
    """The connector keeps the contract."""

    readers = (
        "discord.exported_message:MessageReader.read",
        "discord.page:_message",
        "discord.package:_message",
        "discord.plain_export:_message",
    )
    download = Download(
        "who lost the anchor",
        {"Sailors - harbour [824930000000000001].json": encoded(export(message(1, BO, "Who lost the anchor?")))},
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Without state."""
        return DiscordConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A channel, in lines and in one; parts; the data package in both its forms."""
        rows = [{"ID": 900000000000000001, "Timestamp": "2024-01-15 12:00:00", "Contents": "Hi", "Attachments": ""}]
        described = {"id": CHANNEL, "type": 1, "recipients": ["300000000000000001", "300000000000000002"]}
        table = b"ID,Timestamp,Contents,Attachments\r\n900000000000000001,2024-01-15 12:00:00.123000+00:00,Hi,\r\n"
        return {
            "a.json": {"a.json": encoded(TALK)},
            "flat.json": {"flat.json": json.dumps(TALK).encode()},
            "parts": {"a.json": encoded(TALK), "a [part 2].json": encoded(export(message(3, ANN, "More")))},
            "package": {
                f"messages/c{CHANNEL}/messages.json": json.dumps(rows).encode(),
                f"messages/c{CHANNEL}/channel.json": json.dumps(described).encode(),
                "messages/index.json": json.dumps({CHANNEL: "Direct Message with bo#0"}).encode(),
            },
            "old package": {f"messages/{CHANNEL}/messages.csv": table},
        }


def test_a_channel_has_a_document_for_each_day() -> None:
    """Ids of Discord, times with their instants, names as they are shown."""
    records = read({"a.json": export(message(1, ANN, "One\n"), message(2, BO, "Two", "2024-01-16T00:00:00+00:00"))})
    first, second = documents(records)
    assert first.id == f"discord:{CHANNEL}:2024-01-15"
    assert second.id == f"discord:{CHANNEL}:2024-01-16"
    assert first.source == "discord"
    told = {"chat": CHANNEL, "title": "Sailors #harbour", "server": "Sailors", "category": "Talk"}
    assert first.metadata == {**told, IDENTITIES: first.metadata[IDENTITIES]}
    assert identities_of(first.metadata) == {"Ann": [f"id:{ANN['id']}", "id:@ann_99"]}
    (one,) = first.messages
    assert (one.id, one.speaker, one.content, one.kind) == ("900000000000000001", "Ann", "One\n", "text")
    assert one.time == datetime(2024, 1, 15, 12, 1, 0, 123000, UTC)
    assert one.zone_origin == "explicit"
    assert first.conversation.user == UNKNOWN_USER
    assert codes(records) == ["user-unknown"]


def test_days_are_those_of_the_reader() -> None:
    """Midnight is that of the zone that is given; seven digits of a second are read."""
    (found,) = documents(
        read(
            {"a.json": export(message(1, ANN, "Late", "2024-01-15T23:30:00.1234567+00:00"))},
            ReadOptions(zone=ZoneInfo("Europe/Berlin")),
        )
    )
    assert found.id == f"discord:{CHANNEL}:2024-01-16"
    assert found.messages[0].time.isoformat() == "2024-01-16T00:30:00.123456+01:00"


@pytest.mark.parametrize("me", ["Ann", "ann_99", "ANN", "300000000000000001"])
def test_the_user_is_known_by_any_of_his_names(me: str) -> None:
    """By the id, the handle or the name; the documents have the name that is shown."""
    records = read({"a.json": TALK}, ReadOptions(zone=UTC, me=me))
    (found,) = documents(records)
    assert found.conversation.user == "Ann"
    assert [m.speaker for m in found.messages] == ["Ann", "Bo"]
    assert codes(records) == []


def test_a_user_who_writes_nothing_is_told() -> None:
    """The name may be wrong."""
    records = read({"a.json": TALK}, ReadOptions(zone=UTC, me="Zoe"))
    assert [(r.code, r.locator) for r in records if isinstance(r, Notice)] == [("user-not-seen", "export!a.json")]


def test_messages_of_one_time_stand_in_the_order_of_their_ids() -> None:
    """Also in an export that begins with the newest."""
    same = "2024-01-15T12:00:00+00:00"
    found = messages(*(message(number, ANN, str(number), same) for number in (100, 30, 9, 8)))
    assert [m.content for m in found] == ["8", "9", "30", "100"]


def test_two_accounts_of_one_name_stay_apart() -> None:
    """The second has its handle behind it; old handles have numbers."""
    other = {**BO, "nickname": "Ann"}
    older = {**BO, "id": "300000000000000004", "nickname": "Ann", "name": "Ann", "discriminator": "1234"}
    nameless = {"id": "300000000000000005", "name": "Ann", "discriminator": "0000", "nickname": None}
    found = messages(
        message(1, ANN, "a"),
        message(2, other, "b"),
        message(3, older, "c"),
        message(4, nameless, "d"),
        message(5, ANN, "e"),
    )
    assert [m.speaker for m in found] == ["Ann", "Ann (bo)", "Ann (Ann#1234)", "Ann (300000000000000005)", "Ann"]


def test_another_of_the_users_name_is_not_the_user() -> None:
    """The first account that fits is the user's, in every chat; others get their handles."""
    other = {**BO, "nickname": "Ann"}
    direct = {"id": "5", "type": "DirectTextChat", "name": "Ann"}
    first, second = export(message(1, ANN, "a"), message(2, other, "b")), export(message(3, other, "c"), channel=direct)
    found = documents(read({"a.json": first, "b.json": second}, ReadOptions(zone=UTC, me="Ann")))
    assert [[m.speaker for m in d.messages] for d in found] == [["Ann", "Ann (bo)"], ["Ann (bo)"]]


def test_answers_edits_reactions_and_pins_are_kept() -> None:
    """Reactions with their people; a number where the export does not name them."""
    party = {"id": "700000000000000001", "name": "party", "code": "party", "isAnimated": True}
    thumb = {"id": "", "name": "👍", "code": "thumbsup", "isAnimated": False}
    first = message(1, ANN, "Come", isPinned=True, timestampEdited="2024-01-15T12:30:00+00:00")
    first["reactions"] = [{"emoji": thumb, "count": 2, "users": [ANN, BO]}, {"emoji": party, "count": 3, "users": []}]
    answer = message(
        2, BO, "Yes", type="Reply", reference={"messageId": first["id"], "channelId": CHANNEL, "guildId": "8"}
    )
    come, yes = messages(first, answer)
    assert (come.edited, come.edited_at) == (True, datetime(2024, 1, 15, 12, 30, tzinfo=UTC))
    assert [(r.emoji, r.people) for r in come.reactions] == [("👍", ("Ann", "Bo")), (":party:", ())]
    assert come.metadata == {"pinned": "true", "reaction_counts": ":party: 3"}
    assert yes.reply_to == first["id"]


def test_files_stickers_and_voice_messages_are_attachments() -> None:
    """What is only on Discord's servers is missing from the export; one without words is named by its first file."""
    remote = {
        "id": "1",
        "url": "https://cdn.discordapp.com/attachments/1/2/boat.PNG?ex=1",
        "fileName": "boat.PNG",
        "fileSizeBytes": 12,
    }
    local = {"id": "2", "url": "a.json_Files\\rig-1F.mp4", "fileName": "rig.mp4", "fileSizeBytes": 34}
    voice = {
        "id": "3",
        "url": "https://cdn.discordapp.com/v/voice-message.ogg",
        "fileName": "voice-message.ogg",
        "fileSizeBytes": 5,
    }
    sticker = {"id": "4", "name": "Wave", "format": "Lottie", "sourceUrl": "https://discord.com/stickers/4.json"}
    found = messages(
        message(1, ANN, "See", attachments=[remote, local]),
        message(2, ANN, "", attachments=[remote]),
        message(3, ANN, "", attachments=[voice]),
        message(4, ANN, "", stickers=[sticker]),
        message(5, ANN, "", attachments=[{"id": "5", "url": "", "fileName": "a.pdf", "fileSizeBytes": "x"}]),
        message(6, ANN, "", attachments=[local | {"url": "a.json_Files\\gone.mp4"}]),
        beside=["a.json_Files/rig-1F.mp4"],
    )
    assert [(m.content, m.kind) for m in found] == [
        ("See", "text"),
        ("[photo]", "media"),
        ("[voice message]", "media"),
        ("[sticker: Wave]", "media"),
        ("[file]", "media"),
        ("[video]", "media"),
    ]
    assert [a.to_wire() for a in found[0].attachments] == [
        {"name": "boat.PNG", "mime": "image/png", "size": 12, "missing": True},
        {"name": "rig.mp4", "mime": "video/mp4", "size": 34},
    ]
    assert [a.to_wire() for a in found[4].attachments] == [{"name": "a.pdf", "missing": True}]
    assert found[5].attachments[0].missing


def test_boxes_of_bots_are_their_words_and_previews_are_quotes() -> None:
    """Beside words they are kept with the message."""
    box = {
        "title": "Weather",
        "url": "https://example.org/w",
        "description": "Wind from the west",
        "author": {"name": "Port"},
        "fields": [{"name": "Force", "value": "7", "isInline": True}],
        "footer": {"text": "today"},
        "images": [],
    }
    text = "Port\nWeather\nWind from the west\nForce: 7\ntoday"
    bots, link, both, picture = messages(
        message(1, BOT, "", embeds=[box]),
        message(2, ANN, "", embeds=[box]),
        message(3, ANN, "https://example.org/w", embeds=[box]),
        message(4, ANN, "", embeds=[{"image": {"url": "https://example.org/i.png"}}]),
    )
    assert (bots.content, bots.segments, bots.role, bots.metadata) == (text, (), "tool", {"bot": "true"})
    assert (link.content, [(s.kind, s.start, s.end) for s in link.segments]) == (text, [("quote", 0, len(text))])
    assert (both.content, both.metadata) == ("https://example.org/w", {"embeds": text})
    assert picture.content == "https://example.org/i.png"


def test_labels_of_buttons_are_kept() -> None:
    """Beside a text they are metadata, without one they are the text."""
    row = [{"type": "ActionRow", "components": [{"type": "Button", "label": "Join", "url": None}]}]
    beside, alone = messages(message(1, BOT, "Which day?", components=row), message(2, BOT, "", components=row))
    assert (beside.content, beside.metadata["components"]) == ("Which day?", "Join")
    assert alone.content == "Join"


def test_what_is_forwarded_is_not_the_speakers_word() -> None:
    """Its words, or its files, below what was written with it."""
    reference = {"messageId": "1", "channelId": "2", "guildId": "3", "type": "Forward"}
    there: dict[str, Any] = {
        "timestamp": "2024-01-01T00:00:00+00:00",
        "timestampEdited": None,
        "content": "I live in Oslo",
        "attachments": [],
        "embeds": [],
        "stickers": [],
    }
    photo = {
        **there,
        "content": "",
        "attachments": [{"id": "1", "url": "x/boat.png", "fileName": "boat.png", "fileSizeBytes": 1}],
    }
    words, file = messages(
        message(1, ANN, "", reference=reference, forwardedMessage=there),
        message(2, ANN, "", reference=reference, forwardedMessage=photo),
    )
    assert (words.content, words.kind, words.reply_to) == ("I live in Oslo", "text", None)
    assert [(s.kind, s.start, s.end) for s in words.segments] == [("forward", 0, 14)]
    assert words.metadata == {"reference": "2/1"}
    assert (file.content, file.kind, [a.name for a in file.attachments]) == ("[photo]", "media", ["boat.png"])


@for_each(
    [
        ("Default", "Hi", "text", "Hi"),
        ("20", "Rolled 6", "text", "Rolled 6"),
        ("GuildMemberJoin", "Joined the server.", "system", "Joined the server."),
        ("RecipientAdd", "Added Bo to the group.", "system", "Added Bo to the group."),
        ("ChannelPinnedMessage", "Pinned a message.", "system", "Pinned a message."),
        ("ThreadCreated", "Started a thread.", "system", "Started a thread."),
        ("8", "", "system", "[system]"),
        ("Call", "Started a call that lasted 3 minutes.", "call", "Started a call that lasted 3 minutes."),
        ("46", "", "poll", "[poll]"),
        ("777", "", "unknown", "[message without text]"),
        ("777", "New", "unknown", "New"),
        ("Default", "", "unknown", "[message without text]"),
    ]
)
def test_types_of_messages(type_name: str, content: str, kind: str, shown: str) -> None:
    """Names of the exporter, and numbers where it has none; what nobody knows is told."""
    records = read({"a.json": export(message(1, ANN, content, type=type_name))})
    (found,) = documents(records)[0].messages
    assert (found.kind, found.content, found.speaker) == (kind, shown, "Ann")
    assert ("content-unknown" in codes(records)) == (kind == "unknown")


def test_mentions_get_their_names() -> None:
    """Exports without markdown hold ids; those that nothing names stay."""
    text = "<@300000000000000002> and <@!300000000000000001>, <@999999999999999999> <#1>"
    assert messages(message(1, ANN, text, mentions=[ANN, BO]))[0].content == "@Bo and @Ann, <@999999999999999999> <#1>"


def test_commands_and_calls_keep_what_they_know() -> None:
    """In metadata."""
    command, call = messages(
        message(1, BOT, "6", type="20", interaction={"id": "1", "name": "roll", "user": ANN}),
        message(2, ANN, "Started a call.", type="Call", callEndedTimestamp="2024-01-15T13:00:00+00:00"),
    )
    assert command.metadata == {"bot": "true", "command": "/roll Ann"}
    assert call.metadata == {"call_ended": "2024-01-15T13:00:00+00:00"}


def test_a_thread_is_a_chat_of_its_own() -> None:
    """Named after the channel that it hangs at."""
    channel = {
        "id": "900000000000000001",
        "type": "GuildPublicThread",
        "categoryId": CHANNEL,
        "category": "harbour",
        "name": "Rig",
        "topic": None,
    }
    (found,) = documents(read({"a.json": export(message(2, ANN, "Hi"), channel=channel)}))
    assert found.metadata["title"] == "Sailors #harbour > Rig"
    assert found.metadata["chat"] == "900000000000000001"
    assert found.messages[0].thread == "900000000000000001"


def test_a_direct_chat_is_named_after_the_other() -> None:
    """It has no server."""
    guild = {"id": "0", "name": "Direct Messages", "iconUrl": ""}
    channel = {"id": "5", "type": "DirectTextChat", "category": "Private", "name": "Bo", "topic": None}
    (found,) = documents(read({"a.json": export(message(1, ANN, "Hi"), guild=guild, channel=channel)}))
    told = {key: value for key, value in found.metadata.items() if key != IDENTITIES}
    assert told == {"chat": "5", "title": "Bo", "category": "Private"}


def test_an_account_is_told_with_the_name_that_it_has_in_the_chat() -> None:
    """By its id and its handle, of older accounts with its number; also the user's, who is in every day."""
    older = {**BO, "discriminator": "1234"}
    same = {**BOT, "nickname": "Bo"}
    texts = (message(1, older, "a"), message(2, same, "b"), message(3, ANN, "c", "2024-01-16T12:00:00+00:00"))
    first, second = documents(read({"a.json": export(*texts)}, replace(OPTIONS, me="ann_99")))
    ann = [f"id:{ANN['id']}", "id:@ann_99"]
    assert identities_of(first.metadata) == {
        "Ann": ann,
        "Bo": [f"id:{BO['id']}", "id:@bo#1234"],
        "Bo (Helper)": [f"id:{BOT['id']}", "id:@Helper"],
    }
    assert identities_of(second.metadata) == {"Ann": ann}


def test_the_newest_message_may_come_first() -> None:
    """Days are in the order of time."""
    found = documents(
        read(
            {
                "a.json": export(
                    message(3, ANN, "c"),
                    message(2, ANN, "b"),
                    message(1, ANN, "a"),
                    message(0, BO, "z", "2024-01-14T12:00:00+00:00"),
                )
            }
        )
    )
    assert [[m.content for m in d.messages] for d in found] == [["a", "b", "c"], ["z"]]


def test_parts_are_one_chat_in_their_order(tmp_path: Path) -> None:
    """By number, also from the tenth on."""
    for number, part in enumerate(["", " [part 2]", " [part 10]"], start=1):
        (tmp_path / f"Sailors - harbour [1]{part}.json").write_bytes(encoded(export(message(number, ANN, str(number)))))
    found = documents(read_records(tmp_path, OPTIONS))
    assert {d.id for d in found} == {f"discord:{CHANNEL}:2024-01-15"}
    assert [m.content for d in found for m in d.messages] == ["1", "2", "3"]


def test_a_name_that_is_given_counts_for_one_chat_alone() -> None:
    """For several it is told and left out."""
    options = ReadOptions(zone=UTC, chat="Boats")
    (found,) = documents(read({"a.json": TALK}, options))
    assert (found.id, found.metadata["title"]) == ("discord:Boats:2024-01-15", "Boats")
    other = export(message(1, ANN, "x"), channel={"id": "5", "type": "DirectTextChat", "name": "Bo"})
    records = read({"a.json": TALK, "b.json": other}, options)
    assert {d.metadata["chat"] for d in documents(records)} == {CHANNEL, "5"}
    assert "chat-ignored" in codes(records)


def test_a_first_look_tells_who_writes(tmp_path: Path) -> None:
    """The most frequent first."""
    (tmp_path / "a.json").write_bytes(encoded(export(message(1, ANN, "a"), message(2, BO, "b"), message(3, BO, "c"))))
    (found,) = previews(tmp_path / "a.json", OPTIONS)
    assert (found.format, found.title, found.chat) == ("discord", "Sailors #harbour", CHANNEL)
    assert list(found.speakers) == ["Bo", "Ann"]


@for_each(
    [
        ({"content": "x"}, "without an id"),
        ({**message(1, ANN, "x"), "timestamp": None}, "without a time"),
        ({**message(1, ANN, "x"), "timestamp": "0001-01-01T00:00:00"}, "without a time"),
        ("words", "without an id"),
        (None, "without an id"),
        (message(1, ANN, "x" * (17 << 20)), "bytes in one message"),
    ]
)
def test_a_broken_message_costs_itself_alone(broken: Any, reason: str) -> None:
    """It is rejected with its place; those beside it are read."""
    records = read({"a.json": export(message(0, ANN, "a"), broken, message(2, ANN, "b"))})
    assert [m.content for d in documents(records) for m in d.messages] == ["a", "b"]
    ((place, told),) = rejected(records)
    assert place == "export!a.json#/messages/1"
    assert reason in told


def test_a_file_that_is_cut_off_keeps_what_came_before() -> None:
    """And says so."""
    data = encoded(TALK)
    records = read({"a.json": data[: data.index(b'"I do"')]})
    assert [m.content for d in documents(records) for m in d.messages] == ["Who moors in Kiel?\n"]
    assert rejected(records)


def test_a_file_without_its_channel_is_rejected() -> None:
    """Its messages would have no place."""
    records = read({"a.json": export(message(1, ANN, "x"), channel={"name": "harbour"})})
    assert documents(records) == []
    assert "which channel" in rejected(records)[0][1]


HOSTILE: list[Any] = [
    None,
    True,
    -1,
    10**30,
    1e300,
    "",
    "x\0y",
    "\ud800",
    [],
    [[]],
    {},
    {"text": {}},
    [None],
    [{}],
    "9" * 400,
]


@pytest.mark.slow
@for_each(HOSTILE)
def test_fields_of_wrong_types_are_no_exception(value: Any) -> None:
    """Each field in turn holds something that nobody expects; the messages beside it are read."""
    full = message(
        1,
        ANN,
        "Hi <@300000000000000002>",
        mentions=[BO],
        reactions=[{"emoji": {"id": "", "name": "x", "code": "x"}, "count": 1, "users": [BO]}],
        attachments=[{"id": "1", "url": "https://x", "fileName": "a", "fileSizeBytes": 1}],
        embeds=[{"title": "t", "fields": [{"name": "a", "value": "b"}], "author": {"name": "c"}}],
        stickers=[{"name": "s", "sourceUrl": "u"}],
        reference={"messageId": "1", "channelId": "2", "guildId": "3"},
        interaction={"name": "roll", "user": ANN},
    )
    places: list[tuple[Any, ...]] = [(key,) for key in full] + [("forwardedMessage",)]
    places += [("author", key) for key in ANN]
    places += [("reactions", 0, key) for key in ("emoji", "count", "users")]
    places += [("attachments", 0, key) for key in ("url", "fileName", "fileSizeBytes")]
    places += [("embeds", 0, key) for key in ("title", "fields", "author")]
    places += [("mentions", 0), ("reference", "messageId"), ("interaction", "user"), ("stickers", 0)]
    for place in places:
        changed = json.loads(json.dumps(full))
        parent = changed
        for key in place[:-1]:
            parent = parent[key]
        parent[place[-1]] = value
        found = messages(changed, message(2, BO, "good"))
        assert "good" in [m.content for m in found]
    for key in ("guild", "dateRange", "exportedAt", "messageCount"):
        assert messages(message(1, ANN, "good"), **{key: value})
    read({"a.json": export(message(1, ANN, "x"), channel=value)})
    read({"a.json": {**export(), "messages": value}})


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file() -> None:
    """Three years of messages need no more than a few days of them."""
    days = [f"20{20 + n // 365}-{1 + n % 365 // 31:02d}-{1 + n % 28:02d}" for n in range(1000)]
    data = encoded(
        export(
            *(
                message(n % 60, ANN, "word " * 300, f"{day}T12:00:00+00:00", id=str(10**17 + n))
                for n, day in enumerate(days * 3)
            )
        )
    )
    connector, shelf = DiscordConnector(), Shelf("a", {"a.json": data})
    tracemalloc.start()
    count = sum(len(d.messages) for record in connector.read(shelf, OPTIONS) for d in documents([record]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 3000
    assert peak < len(data) / 2


def test_other_json_is_not_claimed() -> None:
    """Chats of other programs, documents of memd, settings."""
    others: list[Any] = [
        {"name": "Bo", "type": "personal_chat", "id": 1, "messages": []},
        {"id": "a", "content": "one"},
        {"channel": "C1", "messages": []},
        {"id": 5, "type": "x", "name": "y"},
        {"1": "a"},
        {},
        [],
    ]
    for other in others:
        assert DiscordConnector().sniff(Shelf("a", {"a": encoded(other)})) < 0.5


def test_it_is_the_surest_of_all(tmp_path: Path) -> None:
    """No other format takes its files."""
    (tmp_path / "a").write_bytes(encoded(TALK))
    assert choose(open_source(tmp_path / "a"), OPTIONS).name == "discord"
