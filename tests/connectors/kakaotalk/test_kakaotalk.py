"""KakaoTalk: Windows, Android, iOS and macOS, what the app says, overlap, the old encoding, and being told from WhatsApp."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.connectors.formats.kakaotalk.connector import KakaoTalkConnector
from memd.connectors.formats.kakaotalk.titles import title_of_file
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.detection import choose
from memd.schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from memd.tests.cases import for_each
from memd.tests.connectors.discord.test_overlap import merged, one
from memd.tests.connectors.text_exports import BERLIN, codes, documents, messages, read, rejected, shelf, told
from memd.tests.contracts.connector import ConnectorContract, Download, Samples, Shelf

WINDOWS = """\ufeff김한길 님과 카카오톡 대화\r
저장한 날짜 : 2020-11-03 10:44:52\r
\r
--------------- 2020년 6월 28일 일요일 ---------------\r
김한길님이 회원님을 초대하였습니다.\r
[김한길] [오전 1:01] 사진\r
[김한길] [오전 9:03] 공부하기\r
오후 3:16, 누구 : 붙여넣기\r
\r
[오늘] 할 일\r
[회원님] [오후 12:11] 파일: 표.pdf\r
--------------- 2020년 8월 11일 화요일 ---------------\r
[김한길] [14:41] 삭제된 메시지입니다.\r
[김한길] [14:42] 보이스톡 종료 1:02\r
김한길님이 나갔습니다.\r
"""
ANDROID = """KakaoTalk Chats with 김한길
Date Saved : November 3, 2020, 1:08 PM


February 10, 2016, 2:33 AM
February 10, 2016, 2:33 AM, you : 공부하기
February 10, 2016, 2:34 AM, 김한길 : a : b

c
May 3, 2023 at 2:33\u202fp.m., 김한길 : Photo
May 3, 2023 at 2:34 PM, 김한길 left.
"""
KOREAN = """김한길 님과 카카오톡 대화
저장한 날짜 : 2020년 11월 3일 오전 11:29


2016년 2월 5일 오전 12:33
2016년 2월 5일 오전 12:33, 회원님 : 공부하기
"""
IPHONE = """Talk_2026.8.7 13:01-1.txt
저장한 날짜 : 2026. 8. 7. 오후 11:01

2026년 8월 7일 금요일
2026. 8. 7. 오후 1:01, 나 : 안녕
2026. 8. 7. 오후 1:02: 상대님이 나님을 초대했습니다.
2026. 8. 7. 오후 1:03, 상대 : 어 ㅋㅋ
오후 1:05, 누구 : 붙여넣기

2026년 8월 8일 토요일
2026. 8. 8. 오전 12:04, 나 : 잘자
"""
TIMES_ALONE = """홍길동 님과 카카오톡 대화
저장한 날짜 : 2026년 10월 2일 오후 2:23


2026년 10월 1일 목요일
오후 3:16, User B : 둘
오후 3:17, User B님이 나갔습니다.
"""
MAC = (
    '\ufeffDate,User,Message\n2026-02-06 00:00:58,"Card, \U0001f0cf","Claude, ""oh""\n둘째"\n'
    '2026-02-06 00:01:21,"Lo","사진"\n2026-02-06 00:01:22,"Lo","Lo님이 나갔습니다."\n'
    '2026-02-06 00:01:23,"","알림"\n'
)


class TestContract(ConnectorContract):
    """What every connector keeps."""

    readers = (
        "kakaotalk.parser:_said",
        "kakaotalk.csv_export:_said",
    )
    download = Download(
        "the ferry to Jeju is late",
        {
            "KakaoTalk_20240115.txt": (
                "Cleo 님과 카카오톡 대화\n저장한 날짜 : 2024-01-16 10:44:52\n\n"
                "--------------- 2024년 1월 15일 월요일 ---------------\n[Cleo] [오전 10:01] The ferry to Jeju is late\n"
            ).encode()
        },
    )

    @pytest.fixture
    def connector(self) -> KakaoTalkConnector:
        """The connector."""
        return KakaoTalkConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A file of each app."""
        texts = {"windows": WINDOWS, "android": ANDROID, "iphone": IPHONE, "mac": MAC}
        return {name: {f"KakaoTalk_{name}.txt": text.encode()} for name, text in texts.items()}


