"""The pages of a chat: who wrote what and when, what is shown beside it, and that it is what the JSON has."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from memd.connectors.connector import Connector
from memd.connectors.formats.telegram.connector import TelegramConnector
from memd.connectors.text.html.tree import TOO_COSTLY
from memd.schemas import SYSTEM_SPEAKER, UNKNOWN_USER, ConversationMessage
from memd.schemas.identity_links import identities_of
from memd.tests.cases import for_each
from memd.tests.connectors.telegram import exports
from memd.tests.connectors.telegram.exports import OPTIONS, codes, documents, messages, read, rejected
from memd.tests.connectors.telegram.pages import (
    forwarded,
    media,
    page,
    picture,
    poll,
    reply,
    separator,
    service,
    written,
)
from memd.tests.contracts.connector import ConnectorContract, Samples, Shelf


class TestContract(ConnectorContract):
    """The suite."""

    @pytest.fixture
    def connector(self) -> Connector:
        """Telegram's."""
        return TelegramConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """One page; two pages."""
        first = page(separator("15 January 2024"), written(1, "hello"), written(2, "joined", who=None))
        return {
            "one": {"messages.html": first},
            "two": {"messages.html": first, "messages2.html": page(written(3, "more", who="Bob"))},
        }


def one(block: str) -> ConversationMessage:
    """The one message of a page."""
    records = read({"messages.html": page(block), **dict.fromkeys(re.findall(r'href="(\w+/[^"]+)"', block), b"x")})
    assert rejected(records) == []
    (message,) = messages(records)
    return message


def test_a_page() -> None:
    """Names, also of joined messages; times with their zone; lines that name a day are no messages."""
    data = page(
        separator("15 January 2024"),
        written(1, "hello"),
        written(2, "joined", who=None),
        written(3, "answer", who="Bob", before=reply(1)),
    )
    records = read({"messages.html": data})
    found = messages(records)
    assert [(each.id, each.speaker, each.content, each.reply_to) for each in found] == [
        ("1", "Ann Lee", "hello", None),
        ("2", "Ann Lee", "joined", None),
        ("3", "Bob", "answer", "1"),
    ]
    assert found[0].time == datetime(2024, 1, 15, 12, 1, tzinfo=UTC)
    assert (found[0].zone_origin, found[0].time_precision) == ("explicit", "second")
    (document,) = documents(records)
    assert (document.id, document.conversation.user) == ("telegram:Bob:2024-01-15", UNKNOWN_USER)
    assert codes(records) == ["user-unknown", "chat-id-unknown"]


def test_times() -> None:
    """With an offset they are instants, shown in the given zone; older pages have none."""
    options = replace(OPTIONS, zone=ZoneInfo("Europe/Berlin"))
    data = page(
        written(1, "a", time="15.01.2024 23:30:00 UTC+03:00"),
        written(2, "b", time="15.01.2024 23:30:00"),
        written(3, "c", time="soon"),
        written(4, "d", time="15.01.2024 22:30:00 UTC"),
        written(5, "e", time="15.01.2024 23:40:00 UTC+5"),
    )
    records = read({"messages.html": data}, options)
    found = [(each.time.isoformat(), each.zone_origin) for each in messages(records)]
    assert found == [
        ("2024-01-15T21:30:00+01:00", "explicit"),
        ("2024-01-15T23:30:00+01:00", "option"),
        ("2024-01-15T23:30:00+01:00", "explicit"),
        ("2024-01-15T23:40:00+01:00", "option"),
    ]
    assert rejected(records) == [("export!messages.html#message3", "it has no time")]


def test_pages_are_one_chat_in_their_order() -> None:
    """The tenth comes after the second; answers go to other pages."""
    files = {
        "chats/c/messages.html": page(written(1, "a"), written(2, "b", who="Bob")),
        "chats/c/messages10.html": page(written(5, "e", before=reply(1, "messages.html"))),
        "chats/c/messages2.html": page(written(3, "c"), written(4, "d", who=None)),
    }
    found = messages(read(files))
    assert [each.content for each in found] == ["a", "b", "c", "d", "e"]
    assert found[-1].reply_to == "1"


