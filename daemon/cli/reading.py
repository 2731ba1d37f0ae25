"""Reading paths for `parse` and `ingest`: options from flags, settings and the system; what was read is counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ...connectors import ReadOptions, read_path
from ...schemas import Document, Notice, Rejected
from ...schemas.errors import ConfigError, SourceError

if TYPE_CHECKING:
    pass

Record = Document | Notice | Rejected


def zone_named(name: str) -> tzinfo:
    """A zone of the tz database.

    Raises:
        ConfigError: there is none of that name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ConfigError("there is no such time zone", hint="use a name like Europe/Berlin") from None


@dataclass
class Reading:
    """Some paths and how to read them; counts while it goes."""

    paths: list[str]
    options: ReadOptions
    documents: int = 0
    rejected: int = 0
    failed: list[SourceError] = field(default_factory=list["SourceError"])
    """Paths of which nothing could be read."""

    def records(self) -> Iterator[Record]:
        """Everything in every path, in order. A path that cannot be read is a `Rejected`; the others go on."""
        for path in self.paths:
            try:
                for record in read_path(path, self.options):
                    if isinstance(record, Rejected):
                        self.rejected += 1
                    elif not isinstance(record, Notice):
                        self.documents += 1
                    yield record
            except SourceError as error:
                if len(self.paths) == 1 and not self.documents:
                    raise
                self.failed.append(error)
                self.rejected += 1
                reason = f"{error.message} ({error.hint})" if error.hint else error.message
                yield Rejected(locator=path, reason=reason)

    @property
    def exit_code(self) -> int:
        """0 when all was read, 4 when some was rejected, 3 when there was nothing to keep but rejected records."""
        if self.rejected:
            return 4 if self.documents else 3
        return 0
