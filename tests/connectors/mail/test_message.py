"""One mail taken apart: headers, text, attachments, kinds."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.formats.mail.mailbox import Address, MailError, html_to_text, parse_message
from memd.schemas import Attachment, EmailThreadDocument
from memd.tests.cases import for_each
from memd.tests.connectors.mail.reading import mail, read, rejections
from memd.tests.connectors.mail.samples import HTML, TAKEOUT, THUNDERBIRD


def multipart(kind: str, *parts: str) -> bytes:
    """A mail of parts, each with its own headers."""
    inner = "".join(f"--b\n{part}\n" for part in parts)
    return mail(f"{inner}--b--\n", Content_Type=f'multipart/{kind}; boundary="b"')


@for_each(
    [
        ("=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
        ("=?UTF-8?B?w6Q=?= =?UTF-8?Q?_b?=", "ä b"),
        ("=?utf-8?B?4pyT4p0=?=\n =?utf-8?B?jA==?=", "✓❌"),
        ("a =?iso-8859-1?q?=FC?= b", "a ü b"),
        ("=?x-unknown?q?plain?=", "plain"),
        ("=?utf-8?b?***?=", "=?utf-8?b?***?="),
        ("=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"),
        ("=?utf-8*de?q?a=20b?=", "a b"),
        ("one\n two\n\tthree", "one two three"),
    ]
)
def test_subjects_are_decoded(subject: str, shown: str) -> None:
    """Encoded words, also where a character is split between two; what is broken stays as it is."""
    assert parse_message(mail(Subject=subject)).subject == shown


def test_a_folded_line_without_its_blank_belongs_to_the_field_before_it() -> None:
    """The headers behind it count; where none that a mail needs follows, the line begins the body."""
    broken = b"From: a@x.org\nSubject: a subject that\nwent on\nDate: Mon, 15 Jan 2024 10:00:00 +0000\n\nwords\n"
    for data in (broken, broken.replace(b"\n", b"\r\n")):
        parsed = parse_message(data)
        assert (parsed.subject, parsed.body.strip()) == ("a subject that went on", "words")
        assert parsed.time == datetime(2024, 1, 15, 10, tzinfo=UTC)
    body = parse_message(b"From: a@x.org\nDate: Mon, 15 Jan 2024 10:00:00 +0000\nSubject: a\nHello\nnote: b\n\nwords\n")
    assert body.body.split() == ["Hello", "note:", "b", "words"]
    forged = parse_message(b"From: a@x.org\nDate: Mon, 15 Jan 2024 10:00:00 +0000\nHello\nFrom: b@x.org\n\nwords\n")
    assert forged.body.startswith("Hello")
    ended = parse_message(
        b"From: a@x.org\nDate: Mon, 15 Jan 2024 10:00:00 +0000\n \t\nHello\nMessage-ID: <forged@x.org>\n\nwords\n"
    )
    assert ended.body.startswith("Hello")


def test_enriched_text_beside_plain_is_not_read_twice() -> None:
    """It is the same text; alone it is read."""
    plain = "Content-Type: text/plain\n\nplain words"
    enriched = "Content-Type: text/enriched\n\n<bold>plain</bold> words"
    assert parse_message(multipart("alternative", plain, enriched)).body.strip() == "plain words"
    assert parse_message(multipart("alternative", enriched)).body.strip() == "plain words"


def test_bytes_in_headers_that_no_rule_allows_are_read() -> None:
    """UTF-8 and Windows-1252 without any declaration."""
    for encoding in ("utf-8", "cp1252"):
        assert parse_message("Subject: Grüße\nFrom: Jörg <j@x.org>\n\nx".encode(encoding)).subject == "Grüße"


@for_each(
    [
        ("Bob <B@x.org>", [("Bob", "b@x.org")]),
        ('"Bob, X." <b@x.org>, c@d.e', [("Bob, X.", "b@x.org"), ("", "c@d.e")]),
        ("undisclosed-recipients:;", []),
        ("The group: Ed <e@x.org>, f@x.org;", [("Ed", "e@x.org"), ("", "f@x.org")]),
        ("=?utf-8?q?J=C3=B6rg?= <j@x.org>", [("Jörg", "j@x.org")]),
        ("bob@x.org (Bob)", [("Bob", "bob@x.org")]),
        ("\"'Ann'\" <a@x.org>", [("Ann", "a@x.org")]),
        ('"A \\"B\\" C" <a@x.org>', [('A "B" C', "a@x.org")]),
        ("<<b@x.org>>", [("", "b@x.org")]),
        ("Bob Lee <<b@x.org>>", [("Bob Lee", "b@x.org")]),
        ("Bob Lee [mailto:b@x.org]", [("Bob Lee", "b@x.org")]),
        ("Bob <SMTP:b@x.org>, Ed <e@x.org>", [("Bob", "b@x.org"), ("Ed", "e@x.org")]),
        ("Bob Lee b@x.org", [("Bob Lee", "b@x.org")]),
        ('Bob <"bob lee"@x.org>', [("Bob", '"bob lee"@x.org')]),
        ("=?utf-8?q?J=C3=B6rg_=3Cj=40x=2Eorg=3E?=", [("Jörg", "j@x.org")]),
        ("a@x.org <b@y.org>", [("a@x.org", "b@y.org")]),
        ("b@y.org <b@y.org>, Ed <e@x.org>", [("", "b@y.org"), ("Ed", "e@x.org")]),
        ("Cron Daemon <root>", [("Cron Daemon", "root")]),
        ("root (Cron Daemon)", [("Cron Daemon", "root")]),
        ("root, Ed Lang, <e@x.org>", [("", "root"), ("Ed Lang", ""), ("", "e@x.org")]),
        ("Lang, Ed <e@x.org>; Ann <a@x.org>", [("Lang, Ed", "e@x.org"), ("Ann", "a@x.org")]),
        ("@@", []),
    ]
)
def test_addresses(value: str, people: list[tuple[str, str]]) -> None:
    """Names and addresses in all the forms in which they are written."""
    assert parse_message(mail(To=value)).to == tuple(Address(*each) for each in people)


EAST = timezone(timedelta(hours=2))


@for_each(
    [
        ("Mon, 7 Apr 2025 16:31:00 +0200", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("7 Apr 25 14:31 EST", datetime(2025, 4, 7, 14, 31, tzinfo=timezone(timedelta(hours=-5))), True),
        ("Mon, 7 Apr 2025 14:31:60 +9999", datetime(2025, 4, 7, 14, 31, 59, tzinfo=UTC), False),
        ("Mon Apr  7 14:31:02 2025", datetime(2025, 4, 7, 14, 31, 2, tzinfo=UTC), False),
        ("Mon, 7 Apr 2025 14:31:00 GMT (a comment)", datetime(2025, 4, 7, 14, 31, tzinfo=UTC), True),
        ("Mon, April 7, 2025 4:31 PM", datetime(2025, 4, 7, 16, 31, tzinfo=UTC), False),
        ("Mon, 7 (the (next)) Apr 2025 12:31 a.m. +02:00", datetime(2025, 4, 7, 0, 31, tzinfo=EAST), True),
        ("Mon, 7 Apr 2025 16:31:00 GMT+0200", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("Mon, 7 Apr 2025 16:31:00 CEST", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("Mon Apr 7 16:31:00 CEST 2025", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("Mon, 7 Apr 2025 16:31:00 W. Europe Daylight Time", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("Mon, 7 Apr 2025 16:31:00 ZZZT", datetime(2025, 4, 7, 16, 31, tzinfo=UTC), False),
        ("2025-04-07T16:31:00.25+02:00", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("07-Apr-2025 16:31:00 +0200", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("Mon, 7 Apr 125 16:31:00 +0200", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("mar., 8 avr. 2025 16:31:00 +0200", datetime(2025, 4, 8, 16, 31, tzinfo=EAST), True),
        ("Sa., 8 März 2025 16:31:00 +0200", datetime(2025, 3, 8, 16, 31, tzinfo=EAST), True),
        ("2025年4月7日(月) 16:31:00 +0200", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("2025年4月7日 下午4:31:00 +0200", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("2025년 4월 7일 월요일 오전 12:31 +0200", datetime(2025, 4, 7, 0, 31, tzinfo=EAST), True),
        ("Mon, Apr 7, 2025 at 4:31\u202fPM +0200", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("Monday, April 7th, 2025 4:31 PM +0200", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("Mon, 7 Apr 2025 16:31:00 (local) +0200 (CEST (Central))", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("Mon, 7 Apr 2025 16:31:00 +0200 +0200", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("Mon, 7 Apr 2025 16.31.00 +0200", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("Mon, 7 Apr 2025 16:31:00 Europe/Berlin", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("Mon, 7 Apr 2025 16:31:00 Mitteleuropäische Sommerzeit", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("Mon, 7 Apr 2025 16:31:00 MET DST", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
        ("17.04.2025 16:31:00 +0200", datetime(2025, 4, 17, 16, 31, tzinfo=EAST), True),
        ("4/17/2025 4:31:00 PM", datetime(2025, 4, 17, 16, 31, tzinfo=UTC), False),
        ("1744036260", datetime(2025, 4, 7, 14, 31, tzinfo=UTC), True),
        ("=?utf-8?q?Mon=2C_7_Apr_2025_16=3A31=3A00_+0200?=", datetime(2025, 4, 7, 16, 31, tzinfo=EAST), True),
    ]
)
def test_dates(date: str, time: datetime, zoned: bool) -> None:
    """With the offset that they name; without one it is told that nothing names it."""
    found = parse_message(mail(Date=date))
    assert (found.time, found.zoned) == (time, zoned)


@for_each(["04/07/2025 16:31", "Mon, 7 Apr 2025 25:31:00 +0200", "a 7 Apr 2025 noon 16:31", "Mon, 7 Apr 2025"])
def test_a_date_that_is_not_wholly_understood_is_none(date: str) -> None:
    """It is told, and not taken in half."""
    assert parse_message(mail(Date=date)).time is None


def test_without_a_date_the_time_of_arrival_counts() -> None:
    """First the last server's, then the envelope's; without both there is none."""
    received = "from a by b; Tue, 8 Apr 2025 09:00:01 +0000"
    arrived = datetime(2025, 4, 8, 9, 0, 1, tzinfo=UTC)
    assert parse_message(mail(Date="soon", Received=received)).time == arrived
    envelope = b"From x@y.z Mon Apr  7 14:31:02 2025\n"
    assert parse_message(mail(Date="-"), envelope=envelope).time == datetime(2025, 4, 7, 14, 31, 2, tzinfo=UTC)
    assert parse_message(mail(Date="-")).time is None


@for_each(
    [
        "Mon, 01 Jan 0001 00:00:00 +0000",
        "Mon, 01 Jan 0001 00:00:00 +1400",
        "1 Jan 0000 00:00 GMT",
        "Mon, 01 Jan 0001 00:00:00 GMT",
        "Mon, 31 Dec 0001 23:59:59 -1200",
        "Fri, 31 Dec 9999 23:59:59 -0100",
        "Fri, 31 Dec 9999 23:59:59",
    ]
)
def test_a_date_at_either_end_of_the_calendar_is_none(date: str) -> None:
    """Programs without a clock write it: the time of arrival counts, and without one the mail alone is rejected."""
    received = "from a by b; Tue, 8 Apr 2025 09:00:01 +0000"
    arrived = datetime(2025, 4, 8, 9, 0, 1, tzinfo=UTC)
    assert parse_message(mail(Date=date, Received=received)).time == arrived
    records = read({"a.eml": mail(Date=date), "b.eml": mail(Message_ID="<m2@example.com>")})
    assert rejections(records) == [("mail!a.eml", "no date that can be read")]
    assert [document.id for document in records if isinstance(document, EmailThreadDocument)] == ["mail:m2@example.com"]


RUSSIAN = "Здравствуйте! Встреча переносится на завтра в десять часов утра, в большом зале на третьем этаже."


@for_each(
    [
        ("utf-8", "Grüße".encode(), "Grüße"),
        ("iso-8859-1", b"\x93quoted\x94 \x80", "“quoted” €"),
        ("gb2312", "朱镕基".encode("gb18030"), "朱镕基"),
        ("ks_c_5601-1987", "똠방".encode("cp949"), "똠방"),
        ("x-unknown", "Grüße".encode(), "Grüße"),
        ("us-ascii", "Grüße".encode(), "Grüße"),
        ("utf-8", "Grüße aus Köln".encode("cp1252"), "Grüße aus Köln"),
        ("hex", b"abc", "abc"),
        ("utf-16", "Grüße".encode("utf-16"), "Grüße"),
        ("iso-8859-1", "Grüße".encode(), "Grüße"),
        ("windows-1251", "Привет".encode(), "Привет"),
        ("iso-8859-1", RUSSIAN.encode("cp1251"), RUSSIAN),
        ("iso-2022-jp", b"\x1b$B-!\x1b(B \x1b$BF|K\\\x1b(B \x1b$B-j\x1b(B", "① 日本 ㈱"),
        ("us-ascii", b"\x1b$BF|K\\\x1b(B", "日本"),
        ("iso-2022-jp", b"\x1b(I6\x1b(B", "ｶ"),
        ("us-ascii", "내일 만나요".encode("iso2022_kr"), "내일 만나요"),
        ("euc-jp", "①日本㈱".encode("euc_jisx0213"), "①日本㈱"),
        ("koi8-r", "Зустріч о десятій, є питання".encode("koi8_u"), "Зустріч о десятій, є питання"),
        ("koi8-r", RUSSIAN.encode("cp1251"), RUSSIAN),
        ("windows-1251", RUSSIAN.encode("koi8_r"), RUSSIAN),
        ("x-unknown", "Zażółć gęślą jaźń, proszę".encode("cp1250"), "Zażółć gęślą jaźń, proszę"),
        ("x-unknown", "Příliš žluťoučký kůň úpěl".encode("iso8859_2"), "Příliš žluťoučký kůň úpěl"),
        (
            "iso-8859-1",
            "Ayşe, toplantı yarın öğlen, şimdi değil".encode("cp1254"),
            "Ayşe, toplantı yarın öğlen, şimdi değil",
        ),
        ("iso-8859-1", "Það er gott veður í dag".encode("latin-1"), "Það er gott veður í dag"),
        ("x-unknown", "Grüße".encode("utf-16"), "Grüße"),
    ]
)
def test_encodings(charset: str, data: bytes, text: str) -> None:
    """The declared one or what it stands for, else UTF-8, else what the bytes look like."""
    head = f"From: a@b.c\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: base64\n\n"
    assert parse_message(head.encode() + b64encode(data)).body == text


def test_a_truncated_character_does_not_change_the_encoding() -> None:
    """One damaged place is replaced; all else stays UTF-8."""
    body = ("Grüße aus Köln, " * 20).encode()[:-2] + b"\xc3"
    found = parse_message(b"From: a@b.c\nContent-Type: text/plain; charset=utf-8\n\n" + body).body
    assert found.startswith("Grüße aus Köln")
    assert found.endswith("\N{REPLACEMENT CHARACTER}")


def test_the_plain_form_is_the_text_unless_it_says_nothing() -> None:
    """The HTML stands in where the plain text is blank, or only says that one should look at the HTML."""
    html = "Content-Type: text/html\n\n<p>Hello <b>Ann</b>, the boat is sold and we can talk about it tomorrow.</p>"
    shown = "Hello Ann, the boat is sold and we can talk about it tomorrow."
    same = "Content-Type: text/plain\n\nHello Ann, the boat is sold and we can talk\nabout it tomorrow."
    assert parse_message(multipart("alternative", same, html)).body == same.partition("\n\n")[2]
    assert parse_message(multipart("alternative", "Content-Type: text/plain\n\n \n", html)).body == shown
    pointer = "Content-Type: text/plain\n\nThis needs HTML."
    assert parse_message(multipart("alternative", pointer, html)).body == shown


@for_each(
    [
        "[cid:image001.png@01DA6E00.12345670]",
        "--",
        "https://example.org/view",
        "Reminder",
        "There is no text version of this message.",
        "このメールはHTML形式です。",
        "\N{NO-BREAK SPACE}\N{ZERO WIDTH SPACE}",
        "<html><p>The boat is sold to <b>Bert</b> for 4,000 euros.</p></html>",
    ]
)
def test_a_plain_form_without_the_words_is_not_the_text(plain: str) -> None:
    """The HTML has them."""
    html = "Content-Type: text/html\n\n<p>The boat is sold to <b>Bert</b> for 4,000 euros.</p>"
    plain = f"Content-Type: text/plain; charset=utf-8\n\n{plain}"
    assert parse_message(multipart("alternative", plain, html)).body == "The boat is sold to Bert for 4,000 euros."


INVITATION = """\
BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VEVENT
SUMMARY:Launch of the boat
DTSTART;TZID=Europe/Rome:20250412T140000
DTEND;TZID=Europe/Rome:20250412T153000
LOCATION:Pier 4\\, Genoa
DESCRIPTION:Bring a bottle.
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR
"""


@for_each(["text/calendar; method=REQUEST", 'application/ics; name="invite.ics"'])
def test_an_invitation_tells_its_event(kind: str) -> None:
    """Title, time, place and description, unless the text of the mail has them."""
    event = ["Launch of the boat", "2025-04-12 14:00 - 15:30 Europe/Rome", "Pier 4, Genoa", "Bring a bottle."]
    empty, said = ("Content-Type: text/plain\n\n" + text for text in ("", "Bring a bottle. Pier 4, Genoa!"))
    found = parse_message(multipart("mixed", empty, f"Content-Type: {kind}\n\n{INVITATION}"))
    assert found.invitation
    assert found.body == "\n".join(event)
    found = parse_message(multipart("mixed", said, f"Content-Type: {kind}\n\n{INVITATION}"))
    assert found.body == "\n".join([*event[:2], "Bring a bottle. Pier 4, Genoa!"])


def test_an_invitation_tells_all_its_events_and_an_answer_what_it_says() -> None:
    """Links and comments too; an alarm is none of it."""
    event = "BEGIN:VEVENT\nSUMMARY:{}\nDTSTART:20250412T140000Z\nURL:https://example.org/{}\nEND:VEVENT\n"
    several = f"BEGIN:VCALENDAR\nMETHOD:REQUEST\n{event.format('One', 1)}{event.format('Two', 2)}END:VCALENDAR\n"
    body = parse_message(mail(several, Content_Type="text/calendar")).body
    assert body == "One\n2025-04-12 14:00 UTC\nhttps://example.org/1\nTwo\nhttps://example.org/2"
    answer = (
        "BEGIN:VCALENDAR\nMETHOD:REPLY\nBEGIN:VEVENT\nSUMMARY:One\nATTENDEE;PARTSTAT=DECLINED:mailto:b@x.org\n"
        "COMMENT:I am away\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    assert parse_message(mail(answer, Content_Type="text/calendar")).body == "[declined]\nOne\nI am away"


def test_texts_around_a_picture_are_one_text() -> None:
    """Apple Mail writes what stands before and after a picture as two parts."""
    picture = 'Content-Type: image/png; name="p.png"\nContent-Transfer-Encoding: base64\n\nAAAA'
    found = parse_message(multipart("mixed", "Content-Type: text/plain\n\nbefore\n", picture, "\nafter"))
    assert found.body == "before\nafter"
    assert found.attachments == (Attachment(name="p.png", mime="image/png", size=3),)


def test_attachments_have_names_types_and_sizes() -> None:
    """Names in pieces and in other encodings, and sizes without the encoding of the transfer."""
    raw = THUNDERBIRD.partition(b"\n")[2].partition(b"\nFrom - ")[0]
    assert parse_message(raw).attachments == (
        Attachment(name="a.jpg", mime="image/jpeg", size=11),
        Attachment(name="Übersicht 2025.pdf", mime="application/pdf", size=5),
    )
    text = 'Content-Type: text/plain; name="=?utf-8?q?=C3=A4.txt?="\nContent-Disposition: attachment\n\nabc'
    unnamed = "Content-Type: image/jpeg\n\nabc"
    path = 'Content-Type: application/x; name="C:\\\\temp\\\\a.doc"\n\nab'
    found = parse_message(multipart("mixed", "\nhello", text, unnamed, path))
    assert [(each.name, each.size) for each in found.attachments] == [("ä.txt", 3), ("image.jpg", 3), ("a.doc", 2)]
    assert found.body == "hello"


def test_uuencoded_files_are_attachments() -> None:
    """They stand in the text of old mails; the text around them stays."""
    found = parse_message(mail("before\nbegin 644 a.txt\n#86)C\n`\nend\nafter\n"))
    assert (found.body, found.attachments) == ("before\nafter\n", (Attachment(name="a.txt", size=3),))


def test_a_mail_inside_is_an_attachment_and_a_forward() -> None:
    """Its words are somebody else's."""
    inner = "Content-Type: message/rfc822\n\nFrom: Dee <d@x.org>\nSubject: house\n\nI live in Oslo."
    found = parse_message(multipart("mixed", "\nsee below\n", inner))
    assert found.reply_text == "see below\n"
    assert found.forwarded_blocks == ("From: Dee <d@x.org>\nSubject: house\n\nI live in Oslo.",)
    assert [each.name for each in found.attachments] == ["mail.eml"]


