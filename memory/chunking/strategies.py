"""The strategies of the settings: which one cuts which documents, and the name of their choice in a generation."""

from __future__ import annotations

from typing import Literal

from ...schemas.errors import ConfigError
from ..embedding.embedder import Tokenizer
from .chunker import Chunker
from .message import MessageChunker
from .registry import CHUNKERS, chunker, chunker_class
from .settings import ChunkingSettings

Sort = Literal["texts", "markdown", "code"]
"""The sorts of texts that have a strategy of their own."""
_DEFAULTS = {key: ChunkingSettings.model_fields[key].default for key in ("conversations", "texts", "markdown", "code")}
_PARAMETERS = {
    "max_tokens": "limit",
    "overlap_tokens": "overlap",
    "min_tokens": "least",
    "max_characters": "characters",
    "overlap_characters": "repeat",
    "context_tokens": "context",
    "window_minutes": "window",
}
"""The parameters of strategies by the settings that give them."""


class Strategies:
    """The strategy for each document.

    Args:
        tokenizer: the embedder's own.
        settings: the names of strategies, and their parameters.

    Raises:
        ConfigError: the settings name a strategy that does not exist, or is for other documents.
    """

    def __init__(self, tokenizer: Tokenizer, settings: ChunkingSettings) -> None:
        self._tokenizer = tokenizer
        self._parameters = {
            parameter: value for key, parameter in _PARAMETERS.items() if (value := getattr(settings, key)) is not None
        }
        self._messages = self._for_conversations(settings.conversations)
        self._texts: dict[Sort, Chunker] = {
            "texts": self._for_texts("texts", settings.texts),
            "markdown": self._for_texts("markdown", settings.markdown),
            "code": self._for_texts("code", settings.code),
        }
        self._sources = {source: self._named(f"sources.{source}", name) for source, name in settings.sources.items()}
        by_source = {f"sources.{source}": each for source, each in self._sources.items()}
        self._choices: dict[str, Chunker] = {"conversations": self._messages, **self._texts, **by_source}

    @property
    def versions(self) -> tuple[str, ...]:
        """Return the versions of the strategies, sorted. One that is not the default says for which documents it is:
        ``texts: semantic-1:256/32``.
        """
        return tuple(
            sorted(
                each.version if each.name == _DEFAULTS.get(choice) else f"{choice}: {each.version}"
                for choice, each in self._choices.items()
            )
        )

    @property
    def reaches(self) -> bool:
        """Return whether some strategy lets the embedder read several messages together."""
        return any(isinstance(each, MessageChunker) and each.reach for each in self._choices.values())

    def for_messages(self, source: str) -> MessageChunker:
        """Return the strategy for conversations of a source."""
        strategy = self._sources.get(source)
        return strategy if isinstance(strategy, MessageChunker) else self._messages

    def for_text(self, source: str, sort: Sort) -> Chunker:
        """Return the strategy for a sort of texts of a source."""
        strategy = self._sources.get(source)
        return self._texts[sort] if strategy is None or isinstance(strategy, MessageChunker) else strategy

    def _named(self, key: str, name: str) -> Chunker:
        try:
            kind = chunker_class(name)
        except ConfigError as error:
            raise ConfigError(f"chunking.{key}: {error.message}", hint=error.hint) from error
        # The passages of messages have their length from what is shown of a hit, whatever texts are cut into.
        of_messages = issubclass(kind, MessageChunker)
        parameters = {key: value for key, value in self._parameters.items() if not (of_messages and key == "limit")}
        return chunker(name, self._tokenizer, parameters)

    def _for_conversations(self, name: str) -> MessageChunker:
        strategy = self._named("conversations", name)
        if isinstance(strategy, MessageChunker):
            return strategy
        names = sorted(key for key, each in CHUNKERS.items() if issubclass(each, MessageChunker))
        raise _misplaced("conversations", name, "texts", names)

    def _for_texts(self, sort: Sort, name: str) -> Chunker:
        strategy = self._named(sort, name)
        if not isinstance(strategy, MessageChunker):
            return strategy
        names = sorted(key for key, each in CHUNKERS.items() if not issubclass(each, MessageChunker))
        raise _misplaced(sort, name, "conversations", names)


def _misplaced(key: str, name: str, documents: str, names: list[str]) -> ConfigError:
    return ConfigError(f"chunking.{key} is {name!r}, a strategy for {documents}", hint=f"one of: {', '.join(names)}")
