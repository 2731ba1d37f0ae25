"""Instagram's exports of 2018 to 2020: one file, in which chats have no ids and people go by their accounts."""

from __future__ import annotations

from typing import Any

from memd.schemas import ConversationMessage
from memd.tests.cases import for_each
from memd.tests.connectors.messenger.exports import codes, documents, instagram, old, read, rejected

PEOPLE = ["bo", "ann"]


def chats(*given: tuple[list[str], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The whole file."""
    return [{"participants": people, "conversation": said} for people, said in given]


def messages(*given: dict[str, Any]) -> list[ConversationMessage]:
    """What a file with one chat holds."""
    records = read({"messages.json": chats((PEOPLE, list(given)))}, connector=instagram())
    return [message for document in documents(records) for message in document.messages]


def test_a_file_holds_all_chats_the_newest_messages_first() -> None:
    """Each chat has its people for its key, and the days stand in the order of their times."""
    value = chats(
        (["bo", "ann"], [old(90000, "ann", text="two"), old(1, "ann", text="one"), old(0, "bo", text="zero")]),
        (["ann", "cy", "di"], [old(5, "cy", text="group")]),
    )
    records = read({"messages.json": value}, connector=instagram())
    found = [(d.id, d.conversation.user, [m.content for m in d.messages]) for d in documents(records)]
    assert found == [
        ("instagram:ann+bo:2024-01-16", "ann", ["two"]),
        ("instagram:ann+bo:2024-01-15", "ann", ["zero", "one"]),
        ("instagram:ann+cy+di:2024-01-15", "ann", ["group"]),
    ]
    assert [d.metadata["title"] for d in documents(records)] == ["bo", "bo", "cy, di"]
    assert codes(records) == []
    assert rejected(records) == []


def test_the_profile_names_the_user_of_a_lone_chat() -> None:
    """A chat alone does not show whose it is; nobody is guessed."""
    value = chats((PEOPLE, [old(0, "bo", text="hi")]))
    alone = read({"messages.json": value}, connector=instagram())
    assert codes(alone) == ["user-unknown"]
    profile = {"date_joined": "2013-01-01T00:00:00", "name": "Ann", "private_account": True, "username": "ann"}
    records = read({"messages.json": value, "profile.json": profile}, connector=instagram())
    assert codes(records) == []
    assert documents(records)[0].conversation.user == "ann"


@for_each(
    [
        ({"heart": "\u2764\ufe0f"}, "text", "\u2764\ufe0f"),
        ({"text": None, "story_share": "Shared bo's story"}, "text", "Shared bo's story"),
        (
            {"media_owner": "zoo", "media_share_caption": "A panda", "media_share_url": "https://x.org/p"},
            "text",
            "https://x.org/p\nA panda",
        ),
        ({"media": "photos/201909/x.jpg"}, "media", "[photo]"),
        ({"media_url": "https://x.org/x.jpg"}, "media", "[photo]"),
        ({"voice_media": "Media unavailable."}, "media", "[voice message]"),
        ({"animated_media_images": {"fixed_height": {"url": "https://x.org/200.gif"}}}, "media", "[GIF]"),
        ({"video_call_action": "bo started a video chat"}, "call", "bo started a video chat"),
        ({"action": "bo named the group Trip"}, "system", "bo named the group Trip"),
        ({"profile_share_username": "zoo", "profile_share_name": "The Zoo"}, "text", "[shared: zoo]"),
        ({"location_name": "Zoo", "city": "Berlin"}, "text", "Zoo, Berlin"),
        ({"live_video_invite": "bo invited you"}, "text", "bo invited you"),
        ({"is_random": True}, "unknown", "[message without text]"),
    ]
)
def test_what_is_not_words_is_kept(more: dict[str, Any], kind: str, content: str) -> None:
    """Posts, stories, pictures, calls and what happened in a group."""
    (message,) = messages(old(0, "bo", **more))
    assert (message.kind, message.content) == (kind, content)


def test_likes_and_stories_stand_beside_words() -> None:
    """Somebody's own words stay alone."""
    (message,) = messages(
        old(0, "bo", text="look", story_share="Shared zoo's story", likes=[{"username": "ann", "date": "x"}])
    )
    assert message.content == "look"
    assert message.metadata == {"shared_text": "Shared zoo's story"}
    assert [(each.emoji, each.people) for each in message.reactions] == [("\u2764\ufe0f", ("ann",))]


def test_a_message_without_time_is_rejected_alone() -> None:
    """The others stay."""
    value = chats((PEOPLE, [{"sender": "bo", "created_at": "soon", "text": "x"}, old(0, "bo", text="hi")]))
    records = read({"messages.json": value}, connector=instagram())
    assert rejected(records) == [
        ("export!messages.json#/0/conversation/0", "a message without a time that can be read")
    ]
    assert [m.content for d in documents(records) for m in d.messages] == ["hi"]
