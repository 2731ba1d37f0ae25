"""The limits on how much the pipeline holds at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PipelineLimits:
    """The sizes of batches and of the queue."""

    batch_messages: int = 500
    batch_bytes: int = 4 * 1024 * 1024
    queue_messages: int = 20_000
    """The number of queued messages above which `Pipeline.accept` waits: the back-pressure."""
    attempts: int = 3
    """The number of attempts to store a document before it becomes a dead letter."""
    embed_batch: int = 256
    """The number of texts between two commits of vectors."""
