"""Exports with everything that a format knows in them, and how their values are exchanged for hostile ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from hypothesis import strategies as st

from memd.tests.connectors.matrix import exports as matrix
from memd.tests.connectors.rocketchat import test_rocketchat as rocketchat
from memd.tests.connectors.teams import exports as teams
from memd.tests.connectors.x import exports as x
from memd.tests.connectors.zulip import test_zulip as zulip

Files = dict[str, bytes]
Build = Callable[[Callable[[Any], Any]], Files]
"""The files of an export, each value of which passes through the function given."""

_POLL = {"m.poll.start": {"question": {"m.text": "When?"}, "answers": [{"id": "a", "m.text": "Now"}]}}
_EVENTS = [
    matrix.joined(0, matrix.ANN, "Ann"),
    matrix.said(1, matrix.ANN, "one", format="org.matrix.custom.html", formatted_body="<b>one</b>"),
    matrix.said(2, matrix.BO, "* two", **{"m.new_content": {"body": "two", "msgtype": "m.text"}, "m.relates_to": {"rel_type": "m.replace", "event_id": "$e1"}}),
    matrix.event(3, matrix.BO, "m.reaction", {"m.relates_to": {"rel_type": "m.annotation", "event_id": "$e1", "key": "+"}}),
    matrix.event(4, matrix.ANN, "m.poll.start", _POLL),
    matrix.event(5, matrix.BO, "m.poll.response", {"m.selections": ["a"], "m.relates_to": {"rel_type": "m.reference", "event_id": "$e4"}}),
    matrix.said(6, matrix.BO, "> <@ann:example.org> one\n\nyes", **{"m.relates_to": {"m.in_reply_to": {"event_id": "$e1"}}}),
    matrix.said(7, matrix.ANN, "boat.jpg", url="mxc://a/b", info={"size": 3, "mimetype": "image/jpeg", "w": 1, "h": 1, "duration": 9}),
    matrix.event(8, matrix.ANN, "m.room.redaction", {"reason": "x"}, redacts="$e7"),
    matrix.event(9, matrix.ANN, "m.room.name", {"name": "New"}, state_key="", unsigned={"prev_content": {"name": "Old"}}),
    matrix.event(10, matrix.ANN, "m.room.encrypted", {"algorithm": "m.megolm.v1.aes-sha2"}),
]  # fmt: skip
_SKYPE = teams.history(
    teams.skype(1, teams.ANN, "one", emotions=[{"key": "heart", "users": [{"mri": teams.BO, "time": 1705320060000, "value": "1"}]}]),
    teams.skype(2, teams.BO, '<quote author="8:bo" authorname="Bo" timestamp="1705320060" messageid="1"><legacyquote>x</legacyquote>one</quote>two', edittime="1705320200000"),
    teams.skype(3, teams.BO, "<addmember><eventtime>1</eventtime><initiator>8:bo</initiator><target>8:c</target></addmember>", "ThreadActivity/AddMember"),
    teams.skype(4, teams.BO, '<URIObject uri="x" type="File.1"><OriginalName v="a.txt"/><FileSize v="9"/></URIObject>', "RichText/Media_GenericFile"),
    teams.skype(5, teams.BO, '<partlist type="ended"><part identity="8:bo"><name>Bo</name><duration>61</duration></part></partlist>', "Event/Call"),
    teams.skype(6, teams.ANN, '{"pollQuestion":"a?","pollAnswers":["b"]}', "PopCard", poll={"a": 1}, deletetime=1),
)  # fmt: skip
_GRAPH = [
    teams.graph(1, teams.ANNA, '<p>hello <at id="0">Bo</at> <emoji alt="x"></emoji></p>', Mentions=[{"Id": 0, "MentionText": "Bo"}], Reactions=[{"ReactionType": "like", "User": {"User": {"Id": teams.BO_ID}}}]),
    teams.graph(2, teams.BOB, '<attachment id="1"></attachment>yes', ReplyToId="1705320060000", Attachments=[{"Id": "1", "ContentType": "messageReference", "Content": '{"messageId":"1705320060000","messagePreview":"hello"}'}, {"Id": "2", "Name": "a.txt", "ContentType": "reference"}]),
    teams.graph(3, None, "<systemEventMessage/>", MessageType="systemEventMessage", EventDetail={"@odata.type": "#microsoft.graph.membersAddedEventMessageDetail", "Members": [{"Id": teams.BO_ID}], "Initiator": {"User": {"Id": teams.ANN_ID}}}),
    teams.graph(4, teams.BOB, "x", LastEditedDateTime="2024-01-15T13:00:00Z", DeletedDateTime="2024-01-15T13:00:01Z", ChannelIdentity={"TeamId": teams.TEAM, "ChannelId": teams.CHANNEL}, Subject="News"),
]  # fmt: skip
_TALK = [{"dmConversation": {"conversationId": x.TALK, "messages": [
    x.sent(1, x.ANN, "hi https://t.co/a", urls=[{"url": "https://t.co/a", "expanded": "https://example.org", "display": "example.org"}], mediaUrls=["https://x/a.jpg"], reactions=[{"senderId": x.BO, "reactionKey": "like", "eventId": "1", "createdAt": "2024-01-15T12:01:00.250Z"}]),
    x.sent(2, x.BO, "yes", editHistory=[{"createdAtSec": "1705320060", "editedText": "yse"}], replyTo="9001"),
    {"conversationNameUpdate": {"name": "Crew", "initiatingUserId": x.ANN, "createdAt": "2024-01-15T12:03:00.250Z"}},
    {"participantsJoin": {"userIds": [x.BO], "initiatingUserId": x.ANN, "createdAt": "2024-01-15T12:04:00.250Z"}},
    {"joinConversation": {"initiatingUserId": x.ANN, "participantsSnapshot": [x.ANN], "createdAt": "2024-01-15T12:05:00.250Z"}},
]}}]  # fmt: skip
_POSTS = [
    x.post(1, "@bo hi &amp; bye", entities=x.MENTION, in_reply_to_status_id_str="7002", in_reply_to_screen_name="bo", in_reply_to_user_id_str=x.BO),
    x.post(2, "long…", in_reply_to_status_id_str="7001", extended_entities={"media": [{"media_url": "https://x/b.jpg", "type": "photo", "url": "https://t.co/b"}]}),
]  # fmt: skip
_LONG: list[dict[str, Any]] = [{"noteTweet": {"noteTweetId": "1", "updatedAt": "2024-01-15T13:02:00.000Z", "createdAt": "2024-01-15T13:02:00.000Z", "core": {"text": "long long", "urls": [], "mentions": [], "hashtags": []}}}]  # fmt: skip
_GROK = [{"grokChatItem": {"chatId": "c1", "createdAt": "2024-01-15T14:00:00.000Z", "sender": {"name": "User"}, "message": "hi", "accountId": x.ANN}}]  # fmt: skip
_ROWS = [
    zulip.said(1, 11, "three", edit_history=json.dumps([{"prev_content": "one", "timestamp": 1_705_330_000, "user_id": 11}]), last_edit_time=1_705_330_000.0),
    zulip.said(2, 12, "[a.txt](/user_uploads/2/aa/a.txt) @_**Ann Archer|11** [said](x/near/1):\n```quote\nthree\n```\nyes"),
    zulip.said(3, 13, "bot", recipient=zulip.CREW, topic=""),
    zulip.said(4, 11, "/me waves", recipient=zulip.TO_BO, topic="✔ Boats", edit_history=[{"prev_content": "x", "timestamp": 1}]),
]  # fmt: skip
_MESSAGES = [
    rocketchat.said(1, rocketchat.BO, "new", editedAt=rocketchat.Moment(1_705_320_090_250), reactions={":smile:": {"usernames": ["ann"]}}, tcount=1),
    rocketchat.said(2, rocketchat.ANN, "[ ](https://x?msg=m1) yes", attachments=[{"text": "old", "author_name": "bo", "message_link": "https://x?msg=m1", "ts": rocketchat.Moment(1), "attachments": [{"title": "a"}]}], tmid="m1"),
    {**rocketchat.said(3, rocketchat.BO, "first"), "_hidden": True, "parent": "m1"},
    rocketchat.said(4, rocketchat.BO, "", file={"_id": "f", "name": "a.jpg", "type": "image/jpeg", "size": 5}, files=[{"name": "b"}], location={"type": "Point", "coordinates": [1.5, 2.5]}),
    rocketchat.said(5, rocketchat.BO, "bo", t="uj", urls=[{"url": "https://x"}], mentions=[{"username": "ann"}]),
]  # fmt: skip


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=True).encode()


def _assigned(name: str, value: Any) -> bytes:
    return f"window.YTD.{name}.part0 = ".encode() + _json(value)


def _lines(rows: Any) -> bytes:
    listed = cast("list[Any]", rows) if isinstance(rows, list) else [rows]
    return b"".join(_json(row) + b"\n" for row in listed)


def _bson(rows: Any) -> bytes:
    listed = cast("list[Any]", rows) if isinstance(rows, list) else [rows]
    return b"".join(rocketchat.bson(cast("Mapping[str, Any]", row)) for row in listed if isinstance(row, dict))


EXPORTS: dict[str, list[Build]] = {
    "matrix": [
        lambda change: {"export.json": _json(change(matrix.export(*_EVENTS)))},
        lambda change: {"events.jsonl": _lines(change(_EVENTS))},
    ],
    "teams": [
        lambda change: {"messages.json": _json(change(_SKYPE))},
        lambda change: {
            "users/usersList.json": _json(change(teams.USERS)),
            "users/1/messages_1.json": _json(change(_GRAPH)),
        },
    ],
    "x": [
        lambda change: {
            "data/account.js": x.ACCOUNT,
            "data/direct-messages.js": _assigned("direct_messages", change(_TALK)),
            "data/tweets.js": _assigned("tweets", change(_POSTS)),
            "data/note-tweet.js": _assigned("note_tweet", change(_LONG)),
            "data/grok-chat-item.js": _assigned("grok_chat_item", change(_GROK)),
        },
    ],
    "zulip": [
        lambda change: {
            "realm.json": _json(change(zulip.REALM)),
            "messages-000001.json": _json(change({"zerver_message": _ROWS, "zerver_usermessage": []})),
        },
    ],
    "rocketchat": [
        lambda change: {
            "rocketchat_message.bson": _bson(change(_MESSAGES)),
            "rocketchat_room.bson": _bson(change(rocketchat.ROOMS)),
            "users.bson": _bson(change(rocketchat.USERS)),
        },
        lambda change: {
            "messages.json": _lines(change(rocketchat.exported(_MESSAGES))),
            "rooms.json": _lines(change(rocketchat.ROOMS)),
        },
    ],
}
"""By format. Those of which every value was exchanged at random."""


def nested(levels: int) -> Any:
    """A value in lists in objects, so many levels deep: deeper than the fast readers and writers of JSON go."""
    value: Any = {"a": 1}
    for _ in range(levels // 2):
        value = {"a": [value], "b": 1}
    return value


NUMBERS = [0, -1, 1, 253402300799, 253402300800, 253402300799999, -62135596800, -62135596801, -62135596800000, -62135510400, 2**31, 2**53, 2**63, -(2**63), 10**30, 1e300, -1e300, 5e-324, 0.1]  # fmt: skip
"""Seconds and milliseconds of the first and the last day of the calendar, and numbers that fit no field."""
TEXTS = [
    "", " ", "\0", "\ud800", "a\udfffb", "\u202e", "\r\n\r\n", "x" * 70_000, "(system)", "(me)", "../../x", "<" * 3000, "<b>" * 800, "[" * 3000, "```quote\n" * 300, "> " * 3000,
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999+14:00", "9999-12-31T23:59:59-14:00", "0000-00-00", "2024-02-30T00:00:00Z", "2016-12-31T23:59:60Z", "1e999", "9" * 5000, "-1", "NaN", "Wed Feb 30 99:99:99 +9999 0001", "Fri Dec 31 23:59:59 -2359 9999", "Mon Jan 01 00:00:00 +2359 0001", "٣", "²",
]  # fmt: skip
SHAPES: list[Any] = [
    None,
    True,
    False,
    [],
    {},
    [[]],
    [None],
    [{}],
    {"": {}},
    {"$date": {}},
    {"$date": {"$numberLong": "x"}},
    nested(300),
]
hostile: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(cast("list[Any]", NUMBERS)), st.sampled_from(TEXTS), st.sampled_from(SHAPES), st.text(max_size=20)
)  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a value with each of its keys."""
    found: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        each = stack.pop()
        inner: list[tuple[Any, Any]] = []
        if isinstance(each, dict):
            inner = list(cast("dict[Any, Any]", each).items())
        elif isinstance(each, list):
            inner = list(enumerate(cast("list[Any]", each)))
        for key, child in inner:
            found.append((cast("Any", each), key))
            if isinstance(child, dict | list):
                stack.append(child)
    return found


