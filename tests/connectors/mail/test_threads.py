"""Threads, people, the user, labels, and what becomes of the same mail in several places."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest

from memd.connectors.formats.mail.connector import MailConnector
from memd.connectors.formats.mail.documents import LARGE_THREAD
from memd.connectors.formats.mail.mailbox import RawMail, parse_message, raw_messages, threads_of
from memd.connectors.formats.mail.spool import Header, ThreadSpool
from memd.connectors.opening.limits import MESSAGE_CAP
from memd.schemas import (
    SYSTEM_SPEAKER,
    UNKNOWN_USER,
    ConversationDocument,
    EmailThreadDocument,
    Notice,
    Segment,
    document_from_wire,
)
from memd.schemas.errors import SourceError
from memd.tests.cases import for_each
from memd.tests.connectors.mail.reading import OPTIONS, codes, mail, mbox, read, rejections, threads
from memd.tests.connectors.mail.samples import HTML, MAILDIR, SINGLE, TAKEOUT
from memd.tests.contracts.connector import Shelf


def by_id(files: bytes | dict[str, bytes], me: str | None = None) -> dict[str, list[str]]:
    """The ids of the mails of each thread, by the id of the thread."""
    return {each.id: [str(message.id) for message in each.messages] for each in threads(files, me=me)}


def test_a_takeout_becomes_a_thread() -> None:
    """Everything of it: people, user, times, texts, parts, the answer, labels, subject."""
    (thread,) = threads(TAKEOUT)
    assert (thread.id, thread.subject) == ("mail:root@example.com", "Das Boot für Süden")
    assert thread.tags == ("Posteingang", "Reise, Süden", "Wichtig", "Gesendet")
    assert thread.conversation.people == ("Jörg Müller", "Ann Example")
    assert thread.conversation.user == "Ann Example"
    first, second = thread.messages
    assert (first.speaker, first.content) == (
        "Jörg Müller",
        "Hallo Ann,\n\ndas Boot ist verkauft. Können wir reden?\n\n-- \nJörg\n",
    )
    assert first.time == datetime(2025, 4, 7, 14, 31, tzinfo=UTC)
    assert first.time.isoformat() == "2025-04-07T16:31:00+02:00"
    assert first.segments == (Segment(kind="text", start=0, end=54), Segment(kind="signature", start=54, end=63))
    assert (second.id, second.reply_to, second.zone_origin) == ("answer@example.org", "root@example.com", "explicit")
    assert second.content.startswith("Ja, morgen um neun.\nFrom here on it rains.\n\nAm Mo., 7. Apr.")
    assert second.segments == (Segment(kind="text", start=0, end=44), Segment(kind="quote", start=44, end=154, depth=1))
    assert second.metadata == {"from": "ann@example.org", "to": "Jörg Müller <joerg@example.com>"}


def test_threads_are_joined_by_references_in_any_order() -> None:
    """Also where the answer lies before the question, and where a mail between two is missing."""
    mails = [
        mail(
            Message_ID="<c@x>", References="<a@x> <b@x>", Subject="Re: the boat", Date="Wed, 9 Apr 2025 14:31:00 +0000"
        ),
        mail(Message_ID="<a@x>"),
        mail(Message_ID="<d@x>", In_Reply_To="<c@x>", Subject="other", Date="Thu, 10 Apr 2025 14:31:00 +0000"),
        mail(Message_ID="<z@x>", Subject="the boat"),
    ]
    assert by_id(mbox(*mails)) == {"mail:a@x": ["a@x", "c@x", "d@x"], "mail:z@x": ["z@x"]}


def test_a_thread_is_called_by_its_first_mail_also_where_that_is_missing() -> None:
    """So that an export that has it later on adds it to the same thread."""
    answer = mail(Message_ID="<b@x>", References="<a@x>", Subject="Re: the boat", Date="Tue, 8 Apr 2025 14:31:00 +0000")
    assert by_id(mbox(answer)) == {"mail:a@x": ["b@x"]}
    assert threads(mbox(answer))[0].subject == "the boat"
    assert by_id(mbox(answer, mail(Message_ID="<a@x>"))) == {"mail:a@x": ["a@x", "b@x"]}


def test_mails_that_answer_each_other_end_somewhere() -> None:
    """Loops of references are one thread, and no chain of answers goes round."""
    mails = [
        mail(Message_ID="<a@x>", In_Reply_To="<b@x>"),
        mail(Message_ID="<b@x>", In_Reply_To="<c@x>"),
        mail(Message_ID="<c@x>", In_Reply_To="<a@x>"),
        mail(Message_ID="<d@x>", In_Reply_To="<d@x>"),
    ]
    loop, alone = threads(mbox(*mails))
    answers = {message.id: message.reply_to for message in loop.messages}
    assert sum(each is None for each in answers.values()) == 1
    assert (alone.messages[0].id, alone.messages[0].reply_to) == ("d@x", None)


@pytest.mark.slow
def test_a_long_chain_of_answers_is_followed_in_linear_time() -> None:
    """Each mail answers the one before it."""
    chain = [
        mail(Message_ID=f"<{n}@x>", In_Reply_To=f"<{n - 1}@x>", Date="-" if n % 2 else "Mon, 7 Apr 2025 14:31:00 +0000")
        for n in range(2_000)
    ]
    (thread,) = threads(mbox(*chain))
    assert sum(message.reply_to is None for message in thread.messages) <= 1
    assert len(thread.messages) == 2_000


def test_equal_subjects_alone_join_nothing() -> None:
    """A reply without references is joined by its subject where people are the same and not much time has passed."""
    first = mail(Message_ID="<a@x>")
    reply = {"From": "Ann <ann@example.org>", "To": "bob@example.com", "Message_ID": "<b@x>"}
    near, far = "Tue, 8 Apr 2025 14:31:00 +0000", "Tue, 8 Jul 2025 14:31:00 +0000"
    assert by_id(mbox(first, mail(Subject="AW: the boat", Date=near, **reply))) == {"mail:a@x": ["a@x", "b@x"]}
    assert len(by_id(mbox(first, mail(Subject="the boat", Date=near, **reply)))) == 2
    assert len(by_id(mbox(first, mail(Subject="Re: the boat", Date=far, **reply)))) == 2
    stranger = mail(Subject="Re: the boat", Date=near, Message_ID="<b@x>", From="z@z.z", To="y@y.y")
    assert len(by_id(mbox(first, stranger))) == 2


def test_threads_that_gmail_and_exchange_name() -> None:
    """Their names join mails that refer to nothing."""
    for field in ("X_GM_THRID", "Thread_Index"):
        value = "1828" if field == "X_GM_THRID" else "AdlX8w5lTZ2G1rLrQ5m5Q5m5Q5m5Q5m5QQ=="
        later = "Tue, 8 Apr 2025 14:31:00 +0000"
        mails = [mail(**{field: value}), mail(**{field: value, "Message_ID": "<b@x>", "Date": later})]
        assert by_id(mbox(*mails)) == {"mail:m1@example.com": ["m1@example.com", "b@x"]}


def test_copies_are_one_mail_with_all_their_labels() -> None:
    """From several folders, and once more through a list that wrote its footer below."""
    footer = "Hello.\n____________\nl mailing list\n"
    files = {
        "Inbox.mbox": mbox(mail()),
        "Work.mbox": mbox(mail()),
        "Lists.sbd/boats": mbox(mail(footer, List_Post="<mailto:l@x>")),
    }
    (thread,) = threads(files)
    assert [message.content for message in thread.messages] == ["Hello.\n"]
    assert thread.tags == ("Inbox", "Lists/boats", "Work")


def test_other_mails_of_the_same_id_are_kept() -> None:
    """Some programs use one id again and again."""
    later = mail("Another.\n", Date="Tue, 8 Apr 2025 14:31:00 +0000")
    found = [message for thread in threads(mbox(mail(), later, later)) for message in thread.messages]
    assert [message.content for message in found] == ["Hello.\n", "Another.\n"]
    assert found[0].id == "m1@example.com"
    assert str(found[1].id).startswith("m1@example.com#")


def test_a_mail_without_an_id_is_known_by_what_it_says() -> None:
    """The same mail twice is one, another one is not."""
    one, other = mail(Message_ID="-"), mail("Else.\n", Message_ID="-")
    found = [message for thread in threads(mbox(one, other, one)) for message in thread.messages]
    assert [message.content for message in found] == ["Hello.\n", "Else.\n"]
    assert all(str(message.id).startswith("sha256:") for message in found)


def test_people_of_one_name_stay_apart_and_one_address_stays_one() -> None:
    """The second of two with the same name has the address behind it; a changed name is the same person."""
    mails = [
        mail(Message_ID="<a@x>", From="Bob <bob@x.org>"),
        mail(Message_ID="<b@x>", From="Bob <bob@y.org>", In_Reply_To="<a@x>", Date="Tue, 8 Apr 2025 14:31:00 +0000"),
        mail(Message_ID="<c@x>", From="Robert <bob@x.org>", In_Reply_To="<a@x>", Date="Wed, 9 Apr 2025 14:31:00 +0000"),
        mail(Message_ID="<d@x>", From="-", In_Reply_To="<a@x>", Date="Thu, 10 Apr 2025 14:31:00 +0000"),
    ]
    (thread,) = threads(mbox(*mails))
    assert [each.speaker for each in thread.messages] == ["Bob", "Bob (bob@y.org)", "Bob", SYSTEM_SPEAKER]


def test_the_user_by_what_was_sent() -> None:
    """The folder of sent mail tells whose all of it is, under one name."""
    found = threads(dict(MAILDIR))
    assert {each.conversation.user for each in found} == {"Ann Example"}
    assert [message.speaker for message in found[0].messages] == ["Bob Example", "Ann Example"]


def test_the_user_by_delivery() -> None:
    """Servers tell whom they delivered to; the name is the one that others use."""
    found = threads(mbox(mail(Delivered_To="ann@example.org")))
    assert found[0].conversation.user == "Ann"
    received = "from a by b with ESMTP for <ann@example.org>; Mon, 7 Apr 2025 14:31:01 +0000"
    assert threads(mbox(mail(Received=received)))[0].conversation.user == "Ann"


@pytest.mark.parametrize("me", ["Bob", "bob@example.com", "other@x.org, bob@example.com", "Bob <bob@example.com>"])
def test_the_user_as_said(me: str) -> None:
    """By name or by address, one or several."""
    (thread,) = threads(mbox(mail()), me=me)
    assert (thread.conversation.user, thread.messages[0].speaker) == ("Bob", "Bob")


@pytest.mark.parametrize("me", ["Ann", "ann@example.org"])
def test_the_user_who_wrote_nothing(me: str) -> None:
    """By the name under which others write to her."""
    records = read(mbox(mail()), me=me)
    (thread,) = [each for each in records if isinstance(each, EmailThreadDocument)]
    assert (thread.conversation.user, thread.conversation.people) == ("Ann", ("Bob", "Ann"))
    assert codes(records) == []


def test_an_unknown_user_is_told() -> None:
    """Nobody's words are attributed to one, and a name that wrote nothing is told, too."""
    records = read(mbox(mail()))
    assert [each.conversation.user for each in records if isinstance(each, EmailThreadDocument)] == [UNKNOWN_USER]
    assert codes(records) == ["user-unknown"]
    assert codes(read(mbox(mail()), me="Zoe")) == ["user-not-seen"]


