"""Headers: every locale in both shapes, real ones from the wild, and the lock that keeps all others inside bodies."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from memd.connectors.formats.whatsapp.connector import WhatsAppConnector
from memd.connectors.formats.whatsapp.header_detection import detect_header_format
from memd.connectors.text import line_blocks
from memd.connectors.times.locales import LocaleRow, rows
from memd.tests.cases import check_all, for_each
from memd.tests.connectors.whatsapp.sources import codes, messages, options, parse, read, source

ZEROS = {
    "latn": "0",
    "arab": "٠",
    "arabext": "۰",
    "adlm": "𞥐",
    "hmnp": "𞅀",
    "olck": "᱐",
    "beng": "০",
    "cakm": "𑄶",
    "deva": "०",
    "tibt": "༠",
    "nkoo": "߀",
    "mymr": "၀",
    "mtei": "꯰",
}
ZH_PERIODS = ((5, "凌晨"), (8, "清晨"), (12, "上午"), (13, "中午"), (19, "下午"), (24, "晚上"))
FIELD = re.compile(r"'([^']*)'|([dMyGHhmsaB])\2*|([^'A-Za-z])")


def cldr(pattern: str, when: datetime, row: LocaleRow, *, wide: bool) -> str:
    """A moment in a CLDR pattern, by a renderer that shares nothing with the reader."""

    def piece(match: re.Match[str]) -> str:
        text, letter = match[0], match[2]
        if letter is None:
            return match[1] if match[1] is not None else match[3]
        if letter in "aB":
            if letter == "B":
                return next(word for until, word in ZH_PERIODS if when.hour < until)
            narrow, broad = (row.am, row.am_wide) if when.hour < 12 else (row.pm, row.pm_wide)
            return broad if wide and broad else narrow
        if letter == "G":
            return "AD"
        value = {
            "d": when.day,
            "M": when.month,
            "y": when.year,
            "H": when.hour,
            "h": when.hour % 12 or 12,
            "m": when.minute,
            "s": when.second,
        }[letter]
        if letter == "y":
            return str(value % 100).zfill(2) if text == "yy" else str(value)
        return str(value).zfill(len(text))

    return FIELD.sub(piece, pattern)


def header(row: LocaleRow, when: datetime, platform: str, *, wide: bool) -> str:
    """A header as this locale's phone writes it."""
    date = cldr(row.date, when, row, wide=wide)
    time = cldr(row.time_short if platform == "android" else row.time_medium, when, row, wide=wide)
    joined = row.joiner.replace("{1}", date).replace("{0}", time)
    zero = ord(ZEROS[row.digits])
    joined = re.sub("[0-9]", lambda m: chr(zero + int(m[0])), joined)
    return f"{joined} - " if platform == "android" else f"\u200e[{joined}] "


def conversation(start: datetime, count: int) -> list[tuple[datetime, str, str]]:
    """Messages through a year and through the day, by three authors."""
    authors = ("Ana", "Bo - Li", "+49 171 1234567")
    bodies = ("hello", "two\nlines", "a: b", "12/12 of them", "so, at 10:30?", "\n", "x" * 50)
    step = timedelta(days=8, hours=5, minutes=7, seconds=11)
    return [(start + step * index, authors[index % 3], f"{bodies[index % 7]}{index}") for index in range(count)]


SAID = conversation(datetime(2023, 1, 2, 0, 3, 4, tzinfo=UTC), 24)
EARLY = [(datetime(2024, 3, 4, 11, 58 + index, 5, tzinfo=UTC), "Ana", f"m{index}") for index in (0, 1)]
EARLY.append((datetime(2024, 3, 4, 12, 0, 5, tzinfo=UTC), "Ana", "m2"))


def exports(said: list[tuple[datetime, str, str]], *, wide: bool) -> list[tuple[str, bool]]:
    """The conversation as every locale writes it on both platforms, and whether with seconds; equal exports once.

    Args:
        said: the messages: time, author, body.
        wide: also with the long names of the halves of the day, where a locale has them.
    """
    found: dict[str, bool] = {}
    for row in rows():
        for platform in ("android", "ios"):
            seconds = "s" in (row.time_short if platform == "android" else row.time_medium)
            for long_names in (False, True) if wide and row.am_wide and row.am_wide != row.am else (False,):
                heads = [header(row, when, platform, wide=long_names) for when, _, _ in said]
                text = "".join(f"{head}{who}: {body}\n" for head, (_, who, body) in zip(heads, said, strict=True))
                found[text] = seconds
    return list(found.items())


