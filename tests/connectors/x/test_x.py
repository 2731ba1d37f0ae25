"""Archives of X: messages, groups, posts, long posts, old layouts, overlap, damage."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.connectors.connector import Connector
from memd.connectors.formats.x.connector import XConnector
from memd.schemas import Rejected
from memd.tests.cases import for_each
from memd.tests.connectors.x.exports import (
    ACCOUNT,
    ANN,
    BO,
    MENTION,
    OPTIONS,
    TALK,
    assigned,
    codes,
    documents,
    messages,
    post,
    read,
    rejected,
    sent,
    talks,
)
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf
from memd.tests.effort import examples
from memd.tests.memory.test_merge import after, contents


class TestContract(ConnectorContract):
    """The suite."""

    readers = (
        "x.posts:PostReader.read",
        "x.direct_messages:DirectReader.read",
    )
    download = Download(
        "the seagull stole my sandwich",
        {"data/account.js": ACCOUNT, "data/direct-messages.js": talks(sent(1, BO, "The seagull stole my sandwich"))},
        "twitter-2024.zip",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """X's."""
        return XConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """Messages with the account, and posts alone."""
        return {
            "messages": {
                "data/account.js": ACCOUNT,
                "data/direct-messages.js": talks(sent(1, ANN, "a"), sent(2, BO, "b")),
            },
            "posts": {"tweets.js": assigned("tweets", [post(1, "hello"), post(2, "again")])},
        }


def test_direct_messages_have_names_where_posts_tell_them() -> None:
    """They hold nothing but numbers themselves; the archive names the user."""
    files = {
        "data/account.js": ACCOUNT,
        "data/direct-messages.js": talks(
            sent(1, ANN, "see https://t.co/abcdef &amp;", urls=[{"url": "https://t.co/abcdef", "expanded": "https://example.org/a"}]),
            sent(2, BO, "", mediaUrls=["https://ton.twitter.com/dm/1/2/boat.jpg"], reactions=[{"senderId": ANN, "reactionKey": "like"}]),
        ),
        "data/tweets.js": assigned("tweets", [post(1, "@bo hi", entities=MENTION, in_reply_to_status_id_str="6", in_reply_to_screen_name="bo")]),
        "data/direct_messages_media/9002-boat.jpg": b"\xff",
    }  # fmt: skip
    records = read(files)
    talk, posts = documents(records)
    assert (talk.id, talk.metadata["title"], posts.id) == (f"x:{TALK}:2024-01-15", "Bo Baker", "x:posts-11:2024-01-15")
    assert (talk.conversation.user, posts.metadata["title"]) == ("Ann Archer", "@ann")
    first, second = talk.messages
    assert (first.speaker, first.content, first.id) == ("Ann Archer", "see https://example.org/a &amp;", "9001")
    assert first.time.isoformat() == "2024-01-15T12:01:00.250000+00:00"
    assert (second.speaker, second.kind, second.content) == ("Bo Baker", "media", "[photo]")
    assert [(f.name, f.missing) for f in second.attachments] == [("boat.jpg", False)]
    assert [(r.emoji, r.people) for r in second.reactions] == [("❤️", ("Ann Archer",))]
    assert (posts.messages[0].reply_to, posts.messages[0].metadata["reply_to_account"]) == ("6", "@bo")
    assert codes(records) == []


def test_groups_tell_what_happened() -> None:
    """Events have no ids, but the same one in every archive."""
    created = "2024-01-15T11:00:00.000Z"
    data = talks(
        {"joinConversation": {"initiatingUserId": BO, "participantsSnapshot": [ANN, BO], "createdAt": created}},
        {"conversationNameUpdate": {"initiatingUserId": BO, "name": "Crew", "createdAt": created}},
        {"participantsLeave": {"userIds": [BO], "createdAt": created}},
        {"reactionCreate": {"senderId": ANN, "reactionKey": "like", "eventId": "9", "createdAt": created}},
        {"messageCreate": {"id": "1", "text": "hi", "senderId": ANN, "createdAt": "2024-01-15T12:00:00.000Z"}},
        own="555",
        name="direct_messages_group",
    )
    records = read({"account.js": ACCOUNT, "g.js": data})
    (day,) = documents(records)
    assert (day.id, day.metadata["title"], day.metadata["channel_type"]) == ("x:555:2024-01-15", "Crew", "group")
    assert [(m.speaker, m.kind) for m in day.messages] == [("(system)", "system")] * 4 + [("Ann Archer", "text")]
    assert {m.content for m in day.messages[:4]} == {
        "222 joined the conversation", "222 named the conversation: Crew", "222 left", "Ann Archer reacted: ❤️",
    }  # fmt: skip


