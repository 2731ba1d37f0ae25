"""An embedder behind an OpenAI-compatible endpoint: OpenAI, Ollama, vLLM, LM Studio, llama.cpp and their like.

The `openai` package, of the extra ``llm``, is imported when the first text is embedded, in a worker thread.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import anyio
import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from ...schemas.errors import EmbeddingError
from ..openai_http.connection import Connection, Target
from ..openai_http.failures import EndpointFailure, RetryPolicy, timeout_failure
from .embedder import checked
from .model_config import digest_of, short_name
from .response import IncompleteResponseError, vectors_of
from .runtime import encodable

if TYPE_CHECKING:
    from .embedder import EmbeddingModel
    from .tokenizer import TokenCounter

PREPARED_AT_ONCE = 1024
"""Texts truncated to length between two checks for cancellation."""
SECTION = "embedding"
"""The section of the configuration."""
QUESTION_SECONDS = 5.0
"""The seconds after which a query proceeds with words alone, without its vector."""
QUIET_SECONDS = 15.0
"""The seconds after a query timed out during which no other query waits for a vector."""
SHORTEST = 64
"""The length in characters below which a refusal is not caused by the length."""
BLANK = "."
"""The replacement for a text without any word: endpoints refuse empty texts."""
MOST_TOKENS = 512
"""The token limit for a model with unknown window: hardly any model reads less."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The endpoint that texts are sent to, and the parameters of its requests."""

    model: str
    base_url: str
    name: str = ""
    """Replaces address and model in the embedder's name."""
    query_prefix: str = ""
    document_prefix: str = ""
    dimensions: int | None = None
    """The dimension requested from the endpoint; None: its default."""
    max_tokens: int = MOST_TOKENS
    """The most tokens of a text with its prefix; the rest is cut off."""
    timeout_s: float = 60.0
    request_texts: int = 64
    request_tokens: int = 16_384
    encoding: Literal["float", "base64"] = "float"
    key_source: str = "embedding.api_key_env or embedding.api_key_file"
    """The settings that name the key, for messages to the user."""


@dataclass(frozen=True, slots=True)
class EmbeddingRetryPolicy:
    """The limits of waiting for vectors."""

    attempts: int
    seconds: float


class _RefusedError(EmbeddingError):
    """The endpoint does not accept these texts."""


