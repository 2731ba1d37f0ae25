"""What lies in which folder of an account, through the daemon: documents have the tags of the folders in which they lie, and no others."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.connectors.live.contract import Batch, FolderContents, FolderLosses, FolderRename, Membership, MessageTags
from memd.daemon.app import open_app
from memd.daemon.config.paths import JOURNAL
from memd.daemon.config.settings import Settings
from memd.daemon.journal import memberships
from memd.daemon.journal.journal import Journal, open_journal
from memd.daemon.journal.memberships import MembershipChanges
from memd.daemon.journal.run_history import RunOrigin
from memd.daemon.pipeline.writer import StoreWriter
from memd.daemon.service.requests import ForgetRequest, ListingRequest
from memd.daemon.service.service import Service
from memd.daemon.sources import runner
from memd.memory.memory import EvolvingMemory
from memd.schemas import ConversationDocument
from memd.schemas.errors import StoreError
from memd.tests.contracts.live_connector import synced
from memd.tests.effort import examples

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

THREADS = {"m0": "t0", "m1": "t0", "m2": "t1", "m3": "t2"}
"""The thread of each message."""


def thread(name: str, messages: list[str], tags: list[str]) -> ConversationDocument:
    """A thread as one of its folders tells it."""
    said = [
        {"speaker": "Bob", "content": f"text {each}", "time": f"2024-01-15T12:0{each[1]}:00Z", "id": each}
        for each in messages
    ]
    conversation = {"source": "scripted", "people": ["Ann", "Bob"], "user": "Ann", "conversation": said}
    plain = {"id": name, "conversation": conversation, "tags": tags, "metadata": {"chat": "one"}}
    return ConversationDocument.model_validate(plain)


@dataclass
class Folders:
    """An account with folders, as a connector that gives all that is there every time, with as much as it cares to tell."""

    lying: dict[str, dict[int, str]] = field(default_factory=lambda: {"INBOX": {}, "Work": {}})
    validity: dict[str, int] = field(default_factory=lambda: {"INBOX": 1, "Work": 2})
    renames: list[FolderRename] = field(default_factory=list[FolderRename])
    gone: list[str] = field(default_factory=list[str])
    numbers: int = 0
    told: Batch | None = None
    """All that the next pull gives."""
    name: str = "scripted"

    def put(self, folder: str, message: str) -> None:
        """A message into a folder."""
        self.numbers += 1
        self.lying[folder][self.numbers] = message

    def take(self, folder: str) -> None:
        """The first message out of a folder."""
        if self.lying[folder]:
            del self.lying[folder][min(self.lying[folder])]

    def rename(self, old: str, new: str) -> None:
        """Another name for a folder."""
        self.renames.append(FolderRename(old, new, self.validity[old]))
        self.lying[new], self.validity[new] = self.lying.pop(old), self.validity.pop(old)

    def rename_all(self, names: dict[str, str]) -> None:
        """Other names for some folders at once; what has one of them and gets no other is deleted."""
        for old, new in names.items():
            self.renames.append(FolderRename(old, new, self.validity[old]))
        lying, validity = dict(self.lying), dict(self.validity)
        for folder in {*names, *names.values()} & lying.keys():
            del self.lying[folder], self.validity[folder]
        for old, new in names.items():
            self.lying[new], self.validity[new] = lying[old], validity[old]

    def delete(self, folder: str) -> None:
        """A folder with all that is in it."""
        self.gone.append(folder)
        del self.lying[folder], self.validity[folder]

    def create(self, folder: str) -> None:
        """A folder, also of a name that there was."""
        self.numbers += 1
        self.lying[folder], self.validity[folder] = {}, 100 + self.numbers

    def given(self) -> dict[str, set[str]]:
        """By thread, the folders in which something of it lies."""
        found: dict[str, set[str]] = {}
        for folder, lying in self.lying.items():
            for message in lying.values():
                found.setdefault(THREADS[message], set()).add(folder)
        return found

    async def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        """What is there, folder by folder."""
        if self.told is not None:
            yield replace(self.told, cursor=f"{cursor or ''}.")
            return
        gone = tuple(FolderContents(each, 0) for each in self.gone if each not in self.lying)
        yield Batch(renames=tuple(self.renames), contents=gone, cursor=f"{cursor or ''}.")
        self.renames, self.gone = [], []
        for folder, lying in list(self.lying.items()):
            threads: dict[str, list[str]] = {}
            for message in lying.values():
                threads.setdefault(THREADS[message], []).append(message)
            documents = tuple(thread(name, sorted(set(messages)), [folder]) for name, messages in threads.items())
            validity = self.validity[folder]
            members = tuple(
                Membership(folder, validity, number, (folder,), THREADS[message], message)
                for number, message in lying.items()
            )
            contents = FolderContents(folder, validity, tuple((number, number) for number in sorted(lying)))
            yield Batch(documents, members=members, contents=(contents,), cursor=f"{cursor or ''}.")


@asynccontextmanager
async def daemon(folder: Path, account: Folders, **options: Any) -> AsyncGenerator[Service]:
    """A memory whose one source is the account."""
    plain = {
        "data_dir": folder / "data",
        "embedding": {"enabled": False},
        "facts": {"extractor": "off"},
        "sources": [{"name": "account", "kind": "scripted", **options}],
    }
    async with open_app(
        Settings.model_validate(plain), serve=False, connectors={"scripted": lambda _: account}
    ) as service:
        yield service


async def tags(service: Service) -> dict[str, set[str]]:
    """By thread, its tags."""
    listed = (await service.listing(ListingRequest(limit=100)))["documents"]
    return {each["id"]: set((await service.document(each["id"])).get("tags", [])) for each in listed}


def rows(folder: Path, table: str) -> int:
    """How many the journal has in a table."""
    with closing(sqlite3.connect(folder / "data" / JOURNAL)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


Step = tuple[Literal["put", "take", "rename", "delete", "create", "sync"], str, str]
steps = st.tuples(
    st.sampled_from(["put", "put", "take", "rename", "delete", "create", "sync", "sync"]),
    st.sampled_from(["INBOX", "Work", "Job"]),
    st.sampled_from(["m0", "m1", "m2", "m3"]),
)


@given(st.lists(steps, max_size=25), st.booleans())
@settings(max_examples=examples(10), deadline=None)
def test_tags_are_the_folders_in_which_something_lies(story: list[Step], interrupted: bool) -> None:
    """After every run, whatever was put, taken, renamed, deleted and made anew before it; every thread that ever was there stays."""
    anyio.run(_tell, story, interrupted)


async def _tell(story: list[Step], interrupted: bool) -> None:
    account, known = Folders(), set[str]()
    with tempfile.TemporaryDirectory() as folder:
        while story:
            async with daemon(Path(folder), account) as service:
                while story:
                    verb, name, message = story.pop(0)
                    others = sorted({"INBOX", "Work", "Job"} - account.lying.keys())
                    if verb == "create" and name not in account.lying:
                        account.create(name)
                    elif verb == "put" and name in account.lying:
                        account.put(name, message)
                    elif verb == "take" and name in account.lying:
                        account.take(name)
                    elif verb == "delete" and name in account.lying:
                        account.delete(name)
                    elif verb == "rename" and name in account.lying and others:
                        account.rename(name, others[0])
                    elif verb == "sync":
                        assert (await synced(service))["outcome"] == "ok"
                        known |= account.given().keys()
                        assert await tags(service) == {each: account.given().get(each, set()) for each in known}
                        if interrupted:
                            break


@pytest.mark.parametrize("same_second", [False, True], ids=["validities differ", "one validity"])
@pytest.mark.parametrize(
    "names",
    [{"INBOX": "Work", "Work": "INBOX"}, {"INBOX": "Work", "Work": "Job"}, {"Work": "Job", "INBOX": "Work"}],
    ids=["swapped", "moved on", "moved on, last one first"],
)
async def test_folders_that_change_their_names_with_each_other(
    tmp_path: Path, names: dict[str, str], same_second: bool
) -> None:
    """Between two readings, whichever comes first: all that is in them has their new names."""
    account = Folders(validity={"INBOX": 1, "Work": 1 if same_second else 2})
    account.put("INBOX", "m0")
    account.put("Work", "m2")
    account.put("Work", "m3")
    async with daemon(tmp_path, account) as service:
        await synced(service)
        account.rename_all(names)
        account.lying, lying = {}, account.lying  # nothing but the renames is told
        await synced(service)
        account.lying = lying
        assert await tags(service) == account.given()
        assert rows(tmp_path, "memberships") == 3


async def test_a_rename_to_a_name_that_is_a_label_too(tmp_path: Path) -> None:
    """Both say the same of a mail from then on."""
    async with open_journal(tmp_path / "journal.db") as journal:
        await journal.runs.begin("one", "mail", RunOrigin("source:mail", "schedule", 5.0))
        members = [Membership("INBOX", 7, number, ("INBOX", "Work"), "d", f"m{number}") for number in (1, 2)]
        keys = {"d": UUID(int=1)}
        for renames, put in (((), members), ((FolderRename("INBOX", "Work", 7),), [])):
            changes = MembershipChanges("source:mail", "ann", keys, renames, put)
            await journal.run(partial(changes.save, run="one"))
        lying = "SELECT f.folder, tag, number FROM account_folders f JOIN memberships m ON m.folder = f.id ORDER BY 3"
        found = await journal.run(lambda connection: connection.execute(lying).fetchall())
        assert found == [("Work", "Work", 1), ("Work", "Work", 2)]


async def test_marks_that_come_and_go(tmp_path: Path) -> None:
    """A document has the tags of its messages as they are told last, also where one had none for a while; what is told of a
    message that nobody knows counts for nothing.
    """
    account = Folders()
    account.put("INBOX", "m0")
    account.put("INBOX", "m2")
    async with daemon(tmp_path, account) as service:
        await synced(service)
        for changed, wanted in (
            ({1: ("INBOX", "Flagged"), 9: ("INBOX", "Flagged")}, {"t0": {"INBOX", "Flagged"}, "t1": {"INBOX"}}),
            ({1: ("INBOX",), 2: ("Work", "Play")}, {"t0": {"INBOX"}, "t1": {"Work", "Play"}}),
            ({1: (), 2: ()}, {"t0": set[str](), "t1": set[str]()}),
            ({1: ("INBOX",), 2: ("Play",)}, {"t0": {"INBOX"}, "t1": {"Play"}}),
        ):
            account.told = Batch(tags=tuple(MessageTags("INBOX", 1, *each) for each in changed.items()))
            await synced(service)
            assert await tags(service) == wanted
        account.told = Batch(tags=(MessageTags("INBOX", 8, 1, ("Work",)), MessageTags("Work", 1, 1, ("Work",))))
        await synced(service)
        assert await tags(service) == {"t0": {"INBOX"}, "t1": {"Play"}}


async def test_a_message_without_a_tag(tmp_path: Path) -> None:
    """Is known, so that it can be given one later."""
    account = Folders()
    document = thread("t1", ["m2"], [])
    account.told = Batch((document,), members=(Membership("All", 5, 1, (), "t1", "m2"),))
    async with daemon(tmp_path, account) as service:
        await synced(service)
        assert await tags(service) == {"t1": set()}
        account.told = Batch(tags=(MessageTags("All", 5, 1, ("Work",)),))
        await synced(service)
        assert await tags(service) == {"t1": {"Work"}}
        account.told = Batch(losses=(FolderLosses("All", 5, ((1, 1),)),))
        await synced(service)
        assert (await tags(service), rows(tmp_path, "memberships")) == ({"t1": set()}, 0)


async def test_what_is_told_to_have_gone(tmp_path: Path) -> None:
    """By numbers, also such as nothing had; what another folder, or this one under another validity, has under them stays."""
    account = Folders()
    for folder, message in (("INBOX", "m0"), ("INBOX", "m2"), ("Work", "m3"), ("INBOX", "m1")):
        account.put(folder, message)
    async with daemon(tmp_path, account) as service:
        await synced(service)
        account.told = Batch(
            losses=(FolderLosses("INBOX", 7, ((1, 9),)), FolderLosses("INBOX", 1, ((2, 3), (7, 4000))))
        )
        await synced(service)
        assert await tags(service) == {"t0": {"INBOX"}, "t1": set(), "t2": {"Work"}}
        account.told = Batch(losses=(FolderLosses("INBOX", 1, ((1, 4),)),))
        await synced(service)
        assert await tags(service) == {"t0": set(), "t1": set(), "t2": {"Work"}}


async def test_a_batch_that_is_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memberships are written with their documents, and the rest once, with the last of them."""
    monkeypatch.setattr(runner, "BATCH_MESSAGES", 1)
    saved: list[tuple[int, int, int]] = []
    save = MembershipChanges.save

    def told(self: MembershipChanges, *words: Any, **more: Any) -> None:
        saved.append((len(self.renames), len(self.members), len(self.contents)))
        save(self, *words, **more)

    monkeypatch.setattr(MembershipChanges, "save", told)
    account = Folders()
    for message in ("m0", "m2", "m3"):
        account.put("INBOX", message)
    async with daemon(tmp_path, account) as service:
        await synced(service)
        assert [each for each in saved if each[1]] == [(0, 1, 0), (0, 1, 0), (0, 1, 1)]
        assert (await tags(service), rows(tmp_path, "memberships")) == (account.given(), 3)


