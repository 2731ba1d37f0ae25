"""Chats of Teams and Skype: both layouts, every kind of message, overlap, damage."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.connectors.connector import Connector
from memd.connectors.formats.teams.connector import TeamsConnector
from memd.schemas import Rejected
from memd.tests.connectors.teams.exports import (
    ANN,
    ANN_ID,
    ANNA,
    BO,
    BOB,
    CHANNEL,
    OPTIONS,
    PAIR,
    TEAM,
    USERS,
    codes,
    documents,
    graph,
    history,
    messages,
    read,
    rejected,
    skype,
    written,
)
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf
from memd.tests.effort import examples
from memd.tests.memory.test_merge import after, contents


class TestContract(ConnectorContract):
    """The suite."""

    readers = (
        "teams.skype_message:SkypeReader.read",
        "teams.graph_message:GraphReader.read",
    )
    download = Download(
        "the gangway needs new paint",
        {"messages.json": written(history(skype(1, BO, "The gangway needs new paint"))), "endpoints.json": b"{}"},
        "8_live_ann_export.zip",
    )

    @pytest.fixture
    def connector(self) -> Connector:
        """Teams's."""
        return TeamsConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A history, and an organisation's folder."""
        return {
            "history": {"messages.json": written(history(skype(1, ANN, "hello"), skype(2, BO, "yes")))},
            "organisation": {
                "users/usersList.json": written(USERS),
                "users/1/messages_1.json": written([graph(1, ANNA, "<p>hello</p>"), graph(2, BOB, "<p>yes</p>")]),
            },
        }


def test_a_history_is_days_of_messages() -> None:
    """The newest message stands first in the file; the export names the user by the account."""
    records = read({"messages.json": history(skype(1, ANN, "a &lt; b &amp; c"), skype(2, BO, "one\ntwo"))})
    (day,) = documents(records)
    assert (day.id, day.metadata["title"]) == ("teams:8:bo:2024-01-15", "Bo Baker")
    assert (day.conversation.user, day.conversation.people) == ("live:ann", ("live:ann", "Bo Baker"))
    assert [(m.speaker, m.content) for m in day.messages] == [("live:ann", "a < b & c"), ("Bo Baker", "one\ntwo")]
    assert day.messages[0].time.isoformat() == "2024-01-15T12:01:00.123000+00:00"
    assert (day.messages[0].id, day.messages[0].zone_origin) == ("1705320060000", "explicit")
    assert codes(records) == []


QUOTE = (
    '<quote author="bo" authorname="Bo Baker" timestamp="1" conversation="8:bo" messageid="77" cuid="1">'
    "<legacyquote>[1] Bo: </legacyquote>are you there?<legacyquote>\n\n&lt;&lt;&lt; </legacyquote></quote>yes "
    '<ss type="smile">:)</ss> <at id="8:bo">Bo</at>'
)


def test_quotes_edits_reactions_and_marks_of_skype() -> None:
    """What is quoted is a segment, and not the speaker's words."""
    emotions = [{"key": "heart", "users": [{"mri": BO, "time": 1, "value": "x"}]}]
    records = read(
        {
            "messages.json": history(
                skype(1, ANN, QUOTE, emotions=json.dumps(emotions)),
                skype(2, ANN, 'new words<e_m ts="1705320200" ts_ms="1705320200000" a="live:ann" t="61"/>'),
                skype(3, BO, "", deletetime="1705320300000"),
                skype(4, ANN, "gone", edittime="1705320400000"),
            )
        }
    )
    answer, edited, deleted, other = messages(records)
    assert answer.content == "are you there?\nyes :) Bo"
    assert [(s.kind, answer.content[s.start : s.end]) for s in answer.segments] == [("quote", "are you there?")]
    assert (answer.reply_to, [(r.emoji, r.people) for r in answer.reactions]) == ("77", [("heart", ("Bo Baker",))])
    assert (edited.content, edited.edited) == ("new words", True)
    assert edited.edited_at is not None
    assert edited.edited_at.isoformat() == "2024-01-15T12:03:20+00:00"
    assert (deleted.kind, deleted.content, deleted.deleted) == ("deleted", "[deleted message]", True)
    assert other.edited_at is not None