def test_what_is_encrypted_is_not_text() -> None:
    """Neither OpenPGP nor S/MIME."""
    pgp = "Content-Type: application/octet-stream; name=encrypted.asc\n\n-----BEGIN PGP MESSAGE-----\nhQ==\n"
    found = parse_message(multipart("encrypted", "Content-Type: application/pgp-encrypted\n\nVersion: 1", pgp))
    assert (found.body, found.encrypted) == ("", True)
    smime = parse_message(mail("MIIB", Content_Type="application/pkcs7-mime; name=smime.p7m"))
    assert (smime.body, smime.encrypted) == ("", True)


def test_broken_words_of_flowed_text_are_joined() -> None:
    """With ``DelSp`` a blank at the end of a line was added where a word was broken; without it the text stays."""
    for parameters, text in (("; delsp=yes", "日本語\n"), ("", "日本 \n語\n")):
        kind = f"text/plain; charset=utf-8; format=flowed{parameters}"
        assert parse_message(mail("日本 \n語\n", Content_Type=kind)).body == text


@for_each(
    [
        ({}, "personal"),
        ({"List_Unsubscribe": "<https://x.org>"}, "bulk"),
        ({"Precedence": "bulk"}, "bulk"),
        ({"List_Id": "<l.x.org>", "List_Post": "<mailto:l@x.org>", "List_Unsubscribe": "<x>"}, "list"),
        ({"List_Id": "<l.x.org>", "List_Post": "NO", "List_Unsubscribe": "<x>"}, "bulk"),
        ({"Auto_Submitted": "auto-replied"}, "automatic"),
        ({"Auto_Submitted": "no"}, "personal"),
        ({"From": "no-reply@x.org"}, "automatic"),
        ({"From": "Nora Reply <nora@x.org>"}, "personal"),
        ({"Content_Type": "multipart/report; report-type=delivery-status; boundary=b"}, "automatic"),
    ]
)
def test_kinds(fields: dict[str, str], kind: str) -> None:
    """Who wrote it to whom: a person, somebody to a list, a sender of newsletters, or a program."""
    assert parse_message(mail(**fields)).kind == kind


