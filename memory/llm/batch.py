"""Asks many questions at once for half the price through OpenAI's Batch API (files and batches); answers arrive within
a day.

A batch is recorded in llm.db before it is sent and carries the record's id, so that it is found again after a crash at
any moment. Answers go into the cache, where later requests find them; a question without an answer is then asked
directly. Answers about documents that were forgotten in the meantime are discarded.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import uuid4

import anyio
import orjson

from ...schemas.errors import BudgetError, ExtractionError
from ..openai_http.failures import EndpointFailure, RetryPolicy, timeout_failure
from . import openai_chat
from .audit import SentRequest, sent_of
from .batch_journal import BatchJournal, BatchRecord, Item, Outcome
from .cache import CachedAnswer
from .chat import Completion, Prompt, Usage
from .gateway import LLMGateway
from .json_repair import json_in
from .ledger import BATCH_SHARE, LedgerEntry
from .openai_chat import OpenAIChat
from .request import LLMRequest

MOST_REQUESTS = 10_000
"""The most requests in one batch; OpenAI allows 50,000."""
MOST_BYTES = 90_000_000
"""The largest file of one batch, in bytes; OpenAI allows 200 MB."""
ENDPOINT = "/v1/chat/completions"
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


@dataclass(frozen=True, slots=True)
class Submitted:
    """The result of submitting questions."""

    sent: int = 0
    known: int = 0
    """Questions that are already answered, or are part of a batch under way."""
    left: int = 0
    """Questions that exceed the budget or the size of a batch."""
    supported: bool = True
    """False if the endpoint has no Batch API: ask directly."""


@dataclass(frozen=True, slots=True)
class Polled:
    """The state of the batches after a poll."""

    open: int = 0
    answered: int = 0
    failed: int = 0
    """Questions that came back without an answer; asked directly, they may get one."""


class _NoBatchesError(ExtractionError):
    """The endpoint does not offer the Batch API."""


class BatchGateway:
    """Sends questions as batches.

    Args:
        gateway: provides the cache, budget, audit log and redaction.
        model: the model that the gateway asks.
        notes: the journal of batches.
    """

    def __init__(self, gateway: LLMGateway, model: OpenAIChat, notes: BatchJournal) -> None:
        self._gateway = gateway
        self._model = model
        self._notes = notes
        self._working = anyio.Lock()
        self.unanswered: set[bytes] = set()
        """Keys of questions that came back without an answer since this object was made; another batch would hardly
        answer them.
        """

    async def submit(self, questions: Sequence[LLMRequest[Any]], run: str = "") -> Submitted:
        """Send the questions that are not answered yet as one batch, charged to the budget of ``run``.

        Raises:
            BudgetError: not a single question fits into the budget.
            ExtractionError: the endpoint cannot be reached or used. Nothing is lost: the next `poll` finds out the
                state.
        """
        async with self._working:
            return await self._submitted(questions, run)

    async def poll(self) -> Polled:
        """Check every batch under way, also those of a process that died, and store the answers of batches that have
        ended.

        Raises:
            ExtractionError: the endpoint cannot be reached; the batches stay under way.
        """
        async with self._working:
            total = Polled()
            for note in await self._notes.open(self._model.place, self._model.name):
                each = await self._looked_after(note)
                total = Polled(total.open + each.open, total.answered + each.answered, total.failed + each.failed)
            return total

    async def known(self, keys: Collection[bytes]) -> set[bytes]:
        """Return the keys for which an answer, or a reason for its absence, is cached."""
        return set(await self._gateway.cache.get(list(keys)))

    async def waiting(self, keys: Collection[bytes]) -> set[bytes]:
        """Return the keys that are part of a batch under way, by the local journal."""
        return set(await self._notes.waiting(list(keys)))

    async def under_way(self) -> int:
        """Return the number of batches under way, by the local journal."""
        return len(await self._notes.open(self._model.place, self._model.name))

    def key(self, question: LLMRequest[Any]) -> bytes:
        """Return the key under which the answer to a question is cached."""
        return question.key(self._model.name, self._gateway.redactor)

    async def _submitted(self, questions: Sequence[LLMRequest[Any]], run: str) -> Submitted:
        keys = {question.key(self._model.name, self._gateway.redactor): question for question in questions}
        answered_keys = {*await self._gateway.cache.get(list(keys)), *await self._notes.waiting(list(keys))}
        fresh = {key: question for key, question in keys.items() if key not in answered_keys}
        if not fresh:
            return Submitted(known=len(answered_keys))
        await self._model.probe()  # within a batch, a missing ability would be discovered too late
        batch = uuid4().hex
        lines, items, sent, entries = await self._written(batch, fresh, run)
        note = BatchRecord(batch, "", "", self._model.place, self._model.name, run, "new")
        await self._notes.begin(note, items, sent)
        await self._gateway.ledger.replace(batch, entries)
        try:
            await self._send(note, b"".join(lines))
        except _NoBatchesError:
            await self._close(note, {})
            return Submitted(known=len(answered_keys), left=len(fresh), supported=False)
        return Submitted(len(items), len(answered_keys), len(fresh) - len(items))

    async def _looked_after(self, note: BatchRecord) -> Polled:
        submitted = note if note.remote else await self._found_again(note)
        state: dict[str, Any] = {}
        if submitted is not None:
            try:
                state = await self._call("batches", "retrieve", submitted.remote)
            except _NoBatchesError:
                submitted = None
        if submitted is None:
            # The endpoint does not have it: its questions may be sent again; directly, if the batch once existed.
            _, repeated = await self._close(note, {}, final=bool(note.remote))
            return Polled(failed=repeated)
        if state.get("status") not in _ENDED:
            return Polled(open=1)
        answered, repeated = await self._close(submitted, await self._answers(state), final=True)
        await self._tidy(submitted, state)
        return Polled(0, answered, repeated - answered)

    async def _written(
        self, batch: str, fresh: Mapping[bytes, LLMRequest[Any]], run: str
    ) -> tuple[list[bytes], list[Item], list[SentRequest], list[LedgerEntry]]:
        """Return the lines of the batch file, as many as size and budget allow, with their items, audit entries and
        ledger entries.
        """
        lines: list[bytes] = []
        items: list[Item] = []
        sent: list[SentRequest] = []
        entries: list[LedgerEntry] = []
        size = 0
        planned = Usage()
        for key, question in fresh.items():
            prompt, redaction = question.prompt(self._gateway.redactor)
            line = orjson.dumps(
                {"custom_id": key.hex(), "method": "POST", "url": ENDPOINT, "body": self._model.body(prompt)}
            )
            size += len(line) + 1
            if len(lines) == MOST_REQUESTS or size > MOST_BYTES:
                break
            most = self._gateway.most(prompt)
            try:
                reserved = await self._gateway.ledger.reserve(self._model.name, run, planned + most, BATCH_SHARE)
            except BudgetError:
                if not lines:
                    raise
                break
            self._gateway.ledger.release(reserved)
            planned += most
            lines.append(line + b"\n")
            items.append(Item(key, question.documents, question.source, question.purpose))
            sent.append(self._noted(prompt, question, redaction.count, run))
            entries.append(self._entry(question.source, question.purpose, most, batch, run))
        return lines, items, sent, entries

    def _noted(self, prompt: Prompt, question: LLMRequest[Any], hidden: int, run: str) -> SentRequest:
        return sent_of(
            prompt,
            place=self._model.place,
            model=self._model.name,
            purpose=question.purpose,
            run=run,
            documents=question.documents,
            hidden=hidden,
        )

    def _entry(self, source: str, purpose: str, usage: Usage, batch: str | None, run: str) -> LedgerEntry:
        return self._gateway.ledger.entry(run, source, self._model.name, purpose, usage, share=BATCH_SHARE, batch=batch)

    async def _send(self, note: BatchRecord, content: bytes) -> None:
        file = await self._call("files", "create", file=(_file_name(note.id), content), purpose="batch")
        uploaded = str(file.get("id", ""))
        await self._notes.sent(note.id, await self._created(note, uploaded), uploaded)

    async def _created(self, note: BatchRecord, file: str) -> str:
        """Create the batch at the endpoint exactly once, even if the response is lost, and return its id.

        A batch costs money, so before a second attempt the endpoint is asked whether the batch exists. After a time-out
        it may still be in the making; then only the next `poll` can tell.
        """
        retries = RetryPolicy(self._model.settings.attempts)
        client = await self._model.connection.client()
        while True:
            response = await self._attempt(
                lambda: client.batches.with_raw_response.create(
                    input_file_id=file,
                    endpoint=ENDPOINT,
                    completion_window="24h",
                    metadata={"memd": note.id},
                    extra_headers={"Idempotency-Key": note.id},
                )
            )
            if not isinstance(response, EndpointFailure):
                return str(_json_of(response).get("id", ""))
            await _bear(response, retries)
            listed = await self._listed(note.id)
            if listed:
                return str(listed.get("id", ""))
            if response.timed_out:
                raise ExtractionError(response.message, hint=response.hint)

    async def _listed(self, batch: str) -> dict[str, Any]:
        """Return the batch with this local id among the endpoint's latest 100; an empty dict if it is not there."""
        for each in _dicts((await self._call("batches", "list", limit=100)).get("data")):
            if _dict(each.get("metadata")).get("memd") == batch:
                return each
        return {}

    async def _found_again(self, note: BatchRecord) -> BatchRecord | None:
        """Look up the batch of a record whose process died before it learned the endpoint's id; return None if there is
        none.
        """
        try:
            listed = await self._listed(note.id)
        except _NoBatchesError:
            return None
        if listed:
            remote, file = str(listed.get("id", "")), str(listed.get("input_file_id", ""))
            await self._notes.sent(note.id, remote, file)
            return BatchRecord(note.id, remote, file, note.place, note.model, note.run, "sent")
        await self._tidy(note, {})
        return None

    async def _answers(self, state: Mapping[str, Any]) -> dict[bytes, Completion]:
        """Return the completions of an ended batch by key. Unreadable lines are skipped."""
        completions: dict[bytes, Completion] = {}
        for name in ("output_file_id", "error_file_id"):
            file = state.get(name)
            if not isinstance(file, str) or not file:
                continue
            try:
                content = await self._content(file)
            except _NoBatchesError:
                continue  # the file is gone: its questions are asked again
            for line in content.splitlines():
                read = _answer(line)
                if read is not None:
                    completions[read[0]] = read[1]
        return completions

    async def _close(
        self, note: BatchRecord, answers: Mapping[bytes, Completion], *, final: bool = False
    ) -> tuple[int, int]:
        """Store the answers and their cost, and end the batch; return the numbers (answered, asked)."""
        items = {item.key: item for item in await self._notes.items(note.id)}
        outcomes: list[Outcome] = []
        entries: list[LedgerEntry] = []
        for key, completion in answers.items():
            item = items.get(key, Item(key, (), "", "forgotten"))  # of a forgotten document, but paid for
            entries.append(self._entry(item.source, item.purpose, completion.usage, None, note.run))
            kept = _kept(completion)
            if kept is not None and key in items:
                outcomes.append((key, kept, item.documents))
        if final:
            self.unanswered |= items.keys() - {key for key, _, _ in outcomes}
        await self._notes.end(note.id, outcomes)
        await self._gateway.ledger.replace(note.id, entries)
        return len(outcomes), len(items)

    async def _tidy(self, note: BatchRecord, state: Mapping[str, Any]) -> None:
        """Delete the batch's files from the endpoint as far as it allows, also an upload whose response was lost."""
        files = {note.file, state.get("output_file_id"), state.get("error_file_id")}
        try:
            listed = _dicts((await self._call("files", "list", purpose="batch")).get("data"))
            files |= {each.get("id") for each in listed if each.get("filename") == _file_name(note.id)}
        except ExtractionError:
            pass  # files with a known id are deleted anyway
        for file in files:
            if isinstance(file, str) and file:
                try:
                    await self._call("files", "delete", file)
                except ExtractionError:
                    continue

    async def _content(self, file: str) -> bytes:
        client = await self._model.connection.client()
        return await self._borne(lambda: client.files.with_raw_response.content(file))

    async def _call(self, part: str, verb: str, *words: Any, **named: Any) -> dict[str, Any]:  # noqa: ANN401 - as the SDK has them
        client = await self._model.connection.client()
        method = getattr(getattr(client, part).with_raw_response, verb)
        return _json_of(await self._borne(lambda: method(*words, **named)))

    async def _borne(self, send: Callable[[], Awaitable[Any]]) -> bytes:
        """Return the body of the response, repeating the call within the retry policy while the failure may pass."""
        retries = RetryPolicy(self._model.settings.attempts)
        while True:
            response = await self._attempt(send)
            if not isinstance(response, EndpointFailure):
                return response
            await _bear(response, retries)

    async def _attempt(self, send: Callable[[], Awaitable[Any]]) -> bytes | EndpointFailure:
        """Make one call and return the body of the response, or the failure."""
        with anyio.move_on_after(self._model.settings.timeout_s):
            try:
                return cast("bytes", (await send()).content)
            except self._model.connection.failures as error:
                if getattr(error, "status_code", None) in {404, 405, 501}:
                    raise _NoBatchesError("the llm endpoint has no batches") from None
                return self._model.connection.failure_of(error)
        return timeout_failure(openai_chat.SECTION)


