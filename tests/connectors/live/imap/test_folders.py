"""Which folders are read, which have something new, and the cursor that says how far."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.connectors.live.contract import FolderContents
from memd.connectors.live.imap.cursor import AccountPosition, FolderPosition, Witness
from memd.connectors.live.imap.folders import (
    ListedFolder,
    folders_to_open,
    is_suddenly_empty,
    judge_folders,
    list_folders,
    missing_folders,
)
from memd.connectors.live.imap.mails import header_digest
from memd.connectors.live.imap.renames import follow_folders, renamed_to
from memd.connectors.live.imap.responses import Folder
from memd.connectors.live.imap.window import BATCH_BYTES, batches_of
from memd.tests.cases import for_each
from memd.tests.connectors.live.imap.scripted_server import Talk, connected

pytestmark = pytest.mark.anyio


def folder(name: str, *attributes: str) -> Folder:
    """A folder as LIST tells it."""
    return Folder(name.encode(), frozenset(attributes), "/")


def chosen(folders: list[Folder], *wanted: str, gmail: bool = False) -> list[Folder]:
    """Those that are read."""
    return [each for each, left_out in judge_folders(folders, wanted, gmail=gmail) if not left_out]


def listed(
    name: bytes = b"INBOX", messages: int | None = 3, uid_next: int | None = 4, validity: int = 7
) -> ListedFolder:
    """A folder with its numbers."""
    return ListedFolder(name, name.decode(), messages, uid_next, validity)


def position(done: int, validity: int = 7, name: bytes = b"INBOX", messages: int | None = 3) -> AccountPosition:
    """One folder that was read so far."""
    known = FolderPosition(uidvalidity=validity, done_through_uid=done, messages=messages, label=name.decode())
    return AccountPosition({name: known})


def test_spam_trash_and_drafts_are_not_read() -> None:
    """By what the server says of them; then a folder's name tells nothing."""
    folders = [
        folder("Trash"),
        folder("Bin", "\\trash"),
        folder("J", "\\junk"),
        folder("D", "\\drafts"),
        folder("INBOX"),
    ]
    folders += [
        folder("Alles", "\\all"),
        folder("Sterne", "\\flagged"),
        folder("Sent", "\\sent"),
        folder("X", "\\noselect"),
    ]
    assert [each.name for each in chosen(folders, gmail=False)] == [b"INBOX", b"Sent", b"Trash"]


def test_folders_that_somebody_chose_are_read_alone() -> None:
    """Whatever they are for; the inbox by its name in any case, folders inside others by ``/``; one that is not there is told."""
    folders = [Folder(b"INBOX", frozenset(), "."), Folder(b"Work.2024", frozenset(), "."), folder("J", "\\junk")]
    assert [each.name for each in chosen(folders, "Work/2024", "inbox", "gone")] == [b"INBOX", b"Work.2024"]
    assert [each.name for each in chosen(folders, "J")] == [b"J"]
    assert [why for _, why in judge_folders(folders, ["J"], gmail=False)] == ["not chosen", "", "not chosen"]
    assert missing_folders([listed()], ["Inbox", "gone"]) == ["gone"]


def test_names_tell_where_the_server_does_not() -> None:
    """Of folders inside others, too, and in many languages."""
    folders = [folder("INBOX.Papierkorb"), folder("INBOX"), folder("Spam"), folder("Work")]
    folders = [Folder(each.name, each.attributes, ".") for each in folders]
    assert [each.name for each in chosen(folders, gmail=False)] == [b"INBOX", b"Work"]


def test_of_gmail_all_mail_is_read_alone() -> None:
    """Its folders are labels; where all mail is not shown, the labels are read."""
    folders = [folder("INBOX"), folder("[Gmail]/Alle", "\\all"), folder("[Gmail]/Spam", "\\junk")]
    assert [each.name for each in chosen(folders, gmail=True)] == [b"[Gmail]/Alle"]
    assert [each.name for each in chosen([folders[0], folders[2]], gmail=True)] == [b"INBOX"]


@for_each(
    [
        (position(3), listed(), False),
        (position(2), listed(), True),
        (position(3), listed(uid_next=5), True),
        (position(3, validity=8), listed(), True),
        (position(3, name=b"Old"), listed(), True),
        (position(3), listed(uid_next=None), True),
        (position(3), listed(messages=2), True),
        (position(3, messages=None), listed(), True),
        (AccountPosition(), listed(messages=0, uid_next=1), True),
    ]
)
def test_what_is_opened(known: AccountPosition, folder: ListedFolder, opened: bool) -> None:
    """Whatever may have something new."""
    assert bool(folders_to_open([folder], known)) is opened


def test_a_folder_in_which_something_changed_is_opened() -> None:
    """Where its server counts changes: a mail was flagged, or marked as deleted, and as many are there as before."""
    known = AccountPosition({b"INBOX": FolderPosition(uidvalidity=7, done_through_uid=3, messages=3, modseq=5)})
    opened = [number for number in (5, 6, None) if folders_to_open([replace(listed(), modseq=number)], known)]
    assert opened == [6, None]


def test_what_a_folder_may_be_called_now() -> None:
    """Folders of its UIDVALIDITY that are not known by themselves."""
    lost = FolderPosition(uidvalidity=7)
    known = position(3, name=b"Known").with_folder(b"Old", lost).with_folder(b"Anew", FolderPosition(uidvalidity=8))
    folders = [listed(b"Known"), listed(b"New"), listed(b"Other", validity=9), listed(b"Anew")]
    assert [each.name for each in renamed_to(lost, folders, known)] == [b"New", b"Anew"]