def test_text() -> None:
    """Line breaks, entities, characters of HTML; nothing of the page's own blanks."""
    text = (
        'one<br>two <strong>bold</strong> &lt;b&gt; &amp; <a href="https://example.org/x">here</a> '
        '<a href="https://example.org/">https://example.org/</a> <code>x = 1</code><br><br>'
        '<blockquote>they said</blockquote><span class="spoiler hidden" onclick="ShowSpoiler(this)"><span aria-hidden="true">secret</span></span>'
    )
    message = one(written(1, text))
    assert message.content == "one\ntwo bold <b> & here https://example.org/ x = 1\n\nthey saidsecret"
    assert [(each.kind, message.content[each.start : each.end]) for each in message.segments] == [
        ("code", "x = 1"),
        ("quote", "they said"),
    ]
    assert message.metadata["links"] == '["https://example.org/x"]'


def test_the_blocks_of_a_rich_message_are_lines() -> None:
    """Their elements stand beside each other without line breaks; addresses behind words are kept."""
    blocks = '<h2>Plan</h2><p>to <a href="https://mill.example">the mill</a></p><ul><li>rope</li><li>lamp</li></ul>'
    text = page(written(1, blocks).replace('class="text"', 'class="text rich_message"'))
    (message,) = messages(read({"messages.html": text}))
    assert message.content == "Plan\n\nto the mill\n\n- rope\n- lamp"
    assert message.metadata["links"] == '["https://mill.example"]'


def test_forwarded() -> None:
    """Whose words they are; a joined one has the name of the one before."""
    records = read({"messages.html": page(written(1, before=forwarded("Daily", "news")), written(2, who=None, before=forwarded(None, "more")), written(3, "own", who=None))})  # fmt: skip
    assert [(each.speaker, each.content, each.forwarded_from) for each in messages(records)] == [
        ("Ann Lee", "news", "Daily"),
        ("Ann Lee", "more", "Daily"),
        ("Ann Lee", "own", None),
    ]


def test_what_programs_write_otherwise() -> None:
    """Pages without the app's frame, lines of days without numbers, names that are links, words beside what is forwarded."""
    day = separator("15 January 2024").replace(' id="message-1"', "")
    source = '<div class="forwarded body"><div class="from_name">Daily</div></div>'
    name = '<a href="tg://user?id=5">Bo Baker</a>'
    data = page(day, written(1, "a", who=name), written(2, "news", before=source))
    bare = data.replace(b"page_wrap", b"page")
    assert TelegramConnector().sniff(Shelf("x", {"messages.html": bare})) > 0.9
    records = read({"messages.html": bare})
    assert rejected(records) == []
    assert [(each.speaker, each.content, each.forwarded_from) for each in messages(records)] == [
        ("Bo Baker", "a", None),
        ("Ann Lee", "news", "Daily"),
    ]


def test_bots_and_deleted_accounts() -> None:
    """A name may tell by which bot; who is gone has no name."""
    message = one(written(1, "x", who="Ann Lee via @gif"))
    assert (message.speaker, message.metadata["via_bot"]) == ("Ann Lee", "@gif")
    assert one(written(1, "x", who="Deleted Account")).speaker == "Deleted Account"


