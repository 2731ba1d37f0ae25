"""A folder that is open for reading only: nothing in it can be changed, and nothing is marked as read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .commands import Text
from .connection import Connection
from .folders import ListedFolder
from .refusals import CommandRefusedError
from .responses import Count, Response, Status
from .uid_set import LARGEST_UID


@dataclass(frozen=True, slots=True)
class OpenFolder:
    """A folder that is open for reading."""

    folder: ListedFolder
    uid_validity: int
    uid_next: int | None
    messages: int = 0
    modseq: int | None = None
    """The number of the last change in the folder (CONDSTORE); None if the server does not count its changes."""

    def locator(self, uid: int) -> str:
        """Return the locator of a mail, for messages to people."""
        return f"imap:{self.folder.label}:{uid}"


async def open_folder(connection: Connection, folder: ListedFolder) -> OpenFolder:
    """Open a folder so that nothing in it can be changed.

    Raises:
        CommandRefusedError: it cannot be opened.
        RateLimitError: the server wants to be asked later.
        UnavailableError: the connection is broken.
    """
    try:
        responses = await connection.run(b"EXAMINE", Text(folder.name))
    except CommandRefusedError:
        if "ID" not in connection.capabilities:
            raise
        # NetEase's servers open no folder for a client that does not send its name.
        await connection.run(b"ID", b'("name" "memd")')
        responses = await connection.run(b"EXAMINE", Text(folder.name))
    validity = _number(responses, "UIDVALIDITY")
    if validity is None:
        raise CommandRefusedError("a folder has no UIDVALIDITY, so that its mails cannot be told apart")
    if validity > LARGEST_UID:
        raise CommandRefusedError(f"a folder has a UIDVALIDITY that cannot be one: it is larger than {LARGEST_UID}")
    uid_next = _number(responses, "UIDNEXT")
    if uid_next is not None and uid_next > LARGEST_UID + 1:  # then the UIDs of the mails alone tell what is new
        uid_next = None
    counts = [each.number for each in responses if isinstance(each, Count) and each.kind == "EXISTS"]
    modseq = _number(responses, "HIGHESTMODSEQ") or None
    return OpenFolder(folder, validity, uid_next, counts[-1] if counts else 0, modseq)


def _number(responses: Iterable[Response], code: str) -> int | None:
    for each in responses:
        if isinstance(each, Status) and each.code is not None and each.code.name == code:
            return each.code.number
    return None
