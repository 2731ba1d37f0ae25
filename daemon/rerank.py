"""Makes the reranker of the settings. Imported only if one is set."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from anyio import to_thread

from ..memory.facts.service import FactService
from ..memory.retrieval.reranking import Reranking
from .config.settings import Settings

if TYPE_CHECKING:
    from ..memory.llm.factory import LLM
    from ..memory.rerank.endpoint import EndpointReranker


async def reranking_of(
    stack: AsyncExitStack, settings: Settings, fact_service: FactService, llm: LLM | None
) -> Reranking:
    """Return the reranker and its use, without connecting to it or loading it; the stack closes it.

    Args:
        stack: closes what is opened.
        settings: all settings; those of the language model say what is private.
        fact_service: knows the documents.
        llm: the language model, whose audit log is used; None opens the log alone.

    Raises:
        ConfigError: the model's folder is of no use.
        StoreError: the audit log cannot be opened.
    """
    rerank = settings.rerank
    if rerank.provider == "onnx":
        from ..memory.rerank.cross_encoder import CrossEncoder

        local = await to_thread.run_sync(lambda: CrossEncoder(Path(rerank.model), threads=settings.embedding.threads))
        return Reranking(local, rerank.candidates, rerank.weight, rerank.timeout_s)
    from .llm import private_of

    async def private(documents: Collection[UUID]) -> Collection[UUID]:
        return await private_of(settings.llm, fact_service, documents)

    remote = await _endpoint(stack, settings, llm)
    stack.push_async_callback(remote.aclose)
    return Reranking(remote, rerank.candidates, rerank.weight, rerank.timeout_s, private)


async def _endpoint(stack: AsyncExitStack, settings: Settings, llm: LLM | None) -> EndpointReranker:
    from ..memory.llm.audit import AuditLog
    from ..memory.llm.redaction import Redactor
    from ..memory.llm.store import LLMStore
    from ..memory.rerank.endpoint import EndpointReranker, RerankEndpoint
    from .config.credentials import credential
    from .llm import redaction_of

    rerank = settings.rerank
    if llm is None:
        store = await to_thread.run_sync(LLMStore, settings.data_dir)
        stack.callback(store.close)
        audit = AuditLog(store)
    else:
        audit = llm.audit
    endpoint = RerankEndpoint(rerank.model, rerank.base_url, settings.llm.local_only)
    return EndpointReranker(
        endpoint, lambda: credential(None, rerank.api_key_env), Redactor(redaction_of(settings.llm)), audit
    )
