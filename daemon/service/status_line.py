"""The line that a service manager shows for the daemon (``STATUS=``): what it does now, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from pathlib import PurePath

from ...schemas import ProgressUpdate

_VERBS = {"reading": "reading", "storing": "ingesting", "embedding": "making vectors of"}
_LONGEST_NAME = 60


def status_line(
    active: Sequence[ProgressUpdate],
    sources: int,
    next_due: datetime | None,
    zone: tzinfo,
    *,
    storing: str = "",
    model: str = "",
) -> str:
    """Return the reason why nothing can be stored; else the newest run in progress, or the number of sources and the next due time.

    Args:
        active: the newest states of all runs that go on.
        sources: number of registered sources.
        next_due: when the first of all schedules is due; None when nothing is.
        zone: in which the time is told.
        storing: why the store takes nothing, if it does not.
        model: why the language model is asked no more, if it is not.
    """
    if storing:
        return f"nothing can be stored, which is tried again: {storing}"
    if active:
        return _run(active[-1], len(active) - 1)
    parts = ["serving"]
    if sources:
        parts.append(f"{sources:,} {'source' if sources == 1 else 'sources'}")
    if next_due is not None:
        parts.append(f"next run {next_due.astimezone(zone):%Y-%m-%d %H:%M}")
    return "; ".join([*parts, model] if model else parts)


def _run(update: ProgressUpdate, others: int) -> str:
    name = "".join(each if each.isprintable() else " " for each in PurePath(update.source).name) or "documents"
    verb = _VERBS.get(update.stage, update.stage)
    count, total = update.processed, update.total
    if update.stage == "embedding":
        count, total = update.embedded, update.to_embed
    amount = f"{count:,}" if total is None else f"{count:,} of {total:,}"
    more = f" (and {others} more)" if others else ""
    return f"{verb} {name[:_LONGEST_NAME]}: {amount} messages{more}"