def test_everything_else_that_skype_knows() -> None:
    """Calls, files, places, contacts, events of groups, and what nobody knows."""
    records = read(
        {
            "messages.json": history(
                skype(1, ANN, '<partlist type="ended" alt="" callId="1"><part identity="bo"><name>Bo</name><duration>61.5</duration></part></partlist>', "Event/Call"),
                skype(2, BO, '<URIObject type="Picture.1" uri="x"><OriginalName v="boat.jpg"/><FileSize v="7"/></URIObject>', "RichText/UriObject"),
                skype(3, BO, '<location isUserLocation="0" latitude="-20297700" longitude="57479900" address="Port">x</location>', "RichText/Location"),
                skype(4, BO, '<contacts alt="x"><c t="s" s="live:cy" f="Cy"/></contacts>', "RichText/Contacts"),
                skype(5, BO, "<addmember><initiator>8:bo</initiator><target>8:live:ann</target></addmember>", "ThreadActivity/AddMember"),
                skype(6, BO, "x", "Brand/New"),
                skype(7, BO, "<div><p>two &amp; <b>three</b></p></div>", "RichText/Html"),
                skype(8, BO, "a < b", "Text"),
                skype(9, BO, '<scheduledcallinvite duration="60" startTime="x" title="Boats &amp; tea" />', "RichText/ScheduledCallInvite"),
            )
        }
    )  # fmt: skip
    found = messages(records)
    assert [(m.kind, m.content) for m in found] == [
        ("call", "[call ended]"), ("media", "[photo]"), ("location", "Port"), ("contact", "Cy"),
        ("system", "Bo Baker: add member: live:ann"), ("unknown", "x"), ("text", "two & three"), ("text", "a < b"),
        ("call", "[call: Boats & tea]"),
    ]  # fmt: skip
    assert found[0].metadata["duration_s"] == "62"
    assert (found[1].attachments[0].name, found[1].attachments[0].size) == ("boat.jpg", 7)
    assert (found[2].metadata["place"], found[4].speaker) == ("-20.297700,57.479900", "(system)")
    assert codes(records) == ["content-unknown"]


def test_files_of_skypes_export_are_named_by_their_ids() -> None:
    """Those that the export has are not missing."""
    uri = "https://api.asm.skype.com/v1/objects/0-weu-d1-"
    files = history(*(skype(n, BO, f'<URIObject uri="{uri}{n}" type="Picture.1">x</URIObject>', "RichText/UriObject") for n in (1, 2)))  # fmt: skip
    shelf = Shelf("x", {"messages.json": written(files), "media/0-weu-d1-1.1.jpg": b"x"})
    found = messages(list(TeamsConnector().read(shelf, OPTIONS)))
    assert [each.missing for m in found for each in m.attachments] == [False, True]


def organisation(*given: dict[str, Any]) -> dict[str, Any]:
    """An organisation's folder."""
    return {
        "teams/teamsList.json": [{"Name": "Crew", "Privacy": "Public", "GroupsId": TEAM}],
        f"teams/{TEAM}/channels_{TEAM}.json": [{"Id": CHANNEL, "DisplayName": "harbour", "MembershipType": "standard"}],
        "users/usersList.json": USERS,
        "users/1/messages_1.json": list(given),
    }


def test_an_organisation_is_chats_and_channels() -> None:
    """One chat of two people lies in the files of both, and is read once."""
    told = graph(3, ANNA, "<p>ship</p>", ChatId=None, ChannelIdentity={"TeamId": TEAM, "ChannelId": CHANNEL}, ReplyToId="9", Subject="News")  # fmt: skip
    files = organisation(graph(1, ANNA, "<p>hi</p>"), graph(2, BOB, "<p>ho</p>"), told)
    records = read({**files, "users/2/messages_2.json": [graph(1, ANNA, "<p>hi</p>")]}, replace(OPTIONS, me="ann@example.org"))  # fmt: skip
    days = {day.id: day for day in documents(records)}
    assert set(days) == {f"teams:{PAIR}:2024-01-15", f"teams:{CHANNEL}:2024-01-15"}
    pair, channel = days[f"teams:{PAIR}:2024-01-15"], days[f"teams:{CHANNEL}:2024-01-15"]
    assert (pair.metadata["title"], channel.metadata["title"]) == ("Ann Archer, Bo Baker", "Crew / harbour")
    assert [m.content for m in pair.messages] == ["hi", "ho"]
    assert (channel.messages[0].thread, channel.messages[0].content) == ("9", "News\n\nship")
    assert {day.conversation.user for day in days.values()} == {"Ann Archer"}
    assert codes(records) == []