def test_a_group_may_say_its_name_itself() -> None:
    """Beside its messages; and an id with a hyphen is a pair only of numbers."""
    created = "2024-01-15T11:00:00.000Z"
    data = talks({"messageCreate": {"id": "1", "text": "hi", "senderId": ANN, "createdAt": created}}, own="group-abc")
    data = data.replace(b'"messages"', b'"name": "Crew", "messages"', 1)
    (day,) = documents(read({"account.js": ACCOUNT, "g.js": data}))
    assert (day.metadata["title"], day.metadata["channel_type"]) == ("Crew", "group")


LONG = "word " * 60


def test_posts_long_posts_and_what_was_passed_on() -> None:
    """A long post is one message with its whole text; what others wrote is a forward."""
    urls = {"urls": [{"url": "https://t.co/abcdef", "expanded_url": "https://example.org/a"}]}
    media = {
        "media": [{"media_url_https": "https://pbs.twimg.com/media/B.jpg", "type": "photo", "url": "https://t.co/x"}]
    }
    note: dict[str, Any] = {
        "noteTweetId": "5",
        "createdAt": "2024-01-15T13:03:00.000Z",
        "core": {"text": LONG, "urls": []},
    }
    lost: dict[str, Any] = {
        "noteTweetId": "6",
        "createdAt": "2023-01-15T13:03:00.000Z",
        "core": {"text": "lost " + LONG, "urls": []},
    }
    records = read(
        {
            "account.js": ACCOUNT,
            "tweets.js": assigned("tweets", [post(1, "a &lt; b https://t.co/abcdef", entities=urls), post(2, "RT @cy: ahoy"), post(3, LONG[:250] + "…")]),
            "tweets-part1.js": assigned("tweets", [post(4, "pic", extended_entities=media)], 1),
            "deleted-tweets.js": assigned("deleted_tweets", [post(5, "gone")]),
            "note-tweet.js": assigned("note_tweet", [{"noteTweet": note}, {"noteTweet": lost}]),
            "like.js": assigned("like", [{"like": {"tweetId": "1", "fullText": "x"}}]),
        }
    )  # fmt: skip
    found = {m.id: m for m in messages(records)}
    assert found["7001"].content == "a < b https://example.org/a"
    assert (found["7002"].forwarded_from, found["7002"].segments[0].kind) == ("@cy", "forward")
    assert (found["7003"].content, found["7003"].metadata["note"]) == (LONG, "true")
    assert [(a.name, a.mime, a.missing) for a in found["7004"].attachments] == [("B.jpg", "image/jpeg", True)]
    assert (found["7005"].kind, found["7005"].deleted, found["7005"].content) == ("deleted", True, "gone")
    assert found["note:6"].content.startswith("lost ")
    assert {m.speaker for m in found.values()} == {"Ann Archer"}
    assert codes(records) == ["sections-left-out"]


def test_layouts_of_old_and_chats_with_grok() -> None:
    """Posts without a wrapper, those of the first archives, and JSON without its variable."""
    old = [{"id_str": "1", "text": "old", "created_at": "2013-04-05 12:00:00 +0200", "user": {"id_str": ANN, "name": "Ann A", "screen_name": "ann"}}]  # fmt: skip
    grok = [{"grokChatItem": {"chatId": "8", "createdAt": "2024-01-15T12:00:00.000Z", "message": text, "sender": who}} for text, who in (("why?", "User"), ("because", "Agent"))]  # fmt: skip
    bare = json.dumps([post(3, "bare")["tweet"]]).encode()
    records = read(
        {
            "data/js/tweets/2013_04.js": b"Grailbird.data.tweets_2013_04 = \n " + json.dumps(old).encode(),
            "data/js/user_details.js": b'var user_details =  {"screen_name": "ann", "full_name": "Ann A", "id": "11"}',
            "grok-chat-item.js": assigned("grok_chat_item", grok),
            "tweet.json": bare,
        }
    )
    found = [(m.speaker, m.content, m.role, m.time.isoformat()) for m in messages(records)]
    assert sorted(found, key=lambda each: each[3]) == [
        ("Ann A", "old", None, "2013-04-05T10:00:00+00:00"),
        ("Ann A", "why?", "user", "2024-01-15T12:00:00+00:00"),
        ("Grok", "because", "assistant", "2024-01-15T12:00:00+00:00"),
        ("Ann A", "bare", None, "2024-01-15T13:03:00+00:00"),
    ]


