"""Where an mbox is cut into mails, and what other containers hold."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.formats.mail import mbox as mbox_module
from memd.connectors.formats.mail.connector import MailConnector
from memd.connectors.formats.mail.mailbox import parse_message, raw_messages, split_mbox
from memd.connectors.formats.mail.mbox import CHUNK, KEPT
from memd.connectors.opening.open_source import open_source
from memd.schemas import EmailThreadDocument
from memd.tests.cases import for_each
from memd.tests.connectors.mail.reading import OPTIONS, codes, mail, mbox, read, threads
from memd.tests.connectors.mail.samples import SINGLE, emlx

ENVELOPE = b"From x@y.z Mon Apr  7 14:31:02 2025\n"
PLAIN = b"Subject: a\n\nwords\n"


def split(data: bytes) -> list[bytes]:
    """The mails of an mbox."""
    return [each.data for each in split_mbox(io.BytesIO(data))]


@for_each(
    [
        b"From x@y.z Mon Apr  7 14:31:02 2025",
        b"From - Mon Apr 07 14:31:02 2025",
        b"From 1828000000000000001@xxx Mon Apr 07 14:31:02 +0000 2025",
        b"From x@y.z  Mon Apr  7 14:31 2025",
        b"From x@y.z Mon Apr 07 14:31:02 PDT 2025",
        b"From x@y.z Mon Apr 07 14:31:02 2025 +0200",
        b"From x@y.z Mon Apr  7 14:31:02 2025 remote from host",
        b'From "A B"@y.z Mon Apr  7 14:31:02 2025',
        b"From Mon Apr  7 14:31:02 2025",
        b"From x@y.z Mon, 7 Apr 2025 14:31:02 +0000",
        b"From MAILER-DAEMON Mon Apr  7 14:31:02 2025\r",
    ]
)
def test_envelope_lines_of_many_programs_separate(envelope: bytes) -> None:
    """Each shape of a separator that a program writes ends the mail before it."""
    data = envelope + b"\n" + PLAIN + b"\n" + envelope + b"\nSubject: b\n\nmore\n"
    assert split(data) == [PLAIN, b"Subject: b\n\nmore\n"]


@pytest.mark.parametrize(
    "body",
    [
        b"one\n\nFrom here on it rains.\nSubject: no header of a mail\n\n",
        b"one\nFrom x@y.z Mon Apr  7 14:31:02 2025\nSubject: no blank line before\n\n",
        b"one\n\nFrom x@y.z Mon Apr  7 14:31:02 2025\nno header follows\n\n",
    ],
)
def test_lines_that_only_look_like_separators_stay_text(body: bytes) -> None:
    """A date, a blank line before and a header after are all needed."""
    assert split(ENVELOPE + b"Subject: a\n\n" + body + ENVELOPE + PLAIN) == [b"Subject: a\n\n" + body[:-1], PLAIN]


def test_the_blank_line_before_a_separator_may_be_missing() -> None:
    """Where the headers of a mail follow, beyond doubt."""
    second = b"Return-Path: <a@b.c>\nFrom: a@b.c\nDate: x\nMessage-ID: <a@b>\n\nwords\n"
    assert split(ENVELOPE + PLAIN + ENVELOPE + second) == [PLAIN, second]
    assert split(b"From - \n" + PLAIN + b"From - \n" + second) == [PLAIN, second]


def test_bare_separators_separate_where_the_file_begins_with_one() -> None:
    """Some programs write nothing behind ``From``."""
    assert split(b"From \n" + PLAIN + b"\nFrom \n" + PLAIN) == [PLAIN, PLAIN]


def test_a_separator_may_have_lost_its_date_among_others() -> None:
    """Thunderbird writes such lines now and then; headers of a mail must follow."""
    lost = b"From - Mon Apr  7 14:31:02 2025\n" + mail("one\n") + b"\nFrom \nX-Mozilla-Status: 0001\n" + mail("two\n")
    assert [parse_message(raw).body for raw in split(lost)] == ["one\n", "two\n"]
    words = b"From - Mon Apr  7 14:31:02 2025\n" + mail("one\n\nFrom \nStart: the harbour\n")
    assert len(split(words)) == 1


def test_the_state_of_a_folder_is_no_mail() -> None:
    """Servers keep it in a first mail; what is left out is told."""
    state = mail(Subject="DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA")
    assert sorted(codes(read(state))) == ["mail-left-out", "user-unknown"]


def test_a_patch_in_a_mail_is_its_text() -> None:
    """Its first line looks like a separator; only in a file of patches alone it is one."""
    patch = (
        b"From " + b"4b825dc6" * 5 + b" Mon Sep 17 00:00:00 2001\nFrom: Lee <lee@example.org>\nSubject: fix\n\n---\n"
    )
    mine = b"Subject: a\n\nlook:\n\n" + patch + b"\nthat is all\n"
    assert split(ENVELOPE + mine + b"\n" + ENVELOPE + PLAIN) == [mine, PLAIN]
    assert split(b"From \n" + mine + b"\nFrom \n" + PLAIN) == [mine, PLAIN]
    assert len(split(patch + b"\n" + patch)) == 2


def test_a_byte_order_mark_is_no_part_of_a_mail() -> None:
    """Editors write one before the first separator."""
    assert split(b"\xef\xbb\xbf" + (ENVELOPE + PLAIN) * 2) == split((ENVELOPE + PLAIN) * 2)


def test_escaped_lines_lose_one_mark() -> None:
    """``>From`` was ``From``, and ``>>From`` was ``>From``; other quoted lines stay."""
    body = b"Subject: a\n\n>From here\n>>From there\n> From nowhere\n"
    assert split(ENVELOPE + body) == [b"Subject: a\n\nFrom here\n>From there\n> From nowhere\n"]


def test_a_length_counts_where_it_ends_at_a_separator() -> None:
    """In mboxcl2 nothing is escaped, so that the length alone tells that a separator in the text is none."""
    inner = b"one\n\n" + ENVELOPE + b"Subject: inside\n\ntwo\n"
    head = b"Subject: a\nContent-Length: %d\n\n"
    right = head % len(inner) + inner
    assert split(ENVELOPE + right + b"\n" + ENVELOPE + PLAIN) == [right, PLAIN]
    wrong = head % (len(inner) + 3) + inner
    assert len(split(ENVELOPE + wrong + b"\n" + ENVELOPE + PLAIN)) == 3


def test_carriage_returns_are_no_obstacle() -> None:
    """Files of Windows have them everywhere."""
    data = (ENVELOPE + PLAIN + b"\n" + ENVELOPE + PLAIN).replace(b"\n", b"\r\n")
    assert split(data) == [PLAIN.replace(b"\n", b"\r\n")] * 2


def test_offsets_and_envelopes_are_told() -> None:
    """Where each mail lies in the file."""
    first, second = split_mbox(io.BytesIO(ENVELOPE + PLAIN + b"\n" + ENVELOPE + PLAIN))
    assert (first.offset, first.envelope, first.cut) == (0, ENVELOPE, False)
    assert second.offset == len(ENVELOPE + PLAIN) + 1


@given(sizes=st.lists(st.sampled_from([0, 1, 100, 4095, 4096, CHUNK - 80, CHUNK - 1, CHUNK, CHUNK + 1]), max_size=4))
def test_mails_of_any_size_are_cut_at_the_same_places(sizes: list[int]) -> None:
    """Wherever the pieces in which a file is read end."""
    mails = [b"Subject: a\n\n" + b"x" * size + b"\n" for size in sizes]
    assert split(b"".join(ENVELOPE + each + b"\n" for each in mails)) == mails


def test_separators_are_found_wherever_a_read_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also between two letters of ``From``."""
    long = b"Subject: a\n\n" + b"line of words\n" * 400
    data = b"".join(ENVELOPE + each + b"\n" for each in (long, PLAIN))
    for size in (1, 2, 3, 5, 7, 64):
        monkeypatch.setattr(mbox_module, "CHUNK", size)
        assert split(data) == [long, PLAIN]


