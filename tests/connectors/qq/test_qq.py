"""QQ: text of one chat and of a whole account, names that change, the old encoding, JSON of QQChatExporter, overlap."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.formats.qq import labelled_text
from memd.connectors.formats.qq.connector import QQConnector
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.detection import choose
from memd.connectors.text import chat_lines
from memd.connectors.text.chat_lines import TOO_LONG
from memd.schemas import SYSTEM_SPEAKER
from memd.tests.cases import for_each
from memd.tests.connectors.discord.test_overlap import merged, one
from memd.tests.connectors.text_exports import BERLIN, codes, documents, messages, read, rejected, shelf, told
from memd.tests.contracts.connector import ConnectorContract, Download, Samples

RULE = "=" * 64
TEXT = f"""\ufeff消息记录（此消息记录为文本格式，不支持重新导入）\r
\r
{RULE}\r
消息分组:我的群聊\r
{RULE}\r
消息对象:湖之仆从\r
{RULE}\r
\r
2019-09-23 8:43:38 PM 骰娘-Roll100(87200175)\r
1\r
\r
2019-09-23 8:43:38 PM 系统消息(10000)\r
x加入本群。\r
\r
2019-09-23 8:44:09 PM 【管理员】Al(1000801)\r
3\r
2024-01-02 4\r
\r
=====\r
\r
2019-09-23 8:45:00 PM Alan(1000801)\r
[图片]\r
\r
{RULE}\r
消息分组:我的好友\r
{RULE}\r
消息对象:Victor.Woo\r
{RULE}\r
\r
2010-01-06 16:57:28 Victor.Woo\r
http://x\r
\r
2010-05-27 12:29:35 土豆<example@xx.com>\r
\r
"""


def export(*listed: dict[str, Any]) -> str:
    """A file of QQChatExporter."""
    info = {"name": "小林", "type": "private", "selfUin": "10", "selfName": "我", "peerUid": "u_20"}
    return json.dumps({"metadata": {"name": "QQChatExporter V5"}, "chatInfo": info, "messages": listed, "avatars": {}})


def message(number: int, text: str, **more: Any) -> dict[str, Any]:
    """One of its messages."""
    sender = {"uin": "20", "uid": "u_20", "name": "小林"}
    content: dict[str, Any] = {"text": text, "elements": [], "resources": []}
    return {
        "id": f"q{number}",
        "timestamp": 1_700_000_000_000 + number * 1000,
        "sender": sender,
        "content": content,
    } | more


JSON = export(
    message(1, "你来了"),
    message(
        2, "", content={"text": "[图片: a.png]", "resources": [{"type": "image", "filename": "a.png", "size": 12}]}
    ),
    message(
        3,
        "",
        sender={"uin": "10", "name": "Me"},
        timestamp="2023-11-15T06:14:20.000Z",
        content={"text": "yes", "elements": [{"type": "reply", "data": {"referencedMessageId": "q1"}}]},
    ),
    message(4, "gone", recalled=True),
    message(5, "joined", system=True),
)


PIECE = "".join(json.dumps(message(n, f"words {n}"), ensure_ascii=False) + "\n" for n in range(4))


class TestContract(ConnectorContract):
    """What every connector keeps."""

    readers = (
        "qq.json_export:_read",
        "qq.text_export:_said",
        "qq.labelled_text:_said",
    )
    download = Download(
        "the ping pong table is broken",
        {
            "qq.txt": (
                "消息记录（此消息记录为文本格式，不支持重新导入）\n消息对象:Cleo\n\n"
                "2024-01-15 10:04:00 Cleo(12345678)\nThe ping pong table is broken\n\n"
            ).encode()
        },
    )

    @pytest.fixture
    def connector(self) -> QQConnector:
        """The connector."""
        return QQConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """Text, text of QQChatExporter, and JSON."""
        return {
            "text": {"全部消息记录.txt": TEXT.encode()},
            "labelled": {"chat.txt": LABELLED.replace("25:00:00", "00:04:00").encode()},
            "json": {"a.json": JSON.encode()},
            "pieces": {"x/chunks/chunk_0001.jsonl": PIECE.encode()},
        }


def test_text_of_a_whole_account() -> None:
    """Each chat is one; who changes the name stays the same by the number."""
    records = read(QQConnector(), TEXT)
    assert told(records) == [
        ("2019-09-23T20:43:38+02:00", "骰娘-Roll100", "text", "1"),
        ("2019-09-23T20:43:38+02:00", SYSTEM_SPEAKER, "system", "x加入本群。"),
        ("2019-09-23T20:44:09+02:00", "Alan", "text", "3\n2024-01-02 4\n\n====="),
        ("2019-09-23T20:45:00+02:00", "Alan", "media", "[图片]"),
        ("2010-01-06T16:57:28+01:00", "Victor.Woo", "text", "http://x"),
        ("2010-05-27T12:29:35+02:00", "土豆", "unknown", "[message without text]"),
    ]
    assert [d.id for d in documents(records)] == [
        "qq:湖之仆从:2019-09-23",
        "qq:Victor.Woo:2010-01-06",
        "qq:Victor.Woo:2010-05-27",
    ]
    assert messages(records)[2].metadata == {"name": "Al"}
    assert (codes(records), rejected(records)) == (["user-unknown"], [])
    assert documents(read(QQConnector(), TEXT, me="1000801"))[0].conversation.user == "Alan"
    assert codes(read(QQConnector(), TEXT, me="Bo", chat="One")) == ["chat-ignored", "user-not-seen"]
    assert told(read(QQConnector(), TEXT.removeprefix("\ufeff").encode("gb18030"))) == told(records)


def test_json() -> None:
    """Ids, answers, files, what was taken back and what QQ says; who exported is told."""
    records = read(QQConnector(), JSON)
    assert sorted(told(records)) == [
        ("2023-11-14T23:13:21+01:00", "小林", "text", "你来了"),
        ("2023-11-14T23:13:22+01:00", "小林", "media", "[图片: a.png]"),
        ("2023-11-14T23:13:24+01:00", "小林", "deleted", "gone"),
        ("2023-11-14T23:13:25+01:00", SYSTEM_SPEAKER, "system", "joined"),
        ("2023-11-15T07:14:20+01:00", "Me", "text", "yes"),
    ]
    found = {message.id: message for message in messages(records)}
    assert found["q3"].reply_to == "q1"
    assert [(a.name, a.mime, a.size) for a in found["q2"].attachments] == [("a.png", "image/png", 12)]
    (first,) = [d for d in documents(records) if len(d.messages) > 1]
    assert (first.id, first.metadata["title"], first.conversation.user) == ("qq:u_20:2023-11-14", "小林", "Me")
    assert codes(records) == []


def element(kind: str, **data: Any) -> dict[str, Any]:
    """A part of a message."""
    return {"type": kind, "data": data}


def test_what_lies_within_messages() -> None:
    """Forwarded chats with all their lines, cards with their addresses, Markdown, places, and what is answered."""
    inner = [
        message(7, "the mill"),
        message(8, "", content={"text": "", "elements": [element("forward", messages=[message(9, "deeper")])]}),
    ]
    card = json.dumps(
        {"app": "x", "meta": {"news": {"title": "A hut", "desc": "forty a night", "jumpUrl": "https://e.example"}}}
    )
    listed = [
        ("[转发消息: 2条]\n  小林: the", [element("forward", title="A chat", preview=["小林: the"], messages=inner)]),
        ("[JSON消息]", [element("json", content=card, title="A hut", url=None)]),
        ("[Markdown消息]", [element("markdown", content="**meet** at eight")]),
        ("[位置消息]", [element("location", title="Hut", address="Lake road 1")]),
        (
            "[回复消息]since noon",
            [element("reply", messageId="q0", content="home?"), element("text", text="since noon")],
        ),
        ("[长消息]", [element("long_message", resId="r9")]),
        ("voice call 03:20", [element("av_record", summary="voice call 03:20")]),
    ]
    text = export(*(message(n, "", content={"text": t, "elements": parts}) for n, (t, parts) in enumerate(listed)))
    records = read(QQConnector(), text)
    found = messages(records)
    assert [(each.kind, each.content) for each in found] == [
        ("text", "A chat\n小林: the mill\n小林: […]\n  小林: deeper"),
        ("text", "A hut\nforty a night\nhttps://e.example"),
        ("text", "**meet** at eight"),
        ("location", "Hut\nLake road 1"),
        ("text", "since noon"),
        ("unknown", "[长消息]"),
        ("call", "voice call 03:20"),
    ]
    assert [(each.kind, each.start, each.end) for each in found[0].segments] == [("forward", 0, len(found[0].content))]
    assert (found[4].reply_to, found[4].metadata) == ("q0", {"quoted": "home?"})
    assert "content-unknown" in codes(records)


LABELLED = f"""[QQChatExporter V5 / https://example.org]

{RULE[:47]}
           QQ聊天记录导出文件
{RULE[:47]}

聊天名称: 划船
聊天类型: 群聊
导出时间: 2024-01-02 00:00:00


[队长] Ann (PM):
时间: 2024-01-01 00:01:40
内容: hi
时间: soon

as typed:


[2]
Bo:
发送者ID: 222
时间: 2024-01-01 00:02:45
类型: image
内容: [图片: a.png]
资源: 2 个文件
  - image: a.png
  - file: b.pdf
提及: Ann


Bo:
时间: 2024-01-01 00:03:20
内容: ok
回复: Ann - hi
there


系统消息:
时间: 2024-01-01 00:03:30
内容: x joined


Bo:
时间: 2024-01-01 25:00:00
内容: never


Cy:
时间: 2024-01-01 00:05:00
资源: 1 个文件
  - audio: v.silk

{RULE[:47]}
              导出完成
{RULE[:47]}
总计导出 6 条消息
导出时间: 2024-01-02 00:00:00"""


def test_a_long_chat_in_pieces() -> None:
    """A message on each line; the folder names the chat, and the list of the pieces is no chat."""
    folder = "group_湖之仆从_1095747640_20240115_120000_chunked_jsonl"
    pieces = {
        f"{folder}/chunks/chunk_000{n}.jsonl": "".join(
            json.dumps(each) + "\n" for each in (message(n, f"words {n}"), message(n + 5, "joined", system=True))
        )
        for n in (1, 2)
    }
    listed = {"metadata": {"name": "QQChatExporter V5", "format": "chunked-jsonl"}, "chatInfo": {"name": "湖之仆从", "selfUin": "10"}}  # fmt: skip
    records = read(QQConnector(), {**pieces, f"{folder}/manifest.json": json.dumps(listed)})
    assert {d.id for d in documents(records)} == {"qq:湖之仆从:2023-11-14"}
    assert [(m.id, m.speaker) for m in messages(records)] == [
        ("q1", "小林"), ("q2", "小林"), ("q6", SYSTEM_SPEAKER), ("q7", SYSTEM_SPEAKER),
    ]  # fmt: skip
    assert codes(records) == ["user-unknown"]  # none of these messages is by the user
    assert rejected(records) == []
    assert QQConnector().sniff(shelf(json.dumps({"sender": "a", "content": {"text": "x"}, "timestamp": 1}))) == 0


SENDERS = [{"uid": f"u_{n}", "name": f"member {n}", "messageCount": 1} for n in range(2_000)]
CHUNKED = {"format": "jsonl", "chunksDir": "chunks", "chunkFileExt": ".jsonl"}
MANIFESTS: list[tuple[str, dict[str, Any]]] = [
    (
        "as the app of today writes it",
        {
            "metadata": {"exportTime": "2025-12-27T03:33:25.460Z", "version": "5.0.0", "format": "chunked-jsonl"},
            "statistics": {"totalMessages": 4, "chunkCount": 2},
            "chunked": {
                **CHUNKED,
                "chunks": [
                    {"file": "chunks/a.jsonl", "messages": 2, "startTime": 1_700_000_005_000},
                    {"file": "chunks/b.jsonl", "messages": 2, "startTime": 1_700_000_001_000},
                ],
            },
            "avatars": {"file": "avatars.json", "count": 1},
        },
    ),
    (
        "with thousands of members before the list",
        {
            "metadata": {"name": "QQChatExporter V5", "version": "5.5.1"},
            "statistics": {"totalMessages": 4, "senders": SENDERS},
            "chunked": {
                **CHUNKED,
                "chunks": [
                    {"index": 1, "fileName": "b.jsonl", "relativePath": "chunks/b.jsonl", "count": 2},
                    {"index": 2, "fileName": "a.jsonl", "relativePath": "chunks/a.jsonl", "count": 2},
                ],
            },
        },
    ),
]


@for_each(MANIFESTS)
def test_pieces_and_their_list_are_the_export_in_one_file(form: str, manifest: dict[str, Any]) -> None:
    """Same chat, same user, same messages, in the order of their times."""
    assert form
    said = [
        message(1, "one"),
        message(2, "two"),
        message(5, "mine", sender={"uin": "10", "name": "Me"}),
        message(6, "z"),
    ]
    info = {"name": "小林", "type": "group", "selfUin": "10", "selfUid": "u_10", "selfName": "Me"}
    whole = {"metadata": {"name": "QQChatExporter V5"}, "chatInfo": info, "messages": said}
    listed = {"metadata": manifest["metadata"], "chatInfo": info, **manifest}
    lines = ["".join(json.dumps(each) + "\n" for each in each_of) for each_of in (said[2:], said[:2])]
    files = {
        "x/chunks/a.jsonl": lines[0],
        "x/chunks/b.jsonl": lines[1],
        "x/manifest.json": json.dumps(listed, indent=2),
    }
    pieces = read(QQConnector(), files)
    (day,) = documents(pieces)
    assert documents(read(QQConnector(), json.dumps(whole))) == [day]
    assert (day.conversation.user, day.metadata["group"]) == ("Me", "true")
    assert (codes(pieces), rejected(pieces)) == ([], [])


def test_the_folder_of_pieces_may_name_the_chat_otherwise() -> None:
    """By its name and number, or its number alone."""
    line = json.dumps(message(1, "words")) + "\n"
    for folder, title in (
        ("研发组(99887766)_chunked_jsonl", "研发组"),
        ("friend_u_1234abcd_20260101_120000_chunked_jsonl", "u_1234abcd"),
    ):
        (day,) = documents(read(QQConnector(), {f"{folder}/chunks/chunk_0001.jsonl": line}))
        assert day.metadata["title"] == title


def test_text_of_qqchatexporter() -> None:
    """Labels before time, words and files; titles of members and the lines at both ends are no words."""
    records = read(QQConnector(), {"chat.txt": LABELLED, "a.png": b"x"})
    assert told(records) == [
        ("2024-01-01T00:01:40+01:00", "Ann (PM)", "text", "hi\n时间: soon\n\nas typed:"),
        ("2024-01-01T00:02:45+01:00", "Bo", "media", "[图片: a.png]"),
        ("2024-01-01T00:03:20+01:00", "Bo", "text", "ok\n回复: Ann - hi\nthere"),
        ("2024-01-01T00:03:30+01:00", SYSTEM_SPEAKER, "system", "x joined"),
        ("2024-01-01T00:05:00+01:00", "Cy", "media", "[audio]"),
    ]
    assert [(a.name, a.missing) for m in messages(records) for a in m.attachments] == [
        ("a.png", False),
        ("b.pdf", True),
        ("v.silk", True),
    ]
    place = LABELLED.split("\n").index("时间: 2024-01-01 25:00:00")
    assert rejected(records) == [(f"chat.txt!chat.txt:{place}", "a date or time that does not exist")]
    lost = read(QQConnector(), LABELLED.replace("[队长]", "lost\n[队长]"))
    assert rejected(lost)[0] == ("chat.txt!chat.txt:1", "text before the first message")
    assert documents(records)[0].id == "qq:划船:2024-01-01"


def test_later_exports_add_what_is_new() -> None:
    """Text by second and words, JSON by ids."""
    head = f"消息记录（x）\n消息对象:Bo\n{RULE}\n\n"
    first = f"{head}2024-01-02 10:00:00 Bo(12345)\none\n\n2024-01-02 10:00:01 Bo(12345)\nok\n\n"
    later = f"{head}2024-01-02 10:00:01 Bo(12345)\nok\n\n2024-01-02 10:00:01 Bo(12345)\nok\n\n"
    stored, _ = merged(None, one(read(QQConnector(), first)))
    stored, plan = merged(stored, one(read(QQConnector(), later)))
    assert [row.message.content for row in stored.messages] == ["one", "ok", "ok"]
    stored, _ = merged(None, one(read(QQConnector(), export(message(1, "a"), message(2, "b")))))
    stored, plan = merged(stored, one(read(QQConnector(), export(message(2, "b"), message(3, "b")))))
    assert ([row.message.content for row in stored.messages], len(plan.added)) == (["a", "b", "b"], 1)


def test_damage_is_told() -> None:
    """Days that do not exist, words of nobody, messages without time or author."""
    text = f"消息记录（x）\nlost\n消息对象:Bo\n{RULE}\n2024-02-30 10:00:00 Bo(12345)\none\n2024-02-01 10:00:00 Bo(12345)\ntwo"
    records = read(QQConnector(), text)
    assert [reason for _, reason in rejected(records)] == [
        "text before the first message",
        "a date or time that does not exist",
    ]
    assert messages(records)[0].metadata == {"unterminated": "true"}
    odd = read(QQConnector(), export(message(1, "a", timestamp=None), message(2, "b", sender={}), message(3, "c")))
    assert [reason for _, reason in rejected(odd)] == [
        "a date or time that does not exist",
        "a message without an author",
    ]


@pytest.mark.parametrize("text", [TEXT, JSON, LABELLED])
def test_no_other_format_takes_it(text: str, tmp_path: Path) -> None:
    """Nor does it take theirs."""
    path = tmp_path / "0.txt"
    path.write_text(text, encoding="utf-8")
    assert choose(open_source(path), BERLIN).name == "qq"
    for other in ("2024-01-02 10:00:00 started\n2024-01-02 10:00:01 ended\n", '{"chatInfo": {"id": 1}}', "消息\n"):
        assert QQConnector().sniff(shelf(other)) == 0


@pytest.mark.parametrize("long", ["x" * 10_000, "words\n" * (10_000 // 6 + 1)], ids=["line", "lines"])
def test_a_labelled_message_that_is_too_long_is_left_out_alone(long: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message behind it is read with its author, and Windows' line ends change nothing."""
    for module in (chat_lines, labelled_text):
        monkeypatch.setattr(module, "MESSAGE_LIMIT", 10_000)
    told_by = [("Ann", "hi"), ("Bo", long), ("Cy", "after"), ("Bo", "end")]
    said = [f"{name}:\n时间: 2024-01-01 10:00:0{at}\n内容: {text}\n\n" for at, (name, text) in enumerate(told_by)]
    text = f"QQ聊天记录导出文件\n聊天名称: Rowing\n聊天类型: 群聊\n\n{''.join(said)}".replace("\n", "\r\n")
    records = read(QQConnector(), text, "a.txt")
    assert [(m.speaker, m.content) for m in messages(records)] == [("Ann", "hi"), ("Cy", "after"), ("Bo", "end")]
    assert [reason for _, reason in rejected(records)] == [TOO_LONG]
    assert documents(records)[0].metadata["group"] == "true"


def test_a_recalled_message_without_words() -> None:
    """It says that it was deleted; where the export has its words, these stay."""
    found = messages(
        read(QQConnector(), export(message(1, "", recalled=True), message(2, "gone", recalled=True)), "a.json")
    )
    assert [(each.content, each.kind, each.deleted) for each in found] == [
        ("[deleted message]", "deleted", True),
        ("gone", "deleted", True),
    ]


def test_what_older_exports_write_within_messages() -> None:
    """The XML of a forwarded chat, and the answered words in brackets before a message's own."""
    card = "<msg><item><title color='#000'>A chat</title><title>小林: the mill &amp; more</title></item></msg>"
    listed = [
        ("[转发消息]", [element("forward", title="转发消息", summary=card)]),
        (
            "[回复 小林: home?]\nsince noon",
            [element("reply", messageId="q0", content="home?"), element("text", text="since noon")],
        ),
    ]
    text = export(*(message(n, "", content={"text": t, "elements": parts}) for n, (t, parts) in enumerate(listed)))
    rows = messages(read(QQConnector(), text))
    assert [each.content for each in rows] == ["转发消息\nA chat\n小林: the mill & more", "since noon"]
    assert rows[1].metadata == {"quoted": "home?"}
