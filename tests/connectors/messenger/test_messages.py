"""What becomes of each message of Messenger and Instagram."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from memd.schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from memd.tests.cases import for_each
from memd.tests.connectors.messenger.exports import (
    ANN,
    BO,
    OPTIONS,
    PLACE,
    START,
    ZOE,
    broken,
    chat,
    codes,
    documents,
    encrypted,
    instagram,
    message,
    messages,
    read,
    rejected,
    said,
    written,
)

FILE = "your_facebook_activity/messages/inbox/bobaker_10200000001/"


def test_a_chat_is_one_document_for_each_local_day_in_the_order_of_time() -> None:
    """The files begin with the newest message; the day is that of the zone asked for."""
    zone = replace(OPTIONS, zone=ZoneInfo("Asia/Tokyo"))
    records = read({PLACE: chat(said(0, ANN, "one"), said(1, BO, "two"), said(3 * 3600, ANN, "three"))}, zone)
    late, early = documents(records)
    assert early.id == "messenger:10200000001:2024-01-15"
    assert late.id == "messenger:10200000001:2024-01-16"
    assert [m.content for m in early.messages] == ["one", "two"]
    assert early.messages[0].time == datetime.fromisoformat("2024-01-15T21:00:00+09:00")
    assert early.messages[0].time.isoformat() == "2024-01-15T21:00:00+09:00"
    assert early.messages[0].zone_origin == "explicit"
    assert early.messages[0].id == str(START)
    assert early.conversation.source == "messenger"
    assert early.metadata == {
        "chat": "10200000001",
        "title": BO,
        "channel_type": "dm",
        "folder": "inbox",
        "participants": f"{BO}, {ANN}",
    }
    assert codes(records) == []


def test_bytes_that_became_characters_become_text_again() -> None:
    """In names, titles, words and reactions; what was not written so stays."""
    reaction = {"reaction": broken("❤️"), "actor": broken(ZOE)}
    shared = {"link": "https://example.org", "share_text": broken("naïve 🙂")}
    (day,) = documents(
        read(
            {
                PLACE: chat(
                    said(1, ZOE, "Grüße 👩‍👩‍👧 “hi”", reactions=[reaction]),
                    said(2, ANN, None, share=shared),
                    {**said(3, ANN), "content": "plain é, and ✓"},
                    people=(ZOE, ANN),
                    title=ZOE,
                )
            }
        )
    )
    assert day.metadata["title"] == ZOE
    assert day.messages[0].speaker == ZOE
    assert day.messages[0].content == "Grüße 👩‍👩‍👧 “hi”"
    assert [(each.emoji, each.people) for each in day.messages[0].reactions] == [("❤️", (ZOE,))]
    assert day.messages[1].content == "https://example.org\nnaïve 🙂"
    assert day.messages[2].content == "plain é, and ✓"


def test_parts_of_a_chat_are_read_by_their_numbers() -> None:
    """The tenth comes behind the second; a day that two of them share is one document."""
    files = {f"{FILE}message_{n}.json": chat(said(-n * 60, ANN, f"part {n}")) for n in (1, 2, 10, 11)}
    (day,) = documents(read(files))
    assert [m.content for m in day.messages] == ["part 11", "part 10", "part 2", "part 1"]


def test_messages_of_one_moment_keep_their_order_and_have_ids_of_their_own() -> None:
    """The number behind the milliseconds counts from the newest."""
    found = messages(said(1, ANN, "first"), said(1, ANN, "second"), said(2, BO, "third"))
    assert [m.content for m in found] == ["first", "second", "third"]
    assert [m.id for m in found] == [f"{START + 1000}.2", f"{START + 1000}", f"{START + 2000}"]


@for_each(
    [
        ({"photos": [{"uri": f"{FILE}photos/4_n.jpg"}]}, "[photo]", "4_n.jpg", "image/jpeg"),
        ({"videos": [{"uri": f"{FILE}videos/4.mp4", "thumbnail": {"uri": "x.jpg"}}]}, "[video]", "4.mp4", "video/mp4"),
        ({"audio_files": [{"uri": f"{FILE}audio/a-1.mp4"}]}, "[voice message]", "a-1.mp4", "audio/mp4"),
        ({"audio_files": [{"uri": f"{FILE}audio/a.wav"}]}, "[voice message]", "a.wav", "audio/wav"),
        ({"gifs": [{"uri": f"{FILE}gifs/b.gif"}]}, "[GIF]", "b.gif", "image/gif"),
        ({"files": [{"uri": f"{FILE}files/Plan%20B.pdf"}]}, "[file]", "Plan%20B.pdf", None),
        ({"sticker": {"uri": f"{FILE}stickers_used/s.png", "ai_stickers": []}}, "[sticker]", "s.png", "image/png"),
    ]
)
def test_media_without_words(fields: dict[str, Any], content: str, name: str, mime: str | None) -> None:
    """A word stands for it, and the file is an attachment."""
    (path,) = (
        f"{FILE}{kind}/{name}"
        for kind in ("stickers_used" if "sticker" in fields else "".join(fields).removesuffix("_files"),)
    )
    found = message(said(1, ANN, None, **fields), beside=[path])
    assert (found.content, found.kind) == (content, "media")
    assert [(each.name, each.mime, each.missing) for each in found.attachments] == [(name, mime, False)]
    assert [each.missing for each in message(said(1, ANN, None, **fields), [f"other/{name}"]).attachments] == [True]


def test_words_with_a_picture_stay_words() -> None:
    """A file that the app did not put into the export is missing."""
    found = message(
        said(1, ANN, " look ", photos=[{"uri": "https://scontent.example/a/p.jpg?x=1"}, {"uri": "b.png"}]), ["b.png"]
    )
    assert (found.content, found.kind) == (" look ", "text")
    assert [(each.name, each.missing) for each in found.attachments] == [("p.jpg", True), ("b.png", False)]


def test_an_unsent_message_is_deleted() -> None:
    """Its place, its author and its time stay."""
    found = message(said(1, BO, None, is_unsent=True))
    assert (found.speaker, found.kind, found.deleted, found.content) == (BO, "deleted", True, "[unsent message]")


def test_words_that_are_brought_up_again() -> None:
    """An earlier message's words are quoted; a download that repeats a message's own words adds nothing."""
    again = {"bumped_message": "who has the keys?", "is_bumped": True}
    bump, plain = messages(
        said(1, ANN, "anyone?", bumped_message_metadata=again),
        said(2, ANN, "who has the keys?", bumped_message_metadata=again),
    )
    assert (bump.metadata, plain.metadata) == ({"quoted": "who has the keys?"}, {})


def test_calls() -> None:
    """Their seconds, and whether nobody answered."""
    taken, missed, silent = messages(
        said(1, BO, "Bo called you.", type="Call", call_duration=61),
        said(2, BO, "You missed a call from Bo.", call_duration=0, missed=True),
        said(3, BO, None, call_duration=5),
    )
    assert (taken.kind, taken.content, taken.metadata) == ("call", "Bo called you.", {"duration_s": "61"})
    assert (missed.kind, missed.metadata) == ("call", {"missed": "true"})
    assert (silent.kind, silent.content) == ("call", "[call]")


def test_what_is_shared() -> None:
    """Beside words it is told in metadata; alone, and below a line of the app, it is the content, the text a quote."""
    share = {"link": "https://example.org/p", "share_text": "Their words", "original_content_owner": "chef"}
    words, alone, line, same = messages(
        said(1, ANN, "see this", share=share),
        said(2, ANN, None, share=share),
        said(3, ANN, f"{ANN} sent an attachment.", share=share),
        said(4, ANN, "https://example.org/p", share={"link": "https://example.org/p"}),
    )
    assert (words.content, words.kind) == ("see this", "text")
    assert words.metadata == {
        "link": "https://example.org/p",
        "shared_text": "Their words",
        "shared_from": "chef",
    }
    assert alone.content == "https://example.org/p\nTheir words"
    (segment,) = alone.segments
    assert (segment.kind, alone.content[segment.start : segment.end]) == ("quote", "Their words")
    assert line.content == f"{ANN} sent an attachment.\nhttps://example.org/p\nTheir words"
    assert [line.content[each.start : each.end] for each in line.segments] == ["Their words"]
    assert (same.content, same.metadata) == ("https://example.org/p", {})


@for_each(
    [
        (f"{ANN} added {BO} to the group.", {}, "system", SYSTEM_SPEAKER),
        (f"{ANN} named the group Sailors.", {}, "system", SYSTEM_SPEAKER),
        ("You left the group.", {}, "system", SYSTEM_SPEAKER),
        (f"{ANN} hat {BO} hinzugefügt.", {"type": "Subscribe", "users": [{"name": BO}]}, "system", SYSTEM_SPEAKER),
        (f"{ANN} hat {BO} hinzugefügt.", {"users": [{"name": BO}]}, "system", SYSTEM_SPEAKER),
        (f"{ANN} created a poll: Where?", {}, "poll", ANN),
        ("Reacted 😮 to your message ", {}, "event", ANN),
        ("Liked a message", {}, "event", ANN),
        ("Audio call ended", {}, "call", ANN),
        (f"{ANN} started a video chat", {}, "call", ANN),
        ("You missed a video call.", {}, "call", ANN),
        (f"{ANN} called you.", {}, "call", ANN),
        (f"{ANN} missed your video chat.", {}, "call", ANN),
        (f"You missed a call from {ANN}.", {}, "call", ANN),
        ("You called me yesterday.", {}, "text", ANN),
        (f"{BO} called you.", {}, "text", ANN),
        ("Audio call ended badly", {}, "text", ANN),
        ("You left the door open.", {}, "text", ANN),
        ("I left the group.", {}, "text", ANN),
        (f"{BO} left the group.", {}, "text", ANN),
        (f"{ANN} paid you 5.", {"type": "Payment"}, "event", ANN),
        ("hello", {"type": "Generic"}, "text", ANN),
    ]
)
def test_lines_of_the_app(content: str, more: dict[str, Any], kind: str, speaker: str) -> None:
    """They are kept, and are nobody's words."""
    found = message(said(1, ANN, content, **more))
    assert (found.content, found.kind, found.speaker) == (content, kind, speaker)
    assert found.metadata.get("actor") == (ANN if speaker == SYSTEM_SPEAKER else None)


