"""The mails of some UIDs: how large they are, then themselves in batches of bounded size; large ones without their files."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from ....schemas import Rejected
from .commands import Command
from .connection import Connection, Done
from .errors import ProtocolError
from .large_mails import LARGE_MAIL, LargeMail, large_mail
from .mails import FetchedMail, fetched_mail
from .open_folder import OpenFolder
from .refusals import CommandRefusedError, is_throttled, refused_command
from .responses import Fetch, Response, Unreadable
from .uid_set import LARGEST_UID, UidSet

WINDOW = 2000
"""UIDs whose sizes are asked for at once."""
BATCH_BYTES = 4 * 1024 * 1024
"""The size limit in bytes of the mails fetched by one command. A larger mail is fetched alone."""
BATCH_MAILS = 200


@dataclass(slots=True)
class MailBatch:
    """Mails that were fetched together."""

    mails: list[FetchedMail] = field(default_factory=list[FetchedMail])
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    done_through_uid: int | None = None
    """The UID up to which every mail was given with this batch; None if the batch does not say."""

    def take(self, other: MailBatch) -> None:
        """Add the content of another batch."""
        self.mails += other.mails
        self.rejected += other.rejected

    @property
    def is_full(self) -> bool:
        """Return whether the batch has reached its limit of mails or bytes."""
        return len(self.mails) >= BATCH_MAILS or sum(len(each.data) for each in self.mails) >= BATCH_BYTES


class Sizes:
    """The sizes of mails in bytes, as they become known, without mails removed meanwhile.

    Args:
        uids: of the mails.
    """

    def __init__(self, uids: UidSet) -> None:
        self.uids = uids
        self.command = _fetch(uids, "RFC822.SIZE")
        self.by_uid: dict[int, int] = {}
        self.known = False
        """True once the server's answer is complete."""

    def take(self, response: Response | Done) -> None:
        """Record the size in a response.

        Raises:
            SourceError: the server does not tell sizes.
        """
        match response:
            case Fetch(items={"RFC822.SIZE": _}, uid=int(uid), size=int(size)) if uid in self.uids:
                self.by_uid[uid] = size
            case Unreadable(uid=int(uid)) if uid in self.uids:
                self.by_uid[uid] = BATCH_BYTES  # unknown: it is fetched alone
            case Done(command=command, status=status) if command is self.command:
                if status.kind != "OK":
                    raise refused_command("UID FETCH", status)
                self.known = True
            case _:
                return


async def read_window(
    connection: Connection, opened: OpenFolder, sizes: Sizes, following: Sizes | None = None
) -> AsyncGenerator[MailBatch, None]:
    """Yield the mails of some UIDs. The last batch confirms that all were given.

    Args:
        connection: in which the folder is open.
        opened: the folder.
        sizes: of the mails, known or not.
        following: what is asked for along with these.

    Raises:
        RateLimitError: the server wants to be asked later.
        UnavailableError: the connection is broken.
    """
    if not sizes.known:
        async with aclosing(connection.pipeline([sizes.command])) as responses:
            async for each in responses:
                sizes.take(each)
    reading = _Reading(connection, opened, await _large(connection, sizes))
    commands = list(reading.commands(sizes.by_uid))
    async with aclosing(connection.pipeline([*([following.command] if following else []), *commands])) as responses:
        async for each in responses:
            if following is not None and not following.known:
                following.take(each)
            if not isinstance(each, Done):
                reading.take(each)
            elif (batch := reading.end(each)) is not None:
                batch.done_through_uid = reading.first_waiting(sizes.uids.ranges[-1][1] + 1) - 1
                yield batch
    yield reading.rest(sizes.uids.ranges[-1][1] if not reading.again else None)
    for uid in sorted(reading.again):
        yield await reading.alone(uid)
    if reading.again:
        yield MailBatch(done_through_uid=sizes.uids.ranges[-1][1])


async def _large(connection: Connection, sizes: Sizes) -> dict[int, LargeMail]:
    """Return the parts to fetch of large mails that have files; all other mails are fetched whole."""
    large_mails: dict[int, LargeMail] = {}
    large_uids = UidSet.of(uid for uid, size in sizes.by_uid.items() if size >= LARGE_MAIL)
    commands = [_fetch(part, "BODYSTRUCTURE") for part in large_uids.parts(WINDOW)]
    async with aclosing(connection.pipeline(commands)) as responses:
        async for each in responses:
            if isinstance(each, Done) and is_throttled(each.status):
                raise refused_command("UID FETCH", each.status)
            match each:
                case Fetch(items={"BODYSTRUCTURE": structure}, uid=int(uid)) if uid in large_uids:
                    try:
                        large = large_mail(structure)
                    except ProtocolError:  # the mail is fetched whole, like all without a known structure
                        continue
                    if large is not None:
                        large_mails[uid] = large
                case _:
                    continue
    return large_mails