def test_windows() -> None:
    """Lines of the app have no time; lines in a message look like headers of other apps."""
    records = read(KakaoTalkConnector(), WINDOWS)
    assert told(records) == [
        ("2020-06-28T00:00:00+02:00", SYSTEM_SPEAKER, "system", "김한길님이 회원님을 초대하였습니다."),
        ("2020-06-28T01:01:00+02:00", "김한길", "media", "사진"),
        ("2020-06-28T09:03:00+02:00", "김한길", "text", "공부하기\n오후 3:16, 누구 : 붙여넣기\n\n[오늘] 할 일"),
        ("2020-06-28T12:11:00+02:00", UNKNOWN_USER, "media", "파일: 표.pdf"),
        ("2020-08-11T14:41:00+02:00", "김한길", "deleted", "삭제된 메시지입니다."),
        ("2020-08-11T14:42:00+02:00", "김한길", "call", "보이스톡 종료 1:02"),
        ("2020-08-11T14:42:00+02:00", SYSTEM_SPEAKER, "system", "김한길님이 나갔습니다."),
    ]
    first = documents(records)[0]
    assert (first.id, first.metadata["title"]) == ("kakaotalk:김한길:2020-06-28", "김한길")
    assert [m.time_precision for m in first.messages] == ["day", "minute", "minute", "minute"]
    assert [(a.name, a.missing) for a in first.messages[3].attachments] == [("표.pdf", True)]
    assert (codes(records), rejected(records)) == (["user-unknown"], [])
    named = read(KakaoTalkConnector(), WINDOWS, me="Ann")
    assert (messages(named)[3].speaker, documents(named)[0].conversation.user, codes(named)) == ("Ann", "Ann", [])


@for_each(
    [
        (
            ANDROID,
            [
                ("2016-02-10T02:33:00+01:00", "Ann", "text", "공부하기"),
                ("2016-02-10T02:34:00+01:00", "김한길", "text", "a : b\n\nc"),
                ("2023-05-03T14:33:00+02:00", "김한길", "media", "Photo"),
                ("2023-05-03T14:34:00+02:00", SYSTEM_SPEAKER, "system", "김한길 left."),
            ],
        ),
        (KOREAN, [("2016-02-05T00:33:00+01:00", "Ann", "text", "공부하기")]),
        (
            IPHONE,
            [
                ("2026-08-07T13:01:00+02:00", "나", "text", "안녕"),
                ("2026-08-07T13:02:00+02:00", SYSTEM_SPEAKER, "system", "상대님이 나님을 초대했습니다."),
                ("2026-08-07T13:03:00+02:00", "상대", "text", "어 ㅋㅋ\n오후 1:05, 누구 : 붙여넣기"),
                ("2026-08-08T00:04:00+02:00", "나", "text", "잘자"),
            ],
        ),
        (
            TIMES_ALONE,
            [
                ("2026-10-01T15:16:00+02:00", "User B", "text", "둘"),
                ("2026-10-01T15:17:00+02:00", SYSTEM_SPEAKER, "system", "User B님이 나갔습니다."),
            ],
        ),
        (
            MAC,
            [
                ("2026-02-06T00:00:58+01:00", "Card, \U0001f0cf", "text", 'Claude, "oh"\n둘째'),
                ("2026-02-06T00:01:21+01:00", "Lo", "media", "사진"),
                ("2026-02-06T00:01:22+01:00", SYSTEM_SPEAKER, "system", "Lo님이 나갔습니다."),
                ("2026-02-06T00:01:23+01:00", SYSTEM_SPEAKER, "system", "알림"),
            ],
        ),
    ]
)
def test_other_apps(text: str, expected: list[tuple[str, str, str, str]]) -> None:
    """Every app writes its own headers; what it calls you is the user."""
    records = read(KakaoTalkConnector(), text, me="Ann")
    assert told(records) == expected
    assert rejected(records) == []


def test_a_file_beside_a_chat_is_not_missing() -> None:
    """The chat tells its name alone."""
    files = Shelf("x", {"KakaoTalk_1.txt": WINDOWS.encode(), "표.pdf": b"x"})
    records = list(KakaoTalkConnector().read(files, BERLIN))
    assert [each.missing for day in documents(records) for m in day.messages for each in m.attachments] == [False]


