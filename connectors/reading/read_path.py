"""Reads and previews a path: all formats, files, folders and archives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ...schemas import Notice, Rejected
from ...schemas.errors import SourceError
from ..connector import Connector, Preview, ReadOptions, Record, Source
from ..errors import refusal
from ..opening.limits import DEFAULT_LIMITS, Limits
from ..opening.member_subset import subset_of
from ..opening.open_source import open_source
from ..record_faults import Failure, attempt_all
from .reading_log import ExportLog, ReadingLog, SkippedFile, tracked
from .source_parts import Part, parts


def read_records(
    source: str | Path | Source,
    options: ReadOptions,
    *,
    limits: Limits = DEFAULT_LIMITS,
    connectors: Sequence[Connector] | None = None,
    log: ReadingLog | None = None,
) -> Iterator[Record]:
    """Yield everything that a file, folder, archive or ``-`` holds, in all formats; or everything in an open source.
    The ``log`` counts the records.

    What fails beside something that can be read is a ``Rejected``, and so is the rest of an export on which its connector
    fails unexpectedly.

    Raises:
        InvalidError: the options do not fit what is there.
        SourceError: nothing in it can be read.
    """
    opened = open_source(source, limits) if isinstance(source, str | Path) else source
    readings = parts(opened, options, limits=limits, connectors=connectors)
    alone = sum(not isinstance(each, SkippedFile) for each in readings) == 1
    for record in opened.notices():
        outside = _outside(record, log)
        if log is None or isinstance(outside, Rejected):  # of what is left out the log tells all
            yield outside
    for part in readings:
        if isinstance(part, SkippedFile):
            if log is not None:
                log.skipped.append(part)
        elif not isinstance(part, Part):
            yield _outside(part, log)
        else:
            export = None if log is None else log.begin(part.connector, part.source.locator, part.files)
            try:
                for record in attempt_all(_read, part, options.of_connector(part.connector.name), export):
                    yield _cut_off(part, record, export) if isinstance(record, Failure) else record
            except SourceError as error:
                if alone:
                    raise
                refused = refusal(part.source.locator, error)
                if export is not None:
                    export.count(refused)
                yield refused


def _cut_off(part: Part, failure: Failure, export: ExportLog | None) -> Rejected:
    """Return the rejection of the rest of an export whose connector failed outside of its records."""
    refused = Rejected(locator=part.source.locator, reason=f"{failure}; what follows was not read")
    if export is not None:
        export.count(refused)
    return refused


def _outside(record: Notice | Rejected, log: ReadingLog | None) -> Notice | Rejected:
    if log is not None:
        log.outside(record)
    return record


def _read(part: Part, options: ReadOptions, export: ExportLog | None) -> Iterator[Record]:
    """Yield the records of a connector, counting them."""
    if export is None:
        yield from part.connector.read(part.source, options)
        return
    members = tuple(tracked(part.source.members(), export))
    for record in part.connector.read(subset_of(part.source, members), options):
        export.count(record)
        yield record
        if not isinstance(record, Notice | Rejected):
            export.count_taken(record)
    export.finish()


def previews(
    source: str | Path | Source, options: ReadOptions, *, connectors: Sequence[Connector] | None = None
) -> Iterator[Preview]:
    """Yield a preview of each part that ``read_records`` would read, and the rejections. Standard input can be opened
    only once: pass it as a source.

    Raises:
        InvalidError: the options do not fit what is there.
        SourceError: nothing in it can be read.
    """
    opened = open_source(source) if isinstance(source, str | Path) else source
    readings = parts(opened, options, connectors=connectors)
    for part in readings:
        if isinstance(part, Part):
            try:
                yield part.connector.preview(part.source, options.of_connector(part.connector.name))
            except SourceError:
                if sum(not isinstance(each, SkippedFile) for each in readings) == 1:
                    raise
