"""The buffer of messages: lists go into the journal, wait there for others of their session, and are released in
batches.

Rule 1: waiting messages are in the journal alone. A crash loses none of them, a failed release changes nothing, and
those that an earlier owner held back are released by the same rules.
"""

from __future__ import annotations

import logging
import math
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

import anyio

from ...memory.memory import EvolvingMemory
from ...memory.supervision import Worker, describe_error, is_recoverable, pause_after
from ...schemas import ConversationDocument, StoreReport
from ...schemas.errors import EmbeddingError
from ...schemas.message_list import SOURCE, MessageBatchList, MessageList, documents_of_messages
from ..pipeline.clearable_event import ClearableEvent
from ..pipeline.pipeline import Pipeline
from .plan import BufferKey, plan_release, session_key
from .policy import POLICIES, BatchingPolicy

LOOK_SECONDS = 30.0
"""The longest pause in seconds between two checks: the clock may have been set, or the machine may have slept."""
TOKENS_OF_A_WORD = 1.3
"""The number of tokens per word, an estimate for embedders that cannot count tokens."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Buffered:
    """The result of adding a batch."""

    run: str
    report: StoreReport
    held: int
    """The number of messages that wait now, of this batch and of others."""


class MessageBuffer:
    """Adds lists of messages to a pipeline.

    Args:
        policy: decides when they are released.
        zone: the time zone in which a day begins.
        clock: seconds since 1970; the journal's own clock dates arrivals.
    """

    def __init__(
        self,
        memory: EvolvingMemory,
        pipeline: Pipeline,
        policy: BatchingPolicy,
        zone: tzinfo,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._memory = memory
        self._pipeline = pipeline
        self._policy = policy
        self._zone = zone
        self._clock = clock
        self._wake = ClearableEvent()
        self._turn = anyio.Lock()
        self._pause = math.inf
        """The seconds until something is due by time."""
        self._held = 0
        """The number of messages that waited at the last check."""

    async def add(self, messages: MessageList) -> Buffered:
        """Add one list to the buffer, as `add_batch` does."""
        return await self.add_batch((messages,))

    async def add_batch(self, batch: MessageBatchList) -> Buffered:
        """Keep lists, all or none; acknowledged when it returns. Empty lists are omitted.

        Raises:
            BusyError: there was no room for too long, or the daemon is about to end; nothing was kept.
            StoreError: nothing was kept.
        """
        run = await self._pipeline.begin(SOURCE, whole=True)
        try:
            documents, buffers = await self._documents(run, batch)
            report = await self._pipeline.accept(run, documents, buffers=buffers)
        except BaseException:
            self._wake.set()  # if cancelled after the commit, the lists are kept, and will be due
            await self._pipeline.withdraw(run)
            raise
        await self._pipeline.finish(run)
        held = 0
        if self._policy.holds:
            self._wake.set()
            held = await self._try_release()
        return Buffered(run, report, held)

    async def release_all(self) -> None:
        """Release all waiting messages, as far as possible: memd is shutting down."""
        await self._try_release(everything=True)

    async def _try_release(self, *, everything: bool = False) -> int:
        """Do as `_release`; after a failure, which loses nothing, the worker or the next owner tries again."""
        try:
            return await self._release(everything=everything)
        except BaseException as error:
            if not is_recoverable(error):
                raise
            log.warning("what is due was not released yet: %s", describe_error(error))
            return self._held

    async def work(self, worker: Worker) -> None:
        """Release sessions that are due by age or by silence, until cancelled."""
        failures = 0
        while True:
            self._wake.clear()
            try:
                await self._release()
            except BaseException as error:
                if not is_recoverable(error):
                    raise
                failures += 1
                log.warning("what is due was not released: %s", describe_error(error))
                await anyio.sleep(pause_after(failures))
                continue
            failures = 0
            worker.progressed()
            with anyio.move_on_after(self._pause):
                await self._wake.wait()

    async def _release(self, *, everything: bool = False) -> int:
        """Release what is due, or everything; return the number of messages that still wait."""
        async with self._turn:
            held = await self._pipeline.journal.held()
            now = self._clock()
            full = self._pipeline.note_held(sum(entry.messages for entry in held))
            at_once = everything or full or self._pipeline.closed
            plan = plan_release(held, POLICIES["none"] if at_once else self._policy, now)
            if plan.release:
                await self._pipeline.release(plan.release)
            self._held = plan.held
            self._pipeline.note_held(plan.held)
            self._pause = math.inf if plan.again is None else min(LOOK_SECONDS, max(0.0, plan.again - now))
            return plan.held

    async def _documents(self, run: str, batch: MessageBatchList) -> tuple[list[ConversationDocument], list[str]]:
        """Return the documents of all lists, and for each the key of its buffer."""
        arrived = datetime.fromtimestamp(self._clock(), UTC)
        documents: list[ConversationDocument] = []
        lists: list[int] = []
        for number, messages in enumerate(batch):
            made = documents_of_messages(messages, arrived=arrived, zone=self._zone, new_id=_new_id)
            documents += made
            lists += [number] * len(made)
        if not self._policy.holds:
            return documents, [""] * len(documents)
        tokens = [0] * len(documents) if self._policy.tokens is None else await self._tokens(documents)
        keys = [
            BufferKey(session_key(document.metadata["chat"]), f"{run}:{number}", count).to_text()
            for document, number, count in zip(documents, lists, tokens, strict=True)
        ]
        return documents, keys

    async def _tokens(self, documents: Sequence[ConversationDocument]) -> list[int]:
        texts = [document.content for document in documents]
        try:
            return await self._memory.count_tokens(texts)
        except EmbeddingError:
            return [math.ceil(len(text.split()) * TOKENS_OF_A_WORD) for text in texts]


def _new_id() -> str:
    return uuid.uuid4().hex
