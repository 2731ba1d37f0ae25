"""Fills another index beside the one in use, and compares it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from ...memory.index.engines import ENGINES, EngineName
from ...memory.index.errors import UnreachableServerError
from ...memory.indexing.filling import Filling
from ...memory.memory import EvolvingMemory
from ...memory.records import CheckResult
from ...schemas.errors import InvalidError
from ..diagnostics.checks import report
from ..indexes import indexes_for
from ..operation_progress import OperationProgress, ReportProgress
from .requests import MigrateRequest

if TYPE_CHECKING:
    from ..config.settings import Settings
    from .answers.upkeep import MigrateReport

START_SERVER = "start it, or name another one: `url` in [weaviate] of the settings; what is filled already stays"


class IndexMigration:
    """Moving to another index."""

    def __init__(self, settings: Settings, memory: EvolvingMemory, exclusive: anyio.Lock) -> None:
        self._settings = settings
        self._memory = memory
        self._exclusive = exclusive

    async def run(self, request: MigrateRequest, tell: ReportProgress) -> MigrateReport:
        """Fill another index beside the one in use, from the store alone, and compare it; questions are answered meanwhile.

        Interrupted at any time it goes on where it was, when it is asked for again. Other operations get their turn in between.

        Raises:
            ConfigError: the settings of its server cannot be used.
            UnreachableServerError: it does not answer.
            InvalidError: the index that would be removed is in use.
        """
        in_use = request.index == self._settings.storage.index
        if request.remove_other and not in_use:
            raise InvalidError(
                f"the settings in force do not name {request.index}: the other index is in use",
                hint=f'first set index = "{request.index}" in [storage], and start memd again if it runs',
            )
        try:
            results = await (self._compared(tell) if in_use else self._filled(request.index, tell))
            complete = not any(each.severity == "error" for each in results)
            if removed := request.remove_other and complete:
                async with self._exclusive:
                    for other in ENGINES:
                        if other != request.index:
                            await self._remove_index(other)
        except UnreachableServerError as error:
            raise UnreachableServerError(error.message, hint=START_SERVER) from error
        return {
            "index": request.index,
            "in_use": in_use,
            "complete": complete,
            "findings": report(results, repaired=[])["findings"],
            "removed": removed,
        }

    async def _compared(self, tell: ReportProgress) -> list[CheckResult]:
        tell(OperationProgress("comparing"))
        async with self._exclusive:
            return await self._memory.indexed.check_indexes()

    async def _filled(self, index: EngineName, tell: ReportProgress) -> list[CheckResult]:
        indexes = await anyio.to_thread.run_sync(indexes_for, self._settings, index)
        filling = Filling(indexes)
        try:
            while True:
                async with self._exclusive:
                    results = await self._memory.indexed.fill(
                        filling, lambda stage, done, total: tell(OperationProgress(stage, done, total))
                    )
                if results is not None:
                    return results
        finally:
            with anyio.CancelScope(shield=True):
                await indexes.close()

    async def _remove_index(self, index: EngineName) -> None:
        indexes = await anyio.to_thread.run_sync(indexes_for, self._settings, index)
        try:
            await self._memory.indexed.remove_index(indexes)
        finally:
            with anyio.CancelScope(shield=True):
                await indexes.close()
