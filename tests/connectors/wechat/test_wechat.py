"""WeChat: JSON of WeFlow, EchoTrace and chatlog, tables of PyWxDump, WeChatMsg, WeFlow and chatlog, overlap by ids, and damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memd.connectors.formats.wechat.connector import WeChatConnector
from memd.connectors.formats.wechat.kinds import message_of
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.detection import choose
from memd.schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from memd.tests.connectors.discord.test_overlap import merged, one
from memd.tests.connectors.text_exports import BERLIN, codes, documents, messages, read, rejected, shelf, told
from memd.tests.contracts.connector import ConnectorContract, Download, Samples

PYWXDUMP = (
    "id,MsgSvrID,type_name,is_sender,talker,room_name,content,CreateTime\n"
    '1,953,系统通知,0,xl,xl,"{""src"": """", ""msg"": ""你已添加了""}",2023-08-12 23:22:41\n'
    '2,759,文本,1,我,xl,"{""src"": """", ""msg"": ""哦吼\\n二""}",2023-08-12 23:22:54\n'
    '3,760,图片,0,xl,xl,"{""src"": ""a\\\\b.jpg"", ""msg"": ""图片""}",2023-08-12 23:22:55\n'
)
WEFLOW_TABLE = (
    "\ufeffid,MsgSvrID,type_name,is_sender,talker,msg,src,CreateTime\r\n"
    "1,9001,image,0,Alice,图片,images/one.jpg,2023-11-15T06:15:23.000Z\r\n"
)
MEMOTRACE = (
    "\ufefflocalId,TalkerId,Type,SubType,IsSender,CreateTime,Status,StrContent,StrTime,Remark,NickName,Sender\n"
    '1854662,217,1,0,0,1628863878,,"hi, ""you""\nthere",2021-08-13 22:11:18,Sun,V,wxid_h\n'
    "1854663,217,1,0,1,1628863886,,你好,2021-08-13 22:11:26,Sun,V,wxid_h\n"
    '1854664,217,47,0,0,1628863895,,"<msg><emoji a=""b"" /></msg>",2021-08-13 22:11:35,Sun,V,wxid_h\n'
)
MEMOTRACE_CHINESE = (
    "\ufeff消息ID,类型,发送人,时间,内容,备注,昵称,更多信息\r\n"
    '901,文本,Sun,2024-01-15 12:00:00,"hi, ""you""",Sun,V,more\r\n'
    "902,图片,Me Myself,2024-01-15 12:00:01,,Me,Me,more\r\n"
    "903,系统消息,Sun,2024-01-15 12:00:02,你撤回了一条消息,Sun,V,more\r\n"
)
CHATLOG_TABLE = (
    "Time,SenderName,Sender,TalkerName,Talker,Content\n"
    "2024-01-15 12:00:00,Sun,wxid_h,Sun,wxid_h,hi\n"
    "2024-01-15 12:00:01,,系统消息,Sun,wxid_h,以上是打招呼的内容\n"
    "2024-01-15 12:00:02,Sunny,wxid_h,Sun,wxid_h,[图片]\n"
)


def logged(number: int, content: str, **more: Any) -> dict[str, Any]:
    """One of chatlog's."""
    return {
        "seq": 1_705_316_400_000 + number,
        "time": f"2024-01-15T19:00:0{number}+08:00",
        "talker": "wxid_h",
        "talkerName": "Sun",
        "isChatRoom": False,
        "sender": "wxid_h",
        "senderName": "Sun",
        "isSelf": False,
        "type": 1,
        "subType": 0,
        "content": content,
        "typeDesc": "文本",
    } | more


CHATLOG = json.dumps(
    [
        logged(0, "在吗"),
        logged(1, "yes", sender="wxid_me", senderName="Me Myself", isSelf=True),
        logged(2, "", type=3, typeDesc="图片"),
        logged(3, "", type=49, subType=5, contents={"title": "A page"}, typeDesc="链接分享"),
        logged(4, "hello all", talker="7@chatroom", talkerName="Club", isChatRoom=True),
        logged(5, "?", type=99, typeDesc="未知类型(99)"),
    ],
    ensure_ascii=False,
)


def message(number: int, content: str | None, **more: Any) -> dict[str, Any]:
    """One of WeFlow's."""
    return {
        "localId": number,
        "createTime": 1_700_000_000 + number,
        "formattedTime": "2023-11-14 22:13:20",
        "type": "文本消息",
        "localType": 1,
        "content": content,
        "isSend": 0,
        "senderUsername": "wxid_z",
        "senderDisplayName": "张三",
        "platformMessageId": str(900 + number),
    } | more


