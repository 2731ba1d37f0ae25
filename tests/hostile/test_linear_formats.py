"""Hostile files of each format that others write take work in proportion to their length; `test_linear_time` says how that is seen."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from memd.connectors.formats.mail.dates import date_of
from memd.connectors.formats.mail.segments import segment_text
from memd.connectors.formats.telegram.html_message import _VIA  # pyright: ignore[reportPrivateUsage]
from memd.connectors.formats.telegram.html_nodes import _BLANKS  # pyright: ignore[reportPrivateUsage]
from memd.connectors.formats.transcripts.parser import _meet_title  # pyright: ignore[reportPrivateUsage]
from memd.tests.cases import for_each
from memd.tests.hostile.test_linear_time import (
    CPU_SECONDS,
    LARGE,
    Case,
    check_growth,
    check_time,
    file,
    numbered,
    repeated,
)

NOON = 1_705_320_000


def _listed(record: Callable[[int], object], size: int, around: Callable[[list[Any]], object]) -> Callable[[int], str]:
    """JSON of a list of records of about so many characters each."""
    return lambda length: json.dumps(around([record(n) for n in range(max(1, length // size))]))


def _lines(record: Callable[[int], object], size: int, before: str = "") -> Callable[[int], str]:
    return lambda length: before + "".join(json.dumps(record(n)) + "\n" for n in range(max(1, length // size)))


def _telegram(n: int) -> dict[str, Any]:
    """Each answers the one before it."""
    sent = {"id": n + 1, "type": "message", "date_unixtime": str(NOON + n), "from": f"P{n}", "from_id": f"user{n}"}
    return {**sent, "text": "hi", "reply_to_message_id": n}


def _chatgpt(messages: list[Any]) -> object:
    nodes = {
        str(n): {"message": each, "parent": str(n - 1), "children": [str(n + 1)]} for n, each in enumerate(messages)
    }
    return [{"id": "c", "title": "t", "mapping": nodes, "current_node": str(len(messages) - 1), "create_time": NOON}]


def _said(n: int) -> dict[str, Any]:
    return {"author": {"role": "user"}, "create_time": NOON + n, "content": {"content_type": "text", "parts": ["hi"]}}


def _slack(n: int) -> dict[str, Any]:
    """Answers to many threads, none of which is there."""
    return {"type": "message", "user": f"U{n}", "text": f"<@U{n}>", "ts": f"{NOON + n}.0001", "thread_ts": f"{NOON - n}.0001"}  # fmt: skip


MAIL = "From a@x Mon Jan 15 12:00:00 2024\nFrom: a@example.org\nDate: Mon, 15 Jan 2024 12:00:00 +0000\n"
SIGNAL = '{"version":"1","backupTimeMs":"1705320000000"}\n{"account":{"givenName":"Ann"}}\n{"recipient":{"id":"1","self":{}}}\n{"chat":{"id":"1","recipientId":"1"}}\n'
IRC = "--- Log opened Mon Jan 15 12:00:00 2024\n" + "".join(
    f"12:{n:02} <Ann> hi\n12:{n:02} <Bob> ho\n" for n in range(20)
)
SRT = "00:00:0{},000 --> 00:00:09,000\nAnn: hi\n\n"
ICS = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"
EVENT = "BEGIN:VEVENT\r\nUID:a#\r\nDTSTART:20240115T120000Z\r\nSUMMARY:x\r\nEND:VEVENT\r\n"

CASES: dict[str, Case] = {
    "telegram: a chain of answers": Case(
        _listed(_telegram, 130, lambda each: {"name": "c", "type": "private_group", "id": 1, "messages": each}),
        file("result.json"),
    ),
    "telegram: a page of open blocks": Case(
        repeated('<div class="message default clearfix" id="message1"><div class="body">', "<html><body>"),
        file("messages.html"),
    ),
    "google voice: messages in each other": Case(
        repeated(
            '<div class="message"><abbr class="dt" title="2024-01-15T12:00:00Z"></abbr><q>x',
            '<html><body><div class="hChatLog hfeed">',
        ),
        file("a.html"),
    ),
    "messenger: messages of one moment": Case(
        _listed(
            lambda n: {"sender_name": f"P{n}", "timestamp_ms": NOON * 1000, "content": "You left the group."},
            90,
            lambda each: {"participants": [{"name": "A"}], "messages": each, "title": "t", "thread_path": "inbox/t_1"},
        ),
        file("message_1.json"),
    ),
    "discord: the oldest last": Case(
        _listed(
            lambda n: {
                "id": str(n + 1),
                "type": "Default",
                "timestamp": f"{2400 - n % 400}-01-15T12:00:00+00:00",
                "content": "<@1>" * 9,
                "author": {"id": str(n), "name": f"u{n}"},
                "mentions": [{"id": "1", "name": "a"}],
            },
            230,
            lambda each: {
                "guild": {"id": "1"},
                "channel": {"id": "2", "type": "GuildTextChat", "name": "c"},
                "messages": each,
            },
        ),
        file("c.json"),
        small=16_000,
    ),
    "slack: answers to nothing": Case(_listed(_slack, 120, lambda each: each), file("2024-01-15.json")),
    "chatgpt: one path": Case(_listed(_said, 180, _chatgpt), file("conversations.json")),
    "claude: a chain of parents": Case(
        _listed(
            lambda n: {
                "uuid": f"m{n + 1}",
                "parent_message_uuid": f"m{n}",
                "sender": "human",
                "text": "hi",
                "content": [{"type": "text", "text": "hi"}],
            },
            150,
            lambda each: [{"uuid": "c", "name": "t", "created_at": "2024-01-15T12:00:00Z", "chat_messages": each}],
        ),
        file("conversations.json"),
    ),
    "signal: lines that are half an object": Case(repeated('{"a":"\n', SIGNAL), file("main.jsonl"), large=50_000),
    "signal: answers and reactions": Case(
        _lines(
            lambda n: {
                "chatItem": {
                    "chatId": "1",
                    "authorId": "1",
                    "dateSent": str(NOON * 1000 + n),
                    "incoming": {},
                    "standardMessage": {
                        "text": {"body": "\ufffc" * 9, "bodyRanges": [{"start": 1}] * 3},
                        "quote": {"targetSentTimestamp": str(NOON * 1000 + n)},
                    },
                }
            },
            300,
            SIGNAL,
        ),
        file("main.jsonl"),
    ),
    "google chat: dates of digits": Case(
        _listed(
            lambda n: {
                "creator": {"name": f"P{n}", "email": f"p{n}@example.org", "user_type": "Human"},
                "created_date": "1 2 3 " * 26,
                "text": "x",
                "topic_id": "t",
                "message_id": f"a/t/{n}",
            },
            330,
            lambda each: {"messages": each},
        ),
        file("messages.json"),
    ),
    "matrix: a chain of replies": Case(
        _listed(
            lambda n: {
                "type": "m.room.message",
                "event_id": f"$e{n + 1}",
                "sender": f"@p{n}:x.org",
                "origin_server_ts": NOON * 1000 + n,
                "room_id": "!r:x.org",
                "content": {
                    "msgtype": "m.text",
                    "body": "> " * 20,
                    "m.relates_to": {"m.in_reply_to": {"event_id": f"$e{n}"}},
                },
            },
            300,
            lambda each: {"room_name": "r", "room_creator": "@p0:x.org", "messages": each},
        ),
        file("export.json"),
    ),
    "mattermost: answers of one thread": Case(
        _lines(
            lambda n: {
                "type": "post",
                "post": {
                    "team": "t",
                    "channel": "c",
                    "user": f"u{n}",
                    "message": "@a " * 9,
                    "create_at": NOON * 1000 + n,
                    "replies": [{"user": "b", "message": "x", "create_at": NOON * 1000}] * 3,
                },
            },
            330,
            '{"type":"version","version":1}\n',
        ),
        file("import.jsonl"),
    ),
    "mail: separators": Case(repeated("From a@x Mon Jan 15 12:00:00 2024\n\n", MAIL), file("a.mbox")),
    "mail: deep quotes": Case(repeated(">", f"{MAIL}\n", "x\n"), file("a.mbox")),
    "mail: lines of quotes": Case(repeated("> > > x\n> x\n\n", f"{MAIL}\n"), file("a.mbox")),
    "mail: who wrote when": Case(repeated("On Mon, Jan 15, 2024 at 12:00 PM Ann\n", f"{MAIL}\n"), file("a.mbox")),
    "mail: parts in parts": Case(
        numbered('Content-Type: multipart/mixed; boundary="b#"\n\n--b#\n', MAIL), file("a.mbox"), large=100_000
    ),
    "mail: boundaries": Case(
        repeated("--b\n\n", f"{MAIL}Content-Type: multipart/mixed; boundary=b\n\n"), file("a.mbox")
    ),
    "mail: references": Case(repeated("<a@b> ", f"{MAIL}References: ", "\n\nx\n"), file("a.mbox")),
    "mail: encoded words": Case(repeated("=?utf-8?q?a?= ", f"{MAIL}Subject: ", "\n\nx\n"), file("a.mbox")),
    "mail: signatures": Case(repeated("-- \nAnn\n", f"{MAIL}\n"), file("a.mbox")),
    "calendar: folded lines": Case(repeated("\r\n x", f"{ICS}BEGIN:VEVENT\r\nSUMMARY:"), file("a.ics")),
    "calendar: events in events": Case(repeated("BEGIN:VEVENT\r\n", ICS), file("a.ics")),
    "calendar: many events": Case(numbered(EVENT, ICS), file("a.ics")),
    "transcript: cues of one moment": Case(
        lambda length: "".join(f"{n}\n{SRT.format(1)}" for n in range(length // 45)), file("a.srt")
    ),
    "transcript: tags without end": Case(repeated("<v Ann", "WEBVTT\n\n00:00.000 --> 00:01.000\n"), file("a.vtt")),
    "transcript: arrows": Case(repeated("00:00.000 --> ", "WEBVTT\n\n"), file("a.vtt")),
    "irc: marks of colours": Case(repeated("\x03", IRC + "12:00 <Ann> "), file("#chan.log")),
    "irc: lines without stamp": Case(repeated("12:00 <Ann> hi\n" * 9 + "x\n", IRC), file("#chan.log")),
    "line: lines of no message": Case(
        repeated(
            "x\n", "[LINE] Chat history with Bob\nSaved on: 1/15/2024, 12:00\n\n2024/01/15(Mon)\n12:00\tAnn\thi\n"
        ),
        file("[LINE]Chat.txt"),
    ),
    "kakaotalk: lines of no message": Case(
        repeated(
            "x\n",
            "Bob 님과 카카오톡 대화\n저장한 날짜 : 2024-01-15 12:00:00\n\n--------------- 2024년 1월 15일 월요일 ---------------\n[Ann] [오후 12:00] hi\n",
        ),
        file("KakaoTalk.txt"),
    ),
    "qq: lines of no message": Case(
        repeated(
            "x\n",
            "消息记录（此消息记录为文本格式，不支持重新导入）\n\n================\n消息分组:a\n================\n消息对象:b\n================\n\n2024-01-15 12:00:00 Ann(123456)\nhi\n\n",
        ),
        file("a.txt"),
    ),
    "page: open elements": Case(repeated("<div><p>x", "<!DOCTYPE html><html><body>"), file("a.html")),
    "page: open comments": Case(repeated("<!--", "<!DOCTYPE html><html><body>"), file("a.html")),
    "evernote: notes without end": Case(
        repeated(
            "<note><title>x</title><content>",
            '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE en-export SYSTEM "x"><en-export>',
        ),
        file("a.enex"),
    ),
    "x: posts that answer each other": Case(
        lambda length: (
            "window.YTD.tweets.part0 = "
            + json.dumps(
                [
                    {
                        "tweet": {
                            "id_str": str(n + 1),
                            "created_at": "Mon Jan 15 12:00:00 +0000 2024",
                            "full_text": "hi",
                            "in_reply_to_status_id_str": str(n),
                        }
                    }
                    for n in range(length // 130)
                ]
            )
        ),
        file("tweets.js"),
    ),
    "code: definitions": Case(numbered("def f#():\n    return 1\n"), file("a.py")),
}

pytestmark = pytest.mark.slow


@for_each(CASES)
def test_twice_the_file_takes_twice_the_steps(name: str) -> None:
    """Counted in lines of Python."""
    case = CASES[name]
    assert isinstance(case.run(case.make(case.small)), int), "not recognised"
    check_growth(case)


@for_each(CASES)
def test_a_long_file_is_done_with_in_time(name: str) -> None:
    """The work inside of regular expressions and copies, which are one step each."""
    case = CASES[name]
    text = case.make(min(case.large, LARGE))
    check_time(lambda: case.run(text), CPU_SECONDS)


BLANKS = " " * LARGE
MEET = "Weekly" + BLANKS + "x\n00:00:00\n\nAnn: hi\nBob: ho\n"
NAMED = '<div class="message default clearfix" id="message1"><div class="body"><div class="from_name">Ann{}x</div><div class="text">hi{}x</div></div></div>'
RUNS: dict[str, Callable[[], object]] = {
    "mail: a date": lambda: date_of(f"1 Jan 2020 10:00{BLANKS}x"),
    "mail: a comment behind a date": lambda: date_of(f"1 Jan 2020 10:00 ({BLANKS}\n{BLANKS}x"),
    "mail: a line before a quoted one": lambda: segment_text(f"Hi\n\nAnn:{BLANKS}x\n> quoted\n> too\n"),
    "mail: lines of stars": lambda: segment_text(f"{'*' * 190}x\n" * (LARGE // 192)),
    "gemini: a prompt": lambda: file("MyActivity.json")(
        json.dumps(
            [
                {
                    "header": "Gemini Apps",
                    "title": f"Prompted a{BLANKS}b",
                    "time": "2024-01-15T12:00:00.000Z",
                    "products": ["Gemini Apps"],
                }
            ]
        )
    ),
    "telegram: a name": lambda: _VIA.search(f"Ann{BLANKS}x"),
    "telegram: a text of a page": lambda: _BLANKS.sub("", f"a{BLANKS}b"),
    "transcripts: the title of a meeting": lambda: _meet_title(f"Weekly{BLANKS}x"),
}


@for_each(RUNS)
def test_a_long_run_of_blanks_or_signs_is_read_once(name: str) -> None:
    """Not again from each of its places, which takes minutes."""
    check_time(RUNS[name], CPU_SECONDS)
