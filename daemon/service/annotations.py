"""Annotates stored messages by the language model, beside everything else, where `[evolution] notes` is on; and undoes it.

Imported only if the setting is on, or a run is undone.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

import anyio

from ...memory.memory import EvolvingMemory
from ...memory.retrieval.annotating import Annotator
from ...memory.store import annotation_rows, expansions
from ...memory.supervision import Worker
from ...schemas import Query
from ...schemas.errors import BusyError
from ..llm import opt_out_of
from .answers.facts import BeliefAnswer, UndoReport

if TYPE_CHECKING:
    import sqlite3

    from ...memory.llm.factory import LLM
    from ..config.settings import LLMSettings
    from ..forgetting.active_answers import ActiveAnswers
    from ..pipeline.pipeline import Pipeline
    from .requests import UndoRequest


class AnnotationWorker:
    """Annotates until no message waits, then sleeps until texts were embedded.

    Args:
        memory: its messages are annotated.
        pipeline: embeds the new keywords, and says when nothing is left to embed.
        answering: lets it stand still while something is forgotten.
        llm: the model.
        settings: what is never sent.
    """

    def __init__(
        self, memory: EvolvingMemory, pipeline: Pipeline, answering: ActiveAnswers, llm: LLM, settings: LLMSettings
    ) -> None:
        self._memory, self._pipeline, self._answering = memory, pipeline, answering
        private = opt_out_of(settings)
        self._annotator = Annotator(memory.database, llm.gateway, self._nearest, private.covers_row)

    async def work(self, worker: Worker) -> None:
        """Annotate until cancelled; what is in progress then is done again, and a kept answer costs nothing."""
        embedded = anyio.Event()

        def tell() -> None:
            embedded.set()

        self._pipeline.when_embedded(tell)
        await self._memory.database.write(annotation_rows.prepare)
        while True:
            run = uuid.uuid4().hex
            while "pending" not in self._memory.degraded() and await self._step(run):
                worker.progressed()
                await self._memory.indexed.refresh_indexes()
                self._pipeline.embed_more()
            worker.progressed()
            await embedded.wait()
            embedded = anyio.Event()

    async def _step(self, run: str) -> int:
        try:
            async with self._answering.under_way():
                return await self._annotator.step(run)
        except BusyError:  # something is being forgotten
            return 1

    async def _nearest(self, query: Query) -> Sequence[UUID]:
        result = await self._memory.query(query.model_copy(update={"arms": ("vector",)}))
        return [hit.id for hit in result.hits if hit.type == "message"]


async def without_annotations(memory: EvolvingMemory) -> None:
    """Delete what was made while the setting was on; the model's answers stay in the cache for when it is on again."""
    if await memory.database.read(annotation_rows.exist):
        await memory.database.write(_remove)
        await memory.indexed.refresh_indexes()


def _remove(connection: sqlite3.Connection) -> None:
    expansions.refresh(connection, annotation_rows.remove(connection))


async def belief_of(memory: EvolvingMemory, run: str) -> BeliefAnswer | None:
    """Return whether the annotations of a run hold; None if it made none."""
    state = await memory.database.read(annotation_rows.state_of, run)
    return None if state is None else {"id": run, "believed": not state.undone, "statements": state.requests}


async def undone(memory: EvolvingMemory, pipeline: Pipeline, request: UndoRequest, run: str) -> UndoReport | None:
    """Withdraw the annotations of a run, or let them hold again; None if it made none. See `KnowledgeService.undo`."""
    state = await memory.database.read(annotation_rows.state_of, run)
    if state is None:
        return None
    believe = state.undone if request.believe is None else request.believe
    if not request.dry_run:
        await memory.database.write(_set_undone, run, undone=not believe)
        await memory.indexed.refresh_indexes()
        pipeline.embed_more()
    return {
        "id": run,
        "run": run,
        "dry_run": request.dry_run,
        "believed": believe,
        "statements": state.requests,
        "facts": [],
        "gone": [],
    }


def _set_undone(connection: sqlite3.Connection, run: str, *, undone: bool) -> None:
    expansions.refresh(connection, annotation_rows.set_undone(connection, run, undone=undone))
