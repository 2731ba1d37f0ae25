"""Changes to the mails of a folder that were read before: other marks and labels, and removed mails."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing

from ..contract import MessageTags
from .commands import Command
from .connection import Connection, Done
from .cursor import FolderPosition
from .errors import ProtocolError
from .fetching import uids_where
from .mails import FLAGGED, labels_of
from .open_folder import OpenFolder
from .refusals import is_throttled, refused_command
from .responses import Fetch, Response, Vanished
from .uid_set import UidSet

STEP = 1000
"""The number of changes that are yielded together."""


class ChangedMails:
    """Finds changes of mails. A server with CONDSTORE lists the changes since the last look, and with QRESYNC the
    removed mails; any other server, or one that refuses, is searched for the mails that have the relevant marks.

    Args:
        connection: in which the folder is open.
        opened: the folder.
        known: how far it was read.
    """

    def __init__(self, connection: Connection, opened: OpenFolder, position: FolderPosition) -> None:
        self._connection = connection
        self._opened = opened
        self._known = position
        self._has_labels = "X-GM-EXT-1" in connection.capabilities
        self._is_told = False
        """True if the server listed the changes."""
        self.modseq = opened.modseq
        """The modification number up to which changes are known when `tags` has ended. If the server did not list the
        changes, they count from the same number again next time.
        """
        self.left_out = UidSet(position.left_out)
        """The mails that are drafts or marked as deleted, when `tags` has ended."""
        self.flagged: UidSet | None = None
        """The mails that are flagged, when `tags` has ended; None if unknown. Gmail sends the flag with the labels, so
        it is not searched.
        """
        if not self._has_labels and (position.flagged is not None or position.modseq is None):
            self.flagged = UidSet(position.flagged or ())
        self.back = UidSet()
        """The mails that were left out and are not any more: they have not been read yet."""
        self.gone: UidSet | None = None
        """The removed mails; None if the server does not list them."""

    async def tags(self) -> AsyncGenerator[tuple[MessageTags, ...], None]:
        """Yield the tags of mails whose tags changed, some at a time.

        Raises:
            RateLimitError: the server wants to be asked later.
            UnavailableError: the connection is broken.
        """
        before, now = self._known.modseq, self._opened.modseq
        if not self._known.done_through_uid or (before is not None and before == now):
            return
        # Labels whose changes were never counted, as by an older memd, are all fetched once.
        if now is not None and (before is not None or self._has_labels):
            async with aclosing(self._told(before)) as steps:
                async for step in steps:
                    yield step
        if self._is_told:
            return
        left_out = await self._found(b"OR DELETED DRAFT")
        if self._has_labels:  # what labels a mail has no search tells
            self.modseq = before
            changes = self._hidden(left_out)
        else:
            there = UidSet() if self.flagged is not None else await self._found(b"ALL")
            changes = self._differing(await self._found(b"FLAGGED"), left_out, there)
        for step in changes:
            yield step

    async def _told(self, since: int | None) -> AsyncGenerator[tuple[MessageTags, ...], None]:
        """Yield the changes that the server lists since a modification number; without a number, the present state of
        all mails.
        """
        hidden, shown, flagged, gone, step = list[int](), list[int](), list[int](), UidSet(), list[MessageTags]()
        async with aclosing(self._connection.pipeline([self._changed_since(since)])) as responses:
            async for each in responses:
                if isinstance(each, Done):
                    if is_throttled(each.status):
                        raise refused_command("UID FETCH", each.status)
                    self._is_told = each.status.kind == "OK"
                elif isinstance(each, Vanished):
                    gone = gone.union(each.uids)
                elif (entry := self._labels(each)) is not None:
                    uid, labels, left_out = entry
                    (hidden if left_out else shown).append(uid)
                    flagged += [uid] if FLAGGED in labels else []
                    step.append(self._tagged(uid, () if left_out else labels))
                    if len(step) >= STEP:
                        yield tuple(step)
                        step = []
        if step:
            yield tuple(step)
        if self._is_told:
            listed_uids = UidSet.of((*hidden, *shown))
            self._take(self.left_out.union(UidSet.of(hidden)).without(UidSet.of(shown)).without(gone), gone)
            if self.flagged is not None:
                self.flagged = self.flagged.without(listed_uids).union(UidSet.of(flagged)).without(gone)
            self.gone = gone if since is not None and "QRESYNC" in self._connection.enabled else None

    def _changed_since(self, modseq: int | None) -> Command:
        words = "(UID FLAGS X-GM-LABELS)" if self._has_labels else "(UID FLAGS)"
        if modseq is not None:
            gone = " VANISHED" if "QRESYNC" in self._connection.enabled else ""
            words += f" (CHANGEDSINCE {modseq}{gone})"
        return Command.of(b"UID FETCH", b"1:%d" % self._known.done_through_uid, words.encode())

    def _labels(self, response: Response) -> tuple[int, tuple[str, ...], str] | None:
        """Return the UID of a mail that was read before, its labels, and the reason why it is left out; None for other
        responses.
        """
        match response:
            case Fetch(uid=int(uid), items={"FLAGS": _}) if uid <= self._known.done_through_uid:
                if self._has_labels and "X-GM-LABELS" not in response.items:
                    return None
                try:
                    return (uid, *labels_of(response, self._opened.folder.label))
                except ProtocolError:  # the mail keeps what it had
                    return None
            case _:
                return None

    async def _found(self, mark: bytes) -> UidSet:
        return await uids_where(self._connection, b"UID 1:%d %s" % (self._known.done_through_uid, mark))

    def _differing(self, flagged: UidSet, left_out: UidSet, there: UidSet) -> Iterator[tuple[MessageTags, ...]]:
        """Yield the tags of mails whose marks differ from before; of all present mails if the mails flagged before are
        not known.
        """
        label = self._opened.folder.label
        changed = there.without(left_out)
        if self.flagged is not None:
            changed = flagged.without(self.flagged).union(self.flagged.without(flagged)).without(left_out)
        yield from self._hidden(left_out)
        for part in changed.parts(STEP):
            yield tuple(self._tagged(uid, (label, FLAGGED) if uid in flagged else (label,)) for uid in part)
        self.flagged = flagged

    def _hidden(self, left_out: UidSet) -> Iterator[tuple[MessageTags, ...]]:
        """Yield empty tags for mails that are left out now and were not before."""
        for part in left_out.without(self.left_out).parts(STEP):
            yield tuple(self._tagged(uid, ()) for uid in part)
        self._take(left_out, UidSet())

    def _take(self, left_out: UidSet, gone: UidSet) -> None:
        self.back = self.left_out.without(left_out).without(gone)
        self.left_out = left_out

    def _tagged(self, uid: int, tags: Iterable[str]) -> MessageTags:
        return MessageTags(self._opened.folder.label, self._opened.uid_validity, uid, tuple(tags))
