"""How much the pipeline holds at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PipelineLimits:
    """Sizes of batches and of the queue."""

    batch_messages: int = 500
    batch_bytes: int = 4 * 1024 * 1024
    queue_messages: int = 20_000
    """Above this, `Pipeline.accept` waits: the back-pressure."""
    attempts: int = 3
    """How often a document is tried before it becomes a dead letter."""
    embed_batch: int = 256
    """Texts between two commits of vectors."""
