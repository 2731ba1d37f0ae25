"""What becomes of each record of an export: text, media, answers, reactions, service messages."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from memd.connectors.connector import ReadOptions
from memd.schemas import SYSTEM_SPEAKER, Notice
from memd.tests.cases import for_each
from memd.tests.connectors.telegram.exports import (
    START,
    chat,
    codes,
    documents,
    done,
    messages,
    only,
    read,
    said,
    written,
)

NOT_INCLUDED = "(File not included. Change data exporting settings to download.)"
TOO_LARGE = "(File exceeds maximum size. Change data exporting settings to download.)"


def test_a_message_is_kept_whole() -> None:
    """Its id, author, time with zone, and its text verbatim."""
    message = only(said(17, "  two\n\tlines \u202e\u0663 👨\u200d👩\u200d👧 "))
    assert (message.id, message.speaker, message.kind) == ("17", "Ann Lee", "text")
    assert message.content == "  two\n\tlines \u202e\u0663 👨\u200d👩\u200d👧 "
    assert message.time == datetime(2024, 1, 15, 12, 17, tzinfo=UTC)
    assert (message.time_precision, message.zone_origin) == ("second", "explicit")
    assert message.metadata == {"from_id": "user1"}


def test_days_are_those_of_the_zone() -> None:
    """An instant is shown in the given zone, and its day is the document's."""
    options = ReadOptions(zone=ZoneInfo("Asia/Kolkata"), zone_origin="option")
    late = int(datetime(2024, 1, 15, 18, 29, 59, tzinfo=UTC).timestamp())
    records = read(written(chat([said(1, "a", at=late), said(2, "b", at=late + 1)])), options)
    found = [(message.time.isoformat(), message.content) for message in messages(records)]
    assert found == [("2024-01-15T23:59:59+05:30", "a"), ("2024-01-16T00:00:00+05:30", "b")]
    assert [document.id for document in documents(records)] == [
        "telegram:user2:2024-01-15",
        "telegram:user2:2024-01-16",
    ]


def test_times_of_older_exports_have_no_zone() -> None:
    """They take the given one, and that is told where it is only assumed."""
    record = said(1, "a")
    del record["date_unixtime"]
    options = ReadOptions(zone=ZoneInfo("Europe/Berlin"))
    records = read(written(chat([record])), options)
    (message,) = messages(records)
    assert (message.time.isoformat(), message.zone_origin) == ("2024-01-15T12:01:00+01:00", "assumed")
    assert "zone-assumed" in codes(records)
    assert "zone-assumed" not in codes(read(written(chat([said(1, "a")])), options))


ENTITIES = ["mention", "hashtag", "bot_command", "link", "email", "bold", "italic", "text_link", "mention_name", "phone",
            "cashtag", "underline", "strikethrough", "bank_card", "spoiler", "custom_emoji", "unknown", "newer"]  # fmt: skip


@for_each(ENTITIES)
def test_entities_are_text(kind: str) -> None:
    """Parts are joined without anything between them."""
    message = only(said(1, ["a", {"type": kind, "text": "b"}, "c"]))
    assert (message.content, message.segments) == ("abc", ())


def test_quotes_and_code_are_not_the_speakers_words() -> None:
    """They are segments of the text."""
    text = ["so: ", {"type": "blockquote", "text": "he said"}, {"type": "code", "text": "x=1"}, " ",
            {"type": "pre", "text": "def", "language": "python"}]  # fmt: skip
    message = only(said(1, text))
    found = [(each.kind, message.content[each.start : each.end]) for each in message.segments]
    assert found == [("quote", "he said"), ("code", "x=1"), ("code", "def")]


def test_addresses_and_ids_behind_a_text_are_kept() -> None:
    """Of links, and of people mentioned by a name."""
    text = [
        {"type": "text_link", "text": "here", "href": "https://example.org/a"},
        {"type": "mention_name", "text": "Bo", "user_id": 5},
    ]
    message = only(said(1, text))
    assert json.loads(message.metadata["links"]) == ["https://example.org/a"]
    assert json.loads(message.metadata["mentions"]) == ["user5"]