def test_an_event_without_words_names_whom_it_is_about() -> None:
    """In place of the content."""
    found = message(said(1, ANN, None, type="Subscribe", users=[{"name": broken(ZOE)}]))
    assert found.content == f"[added: {ZOE}]"


def test_reactions_name_their_people() -> None:
    """Those with one emoji together; deleted accounts are nobody."""
    found = message(
        said(
            1,
            ANN,
            "x",
            reactions=[
                {"reaction": broken("👍"), "actor": BO},
                {"reaction": broken("👍"), "actor": ANN, "timestamp": 1},
                {"reaction": broken("😆"), "actor": "Facebook User"},
            ],
        )
    )
    assert [(each.emoji, each.people) for each in found.reactions] == [
        ("👍", (BO, ANN)),
        ("😆", ("Facebook User (10200000001)",)),
    ]


def test_deleted_accounts_of_two_chats_are_not_one_person() -> None:
    """The chat's key stands behind what the app shows for them."""
    one = chat(said(1, "Facebook user", "a"), title="Facebook user", people=("Facebook user", ANN))
    two = {**one, "thread_path": "archived_threads/facebookuser_777777", "messages": [said(2, "", "b")]}
    first, second = documents(read({"a/message_1.json": one, "b/message_1.json": two}))
    assert first.messages[0].speaker == "Facebook user (10200000001)"
    assert second.messages[0].speaker == "Deleted account (777777)"
    assert second.metadata["folder"] == "archived_threads"
    assert first.conversation.user == second.conversation.user == ANN