def test_what_messages_of_graph_hold() -> None:
    """Mentions, emoji, quotes, answers, forwards, files, cards, reactions, events, programs; keys in either spelling."""
    forward = {"originalMessageContent": "<p>ahoy</p>", "originalMessageSender": {"user": {"id": BOB[0], "displayName": None}}}  # fmt: skip
    card = {"type": "AdaptiveCard", "body": [{"type": "TextBlock", "text": "Build 7 failed"}]}
    user = {"User": {"User": {"Id": BOB[0], "DisplayName": None}}}
    small: dict[str, Any] = {"id": "1", "body": {"contentType": "text", "content": "<raw>"}, "createdDateTime": "2024-01-15T12:09:00Z", "from": {"user": {"id": ANN_ID, "displayName": "Ann Archer"}}, "chatId": PAIR, "messageType": "message", "attachments": []}  # fmt: skip
    records = read(
        organisation(
            graph(1, ANNA, '<div><p><at id="0">Bo</at>&nbsp;see <emoji id="x" alt="👀" title="Eyes"></emoji></p><blockquote><p>old</p></blockquote><p>new</p></div>'),
            graph(2, BOB, '<attachment id="5"></attachment><p>aye</p>', Attachments=[{"Id": "5", "ContentType": "messageReference", "Content": json.dumps({"messageId": "5", "messagePreview": "x"})}]),
            graph(3, ANNA, "<p>look</p>", Attachments=[{"Id": "6", "ContentType": "forwardedMessageReference", "Content": json.dumps(forward)}]),
            graph(4, ANNA, "", Attachments=[{"ContentType": "reference", "Name": "plan.docx", "ContentUrl": "x"}]),
            graph(5, None, "", From={"User": None, "Application": {"Id": "b", "DisplayName": "Builder"}}, Attachments=[{"ContentType": "application/vnd.microsoft.card.adaptive", "Content": json.dumps(card)}]),
            graph(6, None, "<systemEventMessage/>", MessageType="unknownFutureValue", EventDetail={"Initiator": user["User"], "MembersAdded": [{"Id": ANN_ID}], "EventType": None}),
            graph(7, ANNA, "<p>x</p>", Reactions=[{"ReactionType": "like", **user}], LastEditedDateTime="2024-01-15T13:00:00Z", Importance="urgent"),
            graph(8, BOB, "", DeletedDateTime="2024-01-15T13:00:00Z"),
            small,
        )
    )  # fmt: skip
    quote, answer, forwarded, file, program, event, marked, deleted, raw = messages(records)
    assert quote.content == "Bo\xa0see 👀\n\nold\n\nnew"
    assert [(s.kind, quote.content[s.start : s.end]) for s in quote.segments] == [("quote", "old")]
    assert (answer.content, answer.reply_to) == ("aye", "5")
    assert (forwarded.content, forwarded.forwarded_from) == ("look\n\nahoy", "Bo Baker")
    assert [(s.kind, s.start) for s in forwarded.segments] == [("forward", 6)]
    assert (file.kind, file.attachments[0].name) == ("media", "plan.docx")
    assert (program.role, program.speaker, program.content) == ("tool", "Builder", "Build 7 failed")
    assert (event.kind, event.speaker, event.content) == ("system", "(system)", "Bo Baker: members added: Ann Archer")
    assert [(r.emoji, r.people) for r in marked.reactions] == [("like", ("Bo Baker",))]
    assert (marked.priority, marked.edited) == ("urgent", True)
    assert (deleted.kind, deleted.deleted, raw.content) == ("deleted", True, "<raw>")


