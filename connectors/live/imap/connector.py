"""An IMAP account as a source that is pulled: every mail since the cursor, as the same documents as from exports of
mail.

No mail is ever removed: one that is gone from the server stays. A mail that lies in several folders has a tag for each, as long
as it lies there.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from ....schemas import Notice, Rejected
from ...connector import ReadOptions
from ...formats.mail.documents import User
from ..contract import (
    AccountPart,
    AccountView,
    Batch,
    LiveAccount,
    WatchedConnector,
)
from .account_owner import find_user
from .connection import Connection
from .cursor import AccountPosition
from .folder_reading import FolderReader
from .folders import (
    ListedFolder,
    folders_to_open,
    is_suddenly_empty,
    list_folders,
    missing_folders,
    view_folders,
)
from .login import Credentials, open_connection
from .open_folder import open_folder
from .renames import follow_folders
from .responses import Count, Vanished
from .transport import Server

if TYPE_CHECKING:
    from .settings import ImapSettings


def open_account(source: ImapSettings, secrets: Mapping[str, str], options: ReadOptions) -> ImapConnector:
    """Return a connector for the account of a source."""
    security = source.tls or "tls"
    server = Server(source.host, source.port or (993 if security == "tls" else 143), security, source.ca_file)
    credentials = Credentials(
        source.user, password=secrets.get("password", ""), access_token=secrets.get("access_token", "")
    )
    return ImapConnector(server, credentials, None, options.of_connector("mail"), folders=source.folders)


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
        """Yield every new mail, folder by folder in the order of arrival, and the mails that left their folders. If an
        account that had mails shows none, yield a notice and change nothing: its owner may have emptied it, or its
        server may be damaged.

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
            if folders_to_open(folders, position):
                await connection.enable("QRESYNC")
            changes = await follow_folders(connection, folders, position)
            position = changes.position
            if changes.renames or changes.gone:
                yield Batch(renames=changes.renames, contents=changes.gone, cursor=position.to_text())
            position = replace(position, user=await self._user_of(connection, folders, position))
            user = self._user or position.user or User(self._credentials.user)
            reader = FolderReader(connection, user, self._options)
            for folder in folders_to_open(folders, position):
                async with aclosing(reader.batches(folder, position)) as batches:
                    async for batch, reached in batches:
                        position = reached
                        yield batch

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield a value when the inbox is open, and then whenever a mail comes into it or leaves it; end at once if the
        server has no IDLE.

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
                if any(isinstance(each, Count | Vanished) for each in await connection.idle()):  # no flag alone
                    yield

    async def _user_of(
        self, connection: Connection, folders: Sequence[ListedFolder], position: AccountPosition
    ) -> User | None:
        if self._user is not None or position.user is not None or not any(each.messages for each in folders):
            return position.user
        return await find_user(connection, folders, self._credentials.user, self._options.me)


if TYPE_CHECKING:
    _: type[LiveAccount] = ImapConnector
    __: type[WatchedConnector] = ImapConnector