async def test_a_rename_that_is_told_twice(tmp_path: Path) -> None:
    """Takes nothing away, neither where it happened already nor where there is nothing of the former name."""
    account = Folders()
    account.put("INBOX", "m0")
    async with daemon(tmp_path, account) as service:
        await synced(service)
        account.rename("INBOX", "Job")
        again = list(account.renames)
        await synced(service)
        account.renames, account.lying, lying = again, {}, account.lying
        await synced(service)
        assert rows(tmp_path, "memberships") == 1
        account.lying = lying
        assert await tags(service) == account.given()


@pytest.mark.parametrize("same", [True, False], ids=["alike", "in another form"])
@pytest.mark.parametrize("first", ["import", "account"])
async def test_a_tag_that_an_import_gives_too(tmp_path: Path, first: str, same: bool) -> None:
    """Stays when the mail leaves the folder, whichever was first; others go."""
    account = Folders()
    account.put("INBOX", "m2")
    account.put("Work", "m2")
    document = thread("t1", ["m2"], ["INBOX"]).model_copy(update={} if same else {"title": "A title"})
    async with daemon(tmp_path, account) as service:
        for each in (first, *({"import", "account"} - {first})):
            if each == "account":
                await synced(service)
                continue
            run = await service.pipeline.begin("mbox")
            await service.pipeline.accept(run, [document])
            await service.pipeline.finish(run)
            await service.pipeline.runs.wait(run, "stored")
        account.take("Work")
        account.take("INBOX")
        await synced(service)
        assert await tags(service) == {"t1": {"INBOX"}}