@pytest.mark.slow
def test_every_locale_reads_back() -> None:
    """A conversation written as any locale writes it reads back equal, without any doubt about its dates."""

    def check(case: tuple[str, bool]) -> None:
        text, seconds = case
        expected = [(when if seconds else when.replace(second=0), author, body) for when, author, body in SAID]
        records = read(source(text))
        found = messages(records)

        assert expected == [(m.time, m.speaker, m.content) for m in found]
        assert "date-order-ambiguous" not in codes(records)
        assert {"second" if seconds else "minute"} == {m.time_precision for m in found}

    check_all(exports(SAID, wide=True), check)


def check_short_chat(case: tuple[str, bool]) -> None:
    """Three messages of one early day read back equal, or the documents say that the order of the date is open."""
    records = read(source(case[0]))
    found = messages(records)
    flagged = "date-order-ambiguous" in codes(records)

    assert [body for _, _, body in EARLY] == [m.content for m in found]
    assert flagged or [when.date() for when, _, _ in EARLY] == [m.time.date() for m in found]
    assert [(when.hour, when.minute) for when, _, _ in EARLY] == [(m.time.hour, m.time.minute) for m in found]


@pytest.mark.slow
def test_a_short_chat_is_right_or_flagged() -> None:
    """A third of all locales: three messages read back equal, or the documents say that the order of the date is open."""
    check_all(exports(EARLY, wide=False)[::3], check_short_chat)


@pytest.mark.long
def test_a_short_chat_is_right_or_flagged_in_every_locale() -> None:
    """Every locale: the same holds."""
    check_all(exports(EARLY, wide=False), check_short_chat)


REAL = {
    "[1/29/18, 12:24:03 PM] ": "2018-01-29T12:24:03",
    "29.01.18, 12:24 - ": "2018-01-29T12:24:00",
    "[29.01.18, 12:24:03] ": "2018-01-29T12:24:03",
    "2023-12-20, 5:46\u202fp.m. - ": "2023-12-20T17:46:00",
    "2023/12/20, 5:46 pm - ": "2023-12-20T17:46:00",
    "۲۰۲۱/۵/۳۰، ۱۸:۴۴ - ": "2021-05-30T18:44:00",
    "26/09/2019 à 22:39 - ": "2019-09-26T22:39:00",
    "19/5/2020 8:04 p. m. - ": "2020-05-19T20:04:00",
    "30/08/25 18.00 - ": "2025-08-30T18:00:00",
    "\u200f[١٥\u200f/٣\u200f/٢٠٢٤، ١٠:٠٥:٠٩ م] ": "2024-03-15T22:05:09",
    "[15.05.2017 18:01:12] ": "2017-05-15T18:01:12",
    "[25.08.23, 5:52:02 PM] ": "2023-08-25T17:52:02",
    "13.6.2018 klo 21.25.15 - ": "2018-06-13T21:25:15",
    "13.06.18 21.25.15: ": "2018-06-13T21:25:15",
    "13. 6. 2018. 21:25:15 ": "2018-06-13T21:25:15",
    "06/13/18, 21.25.15: ": "2018-06-13T21:25:15",
    "2016-06-27, 8:04:08 AM: ": "2016-06-27T08:04:08",
    "01.04.2015 - 16:00:27; ": "2015-04-01T16:00:27",
    "[22-12-18 22:55:45] ": "2018-12-22T22:55:45",
    "[2024/5/12 晚上10:01:02] ": "2024-05-12T22:01:02",
    "[2024/5/12 中午12:01:02] ": "2024-05-12T12:01:02",
    "2024. 05. 12. 23:10 - ": "2024-05-12T23:10:00",
    "22:10 25/12/23 - ": "2023-12-25T22:10:00",
    "25/12/2567 22:10 - ": "2024-12-25T22:10:00",
    "25/12/67 22:10 - ": "2024-12-25T22:10:00",
    "\ufeff[25.12.23 à 00:10:11] ": "2023-12-25T00:10:11",
    "2022/12/24, 13:34. - ": "2022-12-24T13:34:00",
    "24.12.22, 13:34 Uhr - ": "2022-12-24T13:34:00",
    "24.12.22 г. 13:34 ч. - ": "2022-12-24T13:34:00",
    "24.12.22, 1:34 nachm. - ": "2022-12-24T13:34:00",
    "२४/१२/२२, १:३४ म.उ. - ": "2022-12-24T13:34:00",
    "24/12/22, பிற்பகல் 1:34 - ": "2022-12-24T13:34:00",
    "2022年12月24日 下午1:34 - ": "2022-12-24T13:34:00",
    "[10.21.21, 15:21:45] ": "2021-10-21T15:21:45",
    "[01-29-2018, 23:33:00] ": "2018-01-29T23:33:00",
    "10.21.2021, 15:21 - ": "2021-10-21T15:21:00",
    "12/31/23, 12:10 AM - ": "2023-12-31T00:10:00",
    "12/31/23, 12:10\u2009PM - ": "2023-12-31T12:10:00",
}