def export(*listed: dict[str, Any]) -> str:
    """A file of WeFlow."""
    session = {"wxid": "wxid_z", "nickname": "张", "displayName": "张三", "type": "私聊", "messageCount": len(listed)}
    return json.dumps({"weflow": {"version": "1.0.3"}, "session": session, "messages": listed}, ensure_ascii=False)


WEFLOW = export(
    message(0, "在吗", isSend=1, senderUsername="wxid_me", senderDisplayName="Me Myself"),
    message(1, "MSG/images/cat.jpg", type="图片消息"),
    message(2, "你撤回了一条消息", type="系统消息", isSend=None),
    message(3, "A: x", type="聊天记录合并转发", senderDisplayName=""),
    message(4, None, type="语音通话"),
    message(5, "?", type="未知类型(42424242)", senderDisplayName="张三丰"),
)


class TestContract(ConnectorContract):
    """What every connector keeps."""

    readers = ("wechat.kinds:message_of",)
    download = Download(
        "the dumplings need more vinegar",
        {
            "cleo_0_500.csv": (
                "id,MsgSvrID,type_name,is_sender,talker,room_name,msg,src,CreateTime\n"
                "1,9001,文本,0,Cleo,Cleo,The dumplings need more vinegar,,2024-01-15 10:03:00\n"
            ).encode()
        },
    )

    @pytest.fixture
    def connector(self) -> WeChatConnector:
        """The connector."""
        return WeChatConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A file of each tool."""
        texts = {"a.json": WEFLOW, "xl_0_500.csv": PYWXDUMP, "weflow.csv": WEFLOW_TABLE, "memo.csv": MEMOTRACE}
        texts |= {"memo2.csv": MEMOTRACE_CHINESE, "log.csv": CHATLOG_TABLE, "log.json": CHATLOG}
        return {name: {name: text.encode()} for name, text in texts.items()}


def test_weflow() -> None:
    """Accounts have their last names; what was passed on as a whole is not the speaker's."""
    records = read(WeChatConnector(), WEFLOW, "a.json")
    assert told(records) == [
        ("2023-11-14T23:13:20+01:00", "Me Myself", "text", "在吗"),
        ("2023-11-14T23:13:21+01:00", "张三丰", "media", "MSG/images/cat.jpg"),
        ("2023-11-14T23:13:22+01:00", SYSTEM_SPEAKER, "system", "你撤回了一条消息"),
        ("2023-11-14T23:13:23+01:00", "张三丰", "text", "A: x"),
        ("2023-11-14T23:13:24+01:00", "张三丰", "call", "[语音通话]"),
        ("2023-11-14T23:13:25+01:00", "张三丰", "unknown", "?"),
    ]
    (day,) = documents(records)
    assert (day.id, day.metadata["title"], day.conversation.user) == ("wechat:wxid_z:2023-11-14", "张三", "Me Myself")
    assert [m.id for m in day.messages] == ["900", "901", "902", "903", "904", "905"]
    assert [(a.name, a.mime, a.missing) for a in day.messages[1].attachments] == [("cat.jpg", "image/jpeg", True)]
    beside = messages(read(WeChatConnector(), {"a.json": WEFLOW, "MSG/images/cat.jpg": b"\xff"}))
    assert not beside[1].attachments[0].missing
    assert day.messages[1].metadata == {"name": "张三"}
    assert [(s.kind, s.start, s.end) for s in day.messages[3].segments] == [("forward", 0, 4)]
    assert {(m.zone_origin, m.time_precision) for m in day.messages} == {("explicit", "second")}
    assert codes(records) == ["content-unknown"]
    assert documents(read(WeChatConnector(), WEFLOW, me="wxid_me"))[0].conversation.user == "Me Myself"


