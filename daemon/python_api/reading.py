"""`read`: the documents of an export, for a program."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath

from ...connectors.connector import DateOrder, ReadOptions
from ...connectors.reading.export_pieces import open_pieces
from ...connectors.reading.read_path import read_records
from ...schemas import Document, Notice, Rejected
from ..config.resolution import resolve_settings
from ..config.timezones import zone_named
from ..config.user_names import user_names


def read(
    path: str | PathLike[str],
    *,
    me: str | None = None,
    zone: str | None = None,
    chat: str | None = None,
    date_order: DateOrder | None = None,
    format: str | None = None,  # noqa: A002 - the flag's name
) -> Iterator[Document | Notice | Rejected]:
    """Yield what a file, a folder or an archive holds, in every format that memd reads; in constant memory for most.

    Args:
        path: of an export as its program made it.
        me: the user's own name in it, where it does not tell; by default that of the configuration.
        zone: of times without one, ``Europe/Berlin``; by default that of the configuration, else the system's.
        chat: another title for the only chat in it.
        date_order: decides whether 1/2/2024 is in January or in February, where nothing else does.
        format: its format, where it is not recognised.

    Yields:
        Documents; a `Notice` of what a reader should know; a `Rejected` for each record that could not be read.

    Raises:
        InvalidError: the options do not fit what is there, there is no such zone, or the configuration is wrong.
        SourceError: nothing in it can be read.
    """
    settings = resolve_settings().settings
    zone_in_force, origin = settings.zone_in_force()
    options = ReadOptions(
        zone=zone_in_force if zone is None else zone_named(zone),
        zone_origin=origin if zone is None else "option",
        me=me,
        names=user_names(settings),
        chat=chat,
        date_order=date_order,
        format=format,
    )
    yield from read_records(open_pieces([fspath(path)]), options)
