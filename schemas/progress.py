"""The progress of a run: the value sent on the progress channel."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .model import Model, Text

Count = Annotated[int, Field(ge=0)]
Outcome = Literal["ok", "partial", "failed"]
Stage = Literal["reading", "storing", "embedding", "done"]


class ProgressUpdate(Model):
    """Counts of messages (a text document counts as one); they never fall within a run and stage.

    ``processed`` in the stage ``storing`` counts what is acknowledged: it survives ``kill -9``.
    ``outcome`` is set in the last update of a run and only there.
    """

    run: Text
    """The id of the run."""
    stage: Stage
    """The stage: reading from the source, storing, making vectors, or done."""
    source: Text = ""
    """The name that its sender gave, or the source that is read."""
    processed: Count = 0
    """Number of messages that came in."""
    total: Count | None = None
    """None while the end is not known."""
    added: Count = 0
    """Number of messages that are new."""
    updated: Count = 0
    """Number of messages that were stored in another form before."""
    unchanged: Count = 0
    """Number of messages that were stored already."""
    rejected: Count = 0
    """Number of records that could not be read."""
    failed: Count = 0
    """Number of messages that could not be stored, and were given up."""
    forgotten: Count = 0
    """Left out, because they were forgotten before."""
    documents: Count = 0
    """Number of documents that were stored, changed or not."""
    waiting: Count = 0
    """Documents that are acknowledged and not stored yet; `documents` does not count them."""
    embedded: Count = 0
    """Vectors done, of the messages and pieces that need one."""
    to_embed: Count = 0
    """Number of vectors that the run needs."""
    outcome: Outcome | None = None
    """The result, in the last update alone: all went well, some was lost, or nothing was stored."""
    detail: Text = ""
    """The reason for an outcome that is not `ok`."""

    @property
    def terminal(self) -> bool:
        """True for the run's last update."""
        return self.outcome is not None


class StoreReport(Model):
    """The effect of a ``store``, in messages (a text document counts as one)."""

    documents: Count = 0
    added: Count = 0
    updated: Count = 0
    unchanged: Count = 0
    rejected: Count = 0
    failed: Count = 0
    forgotten: Count = 0
    """Left out, because they were forgotten before."""

    def __add__(self, other: StoreReport) -> StoreReport:
        """Return the sum of two reports."""
        return StoreReport(**{name: getattr(self, name) + getattr(other, name) for name in type(self).model_fields})
