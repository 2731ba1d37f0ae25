"""An account that is pulled: from a scripted server what real ones seldom do, from a real one everything else."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from contextlib import aclosing
from datetime import UTC
from pathlib import Path

import pytest

from memd.connectors.connector import ReadOptions
from memd.connectors.errors import RateLimitError, UnavailableError
from memd.connectors.formats.mail.documents import User
from memd.connectors.live.contract import Batch
from memd.connectors.live.imap import changed_mails, window
from memd.connectors.live.imap.connector import ImapConnector
from memd.connectors.live.imap.cursor import AccountPosition, FolderPosition
from memd.connectors.live.imap.login import Credentials
from memd.connectors.live.imap.transport import Server
from memd.schemas import ConversationDocument
from memd.tests.connectors.live.imap.scripted_server import Script, Talk, certificate, serving

pytestmark = pytest.mark.anyio

Certificate = tuple[Path, ssl.SSLContext]
ANN = User("Ann", frozenset({"ann@example.org"}))
OPTIONS = ReadOptions(zone=UTC)
MAIL = b"Message-ID: <m%d@example.org>\r\nDate: Mon, 15 Jan 2024 12:00:00 +0000\r\nFrom: Bob <bob@example.org>\r\n\r\ntext %d\r\n"


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """Of the server at 127.0.0.1."""
    return certificate(tmp_path_factory.mktemp("trusted"), "127.0.0.1")


async def pulled(connector: ImapConnector, cursor: str | None = None) -> list[Batch]:
    """Every batch."""
    async with aclosing(connector.pull(cursor)) as batches:
        return [each async for each in batches]


def texts(batches: list[Batch]) -> list[str]:
    """What the messages say, in their order."""
    return [message.content for each in messages_of(batches) for message in each.conversation.conversation]


def messages_of(batches: list[Batch]) -> list[ConversationDocument]:
    """The documents as conversations."""
    found = [document.as_conversation() for batch in batches for document in batch.documents]
    return [each for each in found if each is not None]


def fetched(uid: int, data: bytes | None = None, more: bytes = b"") -> bytes:
    """A response that holds a mail."""
    mail = MAIL % (uid, uid) if data is None else data
    return b"* %d FETCH (UID %d FLAGS () %sBODY[] {%d}\r\n" % (uid, uid, more, len(mail)) + mail + b")"


SIZES: Mapping[int, int] = dict.fromkeys((2, 3, 4, 8), 500)


def account(
    *rest: Callable[[Talk], object], capabilities: bytes = b"ESEARCH", sizes: Mapping[int, int] = SIZES
) -> Script:
    """A server with one folder of four mails; then what it does when their sizes are known."""

    async def script(talk: Talk) -> None:
        await talk.say(b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready")
        await talk.expect(rb"AUTHENTICATE PLAIN \S+")
        await talk.say(b"TAG OK [CAPABILITY IMAP4rev1 %s] in" % capabilities)
        listing = b'* LIST (\\HasNoChildren) "/" INBOX'
        if b"X-GM-EXT-1" in capabilities:
            listing = b'* LIST (\\All) "/" "[Gmail]/All"'
        await talk.answer(b'LIST "" "\\*"', listing)
        await talk.answer(
            b"STATUS .*", listing.split()[-1].join([b"* STATUS ", b" (MESSAGES 4 UIDNEXT 9 UIDVALIDITY 7)"])
        )
        await talk.answer(b"EXAMINE .*", b"* OK [UIDVALIDITY 7] ok", b"* OK [UIDNEXT 9] ok")
        await talk.answer(rb"UID SEARCH RETURN \(ALL\) UID \d:\*", b'* ESEARCH (TAG "TAG") UID ALL 2:4,8')
        told = [b"* %d FETCH (UID %d RFC822.SIZE %d)" % (uid, uid, size) for uid, size in sizes.items()]
        await talk.answer(rb"UID FETCH 2:4,8 \(UID RFC822.SIZE\)", *told)
        for step in rest:
            await step(talk)  # pyright: ignore[reportGeneralTypeIssues]
        await talk.answer(b"LOGOUT")

    return script


async def _pull(script: Script, trusted: Certificate, cursor: str | None = None) -> list[Batch]:
    async with serving(script, trusted[1]) as port:
        server = Server("127.0.0.1", port, ca_file=trusted[0])
        return await pulled(ImapConnector(server, Credentials("ann", password="x"), ANN, OPTIONS), cursor)


async def test_a_mail_that_the_server_refuses_is_rejected_alone(trusted: Certificate) -> None:
    """The others come; until then no cursor goes past it."""

    async def refuse(talk: Talk) -> None:
        await talk.expect(rb"UID FETCH 2:4,8 \(UID FLAGS BODY.PEEK\[\]\)")
        await talk.say(fetched(2), b"TAG NO some of the messages could not be fetched")
        await talk.answer(rb"UID FETCH 2 .*", fetched(2))
        await talk.expect(rb"UID FETCH 3 .*")
        await talk.say(b"TAG NO [SERVERBUG] no")
        await talk.answer(rb"UID FETCH 4 .*", b'* 3 FETCH (UID 4 FLAGS () BODY[] "no end)')
        await talk.answer(rb"UID FETCH 8 .*", b"* 8 FETCH (UID 8 FLAGS () BODY[] NIL)")

    batches = await _pull(account(refuse), trusted)
    assert texts(batches) == ["text 2\n", "text 2\n"]
    assert [(each.locator, each.reason) for batch in batches for each in batch.rejected] == [
        ("imap:INBOX:3", "the server refused UID FETCH [SERVERBUG]"),
        ("imap:INBOX:4", "a response has a quote that is not closed"),
        ("imap:INBOX:8", "the server gives nothing of this mail"),
    ]
    cursors = [AccountPosition.of_text(each.cursor).folders for each in batches if each.cursor is not None]
    assert [each[b"INBOX"].done_through_uid for each in cursors] == [1, 8, 8]
    assert [each.cursor is None for each in batches[1:5]] == [True] * 4


async def test_a_mail_that_is_sent_again_and_again(trusted: Certificate) -> None:
    """It is taken once; nothing piles up."""

    async def give(talk: Talk) -> None:
        await talk.answer(rb"UID FETCH 2:4,8 .*", *[fetched(2)] * 50, fetched(3), fetched(8), fetched(4), fetched(3))

    batches = await _pull(account(give), trusted)
    assert texts(batches) == ["text 2\n", "text 3\n", "text 8\n", "text 4\n"]


async def test_a_server_that_wants_to_know_the_program(trusted: Certificate) -> None:
    """It is told by a server that refuses to open a folder, and only by that one."""

    async def script(talk: Talk) -> None:
        await talk.say(b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready")
        await talk.expect(rb"AUTHENTICATE PLAIN \S+")
        await talk.say(b"TAG OK [CAPABILITY IMAP4rev1 ID] in")
        await talk.answer(b'LIST "" "\\*"', b'* LIST (\\HasNoChildren) "/" INBOX')
        await talk.answer(b"STATUS .*", b"* STATUS INBOX (MESSAGES 1 UIDNEXT 9 UIDVALIDITY 7)")
        await talk.expect(b"EXAMINE .*")
        await talk.say(b"TAG NO Unsafe Login. Please contact us")
        await talk.answer(rb'ID \("name" "memd"\)', b"* ID NIL")
        await talk.answer(b"EXAMINE .*", b"* OK [UIDVALIDITY 7] ok", b"* OK [UIDNEXT 9] ok")
        await talk.answer(rb"UID SEARCH UID 1:\*", b"* SEARCH")
        await talk.answer(b"LOGOUT")

    (batch,) = await _pull(script, trusted)
    assert AccountPosition.of_text(batch.cursor).folders[b"INBOX"].done_through_uid == 8


async def test_a_large_mail_whose_parts_do_not_come(trusted: Certificate) -> None:
    """It is fetched whole, when all others are there; until then no cursor goes past it."""

    async def give(talk: Talk) -> None:
        structure = b'(("TEXT" "PLAIN" NIL NIL NIL "7BIT" 5 1) ("IMAGE" "PNG" NIL NIL NIL "7BIT" 90000) "MIXED")'
        await talk.answer(
            rb"UID FETCH 3:4 \(UID BODYSTRUCTURE\)",
            b"* 2 FETCH (UID 3 BODYSTRUCTURE " + structure + b")",
            b'* 3 FETCH (UID 4 BODYSTRUCTURE "no end)',
        )
        await talk.answer(rb"UID FETCH 2,4,8 .*", fetched(2), fetched(4), fetched(8))
        parts = rb"BODY.PEEK\[HEADER\] BODY.PEEK\[1.MIME\] BODY.PEEK\[1\] BODY.PEEK\[2.MIME\]"
        await talk.expect(rb"UID FETCH 3 \(UID FLAGS " + parts + rb"\)")
        await talk.say(b'* 2 FETCH (UID 3 FLAGS () BODY[HEADER] "" BODY[1] NIL)', b"TAG OK done")
        await talk.answer(rb"UID FETCH 3 \(UID FLAGS BODY.PEEK\[\]\)", fetched(3))

    sizes = {2: 500, 3: 200_000, 4: 200_000, 8: 500}
    batches = await _pull(account(give, sizes=sizes), trusted)
    assert [texts([each]) for each in batches if each.documents] == [["text 2\n", "text 4\n", "text 8\n"], ["text 3\n"]]
    cursors = [AccountPosition.of_text(each.cursor).folders for each in batches if each.cursor is not None]
    assert [each[b"INBOX"].done_through_uid for each in cursors] == [2, 8, 8]


async def test_commands_that_end_in_another_order(trusted: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mail belongs to the command that named it; the position waits for the first command."""
    monkeypatch.setattr(window, "BATCH_MAILS", 2)

    async def give(talk: Talk) -> None:
        await talk.expect(rb"UID FETCH 2:3 .*")
        first = talk.tag
        await talk.expect(rb"UID FETCH 4,8 .*")
        await talk.say(fetched(3), fetched(8), fetched(4), b"TAG OK done", fetched(2), first + b" OK done")

    batches = await _pull(account(give), trusted)
    assert [sorted(texts([each])) for each in batches[:2]] == [["text 4\n", "text 8\n"], ["text 2\n", "text 3\n"]]
    positions = [AccountPosition.of_text(each.cursor).folders[b"INBOX"].done_through_uid for each in batches]
    assert positions == [1, 8, 8, 8]