def test_newsletters_and_programs_speak_for_nobody() -> None:
    """Their role keeps them out of facts about people; people on lists keep theirs."""
    mails = {
        "1.eml": HTML,
        "2.eml": mail(Auto_Submitted="auto-replied", Message_ID="<a@x>", Subject="away"),
        "3.eml": mail(List_Post="<mailto:l@x.org>", List_Id="boats <l.x.org>", Message_ID="<l@x>", Subject="list"),
        "4.eml": mail(Message_ID="<p@x>", Subject="person"),
    }
    found = {each.subject: each.messages[0] for each in threads(mails)}
    assert {subject: message.role for subject, message in found.items()} == {
        "Offers": "system",
        "away": "system",
        "list": None,
        "person": None,
    }
    assert found["list"].metadata["mail_kind"] == "list"
    assert found["list"].metadata["list"] == "boats <l.x.org>"
    assert "mail_kind" not in found["person"].metadata


def test_spam_trash_and_chats_are_left_out_and_counted() -> None:
    """In any language; a mail that also lies elsewhere is read from there."""
    labels = ["Spam", "Papierkorb,Wichtig", "Chat", "Posteingang"]
    mails = [mail(X_Gmail_Labels=each, Message_ID=f"<{index}@x>", Subject=each) for index, each in enumerate(labels)]
    records = read(mbox(*mails))
    assert [each.id for each in records if isinstance(each, EmailThreadDocument)] == ["mail:3@x"]
    assert codes(records) == ["user-unknown", "mail-left-out"]