MEDIA = [
    (picture("photo_wrap", "photos/p.jpg"), "[photo]", "media", "p.jpg", False),
    (picture("sticker_wrap", "stickers/s.webp"), "[sticker]", "media", "s.webp", False),
    (picture("animated_wrap", "video_files/a.mp4"), "[animation]", "media", "a.mp4", False),
    (picture("video_file_wrap", "video_files/v.mp4", '<div class="video_duration">\n00:42\n</div>'), "[video]", "media", "v.mp4", False),
    (media("media_photo", "Photo", "800x600, 90.1 KB", description="Not included, change data exporting settings to download."), "[photo]", "media", "photo", True),
    (media("media_photo", "Sticker", "😀, 12.0 KB", description="Not included"), "[sticker 😀]", "media", "sticker", True),
    (media("media_video", "Video message", "00:07", href="round/r.mp4"), "[video message]", "media", "r.mp4", False),
    (media("media_voice_message", "Voice message", "00:07", href="voice/v.ogg"), "[voice message]", "media", "v.ogg", False),
    (media("media_audio_file", "P \N{EN DASH} T", "03:00", href="files/t.mp3"), "[audio: P \N{EN DASH} T]", "media", "t.mp3", False),
    (media("media_file", "plan.pdf", "1.0 MB", href="files/plan.pdf"), "[file: plan.pdf]", "media", "plan.pdf", False),
    (media("media_file", "plan.pdf", "1.0 MB", description="Not included"), "[file: plan.pdf]", "media", "plan.pdf", True),
    (media("media_contact", "Cy Dow", "+1 5"), "[contact: Cy Dow, +1 5]", "contact", "", False),
    (media("media_location", "Location", "52.5, 13.25", href="https://maps.google.com/maps?q=52.5,13.25&ll=52.5,13.25&z=16"), "[location: 52.5, 13.25]", "location", "", False),
    (media("media_venue", "Cafe", href="https://maps.google.com/maps?q=1.5,2&ll=1.5,2&z=16", description="Road 1"), "[location: Cafe, Road 1, 1.5, 2]", "location", "", False),
    (media("media_game", "Chess", "https://t.me/b?game=c", description="play"), "[game: Chess, play, https://t.me/b?game=c]", "media", "", False),
    (media("media_invoice", "Hat", "12.50 EUR", description="red"), "[invoice: Hat, red, 12.50 EUR]", "media", "", False),
    (media("media_hologram", "New", "thing"), "[hologram: New, thing]", "media", "hologram", True),
    (poll("Dinner?", [("Pasta", "2 votes, chosen vote"), ("Soup", "")], state="Final results", total="2 votes"), "Dinner?\n- Pasta (2)\n- Soup (0)", "poll", "", False),
    (poll("Trip", [("tent", ""), ("map", "")], state="To-do List", total=""), "Trip\n- tent\n- map", "text", "", False),
]  # fmt: skip


@for_each(MEDIA)
def test_media(block: str, content: str, kind: str, file: str, missing: bool) -> None:
    """As the JSON of the same message has it, as far as the page shows it."""
    message = one(written(1, before=block))
    assert (message.content, message.kind) == (content, kind)
    assert [(each.name, each.missing) for each in message.attachments] == ([(file, missing)] if file else [])


def test_calls() -> None:
    """Shown as a message of who called."""
    message = one(written(1, before=media("media_call success", "Bob", "Outgoing (65 seconds)")))
    assert (message.speaker, message.kind) == (SYSTEM_SPEAKER, "call")
    assert message.content == "Call by Ann Lee (status outgoing, duration seconds 65)"


def test_service_messages_have_the_time_before_them() -> None:
    """Pages show none: it is that of the message before, or the day's."""
    data = page(
        separator("15 January 2024"),
        service(1, "Ann Lee created group &laquo;Club&raquo; with members Bob"),
        written(2, "hi"),
        service(3, 'Bob pinned <a href="#go_to_message2" onclick="return GoToMessage(2)">this message</a>'),
        separator("16 January 2024", -2),
        service(4, "Group call (5 seconds)"),
    )
    found = messages(read({"messages.html": data}))
    assert [(each.id, each.speaker, each.kind, each.time_precision) for each in found if each.id != "2"] == [
        ("1", SYSTEM_SPEAKER, "system", "day"),
        ("3", SYSTEM_SPEAKER, "system", "day"),
        ("4", SYSTEM_SPEAKER, "call", "day"),
    ]
    assert [each.time.isoformat()[:16] for each in found] == ["2024-01-15T00:00", "2024-01-15T12:02", "2024-01-15T12:02", "2024-01-16T00:00"]  # fmt: skip
    assert (found[0].content, found[2].content) == (
        "Ann Lee created group «Club» with members Bob",
        "Bob pinned this message",
    )
    assert found[2].reply_to == "2"


def test_reactions_signatures_and_buttons() -> None:
    """What stands below a message."""
    after = """
       <div class="signature details">
Ed
       </div>
       <span class="reactions">
        <span class="reaction">
         <span class="emoji">
👍
         </span>
         <span class="userpics">
          <div class="userpic userpic3" style="width: 20px; height: 20px">
           <div class="initials" style="line-height: 20px" title="Bob">B</div>
          </div>
         </span>
        </span>
        <span class="reaction"><span class="emoji">🔥</span><span class="count">12</span></span>
       </span>
       <table class="bot_buttons_table"><tr><td class="bot_button_row"><div class="bot_button"><div>Open</div></div></td></tr></table>
"""
    message = one(written(1, "x", after=after))
    assert [(each.emoji, each.people) for each in message.reactions] == [("👍", ("Bob",)), ("🔥", ())]
    assert message.metadata["reaction_counts"] == '{"🔥": 12}'
    assert (message.metadata["author"], message.metadata["buttons"]) == ("Ed", '[[{"text": "Open"}]]')


