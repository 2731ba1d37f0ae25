"""What the Bot API sends of a message reads as what an export has of it."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from memd.connectors.connector import ReadOptions
from memd.connectors.live.telegram.documents import read_updates
from memd.connectors.live.telegram.peers import peer_of
from memd.connectors.live.telegram.rich_text import text_parts
from memd.schemas import ConversationMessage
from memd.tests.cases import for_each
from memd.tests.connectors.live.telegram.bot_api import BOB, BOT, GROUP, START, message

OPTIONS = ReadOptions(zone=UTC, zone_origin="option")
EVE = {"id": 8, "is_bot": False, "first_name": "Eve"}


def read(**fields: Any) -> ConversationMessage:
    """The only message of one update."""
    found = read_updates([{"update_id": 1, "message": message(1, **fields)}], BOT, OPTIONS, "telegram:@keeper_bot")
    assert found.rejected == []
    (document,) = found.documents
    (one,) = document.conversation.conversation
    return one


KINDS: list[tuple[dict[str, Any], str, str]] = [
    ({"photo": [{"file_size": 1}, {"file_size": 9}], "caption": "the boat"}, "text", "the boat"),
    ({"video": {"duration": 3, "mime_type": "video/mp4", "file_name": "a.mp4"}}, "media", "[video]"),
    ({"animation": {"duration": 3}, "document": {"file_name": "a.gif"}}, "media", "[animation]"),
    ({"audio": {"duration": 3, "performer": "Bo", "title": "Sails"}}, "media", "[audio: Bo – Sails]"),
    ({"voice": {"duration": 3}}, "media", "[voice message]"),
    ({"video_note": {"duration": 3}}, "media", "[video message]"),
    ({"sticker": {"emoji": "👍", "width": 5, "height": 5}}, "media", "[sticker 👍]"),
    ({"document": {"file_name": "plan.pdf", "mime_type": "application/pdf"}}, "media", "[file: plan.pdf]"),
    ({"contact": {"first_name": "Eve", "phone_number": "+49301234"}}, "contact", "[contact: Eve, +49301234]"),
    ({"location": {"latitude": 1.5, "longitude": 2.5}}, "location", "[location: 1.5, 2.5]"),
    (
        {"venue": {"title": "Pier", "address": "Sea 1", "location": {"latitude": 1.5, "longitude": 2.5}},
         "location": {"latitude": 1.5, "longitude": 2.5}},
        "location", "[location: Pier, Sea 1, 1.5, 2.5]",
    ),
    ({"poll": {"question": "When?", "options": [{"text": "Mon", "voter_count": 2}, {"text": "Tue"}]}}, "poll", "When?\n- Mon (2)\n- Tue"),
    ({"dice": {"emoji": "🎲", "value": 4}}, "text", "🎲 4"),
    ({"game": {"title": "Chess", "description": "by post"}}, "media", "[game: Chess, by post]"),
    ({"invoice": {"title": "Sail", "description": "red", "total_amount": 1250, "currency": "EUR"}}, "media", "[invoice: Sail, red, 12.50 EUR]"),
    ({"checklist": {"title": "To do", "tasks": [{"text": "paint"}]}}, "text", "To do\n- paint"),
    ({"story": {"chat": EVE, "id": 3}}, "text", "[story of Eve]"),
    ({"new_chat_members": [EVE]}, "system", "Bob Reed invited Eve"),
    ({"left_chat_member": EVE}, "system", "Bob Reed removed Eve"),
    ({"new_chat_title": "Ships"}, "system", "Bob Reed changed the title to «Ships»"),
    ({"pinned_message": {"message_id": 4}}, "system", "Bob Reed pinned a message"),
    ({"group_chat_created": True}, "system", "Bob Reed created the group"),
    ({"migrate_to_chat_id": -100}, "system", "Bob Reed converted this group to a supergroup"),
    ({"video_chat_started": {}}, "call", "Group call by Bob Reed"),
    ({"forum_topic_closed": {}}, "system", "Bob Reed: forum topic closed"),
    ({"video_chat_ended": {"duration": 60}}, "call", "Group call by Bob Reed (duration 60)"),
    ({"boost_added": {"boost_count": 1}}, "system", "Bob Reed: boost added"),
]  # fmt: skip


@for_each(KINDS)
def test_every_kind_of_message_reads_like_an_export(fields: dict[str, Any], kind: str, content: str) -> None:
    """Files as placeholders with what is known of them, what the app tells as lines."""
    found = read(**fields)
    assert found.content == content
    assert found.kind == kind
    assert not [key for key in found.metadata if key.startswith("x-")]


def test_a_file_is_known_by_its_name_and_missing() -> None:
    """The bot reads no files."""
    (attachment,) = read(
        document={"file_name": "plan.pdf", "mime_type": "application/pdf", "file_size": 12}
    ).attachments
    assert (attachment.name, attachment.mime, attachment.size, attachment.missing) == (
        "plan.pdf",
        "application/pdf",
        12,
        True,
    )


def test_replies_topics_and_forwards_are_kept() -> None:
    """A message of a topic that answers nothing has a thread alone."""
    created = {"message_id": 30, "forum_topic_created": {"name": "Sails"}}
    in_topic = read(text="a", message_thread_id=30, is_topic_message=True, reply_to_message=created)
    assert (in_topic.thread, in_topic.reply_to, in_topic.metadata["topic"]) == ("30", None, "Sails")
    answer = read(text="a", message_thread_id=30, is_topic_message=True, reply_to_message={"message_id": 31})
    assert (answer.thread, answer.reply_to) == ("30", "31")
    assert read(text="a", reply_to_message={"message_id": 31}, message_thread_id=29).reply_to == "31"
    for origin, name in (
        ({"type": "user", "sender_user": EVE}, "Eve"),
        ({"type": "hidden_user", "sender_user_name": "Somebody"}, "Somebody"),
        ({"type": "channel", "chat": GROUP, "message_id": 3}, "Boats"),
        ({"type": "chat", "sender_chat": GROUP}, "Boats"),
    ):
        assert read(text="a", forward_origin={**origin, "date": START}).forwarded_from == name


def test_quotes_and_links_are_where_the_entities_say() -> None:
    """Places count in UTF-16, so an emoji before them takes two."""
    text = "👍 said: at six, see here and Eve"
    entities = [
        {"type": "blockquote", "offset": 9, "length": 6},
        {"type": "text_link", "offset": 21, "length": 4, "url": "https://a.example"},
        {"type": "text_mention", "offset": 30, "length": 3, "user": EVE},
        {"type": "bold", "offset": 0, "length": 2},
        {"type": "code", "offset": 900, "length": 4},
        {"type": "code", "offset": -1, "length": "x"},
    ]
    found = read(text=text, entities=entities)
    assert found.content == text
    assert [(each.kind, text[each.start : each.end]) for each in found.segments] == [("quote", "at six")]
    assert found.metadata["links"] == '["https://a.example"]'
    assert found.metadata["mentions"] == '["user8"]'
    nested = [
        {"type": "blockquote", "offset": 0, "length": 4},
        {"type": "text_link", "offset": 1, "length": 2, "url": "u"},
    ]
    assert text_parts("abcd", nested) == [
        {"type": "blockquote", "text": "a"},
        {"type": "blockquote", "text": "bc", "href": "u"},
        {"type": "blockquote", "text": "d"},
    ]


def test_what_is_not_known_is_kept_and_told() -> None:
    """A field of a newer Telegram becomes metadata; a message of nothing else is of the kind unknown."""
    update = {"update_id": 1, "message": message(1, hologram={"x": 1})}
    found = read_updates([update], BOT, OPTIONS, "telegram:@keeper_bot")
    (one,) = found.documents[0].conversation.conversation
    assert (one.kind, one.content, one.metadata["x-hologram"]) == ("unknown", "[empty message]", '{"x": 1}')
    (notice,) = found.notices
    assert notice.code == "unknown-content"
    assert "hologram (1)" in notice.hint


@for_each(
    [
        {"message": None},
        {"message": {"chat": GROUP}},
        {"message": {"chat": {"id": "x"}, "message_id": 1, "date": START}},
        {"message": {**message(1), "date": "yesterday"}},
        {"message": {**message(1), "message_id": None, "text": "a"}},
        {},
    ]
)
def test_what_is_no_message_is_rejected(broken: dict[str, Any]) -> None:
    """By the id of its update, without an end of the others."""
    found = read_updates(
        [{"update_id": 9, **broken}, {"update_id": 10, "message": message(2, text="a")}], BOT, OPTIONS, "t"
    )
    assert [each.locator for each in found.rejected] == ["t: update 9"]
    assert len(found.documents) == 1


@for_each([None, 3, "x", [], [None], {"a": None}, True, -1, [[]], {"id": []}])
def test_odd_values_end_nothing(odd: object) -> None:
    """Whatever stands where something else should, a message or a reason comes out."""
    for key in ("from", "chat", "text", "entities", "photo", "poll", "reply_to_message", "forward_origin", "new_chat_members",
                "invoice", "dice", "venue", "pinned_message", "checklist", "edit_date", "message_thread_id", "via_bot"):  # fmt: skip
        update = {"update_id": 1, "message": {**message(1, text="a"), key: odd, "is_topic_message": True}}
        found = read_updates([update], BOT, OPTIONS, "t")
        assert len(found.documents) + len(found.rejected) == 1


def test_what_is_odd_inside_ends_nothing() -> None:
    """Amounts of any size, kinds of entities that are no words."""
    bill = read(invoice={"title": "Sail", "total_amount": 10**400, "currency": "EUR"})
    assert bill.content.startswith("[invoice: Sail, 1000")
    assert read(text="a", entities=[{"type": ["x"], "offset": 0, "length": 1}]).content == "a"


def test_ids_say_what_they_are_of() -> None:
    """As exports name people, basic groups and supergroups."""
    assert [peer_of(each) for each in (7, -55, -1001234567890)] == ["user7", "chat55", "channel1234567890"]
    assert BOB["id"] == 7
