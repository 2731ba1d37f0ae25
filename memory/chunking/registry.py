"""The strategies by name. A new one is a file of its own and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ...schemas.errors import ConfigError
from ..embedding.embedder import Tokenizer
from .chunker import Chunker
from .definitions import DefinitionsChunker
from .headers import HeadersChunker
from .message import MessageChunker
from .recursive import RecursiveChunker

CHUNKERS: Mapping[str, Callable[[Tokenizer], Chunker]] = MappingProxyType(
    {each.name: each for each in (MessageChunker, HeadersChunker, DefinitionsChunker, RecursiveChunker)}
)


def chunker(name: str, tokenizer: Tokenizer) -> Chunker:
    """Return the strategy of that name with its default parameters.

    Raises:
        ConfigError: there is none.
    """
    if name not in CHUNKERS:
        raise ConfigError(f"there is no chunking strategy {name!r}", hint=f"one of: {', '.join(sorted(CHUNKERS))}")
    return CHUNKERS[name](tokenizer)
