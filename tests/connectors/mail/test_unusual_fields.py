"""Fields of mails in forms that are allowed and rare, or damaged in ways that programs have."""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.formats.mail.headers import without_comments
from memd.connectors.formats.mail.mailbox import Address, parse_message
from memd.tests.cases import for_each
from memd.tests.connectors.mail.reading import mail


@for_each(
    [
        ("Ann(of \\ ) the boats) <ann(her box)@x(her host) .org>", [("Ann", "ann@x.org")]),
        (
            "Ann (old (very) old) <ann@x.org>, bob@x.org (Bob)",
            [("Ann (old very old)", "ann@x.org"), ("Bob", "bob@x.org")],
        ),
        ('"A\\\\\\\\B" <ab@x.org>', [("A\\\\B", "ab@x.org")]),
        ('"Ann \\"Sails\\" Lee" <ann@x.org>', [('Ann "Sails" Lee', "ann@x.org")]),
        ("=?utf-8?q?=22Lee=2C_Ann=22?= <ann@x.org>", [("Lee, Ann", "ann@x.org")]),
    ]
)
def test_comments_and_escapes_in_addresses(value: str, people: list[tuple[str, str]]) -> None:
    """Comments in comments, escaped brackets, and escapes that are undone once."""
    assert parse_message(mail(To=value)).to == tuple(Address(name, address) for name, address in people)


@given(text=st.text(alphabet='ab()\\" ', max_size=40))
def test_without_comments_nothing_else_is_gone(text: str) -> None:
    """Any brackets, escapes and quotes, however they stand."""
    kept = without_comments(text)
    assert len(kept) <= len(text)
    if "(" not in text or ")" not in text:
        assert kept == text


@for_each(
    [
        ("15 11 2010 05:34:27 -0300", datetime(2010, 11, 15, 5, 34, 27, tzinfo=timezone(timedelta(hours=-3)))),
        ("Mon, 15 11 87 10:00:00 +0000", datetime(1987, 11, 15, 10, tzinfo=UTC)),
        ("11/20/2010 05:34 PM +0000", datetime(2010, 11, 20, 17, 34, tzinfo=UTC)),
        ("Thu, 10 Jul 1997 14:53:31 EST5EDT", datetime(1997, 7, 10, 14, 53, 31, tzinfo=timezone(timedelta(hours=-4)))),
        ("Fri, 10 Jan 1997 14:53:31 PST8PDT", datetime(1997, 1, 10, 14, 53, 31, tzinfo=timezone(timedelta(hours=-8)))),
    ]
)
def test_dates_in_digits_and_zones_of_two_names(date: str, time: datetime) -> None:
    """A number above 12, or points between the numbers, tell the day."""
    assert parse_message(mail(Date=date)).time == time


@for_each(
    ["05/06/2010 10:00", "1 2 3 10:00", "5 6 1987 10:00", "15 11 10 10:00", "13 13 2010 10:00", "15 11 010 10:00"]
)
def test_digits_that_may_mean_two_days_are_no_date(date: str) -> None:
    """They are told."""
    assert parse_message(mail(Date=date)).time is None


@for_each(
    [
        ('application/pdf\n\tname="plan of the boat.pdf"', "attachment", "plan of the boat.pdf"),
        ("application/x; x-unix-mode=0644\n name=boat.txt", "attachment", "boat.txt"),
        ("application/x\n name*0*=utf-8''b%C3%B6\n name*1*=t%20\n name*2=\"1.txt\"", "attachment", "böt 1.txt"),
        ("image/ jpeg; name=my boat.jpg", "attachment", "my boat.jpg"),
        ("image/png", "attachment; name=boat.png", "boat.png"),
        ("image/png; filename=boat.png", "inline", "boat.png"),
        ('image/png; name="a name=b.png"; charset=binary', "attachment", "a name=b.png"),
    ]
)
def test_names_of_files_in_damaged_fields(kind: str, disposition: str, name: str) -> None:
    """Semicolons that are missing between parameters on their own lines, and parameters in the other field."""
    body = f"--b\n\nhello\n--b\nContent-Type: {kind}\nContent-Disposition: {disposition}\n\nabc\n--b--\n"
    found = parse_message(mail(body, Content_Type="multipart/mixed\n\tboundary=b"))
    assert [(each.name, each.mime) for each in found.attachments] == [
        (name, re.split("[;\n]", kind, maxsplit=1)[0].replace(" ", ""))
    ]
    assert found.body == "hello"