@pytest.mark.slow
@for_each(REAL.items())
def test_headers_from_the_wild(head: str, expected: str) -> None:
    """Headers that were seen in real exports are read, each from a file of two messages."""
    found = messages(read(source(f"{head}Bea: hi\n{head}Cy: ho\n")))

    assert [(m.speaker, m.content) for m in found] == [("Bea", "hi"), ("Cy", "ho")]
    assert [expected] * 2 == [m.time.isoformat()[:19] for m in found]


NAMED = {
    "12 Jan 2023, 10:03 - ": "2023-01-12T10:03:00",
    "Jan 12, 2023, 10:03 PM - ": "2023-01-12T22:03:00",
    "January 2, 2023 at 10:03 AM - ": "2023-01-02T10:03:00",
    "[12-Jan-23 10:03:04] ": "2023-01-12T10:03:04",
    "10:03, 2 Mar 2014 - ": "2014-03-02T10:03:00",
    "2023 Jan 12 10:03 - ": "2023-01-12T10:03:00",
    "12. März 2023, 10:03 - ": "2023-03-12T10:03:00",
    "1 déc. 2023 à 10:03 - ": "2023-12-01T10:03:00",
    "12 de fev. de 2023 10:03 - ": "2023-02-12T10:03:00",
    "12 dic 2023 10:03 - ": "2023-12-12T10:03:00",
    "2 gen 2023, 10:03 - ": "2023-01-02T10:03:00",
    "12 янв. 2023 г., 10:03 - ": "2023-01-12T10:03:00",
    "12 जन॰ 2023, 10:03 - ": "2023-01-12T10:03:00",
    "2023. jan. 12. 10:03 - ": "2023-01-12T10:03:00",
}


@for_each(NAMED.items())
def test_dates_with_the_names_of_months(head: str, expected: str) -> None:
    """A name leaves no doubt about the order, whatever order was asked for."""
    found = read(source(f"{head}Bea: hi\n{head}Cy: ho\n"), options(date_order="mdy"))

    assert [(m.speaker, m.content) for m in messages(found)] == [("Bea", "hi"), ("Cy", "ho")]
    assert [expected] * 2 == [m.time.isoformat()[:19] for m in messages(found)]
    assert "date-order-ambiguous" not in codes(found)


@pytest.mark.parametrize("head", ["12 apples 2023, 10:03 - ", "12 Jan 2023 10:03 ", "Ma 12, 2023, 10:03 - "])
def test_other_words_are_no_months(head: str) -> None:
    """A list of things, and a diary, are not taken for a chat."""
    assert WhatsAppConnector().sniff(source(f"{head}Bea: hi\n{head}Cy: ho\n")) < 0.5


def test_no_space_after_the_colon() -> None:
    """``Bob:Hi`` has an author."""
    text = "".join(f"13.05.24, 10:0{n} - Bob:Hi {n}\n" for n in range(3))

    assert [("text", "Bob", f"Hi {n}") for n in range(3)] == parse(text)


PASTED = """[13.05.24, 10:00:00] Bea: look:
[1/29/18, 12:24:03 PM] Zoe: other template
29.01.18, 12:24 - Zoe: and another
2016-04-29 10:30:00 a log line
[2,4,0,1] a list
[13.05.24, 10:01:00] Cy: ok
"""


def test_other_templates_stay_text() -> None:
    """A pasted log of another format, lists and dates at a line's start stay in the body they stand in, with a notice."""
    records = read(source(PASTED))
    lines = PASTED.split("\n")

    assert [("Bea", "look:\n" + "\n".join(lines[1:5])), ("Cy", "ok")] == [
        (m.speaker, m.content) for m in messages(records)
    ]
    assert "pasted-log" in codes(records)


def test_a_long_pasted_log_does_not_win() -> None:
    """The template of the first line stays the template even when another is more frequent."""
    log = "".join(f"1/2/18, 12:{n:02} PM - Zoe: pasted {n}\n" for n in range(50))
    text = f"[13.05.24, 10:00:00] Bea: look\n{log}[13.05.24, 10:01:00] Cy: ok\n"

    assert [speaker for _, speaker, _ in parse(text)] == ["Bea", "Cy"]


def test_a_damaged_first_line_does_not_win() -> None:
    """A first line that differs from the others in one place is rejected alone, with its place."""
    text = "13.05/24, 10:00 - Bea: one\n" + "".join(f"13.05.24, 10:0{n} - Bea: {n}\n" for n in range(5))
    records = read(source(text))

    assert [m.content for m in messages(records)] == ["0", "1", "2", "3", "4"]
    assert "rejected" in codes(records)


def test_no_header_no_lock() -> None:
    """Text without headers has no template."""
    assert detect_header_format(["Dear diary,", "on 12/12/2012 at 12:12 it rained."]) is None


