"""An account as a source that is pulled: every mail that came since the cursor, as the documents that exports of mail become.

No mail is ever removed: one that is gone from the server stays. A mail that lies in several folders has a tag for each, as long
as it lies there.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread

from ....schemas import Notice, Rejected
from ...connector import ReadOptions
from ...mail.documents import User
from ..contract import (
    AccountPart,
    AccountView,
    Batch,
    FolderContents,
    LiveAccount,
    Membership,
    WatchedConnector,
)
from .account_owner import find_user
from .connection import Connection
from .cursor import AccountPosition, FolderPosition, Witness
from .fetching import read_mails, uids_after
from .folders import (
    ListedFolder,
    folders_to_open,
    is_suddenly_empty,
    list_folders,
    missing_folders,
    view_folders,
)
from .login import Credentials, open_connection
from .mails import documents_of, header_digest
from .open_folder import OpenFolder, open_folder
from .refusals import CommandRefusedError
from .renames import follow_folders
from .responses import Count
from .transport import Server
from .uid_set import UidSet
from .window import MailBatch


class ImapConnector:
    """Reads the mail of one account.

    Args:
        server: where it is.
        credentials: who reads.
        user: whose mail it is, as documents name them; None: as the account's own mails and ``options.me`` tell.
        options: the zone of dates without one.
        folders: labels of folders that alone are read; none: all but spam, trash and drafts.
    """

    name = "imap"

    def __init__(
        self,
        server: Server,
        credentials: Credentials,
        user: User | None,
        options: ReadOptions,
        *,
        folders: Sequence[str] = (),
    ) -> None:
        self._server = server
        self._credentials = credentials
        self._user = user
        self._options = options
        self._folders = folders

    async def look(self) -> AccountView:
        """Log in and list the folders.

        Raises:
            As `pull`.
        """
        async with open_connection(self._server, self._credentials) as connection:
            folders = await view_folders(connection, self._folders)
        parts = tuple(AccountPart(each.label, each.messages, each.left_out) for each in folders)
        missing = missing_folders(folders, self._folders)
        return AccountView(parts, tuple(f"the account has no folder {name!r}" for name in missing))

    async def pull(self, cursor: str | None) -> AsyncGenerator[Batch, None]:
        """Every mail that is new, folder by folder, in the order in which they came, and which mails do not lie any more where
        they did. Of an account that had mails and shows none, a notice, and nothing changes: its owner may have emptied it, or
        its server be damaged.

        A folder whose UIDs were given anew is read from its beginning: the store knows the mails by their Message-ID.

        Raises:
            AuthorizationError: the server does not accept the credentials.
            ConfigError: a setting cannot be used.
            RateLimitError: the server wants to be asked later.
            UnavailableError: it cannot be reached, or answers nonsense.
            UntrustedCertificateError: its certificate is not trusted.
        """
        position = AccountPosition.of_text(cursor)
        async with open_connection(self._server, self._credentials) as connection:
            folders = await list_folders(connection, self._folders)
            if missing := missing_folders(folders, self._folders):
                gone = [Rejected(locator=f"imap:{name}", reason="the account has no such folder") for name in missing]
                yield Batch(rejected=tuple(gone))
            if is_suddenly_empty(folders, position):
                problem = "every folder of the account is empty, and was not; what was read is kept"
                yield Batch(notices=(Notice(code="account-empty", locator=f"imap:{self._server.host}", hint=problem),))
                return
            changes = await follow_folders(connection, folders, position)
            position = changes.position
            if changes.renames or changes.gone:
                yield Batch(renames=changes.renames, contents=changes.gone, cursor=position.to_text())
            position = replace(position, user=await self._user_of(connection, folders, position))
            for folder in folders_to_open(folders, position):
                async with aclosing(self._folder(connection, folder, position)) as batches:
                    async for batch, reached in batches:
                        position = reached
                        yield batch

    async def changes(self) -> AsyncGenerator[None, None]:
        """A value when the inbox is open, and then whenever a mail came into it; ends at once where the server has no IDLE.

        Raises:
            As `pull`.
        """
        async with open_connection(self._server, self._credentials) as connection:
            folders = await list_folders(connection, self._folders) if "IDLE" in connection.capabilities else ()
            if not folders:
                return
            await open_folder(connection, folders[0])  # the inbox is the first, where it is read
            yield
            while True:
                if any(isinstance(each, Count) and each.kind == "EXISTS" for each in await connection.idle()):
                    yield

    async def _user_of(
        self, connection: Connection, folders: Sequence[ListedFolder], position: AccountPosition
    ) -> User | None:
        if self._user is not None or position.user is not None or not any(each.messages for each in folders):
            return position.user
        return await find_user(connection, folders, self._credentials.user, self._options.me)

    async def _folder(
        self, connection: Connection, folder: ListedFolder, position: AccountPosition
    ) -> AsyncGenerator[tuple[Batch, AccountPosition], None]:
        try:
            opened = await open_folder(connection, folder)
        except CommandRefusedError as error:
            yield Batch(rejected=(Rejected(locator=f"imap:{folder.label}", reason=error.message),)), position
            return
        known = position.folders.get(folder.name)
        if known is None or known.uidvalidity != opened.uid_validity:
            known = FolderPosition(uidvalidity=opened.uid_validity)
        known = known.model_copy(update={"label": folder.label})
        new = await uids_after(connection, known.done_through_uid)
        user = self._user or position.user or User(self._credentials.user)
        reached = known.model_copy(update={"messages": None})
        async with aclosing(read_mails(connection, opened, new)) as batches:
            async for batch in batches:
                witness = _witness(batch) or reached.witness
                reached = reached.model_copy(update={"witness": witness})
                cursor = None
                if batch.done_through_uid is not None:
                    reached = reached.model_copy(update={"done_through_uid": batch.done_through_uid})
                    position = position.with_folder(folder.name, reached)
                    cursor = position.to_text()
                yield await self._batch(opened, batch, cursor, user), position
        last = new.ranges[-1][1] if new.ranges else known.done_through_uid
        through = max(last, opened.uid_next - 1 if opened.uid_next else 0)  # also UIDs that are not used
        contents = await self._contents(connection, opened, known, new, through)
        messages = opened.messages if contents is None else len(UidSet(contents.numbers))
        reached = reached.model_copy(update={"done_through_uid": through, "messages": messages})
        position = position.with_folder(folder.name, reached)
        yield Batch(contents=() if contents is None else (contents,), cursor=position.to_text()), position

    @staticmethod
    async def _contents(
        connection: Connection, opened: OpenFolder, known: FolderPosition, new: UidSet, through: int
    ) -> FolderContents | None:
        """What a folder holds now, up to a UID; None where nothing that it held can have gone."""
        if not known.done_through_uid:
            there = new
        elif known.messages is not None and opened.messages == known.messages + len(new):
            return None
        else:
            there = await uids_after(connection, 0)
        there = UidSet(tuple((first, min(last, through)) for first, last in there.ranges if first <= through))
        return FolderContents(opened.folder.label, opened.uid_validity, there.ranges)

    async def _batch(self, opened: OpenFolder, batch: MailBatch, cursor: str | None, user: User) -> Batch:
        if not batch.mails:
            return Batch(rejected=tuple(batch.rejected), cursor=cursor)
        label = opened.folder.label
        made = await anyio.to_thread.run_sync(documents_of, batch.mails, user, self._options, f"imap:{label}")
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


def _witness(batch: MailBatch) -> Witness | None:
    """The last mail of a batch."""
    last = batch.mails[-1] if batch.mails else None
    return None if last is None else Witness(uid=last.uid, header=header_digest(last.data))


if TYPE_CHECKING:
    _: type[LiveAccount] = ImapConnector
    __: type[WatchedConnector] = ImapConnector
