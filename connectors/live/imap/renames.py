"""Folders that were renamed since they were read, and those that are gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..contract import FolderContents, FolderRename
from .commands import Command
from .connection import Connection
from .cursor import AccountPosition, FolderPosition, Witness
from .folders import ListedFolder
from .frames import Literal
from .mails import header_digest
from .open_folder import open_folder
from .refusals import CommandRefusedError
from .responses import Fetch


@dataclass(frozen=True, slots=True)
class FolderChanges:
    """The changes to the folders of an account since they were read."""

    position: AccountPosition
    """The positions of the folders under their current names."""
    renames: tuple[FolderRename, ...] = ()
    gone: tuple[FolderContents, ...] = ()
    """Folders that are gone and therefore empty."""


async def follow_folders(
    connection: Connection, folders: Sequence[ListedFolder], position: AccountPosition
) -> FolderChanges:
    """Find the folders of a position again. A folder is another one's new name if its UIDVALIDITY is the same and it
    holds the mail that was read last there; servers give folders made in the same second the same UIDVALIDITY.

    Raises:
        RateLimitError: the server wants to be asked later.
        UnavailableError: the connection is broken.
    """
    listed = {each.name: each for each in folders}
    renames: list[FolderRename] = []
    staying: dict[bytes, FolderPosition] = {}
    moved: dict[bytes, FolderPosition] = {}
    # All are looked for by the names under which they were read: folders may have swapped names, or each taken the name
    # of the next.
    for name, before in position.folders.items():
        if name in listed and listed[name].uid_validity in (None, before.uidvalidity):
            staying[name] = before
            continue
        for folder in renamed_to(before, folders, position):
            if folder.name in moved or before.witness is None:
                continue
            if await _holds(connection, folder, before.witness):
                renames.append(FolderRename(before.label, folder.label, before.uidvalidity))
                moved[folder.name] = before.model_copy(update={"label": folder.label})
                break
        else:
            staying[name] = before
    gone = [name for name in staying if name not in listed]
    contents = tuple(FolderContents(staying[name].label, 0) for name in gone)
    positions = {name: each for name, each in staying.items() if name in listed} | moved
    return FolderChanges(replace(position, folders=positions), tuple(renames), contents)


def renamed_to(
    before: FolderPosition, folders: Sequence[ListedFolder], position: AccountPosition
) -> list[ListedFolder]:
    """Folders that may be a known one under another name: of its UIDVALIDITY, and not known themselves."""
    return [
        each
        for each in folders
        if each.uid_validity == before.uidvalidity
        and ((other := position.folders.get(each.name)) is None or other.uidvalidity != each.uid_validity)
    ]


async def _holds(connection: Connection, folder: ListedFolder, witness: Witness) -> bool:
    """Return whether the witness mail has its UID in a folder."""
    try:
        await open_folder(connection, folder)
        responses = await connection.run(
            *Command.of(b"UID FETCH", b"%d" % witness.uid, b"(UID BODY.PEEK[HEADER])").parts
        )
    except CommandRefusedError:  # reported when its mails are read
        return False
    for each in responses:
        if isinstance(each, Fetch) and each.uid == witness.uid and (header := each.section("BODY[HEADER]")) is not None:
            return header_digest(header.data if isinstance(header, Literal) else header) == witness.header
    return False
