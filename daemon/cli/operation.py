"""Long operations of the owner in a terminal: one line that tells how far it is."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any, Self

from ..operations import Operation
from .connect import with_client
from .render.terminal import one_line


def operate(
    arguments: argparse.Namespace,
    operation: Operation,
    given: Mapping[str, Any],
    *,
    lone: bool = True,
    reads: bool = False,
) -> dict[str, Any]:
    """Run a long operation through the owner, or as the owner; returns its result. ``lone`` and ``reads`` as in
    `with_client`; an operation that only reads always does.

    Raises:
        DaemonError: it failed.
        DaemonGoneError: the daemon ended in the middle of it; it is not begun again.
    """
    reads = reads or operation.permission == "read"
    with StepLine(quiet=bool(arguments.json)) as told:
        return with_client(
            arguments, lambda client: client.operate(operation, given, told.tell), lone=lone, reads=reads
        )


class StepLine:
    """The present step on one line of a terminal; elsewhere nothing."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._on = sys.stderr.isatty() and not quiet
        self._written = False

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the line empty."""
        if self._written:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def tell(self, step: dict[str, Any]) -> None:
        """Show a step."""
        if not self._on:
            return
        done, total = step.get("done") or 0, step.get("total") or 0
        size = f" {done:,}/{total:,}" if total else f" {done:,}" if done else ""
        sys.stderr.write(f"\r\x1b[K{one_line(step.get('stage', ''), 40)}{size} …")
        sys.stderr.flush()
        self._written = True