def test_a_message_with_nothing_known_is_kept_and_counted() -> None:
    """A word stands for it."""
    records = read({PLACE: chat(said(1, ANN), said(2, ANN, "  \n"), said(3, ANN, None, hologram=1))})
    (day,) = documents(records)
    assert [(m.kind, m.content) for m in day.messages] == [("unknown", "[message without text]")] * 3
    assert codes(records) == ["content-unknown"]


def test_a_group() -> None:
    """Its name, that one left it, and somebody who left writes nevertheless."""
    value = chat(
        said(1, ZOE, "bye"), said(2, BO, "oh"), people=(ANN, BO), title="Sailors ⛵", is_still_participant=False
    )
    (day,) = documents(read({PLACE: value}))
    assert day.metadata["title"] == "Sailors ⛵"
    assert (day.metadata["channel_type"], day.metadata["left"]) == ("group", "true")
    assert set(day.conversation.people) == {ZOE, BO, UNKNOWN_USER}


@for_each(["inbox", "archived_threads", "message_requests", "filtered_threads", "e2ee_cutover"])
def test_every_folder_is_read(folder: str) -> None:
    """A chat that moves into another one stays the same chat."""
    (day,) = documents(read({"m/message_1.json": chat(said(1, ANN, "x"), thread_path=f"{folder}/bo_10200000001")}))
    assert day.id == "messenger:10200000001:2024-01-15"
    assert day.metadata["folder"] == folder


