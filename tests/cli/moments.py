"""What memd shows in moments that a test cannot bring about on every terminal: a full disk, long work, costs of a model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from memd.daemon.cli.commands import audit, watch
from memd.daemon.cli.render.ingest_summary import IngestSummary, print_summary, stopped_lines
from memd.daemon.cli.render.progress import ProgressBar
from memd.daemon.cli.render.terminal import columns_of, say

WATCH_LINES: Callable[..., Iterable[str]] = getattr(watch, "_lines")  # noqa: B009 - what `memd watch` prints of an update
AUDIT_LINES: Callable[..., Iterable[str]] = getattr(audit, "_lines")  # noqa: B009 - what `memd audit` prints of an answer
FULL_DISK: dict[str, Any] = {
    "processed": 20_006, "added": 6, "documents": 1, "waiting": 7, "outcome": "partial",
    "detail": "kept, not stored yet: the disk is full",
}  # fmt: skip
EMBEDDING: dict[str, Any] = {
    "run": "r",
    "stage": "embedding",
    "source": "WhatsApp Chat with Zoë",
    "embedded": 23_456,
    "to_embed": 123_456,
}
SPENT: dict[str, Any] = {
    "totals": [
        {"name": name, "calls": 12_345, "prompt_tokens": 9_000_000, "completion_tokens": 1, "money": money}
        for name, money in (("gpt-4o-mini", 12.5), ("0123456789abcdef0123456789abcdef", None), ("東京" * 20, 0.25))
    ]
}
SENT: dict[str, Any] = {
    "sent": [
        {
            "at": "2024-01-15T12:01:00Z",
            "purpose": "extraction",
            "model": "a-model-of-a-name-that-is-long",
            "place": "whatsapp:Zoë Müller:2024-01-15",
            "text": "Zoë Müller: " + "many words " * 30,
        }
    ]
}


def show_bar() -> None:
    """Draw a progress bar at its beginning and 10 seconds later."""
    bar = ProgressBar()
    bar.show(EMBEDDING | {"embedded": 0}, now=10.0)
    bar.show(EMBEDDING, now=20.0)
    bar.clear()


def show_updates() -> None:
    """Print two updates as `memd watch` does."""
    for update in (
        EMBEDDING,
        EMBEDDING | {"stage": "done", "outcome": "partial", "added": 9, "detail": "the disk is full"},
    ):
        sys.stdout.writelines(f"{line}\n" for line in WATCH_LINES(update, columns_of(sys.stdout)))


def show_audit(answer: dict[str, Any]) -> None:
    """Print an answer as `memd audit` does."""
    sys.stdout.writelines(f"{line}\n" for line in AUDIT_LINES(answer, columns_of(sys.stdout)))


def show_stopped() -> None:
    """Tell what Ctrl-C left while vectors were made."""
    for line in stopped_lines(EMBEDDING | {"added": 20_006}, 20_006, all_sent=True, by_itself=False):
        say(line)


MOMENTS: dict[str, Callable[[], None]] = {
    "full disk": lambda: print_summary(IngestSummary().to_wire(FULL_DISK, 1.0)),
    "stopped": show_stopped,
    "bar": show_bar,
    "watch": show_updates,
    "spent": lambda: show_audit(SPENT),
    "sent": lambda: show_audit(SENT),
}
