"""The folders of an account: which are read, and which of these have something new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...mail.folders import left_out
from .commands import Command, Text
from .connection import Connection, Done
from .cursor import AccountPosition
from .mailbox_names import decode_name
from .refusals import is_throttled, refused_command
from .responses import Folder, FolderStatus

_UNWANTED = frozenset({"\\junk", "\\trash", "\\drafts"})
_VIRTUAL = frozenset({"\\all", "\\flagged", "\\important"})
"""Folders that show mails of other folders (RFC 6154). Gmail's \\All is the one that is read there."""


@dataclass(frozen=True, slots=True)
class ListedFolder:
    """A folder that is read."""

    name: bytes
    """As commands name it."""
    label: str
    """As people name it, with ``/`` between its parts."""
    messages: int | None
    """None where the server did not tell."""
    uid_next: int | None
    uid_validity: int | None
    mailbox_id: str = ""


async def list_folders(connection: Connection) -> tuple[ListedFolder, ...]:
    """The folders that are read, the inbox first, with how many mails each has.

    Raises:
        RateLimitError: the server wants to be asked later.
        UnavailableError: the connection is broken, or the server refused to list.
    """
    can = connection.capabilities
    asked = "MESSAGES UIDNEXT UIDVALIDITY" + (" MAILBOXID" if "OBJECTID" in can else "")
    options = [
        *(["SPECIAL-USE"] if "SPECIAL-USE" in can else []),
        *([f"STATUS ({asked})"] if "LIST-STATUS" in can else []),
    ]
    words = [b'LIST "" "*"', *([f"RETURN ({' '.join(options)})".encode()] if options else [])]
    found = await connection.run(*words)
    listed = {each.name: each for each in found if isinstance(each, Folder)}
    statuses = {each.name: each for each in found if isinstance(each, FolderStatus)}
    folders = choose_folders(list(listed.values()), gmail="X-GM-EXT-1" in can)
    commands = [
        Command.of(b"STATUS", Text(each.name), f"({asked})".encode()) for each in folders if each.name not in statuses
    ]
    async for each in connection.pipeline(commands):
        # A folder that may not be looked at has no status, and is told when it is opened.
        if isinstance(each, FolderStatus):
            statuses[each.name] = each
        elif isinstance(each, Done) and is_throttled(each.status):
            raise refused_command("STATUS", each.status)
    return tuple(_listed(each, statuses.get(each.name)) for each in folders)


def _listed(folder: Folder, status: FolderStatus | None) -> ListedFolder:
    name = decode_name(folder.name)
    numbers = {} if status is None else status.numbers
    return ListedFolder(
        name=folder.name,
        label=name.replace(folder.delimiter, "/") if folder.delimiter else name,
        messages=numbers.get("MESSAGES"),
        uid_next=numbers.get("UIDNEXT"),
        uid_validity=numbers.get("UIDVALIDITY"),
        mailbox_id="" if status is None else status.mailbox_id,
    )


def choose_folders(folders: Sequence[Folder], *, gmail: bool) -> list[Folder]:
    r"""The folders that are read: no spam, no trash, no drafts, nothing twice.

    Args:
        folders: of the account.
        gmail: whether folders are labels, and ``\All`` has every mail once.
    """
    usable = [each for each in folders if each.can_be_opened]
    if gmail and (everything := [each for each in usable if "\\all" in each.attributes]):
        return everything
    # Names tell only where the server does not: a folder called "Trash" may be somebody's work.
    told = any(each.attributes & _UNWANTED for each in usable)
    chosen = [
        each
        for each in usable
        if not each.attributes & (_UNWANTED | _VIRTUAL)
        and (told or not left_out((decode_name(each.name).replace(each.delimiter or "/", "/"),)))
    ]
    return sorted(chosen, key=lambda each: (each.name.upper() != b"INBOX", each.name))


def folders_to_open(folders: Sequence[ListedFolder], position: AccountPosition) -> list[ListedFolder]:
    """Those that may have something new."""
    return [each for each in folders if not _is_unchanged(each, position)]


def _is_unchanged(folder: ListedFolder, position: AccountPosition) -> bool:
    known = position.folders.get(folder.name)
    if known is None or folder.uid_next is None or folder.uid_validity != known.uidvalidity:
        return False
    return folder.uid_next <= known.done_through_uid + 1


def is_suddenly_empty(folders: Sequence[ListedFolder], position: AccountPosition) -> bool:
    """Whether an account that had mails shows none: its server may be damaged, or restored from nothing."""
    had = any(each.done_through_uid for each in position.folders.values())
    return had and all(each.messages == 0 for each in folders)
