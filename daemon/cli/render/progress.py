"""The progress bar on standard error, for runs and for long operations: stage, share, rate, time left. Silent where nobody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from .terminal import columns_of, one_line

if TYPE_CHECKING:
    from ...operation_progress import OperationProgress

_STAGES = {"reading": "reading", "storing": "storing", "embedding": "vectors", "done": "done"}
_EVERY = 0.1
_SETTLED = 1.0
"""Seconds before a rate is worth showing."""


class ProgressBar:
    """Shows updates of a run, or steps of an operation (in their JSON form), in one line that is redrawn; cleared at the
    end of the block. ``quiet``: nothing is shown, not on a terminal either.
    """

    def __init__(self, stream: TextIO | None = None, *, shown: bool | None = None, quiet: bool = False) -> None:
        self._stream = stream or sys.stderr
        self.shown = not quiet and (self._stream.isatty() if shown is None else shown)
        self._stage = ""
        self._began = self._first = 0.0
        self._drawn = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def show(self, update: Mapping[str, Any], *, now: float | None = None) -> None:
        """Draw this state, at most ten times a second."""
        if not self.shown:
            return
        now = time.monotonic() if now is None else now
        stage = str(update.get("stage", ""))
        done, total = counts(update)
        if stage != self._stage:
            self._stage, self._began, self._first, self._drawn = stage, now, done, 0.0
        if now - self._drawn < _EVERY:
            return
        self._drawn = now
        self._stream.write("\r\x1b[K" + self._line(update, done, total, now - self._began))
        self._stream.flush()

    def show_step(self, step: OperationProgress) -> None:
        """Draw a step of an operation in this process."""
        self.show({"stage": step.stage, "done": step.done, "total": step.total})

    def clear(self) -> None:
        """Leave an empty line for whatever is said next."""
        if self.shown and self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._drawn = 0.0

    def _line(self, update: Mapping[str, Any], done: int, total: int | None, elapsed: float) -> str:
        rate = (done - self._first) / elapsed if elapsed >= _SETTLED else 0.0
        parts = [f"{_STAGES.get(self._stage) or one_line(self._stage, 40):<8}"]
        if total:
            share = min(1.0, done / total)
            filled = int(share * 24)
            parts.append(f"[{'█' * filled}{'·' * (24 - filled)}] {share:4.0%}  {done:,}/{total:,}")
        elif "processed" in update or "run" in update:
            parts.append(f"{done:,} messages")
        else:
            parts.append(f"{done:,}" if done else "…")
        if rate:
            parts.append(f"{rate:,.0f}/s")
        if rate and total and total > done:
            parts.append(f"{_left((total - done) / rate)} left")
        columns = columns_of(self._stream) - 1
        line = "  ".join(parts)
        source = one_line(update.get("source", ""), max(0, columns - len(line) - 2) or 1)
        return (f"{line}  {source}" if len(line) + 4 < columns else line)[:columns]


def counts(update: Mapping[str, Any]) -> tuple[int, int | None]:
    """What is done and what there is to do in the stage of this update."""
    if update.get("stage") == "embedding":
        return int(update.get("embedded", 0)), int(update.get("to_embed", 0)) or None
    return int(update.get("processed") or update.get("done") or 0), int(update.get("total") or 0) or None


def _left(seconds: float) -> str:
    whole = int(seconds + 0.5)
    if whole < 90:
        return f"{whole} s"
    minutes = whole // 60
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
