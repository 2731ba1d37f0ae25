"""What fails at present, by stage of the pipeline."""

from __future__ import annotations

import logging
from collections.abc import ItemsView

from ...memory.supervision import Worker, describe_error, is_recoverable
from ...schemas.errors import MemdError

log = logging.getLogger(__name__)


class StageFailures:
    """The current failure of each stage: ``storing``, ``searching``, ``embedding``. Texts hold no private data."""

    def __init__(self) -> None:
        self._current: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._current)

    def __contains__(self, stage: str) -> bool:
        return stage in self._current

    def __getitem__(self, stage: str) -> str:
        return self._current[stage]

    def get(self, stage: str) -> str:
        """The failure of a stage; empty when it works."""
        return self._current.get(stage, "")

    def items(self) -> ItemsView[str, str]:
        """Stages that fail, with their failures."""
        return self._current.items()

    def clear(self, stage: str) -> None:
        """Record that a stage works."""
        self._current.pop(stage, None)

    def record(self, stage: str, error: BaseException, worker: Worker | None = None) -> None:
        """Record why a stage fails. An unforeseen error is counted and logged as the ``worker``'s failure.

        Raises:
            BaseException: ``error`` itself where the worker must not go on after it (see `is_recoverable`).
        """
        if not is_recoverable(error):
            raise error
        told = describe_error(error)
        if worker is not None and not isinstance(error, MemdError):
            worker.failed(error)
        elif self._current.get(stage) != told:
            log.warning("%s failed and is tried again: %s", stage, told)
        self._current[stage] = told