class EndpointEmbedder:
    """An `Embedder` and a `Tokenizer`; made without any contact.

    ``dimension`` is 0 until `expect`, a setting or the first answer tells it; `when_measured` is awaited then, before
    any vector is given away. For one event loop.

    Args:
        endpoint: where and how.
        counter: counts tokens.
        key: gives the key, or None where none is needed; asked when a connection is made.
    """

    def __init__(self, endpoint: Endpoint, counter: TokenCounter, key: Callable[[], str | None]) -> None:
        self._endpoint = endpoint
        self._counter = counter
        self._dimension = endpoint.dimensions or 0
        self._measuring = anyio.Lock()
        self._connection = Connection(Target(SECTION, endpoint.base_url, endpoint.key_source, EmbeddingError), key)
        self._quiet_until = 0.0
        self._patience = EmbeddingRetryPolicy(4, endpoint.timeout_s)
        self.when_measured: Callable[[], Awaitable[None]] | None = None
        """Awaited once, after the first answer has shown the dimension."""
        where = [endpoint.name] if endpoint.name else [endpoint.base_url.rstrip("/"), endpoint.model]
        digest = digest_of([*where, endpoint.document_prefix])
        self._name = f"{short_name(endpoint.name or endpoint.model)}@{digest}"

    @property
    def name(self) -> str:
        """The name of the model, with a hash of its address and of the document prefix."""
        return self._name

    @property
    def dimension(self) -> int:
        """The number of components of a vector; 0 while unknown."""
        return self._dimension

    @property
    def loaded(self) -> bool:
        """True once the endpoint has answered."""
        return self._dimension > 0

    @property
    def max_tokens(self) -> int:
        """The most tokens of a text that are sent, less the prefix of documents.

        Raises:
            EmbeddingError: the tokenizer cannot be loaded.
        """
        prefix = self._endpoint.document_prefix
        used = self._counter.count_many([prefix])[0] if prefix else 0
        return max(1, self._endpoint.max_tokens - used)

    def expect(self, dimension: int) -> None:
        """Set the dimension that vectors of this name have had."""
        self._dimension = self._dimension or dimension

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of the tokens; see `Tokenizer`."""
        return self._counter.token_offsets(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the numbers of tokens; see `Tokenizer`."""
        return self._counter.count_many(texts)

    async def load(self) -> None:
        """Connect, and request the dimension if it is unknown.

        Raises:
            EmbeddingError: no key, no package, no answer.
        """
        await self._connection.client()
        async with self._measuring:
            if not self._dimension:
                await self._learn((await self._send(["memd"], self._patience)).shape[1])

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors of shape (n, dimension); see `Embedder`. Sends requests of bounded size one after the other."""
        if not self._dimension:
            await self.load()
        vectors = np.empty((len(texts), self._dimension), np.float32)
        for start in range(0, len(texts), PREPARED_AT_ONCE):
            part = texts[start : start + PREPARED_AT_ONCE]
            ready, counts = await to_thread.run_sync(self._prepare, part, self._endpoint.document_prefix)
            for batch in self._batches(counts):
                rows = slice(start + batch.start, start + batch.stop)
                vectors[rows] = await self._embed(ready[batch.start : batch.stop], self._patience)
        return vectors

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a vector of shape (dimension,); see `Embedder`. One attempt of a few seconds: the word search waits
        for it.
        """
        if time.monotonic() < self._quiet_until:
            raise EmbeddingError("the embedding endpoint did not answer in time a moment ago")
        ready, _ = await to_thread.run_sync(self._prepare, [text], self._endpoint.query_prefix)
        patience = EmbeddingRetryPolicy(1, min(QUESTION_SECONDS, self._endpoint.timeout_s))
        return (await self._embed(ready, patience))[0]

    def _prepare(self, texts: Sequence[str], prefix: str) -> tuple[list[str], list[int]]:
        """Return the texts to send, none of them empty or too long, and the tokens of each."""
        ready = [prefix + (encodable(text) if text.strip() else BLANK) for text in texts]
        most = self._endpoint.max_tokens
        counts = self._counter.count_many(ready)
        for index, count in enumerate(counts):
            if count > most:
                ready[index] = ready[index][: self._counter.token_offsets(ready[index])[most - 1][1]] or BLANK
                counts[index] = most
        return ready, counts

    def _batches(self, counts: Sequence[int]) -> Iterator[range]:
        """Yield ranges of texts within the limits of a request; a text beyond them goes alone."""
        start = tokens = 0
        for index, count in enumerate(counts):
            full = index - start == self._endpoint.request_texts or tokens + count > self._endpoint.request_tokens
            if full and index > start:
                yield range(start, index)
                start, tokens = index, 0
            tokens += count
        if start < len(counts):
            yield range(start, len(counts))

    async def _embed(self, texts: list[str], patience: EmbeddingRetryPolicy) -> NDArray[np.float32]:
        """Return the vectors of one request. Texts that are refused together are sent separately, and truncated when
        alone.
        """
        try:
            vectors = await self._send(texts, patience)
        except _RefusedError:
            await self._send(["memd"], patience)  # when this is refused too, it is not for the texts
            if len(texts) > 1:
                middle = len(texts) // 2
                halves = [await self._embed(half, patience) for half in (texts[:middle], texts[middle:])]
                return np.concatenate(halves)
            if len(texts[0]) <= SHORTEST:
                raise
            return await self._embed([texts[0][: len(texts[0]) // 2]], patience)
        async with self._measuring:
            await self._learn(vectors.shape[1])
        return checked(vectors, len(texts), self._dimension)

    async def _learn(self, dimension: int) -> None:
        if self._dimension:
            return
        self._dimension = dimension
        if self.when_measured is not None:
            tell, self.when_measured = self.when_measured, None
            await tell()

    async def _send(self, texts: list[str], patience: EmbeddingRetryPolicy) -> NDArray[np.float32]:
        """Send one request, repeated as the retry policy allows."""
        retries = RetryPolicy(patience.attempts)
        while True:
            outcome = await self._attempt(texts, patience)
            if not isinstance(outcome, EndpointFailure):
                self._quiet_until = 0.0
                return outcome
            if outcome.refused:
                raise _RefusedError(outcome.message, hint=outcome.hint)
            pause = retries.pause_after(outcome)
            if pause is None:
                if outcome.timed_out and patience.attempts == 1:
                    self._quiet_until = time.monotonic() + QUIET_SECONDS
                raise EmbeddingError(outcome.message, hint=outcome.hint)
            await anyio.sleep(pause)

    async def _attempt(self, texts: list[str], patience: EmbeddingRetryPolicy) -> NDArray[np.float32] | EndpointFailure:
        client = await self._connection.client()
        options: dict[str, Any] = {"dimensions": self._endpoint.dimensions} if self._endpoint.dimensions else {}
        # A timeout around the whole request: the SDK's own timeout restarts with each received byte.
        with anyio.move_on_after(patience.seconds):
            try:
                response = await client.embeddings.with_raw_response.create(
                    model=self._endpoint.model,
                    input=texts,
                    encoding_format=self._endpoint.encoding,
                    timeout=patience.seconds,
                    **options,
                )
                body: bytes = response.content
            except self._connection.failures as error:  # its text may quote what was sent: only its kind is told
                return self._connection.failure_of(error)
            return await to_thread.run_sync(_read, body, len(texts))
        return timeout_failure(SECTION)


def _read(body: bytes, count: int) -> NDArray[np.float32] | EndpointFailure:
    try:
        return vectors_of(body, count)
    except IncompleteResponseError as error:
        return EndpointFailure(error.message, again=True)


if TYPE_CHECKING:
    _model: type[EmbeddingModel] = EndpointEmbedder
