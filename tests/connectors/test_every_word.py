"""Of every format: each word of its samples is in a document, a notice or a rejection, or is declared not to be one."""

from __future__ import annotations

import json
from typing import cast

from memd.schemas import Notice, Rejected
from memd.tests.cases import for_each
from memd.tests.connectors.telegram.exports import OPTIONS
from memd.tests.connectors.written_words import WORD, words_in
from memd.tests.contracts.connector import Shelf
from memd.tests.fuzz.contract_samples import samples_by_format

PROGRAM = "what the program writes around messages"
SILENT = "people and chats without a message, accounts"
LINKS = "where the program keeps a file or a picture"
LEFT_OUT: dict[str, dict[str, str]] = {
    "bear": {PROGRAM: "app applications net shinyfrog"},
    "calendar": {"an alarm": "alarm"},
    "chatgpt": {"another version of an answer, which a notice counts": "lübeck"},
    "claude": {SILENT: "ann example org", PROGRAM: "human"},
    "claude_code": {"what the program does not show, which a notice counts": "aside caveat"},
    "codex": {
        "what the program does not show, which a notice counts": "context environment linux",
        PROGRAM: "ann cli home",
    },
    "discord": {
        LINKS: "avatars cdn com discordapp example https org png",
        PROGRAM: "channel direct exported guild message with",
    },
    "evernote": {"a picture": "vjcmv", PROGRAM: "cdata completed image"},
    "gemini_cli": {"what the program does not show, which a notice counts": "changed jib"},
    "gemini": {
        PROGRAM: "activity apps com google https jan models products prompted utc",
        "what is no chat, or was never sent, which a notice counts": "and film watched youtube",
    },
    "google_chat": {SILENT: "example org", "a date in words": "january monday utc"},
    "google_keep": {PROGRAM: "amp weblink", "a page that repeats its note": "jan ropes see"},
    "google_voice": {PROGRAM: "com deleted eastern false for from http inbox log www", "a date in words": "jan"},
    "grok": {PROGRAM: "human"},
    "html": {
        "headers of a web archive": "boundary charset date encoding from jan location mime mon multipart printable quoted related snapshot transfer utf version"
    },
    "imessage": {SILENT: "cleo example org sailing"},
    "instagram": {LINKS: "activity messages photos your"},
    "irc": {
        PROGRAM: "begin changed close closed day dec ending ident jan logging mon opened sat session start sun tue",
        "the other reading of an old encoding": "naã",
    },
    "joplin": {
        PROGRAM: "completed conflict deleted image language latitude longitude markup mime note parent tag time"
    },
    "kakaotalk": {
        PROGRAM: "date february may message november saved talk with 금요일 일요일 저장한 카카오톡 토요일 화요일",
        "the user": "you 회원님",
    },
    "line": {PROGRAM: "tuesday wednesday 保存日時 花子とのトーク履歴"},
    "mail": {
        "headers and marks of the mailbox": "apr charset date dict encoding flags gone integer key list live message mime path plain plist received return rome tue type unsubscribe utf version wed xml you",
        "the other reading of an old encoding": "voilã",
    },
    "mattermost": {SILENT: "builder example org"},
    "messenger": {LINKS: "bobaker", "the mended encoding": "rld zoã"},
    "notes": {
        "settings of an editor, hidden files and templates": "collapsed created embed gone meta old true version"
    },
    "notion": {"a page's number": "b" * 32},
    "openwebui": {"another version of an answer, which a notice counts": "bend"},
    "pidgin": {PROGRAM: "cest home oct okt tue with"},
    "qq": {
        PROGRAM: "com example file https org qqchatexporter qq聊天记录导出文件 不支持重新导入 个文件 发送者id 导出完成 导出时间 总计导出"
        " 我的好友 我的群聊 条消息 此消息记录为文本格式 消息分组 消息对象 消息记录 管理员 系统消息 聊天名称 聊天类型",
    },
    "rocketchat": {
        SILENT: "address baker bot builder emails example org",
        PROGRAM: "fname msg msgs name rid roles services username usernames userscount ºÿÿ",
    },
    "signal": {
        SILENT: "cleo crew ererererqrgberererereq iiiiiiiiqikciiiiiiiiig",
        PROGRAM: "android tra",
        "a page that repeats the chat": "kiel moors",
    },
    "slack": {SILENT: "berlin deploy europe", LINKS: "com https png"},
    "sms_backup": {PROGRAM: "smil"},
    "teams": {SILENT: "example org"},
    "telegram": {
        PROGRAM: "all and channels css data doesn export free here january lists page remember requested style supergroups this use you your"
    },
    "transcripts": {PROGRAM: "aaaaaaaa after amp direct duration ended everyone gmt loud meeting message note webvtt"},
    "wechat": {
        PROGRAM: "emoji images more msg src 未知类型 系统消息 系统通知 链接分享",
        "accounts, in whose place their names stand": "chatroom wxid",
    },
    "x": {PROGRAM: "app", "a date in words": "jan mon"},
    "zulip": {SILENT: "bot builder com example notification org"},
}
"""By format, the words of its samples that memd leaves out, by the reason."""