def test_what_weflow_writes_within_messages() -> None:
    """The answered words behind a message's own, and chats forwarded within forwarded ones."""
    records = [
        {"sourcename": "甲", "datadesc": "the mill", "datatype": 1},
        {"sourcename": "乙", "datatitle": "a chat", "chatRecordList": [{"sourcename": "丙", "datadesc": "deeper"}]},
    ]
    listed = export(
        message(0, "since noon[引用 张三：home?]", type="引用消息", quotedSender="张三", quotedContent="home?"),
        message(1, "[引用 张三：home?]", type="引用消息", quotedContent="home?"),
        message(2, "so [引用 x] they say", type="文本消息"),
        message(3, "[转发的聊天记录]A chat", type="聊天记录", chatRecordList=records),
    )
    rows = messages(read(WeChatConnector(), listed, "a.json"))
    assert [row.content for row in rows] == [
        "since noon",
        "[引用 张三：home?]",
        "so [引用 x] they say",
        "[转发的聊天记录]A chat\n甲: the mill\n乙: a chat\n  丙: deeper",
    ]
    assert rows[0].metadata["quoted"] == "home?"
    assert [[each.kind for each in row.segments] for row in rows] == [[], ["quote"], [], ["forward"]]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (
            PYWXDUMP,
            "xl_0_500.csv",
            [
                ("2023-08-12T23:22:41+02:00", SYSTEM_SPEAKER, "system", "你已添加了"),
                ("2023-08-12T23:22:54+02:00", UNKNOWN_USER, "text", "哦吼\n二"),
                ("2023-08-12T23:22:55+02:00", "xl", "media", "图片"),
            ],
        ),
        (WEFLOW_TABLE, "Alice.csv", [("2023-11-15T07:15:23+01:00", "Alice", "media", "图片")]),
        (
            MEMOTRACE,
            "Sun.csv",
            [
                ("2021-08-13T16:11:18+02:00", "Sun", "text", 'hi, "you"\nthere'),
                ("2021-08-13T16:11:26+02:00", UNKNOWN_USER, "text", "你好"),
                ("2021-08-13T16:11:35+02:00", "Sun", "media", "[动画表情]"),
            ],
        ),
        (
            MEMOTRACE_CHINESE,
            "Sun.csv",
            [
                ("2024-01-15T12:00:00+01:00", "Sun", "text", 'hi, "you"'),
                ("2024-01-15T12:00:01+01:00", "Me Myself", "media", "[图片]"),
                ("2024-01-15T12:00:02+01:00", SYSTEM_SPEAKER, "system", "你撤回了一条消息"),
            ],
        ),
        (
            CHATLOG_TABLE,
            "wxid_h.csv",
            [
                ("2024-01-15T12:00:00+01:00", "Sunny", "text", "hi"),
                ("2024-01-15T12:00:01+01:00", SYSTEM_SPEAKER, "system", "以上是打招呼的内容"),
                ("2024-01-15T12:00:02+01:00", "Sunny", "text", "[图片]"),
            ],
        ),
    ],
    ids=["pywxdump", "weflow", "memotrace", "memotrace in Chinese", "chatlog"],
)
def test_tables(text: str, name: str, expected: list[tuple[str, str, str, str]], tmp_path: Path) -> None:
    """Each tool has its own columns; no other format takes them."""
    records = read(WeChatConnector(), text, name)
    assert told(records) == expected
    assert (codes(records), rejected(records)) == (["user-unknown"], [])
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert choose(open_source(path), BERLIN).name == "wechat"


def test_senders_by_number() -> None:
    """One form of WeFlow's JSON lists who wrote, and has but a number with each message."""
    numbered = [
        {
            key: value
            for key, value in message(n, f"words {n}", isSend=n == 1, senderID=n, **more).items()
            if key[:7] != "senderU" and key[:7] != "senderD"
        }
        for n, more in (
            (1, {}),
            (2, {"quote": {"sourceMessageId": "901", "content": "words 1"}}),
            (3, {"type": "转账消息"}),
            (9, {}),
        )
    ]
    senders = [
        {"senderID": 1, "wxid": "wxid_me", "displayName": "", "nickname": "Me Myself"},
        {"senderID": 2, "wxid": "wxid_b", "displayName": "Bo", "groupNickname": "Bobo"},
        {"senderID": 3, "wxid": "wxid_c", "groupNickname": "Caro", "nickname": "C"},
    ]
    session = {"wxid": "7@chatroom", "displayName": "Club", "type": "群聊"}
    text = json.dumps(
        {"weflow": {"format": "arkme-json"}, "session": session, "senders": senders, "messages": numbered}
    )
    records = read(WeChatConnector(), text, "a.json")
    assert [(speaker, kind) for _, speaker, kind, _ in told(records)] == [
        ("Me Myself", "text"),
        ("Bo", "text"),
        ("Caro", "event"),
        (SYSTEM_SPEAKER, "system"),
    ]
    second = messages(records)[1]
    assert (second.reply_to, second.metadata["quoted"]) == ("901", "words 1")
    assert documents(records)[0].conversation.user == "Me Myself"