def test_control_characters_are_repaired() -> None:
    """The app writes them as an escape that JSON does not have; an escaped backslash before an x is none."""
    data = written(chat([said(1, "aXb"), said(2, "c:\\x41"), said(3, "\\YZ")]))
    data = data.replace(b"aXb", rb"a\x08b\x1Fc").replace(b"YZ", rb"\\\x0B")
    texts = [message.content for message in messages(read(data))]
    assert texts == ["a\x08b\x1fc", "c:\\x41", "\\\\\x0b"]


FILES: list[tuple[dict[str, Any], str]] = [
    ({"media_type": "sticker", "sticker_emoji": "😀"}, "[sticker 😀]"),
    ({"media_type": "video_message", "mime_type": "video/mp4"}, "[video message]"),
    ({"media_type": "voice_message", "mime_type": "audio/ogg", "duration_seconds": 7}, "[voice message]"),
    ({"media_type": "animation", "mime_type": "video/mp4"}, "[animation]"),
    ({"media_type": "video_file", "mime_type": "video/mp4"}, "[video]"),
    ({"media_type": "audio_file", "performer": "P", "title": "T"}, "[audio: P \N{EN DASH} T]"),
    ({"media_type": "hologram"}, "[hologram]"),
    ({"mime_type": "application/pdf"}, "[file: a b.pdf]"),
]


@for_each(FILES)
def test_files(fields: dict[str, Any], content: str) -> None:
    """A placeholder, the file's name, type and size, and whether the export holds it."""
    message = only(said(1, file="files/a b.pdf", file_size=123, **fields), beside=["files/a b.pdf"])
    assert (message.content, message.kind) == (content, "media")
    (attachment,) = message.attachments
    assert (attachment.name, attachment.size, attachment.missing) == ("a b.pdf", 123, False)
    assert attachment.mime == fields.get("mime_type")
    assert message.metadata.get("duration_seconds") == (
        str(fields["duration_seconds"]) if "duration_seconds" in fields else None
    )
    for gone in (NOT_INCLUDED, TOO_LARGE, "files/a b.pdf"):
        absent = only(said(1, file=gone, file_name="a b.pdf", **fields), beside=["a/files/a b.pdf"])
        assert (absent.content, absent.attachments[0].missing, absent.attachments[0].name) == (content, True, "a b.pdf")


def test_photos() -> None:
    """With and without words beside them."""
    path = "photos/photo_1@15-01-2024_12-01-00.jpg"
    message = only(said(1, photo=path, photo_file_size=9, width=3, height=4), beside=[path])
    assert (message.content, message.kind) == ("[photo]", "media")
    assert message.attachments[0].to_wire() == {
        "name": "photo_1@15-01-2024_12-01-00.jpg",
        "size": 9,
    }
    message = only(said(1, "look", photo=NOT_INCLUDED, width=3, height=4))
    assert (message.content, message.kind, message.attachments[0].missing) == ("look", "text", True)


def test_what_programs_write_otherwise() -> None:
    """Words that stand in the entities alone, dice, and members with their ids."""
    words = said(1)
    words["text_entities"] = [{"type": "plain", "text": "to the "}, {"type": "bold", "text": "quay"}]
    assert only(words).content == "to the quay"
    dice = only(said(2, dice_emoji="🎲", dice_value=4))
    assert (dice.kind, dice.content) == ("media", "[dice 🎲 4]")
    members = [{"id": "user3", "name": "Cleo"}, {"id": "user4", "name": None}, "Dan", None]
    joined = only(done(3, "invite_members", members=members))
    assert joined.content == "Ann Lee invited Cleo, Deleted Account, Dan, Deleted Account"