def test_an_account() -> None:
    """Chats lie in folders of their own; the page above them says who exported."""
    summary = b'<!DOCTYPE html><html><body><div class="page_wrap"><div class="personal_info clearfix"><div class="rows names"><div class="row"><div class="label details">First name</div><div class="value bold">Ann</div></div><div class="row"><div class="value bold">Lee</div></div></div><div class="rows info"><div class="row"><div class="label details">Phone number</div><div class="value bold">+49 30 1234567</div></div><div class="row"><div class="label details">Username</div><div class="value bold">@ann</div></div></div></div></div></body></html>'
    files = {
        "export_results.html": summary,
        "chats/chat_001/messages.html": page(written(1, "a")),
        "chats/chat_002/messages.html": page(written(1, "b"), title="Club"),
    }
    records = read(files)
    assert [document.id for document in documents(records)] == ["telegram:Bob:2024-01-15", "telegram:Club:2024-01-15"]
    assert {document.conversation.user for document in documents(records)} == {"Ann Lee"}
    told = {"Ann Lee": ["id:@ann", "tel:+49301234567"]}
    assert [identities_of(document.metadata) for document in documents(records)] == [told, told]
    assert "chat-ignored" in codes(read(files, replace(OPTIONS, chat="user2")))
    preview = TelegramConnector().preview(Shelf("x", files), OPTIONS)
    assert (preview.messages, list(preview.speakers), preview.user) == (2, ["Ann Lee"], "Ann Lee")


def test_pages_and_json_of_one_chat_have_the_same_ids() -> None:
    """With the chat's id as the given key they are one chat; beside each other the JSON alone is read."""
    data = exports.written(exports.chat([exports.said(1, "hello"), exports.said(2, "two\nlines")]))
    pages = page(separator("15 January 2024"), written(1, "hello"), written(2, "two<br>lines", who=None))
    options = replace(OPTIONS, chat="user2")
    (one,), (other,) = documents(read(data, options)), documents(read({"messages.html": pages}, options))
    assert one.id == other.id == "telegram:user2:2024-01-15"
    assert [(each.id, each.speaker, each.content, each.time) for each in one.messages] == [(each.id, each.speaker, each.content, each.time) for each in other.messages]  # fmt: skip
    both = read({"result.json": data, "messages.html": pages})
    assert documents(both) == documents(read(data))
    assert "export-doubled" in codes(both)


def test_damaged_pages() -> None:
    """What is no text is replaced and told; a message without its parts is refused, the others are read."""
    data = page(written(1, "aXb"), written(2, "c").replace("message2", "messageX"), written(3, "d")).replace(
        b"X", b"\xff", 1
    )
    records = read({"messages.html": data})
    assert [each.content for each in messages(records)] == ["a\ufffdb", "d"]
    assert [reason for _, reason in rejected(records)] == ["it has no id"]
    assert "undecodable-bytes" in codes(records)
    assert messages(read({"messages.html": data[: data.index(b"messageX") - 30]}))[0].id == "1"


@pytest.mark.parametrize(
    "deep", ["<div>" * 100_000, "<b>" * 100_000, "<blockquote>" * 50_000 + "</blockquote>" * 50_000]
)
def test_a_page_that_is_nested_too_deep_is_refused(deep: str) -> None:
    """The other pages are read."""
    records = read({"messages.html": page(written(1, deep)), "messages2.html": page(written(2, "x"))})
    assert [each.content for each in messages(records)] == ["x"]
    assert rejected(records) == [("export!messages.html", TOO_COSTLY)]


def test_a_note_in_html_is_not_recognised() -> None:
    """Pages of others."""
    other = b'<!DOCTYPE html><html><body><div class="page_wrap"><div class="message">hello</div></div></body></html>'
    assert TelegramConnector().sniff(Shelf("x", {"messages.html": other})) < 0.5
