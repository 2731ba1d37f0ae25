"""New mails of one folder: which there are, how large, and then themselves in batches of bounded size. Nothing is marked as read."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field

from ....schemas import Rejected
from .commands import Command, Text
from .connection import Connection, Done
from .errors import ProtocolError
from .folders import ListedFolder
from .mails import FetchedMail, fetched_mail
from .refusals import CommandRefusedError, is_throttled, refused_command
from .responses import Fetch, Response, SearchResult, Status, Unreadable
from .uid_set import LARGEST_UID, UidSet

WINDOW = 2000
"""UIDs whose sizes are asked for at once."""
BATCH_BYTES = 4 * 1024 * 1024
"""Of the mails that are fetched by one command. A larger mail is fetched alone."""
BATCH_MAILS = 200


@dataclass(slots=True)
class MailBatch:
    """Mails that were fetched together."""

    mails: list[FetchedMail] = field(default_factory=list[FetchedMail])
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    done_through_uid: int | None = None
    """Every mail with this UID or a smaller one has been given with this batch; None: it says nothing of that."""


@dataclass(frozen=True, slots=True)
class OpenFolder:
    """A folder that is open for reading."""

    folder: ListedFolder
    uid_validity: int
    uid_next: int | None

    def locator(self, uid: int) -> str:
        """Where a mail is, for people."""
        return f"imap:{self.folder.label}:{uid}"


async def open_folder(connection: Connection, folder: ListedFolder) -> OpenFolder:
    """Open a folder so that nothing in it can be changed.

    Raises:
        CommandRefusedError: it cannot be opened.
        RateLimitError: the server wants to be asked later.
        UnavailableError: the connection is broken.
    """
    found = await connection.run(b"EXAMINE", Text(folder.name))
    validity = _number(found, "UIDVALIDITY")
    if validity is None:
        raise CommandRefusedError("a folder has no UIDVALIDITY, so that its mails cannot be told apart")
    return OpenFolder(folder, validity, _number(found, "UIDNEXT"))


def _number(responses: Iterable[Response], code: str) -> int | None:
    for each in responses:
        if isinstance(each, Status) and each.code is not None and each.code.name == code:
            return each.code.number
    return None


async def new_mails(connection: Connection, opened: OpenFolder, after: int) -> AsyncGenerator[MailBatch, None]:
    """Every mail whose UID is larger than ``after``, in the order of UIDs; the last batch also covers UIDs that are not used.

    Raises:
        RateLimitError: the server wants to be asked later.
        UnavailableError: the connection is broken.
    """
    uids = await _uids_after(connection, after)
    end = max(opened.uid_next - 1 if opened.uid_next else 0, after, uids.ranges[-1][1] if uids.ranges else 0)
    for window in uids.parts(WINDOW):
        async with aclosing(_window(connection, opened, window)) as batches:
            async for batch in batches:
                yield batch
    yield MailBatch(done_through_uid=end)


async def _uids_after(connection: Connection, after: int) -> UidSet:
    how = b"UID SEARCH RETURN (ALL) UID" if "ESEARCH" in connection.capabilities else b"UID SEARCH UID"
    found = UidSet()
    for each in await connection.run(how, b"%d:*" % (after + 1)):
        if isinstance(each, SearchResult):
            found = found.union(each.found)
        elif isinstance(each, Unreadable):
            raise ProtocolError(each.reason)
    # "7:*" also names the last mail where that has a smaller UID.
    return found.without(UidSet(((1, after),))) if after else found


async def _sizes(connection: Connection, uids: UidSet) -> dict[int, int]:
    """The bytes of mails; those that have gone meanwhile are not in it."""
    sizes: dict[int, int] = {}
    async with aclosing(connection.pipeline([_fetch(uids, "RFC822.SIZE")])) as responses:
        async for each in responses:
            match each:
                case Fetch(uid=int(uid), size=int(size)) if uid in uids:
                    sizes[uid] = size
                case Unreadable(uid=int(uid)) if uid in uids:
                    sizes[uid] = BATCH_BYTES  # unknown: it is fetched alone
                case Done(status=status) if status.kind != "OK":
                    raise refused_command("UID FETCH", status)
                case _:
                    continue
    return sizes


async def _window(connection: Connection, opened: OpenFolder, window: UidSet) -> AsyncGenerator[MailBatch, None]:
    """Several commands are in flight; one that is refused is asked again mail by mail, when the others are through."""
    items = "FLAGS BODY.PEEK[]" + (" X-GM-LABELS X-GM-THRID" if "X-GM-EXT-1" in connection.capabilities else "")
    commands = {_fetch(part, items): part for part in batches_of(await _sizes(connection, window))}
    # Servers answer several commands at once, so a mail belongs to the command that named it, not to the one that ends next.
    batches = {command: MailBatch() for command in commands}
    owner = {uid: batches[command] for command, part in commands.items() for uid in part}
    refused: list[UidSet] = []
    waiting = list(commands)
    """Commands that have not ended, and those that were refused: the position stays before the first of them."""
    async with aclosing(connection.pipeline(commands)) as responses:
        async for each in responses:
            if not isinstance(each, Done):
                _gather(each, owner, opened)
                continue
            if is_throttled(each.status):
                raise refused_command("UID FETCH", each.status)
            if each.status.kind == "OK":
                waiting.remove(each.command)
            else:
                refused.append(commands[each.command])
            batch = batches.pop(each.command)
            first = min(commands[waiting[0]]) if waiting else window.ranges[-1][1] + 1
            batch.done_through_uid = first - 1
            yield batch
            for uid in commands[each.command]:
                del owner[uid]
    for uid in [uid for part in refused for uid in part]:
        yield await _alone(connection, opened, uid, items)
    yield MailBatch(done_through_uid=window.ranges[-1][1])


async def _alone(connection: Connection, opened: OpenFolder, uid: int, items: str) -> MailBatch:
    """A mail out of a batch that the server refused; its refusal is this mail's alone."""
    only = UidSet.of([uid])
    batch = MailBatch()
    try:
        for each in await connection.run(*_fetch(only, items).parts):
            _gather(each, {uid: batch}, opened)
    except CommandRefusedError as error:
        return MailBatch(rejected=[Rejected(locator=opened.locator(uid), reason=error.message)])
    return batch