class _Reading:
    """The assignment of mails to FETCH commands, and the responses so far. Servers answer several commands at once, so
    a mail belongs to the command that named it, not to the command that ends next.
    """

    def __init__(self, connection: Connection, opened: OpenFolder, large: Mapping[int, LargeMail]) -> None:
        self._connection = connection
        self._opened = opened
        self._large: Mapping[int, LargeMail] = large
        gmail = " X-GM-LABELS X-GM-THRID" if "X-GM-EXT-1" in connection.capabilities else ""
        self._items = f"FLAGS BODY.PEEK[]{gmail}"
        self._items_of_large = f"FLAGS %s{gmail}"
        self._waiting: dict[Command, UidSet] = {}
        """The mails of the commands that have not ended."""
        self._owner: dict[int, MailBatch] = {}
        self._ready = MailBatch()
        """The mails of commands that have ended, to be given with the next batch."""
        self._taken: set[int] = set()
        self._refused: set[int] = set()
        """Mails that arrived, and mails that cannot be read; data sent for them again is dropped."""
        self.again: set[int] = set()
        """The mails that are requested once more, alone, after all others; the position stays before the first of them."""

    def commands(self, sizes: Mapping[int, int]) -> Iterator[Command]:
        """Yield the FETCH commands in the order of UIDs; after each batch, the large mails within its range."""
        fetched = {uid: 0 if uid in self._large else size for uid, size in sizes.items()}
        for part in batches_of(fetched):
            large = [uid for uid in part if uid in self._large]
            whole = part.without(UidSet.of(large))
            if whole:
                yield self._asked(_fetch(whole, self._items), whole)
            for uid in large:
                only = UidSet.of([uid])
                command = _fetch(only, self._items_of_large % self._large[uid].items)
                yield self._asked(replace(command, weight=1), only)

    def _asked(self, command: Command, uids: UidSet) -> Command:
        self._waiting[command] = uids
        batch = MailBatch()
        self._owner |= dict.fromkeys(uids, batch)
        return command

    def first_waiting(self, end: int) -> int:
        """Return the first UID that may still come."""
        return min([end, *self.again, *(each.ranges[0][0] for each in self._waiting.values())])

    def take(self, response: Response) -> None:
        """Put a mail into the batch of its UID."""
        match response:
            case Unreadable(uid=int(uid)) if uid in self._owner:
                self._refuse(uid, response.reason)
            case Fetch(uid=int(uid)) if uid in self._owner and uid not in self._taken:
                large = self._large.get(uid)
                if ("BODY[]" if large is None else "BODY[HEADER]") not in response.items:
                    return
                self._taken.add(uid)
                try:
                    mail = fetched_mail(response, self._opened.locator(uid), self._opened.folder.label, large)
                    self._owner[uid].mails.append(mail)
                except ProtocolError as error:
                    self._refuse(uid, error.message)
            case Unreadable(name="FETCH"):
                raise ProtocolError(response.reason)
            case _:
                return

    def _refuse(self, uid: int, reason: str) -> None:
        if uid in self._large:
            self.again.add(uid)
        elif uid not in self._refused:
            self._refused.add(uid)
            self._owner[uid].rejected.append(Rejected(locator=self._opened.locator(uid), reason=reason))

    def end(self, done: Done) -> MailBatch | None:
        """Record the end of a command; return the mails to give out then.

        Raises:
            RateLimitError: the server wants to be asked later.
        """
        if (uids := self._waiting.pop(done.command, None)) is None:
            return None
        if is_throttled(done.status):
            raise refused_command("UID FETCH", done.status)
        if done.status.kind != "OK":
            self.again |= {*uids}
        self._ready.take(self._owner[uids.ranges[0][0]])
        for uid in uids:
            del self._owner[uid]
        if len(uids) == 1 and uids.ranges[0][0] in self._large and not self._ready.is_full:
            return None
        batch, self._ready = self._ready, MailBatch()
        return batch

    def rest(self, done_through_uid: int | None) -> MailBatch:
        """Return the mails that were not given out yet."""
        return replace(self._ready, done_through_uid=done_through_uid)

    async def alone(self, uid: int) -> MailBatch:
        """Fetch one mail whose batch, or whose parts, the server refused; a refusal now concerns this mail alone."""
        only = UidSet.of([uid])
        self._large = {}
        self._taken.clear()
        self._refused.clear()
        self._owner = {uid: MailBatch()}
        try:
            for each in await self._connection.run(*_fetch(only, self._items).parts):
                self.take(each)
        except CommandRefusedError as error:
            return MailBatch(rejected=[Rejected(locator=self._opened.locator(uid), reason=error.message)])
        return self._owner[uid]


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


def windows_of(uids: UidSet) -> Iterable[UidSet]:
    """UIDs in order, as many together as their sizes are asked for."""
    return uids.parts(WINDOW)


def _fetch(uids: UidSet, items: str) -> Command:
    return Command.of(b"UID FETCH", str(uids).encode(), f"(UID {items})".encode())
