"""Reading and previewing whatever lies at a path: all formats, files, folders and archives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..schemas.errors import SourceError
from .connector import Connector, Preview, ReadOptions, Record, Source
from .errors import refusal
from .limits import DEFAULT_LIMITS, Limits
from .open_source import open_source
from .source_parts import Part, parts


def read_records(
    source: str | Path | Source,
    options: ReadOptions,
    *,
    limits: Limits = DEFAULT_LIMITS,
    connectors: Sequence[Connector] | None = None,
) -> Iterator[Record]:
    """Everything that a file, folder, archive or ``-`` holds, in whatever formats; or a source that is open already.

    What fails beside something that can be read is a ``Rejected``.

    Raises:
        InvalidError: the options do not fit what is there.
        SourceError: nothing in it can be read.
    """
    opened = open_source(source, limits) if isinstance(source, str | Path) else source
    found = parts(opened, options, limits=limits, connectors=connectors)
    yield from opened.notices()
    for part in found:
        if not isinstance(part, Part):
            yield part
            continue
        try:
            yield from part.connector.read(part.source, options.of_connector(part.connector.name))
        except SourceError as error:
            if len(found) == 1:
                raise
            yield refusal(part.source.locator, error)


def previews(
    source: str | Path | Source, options: ReadOptions, *, connectors: Sequence[Connector] | None = None
) -> Iterator[Preview]:
    """A first look at each thing that ``read_records`` would read, which tells what cannot be read. Standard input can be
    opened but once: give it as a source.

    Raises:
        InvalidError: the options do not fit what is there.
        SourceError: nothing in it can be read.
    """
    opened = open_source(source) if isinstance(source, str | Path) else source
    found = parts(opened, options, connectors=connectors)
    for part in found:
        if isinstance(part, Part):
            try:
                yield part.connector.preview(part.source, options.of_connector(part.connector.name))
            except SourceError:
                if len(found) == 1:
                    raise