@pytest.mark.slow
def test_a_huge_mail_is_kept_in_part_and_the_next_one_whole() -> None:
    """What lies behind the cap is counted, not held."""
    huge = b"Subject: a\n\n" + b"line of words\n" * ((KEPT + 5 * CHUNK) // 14)
    first, second = split_mbox(io.BytesIO(ENVELOPE + huge + b"\n" + ENVELOPE + PLAIN))
    assert (len(first.data), first.cut, first.size) == (KEPT, True, len(huge) + 1)
    assert second.data == PLAIN


def test_single_mails_and_apples() -> None:
    """One mail to a file: as it is, and between a count and a property list."""
    assert [each.data for each in raw_messages(io.BytesIO(SINGLE))] == [SINGLE]
    assert [each.data for each in raw_messages(io.BytesIO(emlx(SINGLE)))] == [SINGLE]


def test_a_compressed_mailbox_is_read(tmp_path: Path) -> None:
    """By its content, whatever its name."""
    path = tmp_path / "mail"
    path.write_bytes(gzip.compress(mbox(mail())))
    found = list(MailConnector().read(open_source(path), OPTIONS))
    assert [each.id for each in found if isinstance(each, EmailThreadDocument)] == ["mail:m1@example.com"]


def test_folders_become_tags_and_marks_of_maildir_are_heeded() -> None:
    """The folder's name, ``Flagged`` and ``Drafts``; what is trashed is left out."""
    files = {
        "cur/1:2,FS": mail(Message_ID="<a@x>"),
        ".Work.Travel/new/2": mail(Message_ID="<b@x>", Subject="b"),
        "cur/3:2,ST": mail(Message_ID="<c@x>", Subject="c"),
        ".Drafts/cur/4;2,D": mail(Message_ID="<d@x>", Subject="d"),
        "dovecot-uidlist": b"3 V1 N2\n1 :x\n",
    }
    assert {each.id: each.tags for each in threads(files)} == {
        "mail:a@x": ("INBOX", "Flagged"),
        "mail:b@x": ("Work/Travel",),
        "mail:d@x": ("Drafts",),
    }
