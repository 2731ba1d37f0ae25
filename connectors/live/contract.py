"""The contract of a source that is pulled repeatedly, such as an account: batches, each with the cursor behind it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ...schemas import Document, Notice, Rejected

Cursor = str
"""The position up to which a source was read, in a form that the connector alone understands."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A request of the source to wait; the reader then continues from the same position."""

    seconds: float
    why: str
    """The reason, without private text."""
    usual: bool = False
    """True if the source is always this slow: a run that ends with this pause has not failed."""


@dataclass(frozen=True, slots=True)
class Membership:
    """A statement that a message of a batch lies in a folder of its account: while it does, its document has the
    folder's tags.
    """

    folder: str
    """The name of the folder as people see it."""
    validity: int
    """Numbers mean something together with this alone (UIDVALIDITY)."""
    number: int
    """The UID of the message in the folder."""
    tags: tuple[str, ...]
    """The folder's name, labels, marks."""
    document: str
    """The id of a document of the batch."""
    message: str
    """The id of a message in it."""


@dataclass(frozen=True, slots=True)
class FolderContents:
    """The messages that a folder holds now. A message that the folder held before (also under another validity) and
    does not hold now has left it: its document loses the tags that neither another folder nor an import gives it.
    """

    folder: str
    validity: int
    numbers: tuple[tuple[int, int], ...] = ()
    """The first and last number of each range, in order; empty if the folder is gone."""


@dataclass(frozen=True, slots=True)
class FolderLosses:
    """Messages that have left a folder; their documents lose tags as with `FolderContents`."""

    folder: str
    validity: int
    numbers: tuple[tuple[int, int], ...]
    """The first and last number of each range, in order; a range may include unused numbers."""


@dataclass(frozen=True, slots=True)
class MessageTags:
    """The tags that a message given earlier as a member of a folder has there from now on; it has no others."""

    folder: str
    validity: int
    number: int
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FolderRename:
    """A new name of a folder; its content moves with it. All renames of a batch happen at once, since folders may swap
    names.
    """

    old: str
    new: str
    validity: int


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of one reading step. Renames come in a batch without documents, before the memberships in folders of
    the new names. Tags, losses and contents apply after all memberships of the batch, in this order.
    """

    documents: tuple[Document, ...] = ()
    notices: tuple[Notice, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    cursor: Cursor | None = None
    """The position to continue from once all of this is stored; None if the position did not move. It is saved in the
    same transaction as the documents, so that it never runs ahead of them.
    """
    pause: Pause | None = None
    """To wait for before the next batch is asked for."""
    renames: tuple[FolderRename, ...] = ()
    members: tuple[Membership, ...] = ()
    tags: tuple[MessageTags, ...] = ()
    losses: tuple[FolderLosses, ...] = ()
    contents: tuple[FolderContents, ...] = ()


@dataclass(frozen=True, slots=True)
class AccountPart:
    """A folder, a channel or a chat of an account."""

    name: str
    """The name of the part."""
    messages: int | None = None
    """The number of messages; None if it is not known."""
    left_out: str = ""
    """The reason why the part is not read: ``spam``, ``not chosen``; empty if it is read."""


@dataclass(frozen=True, slots=True)
class AccountView:
    """The view of an account that a login shows, before anything is read."""

    parts: tuple[AccountPart, ...] = ()
    notes: tuple[str, ...] = ()
    """Further facts for the user: the permissions that the account lacks, the parts that cannot be seen."""


class LiveConnector(Protocol):
    """A connector that yields everything new since a cursor from an account, a folder or a server."""

    @property
    def name(self) -> str:
        """``folder``, ``imap``."""
        ...

    def pull(self, cursor: Cursor | None) -> AsyncGenerator[Batch, None]:
        """Yield everything since the cursor, or all that there is; end when there is no more for now. After an
        interruption, everything since the last saved cursor is yielded again, with the same ids. The consumer sets the
        pace: it requests a batch after the one before is stored.

        Raises:
            RateLimitError: the source wants to be asked again later.
            AuthorizationError: the credentials are not valid (any more).
            UnavailableError: the source cannot be reached, or answers nonsense.
            SourceError: it cannot be read at all.
        """
        ...


@runtime_checkable
class WatchedConnector(Protocol):
    """A live connector whose source announces by itself that something is new."""

    def changes(self) -> AsyncGenerator[None, None]:
        """Yield a value when the source is reached, and then whenever something may be new; end if the source cannot
        announce this.

        Raises:
            As `LiveConnector.pull`.
        """
        ...


@runtime_checkable
class TellingConnector(Protocol):
    """A live connector whose source sends new messages by itself, and does not only announce them."""

    def pull_told(self, cursor: Cursor | None) -> AsyncGenerator[Batch, None]:
        """Yield batches as `LiveConnector.pull`, but only of the messages that the source sent by itself, if these can
        be read alone.

        Raises:
            As `LiveConnector.pull`.
        """
        ...


@runtime_checkable
class ReplaceableConnector(Protocol):
    """A live connector that may be replaced by another one while it is watched."""

    def retire(self) -> None:
        """Stop, because another connector reads the account from now on: `WatchedConnector.changes` ends with an
        UnavailableError, now and later. May be called in any thread.
        """
        ...


class LiveAccount(LiveConnector, Protocol):
    """A live connector of an account with a login."""

    async def look(self) -> AccountView:
        """Log in and return a view of the account. Nothing is changed, and nothing is marked as read.

        Raises:
            As `pull`.
        """
        ...
