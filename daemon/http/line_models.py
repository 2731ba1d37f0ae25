"""The lines and events of the API's streams, as `http.openapi` describes them: JSON lines up and down, progress events."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field
from typing_extensions import TypedDict

from ...schemas.errors import ErrorAnswer


class ProgressStep(TypedDict):
    """A step of a long operation."""

    stage: str
    """The name of the step, in words; more may be added."""
    done: int
    """Parts of the step that are done, from 0."""
    total: int | None
    """Parts of the step; null while their number is not known."""


class ProgressLine(TypedDict):
    """A line that tells the progress of a long operation; further lines follow."""

    progress: ProgressStep


class HeartbeatLine(TypedDict):
    """An empty object: the daemon is at work and has nothing to tell. Sent after ten seconds without another line."""


class ErrorLine(TypedDict):
    """The last line of an operation that failed: the status 200 was sent before the work."""

    error: ErrorAnswer


class PlaceLine(TypedDict):
    """A line before documents: where their sender read them."""

    read_at: Annotated[str, Field(pattern=r"^\d{1,9}(/\d{1,9})?$")]
    """`EXPORT` or `EXPORT/FILE`: the position, from 0, of the export in the receipt of the run, and of the file in it."""


DigestLine = tuple[UUID, str, Annotated[str, Field(pattern="^[0-9a-fA-F]{64}$")]]
"""A line of a request with `digests=1`: a day of a chat as its key, the title of the chat, and the SHA-256 of the
document's line without its end, in hexadecimal digits.
"""


class ProgressEvent(TypedDict):
    """A server-sent event. Comments between events (lines that begin with a colon) only show that the daemon lives."""

    event: Literal["progress"]
    """The kind of event."""
    data: str
    """A `ProgressUpdate` as JSON."""