def test_polls() -> None:
    """The question, the answers and their votes; what the exporter chose is kept beside."""
    answers = [{"text": "Pasta", "voters": 2, "chosen": True}, {"text": "Soup", "voters": 0, "chosen": False}]
    message = only(said(1, poll={"question": "Dinner?", "closed": True, "total_voters": 2, "answers": answers}))
    assert (message.kind, message.content) == ("poll", "Dinner?\n- Pasta (2)\n- Soup (0)")
    other = only(said(1, poll={"question": "Dinner?", "options": answers}))
    assert other.content == message.content
    assert message.metadata == {"from_id": "user1", "total_voters": "2", "chosen": "Pasta", "closed": "true"}


OTHERS: list[tuple[dict[str, Any], str, str]] = [
    ({"contact_information": {"first_name": "Cy", "last_name": "Dow", "phone_number": "+1 5"}}, "[contact: Cy Dow, +1 5]", "contact"),
    ({"location_information": {"latitude": 52.5, "longitude": 13.25}}, "[location: 52.5, 13.25]", "location"),
    ({"location_information": {"latitude": 1, "longitude": 2}, "live_location_period_seconds": 900}, "[live location: 1, 2]", "location"),
    ({"location_information": None}, "[location]", "location"),
    ({"place_name": "Cafe", "address": "Road 1", "location_information": {"latitude": 1.5, "longitude": 2}}, "[location: Cafe, Road 1, 1.5, 2]", "location"),
    ({"game_title": "Chess", "game_description": "play", "game_link": "https://t.me/b?game=c"}, "[game: Chess, play, https://t.me/b?game=c]", "media"),
    ({"invoice_information": {"title": "Hat", "description": "red", "amount": 1250, "currency": "EUR"}}, "[invoice: Hat, red, 12.50 EUR]", "media"),
    ({"invoice_information": '{"title": "Hat", "amount": 5, "currency": "XTR"}'}, "[invoice: Hat, 5 XTR]", "media"),
    ({"giveaway_information": {"quantity": 3, "months": 6, "until_date": "2024-02-01T00:00:00", "channels": [1]}}, "[giveaway: quantity 3, months 6, until date 2024-02-01T00:00:00]", "event"),
    ({"todo_list": {"title": [{"type": "plain", "text": "Trip"}], "answers": [{"id": 1, "text": [{"type": "plain", "text": "tent"}]}]}}, "Trip\n- tent", "text"),
]  # fmt: skip


@for_each(OTHERS)
def test_other_media(fields: dict[str, Any], content: str, kind: str) -> None:
    """Contacts, places, games, invoices, giveaways, checklists; their words stay beside a text."""
    message = only(said(1, **fields))
    assert (message.content, message.kind) == (content, kind)
    if content != "[location]":
        assert only(said(1, "mine", **fields)).content == f"{content}\nmine"


def test_answers_and_topics() -> None:
    """An answer names its message; in a topic every message has the topic, also through answers of answers."""
    records = [
        done(10, "topic_created", title="Food"),
        said(11, "in it", reply_to_message_id=10),
        said(12, "answer", reply_to_message_id=11),
        said(13, "general"),
        said(14, "elsewhere", reply_to_message_id=13),
        said(15, "other chat", reply_to_message_id=3, reply_to_peer_id="channel77"),
        said(16, "same chat", reply_to_message_id=13, reply_to_peer_id="channel9"),
    ]
    found = messages(read(written(chat(records, kind="public_supergroup", number=9, name="Forum"))))
    assert [(each.id, each.thread, each.reply_to) for each in found] == [
        ("10", "10", None),
        ("11", "10", None),
        ("12", "10", "11"),
        ("13", None, None),
        ("14", None, "13"),
        ("15", None, None),
        ("16", None, "13"),
    ]
    assert found[2].metadata["topic"] == "Food"
    assert (found[5].metadata["reply_to_chat"], found[5].metadata["reply_to_message"]) == ("channel77", "3")