@pytest.mark.parametrize(
    ("end", "error"),
    [(b"TAG NO [LIMIT] slowly", RateLimitError), (b"* BYE enough", UnavailableError)],
    ids=["limit", "bye"],
)
async def test_a_server_that_stops_is_told(trusted: Certificate, end: bytes, error: type[Exception]) -> None:
    """No mail is taken for a bad one."""

    async def stop(talk: Talk) -> None:
        await talk.expect(rb"UID FETCH 2:4,8 .*")
        await talk.say(fetched(2), end)

    with pytest.raises(error):
        await _pull(account(stop), trusted)


async def test_a_folder_whose_validity_cannot_be_one(trusted: Certificate) -> None:
    """Is told and left out: its mails could not be told apart. A number of the next mail that cannot be one is not used."""

    async def script(talk: Talk) -> None:
        await talk.say(b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready")
        await talk.expect(rb"AUTHENTICATE PLAIN \S+")
        await talk.say(b"TAG OK [CAPABILITY IMAP4rev1] in")
        await talk.answer(b'LIST "" "\\*"', b'* LIST () "/" INBOX', b'* LIST () "/" Other')
        await talk.answer(b"STATUS .*", b"* STATUS INBOX (MESSAGES 1 UIDNEXT 9 UIDVALIDITY 18446744073709551615)")
        await talk.answer(b"STATUS .*", b"* STATUS Other (MESSAGES 1 UIDNEXT 9 UIDVALIDITY 7)")
        await talk.answer(b'EXAMINE "INBOX"', b"* OK [UIDVALIDITY 18446744073709551615] ok", b"* OK [UIDNEXT 9] ok")
        await talk.answer(b'EXAMINE "Other"', b"* OK [UIDVALIDITY 7] ok", b"* OK [UIDNEXT 18446744073709551615] ok")
        await talk.answer(rb"UID SEARCH UID 1:\*", b"* SEARCH 5")
        await talk.answer(rb"UID FETCH 5 \(UID RFC822.SIZE\)", b"* 1 FETCH (UID 5 RFC822.SIZE 90)")
        await talk.answer(rb"UID FETCH 5 .*", fetched(5))
        await talk.answer(b"LOGOUT")

    batches = await _pull(script, trusted)
    assert [(each.locator, each.reason) for batch in batches for each in batch.rejected] == [
        ("imap:INBOX", "a folder has a UIDVALIDITY that cannot be one: it is larger than 4294967295")
    ]
    assert texts(batches) == ["text 5\n"]
    known = AccountPosition.of_text(batches[-1].cursor).folders
    assert {name: each.done_through_uid for name, each in known.items()} == {b"Other": 5}


async def test_labels_and_threads_of_gmail(trusted: Certificate) -> None:
    """As its export has them: labels are tags, mails of one thread are one document, drafts are left out."""

    async def give(talk: Talk) -> None:
        inbox = b'X-GM-THRID 77 X-GM-LABELS ("\\\\Inbox" "\\\\Starred" Arbeit) '
        draft = b'X-GM-THRID 78 X-GM-LABELS ("\\\\Draft") '
        await talk.answer(
            rb"UID FETCH 2:4,8 \(UID FLAGS BODY.PEEK\[\] X-GM-LABELS X-GM-THRID\)",
            fetched(2, more=inbox),
            fetched(3, more=inbox),
            fetched(4, more=draft),
        )

    batches = await _pull(account(give, capabilities=b"ESEARCH X-GM-EXT-1"), trusted)
    (document,) = messages_of(batches)
    assert len(document.conversation.conversation) == 2
    assert {"Inbox", "Starred", "Arbeit"} == set(document.tags)
    assert [each.code for batch in batches for each in batch.notices] == ["mail-left-out"]


class TestChanges:
    """What became of mails that were read, from a server that has little, and from one that has labels."""

    def script(self, *rest: Callable[[Talk], object], can: bytes, modseq: bytes = b"") -> Script:
        """A server with one folder of four mails; then what it does when that is open."""

        async def script(talk: Talk) -> None:
            await talk.say(b"* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready")
            await talk.expect(rb"AUTHENTICATE PLAIN \S+")
            await talk.say(b"TAG OK [CAPABILITY IMAP4rev1 ESEARCH %s] in" % can)
            name = b'"[Gmail]/All"' if b"X-GM-EXT-1" in can else b"INBOX"
            await talk.answer(b'LIST "" "\\*"', b'* LIST (%s) "/" ' % (b"\\All" if b"GM" in can else b"") + name)
            status = b"* STATUS " + name + b" (MESSAGES 5 UIDNEXT 9 UIDVALIDITY 7%s)"
            await talk.answer(b"STATUS .*", status % (b" HIGHESTMODSEQ " + modseq if modseq else b""))
            told = [b"* OK [HIGHESTMODSEQ %s] ok" % modseq] if modseq else []
            tells_gone = b"ENABLE" in can
            if tells_gone:
                await talk.answer(b"ENABLE QRESYNC", b"* ENABLED QRESYNC")
            await talk.answer(b"EXAMINE .*", b"* OK [UIDVALIDITY 7] ok", b"* OK [UIDNEXT 9] ok", b"* 5 EXISTS", *told)
            for step in rest:
                await step(talk)  # pyright: ignore[reportGeneralTypeIssues]
            await talk.answer(rb"UID SEARCH RETURN \(ALL\) UID 9:\*", b'* ESEARCH (TAG "TAG") UID')
            if not tells_gone:
                await talk.answer(rb"UID SEARCH RETURN \(ALL\) UID 1:\*", b'* ESEARCH (TAG "TAG") UID ALL 2:4,8')
            await talk.answer(b"LOGOUT")

        return script

    def cursor(self, name: bytes = b"INBOX", **more: object) -> str:
        """Everything was read."""
        known = FolderPosition.model_validate({"uidvalidity": 7, "done_through_uid": 8, "messages": 4, **more})
        return AccountPosition({name: known}).to_text()

    async def test_a_server_that_does_not_count_changes(self, trusted: Certificate) -> None:
        """Is asked for marks; what differs is told."""

        async def give(talk: Talk) -> None:
            await talk.answer(
                rb"UID SEARCH RETURN \(ALL\) UID 1:8 OR DELETED DRAFT", b'* ESEARCH (TAG "TAG") UID ALL 8'
            )
            await talk.answer(rb"UID SEARCH RETURN \(ALL\) UID 1:8 FLAGGED", b'* ESEARCH (TAG "TAG") UID ALL 3:4')

        cursor = self.cursor(flagged=((2, 3),))
        batches = await _pull(self.script(give, can=b""), trusted, cursor)
        assert [(each.number, each.tags) for batch in batches for each in batch.tags] == [
            (8, ()),
            (2, ("INBOX",)),
            (4, ("INBOX", "Flagged")),
        ]
        known = AccountPosition.of_text(batches[-1].cursor).folders[b"INBOX"]
        assert (known.flagged, known.left_out) == (((3, 4),), ((8, 8),))

    @pytest.mark.parametrize(
        ("noted", "told"),
        [
            (((2, 2), (4, 4)), [(2, ("INBOX",)), (3, ("INBOX", "Flagged"))]),
            (None, [(2, ("INBOX",)), (3, ("INBOX", "Flagged")), (4, ("INBOX", "Flagged"))]),
        ],
        ids=["noted", "of an older memd"],
    )
    async def test_a_server_that_counts_changes_and_does_not_tell_them(
        self, trusted: Certificate, noted: object, told: object
    ) -> None:
        """Is asked for marks, too; a mail that is not flagged any more loses the tag, also where nobody noted that it had it."""

        async def give(talk: Talk) -> None:
            await talk.expect(rb"UID FETCH 1:8 \(UID FLAGS\) \(CHANGEDSINCE 5\)")
            await talk.say(b"TAG BAD what")
            await talk.answer(
                rb"UID SEARCH RETURN \(ALL\) UID 1:8 OR DELETED DRAFT", b'* ESEARCH (TAG "TAG") UID ALL 8'
            )
            if noted is None:
                await talk.answer(rb"UID SEARCH RETURN \(ALL\) UID 1:8 ALL", b'* ESEARCH (TAG "TAG") UID ALL 2:4,8')
            await talk.answer(rb"UID SEARCH RETURN \(ALL\) UID 1:8 FLAGGED", b'* ESEARCH (TAG "TAG") UID ALL 3:4')

        cursor = self.cursor(modseq=5, left_out=((8, 8),), flagged=noted)
        batches = await _pull(self.script(give, can=b"CONDSTORE", modseq=b"9"), trusted, cursor)
        assert [(each.number, each.tags) for batch in batches for each in batch.tags] == told
        known = AccountPosition.of_text(batches[-1].cursor).folders[b"INBOX"]
        assert (known.modseq, known.flagged, known.left_out) == (9, ((3, 4),), ((8, 8),))

    async def test_a_server_that_counts_changes_no_more(self, trusted: Certificate) -> None:
        """Nobody noted what is flagged, as far as an older memd read: what all mails have is told once."""

        async def give(talk: Talk) -> None:
            await talk.answer(rb"UID SEARCH RETURN \(ALL\) UID 1:8 OR DELETED DRAFT", b'* ESEARCH (TAG "TAG") UID')
            await talk.answer(rb"UID SEARCH RETURN \(ALL\) UID 1:8 ALL", b'* ESEARCH (TAG "TAG") UID ALL 2:4,8')
            await talk.answer(rb"UID SEARCH RETURN \(ALL\) UID 1:8 FLAGGED", b'* ESEARCH (TAG "TAG") UID ALL 3')

        batches = await _pull(self.script(give, can=b""), trusted, self.cursor(modseq=5))
        assert [(each.number, each.tags) for batch in batches for each in batch.tags] == [
            (uid, ("INBOX", "Flagged") if uid == 3 else ("INBOX",)) for uid in (2, 3, 4, 8)
        ]
        assert AccountPosition.of_text(batches[-1].cursor).folders[b"INBOX"].flagged == ((3, 3),)

    async def test_what_is_told_of_flags_is_noted(self, trusted: Certificate) -> None:
        """So that a later refusal to tell changes loses nothing."""

        async def give(talk: Talk) -> None:
            told = [b"* 1 FETCH (UID 2 FLAGS ())", b"* 2 FETCH (UID 3 FLAGS (\\Flagged))"]
            await talk.answer(rb"UID FETCH 1:8 \(UID FLAGS\) \(CHANGEDSINCE 5\)", *told)

        cursor = self.cursor(modseq=5, flagged=((2, 2), (4, 4)))
        batches = await _pull(self.script(give, can=b"CONDSTORE", modseq=b"9"), trusted, cursor)
        assert AccountPosition.of_text(batches[-1].cursor).folders[b"INBOX"].flagged == ((3, 4),)

    async def test_labels_of_gmail_that_nobody_tells(self, trusted: Certificate) -> None:
        """The changes count from where they did, so that they are asked for again; drafts are searched for meanwhile."""

        async def refuse(talk: Talk) -> None:
            await talk.expect(rb"UID FETCH 1:8 \(UID FLAGS X-GM-LABELS\) \(CHANGEDSINCE 5\)")
            await talk.say(b"TAG NO [SERVERBUG] not now")
            await talk.answer(
                rb"UID SEARCH RETURN \(ALL\) UID 1:8 OR DELETED DRAFT", b'* ESEARCH (TAG "TAG") UID ALL 4'
            )
            await talk.answer(rb"UID FETCH 3 \(UID RFC822.SIZE\)", b"* 2 FETCH (UID 3 RFC822.SIZE 90)")
            labels = b"X-GM-THRID 77 X-GM-LABELS (Work) "
            await talk.answer(rb"UID FETCH 3 \(UID FLAGS BODY.PEEK\[\] .*", fetched(3, more=labels))

        async def tell(talk: Talk) -> None:
            await talk.answer(
                rb"UID FETCH 1:8 \(UID FLAGS X-GM-LABELS\) \(CHANGEDSINCE 5\)",
                b"* 1 FETCH (UID 2 MODSEQ (7) FLAGS () X-GM-LABELS (Work))",
            )

        script = self.script(refuse, can=b"CONDSTORE X-GM-EXT-1", modseq=b"9")
        batches = await _pull(script, trusted, self.cursor(b"[Gmail]/All", modseq=5, left_out=((3, 3),)))
        assert [(each.number, each.tags) for batch in batches for each in batch.tags] == [(4, ())]
        assert [(each.number, each.tags) for batch in batches for each in batch.members] == [(3, ("Work",))]
        known = AccountPosition.of_text(batches[-1].cursor).folders[b"[Gmail]/All"]
        assert (known.modseq, known.left_out) == (5, ((4, 4),))
        script = self.script(tell, can=b"CONDSTORE X-GM-EXT-1", modseq=b"9")
        batches = await _pull(script, trusted, batches[-1].cursor)
        assert [(each.number, each.tags) for batch in batches for each in batch.tags] == [(2, ("Work",))]
        assert AccountPosition.of_text(batches[-1].cursor).folders[b"[Gmail]/All"].modseq == 9

    async def test_labels_of_gmail_after_a_memd_that_did_not_look_for_changes(self, trusted: Certificate) -> None:
        """All are asked for once; a draft that is hidden then is read when it is none any more."""

        async def give(talk: Talk) -> None:
            await talk.answer(
                rb"UID FETCH 1:8 \(UID FLAGS X-GM-LABELS\)",
                b"* 1 FETCH (UID 2 FLAGS () X-GM-LABELS (Work))",
                b'* 2 FETCH (UID 3 FLAGS () X-GM-LABELS ("\\\\Draft"))',
            )

        async def sent(talk: Talk) -> None:
            labels = b"X-GM-THRID 77 X-GM-LABELS (Work) "
            await talk.answer(
                rb"UID FETCH 1:8 \(UID FLAGS X-GM-LABELS\) \(CHANGEDSINCE 9\)",
                b"* 2 FETCH (UID 3 FLAGS () X-GM-LABELS (Work))",
            )
            await talk.answer(rb"UID FETCH 3 \(UID RFC822.SIZE\)", b"* 2 FETCH (UID 3 RFC822.SIZE 90)")
            await talk.answer(rb"UID FETCH 3 \(UID FLAGS BODY.PEEK\[\] .*", fetched(3, more=labels))

        can = b"CONDSTORE X-GM-EXT-1"
        cursor = self.cursor(b"[Gmail]/All")
        batches = await _pull(self.script(give, can=can, modseq=b"9"), trusted, cursor)
        assert [(each.number, each.tags) for batch in batches for each in batch.tags] == [(2, ("Work",)), (3, ())]
        batches = await _pull(self.script(sent, can=can, modseq=b"11"), trusted, batches[-1].cursor)
        assert texts(batches) == ["text 3\n"]

    async def test_labels_of_gmail_that_change(self, trusted: Certificate) -> None:
        """Are the tags of the mail from then on; what tells of no known mail, or cannot be read, changes nothing."""

        async def give(talk: Talk) -> None:
            await talk.answer(
                rb"UID FETCH 1:8 \(UID FLAGS X-GM-LABELS\) \(CHANGEDSINCE 5\)",
                b'* 1 FETCH (UID 2 MODSEQ (7) FLAGS (\\Flagged) X-GM-LABELS ("\\\\Inbox" Work))',
                b"* 2 FETCH (UID 3 MODSEQ (8) FLAGS () X-GM-LABELS ())",
                b"* 3 FETCH (UID 4 MODSEQ (8) FLAGS (\\Seen))",
                b"* 4 FETCH (UID 8 MODSEQ (8) FLAGS () X-GM-LABELS broken)",
                b"* 5 FETCH (UID 9 MODSEQ (8) FLAGS () X-GM-LABELS (New))",
            )

        cursor = self.cursor(b"[Gmail]/All", modseq=5)
        batches = await _pull(self.script(give, can=b"CONDSTORE X-GM-EXT-1", modseq=b"9"), trusted, cursor)
        assert [(each.number, each.tags) for batch in batches for each in batch.tags] == [
            (2, ("Inbox", "Work", "Flagged")),
            (3, ()),
        ]
        assert AccountPosition.of_text(batches[-1].cursor).folders[b"[Gmail]/All"].modseq == 9

    async def test_many_changes_are_told_in_steps(self, trusted: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
        """The position stays where it was until all are told."""
        monkeypatch.setattr(changed_mails, "STEP", 2)

        async def give(talk: Talk) -> None:
            told = [b"* %d FETCH (UID %d FLAGS (\\Flagged))" % (uid, uid) for uid in (2, 3, 4)]
            await talk.answer(
                rb"UID FETCH 1:8 \(UID FLAGS\) \(CHANGEDSINCE 5 VANISHED\)", b"* VANISHED (EARLIER) 5:7", *told
            )

        script = self.script(give, can=b"QRESYNC ENABLE", modseq=b"9")
        batches = await _pull(script, trusted, self.cursor(modseq=5))
        assert [(len(each.tags), each.cursor is None) for each in batches] == [(2, True), (1, True), (0, False)]
        assert [each.numbers for each in batches[-1].losses] == [((5, 7),)]
