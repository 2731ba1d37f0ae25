"""Reading paths for `parse` and `ingest`: options from flags, settings and the system; what was read is counted."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace

from ....connectors.connector import Preview, ReadOptions, Record
from ....connectors.errors import refusal
from ....connectors.reading.export_pieces import gathered, open_pieces
from ....connectors.reading.read_path import previews, read_records
from ....connectors.reading.reading_log import ReadingLog
from ....schemas import Notice, Rejected
from ....schemas.errors import SourceError
from ...config.settings import Settings
from ...config.timezones import zone_named
from ...config.user_names import user_names
from ...temporary_folders import reading_folder
from ..arguments import UsageError


def options_of(arguments: argparse.Namespace, settings: Settings) -> ReadOptions:
    """Flags over the settings over the system.

    Raises:
        ConfigError: a zone that does not exist.
    """
    zone, origin = (zone_named(arguments.zone), "option") if arguments.zone else settings.zone_in_force()
    return ReadOptions(
        zone=zone,
        zone_origin=origin,
        me=arguments.me,
        names=user_names(settings),
        chat=arguments.chat,
        date_order=arguments.date_order,
        format=arguments.format,
    )


@dataclass
class SourceReader:
    """Some paths and how to read them; counts while it goes."""

    paths: list[str]
    options: ReadOptions
    documents: int = 0
    rejected: int = 0
    failed: list[SourceError] = field(default_factory=list[SourceError])
    """The errors of the paths from which nothing at all could be read, one for each."""
    log: ReadingLog = field(default_factory=ReadingLog)
    """The log of the files that the last `records` read."""

    def records(self) -> Iterator[Record]:
        """Everything in every path, in order. A path that cannot be read is a `Rejected`; the others go on.

        Raises:
            SourceError: there is but one path, and nothing in it can be read.
        """
        if "" in self.paths:
            raise UsageError("a path is empty", "is a variable not set? name a file, a folder, or - for standard input")
        self.documents = self.rejected = 0
        self.failed.clear()
        self.log = ReadingLog()
        # What was imported lives as long as the process: the collector need not go through it again and again, which
        # is an eighth of reading an export.
        gc.freeze()
        with _private_options(self.options) as options:
            yield from self._records(options)

    def _records(self, options: ReadOptions) -> Iterator[Record]:
        groups = gathered(self.paths)
        for paths in groups:
            try:
                for record in read_records(open_pieces(paths), options, log=self.log):
                    if isinstance(record, Rejected):
                        self.rejected += 1
                    elif not isinstance(record, Notice):
                        self.documents += 1
                    yield record
            except SourceError as error:
                if len(groups) == 1 and not self.documents:
                    raise
                self.failed.append(error)
                self.rejected += 1
                refused = refusal(paths[0], error)
                self.log.outside(refused)
                yield refused

    def previews(self) -> Iterator[Preview]:
        """A first look at everything; what cannot be read is left to `records` to tell."""
        with _private_options(self.options) as options:
            for paths in gathered(self.paths):
                if paths == ["-"]:
                    continue  # it can be read but once
                try:
                    yield from previews(open_pieces(paths), options)
                except SourceError:
                    continue

    def as_user(self, source: str, name: str) -> None:
        """From now on this is the user's own name in this source."""
        self.options = replace(self.options, names={**self.options.names, source: name})

    @property
    def exit_code(self) -> int:
        """0 when all was read, 4 when some was rejected, 3 when there was nothing to keep but rejected records."""
        if self.rejected:
            return 4 if self.documents else 3
        return 0


@contextmanager
def _private_options(options: ReadOptions) -> Generator[ReadOptions]:
    """The same with a folder for private copies, which the next command sweeps if this one is killed; without one where
    none can be made: a reader that needs it tells so.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            options = replace(options, temporary=str(stack.enter_context(reading_folder())))
        yield options
