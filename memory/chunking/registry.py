"""The strategies by name. A new one is a file of its own and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from ...schemas.errors import ConfigError
from ..embedding.embedder import Tokenizer
from . import headers, message, recursive
from .chunker import Chunker
from .headers import HeadersChunker
from .message import MessageChunker
from .recursive import RecursiveChunker

CHUNKERS: Mapping[str, Callable[[Tokenizer], Chunker]] = MappingProxyType(
    {message.NAME: MessageChunker, headers.NAME: HeadersChunker, recursive.NAME: RecursiveChunker}
)


def chunker(name: str, tokenizer: Tokenizer) -> Chunker:
    """The strategy of that name, with its default parameters.

    Raises:
        ConfigError: there is none.
    """
    if name not in CHUNKERS:
        raise ConfigError(f"there is no chunking strategy {name!r}", hint=f"one of: {', '.join(sorted(CHUNKERS))}")
    return CHUNKERS[name](tokenizer)


if TYPE_CHECKING:
    _headers: type[Chunker] = HeadersChunker
    _message: type[Chunker] = MessageChunker
    _recursive: type[Chunker] = RecursiveChunker