async def test_many_checks_leave_the_turn_to_what_comes_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some are taken at a time, and all are done before the run counts as stored."""
    monkeypatch.setattr(memberships, "_AT_ONCE", 2)
    account, turns = Folders(), list[int]()
    for message in ("m0", "m2", "m3"):
        account.put("INBOX", message)
    check = StoreWriter._check_sources  # pyright: ignore[reportPrivateUsage]

    async def told(self: StoreWriter) -> None:
        before = rows(tmp_path, "tag_checks")
        await check(self)
        turns.append(before - rows(tmp_path, "tag_checks"))

    monkeypatch.setattr(StoreWriter, "_check_sources", told)
    async with daemon(tmp_path, account) as service:
        await synced(service)
        account.rename("INBOX", "Job")
        await synced(service)
        assert await tags(service) == account.given()
        assert max(turns) == 2


async def test_a_mail_that_comes_back_while_its_tag_is_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store takes nothing for a while: what is known when it does counts."""
    account = Folders()
    account.put("INBOX", "m2")
    account.put("Work", "m3")
    set_tags, fails = EvolvingMemory.set_tags, True

    async def failing(self: EvolvingMemory, *words: Any, **more: Any) -> int:
        if fails:
            raise StoreError("no room")
        return await set_tags(self, *words, **more)

    monkeypatch.setattr(EvolvingMemory, "set_tags", failing)
    async with daemon(tmp_path, account) as service:
        await synced(service)
        account.take("INBOX")
        account.take("Work")
        held = await synced(service)
        assert (held["outcome"], rows(tmp_path, "tag_checks")) == ("partial", 2)
        assert await tags(service) == {"t1": {"INBOX"}, "t2": {"Work"}}
    account.put("INBOX", "m2")
    async with daemon(tmp_path, account) as service:
        await synced(service)
        fails = False
        with anyio.fail_after(60):
            while rows(tmp_path, "tag_checks"):
                await anyio.sleep(0.02)
        assert await tags(service) == {"t1": {"INBOX"}, "t2": set()}


