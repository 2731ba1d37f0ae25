"""New mails of one folder: which there are, and then themselves, window by window."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import chain, pairwise

from .connection import Connection
from .errors import ProtocolError
from .open_folder import OpenFolder
from .responses import SearchResult, Unreadable
from .uid_set import UidSet
from .window import MailBatch, Sizes, read_window, windows_of


async def new_mails(connection: Connection, opened: OpenFolder, after: int) -> AsyncGenerator[MailBatch, None]:
    """Every mail whose UID is larger than ``after``, in the order of UIDs; the last batch also covers UIDs that are not used.

    Raises:
        RateLimitError: the server wants to be asked later.
        UnavailableError: the connection is broken.
    """
    uids = await _uids_after(connection, after)
    end = max(opened.uid_next - 1 if opened.uid_next else 0, after, uids.ranges[-1][1] if uids.ranges else 0)
    for sizes, following in pairwise(chain(map(Sizes, windows_of(uids)), [None])):
        assert sizes is not None
        async with aclosing(read_window(connection, opened, sizes, following)) as batches:
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