async def _bear(trouble: EndpointFailure, retries: RetryPolicy) -> None:
    """Wait before the next attempt.

    Raises:
        ExtractionError: no attempt is left.
    """
    pause = retries.pause_after(trouble)
    if pause is None:
        raise ExtractionError(trouble.message, hint=trouble.hint)
    await anyio.sleep(pause)


def _json_of(body: bytes) -> dict[str, Any]:
    try:
        return _dict(orjson.loads(body))
    except orjson.JSONDecodeError:
        raise ExtractionError("the llm endpoint's answer is no JSON") from None


def _file_name(batch: str) -> str:
    return f"memd-{batch}.jsonl"


def _answer(line: bytes) -> tuple[bytes, Completion] | None:
    """Parse ``{"custom_id": …, "response": {"status_code": 200, "body": …}, "error": …}``; return None for anything but
    an answer.
    """
    try:
        entry = _dict(orjson.loads(line))
        key = bytes.fromhex(str(entry.get("custom_id", "")))
    except ValueError:
        return None
    response = _dict(entry.get("response"))
    if response.get("status_code") != 200:
        return None
    completion = openai_chat.completion_in(response.get("body"), None)
    return None if completion is None else (key, completion)


def _kept(completion: Completion) -> CachedAnswer | None:
    """Return the cache entry of a completion; None if the question must be asked again."""
    if completion.ending != "whole":
        return CachedAnswer(failure=completion.ending)
    value = json_in(completion.text)
    return None if value is None else CachedAnswer(value)


def _dict(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [_dict(each) for each in cast("list[object]", value)] if isinstance(value, list) else []
