"""Chunks and embeds again what other settings made, unless the configuration has changed again since the start."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from ...memory.memory import EvolvingMemory
from ...memory.store.vectors import drop_others
from ...schemas.errors import ConfigError, EmbeddingError
from ..config.paths import read_table
from ..operation_progress import OperationProgress, ReportProgress
from ..pipeline.pipeline import Pipeline
from .requests import ReindexRequest

if TYPE_CHECKING:
    from .answers.upkeep import ReindexReport

WATCH_SECONDS = 0.5


class Reindexing:
    """Taking over the settings of chunks and embeddings, as they were when this process read the ``configuration``."""

    def __init__(self, memory: EvolvingMemory, pipeline: Pipeline, configuration: Path, exclusive: anyio.Lock) -> None:
        self._memory = memory
        self._pipeline = pipeline
        self._configuration = configuration
        self._sections = self._sections_now()
        self._exclusive = exclusive

    async def run(self, request: ReindexRequest, tell: ReportProgress) -> ReindexReport:
        """Take over the settings in force: cut again, embed again; questions are answered meanwhile.

        Interrupted at any time it goes on where it was, when it is asked for again; vectors go on by themselves.

        Raises:
            ConfigError: the settings in force are not those of the configuration any more.
            EmbeddingError: the embedder fails; what it made is kept.
        """
        await anyio.to_thread.run_sync(self._refuse_if_changed)
        async with self._exclusive:
            tell(OperationProgress("cutting"))
            documents = await self._memory.rechunk(
                lambda done, total: tell(OperationProgress("cutting", done, total)), force=request.force_rechunk
            )
            self._pipeline.embed_more()
            pending = (await self._memory.vector_counts())[1]
            left = pending
            while request.wait and {"pending", "embedder"}.intersection(self._memory.degraded()):
                tell(OperationProgress("embedding", pending - left, pending))
                await anyio.sleep(WATCH_SECONDS)
                if "embedding" in self._pipeline.trouble:
                    raise EmbeddingError(
                        f"the embedder fails: {self._pipeline.trouble['embedding']}",
                        hint="what was made is kept; memd goes on by itself while it runs",
                    )
                left = (await self._memory.vector_counts())[1]
            left = (await self._memory.vector_counts())[1]
            dropped = 0 if left or request.keep_old else await self._memory.database.write(drop_others)
            return {"documents": documents, "embedded": pending - left, "pending": left, "dropped": dropped}

    def _refuse_if_changed(self) -> None:
        """Refuse another embedder or other strategies in the configuration than at the start; an unreadable file has no
        others.

        Raises:
            ConfigError: they are others.
        """
        now = self._sections_now()
        if self._sections is None or now is None:
            return
        for name, section in now.items():
            if section != self._sections[name]:
                raise ConfigError(
                    f"[{name}] of {self._configuration} has changed since this memd started",
                    hint="start it again, then: memd reindex (with systemd: systemctl --user restart memd)",
                )

    def _sections_now(self) -> dict[str, object] | None:
        try:
            table = read_table(str(self._configuration), named=False)[0]
        except ConfigError:
            return None
        return {name: table.get(name, {}) for name in ("embedding", "chunking")}