async def test_what_lies_where_is_written_with_the_cursor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the transaction fails neither is; the run after it does both."""
    account = Folders()
    account.put("INBOX", "m2")
    add = Journal.add

    async def full(self: Journal, *words: Any, **more: Any) -> None:
        await add(self, *words, **more)
        raise StoreError("no room")

    async with daemon(tmp_path, account) as service:
        with monkeypatch.context() as patched:
            patched.setattr(Journal, "add", full)
            assert (await synced(service))["outcome"] != "ok"
        assert (await synced(service))["outcome"] == "ok"
        account.take("INBOX")
        await synced(service)
        assert await tags(service) == {"t1": set()}


async def test_messages_that_are_stored_in_another_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply that comes alone belongs to the thread that has it, and so do the tags of its folders."""
    account = Folders()
    account.put("INBOX", "m0")
    account.put("INBOX", "m1")
    async with daemon(tmp_path, account) as service:
        await synced(service)
        account.take("INBOX")
        account.take("INBOX")
        monkeypatch.setitem(THREADS, "m1", "reply")  # as a reading names it that has not the mail that it answers
        account.put("Work", "m1")
        await synced(service)
        assert await tags(service) == {"t0": {"Work"}}
        account.take("Work")
        await synced(service)
        assert await tags(service) == {"t0": set()}


