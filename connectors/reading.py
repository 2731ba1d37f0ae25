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


def read_path(
    path: str | Path,
    options: ReadOptions,
    *,
    limits: Limits = DEFAULT_LIMITS,
    connectors: Sequence[Connector] | None = None,
) -> Iterator[Record]:
    """Everything that a file, folder, archive or ``-`` holds, in whatever formats.

    What fails beside something that can be read is a ``Rejected``.

    Raises:
        InvalidError: the options do not fit what is there.
        SourceError: nothing in it can be read.
    """
    source = open_source(path, limits)
    yield from read_source(source, options, limits=limits, connectors=connectors)


def read_source(
    source: Source,
    options: ReadOptions,
    *,
    limits: Limits = DEFAULT_LIMITS,
    connectors: Sequence[Connector] | None = None,
) -> Iterator[Record]:
    """``read_path`` for a source that is open already."""
    found = parts(source, options, limits=limits, connectors=connectors)
    yield from source.notices()
    for part in found:
        if not isinstance(part, Part):
            yield part
            continue
        try:
            yield from part.connector.read(part.source, options)
        except SourceError as error:
            if len(found) == 1:
                raise
            yield refusal(part.source.locator, error)


def previews(
    path: str | Path,
    options: ReadOptions,
    *,
    limits: Limits = DEFAULT_LIMITS,
    connectors: Sequence[Connector] | None = None,
) -> Iterator[Preview]:
    """A first look at each thing that ``read_path`` would read. What cannot be read is left to ``read_path`` to tell.

    Raises:
        InvalidError: the options do not fit what is there.
        SourceError: nothing in it can be read.
    """
    source = open_source(path, limits)
    yield from preview_source(source, options, limits=limits, connectors=connectors)


def preview_source(
    source: Source,
    options: ReadOptions,
    *,
    limits: Limits = DEFAULT_LIMITS,
    connectors: Sequence[Connector] | None = None,
) -> Iterator[Preview]:
    """``previews`` for a source that is open already; standard input can only be opened once."""
    found = parts(source, options, limits=limits, connectors=connectors)
    for part in found:
        if isinstance(part, Part):
            try:
                yield part.connector.preview(part.source, options)
            except SourceError:
                if len(found) == 1:
                    raise