def test_an_attached_mail_may_be_encoded() -> None:
    """The standard forbids it, and programs do it: its words and its files are read."""
    inner = (
        b"From: Dee <d@x.org>\nSubject: house\nContent-Type: multipart/mixed; boundary=i\n\n"
        b"--i\n\nI live in Oslo.\n--i\nContent-Type: image/png; name=house.png\n\nabc\n--i--\n"
    )
    encoded = b64encode(inner).decode()
    part = f"--b\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n{encoded}\n"
    found = parse_message(mail(f"--b\n\nsee below\n{part}--b--\n", Content_Type="multipart/mixed; boundary=b"))
    assert found.reply_text.strip() == "see below"
    assert found.forwarded_blocks == ("From: Dee <d@x.org>\nSubject: house\n\nI live in Oslo.",)
    assert [each.name for each in found.attachments] == ["mail.eml", "house.png"]


def test_addresses_in_the_html_are_no_words_that_the_plain_form_lacks() -> None:
    """A short plain form with more words than the HTML stays the text."""
    plain = "Content-Type: text/plain\n\nOrder 7 https://x.org/en/orders/7/process\nMade by: Ann Lee\n"
    rich = 'Content-Type: text/html\n\n<a href="https://x.org/en/orders/7/process">Order 7</a>\n'
    body = f"--b\n{plain}--b\n{rich}--b--\n"
    assert "Made by: Ann Lee" in parse_message(mail(body, Content_Type="multipart/alternative; boundary=b")).body


@for_each(
    [
        ("Dr. Ida Korn, PhD <ida@x.org>", Address("Dr. Ida Korn, PhD", "ida@x.org")),
        ("Ida Korn (ida@x.org)", Address("Ida Korn", "ida@x.org")),
        ("Ida Korn <@relay.x.org,@two.x.org:ida@x.org>", Address("Ida Korn", "ida@x.org")),
    ]
)
def test_one_author_in_unusual_forms(value: str, author: Address) -> None:
    """A title behind a comma, an address in round brackets, and the way that old mail took."""
    assert parse_message(mail(From=value)).sender == author


def test_bytes_in_fields_have_the_encoding_of_the_text() -> None:
    """Old programs wrote both without a word about the fields; UTF-8 stays what it is."""
    data = mail("Привет\n", From="Иван <i@x.org>", Subject="Лодка", Content_Type="text/plain; charset=koi8-r")
    for encoding in ("koi8-r", "utf-8"):
        parsed = parse_message(data.decode().encode(encoding))
        assert (parsed.subject, parsed.sender, parsed.body) == ("Лодка", Address("Иван", "i@x.org"), "Привет\n")


def test_markdown_and_patches_within_a_mail_are_its_text() -> None:
    """Markdown beside plain text is the same words once more."""
    parts = "--b\n\nplain\n--b\nContent-Type: {}\n\nmarked *up*\n--b--\n"
    patch = mail(
        parts.format("text/x-patch; name=a.patch\nContent-Disposition: inline"),
        Content_Type="multipart/mixed; boundary=b",
    )
    assert parse_message(patch).body == "plain\nmarked *up*"
    marked = mail(
        parts.format("text/markdown").replace("marked *up*", "*plain*"),
        Content_Type="multipart/alternative; boundary=b",
    )
    assert parse_message(marked).body == "plain"