async def test_forgetting_forgets_where_it_lay(tmp_path: Path) -> None:
    """With the names of labels that nothing else has; names of folders stay as long as the account has them."""
    account = Folders()
    account.put("INBOX", "m2")
    async with daemon(tmp_path, account) as service:
        await synced(service)
        assert rows(tmp_path, "memberships") == 1
        plan = await service.forgetting.forget(ForgetRequest(documents=("t1",), dry_run=True), lambda _: None)
        request = ForgetRequest(documents=("t1",), dry_run=False, plan=plan["plan"])
        await service.forgetting.forget(request, lambda _: None)
        assert rows(tmp_path, "memberships") == 0
        account.take("INBOX")
        assert (await synced(service))["outcome"] == "ok"
        assert await tags(service) == {}


async def test_another_account_under_the_name_of_the_source(tmp_path: Path) -> None:
    """Says nothing of what lay in the folders of the first."""
    account = Folders()
    account.put("INBOX", "m2")
    async with daemon(tmp_path, account, user="ann") as service:
        await synced(service)
    account.take("INBOX")
    account.put("INBOX", "m3")
    async with daemon(tmp_path, account, user="bob") as service:
        await synced(service)
        assert await tags(service) == {"t1": {"INBOX"}, "t2": {"INBOX"}}
        assert rows(tmp_path, "memberships") == 1


async def test_a_source_that_is_removed(tmp_path: Path) -> None:
    """What lies where is forgotten with it, and tags stay."""
    account = Folders()
    account.put("INBOX", "m2")
    async with daemon(tmp_path, account) as service:
        await synced(service)
        await service.pipeline.journal.run(lambda connection: connection.execute("DELETE FROM jobs"))
        assert (rows(tmp_path, "memberships"), rows(tmp_path, "account_folders")) == (0, 0)
        assert await tags(service) == {"t1": {"INBOX"}}