def test_labels_are_decoded_before_they_are_split() -> None:
    """A comma within a label is quoted, and the field is folded."""
    labels = parse_message(TAKEOUT.partition(b"\n")[2]).labels
    assert labels == ("Posteingang", "Reise, Süden", "Wichtig")


def test_hidden_text_of_html_is_no_text() -> None:
    """What a reader cannot see is counted and left out, and so are pictures that count readers."""
    found = parse_message(HTML)
    assert found.body == "Hello Ann\n\nSee our offers <https://shop.example/a>."
    assert (found.hidden, found.links) == (16, ("https://shop.example/a",))


@for_each(
    [
        ("<p>a</p><p>b<br>c</p>", "a\n\nb\nc"),
        (
            "<a href='tel:+4912345678'>ring</a> <a href='tel:012345678'>01 23 45 678</a>",
            "ring <+4912345678> 01 23 45 678",
        ),
        ("<div>a</div><div>b</div>", "a\nb"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>c", "> a\n>\n>> b\n\nc"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a\tb\nc"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("a <b>b</b>\n  c&nbsp;&amp;", "a b c\xa0&"),
        ("<p>a<span style='font-size:0'>x</span></p>", "a"),
        ("<p>a<span style='color:#fff;background:white'>x</span></p>", "a"),
        ("<p style='color:#fff'>a</p>", "a"),
        ("<div hidden>x<div>y</div></div>a", "a"),
        ("<a href='mailto:a@b.c'>Ann</a> <a href='https://x.org'>x.org</a>", "Ann <a@b.c> x.org"),
        ("<blockquote style='margin: 0 0 0 40px; border: none'>a</blockquote>", "a"),
        ("<b>unclosed <i>a", "unclosed a"),
        ("", ""),
    ]
)
def test_html(html: str, text: str) -> None:
    """Blocks, breaks, quotes, tables, lists, links, and what is hidden."""
    assert html_to_text(html).text == text


@for_each(["<div>", "<b>", "<table><tr><td>", "<blockquote>", "<a href='https://x.org'>", "<ul><li>"])
def test_deep_html_gives_its_text(tag: str) -> None:
    """Elements inside elements, as deep as a mail may be large."""
    assert html_to_text(tag * 50_000 + "words").text.endswith("words")


@pytest.mark.slow
@for_each(
    ["=?a?q?", "a ", " ", '"', "<", "<a@b>", ",", "(", ";a", ";a*0*=", "for a", "=?utf-8?q?a?= ", "\n ", "@", "a@b.c,"]
)
def test_long_headers_are_read_in_linear_time(piece: str) -> None:
    """Whatever is repeated in them."""
    value = f"a{piece * (200_000 // len(piece))}b"
    names = ("From", "To", "Subject", "Date", "Message-ID", "References", "Content-Type", "X-Gmail-Labels", "Received")
    assert parse_message("".join(f"{name}: {value}\n" for name in names).encode() + b"\nwords").body.endswith("words")


@pytest.mark.parametrize(
    "piece", ["begin 644 a\n", "begin 644 a\nM\n", "--b\n", "--b\nContent-Type: multipart/mixed; boundary=b\n\n"]
)
def test_long_bodies_are_read_in_linear_time(piece: str) -> None:
    """Marks of files and of parts."""
    body = piece * (400_000 // len(piece)) + "\nend\n"
    kind = "multipart/mixed; boundary=b" if "--b" in piece else "text/plain"
    assert parse_message(mail(body, Content_Type=kind)).headers.fields


def test_what_is_no_mail_is_refused() -> None:
    """Without any header there is nothing to read; the reason tells nothing of the words."""
    with pytest.raises(MailError, match=r"^no headers$"):
        parse_message(b"just some words\n")


@given(data=st.binary(max_size=600))
def test_any_bytes_in_any_header_and_part(data: bytes) -> None:
    """Whatever stands in them, a mail is read, and twice in the same way."""
    flat = data.replace(b"\n", b" ").replace(b"\r", b" ")
    names = (b"From", b"To", b"Subject", b"Date", b"Message-ID", b"References", b"Content-Type", b"X-Gmail-Labels")
    raw = b"X-Mailer: x\n" + b"".join(name + b": " + flat + b"\n" for name in names) + b"\n" + data
    first, second = parse_message(raw), parse_message(raw)
    assert (first.key, first.body, first.body_segments) == (second.key, second.body, second.body_segments)
    assert "".join(first.body[each.start : each.end] for each in first.body_segments) == first.body


def test_mails_within_mails_without_end_are_attachments() -> None:
    """Those further in than anybody forwards are told by their names; the mail itself is read."""
    inside = b"Content-Type: message/rfc822\n\nFrom: a@x.org\nSubject: x\n" * 1_000
    whole = b"From: a@x.org\nDate: Mon, 7 Apr 2025 14:31:00 +0000\nMessage-ID: <1@x>\n" + inside + b"\nbody\n"
    mail = parse_message(whole)
    assert len(mail.attachments) > 1


@pytest.mark.parametrize("before", [b"\n", b"\r\n\r\n", b" ", b"\xef\xbb\xbf"])
def test_blanks_above_the_headers_hide_none(before: bytes) -> None:
    """Programs that save mails leave a blank line, or a mark of UTF-8."""
    found = parse_message(before + mail("I live in Rome.\n", Subject="boats"))
    assert (found.subject, found.body) == ("boats", "I live in Rome.\n")


def test_lines_of_an_old_mac_are_lines() -> None:
    """They end with carriage returns."""
    found = parse_message(mail("I live\nin Rome.\n", Subject="boats").replace(b"\r\n", b"\n").replace(b"\n", b"\r"))
    assert (found.subject, found.body) == ("boats", "I live\nin Rome.\n")


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain>",
        "text/plain, charset=utf-8",
        "text/plain Content-Transfer-Encoding: 8bit\\r\\n",
        "Text/Plain x; charset=utf-8",
    ],
)
def test_damaged_types_of_text_are_text(kind: str) -> None:
    """What follows the type says nothing; taken for a part of it, the mail had no words."""
    found = parse_message(mail("I live in Rome.\n", Content_Type=kind))
    assert (found.body, found.attachments) == ("I live in Rome.\n", ())


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ('"quoted-printable"', "R=C3=B6me.\n"),
        ("quoted-printable (of words)", "R=C3=B6me.\n"),
        ("base64", "UsO2bWUuCg==\n"),
        ("base64", "This is said in plain words\nand is not encoded at all: Röme.\n"),
    ],
)
def test_encodings_that_are_told_wrongly(encoding: str, body: str) -> None:
    """Quotes and comments around the name, and plain words that are said to be in base64."""
    fields = {"Content_Type": "text/plain; charset=utf-8", "Content_Transfer_Encoding": encoding}
    assert parse_message(mail(body, **fields)).body.endswith("Röme.\n")


def test_parts_of_another_boundary_are_parts() -> None:
    """Programs announce a boundary that they do not write."""
    inner = "--c\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPHA+aGVsbG88L3A+\n--c--\n"
    assert parse_message(mail(inner, Content_Type='multipart/alternative; boundary="b"')).body == "hello"
    padded = inner.replace("--c\nContent", "--c \t\nContent")
    assert parse_message(mail(padded, Content_Type='multipart/alternative; boundary="b"')).body == "hello"
    plain = "--c\nhello\n--c--\n"
    assert parse_message(mail(plain, Content_Type='multipart/alternative; boundary="b"')).body == plain


def test_a_footer_below_base64_leaves_it_encoded() -> None:
    """A list adds it in plain words, in more lines than a short text has."""
    head = b"From: a@b.c\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
    footer = (
        b"_______________________________________________\nThe list of boats\nSend to the list\nSee the page of it\n"
    )
    for words in (b"The boat is ready, see you.", b"Aye."):
        assert parse_message(head + b64encode(words) + b"\n" + footer).body.startswith(words.decode())