def test_who_exported() -> None:
    """As given; as the profile says; as a chat of two shows; as the others show; else nobody."""
    dm = chat(said(1, BO, "x"))
    group = chat(said(1, BO, "y"), people=(ANN, BO, ZOE), title="Us", thread_path="inbox/us_555555")
    profile = {"profile_v2": {"name": {"full_name": broken(ZOE)}}}

    def users(files: dict[str, Any], me: str | None = None) -> list[str]:
        return [day.conversation.user for day in documents(read(files, replace(OPTIONS, me=me)))]

    assert users({"a/message_1.json": dm, "b/message_1.json": group}) == [ANN, ANN]
    assert users({"a/message_1.json": group}) == [UNKNOWN_USER]
    assert users({"a/message_1.json": group, "profile_information.json": profile}) == [ZOE]
    filled = {"autofill_information_v2": {"CITY": [], "FULL_NAME": [broken(ZOE)]}}
    assert users({"a/message_1.json": group, "autofill_information.json": filled}) == [ZOE]
    assert users({"a/message_1.json": group}, BO) == [BO]
    assert codes(read({"a/message_1.json": group})) == ["user-unknown"]
    assert codes(read({"a/message_1.json": group}, replace(OPTIONS, me="Nobody"))) == ["user-not-seen"]


def test_instagram() -> None:
    """Its name is the source; the profile's username serves where that is what the chats call its owner."""
    profile = {"profile_user": [{"string_map_data": {"Name": {"value": "Someone"}, "Username": {"value": "ann.a"}}}]}
    path = "your_instagram_activity/messages/inbox/us_17900000000000001/message_1.json"
    value = chat(
        said(1, "ann.a", "hi"), people=("bo", "ann.a", "zoe"), title="Us", thread_path="inbox/us_17900000000000001"
    )
    files = {path: value, "personal_information/personal_information.json": profile}
    (day,) = documents(read(files, connector=instagram()))
    assert (day.id, day.conversation.user) == ("instagram:17900000000000001:2024-01-15", "ann.a")


def test_encrypted_chats() -> None:
    """Names of their own for everything; the order may be the other way round."""
    records = read(
        {
            "messages/Bo Baker_3.json": encrypted(
                {"senderName": ANN, "text": "größer", "timestamp": START, "type": "text", "isUnsent": False, "media": [],
                 "reactions": [{"actor": BO, "reaction": "👍"}]},
                {"senderName": BO, "text": "", "timestamp": START + 1, "type": "media", "isUnsent": False,
                 "media": [{"uri": "./media/p.jpeg"}], "reactions": []},
                {"senderName": BO, "text": "", "timestamp": START + 2, "type": "text", "isUnsent": True, "media": []},
            )
        }
    )  # fmt: skip
    (day,) = documents(records)
    assert day.id == "messenger:Bo Baker_3:2024-01-15"
    assert (day.metadata["title"], day.conversation.user) == (BO, ANN)
    assert [(m.speaker, m.content, m.kind) for m in day.messages] == [
        (ANN, "größer", "text"),
        (BO, "[photo]", "media"),
        (BO, "[unsent message]", "deleted"),
    ]
    assert day.messages[0].reactions[0].people == (BO,)
    assert [each.name for each in day.messages[1].attachments] == ["p.jpeg"]
    assert codes(records) == []


def test_older_exports() -> None:
    """A path without digits is the key; seconds instead of milliseconds are a time, too."""
    value = chat({"sender_name": ANN, "timestamp": START // 1000, "content": "x"}, thread_path="inbox/BoBaker_x-Y1")
    (day,) = documents(read({"message.json": {**value, "thread_type": "Regular"}}))
    assert (day.id, day.messages[0].id) == ("messenger:BoBaker_x-Y1:2024-01-15", str(START))


def test_pages_beside_the_files_are_left_out() -> None:
    """An export may hold both; they are told."""
    assert codes(read({PLACE: chat(said(1, ANN, "x")), "inbox/message_1.html": b"<html>"})) == ["files-left-out"]


def test_a_name_for_several_chats_is_ignored() -> None:
    """For one it is the key and the title."""
    one, two = chat(said(1, ANN, "x")), chat(said(1, ANN, "x"), thread_path="inbox/zoe_42424242")
    options = replace(OPTIONS, chat="Mine")
    (day,) = documents(read({"message_1.json": one}, options))
    assert (day.id, day.metadata["title"]) == ("messenger:Mine:2024-01-15", "Mine")
    assert "chat-ignored" in codes(read({"a.json": one, "b.json": two}, options))


def test_what_is_cut_off_stays_in_its_chat() -> None:
    """The path of the file tells the chat where the end of the file is lost."""
    data = written(chat(said(1, ANN, "old"), said(2, ANN, "new")))
    records = read({PLACE: data[: data.index(b'"old"')]})
    (day,) = documents(records)
    assert day.id == "messenger:10200000001:2024-01-15"
    assert [m.content for m in day.messages] == ["new"]
    assert [reason for _, reason in rejected(records)] == ["not valid JSON: the record does not end"]
