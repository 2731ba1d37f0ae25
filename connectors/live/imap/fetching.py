"""New mails of one folder: which there are, and then themselves, window by window; and which of the older ones are still there."""

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


async def read_mails(connection: Connection, opened: OpenFolder, uids: UidSet) -> AsyncGenerator[MailBatch, None]:
    """Yield the mails of some UIDs, in their order.

    Args:
        connection: in which the folder is open.
        opened: the folder.
        uids: of the mails.

    Raises:
        RateLimitError: the server wants to be asked later.
        UnavailableError: the connection is broken.
    """
    for sizes, following in pairwise(chain(map(Sizes, windows_of(uids)), [None])):
        assert sizes is not None
        async with aclosing(read_window(connection, opened, sizes, following)) as batches:
            async for batch in batches:
                yield batch


async def uids_after(connection: Connection, after: int) -> UidSet:
    """Return the UIDs of the open folder that are larger than ``after``.

    Raises:
        RateLimitError: the server wants to be asked later.
        UnavailableError: the connection is broken.
    """
    uids = await uids_where(connection, b"UID %d:*" % (after + 1))
    # "7:*" also names the last mail if that has a smaller UID.
    return uids.without(UidSet(((1, after),))) if after else uids


async def uids_where(connection: Connection, criteria: bytes) -> UidSet:
    """Return the UIDs of the open folder that a search finds.

    Raises:
        RateLimitError: the server wants to be asked later.
        UnavailableError: the connection is broken.
    """
    how = b"UID SEARCH RETURN (ALL)" if "ESEARCH" in connection.capabilities else b"UID SEARCH"
    uids = UidSet()
    for each in await connection.run(how, criteria):
        if isinstance(each, SearchResult):
            uids = uids.union(each.found)
        elif isinstance(each, Unreadable):
            raise ProtocolError(each.reason)
    return uids