_COPIED = re.compile(r"id|reply|thread|parent|tmid|event|author|sender|user", re.IGNORECASE)


def exchanged(draw: st.DrawFn, value: Any) -> Any:
    """The value with some of its values taken away, doubled, copied to other places (ids that meet, replies in circles),
    or exchanged for hostile ones.
    """
    whole = _copy(value)
    for _ in range(draw(st.integers(0, 4))):
        all_places = places(whole)
        if not all_places:
            break
        holder, key = draw(st.sampled_from(all_places))
        change = draw(st.integers(0, 6))
        if change == 0:
            del holder[key]
        elif change == 1 and isinstance(holder, list):
            cast("list[Any]", holder).append(_copy(holder[key]))
        elif change in (2, 3):
            names = [place for place in all_places if isinstance(place[1], str) and _COPIED.search(place[1])]
            target, name = draw(st.sampled_from(names or all_places))
            other, named = draw(st.sampled_from(all_places))
            if isinstance(target, dict) or name < len(target):
                target[name] = _copy(other[named]) if (isinstance(other, dict) or named < len(other)) else None
        else:
            holder[key] = _copy(draw(hostile))  # what is drawn must not change
    return whole


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(each) for key, each in cast("dict[Any, Any]", value).items()}
    return [_copy(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


@st.composite
def hostile_exports(draw: st.DrawFn, name: str) -> Files:
    """An export of a format with hostile values in it."""
    build = draw(st.sampled_from(EXPORTS[name]))
    return build(lambda value: exchanged(draw, value))
