"""The reading of one folder of an account: changes to known mails, new mails, and removed mails."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing

import anyio.to_thread

from ....schemas import Rejected
from ...connector import ReadOptions
from ...formats.mail.documents import User
from ..contract import Batch, FolderContents, FolderLosses, Membership
from .changed_mails import ChangedMails
from .connection import Connection
from .cursor import AccountPosition, FolderPosition, Witness
from .fetching import read_mails, uids_after
from .folders import ListedFolder
from .mails import FLAGGED, FetchedMail, documents_of, header_digest
from .open_folder import OpenFolder, open_folder
from .refusals import CommandRefusedError
from .uid_set import UidSet
from .window import MailBatch


class FolderReader:
    """Reads folders, one behind the other.

    Args:
        connection: that is logged in.
        user: whose mail it is.
        options: the zone of dates without one.
    """

    def __init__(self, connection: Connection, user: User, options: ReadOptions) -> None:
        self._connection = connection
        self._user = user
        self._options = options

    async def batches(
        self, folder: ListedFolder, position: AccountPosition
    ) -> AsyncGenerator[tuple[Batch, AccountPosition], None]:
        """Yield the new mails of a folder and the changes to old ones, each batch with the position behind it.

        Args:
            folder: that is read.
            position: how far the account was read.

        Raises:
            RateLimitError: the server wants to be asked later.
            UnavailableError: the connection is broken.
        """
        connection = self._connection
        try:
            opened = await open_folder(connection, folder)
        except CommandRefusedError as error:
            yield Batch(rejected=(Rejected(locator=f"imap:{folder.label}", reason=error.message),)), position
            return
        before = position.folders.get(folder.name)
        if before is None or before.uidvalidity != opened.uid_validity:
            before = FolderPosition(uidvalidity=opened.uid_validity)
        before = before.model_copy(update={"label": folder.label})
        changed = ChangedMails(connection, opened, before)
        before = before.model_copy(update={"flagged": None if changed.flagged is None else changed.flagged.ranges})
        async with aclosing(changed.tags()) as steps:
            async for tags in steps:
                yield Batch(tags=tags), position
        async with aclosing(read_mails(connection, opened, changed.back)) as batches:
            async for batch in batches:  # the cursor says that they are left out, until all is read
                yield await self._batch(opened, batch, None), position
        new = await uids_after(connection, before.done_through_uid)
        # Until all is read, changes count from the same number as before.
        since = before.modseq if before.done_through_uid else opened.modseq
        reached = before.model_copy(update={"messages": None, "modseq": since})
        left_out, flagged = UidSet(), UidSet()
        async with aclosing(read_mails(connection, opened, new)) as batches:
            async for batch in batches:
                left_out = left_out.union(_uids(each for each in batch.mails if each.left_out))
                flagged = flagged.union(_uids(each for each in batch.mails if FLAGGED in each.labels))
                reached = _behind(reached, batch, before, left_out, flagged)
                cursor = None
                if batch.done_through_uid is not None:
                    position = position.with_folder(folder.name, reached)
                    cursor = position.to_text()
                yield await self._batch(opened, batch, cursor), position
        last = new.ranges[-1][1] if new.ranges else before.done_through_uid
        through = max(last, opened.uid_next - 1 if opened.uid_next else 0)  # also UIDs that are not used
        losses, contents = await self._gone(opened, before, new, changed.gone, through)
        reached = reached.model_copy(
            update={
                "done_through_uid": through,
                "messages": opened.messages if contents is None else len(UidSet(contents.numbers)),
                "modseq": changed.modseq,
                "left_out": changed.left_out.union(left_out).ranges,
                "flagged": None if changed.flagged is None else changed.flagged.union(flagged).ranges,
            }
        )
        position = position.with_folder(folder.name, reached)
        lost = () if losses is None else (losses,)
        held = () if contents is None else (contents,)
        yield Batch(losses=lost, contents=held, cursor=position.to_text()), position

    async def _gone(
        self, opened: OpenFolder, before: FolderPosition, new: UidSet, gone: UidSet | None, through: int
    ) -> tuple[FolderLosses | None, FolderContents | None]:
        """Return the mails that left a folder, or the mails that it holds now up to a UID; neither if none can have
        left.
        """
        label, validity = opened.folder.label, opened.uid_validity
        if not before.done_through_uid:
            there = new
        elif before.messages is not None and opened.messages == before.messages + len(new):
            return None, None
        elif before.messages is not None and gone:
            return FolderLosses(label, validity, gone.ranges), None
        else:
            there = await uids_after(self._connection, 0)
        there = UidSet(tuple((first, min(last, through)) for first, last in there.ranges if first <= through))
        return None, FolderContents(label, validity, there.ranges)

    async def _batch(self, opened: OpenFolder, batch: MailBatch, cursor: str | None) -> Batch:
        if not batch.mails:
            return Batch(rejected=tuple(batch.rejected), cursor=cursor)
        label = opened.folder.label
        where = f"imap:{label}"
        made = await anyio.to_thread.run_sync(documents_of, batch.mails, self._user, self._options, where)
        return Batch(
            tuple(made.documents),
            tuple(made.notices),
            (*batch.rejected, *made.rejected),
            members=tuple(
                Membership(label, opened.uid_validity, mail.uid, mail.labels, document, message)
                for mail, document, message in made.places
            ),
            cursor=cursor,
        )


def _behind(
    reached: FolderPosition, batch: MailBatch, before: FolderPosition, left_out: UidSet, flagged: UidSet
) -> FolderPosition:
    """Return the position behind a batch."""
    last = batch.mails[-1] if batch.mails else None
    witness = reached.witness if last is None else Witness(uid=last.uid, header=header_digest(last.data))
    through = reached.done_through_uid if batch.done_through_uid is None else batch.done_through_uid
    return reached.model_copy(
        update={
            "witness": witness,
            "done_through_uid": through,
            "left_out": UidSet(before.left_out).union(left_out).ranges,
            "flagged": None if before.flagged is None else UidSet(before.flagged).union(flagged).ranges,
        }
    )


def _uids(mails: Iterable[FetchedMail]) -> UidSet:
    return UidSet.of(each.uid for each in mails)