def _qq(*elements: dict[str, object]) -> bytes:
    sender = {"uin": "20", "uid": "u_20", "name": "Xiao Lin"}
    content: dict[str, object] = {"text": "", "elements": elements, "resources": []}
    said: dict[str, object] = {"id": "q1", "timestamp": 1_700_000_000_000, "sender": sender, "content": content}
    info = {"name": "Xiao Lin", "selfUin": "10"}
    return json.dumps({"metadata": {"name": "QQChatExporter"}, "chatInfo": info, "messages": [said]}).encode()


INVITATION = b"""From: Bob <bob@example.org>
To: Ann Lee, root
Subject: launch
Date: Mon, 7 Apr 2025 14:31:00 +0000
Content-Type: text/calendar

BEGIN:VEVENT
SUMMARY:Launch of the wren
LOCATION:Pier, Genoa
DESCRIPTION:Bring bottles
END:VEVENT
"""
RICHER: dict[str, dict[str, bytes]] = {
    "qq": {
        "a.json": _qq(
            {
                "type": "forward",
                "data": {"title": "Quoted", "messages": [{"sender": {"name": "Otto"}, "content": {"text": "mill"}}]},
            },
            {
                "type": "json",
                "data": {"title": "Hut", "description": "forty", "content": '{"meta": {"news": {"desc": "lakeside"}}}'},
            },
            {"type": "markdown", "data": {"content": "**gather** early"}},
            {"type": "reply", "data": {"messageId": "q0", "content": "anybody home"}},
        )
    },
    "claude": {
        "d.json": json.dumps(
            {
                "uuid": "d1",
                "title": "Sloop",
                "project": {"name": "Fleet"},
                "messages": [
                    {
                        "role": "user",
                        "content": {"content": "Draw", "authorAccountUuid": "x", "timestamp": "2024-01-15T12:00:00Z"},
                    },
                    {
                        "role": "assistant",
                        "content": {"contentBlocks": [{"type": "user_interjection", "message": "Make blue"}]},
                    },
                ],
            }
        ).encode()
    },
    "mail": {"a.eml": INVITATION},
    "transcripts": {
        "Weekly.txt": b"2026-02-03\n\nWeekly - Transcript\n\nTranscript\n\nCleo Smith: Early words.\n00:05:00\nBob: Later.\n"
    },
    "html": {
        "b.html": b'<!doctype html><html><body><p>See <a href="https://example.org/offer">there</a></p></body></html>'
    },
    "google_chat": {
        "Groups/Space A/messages.json": json.dumps(
            {
                "messages": [
                    {
                        "creator": {"name": "Cleo"},
                        "updated_date": "Monday, January 15, 2024 at 12:01:05 PM UTC",
                        "created_date": "",
                        "text": "amended",
                        "message_id": "a/b/b",
                        "topic_id": "b",
                    }
                ]
            }
        ).encode()
    },
}
"""Files with records within records, which the samples, of a few hundred bytes, do not have."""


def told_words(name: str) -> tuple[set[str], set[str]]:
    """The words of a format's samples, and those that reading them tells."""
    connector, samples = samples_by_format()[name]
    written: set[str] = set()
    read: set[str] = set()
    for files in [*samples, *([RICHER[name]] if name in RICHER else [])]:
        words = set[str]().union(*(words_in(file, data) for file, data in files.items()))
        texts = list(files)  # the name of a file is no word in it
        for record in connector.read(Shelf("x", files), OPTIONS):
            if isinstance(record, Notice | Rejected):
                texts.append(f"{record.locator} {record.hint if isinstance(record, Notice) else record.reason}")
            else:
                texts += _strings(json.loads(record.to_json()))
        told = {word.casefold() for text in texts for word in WORD.findall(text)}
        written |= words - told
        read |= told & words
    return written, read


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value).items()
        return [text for pair in pairs for each in pair for text in _strings(each)]
    if isinstance(value, list):
        return [text for each in cast("list[object]", value) for text in _strings(each)]
    return [value] if isinstance(value, str) else []


@for_each(sorted(samples_by_format()))
def test_each_word_is_accounted_for(name: str) -> None:
    """And what is declared to be left out is still so."""
    declared = {word for words in LEFT_OUT.get(name, {}).values() for word in words.split()}
    missing, _ = told_words(name)
    assert missing == declared, (sorted(missing - declared), sorted(declared - missing))