def test_chatlog(tmp_path: Path) -> None:
    """Each message has its chat; what is the user's is told, and a link has its title."""
    records = read(WeChatConnector(), CHATLOG, "log.json")
    assert told(records) == [
        ("2024-01-15T12:00:00+01:00", "Sun", "text", "在吗"),
        ("2024-01-15T12:00:01+01:00", "Me Myself", "text", "yes"),
        ("2024-01-15T12:00:02+01:00", "Sun", "media", "[图片]"),
        ("2024-01-15T12:00:03+01:00", "Sun", "media", "A page"),
        ("2024-01-15T12:00:05+01:00", "Sun", "unknown", "?"),
        ("2024-01-15T12:00:04+01:00", "Sun", "text", "hello all"),
    ]
    assert [day.id for day in documents(records)] == ["wechat:Sun:2024-01-15", "wechat:Club:2024-01-15"]
    assert {day.conversation.user for day in documents(records)} == {"Me Myself"}
    assert messages(records)[0].id == "1705316400000"
    assert (codes(records), rejected(records)) == (["content-unknown"], [])
    alone = json.dumps([logged(0, "hi"), logged(1, "ho", time="x")])
    records = read(WeChatConnector(), alone, "log.json")
    assert [day.id for day in documents(records)] == ["wechat:Sun:2024-01-15"]
    assert rejected(records) == [("log.json!log.json#/1", "a date or time that does not exist")]
    path = tmp_path / "log.json"
    path.write_text(CHATLOG, encoding="utf-8")
    assert choose(open_source(path), BERLIN).name == "wechat"


def test_what_lies_within_messages_of_chatlog() -> None:
    """Forwarded chats with all their lines, links with their addresses, places, and what is answered."""
    inner = {"DataList": {"DataItems": [{"DataType": "1", "SourceName": "Di", "DataDesc": "deeper"}]}}
    items = [
        {"DataType": "1", "SourceName": "Bo", "DataDesc": "the mill"},
        {"DataType": "2", "SourceName": "Cy"},
        {"DataType": "17", "SourceName": "Bo", "DataTitle": "more", "RecordInfo": inner},
    ]
    record = {"title": "A chat", "desc": "Bo: the mill", "recordInfo": {"DataList": {"DataItems": items}}}
    link = {"title": "A hut", "desc": "forty a night", "url": "https://e.example/hut"}
    text = json.dumps(
        [
            logged(0, "", type=49, subType=19, contents=record),
            logged(1, "", type=49, subType=5, contents=link),
            logged(2, "", type=48, contents={"label": "Lake road 1"}),
            logged(3, "since noon", type=49, subType=57, contents={"refer": {"seq": 7, "content": "home?"}}),
        ]
    )
    forwarded, shared, place, answer = messages(read(WeChatConnector(), text, "log.json"))
    assert forwarded.content == "A chat\nBo: the mill\nCy: [消息]\nBo: more\n  Di: deeper"
    assert [(each.kind, each.start, each.end) for each in forwarded.segments] == [
        ("forward", 0, len(forwarded.content))
    ]
    assert shared.content == "A hut\nforty a night\nhttps://e.example/hut"
    assert (place.kind, place.content) == ("location", "Lake road 1")
    assert (answer.content, answer.reply_to, answer.metadata) == ("since noon", "7", {"quoted": "home?"})


def test_words_in_xml_are_kept() -> None:
    """Of a link, a quote and a place in tables that have WeChat's own XML; XML without words stays a placeholder."""
    link = (
        "<msg><appmsg><title>A &amp; B</title><des><![CDATA[forty]]></des><url>https://e.example</url></appmsg></msg>"
    )
    nested = "<msg><record>&lt;item&gt;&lt;datadesc&gt;the mill&lt;/datadesc&gt;&lt;/item&gt;</record></msg>"
    place = '<msg><location x="1" label="Lake road 1" poiname="Hut"/></msg>'
    listed = [message_of(xml, "media", "链接")["content"] for xml in (link, nested, place, "<msg><emoji/></msg>")]
    assert listed == ["A & B\nforty\nhttps://e.example", "the mill", "Lake road 1\nHut", "[链接]"]


def test_chatlog_without_sequence_and_accounts(tmp_path: Path) -> None:
    """What is made of its messages by other programs leaves them out; seconds are times, too."""
    few = {"talker", "talkerName", "senderName", "isSelf", "time", "type", "content"}
    listed = [logged(0, "hi", time=1_705_316_400), logged(1, "ho", senderName="me", isSelf=True, time=1_705_316_401)]
    path = tmp_path / "log.json"
    path.write_text(json.dumps([{key: row[key] for key in row if key in few} for row in listed]), encoding="utf-8")
    assert choose(open_source(path), BERLIN).name == "wechat"
    records = read(WeChatConnector(), path.read_text(encoding="utf-8"), "log.json")
    assert [row[1:] for row in told(records)] == [("Sun", "text", "hi"), ("me", "text", "ho")]
    assert [(day.id, day.conversation.user) for day in documents(records)] == [("wechat:Sun:2024-01-15", "me")]


