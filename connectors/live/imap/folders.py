"""The folders of an account: which are read, and which of these have something new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...formats.mail.folders import is_sent, left_out
from .commands import Command, Text
from .connection import Connection, Done
from .cursor import AccountPosition
from .mailbox_names import decode_name
from .refusals import is_throttled, refused_command
from .responses import Folder, FolderStatus

_UNWANTED = frozenset({"\\junk", "\\trash", "\\drafts"})
_VIRTUAL = frozenset({"\\all", "\\flagged", "\\important"})
"""The folders that show mails of other folders (RFC 6154). Only Gmail's \\All is read."""


@dataclass(frozen=True, slots=True)
class ListedFolder:
    """A folder that is read."""

    name: bytes
    """The name of the folder in commands."""
    label: str
    """The name of the folder as people see it, with ``/`` between its parts."""
    messages: int | None
    """The number of messages; None if the server did not send it."""
    uid_next: int | None
    uid_validity: int | None
    modseq: int | None = None
    """The number of the last change in the folder (CONDSTORE)."""
    left_out: str = ""
    """The reason why the folder is not read; empty if it is read."""
    sent: bool = False
    """True if the folder holds the mails that the owner sent."""


async def list_folders(connection: Connection, wanted: Sequence[str] = ()) -> tuple[ListedFolder, ...]:
    """Return the folders to read, the inbox first, each with its number of mails.

    Args:
        connection: that is logged in.
        wanted: labels of folders that alone are read, whatever they are for; none: all but spam, trash and drafts.

    Raises:
        RateLimitError: the server wants to be asked later.
        UnavailableError: the connection is broken, or the server refused to list.
    """
    return tuple(each for each in await view_folders(connection, wanted, unread=False) if not each.left_out)


async def view_folders(
    connection: Connection, wanted: Sequence[str] = (), *, unread: bool = True
) -> tuple[ListedFolder, ...]:
    """Return the folders as `list_folders`, and also those that are not read; without ``unread`` the numbers of mails
    in the latter are not requested.
    """
    can = connection.capabilities
    # Not MAILBOXID: Cyrus 3.6 sends bytes of its memory as that of some folders, line ends among them.
    status_items = "MESSAGES UIDNEXT UIDVALIDITY" + (" HIGHESTMODSEQ" if counts_changes(connection) else "")
    options = [
        *(["SPECIAL-USE"] if "SPECIAL-USE" in can else []),
        *([f"STATUS ({status_items})"] if "LIST-STATUS" in can else []),
    ]
    words = [b'LIST "" "*"', *([f"RETURN ({' '.join(options)})".encode()] if options else [])]
    responses = await connection.run(*words)
    listed = {each.name: each for each in responses if isinstance(each, Folder)}
    statuses = {each.name: each for each in responses if isinstance(each, FolderStatus)}
    folders = judge_folders(list(listed.values()), wanted, gmail="X-GM-EXT-1" in can)
    commands = [
        Command.of(b"STATUS", Text(each.name), f"({status_items})".encode())
        for each, left_out in folders
        if each.name not in statuses and (unread or not left_out)
    ]
    async for each in connection.pipeline(commands):
        # A folder that may not be examined has no status; it is reported when it is opened.
        if isinstance(each, FolderStatus):
            statuses[each.name] = each
        elif isinstance(each, Done) and is_throttled(each.status):
            raise refused_command("STATUS", each.status)
    return tuple(_listed(each, statuses.get(each.name), left_out) for each, left_out in folders)


def counts_changes(connection: Connection) -> bool:
    """Return whether the server numbers every change in a folder (RFC 7162)."""
    return not {"CONDSTORE", "QRESYNC"}.isdisjoint(connection.capabilities)


def _listed(folder: Folder, status: FolderStatus | None, left_out: str) -> ListedFolder:
    numbers = {} if status is None else status.numbers
    return ListedFolder(
        name=folder.name,
        label=_label(folder),
        messages=numbers.get("MESSAGES"),
        uid_next=numbers.get("UIDNEXT"),
        uid_validity=numbers.get("UIDVALIDITY"),
        modseq=numbers.get("HIGHESTMODSEQ") or None,
        left_out=left_out,
        sent="\\sent" in folder.attributes or is_sent(_label(folder)),
    )


def _label(folder: Folder) -> str:
    name = decode_name(folder.name)
    return name.replace(folder.delimiter, "/") if folder.delimiter else name


def judge_folders(folders: Sequence[Folder], wanted: Sequence[str] = (), *, gmail: bool) -> list[tuple[Folder, str]]:
    r"""Return the folders to read, and for each other folder the reason why it is not read: no spam, no trash, no
    drafts, no mail twice. The inbox comes first.

    Args:
        folders: of the account.
        wanted: as in `list_folders`.
        gmail: whether folders are labels, and ``\All`` has every mail once.
    """
    usable = [each for each in folders if each.can_be_opened]
    # Names count only if the server marks no folder: a folder called "Trash" may hold somebody's work.
    has_special_use = any(each.attributes & _UNWANTED for each in usable)
    labels = gmail and any("\\all" in each.attributes for each in usable)
    names = {_comparable(each) for each in wanted}
    judged = [
        (each, _not_wanted(each, names) if names else _unread(each, has_special_use=has_special_use, labels=labels))
        for each in usable
    ]
    return sorted(judged, key=lambda each: (each[0].name.upper() != b"INBOX", each[0].name))


def missing_folders(folders: Sequence[ListedFolder], wanted: Sequence[str]) -> list[str]:
    """Labels that were chosen and that no folder has."""
    labels = {_comparable(each.label) for each in folders}
    return [each for each in wanted if _comparable(each) not in labels]


def _comparable(label: str) -> str:
    """Return a name for comparison: the inbox has its name in any case (RFC 3501, section 5.1)."""
    return "INBOX" if label.upper() == "INBOX" else label


def _not_wanted(folder: Folder, names: set[str]) -> str:
    return "" if _comparable(_label(folder)) in names else "not chosen"


def _unread(folder: Folder, *, has_special_use: bool, labels: bool) -> str:
    if labels:
        return "" if "\\all" in folder.attributes else "a label"
    if purpose := folder.attributes & (_UNWANTED | _VIRTUAL):
        return min(purpose).removeprefix("\\")
    return "" if has_special_use else left_out((_label(folder),))


def folders_to_open(folders: Sequence[ListedFolder], position: AccountPosition) -> list[ListedFolder]:
    """Return the folders that may have something new."""
    return [each for each in folders if not _is_unchanged(each, position)]


def _is_unchanged(folder: ListedFolder, position: AccountPosition) -> bool:
    before = position.folders.get(folder.name)
    if before is None or folder.uid_next is None or folder.uid_validity != before.uidvalidity:
        return False
    # Without a new UID no mail has come, so an equal number of mails are the same mails; the modseq shows changes to
    # them.
    is_same = folder.messages == before.messages and folder.modseq == before.modseq
    return is_same and folder.uid_next <= before.done_through_uid + 1


def is_suddenly_empty(folders: Sequence[ListedFolder], position: AccountPosition) -> bool:
    """Return whether an account that had mails now shows none: its server may be damaged, or restored empty."""
    had = any(each.done_through_uid for each in position.folders.values())
    return had and all(each.messages == 0 for each in folders)
