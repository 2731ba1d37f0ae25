"""LINE: phones in several languages, computers, messages of several lines, what the app says, overlap, and no theft of notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.connectors.formats.line.connector import LineConnector
from memd.connectors.formats.line.desktop_names import names_in
from memd.connectors.opening.open_source import open_source
from memd.connectors.reading.detection import choose
from memd.schemas import SYSTEM_SPEAKER, UNKNOWN_USER
from memd.tests.cases import for_each
from memd.tests.connectors.discord.test_overlap import merged, one
from memd.tests.connectors.text_exports import BERLIN, codes, documents, messages, read, rejected, shelf, told
from memd.tests.contracts.connector import ConnectorContract, Download, Samples

JAPANESE = """\ufeff[LINE] 花子とのトーク履歴\r
保存日時：2026/08/21 11:59\r
\r
2025/04/18(金)\r
12:08\t花子\t"お疲れ様です！\r
よろしく""お願い""します！\r
2024/02/01(木)\r
00:00\t太郎\tおはよう"\r
12:08\t花子\t[写真]\r
14:13\t太郎\t振り込み完了しました\r
21:38\t花子\t☎ 不在着信\r
22:05\t\tメッセージの送信を取り消しました\r
22:10\t花子がメッセージの送信を取り消しました\r
\r
2025/04/19(土)\r
24:05\t太郎\t[ファイル] 表.pdf\r
00:06\t太郎\t"one" and "two"\r
00:07\t花子\t"open\r
00:08\t\t太郎が花子をグループに追加しました\r
"""
DESKTOP = """2024.01.02 Tuesday
10:05 Ann Lee Good morning
10:06 Ann Lee [Photo]
10:07 Bob Hi
second line
10:08 Bob Stickers
10:09 Ann Lee joined the group.
2024.01.03 Wednesday
10:05 Bob Fine
"""


class TestContract(ConnectorContract):
    """What every connector keeps."""

    readers = ("line.parser:_message",)
    download = Download(
        "the lighthouse keeper has a parrot",
        {
            "[LINE] Cleo.txt": b"[LINE] Chat history with Cleo\n\n2024.01.15 Monday\n10:00\tCleo\tThe lighthouse keeper has a parrot\n"
        },
    )

    @pytest.fixture
    def connector(self) -> LineConnector:
        """The connector."""
        return LineConnector()

    @pytest.fixture
    def samples(self) -> Samples:
        """A phone's file and a computer's."""
        return {
            "phone": {"[LINE] 花子とのトーク.txt": JAPANESE.encode()},
            "computer": {"[LINE]Ann Lee.txt": DESKTOP.encode()},
        }


def test_a_phone_s_chat_is_read_whole() -> None:
    """Several lines between marks, with lines in them that look like others; an hour of 24 is midnight."""
    records = read(LineConnector(), JAPANESE, me="太郎")
    assert told(records) == [
        (
            "2025-04-18T12:08:00+02:00",
            "花子",
            "text",
            'お疲れ様です！\nよろしく"お願い"します！\n2024/02/01(木)\n00:00\t太郎\tおはよう',
        ),
        ("2025-04-18T12:08:00+02:00", "花子", "media", "[写真]"),
        ("2025-04-18T14:13:00+02:00", "太郎", "text", "振り込み完了しました"),
        ("2025-04-18T21:38:00+02:00", "花子", "call", "☎ 不在着信"),
        ("2025-04-18T22:05:00+02:00", SYSTEM_SPEAKER, "deleted", "メッセージの送信を取り消しました"),
        ("2025-04-18T22:10:00+02:00", "花子", "deleted", "花子がメッセージの送信を取り消しました"),
        ("2025-04-19T00:05:00+02:00", "太郎", "media", "[ファイル] 表.pdf"),
        ("2025-04-19T00:06:00+02:00", "太郎", "text", '"one" and "two"'),
        ("2025-04-19T00:07:00+02:00", "花子", "text", '"open'),
        ("2025-04-19T00:08:00+02:00", SYSTEM_SPEAKER, "system", "太郎が花子をグループに追加しました"),
    ]
    first, second = documents(records)
    assert (first.id, first.metadata) == ("line:花子:2025-04-18", {"chat": "花子", "title": "花子"})
    assert first.conversation.user == "太郎"
    assert {(m.time_precision, m.zone_origin) for m in first.messages} == {("minute", "option")}
    assert [(a.name, a.missing) for a in second.messages[0].attachments] == [("表.pdf", True)]
    assert codes(records) == []
    assert rejected(records) == []


def test_names_of_several_words_are_found_on_computers() -> None:
    """Nothing but blanks stands between time, name and words."""
    records = read(LineConnector(), DESKTOP)
    assert told(records) == [
        ("2024-01-02T10:05:00+01:00", "Ann Lee", "text", "Good morning"),
        ("2024-01-02T10:06:00+01:00", "Ann Lee", "media", "[Photo]"),
        ("2024-01-02T10:07:00+01:00", "Bob", "text", "Hi\nsecond line"),
        ("2024-01-02T10:08:00+01:00", "Bob", "media", "Stickers"),
        ("2024-01-02T10:09:00+01:00", SYSTEM_SPEAKER, "system", "Ann Lee joined the group."),
        ("2024-01-03T10:05:00+01:00", "Bob", "text", "Fine"),
    ]
    assert codes(records) == ["user-unknown"]
    assert {document.conversation.user for document in documents(records)} == {UNKNOWN_USER}
    assert names_in(["Mr Fox hi", "Mr Fox ho", "Mr Fox hu", "Al a", "Al b"], "") == {"Mr": ("Mr Fox",), "Al": ("Al",)}


@pytest.mark.parametrize(
    ("day", "words"), [("2024.01.02 火曜日", "スタンプ"), ("2024.01.02 星期二", "圖片"), ("2024.01.02 화요일", "사진")]
)
def test_a_computer_writes_its_words_without_brackets_in_every_language(day: str, words: str) -> None:
    """They tell a chat without a title from a diary, and where the name ends."""
    text = f"{day}\n10:05 Ann Lee {words}\n10:06 Bob a\n10:07 Ann Lee b\n10:08 Bob c\n"
    assert LineConnector().sniff(shelf(text)) > 0.5
    first = messages(read(LineConnector(), text))[0]
    assert (first.speaker, first.kind, first.content) == ("Ann Lee", "media", words)
    diary = f"{day}\n10:05 a {words} b\n10:06 b\n10:07 a c\n10:08 b d\n"
    assert LineConnector().sniff(shelf(diary)) == 0
    sheet = f"{day}\n10:05\ta\t{words}\n11:05\tb\tx\n12:05\tc\ty\n"
    assert LineConnector().sniff(shelf(sheet)) == 0


@for_each(
    [
        (
            "[LINE] Chat history in The Crew\nSaved on: 1/9/2026, 11:00\n\nFri, 1/9/2026\n9:30PM\t",
            "The Crew",
            "2026-01-09T21:30",
        ),
        (
            "[LINE] Chat history with Bo\nSaved on: 09/01/2026, 11:00\n\nFri, 09/01/2026\n12:05 AM\t",
            "Bo",
            "2026-01-09T00:05",
        ),
        (
            "[LINE] 與小明的聊天記錄\n儲存日期：2024/01/06 10:00\n\n2024/1/5（五）\n下午01:02\t",
            "小明",
            "2024-01-05T13:02",
        ),
        ("[LINE] 小组的聊天记录\n保存日期: 2024/01/06 10:00\n\n2024/1/5周五\n上午12:02\t", "小组", "2024-01-05T00:02"),
        ("[LINE] 台日のトーク履歴\n保存日時：R8/04/11 20:01\n\nR7/02/09(日)\n15:18    ", "台日", "2025-02-09T15:18"),
        ("[LINE] ประวัติการแชทกับ Nok\nบันทึกเมื่อ: 2/1/2567 10:00\n\nอังคาร, 02/01/2567\n10:05\t", "Nok", "2024-01-02T10:05"),
        ("[LINE] ประวัติการแชทกับ Nok\nบันทึกวันที่ 2024/01/15 10:30\n\n2024/01/02 อังคาร\n10:05\t", "Nok", "2024-01-02T10:05"),
        (
            "[LINE] 지민님과의 대화\n저장한 날짜: 2024/01/06 10:00\n\n2024.01.05 금요일\n오후 1:02\t",
            "지민",
            "2024-01-05T13:02",
        ),
    ]
)
def test_titles_days_and_times_of_languages(head: str, title: str, time: str) -> None:
    """The name of the weekday tells whether the month or the day comes first."""
    gap = head[-1] if head[-1] == "\t" else "    "
    records = read(LineConnector(), f"{head}Ann{gap}Hi\n")
    (message,) = messages(records)
    assert (message.speaker, message.content, message.time.isoformat()[:16]) == ("Ann", "Hi", time)
    assert documents(records)[0].metadata["title"] == title
    assert (codes(records), rejected(records)) == (["user-unknown"], [])


def test_an_order_of_dates_that_nothing_tells_is_a_notice() -> None:
    """``--date-order`` decides it."""
    text = "[LINE] Chat history with Bo\n\n02/01/2024\n10:05\tBo\tHi\n"
    records = read(LineConnector(), text)
    assert codes(records) == ["user-unknown", "date-order-ambiguous"]
    assert messages(records)[0].time.isoformat() == "2024-02-01T10:05:00+01:00"
    ordered = read(LineConnector(), text, date_order="dmy", me="bo")
    assert (codes(ordered), messages(ordered)[0].time.isoformat()) == ([], "2024-01-02T10:05:00+01:00")
    assert documents(ordered)[0].conversation.user == "Bo"


def test_a_later_export_that_overlaps_adds_what_is_new() -> None:
    """It begins in the middle of the day, a name has changed, and a message was taken back."""
    head = "[LINE] Chat history with Bo\nSaved on: 2024/01/02 12:34\n\n2024.01.02 Tuesday\n"
    first = f"{head}10:00\tBo\tOne\n10:01\tBo\tok\n10:01\tBo\tok\n10:02\tAnn\tTwo\n"
    later = f"{head}10:01\tBobby\tok\n10:01\tBobby\tok\n10:02\tAnn\tTwo\n10:03\tBobby\tThree\n"
    stored, _ = merged(None, one(read(LineConnector(), first)))
    stored, plan = merged(stored, one(read(LineConnector(), later)))
    assert [row.message.content for row in stored.messages] == ["One", "ok", "ok", "Two", "Three"]
    assert len(plan.added) == 1
    stored, plan = merged(stored, one(read(LineConnector(), later)))
    assert (len(plan.added), len(plan.updated)) == (0, 0)


def test_lines_that_cannot_be_placed_are_told() -> None:
    """A message before any day, a day that does not exist, a file that ends within a line, and bytes that are no text."""
    text = (
        "[LINE] Chat history with Bo\n09:00\tBo\tLost\n2024/02/30(Fri)\n10:00\tBo\tNo day\n2024/02/29(Thu)\n10:00\tBo\t"
    )
    records = read(LineConnector(), text.encode() + b"Hi \xff")
    assert rejected(records) == [
        ("chat.txt!chat.txt:2", "a message without a day"),
        ("chat.txt!chat.txt:3", "a date or time that does not exist"),
        ("chat.txt!chat.txt:4", "a message without a day"),
    ]
    (message,) = messages(records)
    assert (message.content, message.metadata) == ("Hi \ufffd", {"unterminated": "true"})
    assert codes(records) == ["user-unknown", "undecodable-bytes"]


def test_files_without_their_title_are_recognised() -> None:
    """By the time of saving, else by people who answer each other; a time sheet has neither."""
    talk = "".join(f"10:{n // 2:02d}\t{'Ann' if n % 2 else 'Bo'}\tline {n}\n" for n in range(12))
    for text in (
        f"2024.01.02 Tuesday\n{talk}",
        "Saved on: 2024/01/02 12:34\n\n2024.01.02 Tuesday\n10:05\tAnn\tHi\n10:06\tBo\tHo\n",
    ):
        assert LineConnector().sniff(shelf(text)) > 0.5
        assert {m.speaker for m in messages(read(LineConnector(), text))} == {"Ann", "Bo"}
    sheet = "".join(f"{n + 8:02d}:00\t{'Boat' if n % 2 else 'House'}\twork {n}\n" for n in range(12))
    assert LineConnector().sniff(shelf(f"2024.01.02 Tuesday\n{sheet}")) == 0


def test_diaries_stay_notes(tmp_path: Path) -> None:
    """Days and times alone make no chat."""
    for text in (
        "2024.01.02 Tuesday\n10:05 Dentist appointment\n11:00 Lunch with Bo\n12:00 Walk\n13:00 Sleep\n",
        "2024/01/15(月)\n"
        + "".join(f"{n + 8:02d}:{n % 2 * 30:02d} {'散歩' if n % 2 else '昼食'} 写真\n" for n in range(12)),
        "[LINE] of code\n\nNothing here.\n",
        "10:05\tBo\tHi\n",
    ):
        assert LineConnector().sniff(shelf(text)) == 0
    path = tmp_path / "chat.txt"
    path.write_text(JAPANESE, encoding="utf-8")
    assert choose(open_source(path), BERLIN).name == "line"