def test_a_table_of_several_chats_is_taken_apart() -> None:
    """By the column that tells them."""
    rows = "".join(f"{n},{n},文本,0,p{n % 2},room{n % 2},words {n},,2023-08-12 23:22:4{n}\n" for n in range(4))
    head = "id,MsgSvrID,type_name,is_sender,talker,room_name,msg,src,CreateTime\n"
    found = documents(read(WeChatConnector(), head + rows, "all.csv"))
    assert [(d.id, [m.content for m in d.messages]) for d in found] == [
        ("wechat:room0:2023-08-12", ["words 0", "words 2"]),
        ("wechat:room1:2023-08-12", ["words 1", "words 3"]),
    ]


def test_a_later_export_that_overlaps_adds_what_is_new() -> None:
    """By the ids of WeChat's server."""
    stored, _ = merged(None, one(read(WeChatConnector(), export(message(1, "one"), message(2, "two")))))
    later = export(message(2, "two", localId=7), message(3, "two"))
    stored, plan = merged(stored, one(read(WeChatConnector(), later)))
    assert [row.message.content for row in stored.messages] == ["one", "two", "two"]
    assert (len(plan.added), len(plan.updated)) == (1, 0)


def test_damage_is_told() -> None:
    """A message without a time, a broken one, a file that is cut off; a mark that is lost in a table."""
    broken = export(message(1, "one"), message(2, "two", createTime="x"), message(3, "three"))
    records = read(WeChatConnector(), broken.replace('"content": "three"', '"content": "three'))
    assert [m.content for m in messages(records)] == ["one"]
    assert rejected(records)[0] == ("chat.txt!chat.txt#/messages/1", "a date or time that does not exist")
    assert len(rejected(records)) > 1
    assert rejected(read(WeChatConnector(), broken[:-40]))
    lost = read(WeChatConnector(), MEMOTRACE.replace('there"', "there"))
    assert codes(lost) == ["user-unknown", "unclosed-field"]


def test_it_takes_no_other_file() -> None:
    """Other JSON and other tables."""
    for text in (
        '{"session": {"id": 1}, "messages": []}',
        "id,type,createtime\n1,2,3\n",
        '{"messages": [{"isSend": 1}]}',
        '[{"seq": 1, "talker": "x", "sender": "y"}]',
        "Time,SenderName,Content\n",
    ):
        assert WeChatConnector().sniff(shelf(text)) == 0


def test_the_table_of_chatlog_s_page() -> None:
    """Its columns are called in Chinese; several chats may be in one, and 我 is the user."""
    text = (
        "\ufeff时间,发送者,聊天对象,消息类型,内容\n2024-01-15 19:00:01,小明,小明,文本消息,在吗\n"
        '2024-01-15 19:00:02,我,小明,文本消息,"在, 你呢"\n2024-01-15 19:00:03,小红,群,图片消息,[图片]\n'
    )
    records = read(WeChatConnector(), text, "export.csv")
    assert [(d.id, [(m.speaker, m.kind, m.content) for m in d.messages]) for d in documents(records)] == [
        ("wechat:小明:2024-01-15", [("小明", "text", "在吗"), (UNKNOWN_USER, "text", "在, 你呢")]),
        ("wechat:群:2024-01-15", [("小红", "media", "[图片]")]),
    ]
    assert rejected(records) == []


def test_placeholders_of_chatlog_with_addresses() -> None:
    """A word in brackets with an address behind it is no text; the same word alone may be somebody's."""
    rows: tuple[tuple[str, str, list[str]], ...] = (
        ("![图片](http://127.0.0.1:5030/image/0a1b)", "media", []),
        ("[语音](http://127.0.0.1:5030/voice/12)", "media", []),
        ("[文件|plan.pdf](http://127.0.0.1:5030/file/0a)", "media", ["plan.pdf"]),
        ("[图片]", "text", []),
        ("see [here](http://example.org/)", "text", []),
        ("[here](http://example.org/)", "text", []),
    )
    head, first = CHATLOG_TABLE.split("\n")[:2]
    lines = [first.removesuffix("hi").replace(":00,", f":{10 + n},", 1) + rows[n][0] for n in range(len(rows))]
    found = messages(read(WeChatConnector(), "\n".join([head, *lines, ""]), "a.csv"))
    assert [(m.content, m.kind, [file.name for file in m.attachments]) for m in found] == list(rows)
