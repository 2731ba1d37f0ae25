"""Chunks are cut by other tokenizers: by one that knows blanks as tokens, and by the estimate."""

from __future__ import annotations

import tempfile
from pathlib import Path

from memd.memory.chunking.recursive import RecursiveChunker
from memd.memory.embedding.tokenizer import FileTokenizer, TokenCounter, TokenEstimate, tokenizer_in
from memd.tests.contracts.chunker import ChunkerContract
from memd.tests.memory.small_models import write_pieces, write_tokenizer


class Sized:
    """A counter with a limit, as an embedder is."""

    max_tokens = 510

    def __init__(self, counter: TokenCounter) -> None:
        self.token_offsets = counter.token_offsets
        self.count_many = counter.count_many


def made(write: object) -> FileTokenizer:
    """The loaded tokenizer that a function writes into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        assert callable(write)
        write(Path(folder))
        found = tokenizer_in(Path(folder))
        found.words()
    return found


class TestBytes(ChunkerContract):
    """Each byte a token, blanks too."""

    tokenizer = Sized(made(write_tokenizer))
    limit = 48
    chunker = RecursiveChunker(tokenizer, limit=48, overlap=8)


class TestPieces(ChunkerContract):
    """Blanks belong to the word behind them; what the vocabulary lacks falls back to bytes."""

    tokenizer = Sized(made(write_pieces))
    limit = 64
    chunker = RecursiveChunker(tokenizer, limit=64, overlap=9)


class TestEstimate(ChunkerContract):
    """No tokenizer at all."""

    tokenizer = Sized(TokenEstimate())
    limit = 32
    chunker = RecursiveChunker(tokenizer, limit=32, overlap=5)