def test_forwarded_edited_and_by_a_bot() -> None:
    """Where it comes from, when it was changed, and what else the record says."""
    message = only(said(1, "news", forwarded_from="Daily", forwarded_from_id="channel5", edited="2024-01-15T13:00:00", edited_unixtime=str(START + 3600), via_bot="@gif", author="Ed",
                        inline_bot_buttons=[[{"type": "url", "text": "Open", "data": "https://example.org"}]]))  # fmt: skip
    assert (message.forwarded_from, message.edited, message.edited_at) == (
        "Daily",
        True,
        datetime(2024, 1, 15, 13, tzinfo=UTC),
    )
    assert [(each.kind, each.start, each.end) for each in message.segments] == [("forward", 0, 4)]
    kept = message.metadata
    assert (kept["via_bot"], kept["author"], kept["forwarded_from_id"]) == ("@gif", "Ed", "channel5")
    assert json.loads(kept["buttons"])[0][0]["text"] == "Open"
    assert only(said(1, "x", forwarded_from=None)).forwarded_from == "Deleted Account"
    assert only(said(1, "x", saved_from="Club")).forwarded_from == "Club"


def test_reactions() -> None:
    """With the people that the export names, and the number where it names not all of them."""
    recent = [
        {"from": "Bob", "from_id": "user2", "date": "2024-01-15T12:00:00"},
        {"from": None, "from_id": "user7", "date": "2024-01-15T12:00:00"},
    ]
    reactions = [
        {"type": "emoji", "count": 2, "emoji": "👍", "recent": recent},
        {"type": "emoji", "count": 40, "emoji": "🔥"},
        {"type": "custom_emoji", "count": 1, "document_id": "5368324170671202286"},
        {"type": "paid", "count": 9},
    ]
    message = only(said(1, "x", reactions=reactions))
    assert [(each.emoji, each.people) for each in message.reactions] == [
        ("👍", ("Bob", "Deleted Account (user7)")),
        ("🔥", ()),
        ("[custom_emoji 5368324170671202286]", ()),
        ("[paid]", ()),
    ]
    assert json.loads(message.metadata["reaction_counts"]) == {
        "🔥": 40,
        "[custom_emoji 5368324170671202286]": 1,
        "[paid]": 9,
    }


SERVICES: list[tuple[dict[str, Any], str]] = [
    (
        done(1, "create_group", title="Club", members=["Bob", None]),
        "Ann Lee created the group «Club» with Bob, Deleted Account",
    ),
    (done(1, "create_channel", title="News"), "Ann Lee created the channel «News»"),
    (done(1, "edit_group_title", title="Club 2"), "Ann Lee changed the title to «Club 2»"),
    (done(1, "edit_group_photo", photo=NOT_INCLUDED), "Ann Lee changed the group photo"),
    (done(1, "delete_group_photo"), "Ann Lee removed the group photo"),
    (done(1, "invite_members", members=["Bob", "Cy"]), "Ann Lee invited Bob, Cy"),
    (done(1, "remove_members", members=["Bob"]), "Ann Lee removed Bob"),
    (done(1, "join_group_by_link", inviter="Bob"), "Ann Lee joined by a link from Bob"),
    (done(1, "join_group_by_link", inviter=None), "Ann Lee joined by a link"),
    (done(1, "join_group_by_request"), "Ann Lee joined by request"),
    (done(1, "pin_message", message_id=3), "Ann Lee pinned a message"),
    (done(1, "clear_history"), "The history was cleared"),
    (done(1, "migrate_to_supergroup"), "Ann Lee converted this group to a supergroup"),
    (done(1, "migrate_from_group", title="Old"), "Ann Lee converted a group to this supergroup: «Old»"),
    (done(1, "score_in_game", score=5, game_message_id=2), "Ann Lee scored 5 in a game"),
    (done(1, "set_messages_ttl", period=86400), "Ann Lee: set messages ttl (period 86400)"),
    (done(1, "send_payment", amount=1250, currency="EUR"), "Ann Lee: send payment, 12.50 EUR"),
    (done(1, "topic_created", title="Food"), "Ann Lee created the topic «Food»"),
    (done(1, "topic_edit", new_title="Meals"), "Ann Lee changed the topic to «Meals»"),
    (done(1, "boost_apply", boosts=2), "Ann Lee: boost apply (boosts 2)"),
    (
        done(1, "something_newer", title="T", members=["Bob"], extra="word"),
        "Ann Lee: something newer «T» with Bob (extra word)",
    ),
    (done(1, "invite_members", who=None, members=["Bob"]), "Somebody invited Bob"),
]


