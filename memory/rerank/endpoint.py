"""A reranker behind an endpoint with ``/rerank``: Cohere, Jina, vLLM, llama.cpp, TEI and their like.

A request is redacted and audited as one to the language model, before it is sent. The caller leaves out private texts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

import anyio
import orjson

from ...schemas.secret_urls import without_password
from ..embedding.runtime import encodable
from ..llm.audit import AuditLog, sent_of
from ..llm.chat import Prompt, PromptMessage
from ..llm.redaction import Redactor
from ..openai_http.connection import Connection, Target
from ..openai_http.failures import EndpointFailure
from .reranker import RerankError, checked

if TYPE_CHECKING:
    from .reranker import Reranker

SECTION = "rerank"
"""The section of the configuration."""


@dataclass(frozen=True, slots=True)
class RerankEndpoint:
    """The endpoint that questions and texts are sent to."""

    model: str
    base_url: str
    local_only: bool = False
    """Refuse an address that is not on this machine."""
    key_source: str = "rerank.api_key_env"
    """The setting that names the key, for messages to the user."""


class EndpointReranker:
    """A `Reranker`; made without any contact. For one event loop. One attempt a question; the caller limits its time.

    Args:
        endpoint: where.
        key: gives the key, or None where none is needed; asked when a connection is made.
        redactor: hides secrets.
        audit: the log of sent requests.
    """

    def __init__(
        self, endpoint: RerankEndpoint, key: Callable[[], str | None], redactor: Redactor, audit: AuditLog
    ) -> None:
        self._endpoint = endpoint
        self._redactor = redactor
        self._audit = audit
        self._field = "documents"
        """The name of the texts in a request; TEI calls them ``texts``."""
        target = Target(SECTION, endpoint.base_url, endpoint.key_source, RerankError, endpoint.local_only)
        self._connection = Connection(target, key)

    async def scores(self, question: str, texts: Sequence[str], documents: Collection[UUID] = ()) -> Sequence[float]:
        """Return the endpoint's scores; see `Reranker`."""
        client = await self._connection.client()  # a refusal here sends nothing, and must not be audited as sent
        question, texts = encodable(question), [encodable(text) for text in texts]
        redaction = await anyio.to_thread.run_sync(self._redactor.begin, [question, *texts])
        question, texts = redaction.hide(question), [redaction.hide(text) for text in texts]
        turns = (PromptMessage("user", question), *(PromptMessage("user", text) for text in texts))
        sent = sent_of(
            Prompt(turns, SECTION, {}, 0),
            place=without_password(self._endpoint.base_url),
            model=self._endpoint.model,
            purpose=SECTION,
            run="",
            documents=documents,
            hidden=redaction.count,
        )
        await self._audit.write(sent)
        outcome = await self._attempt(client, question, texts)
        if isinstance(outcome, EndpointFailure) and outcome.refused and self._field == "documents":
            self._field = "texts"
            outcome = await self._attempt(client, question, texts)
            if isinstance(outcome, EndpointFailure):
                self._field = "documents"
        if isinstance(outcome, EndpointFailure):
            raise RerankError(outcome.message, hint=outcome.hint)
        return checked(scores_of(outcome, len(texts)), len(texts))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    async def _attempt(self, client: Any, question: str, texts: Sequence[str]) -> bytes | EndpointFailure:  # noqa: ANN401 - the SDK is not imported for its types
        body: dict[str, Any] = {"model": self._endpoint.model, "query": question, self._field: texts}
        if self._field == "documents":
            body["top_n"] = len(texts)
        try:
            return await client.post("/rerank", cast_to=bytes, body=body)
        except self._connection.failures as error:  # its text may quote what was sent: only its kind is told
            return self._connection.failure_of(error)


def scores_of(body: bytes, count: int) -> list[float]:
    """Return the scores of an answer in the order of the texts.

    Args:
        body: ``{"results": [{"index": 0, "relevance_score": 0.9}, …]}``, or TEI's ``[{"index": 0, "score": 0.9}, …]``.
        count: the number of texts that were sent.

    Raises:
        RerankError: it is not one number for each text.
    """
    try:
        answer: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise RerankError("the rerank endpoint's answer is no JSON") from None
    listed = cast("dict[str, object]", answer).get("results") if isinstance(answer, dict) else answer
    items = [
        cast("dict[str, object]", each)
        for each in (cast("list[object]", listed) if isinstance(listed, list) else [])
        if isinstance(each, dict)
    ]
    scores: dict[int, float] = {}
    for item in items:
        index, score = item.get("index"), item.get("relevance_score", item.get("score"))
        if type(index) is int and isinstance(score, int | float) and not isinstance(score, bool):
            scores[index] = float(score)
    if len(items) != count or scores.keys() != set(range(count)):
        hint = "is rerank.base_url right?"
        raise RerankError(f"the rerank endpoint gave no score for each of {count} texts", hint=hint)
    return [scores[index] for index in range(count)]


if TYPE_CHECKING:
    _reranker: type[Reranker] = EndpointReranker