def test_mails_without_text_say_what_they_are() -> None:
    """A placeholder with its kind; a mail that says all in its subject says that."""
    photo = 'Content-Type: image/jpeg; name="a.jpg"\n\nabc'
    multipart = {"Content_Type": 'multipart/mixed; boundary="b"', "Message_ID": "<p@x>"}
    cases = [
        (mail(f"--b\n{photo}\n--b--\n", **multipart), ("media", "[photo]")),
        (mail("\n", Subject="Call me"), ("text", "Call me")),
        (mail("\n", Subject="-"), ("unknown", "[empty]")),
        (mail("x", Content_Type="application/pkcs7-mime"), ("unknown", "[encrypted]")),
    ]
    for data, expected in cases:
        message = threads(data)[0].messages[0]
        assert (message.kind, message.content) == expected


def test_a_mail_that_only_forwards_names_the_author() -> None:
    """Nobody takes his words for the sender's."""
    body = SINGLE.replace(b"FYI\r\n", b"")
    assert threads(body)[0].messages[0].forwarded_from == "Dee <dee@example.net>"
    assert threads(SINGLE)[0].messages[0].forwarded_from is None


def test_one_bad_mail_costs_no_other() -> None:
    """It is rejected with its place, and without its words."""
    bad = mail(Date="-", Message_ID="<bad@x>")
    assert rejections(read({"1.eml": bad, "2.eml": mail()})) == [("mail!1.eml", "no date that can be read")]
    assert rejections(read({"1.eml": b"From x@y.z some day\n" + bad, "2.eml": mail()})) == [
        ("mail!1.eml", "no date that can be read")
    ]
    envelope = b"From x@y.z Mon Apr  7 14:31:02 2025\n"
    dated = read(mbox(mail()) + envelope + bad + b"\n" + mbox(mail(Message_ID="<b@x>")))
    assert len([each for each in dated if isinstance(each, EmailThreadDocument)]) == 3  # by the date of the envelope


