"""The progress bar on standard error, for runs and for long operations: stage, share, rate, time left. Silent where nobody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from .terminal import columns_of, counted, is_redrawn, lasting, one_line, width_of

if TYPE_CHECKING:
    from ...operation_progress import OperationProgress

_STAGES = {"reading": "reading", "storing": "storing", "embedding": "vectors", "done": "done"}
_EVERY = 0.1
_SETTLED = 1.0
"""Seconds before a rate is worth showing."""
_WIDEST, _NARROWEST = 24, 4
"""Columns of the bar, without its brackets."""
_SOURCE = 24
"""Columns of a source's name."""


class ProgressBar:
    """Shows updates of a run, or steps of an operation (in their JSON form), in one line that is redrawn; cleared at the
    end of the block. ``quiet``: nothing is shown, not on a terminal either.
    """

    def __init__(self, stream: TextIO | None = None, *, shown: bool | None = None, quiet: bool = False) -> None:
        self._stream = stream or sys.stderr
        self.shown = not quiet and (is_redrawn(self._stream) if shown is None else shown)
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
        if stage == "embedding" and not total:  # nothing needs a vector
            return
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
        stage = f"{_STAGES.get(self._stage) or one_line(self._stage, 40):<8}"
        if total:
            size = f"{done:,}/{total:,}"
        elif "processed" in update or "run" in update:
            size = counted(done, "message")
        else:
            size = f"{done:,}" if done else "…"
        speed = f"{rate:,.0f}/s" if rate >= 0.5 else ""
        left = f"{lasting((total - done) / rate)} left" if rate and total and total > done else ""
        source = one_line(update.get("source", ""), _SOURCE)
        share = min(1.0, done / total) if total else None
        return _fitting(stage, share, [size, speed, left, source], columns_of(self._stream) - 1)


def _fitting(stage: str, share: float | None, parts: list[str], columns: int) -> str:
    """The line in so many columns: the bar shrinks until it is gone, then parts go whole, and last the line is cut."""
    for names in (parts, parts[:3], [parts[0], "", parts[2]], parts[:1]):
        text = "  ".join(part for part in names if part)
        head = stage if share is None else f"{stage}  {share:4.0%}"
        if width_of(f"{head}  {text}") <= columns:
            room = columns - width_of(f"{head}  {text}") - 3  # of the brackets and the blank behind them
            if share is None or room < _NARROWEST:
                return f"{head}  {text}"
            return f"{stage}  {_bar(share, min(room, _WIDEST))} {share:4.0%}  {text}"
    return one_line(f"{stage} {'' if share is None else f'{share:.0%}'} {parts[0]}", columns)


def _bar(share: float, columns: int) -> str:
    filled = int(share * columns)
    return f"[{'█' * filled}{'·' * (columns - filled)}]"


def counts(update: Mapping[str, Any]) -> tuple[int, int | None]:
    """Return the work done and the total in the stage of this update; None if the total is not known."""
    if update.get("stage") == "embedding":
        return int(update.get("embedded", 0)), int(update.get("to_embed", 0)) or None
    return int(update.get("processed") or update.get("done") or 0), int(update.get("total") or 0) or None