def test_a_later_export_adds_what_is_new() -> None:
    """Edits and deletions supersede; once more, nothing changes."""
    first = documents(read({"m.json": history(skype(1, ANN, "one"), skype(2, BO, "tow"), skype(3, BO, "secret"))}))
    later = documents(
        read({"m.json": history(skype(1, ANN, "one"), skype(2, BO, "two", edittime="1705320200000"), skype(3, BO, ""), skype(4, BO, "one"))})
    )  # fmt: skip
    stored = after(*first, *later, *later)
    assert contents(stored) == ["one", "two", "[deleted message]", "one"]
    assert [[e.content for e in row.message.edits] for row in stored.messages][1:3] == [["tow"], ["secret"]]


def test_a_broken_message_costs_itself() -> None:
    """In both layouts."""
    data = written(history(skype(1, ANN, "a"), skype(2, BO, "b"), skype(3, ANN, "c")))
    records = read({"m.json": data.replace(b'"content": "b"', b'"content": "b')})
    assert [m.content for m in messages(records)] == ["a", "c"]
    assert len(rejected(records)) == 1
    data = written([graph(1, ANNA, "a"), graph(2, BOB, "b"), graph(3, ANNA, "c")])
    records = read({"m.json": data.replace(b'"Content": "b"', b'"Content": "b')})
    assert [m.content for m in messages(records)] == ["a", "c"]
    assert len(rejected(records)) == 1


OTHERS: list[Any] = [
    {"messages": [{"sender_name": "A", "timestamp_ms": 1, "content": "x"}], "participants": []},
    {"conversations": [{"conversation": {"id": "x"}, "events": []}]},
    [{"id": "1", "body": "x", "from": "y"}],
]


@pytest.mark.parametrize("other", OTHERS)
def test_other_formats_are_not_recognised(other: object) -> None:
    """JSON of others that has conversations, too."""
    assert TeamsConnector().sniff(Shelf("x", {"messages.json": written(other)})) < 0.5


KEYS = [
    "content",
    "Content",
    "ContentType",
    "User",
    "Id",
    "DisplayName",
    "key",
    "users",
    "mri",
    "Name",
    "poll",
    "edittime",
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=8)
    | st.sampled_from(["\0", "(system)", "(me)", "[1]", "<quote>", "<p>x</p>", '{"a":1}', "9" * 30]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
SKYPE = ["id", "displayName", "originalarrivaltime", "messagetype", "content", "from", "properties"]
GRAPH = ["Id", "Body", "CreatedDateTime", "Subject", "From", "Attachments", "Reactions", "EventDetail", "ReplyToId"]


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    fields=st.dictionaries(st.sampled_from(SKYPE), VALUES, max_size=5),
    more=st.dictionaries(st.sampled_from(GRAPH), VALUES, max_size=5),
    kind=st.sampled_from(["RichText", "Poll", "Event/Call", "RichText/Html", "ThreadActivity/AddMember", "Text"]),
)
def test_wrong_types_are_no_exception(fields: dict[str, Any], more: dict[str, Any], kind: str) -> None:
    """Whatever stands where a text or an object should be: each message is kept or rejected."""
    for records in (
        read({"m.json": history(skype(1, ANN, "a"), {**skype(2, BO, "x", kind), **fields}, skype(3, ANN, "b"))}),
        read({"m.json": [graph(1, ANNA, "a"), {**graph(2, BOB, "x"), **more}, graph(3, ANNA, "b")]}),
    ):
        found = [m.content for m in messages(records)]
        assert {"a", "b"} <= set(found)
        lost = len([each for each in records if isinstance(each, Rejected)])
        assert len(found) + lost + codes(records).count("duplicate-message") == 3


def test_addresses_behind_words_are_kept() -> None:
    """Where a link leads, once each; not what its words say themselves."""
    words = (
        'see <a href="https://example.org/x?a=1&amp;b=2">this</a> and <a href="https://example.org/">example.org</a>'
    )
    files = {
        "graph": {"teams/messages_p.json": [graph(0, ANNA, f"<p>{words}</p>")], "users/usersList.json": USERS},
        "skype": {"messages.json": history(skype(0, BO, words), skype(1, BO, f"<p>{words}</p>", "RichText/Html"))},
    }
    for records in map(read, files.values()):
        found = messages(records)
        assert {each.content for each in found} == {"see this and example.org"}
        assert {each.metadata["links"] for each in found} == {'["https://example.org/x?a=1&b=2"]'}