def test_an_account_that_is_suddenly_empty() -> None:
    """Only where it had something; a folder that does not tell its number may have something."""
    empty = listed(messages=0)
    assert is_suddenly_empty([empty], position(3))
    assert is_suddenly_empty([], position(3))
    assert not is_suddenly_empty([empty], position(0))
    assert not is_suddenly_empty([empty, listed(b"a", messages=None)], position(3))
    assert not is_suddenly_empty([empty, listed(b"a", messages=1)], position(3))


positions = st.builds(
    FolderPosition,
    uidvalidity=st.integers(1),
    done_through_uid=st.integers(0),
    label=st.text(),
    messages=st.none() | st.integers(0),
    witness=st.none() | st.builds(Witness, uid=st.integers(1), header=st.text()),
)


@given(st.dictionaries(st.binary(), positions))
def test_the_cursor_says_what_was_read(folders: dict[bytes, FolderPosition]) -> None:
    """Names of any bytes."""
    assert AccountPosition.of_text(AccountPosition(folders).to_text()) == AccountPosition(folders)


@for_each(
    [
        None,
        "",
        "nonsense",
        "[]",
        '{"v": 1, "folders": {"INBOX": {"uidvalidity": 7}}}',
        '{"v": 2, "folders": {"INBOX": {}}}',
        '{"v": 2, "folders": {"台": {"uidvalidity": 7}}}',
    ]
)
def test_a_cursor_that_cannot_be_read_says_nothing(cursor: str | None) -> None:
    """Then everything is read again, which harms nothing."""
    assert AccountPosition.of_text(cursor) == AccountPosition()


@given(st.dictionaries(st.integers(1, 9999), st.integers(0, 3 * BATCH_BYTES), max_size=50))
def test_batches_hold_what_they_may(sizes: dict[int, int]) -> None:
    """Every mail once, in order; more than the limit only where one mail has more."""
    batches = list(batches_of(sizes))
    assert [uid for batch in batches for uid in batch] == sorted(sizes)
    assert all(len(batch) == 1 or sum(sizes[uid] for uid in batch) <= BATCH_BYTES for batch in batches)


async def test_servers_that_cannot_list_and_tell_at_once() -> None:
    """Each folder is asked for; one that may not be looked at is told when it is opened."""

    async def script(talk: Talk) -> None:
        await talk.answer(b"CAPABILITY", b"* CAPABILITY IMAP4rev1")
        await talk.answer(
            b'LIST "" "\\*"', b'* LIST () "." INBOX', b'* LIST () "." "INBOX.a"', b'* LIST () "." "INBOX.b"'
        )
        await talk.answer(b'STATUS "INBOX" .*', b"* STATUS INBOX (MESSAGES 2 UIDNEXT 9 UIDVALIDITY 7)")
        await talk.answer(b'STATUS "INBOX.a" .*', b"* STATUS INBOX.a (MESSAGES 0)")
        await talk.expect(b'STATUS "INBOX.b" .*')
        await talk.say(b"TAG NO [NOPERM] no")

    async with connected(script) as connection:
        await connection.run(b"CAPABILITY")
        assert await list_folders(connection) == (
            ListedFolder(b"INBOX", "INBOX", 2, 9, 7),
            ListedFolder(b"INBOX.a", "INBOX/a", 0, None, None),
            ListedFolder(b"INBOX.b", "INBOX/b", None, None, None),
        )


@pytest.mark.parametrize(
    ("names", "gone"),
    [
        ({"New": "Cur", "Cur": "Old"}, []),
        ({"Cur": "Old", "New": "Cur"}, []),
        ({"New": "Cur", "Cur": "New"}, []),
        ({"New": "Cur"}, []),
        ({"Cur": "Old"}, ["New"]),
    ],
    ids=["moved on", "moved on, last one first", "swapped", "over another", "one is gone"],
)
async def test_folders_that_change_their_names_with_each_other(names: dict[str, str], gone: list[str]) -> None:
    """They are looked for from where they were read, in whatever order these places are told."""
    validities = {"New": 7, "Cur": 8}
    headers = {name: f"Message-ID: <{name}@x>".encode() for name in validities}
    now = {new: old for old, new in names.items()}

    async def script(talk: Talk) -> None:
        examined = ""
        while True:
            talk.tag, _, command = (await talk.line()).partition(b" ")
            if command.startswith(b"EXAMINE"):
                examined = command.split()[-1].decode().strip('"')
                await talk.say(b"* OK [UIDVALIDITY %d] ok" % validities[now[examined]], b"TAG OK done")
            elif command.startswith(b"UID FETCH"):
                header = headers[now[examined]]
                told = b"* 1 FETCH (UID 3 BODY[HEADER] {%d}\r\n%s)" % (len(header), header)
                await talk.say(told, b"TAG OK done")
            else:
                await talk.say(b"TAG OK done")

    order = [*names, *(validities.keys() - names.keys())]
    folders = {
        name.encode(): FolderPosition(
            uidvalidity=validities[name], label=name, witness=Witness(uid=3, header=header_digest(headers[name]))
        )
        for name in order
    }
    there = [listed(new.encode(), validity=validities[old]) for new, old in now.items()]
    async with connected(script) as connection:
        found = await follow_folders(connection, there, AccountPosition(folders))
    assert {(each.old, each.new, each.validity) for each in found.renames} == {
        (old, new, validities[old]) for old, new in names.items()
    }
    assert found.position.folders == {
        new.encode(): folders[old.encode()].model_copy(update={"label": new}) for old, new in names.items()
    }
    assert found.gone == tuple(FolderContents(each, 0) for each in gone)