@pytest.mark.slow
def test_a_mail_with_too_much_text_is_rejected() -> None:
    """Attachments may be larger."""
    body = "words and words\n" * (MESSAGE_CAP // 16 + 1)
    assert rejections(read(mbox(mail(body), mail()))) == [
        ("mail!mail:0", f"more than {MESSAGE_CAP} bytes of text in one mail")
    ]
    part = "--b\n\nhello\n--b\nContent-Type: application/x\n\n" + body + "\n--b--\n"
    (thread,) = threads(mbox(mail(part, Content_Type="multipart/mixed; boundary=b")))
    assert thread.messages[0].attachments[0].size == len(body)


@pytest.mark.slow
def test_a_very_long_thread_comes_in_parts_of_one_id() -> None:
    """Whoever stores them unites them."""
    mails = [mail(Message_ID=f"<{n}@x>", References="<0@x>") for n in range(LARGE_THREAD + 5)]
    parts = threads(mbox(*mails))
    assert [(each.id, len(each.messages)) for each in parts] == [("mail:0@x", LARGE_THREAD), ("mail:0@x", 5)]


def test_dates_without_a_zone_get_the_configured_one() -> None:
    """And it is told."""
    records = read(mbox(mail(Date="Mon Apr  7 14:31:02 2025")))
    (thread,) = [each for each in records if isinstance(each, EmailThreadDocument)]
    assert thread.messages[0].zone_origin == "option"
    assert "zone-assumed" in codes(records)


def test_the_wire_form_of_a_thread_comes_back() -> None:
    """With its kind and subject; what is stored is the conversation, with the subject as its title."""
    (thread,) = threads(TAKEOUT)
    wire = thread.to_wire()
    assert (wire["kind"], wire["subject"]) == ("email_thread", "Das Boot für Süden")
    assert EmailThreadDocument.from_json(thread.to_json()) == thread
    assert list(document_from_wire(wire, "x")) == [thread]
    moved = list(document_from_wire({**wire, "mood": 1}, "x"))
    assert [each.code for each in moved if isinstance(each, Notice)] == ["unknown-key"]
    stored = thread.as_conversation()
    assert type(stored) is ConversationDocument
    assert stored.metadata["title"] == "Das Boot für Süden"
    assert thread.as_text() is None


def test_mails_in_memory_become_threads() -> None:
    """The library does without documents."""
    mails = [parse_message(mail(Message_ID="<b@x>", References="<a@x>", Subject="Re: boat")), parse_message(mail())]
    first, second = threads_of(mails)
    assert (first.key, first.subject, first.messages) == ("a@x", "boat", (mails[0],))
    assert (second.key, second.messages) == ("m1@example.com", (mails[1],))


def test_a_preview_shows_whose_mail_it_is() -> None:
    """Who writes, and the user by evidence."""
    preview = MailConnector().preview(Shelf("mail", {"mail": TAKEOUT}), OPTIONS)
    assert list(preview.speakers) == ["Jörg Müller", "Ann Example"]
    assert preview.user == "Ann Example"


def _nested(depth: int) -> bytes:
    """A text in so many multiparts in one another."""
    heads = "".join(f'--b{n}\nContent-Type: multipart/mixed; boundary="b{n + 1}"\n\n' for n in range(depth))
    body = f"--b0\n\nabove\n{heads}--b{depth}\n\nwords\n"
    return mail(body, Content_Type='multipart/mixed; boundary="b0"')


@pytest.mark.parametrize(("depth", "told"), [(5, []), (90, []), (1000, ["mail-parts-unread"])])
def test_parts_that_nest_too_deep_are_told(depth: int, told: list[str]) -> None:
    """Their words are not read; they are a file of the mail."""
    records = read(mbox(_nested(depth)), me="Ann")
    assert codes(records) == told
    (thread,) = [each for each in records if isinstance(each, EmailThreadDocument)]
    (message,) = thread.messages
    assert ("words" in message.content, len(message.attachments)) == (not told, len(told))


def test_mails_in_mails_and_their_parts_share_one_bound() -> None:
    """Attached mails begin no new count, so that no depth of both together reaches the end of the stack."""
    inner = "x\n"
    for step in range(14):
        bounds = [f"m{step}n{level}" for level in range(82)]
        heads = "".join(
            f'--{outer}\nContent-Type: multipart/mixed; boundary="{within}"\n\n'
            for outer, within in itertools.pairwise(bounds)
        )
        inner = (
            f'From: bo@x.org\nContent-Type: multipart/mixed; boundary="{bounds[0]}"\n\n'
            f"{heads}--{bounds[-1]}\n\nwords\n--{bounds[-1]}\nContent-Type: message/rfc822\n\n{inner}"
        )
    records = read(mbox(mail(inner, Content_Type="message/rfc822")), me="Ann")
    assert codes(records) == ["mail-parts-unread"]
    (thread,) = [each for each in records if isinstance(each, EmailThreadDocument)]
    assert thread.messages[0].content.count("words") == 1


def test_more_parts_than_are_looked_at_are_told() -> None:
    """The rest is one file."""
    parts = "".join(f"--b\n\npart {number}\n" for number in range(1200))
    records = read(mbox(mail(f"{parts}--b--\n", Content_Type='multipart/mixed; boundary="b"')), me="Ann")
    assert codes(records) == ["mail-parts-unread"]
    (thread,) = [each for each in records if isinstance(each, EmailThreadDocument)]
    assert "part 999" in thread.messages[0].content
    assert len(thread.messages[0].attachments) == 1


def test_all_mails_before_the_place_where_a_source_fails_are_read() -> None:
    """However many of them wait to be threaded when it fails; and the failure is told."""
    mails = [mail("words\n" * 1500, Message_ID=f"<{number}@x>", Subject=str(number)) for number in range(200)]
    shelf = Shelf("mail", {"Inbox": mbox(*mails)}, fail_after=1_300_000)
    whole: list[RawMail] = []
    with pytest.raises(SourceError), shelf.members()[0].open() as stream:
        whole.extend(raw_messages(stream))
    records = list(MailConnector().read(shelf, OPTIONS))
    found = [each.id for each in records if isinstance(each, EmailThreadDocument)]
    assert len(set(found)) == len(found) == len(whole) > 64
    assert len(rejections(records)) == 1


def test_half_a_character_costs_no_other_mail() -> None:
    """Names of folders may hold bytes that are no text: they are replaced, and the mails of the batch are kept."""
    half = "caf\udce9"
    with ThreadSpool() as spool:
        spool.add(Header("one", 1, "ann@x.org", "Ann", ()), {"name": "Ann"}, ["Inbox"])
        spool.add(Header(half, 2, half, half, ("one",), people=(half,)), {"name": half, half: [half]}, [half])
        spool.add(Header(half, 3, "bob@x.org", "Bob", ()), {"name": "Bob"}, [half])
        spool.add(Header("two", 4, "ann@x.org", "Ann", (half,)), {"name": "Ann"}, [])
        threads = [[(mail.data, mail.labels) for mail in thread] for thread in spool.threads()]
        mended = "caf\ufffd"
        assert threads[0] == [
            ({"name": "Ann", "id": "one"}, ("Inbox",)),
            ({"name": mended, mended: [mended], "id": mended}, (mended,)),
            ({"name": "Ann", "id": "two"}, ()),
        ]
        assert [mail[0]["name"] for mail in threads[1]] == ["Bob"]


def _posted(number: int, sender: str, **fields: str) -> bytes:
    answered = {"In_Reply_To": "<p1@x.org>"} if number > 1 else {}
    return mail(
        From=sender, To="boats@lists.org", Message_ID=f"<p{number}@x.org>", List_Id="<boats>", **answered, **fields
    )


@for_each(
    [
        ("'{}' via Boats <boats@lists.org>", "X_Original_From"),
        ("{} via Boats <boats@lists.org>", "Reply_To"),
        ("{} via Boats <boats@lists.org>", "Cc"),
    ]
)
def test_a_list_that_sends_under_its_address_is_no_author(sender: str, field: str) -> None:
    """The author is who wrote, with the address that the list keeps elsewhere."""
    people = (("Ida Korn", "ida@x.org"), ("Bo Lund", "bo@x.org"))
    mails = [
        _posted(number, sender.format(name), **{field: f"{name} <{address}>"})
        for number, (name, address) in enumerate(people, 1)
    ]
    (thread,) = threads(mbox(*mails))
    written = [(each.speaker, each.metadata["from"]) for each in thread.messages]
    assert written == [("Ida Korn", "ida@x.org"), ("Bo Lund", "bo@x.org")]


def test_one_address_of_a_program_writes_for_several_people() -> None:
    """If their names share no word; one person may have changed a name."""
    shared = [_posted(number, f"{name} (Jira) <jira@x.org>") for number, name in ((1, "Ida Korn"), (2, "Bo Lund"))]
    (thread,) = threads(mbox(*shared))
    assert [each.speaker for each in thread.messages] == ["Ida Korn (Jira)", "Bo Lund (Jira)"]
    (thread,) = threads(mbox(_posted(1, "Ida <ida@x.org>"), _posted(2, "Ida Korn <ida@x.org>")))
    assert [each.speaker for each in thread.messages] == ["Ida", "Ida"]