def test_date_order_option_decides() -> None:
    """An ambiguous file follows the option, and is not ambiguous any more."""
    text = "1/2/24, 10:00 - Bea: hi\n"
    for order, expected in (("dmy", "2024-02-01"), ("mdy", "2024-01-02")):
        records = read(source(text), options(date_order=order))  # type: ignore[arg-type]
        assert [expected] == [m.time.date().isoformat() for m in messages(records)]
        assert "date-order-ambiguous" not in codes(records)


@for_each(
    [
        "[03.05.2025, 21:00:02] <Nora Field> are you home?\n[03.05.2025, 21:01:02] <Me Myself> yes: since noon\n",
        "03.05.2025, 21:00 - <nora> are you home?\n03.05.2025, 21:01 - <me> yes: since noon\n",
        "[03.05.2025, 21:00:02] are you home?\n[03.05.2025, 21:01:02] yes\n",
        "03.05.2025, 21:00 - started\n03.05.2025, 21:01 - done\n",
    ]
)
def test_lines_without_authors_are_no_evidence(text: str) -> None:
    """Nor are those whose authors stand in angle brackets."""
    assert WhatsAppConnector().sniff(source(text)) == 0


@for_each(
    [
        "03.05.2025, 21:00 - Ann created group \u201cBoats\u201d\n",
        "[03.05.2025, 21:00:02] \u200eMessages and calls are end-to-end encrypted.\n",
        "[03.05.2025, 21:00:02] ab:Hi\n",
        "03.05.2025, 21:00 - Ann: <Media omitted>\n03.05.2025, 21:00 - [Work] Bo: hi\n",
    ]
)
def test_a_line_of_the_app_or_with_an_author_is_evidence(text: str) -> None:
    """A chat may have but one message."""
    assert WhatsAppConnector().sniff(source(text)) >= 0.9


IPHONE = (
    "[22-01-20 10:00:00] Bob: This goes over\n[22-01-20 10:00:30] Carla: pasted words\n\u200e[22-01-20 10:00:40] Bob: more\nend\r\n"
    "[22-01-20 10:01:00] Alice: next message\r\n[22-01-20 10:02:00] Bob: third\r\n[22-01-20 10:03:00] Bob: last\r\n"
    "\u200e[22-01-20 10:04:00] Alice: end\r\n"
)


def test_on_iphones_a_message_ends_at_crlf() -> None:
    """A line behind LF is text of its message, though it looks like a header."""
    records = read(source(IPHONE))
    pasted = "This goes over\n[22-01-20 10:00:30] Carla: pasted words\n\u200e[22-01-20 10:00:40] Bob: more\nend"
    assert [(each.speaker, each.content) for each in messages(records)] == [
        ("Bob", pasted),
        ("Alice", "next message"),
        ("Bob", "third"),
        ("Bob", "last"),
        ("Alice", "end"),
    ]
    assert "pasted-log" in codes(records)


def test_a_small_chat_of_an_iphone_may_quote_as_many_messages() -> None:
    """Headers behind LF that are as many as the others are text, if CRLF ends the first message and the last."""
    text = (
        "[22-01-20 10:00:00] Bob: first\r\n[22-01-20 10:01:00] Ann: look:\n[22-01-19 08:00:00] Bob: I pay\n"
        "[22-01-19 08:01:00] Ann: ok\r\n[22-01-20 10:02:00] Bob: yes\r\n"
    )
    quoted = "look:\n[22-01-19 08:00:00] Bob: I pay\n[22-01-19 08:01:00] Ann: ok"
    assert [each.content for each in messages(read(source(text)))] == ["first", quoted, "yes"]


@for_each([1, 2, 3, 7, 50, 1000])
def test_blocks_may_end_anywhere_in_such_a_file(chunk: int) -> None:
    """Between CR and LF, too."""
    text = "[22-01-20 09:59:00] Alice: first\r\n" + IPHONE
    whole = messages(read(source(text)))
    assert len(whole) == 6
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_blocks, "_CHUNK", chunk)
        assert messages(read(source(text))) == whole


@for_each(
    [
        IPHONE.replace("\r\n", "\n"),
        IPHONE.replace("\n", "\r\n").replace("\r\r", "\r"),
        IPHONE.replace("\r\n[", "\n["),
        IPHONE + "[22-01-20 10:05:00] Bob: appended\n[22-01-20 10:06:00] Bob: too\n",
        IPHONE + IPHONE.replace("\r\n", "\n"),
    ]
)
def test_other_line_ends_are_read_alike(text: str) -> None:
    """LF or CRLF alone, both in one file that was saved by an editor, and exports with each that were put together."""
    assert messages(read(source(text))) == messages(read(source(text.replace("\r\n", "\n"))))
