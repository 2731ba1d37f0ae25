"""Makes the embedder of the settings, and can load it in advance, in parallel with the other imports."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

from ..memory.embedding.bundled import NAME, BundledEmbedder
from ..memory.embedding.embedder import EmbeddingModel
from ..memory.embedding.local import LocalEmbedder
from ..memory.embedding.model_config import load_model_config
from ..memory.embedding.openai_compatible import MOST_TOKENS, Endpoint, EndpointEmbedder
from ..memory.embedding.tokenizer import TokenEstimate, tokenizer_in
from ..schemas.errors import EmbeddingError
from .config.credentials import credential, key_source
from .config.settings import EmbeddingSettings


def embedder_for(settings: EmbeddingSettings) -> EmbeddingModel:
    """Return the embedder of the settings. Reads files, makes no connection, and loads a model only if its files do not
    show its dimension.

    Raises:
        ConfigError: the model's folder is of no use.
        EmbeddingError: the model had to be loaded and could not.
    """
    if settings.provider == "bundled":
        return BundledEmbedder(model=settings.model or NAME, threads=settings.threads)
    if settings.provider == "onnx":
        recipe = load_model_config(
            Path(settings.model),
            name=settings.name,
            pooling=settings.pooling,
            query_prefix=settings.query_prefix,
            document_prefix=settings.document_prefix,
            dimensions=settings.dimensions,
            max_tokens=settings.max_tokens,
        )
        local = LocalEmbedder(recipe, threads=settings.threads)
        if recipe.dimension is None:
            local.load_now()
        return local
    endpoint = Endpoint(
        model=settings.model,
        base_url=settings.base_url,
        name=settings.name,
        query_prefix=settings.query_prefix or "",
        document_prefix=settings.document_prefix or "",
        dimensions=settings.dimensions,
        max_tokens=settings.max_tokens or MOST_TOKENS,
        timeout_s=settings.timeout_s,
        request_texts=settings.request_texts,
        request_tokens=settings.request_tokens,
        encoding=settings.encoding,
        key_source=key_source("embedding", settings.api_key_file, settings.api_key_env),
    )
    counter = TokenEstimate() if settings.tokenizer is None else tokenizer_in(settings.tokenizer)
    return EndpointEmbedder(endpoint, counter, lambda: credential(settings.api_key_file, settings.api_key_env))


def fallback_for(settings: EmbeddingSettings) -> BundledEmbedder | None:
    """Return the bundled model that stands in for an endpoint, not loaded yet; None if the settings have none."""
    if settings.provider != "openai" or settings.fallback == "none" or not settings.enabled:
        return None
    return BundledEmbedder(threads=settings.threads)


def embedder_loaded_ahead(settings: EmbeddingSettings) -> EmbeddingModel:
    """Return the embedder as `embedder_for`, with a local model loading already in a thread: most of the loading does
    not need the interpreter, which is busy with imports.

    Raises:
        ConfigError: see `embedder_for`.
        EmbeddingError: see `embedder_for`.
    """
    embedder = embedder_for(settings)
    if settings.enabled and isinstance(embedder, LocalEmbedder):

        def load() -> None:
            with suppress(EmbeddingError):  # the next user of the model loads it again, and gets the error
                embedder.load_now()

        # Not a daemon thread: one that still runs native code at the interpreter's exit may crash it.
        threading.Thread(target=load, name="loading the model").start()
    return embedder