@for_each(SERVICES)
def test_service_messages(record: dict[str, Any], line: str) -> None:
    """A line that can be read, by nobody."""
    message = only(record)
    assert (message.content, message.speaker, message.kind) == (line, SYSTEM_SPEAKER, "system")
    assert message.metadata["action"] == record["action"]


CALLS = [
    (
        done(1, "phone_call", duration_seconds=65, discard_reason="hangup"),
        "Call by Ann Lee (duration seconds 65, discard reason hangup)",
    ),
    (done(1, "phone_call", discard_reason="missed"), "Call by Ann Lee (discard reason missed)"),
    (done(1, "group_call", duration=5), "Group call by Ann Lee (duration 5)"),
    (done(1, "invite_to_group_call", members=["Bob"]), "Ann Lee invited Bob to the group call"),
    (done(1, "conference_call", is_video=True), "Conference call by Ann Lee (is video true)"),
]


@for_each(CALLS)
def test_calls(record: dict[str, Any], line: str) -> None:
    """Calls are a kind of their own."""
    message = only(record)
    assert (message.content, message.kind) == (line, "call")


def test_what_is_not_known_is_kept_and_told() -> None:
    """Keys and kinds of newer exports."""
    records = read(written(chat([said(1, "x", newer={"a": 1}), said(2), {**said(3), "type": "hologram"}])))
    found = messages(records)
    assert [(each.content, each.kind) for each in found] == [
        ("x", "text"),
        ("[empty message]", "unknown"),
        ("[empty message]", "unknown"),
    ]
    assert json.loads(found[0].metadata["x-newer"]) == {"a": 1}
    (told,) = [record.hint for record in records if isinstance(record, Notice) and record.code == "unknown-content"]
    assert "newer (1)" in told
    assert timedelta(0) == found[0].time.utcoffset()


def test_rich_messages_are_text() -> None:
    """The blocks that the app writes in place of a text are lines, with the files, quotes and addresses in them."""

    def plain(text: str) -> dict[str, str]:
        return {"type": "plain", "text": text}

    link = {"type": "text_link", "href": "https://mill.example", "text": plain("the mill")}
    blocks = [
        {"type": "heading", "level": 2, "text": plain("Plan")},
        {"type": "paragraph", "text": {"type": "concat", "text": [plain("to "), {"type": "bold", "text": link}]}},
        {"type": "list", "kind": "bullet", "items": [
            {"task_state": "checked", "content": "text", "text": plain("rope")},
            {"task_state": "none", "content": "blocks", "blocks": [{"type": "paragraph", "text": plain("lamp")}]},
        ]},
        {"type": "list", "kind": "ordered", "items": [{"task_state": "none", "text": plain("go"), "num": "4"}]},
        {"type": "table", "title": plain("Times"), "rows": [{"cells": [{"text": plain("Sat")}, {"text": plain("9")}]}]},
        {"type": "quote", "content": "text", "text": plain("never late"), "caption": plain("Kim")},
        {"type": "photo", "photo": "photos/a.jpg", "photo_file_size": 3, "caption": {"text": plain("a map")}},
        {"type": "unsupported", "source_type": "unknown", "unsupported": True},
    ]  # fmt: skip
    record = said(1, rich_message={"rtl": False, "part": False, "blocks": blocks})
    del record["text"], record["text_entities"]
    message = only(record)
    text = "Plan\nto the mill\n- [x] rope\n- lamp\n4. go\nTimes\nSat | 9\nnever late\nKim\na map\n[unsupported block]"
    assert (message.content, message.kind) == (text, "text")
    assert [message.content[each.start : each.end] for each in message.segments] == ["never late\nKim"]
    assert [(each.name, each.size) for each in message.attachments] == [("a.jpg", 3)]
    assert message.metadata["links"] == '["https://mill.example"]'
