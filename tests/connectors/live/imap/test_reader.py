"""The reader of responses: whole sessions, cut anywhere; what is hostile ends with an error and in bounded memory."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.live.imap.errors import ProtocolError
from memd.connectors.live.imap.frames import Literal, ReaderLimits
from memd.connectors.live.imap.reader import ResponseReader
from memd.connectors.live.imap.responses import (
    Capabilities,
    Code,
    Continuation,
    Count,
    Fetch,
    Folder,
    FolderStatus,
    Other,
    Response,
    SearchResult,
    Status,
    Unreadable,
    Vanished,
)
from memd.connectors.live.imap.uid_set import UidSet
from memd.tests.cases import for_each
from memd.tests.connectors.live.imap.transcripts import ALL, CYRUS, DOVECOT, GMAIL, GREENMAIL, HEADERS

SMALL = ReaderLimits(text=400, literal_kept=20, response_kept=30, literal=10_000, depth=10, values=60)


def read(data: bytes, cuts: tuple[int, ...] = (), limits: ReaderLimits | None = None) -> list[Response | str]:
    """The responses of a stream that arrives in pieces; an error is the last of them, as its text."""
    reader = ResponseReader(limits)
    found: list[Response | str] = []
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        reader.feed(data[start:end])
        try:
            while (response := reader.next_response()) is not None:
                found.append(response)
        except ProtocolError as error:
            return [*found, error.message]
    if not reader.is_empty:
        found.append("cut off")
    return found


def one(data: bytes, limits: ReaderLimits | None = None) -> Response | str:
    """The only response."""
    (found,) = read(data, limits=limits)
    return found


def fetch(data: bytes) -> Fetch:
    """The only response, which is a FETCH."""
    found = one(data)
    assert isinstance(found, Fetch)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_every_cut_gives_the_same(name: str) -> None:
    """Each byte on its own, and a cut at any place, give the responses of the whole."""
    whole = read(ALL[name])
    assert "cut off" not in whole
    assert read(ALL[name], tuple(range(len(ALL[name])))) == whole
    for cut in range(0, len(ALL[name]), 3):
        assert read(ALL[name], (cut,)) == whole


@given(st.sampled_from(sorted(ALL)), st.lists(st.integers(0, 10_000), max_size=20), st.data())
def test_damage_is_told_wherever_it_is_cut(name: str, cuts: list[int], data: st.DataObject) -> None:
    """A session with other bytes in it is read alike in one piece and in many, and never crashes."""
    session = bytearray(ALL[name])
    for _ in range(data.draw(st.integers(1, 4))):
        session[data.draw(st.integers(0, len(session) - 1))] = data.draw(st.integers(0, 255))
    assert read(bytes(session), tuple(cuts), SMALL) == read(bytes(session), (), SMALL)


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=5))
def test_noise_is_told(noise: bytes, cuts: list[int]) -> None:
    """Bytes of any kind behind `* 1 FETCH` are read or told, never a crash."""
    stream = b"* 1 FETCH (" + noise + b"\r\n* 1 EXISTS\r\n"
    assert read(stream, tuple(cuts), SMALL) == read(stream, (), SMALL)


def test_a_session_of_dovecot() -> None:
    """Every response of a rich server, with its values."""
    found = read(DOVECOT)
    greeting, login = found[0], found[1]
    assert isinstance(greeting, Status)
    assert (greeting.tag, greeting.kind, greeting.text) == ("", "OK", "Dovecot ready.")
    assert greeting.code is not None
    assert "AUTH=XOAUTH2" in greeting.code.arguments.split()
    assert isinstance(login, Status)
    assert (login.tag, login.text) == ("a1", "Logged in")
    assert found[2] == Capabilities(frozenset({"CONDSTORE", "QRESYNC"}), enabled=True)
    assert found[4] == Folder(b"Sent", frozenset({"\\hasnochildren", "\\sent"}), "/")
    numbers = {"MESSAGES": 2, "UIDNEXT": 3, "UIDVALIDITY": 1700000001, "HIGHESTMODSEQ": 7}
    assert found[5] == FolderStatus(b"Sent", numbers)
    assert found[6] == Folder(b"Arbeit &- Reise.&ANw-bersicht", frozenset({"\\haschildren"}), ".")
    assert found[7] == Folder(b'Odd "name', frozenset({"\\noselect", "\\hasnochildren"}), "")
    assert found[9] == Other("FLAGS", (["\\Answered", "\\Flagged", "\\Deleted", "\\Seen", "\\Draft", "$Forwarded"],))
    assert found[11] == Count("EXISTS", 3)
    highest = found[15]
    assert isinstance(highest, Status)
    assert highest.code == Code("HIGHESTMODSEQ", "18446744073709551615")
    assert Code("HIGHESTMODSEQ", "18446744073709551615").number == 2**64 - 1
    assert found[16] == Vanished(UidSet(((1, 4), (7, 7), (9, 10))), earlier=True)
    changed, structure, second, third = found[17], found[19], found[20], found[21]
    assert isinstance(changed, Fetch)
    assert (changed.uid, changed.flags, changed.modseq) == (5, {"\\Seen", "NonJunk"}, 24)
    assert isinstance(structure, Fetch)
    assert (structure.size, len(structure.items["BODYSTRUCTURE"])) == (421, 7)
    assert isinstance(second, Fetch)
    assert second.section("body[header.fields (message-id date)]") == Literal(HEADERS, len(HEADERS))
    assert second.section("BODY[1]<0>") == Literal(b"Hi \xc3\xa4\r\n{5}\r\n", 12)
    assert isinstance(third, Fetch)
    assert third.section("BINARY[1.2]") == Literal(b"\x00)\r\n", 4, binary=True)
    assert third.section("BODY[2]") is None
    assert third.section("BODY[3]") == b'a "quote" and \\'
    assert found[23] == SearchResult(UidSet(((5, 6), (8, 8))), "a6", {"MIN": 5, "COUNT": 3})
    assert found[25] == Continuation(b"idling")
    assert found[29] == Status("a8", "NO", Code("LIMIT"), "Too many {5}")
    assert found[30] == Status("", "BYE", Code("UNAVAILABLE"), "Server shutting down.")


def test_a_session_of_cyrus() -> None:
    """Ids that are none are left out; an envelope with a literal in it is a list."""
    found = read(CYRUS)
    assert found[2] == FolderStatus(b"INBOX", {"MESSAGES": 1, "UIDNEXT": 2, "UIDVALIDITY": 170})
    assert found[3] == FolderStatus(b"Work Items", {"MESSAGES": 1})
    told = found[5]
    assert isinstance(told, Status)
    assert told.code is not None
    assert (told.code.name, told.code.arguments) == ("MAILBOXID", "(2eb8-fa_1)")
    mail = found[6]
    assert isinstance(mail, Fetch)
    assert mail.items["THREADID"] is None
    envelope = mail.items["ENVELOPE"]
    assert (envelope[1], envelope[9]) == (Literal(b'Sub "ect', 8), b"<m1@example.org>")


def test_a_session_of_greenmail() -> None:
    """A poor server: plain searches, statuses without codes."""
    found = read(GREENMAIL)
    assert found[3] == Status("g2", "NO", None, "LOGIN failed. Invalid login/password for user id alice")
    assert found[4] == SearchResult(UidSet(((1, 3), (7, 7))))
    assert found[6] == SearchResult(UidSet())
    assert found[8] == SearchResult(UidSet(((2, 2), (4, 4))), numbers={"MODSEQ": 917162500})
    assert found[10] == Count("EXPUNGE", 1)


def test_a_session_of_gmail() -> None:
    """Labels of every form, names with brackets; a response that is broken names its mail and ends nothing."""
    found = read(GMAIL)
    assert found[1] == Folder(b"[Gmail]/Alle Nachrichten", frozenset({"\\all", "\\hasnochildren"}), "/")
    mail = found[2]
    assert isinstance(mail, Fetch)
    assert mail.items["X-GM-LABELS"] == [b"\\Inbox", b"\\Sent", "Muy&AOE-", Literal(b"(odd)", 5), "café"]
    assert mail.section("BODY[]") == Literal(b"", 0)
    assert found[3:5] == [Continuation(b"eyJzdGF0dXMiOiI0MDAifQ=="), Continuation(b"")]
    assert found[6] == Unreadable("FETCH", "a response has a list that is not closed", 42)
    assert isinstance(found[7], Status)


@for_each(
    [b"", b"OK", b"*", b"* ", b"hello world", b"\x00\x01 OK yes", b"a1", b"HTTP/1.1 400 Bad Request", b"*OK ready"]
)
def test_what_is_no_response_is_told(line: bytes) -> None:
    """A server of another protocol ends the reading, with an error that does not repeat its words."""
    assert one(line + b"\r\n") == "the server sends a line that is no response"


@for_each(
    [
        (b'* 1 FETCH (UID 3 BODY[] "abc)', "a response has a quote that is not closed"),
        (b"* 1 FETCH (UID 3 FLAGS (\\Seen)", "a response has a list that is not closed"),
        (b"* 1 FETCH (UID 3))", "a response closes a list that is not open"),
        (b"* 1 FETCH (UID 3 FLAGS)", "a FETCH response is not a list of names and values"),
        (b"* 1 FETCH (UID 3 BODY[HEADER.FIELDS (DATE) NIL)", "a response has a section that is not closed"),
        (b"* 1 FETCH (UID 3 X {99999999999999999999999})", "a response has a literal without bytes"),
    ]
)
def test_what_breaks_the_grammar_names_its_mail(line: bytes, reason: str) -> None:
    """So that one mail can be rejected, and the others read."""
    assert one(line + b"\r\n") == Unreadable("FETCH", reason, 3)


@for_each(
    [
        b"* SEARCH 1 2 x",
        b"* SEARCH 99999999999",
        b"* SEARCH 0",
        b"* ESEARCH UID ALL 1:*",
        b"* ESEARCH UID ALL 0",
        b"* VANISHED",
        b"* VANISHED (EARLIER) 5000000000",
        b"* STATUS INBOX",
        b"* STATUS INBOX (MESSAGES many)",
        b"* LIST () NIL",
        b"* 1 FETCH (UID 0)",
        b"* 1 FETCH (UID abc)",
        b"* 1 FETCH (UID 7 RFC822.SIZE NIL)",
        b"* 1 FETCH (UID 123456789012)",
    ]
)
def test_values_that_cannot_be_are_told(line: bytes) -> None:
    """A number that is none, a UID out of range, a response without its values."""
    assert isinstance(one(line + b"\r\n"), Unreadable)


def test_a_literal_larger_than_what_is_kept_is_cut() -> None:
    """Its beginning is there and its size is known; what comes behind it is read."""
    found = read(b"* 1 FETCH (BODY[1] {50}\r\n" + b"x" * 50 + b" UID 7)\r\n* 1 EXISTS\r\n", (), SMALL)
    mail = found[0]
    assert isinstance(mail, Fetch)
    body = mail.section("BODY[1]")
    assert isinstance(body, Literal)
    assert (body.data, body.size, body.cut, mail.uid) == (b"x" * 20, 50, True, 7)
    assert found[1] == Count("EXISTS", 1)


def test_many_literals_of_one_response_share_what_is_kept() -> None:
    """Together they take no more than one response may."""
    literals = b" ".join(b"BODY[%d] {20}\r\n" % number + b"x" * 20 for number in range(1, 4))
    mail = one(b"* 1 FETCH (" + literals + b")\r\n", SMALL)
    assert isinstance(mail, Fetch)
    assert [len(value.data) for value in mail.items.values()] == [20, 10, 0]


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (b"* OK " + b"x" * 1000, "a response of the server has more than 400 bytes beside its literals"),
        (b"* OK " + b"x" * 1000 + b"\r\n", "a response of the server has more than 400 bytes beside its literals"),
        (
            b"* 1 FETCH (" + b"A {1}\r\nx " * 100,
            "a response of the server has more than 400 bytes beside its literals",
        ),
        (b"* 1 FETCH (BODY[] {10001}\r\n", "the server announces a literal of 10001 bytes"),
    ],
    ids=["no end", "late end", "many literals", "huge literal"],
)
def test_what_has_no_end_is_an_error(stream: bytes, reason: str) -> None:
    """Also where the end of the line arrived along with it."""
    assert read(stream, tuple(range(0, len(stream), 7)), SMALL) == [reason]
    assert read(stream, (), SMALL) == [reason]


@pytest.mark.parametrize(
    ("inside", "reason"),
    [(b"(" * 50, "a response nests lists deeper than 10"), (b"() " * 50, "a response has more than 60 values")],
)
def test_lists_are_bounded(inside: bytes, reason: str) -> None:
    """In depth and in number; the responses behind are read."""
    assert read(b"* 1 FETCH (" + inside + b"\r\n* 2 EXISTS\r\n", (), SMALL) == [
        Unreadable("FETCH", reason),
        Count("EXISTS", 2),
    ]


def test_memory_is_bounded_while_a_literal_is_skipped() -> None:
    """Nothing of it piles up in the reader, however large it is."""
    reader = ResponseReader(SMALL)
    reader.feed(b"* 1 FETCH (BODY[] {10000}\r\n")
    for _ in range(100):
        assert reader.next_response() is None
        reader.feed(b"x" * 100)
        assert reader.held <= 150
    reader.feed(b")\r\n")
    assert isinstance(reader.next_response(), Fetch)


def test_a_plain_search_becomes_ranges() -> None:
    """What a large folder answers takes little room."""
    line = b"* SEARCH " + b" ".join(b"%d" % uid for uid in range(1, 50_001)) + b"\r\n"
    assert one(line) == SearchResult(UidSet(((1, 50_000),)))


def test_an_error_tells_nothing_of_what_was_sent() -> None:
    """Names and texts stay out of logs."""
    for line in (b'* 1 FETCH (UID 3 SUBJECT "secret words', b"secret words without sense", b"* STATUS secret (secret)"):
        (found,) = read(line + b"\r\n")
        told = found if isinstance(found, str) else found.reason if isinstance(found, Unreadable) else ""
        assert not re.search("secret", told)


def test_line_feeds_alone_end_lines_too() -> None:
    """Some small servers send no carriage return."""
    assert read(b"* 1 EXISTS\n* OK [ALERT] hello\n") == [Count("EXISTS", 1), Status("", "OK", Code("ALERT"), "hello")]


def test_nil_is_no_folder_but_for_its_name() -> None:
    """An unquoted NIL as a name is a folder that is called so."""
    assert one(b"* LIST () NIL NIL\r\n") == Folder(b"NIL", frozenset(), "")
    assert fetch(b'* 1 FETCH (X "NIL" Y NIL)\r\n').items == {"X": b"NIL", "Y": None}