def _gather(response: Response, owner: Mapping[int, MailBatch], opened: OpenFolder) -> None:
    """Put a mail into the batch of its UID."""
    match response:
        case Unreadable(uid=int(uid)) if uid in owner:
            owner[uid].rejected.append(Rejected(locator=opened.locator(uid), reason=response.reason))
        case Fetch(uid=int(uid)) if uid in owner and "BODY[]" in response.items:
            try:
                owner[uid].mails.append(fetched_mail(response, opened.locator(uid), opened.folder.label))
            except ProtocolError as error:
                owner[uid].rejected.append(Rejected(locator=opened.locator(uid), reason=error.message))
        case Unreadable(name="FETCH"):
            raise ProtocolError(response.reason)
        case _:
            return


def batches_of(sizes: Mapping[int, int]) -> Iterator[UidSet]:
    """UIDs in order, as many together as a batch may have."""
    part: list[int] = []
    held = 0
    for uid in sorted(sizes):
        if part and (held + sizes[uid] > BATCH_BYTES or len(part) >= BATCH_MAILS):
            yield from UidSet.of(part).parts(LARGEST_UID)
            part, held = [], 0
        part.append(uid)
        held += sizes[uid]
    if part:
        yield from UidSet.of(part).parts(LARGEST_UID)


def _fetch(uids: UidSet, items: str) -> Command:
    return Command.of(b"UID FETCH", str(uids).encode(), f"(UID {items})".encode())
