"""The contract of a source that is pulled again and again, an account for example: batches, each with the cursor behind it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ...schemas import Document, Notice, Rejected

Cursor = str
"""The position up to which a source was read, in a form that the connector alone understands."""


@dataclass(frozen=True, slots=True)
class Pause:
    """The source wants to be asked again later; what reads it goes on where it stands."""

    seconds: float
    why: str
    """Without private text."""
    usual: bool = False
    """The source is as slow as this always: a run that ends by it has not failed."""


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
    """First and last of each range, in order; none where the folder is gone."""


@dataclass(frozen=True, slots=True)
class FolderLosses:
    """Messages that do not lie in a folder any more; their documents lose tags as with `FolderContents`."""

    folder: str
    validity: int
    numbers: tuple[tuple[int, int], ...]
    """First and last of each range, in order; also numbers that nothing had."""


@dataclass(frozen=True, slots=True)
class MessageTags:
    """A message that was given as a member of a folder has these tags there from now on, and no others."""

    folder: str
    validity: int
    number: int
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FolderRename:
    """A folder has another name, with all that is in it. Those of a batch happen at once: folders may change their names with
    each other.
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
    messages: int | None = None
    """None where nobody told."""
    left_out: str = ""
    """The reason why the part is not read: ``spam``, ``not chosen``; empty if it is read."""


@dataclass(frozen=True, slots=True)
class AccountView:
    """The view of an account that a login shows, before anything is read."""

    parts: tuple[AccountPart, ...] = ()
    notes: tuple[str, ...] = ()
    """Further facts for the user: the permissions that the account lacks, the parts that cannot be seen."""


class LiveConnector(Protocol):
    """Reads an account, a folder, a server: everything that is new since a cursor."""

    @property
    def name(self) -> str:
        """``folder``, ``imap``."""
        ...

    def pull(self, cursor: Cursor | None) -> AsyncGenerator[Batch, None]:
        """Everything since the cursor, or all that there is; ends when there is no more for now. What was given since the
        last saved cursor is given again after an interruption, with the same ids. The consumer takes its time: a batch is
        asked for when the one before is kept.

        Raises:
            RateLimitError: the source wants to be asked again later.
            AuthorizationError: the credentials are not valid (any more).
            UnavailableError: the source cannot be reached, or answers nonsense.
            SourceError: it cannot be read at all.
        """
        ...


@runtime_checkable
class WatchedConnector(Protocol):
    """A live connector whose source tells by itself that something is new."""

    def changes(self) -> AsyncGenerator[None, None]:
        """A value when the source is reached, and then whenever something may be new; ends where it cannot tell.

        Raises:
            As `LiveConnector.pull`.
        """
        ...


@runtime_checkable
class TellingConnector(Protocol):
    """A live connector whose source tells by itself not only that something is new, but what."""

    def pull_told(self, cursor: Cursor | None) -> AsyncGenerator[Batch, None]:
        """As `LiveConnector.pull`, but no more than what was told, where that can be read alone.

        Raises:
            As `LiveConnector.pull`.
        """
        ...


@runtime_checkable
class ReplaceableConnector(Protocol):
    """A live connector in whose place another one may be put while it is watched."""

    def retire(self) -> None:
        """Another one reads the account from now on: `WatchedConnector.changes` ends with an UnavailableError, now and later.
        May be called in any thread.
        """
        ...


class LiveAccount(LiveConnector, Protocol):
    """A live connector of an account that somebody logs in to."""

    async def look(self) -> AccountView:
        """Log in, and see what there is. Nothing is changed, and nothing is marked as read.

        Raises:
            As `pull`.
        """
        ...