def test_titles_come_from_the_file_s_name_where_it_has_none() -> None:
    """As the apps name their files."""
    names = {
        "KakaoTalk_Chat_우리방_2024-01-01-12-34-56.csv": "우리방",
        "KakaoTalkChats.txt": "chat",
        "우리방_KakaoTalk_20240115_1030_12_450_group.txt": "우리방",
        "KakaoTalk_20240115_1030_12_450_group (1).txt": "chat",
        "크루.txt": "크루",
    }
    assert {name: title_of_file(name) for name in names} == names


def test_a_later_export_that_overlaps_adds_what_is_new() -> None:
    """By minute and words; a message that was deleted meanwhile keeps its words in edits."""
    head = WINDOWS[: WINDOWS.index("김한길님이 회원님을")].replace("\r", "")
    first = f"{head}[A] [오전 1:01] 하나\n[A] [오전 1:02] ok\n[A] [오전 1:02] ok\n[B] [오전 1:03] 둘\n"
    later = f"{head}[A] [오전 1:02] ok\n[A] [오전 1:02] ok\n[B] [오전 1:03] 삭제된 메시지입니다.\n[A] [오전 1:04] 셋\n"
    stored, _ = merged(None, one(read(KakaoTalkConnector(), first)))
    stored, plan = merged(stored, one(read(KakaoTalkConnector(), later)))
    assert [row.message.content for row in stored.messages] == ["하나", "ok", "ok", "삭제된 메시지입니다.", "셋"]
    assert [edit.content for edit in stored.messages[3].message.edits] == ["둘"]
    assert len(plan.added) == 1


def test_damage_is_told() -> None:
    """Days and times that do not exist, a mark that is lost, a message before any day, the old encoding with a bad byte."""
    text = WINDOWS.replace("2020년 6월 28일", "2020년 6월 31일").replace("\r", "")
    assert rejected(read(KakaoTalkConnector(), text))[0] == (
        "chat.txt!chat.txt:4",
        "a date or time that does not exist",
    )
    lost = read(KakaoTalkConnector(), MAC.replace('둘째"', "둘째"))
    assert codes(lost) == ["user-unknown", "unclosed-field"]
    assert [m.content for m in messages(lost)][1:] == ["사진", "Lo님이 나갔습니다.", "알림"]
    records = read(
        KakaoTalkConnector(), WINDOWS.removeprefix("\ufeff").encode("cp949") + b"[B] [\xbf\xc0\xc8\xc4 3:00] \xff"
    )
    assert messages(records)[1].content == "사진"
    assert messages(records)[-1].metadata == {"unterminated": "true"}
    assert codes(records) == ["user-unknown", "undecodable-bytes"]


@pytest.mark.parametrize("text", [WINDOWS, ANDROID, KOREAN, IPHONE, TIMES_ALONE, MAC])
def test_no_other_format_takes_it(text: str, tmp_path: Path) -> None:
    """WhatsApp's headers are near to those of phones."""
    path = tmp_path / "0.txt"
    path.write_text(text, encoding="utf-8")
    assert choose(open_source(path), BERLIN).name == "kakaotalk"


def test_one_message_is_a_chat() -> None:
    """Without a title: the line of its time alone, which Android writes before a day's first message, tells it."""
    records = read(KakaoTalkConnector(), "2024년 1월 15일 오후 12:00\n2024년 1월 15일 오후 12:00, Ann : 안녕\n")
    assert (
        KakaoTalkConnector().sniff(shelf("2024년 1월 15일 오후 12:00\n2024년 1월 15일 오후 12:00, Ann : 안녕\n")) == 1
    )
    assert [(m.speaker, m.content) for m in messages(records)] == [("Ann", "안녕")]


def test_it_takes_no_other_text() -> None:
    """Notes, tables and chats of WhatsApp stay what they are."""
    for text in (
        "Date,User\n2024-01-01,x\n",
        "[note] [10:00] call\n",
        "15/01/2024, 10:00 - Cleo: The kayak\n",
        "2024년 1월 15일 오전 10:00, 회의\n",
        "2024년 1월 15일 오전 10:00, 회의 : 본관\n",
        "------ 2024년 1월 15일 ------\nwords\n",
    ):
        assert KakaoTalkConnector().sniff(shelf(text)) == 0
