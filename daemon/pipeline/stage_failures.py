"""The current failures, by stage of the pipeline."""

from __future__ import annotations

import logging
from collections.abc import ItemsView

from ...memory.supervision import Worker, describe_error, is_recoverable
from ...schemas.errors import MemdError

log = logging.getLogger(__name__)


class StageFailures:
    """The current failure of each stage: ``storing``, ``searching``, ``embedding``. The texts contain no private data."""

    def __init__(self) -> None:
        self._current: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._current)

    def __contains__(self, stage: str) -> bool:
        return stage in self._current

    def __getitem__(self, stage: str) -> str:
        return self._current[stage]

    def get(self, stage: str) -> str:
        """Return the failure of a stage; empty when it works."""
        return self._current.get(stage, "")

    def items(self) -> ItemsView[str, str]:
        """Return the failing stages with their failures."""
        return self._current.items()

    def clear(self, stage: str) -> None:
        """Record that a stage works."""
        self._current.pop(stage, None)

    def record(self, stage: str, error: BaseException, worker: Worker | None = None) -> None:
        """Record the failure of a stage. An unforeseen error is counted and logged as the ``worker``'s failure.

        Raises:
            BaseException: ``error`` itself if the worker must not continue after it (see `is_recoverable`).
        """
        if not is_recoverable(error):
            raise error
        description = describe_error(error)
        if worker is not None and not isinstance(error, MemdError):
            worker.failed(error)
        elif self._current.get(stage) != description:
            log.warning("%s failed and is tried again: %s", stage, description)
        self._current[stage] = description