@pytest.mark.parametrize(("me", "user"), [("@bo", "Bo Baker"), ("bo", "Bo Baker"), (BO, "Bo Baker")])
def test_the_user_is_whom_the_option_names(me: str, user: str) -> None:
    """By handle or id."""
    files = {"account.js": ACCOUNT, "dm.js": talks(sent(1, BO, "x")), "t.js": assigned("tweets", [post(1, "@bo", entities=MENTION)])}  # fmt: skip
    assert {day.conversation.user for day in documents(read(files, replace(OPTIONS, me=me)))} == {user}


def test_a_later_archive_adds_what_is_new() -> None:
    """Once more, nothing changes."""
    first = documents(read({"account.js": ACCOUNT, "dm.js": talks(sent(1, ANN, "one"), sent(2, BO, "two"))}))
    later = documents(read({"account.js": ACCOUNT, "dm.js": talks(*[sent(n, ANN, t) for n, t in ((1, "one"),)], sent(2, BO, "two!"), sent(3, ANN, "one"))}))  # fmt: skip
    stored = after(*first, *later, *later)
    assert contents(stored) == ["one", "two!", "one"]
    assert [e.content for e in stored.messages[1].message.edits] == ["two"]


def test_a_broken_message_costs_itself() -> None:
    """Of messages and of posts; a lost variable costs nothing."""
    data = talks(sent(1, ANN, "a"), sent(2, BO, "b"), sent(3, ANN, "c"))
    records = read({"dm.js": data.replace(b'"text": "b"', b'"text": "b')})
    assert [m.content for m in messages(records)] == ["a", "c"]
    assert len(rejected(records)) == 1
    data = assigned("tweets", [post(1, "a"), post(2, "b"), post(3, "c")])
    records = read({"t.js": data.replace(b'"full_text": "b"', b'"full_text": "b')})
    assert [m.content for m in messages(records)] == ["a", "c"]
    assert len(rejected(records)) == 1


OTHERS = [b"window.alert = []", b'[{"tweet": "x"}]', b'var x = [{"full_text": "x"}]', b'[{"id_str": "1", "text": "x"}]']


@pytest.mark.parametrize("other", OTHERS)
def test_other_formats_are_not_recognised(other: bytes) -> None:
    """Programs, and JSON that only looks like posts."""
    assert XConnector().sniff(Shelf("x", {"tweets.js": other})) < 0.5


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=8)
    | st.sampled_from(["\0", "(system)", "(me)", "RT @x: y", "https://t.co/abc", "9" * 30]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["urls", "url", "expanded", "media", "type", "user_mentions", "id_str", "text"]), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
TALK_FIELDS = ["id", "senderId", "text", "createdAt", "urls", "mediaUrls", "reactions", "editHistory", "replyTo"]
POST_FIELDS = ["id_str", "full_text", "created_at", "entities", "extended_entities", "user", "in_reply_to_screen_name"]


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    talk=st.dictionaries(st.sampled_from(TALK_FIELDS), VALUES, max_size=5),
    more=st.dictionaries(st.sampled_from(POST_FIELDS), VALUES, max_size=5),
)
def test_wrong_types_are_no_exception(talk: dict[str, Any], more: dict[str, Any]) -> None:
    """Whatever stands where a text or an object should be: each message is kept or rejected."""
    wrong = {"messageCreate": {**sent(2, BO, "x")["messageCreate"], **talk}}
    strange = {"tweet": {**post(2, "x")["tweet"], **more}}
    for files in (
        {"dm.js": talks(sent(1, ANN, "a"), wrong, sent(3, ANN, "b"))},
        {"t.js": assigned("tweets", [post(1, "a"), strange, post(3, "b")])},
    ):
        records = read(files)
        found = [m.content for m in messages(records)]
        assert {"a", "b"} <= set(found)
        lost = len([each for each in records if isinstance(each, Rejected)])
        assert len(found) + lost + codes(records).count("duplicate-message") == 3


@for_each(
    [
        ("photo", "B.png", "image/png"),
        ("photo", "B.jpg", "image/jpeg"),
        ("photo", "B", "image/jpeg"),
        ("video", "B.jpg", "video/mp4"),
        ("animated_gif", "B.jpg", "video/mp4"),
    ]
)
def test_a_file_of_a_post_has_the_type_of_its_name(kind: str, name: str, mime: str) -> None:
    """Films are shown by a picture, whose name the archive gives."""
    media = {"media": [{"type": kind, "media_url_https": f"https://pbs.twimg.com/media/{name}"}]}
    found = messages(read({"tweets.js": assigned("tweets", [post(1, "pic", extended_entities=media)])}))
    assert [each.mime for each in found[0].attachments] == [mime]
