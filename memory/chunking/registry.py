"""The strategies by name. A new one is a file of its own and a line here; other packages add theirs by entry points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from inspect import signature
from types import MappingProxyType
from typing import cast

from ...schemas import ConversationMessage
from ...schemas.errors import ConfigError
from ..embedding.embedder import Tokenizer
from .adaptive import AdaptiveChunker
from .character import CharacterChunker
from .chunker import Chunker, TextSpan
from .contextual import ContextualChunker
from .definitions import DefinitionsChunker
from .headers import HeadersChunker
from .message import MessageChunker
from .paragraph import ParagraphChunker
from .recursive import RecursiveChunker
from .semantic import SemanticChunker
from .semantic_similarity import SimilarityChunker
from .sentences import SentencesChunker
from .time_window import TimeWindowChunker

ENTRY_POINTS = "memd.chunkers"
"""The group of entry points under which a package names a `Chunker` class of its own, by the name of its strategy."""
CHUNKERS: Mapping[str, type[Chunker]] = MappingProxyType(
    {
        each.name: each
        for each in (
            MessageChunker, ContextualChunker, TimeWindowChunker, AdaptiveChunker, HeadersChunker, DefinitionsChunker,
            RecursiveChunker, ParagraphChunker, SentencesChunker, SemanticChunker, SimilarityChunker, CharacterChunker,
        )
    }
)  # fmt: skip
_COUNTED = 2**31
"""More tokens than any text has."""
_SECTION = 4_096
"""Bytes of the path of a chunk in its text, at most: six headings of 80 characters and more."""
_HINT = "correct the package, or choose another strategy in [chunking]"


def chunker(name: str, tokenizer: Tokenizer, parameters: Mapping[str, int] = MappingProxyType({})) -> Chunker:
    """Return the strategy of that name.

    Args:
        name: of one of memd's own, or of an entry point. Of two with the same name, memd's own.
        tokenizer: the embedder's own.
        parameters: of strategies; one gets those that its class has.

    Raises:
        ConfigError: there is none, or that of another package cannot be used.
    """
    kind = chunker_class(name)
    accepted = {key: value for key, value in parameters.items() if key in signature(kind).parameters}
    try:
        strategy = kind(tokenizer, **accepted)
        version = cast("object", strategy.version)
    except (Exception, SystemExit) as error:
        if name in CHUNKERS:
            raise
        raise _unusable(name, f"fails when it is made: {type(error).__name__}") from error
    if not isinstance(version, str):
        raise _unusable(name, "has a version that is no text")
    return strategy


def chunker_class(name: str) -> type[Chunker]:
    """Return the class of the strategy of that name.

    Raises:
        ConfigError: see `chunker`.
    """
    return CHUNKERS.get(name) or _added(name)


def _added(name: str) -> type[Chunker]:
    """Load one strategy of another package: no other is touched, so a broken one breaks nothing else."""
    entries = entry_points(group=ENTRY_POINTS)
    entry = next((each for each in entries if each.name == name), None)
    if entry is None:
        names = sorted({*CHUNKERS, *(each.name for each in entries)})
        raise ConfigError(f"there is no chunking strategy {name!r}", hint=f"one of: {', '.join(names)}")
    try:
        kind = cast("object", entry.load())
    except (Exception, SystemExit) as error:
        raise _unusable(name, f"cannot be imported: {type(error).__name__}") from error
    if not isinstance(kind, type) or not issubclass(kind, Chunker):
        raise _unusable(name, f"is not a Chunker: {entry.value}")
    if getattr(kind, "name", None) != name:
        raise _unusable(name, "has another name in its class")
    if issubclass(kind, MessageChunker) and (type(kind.reach) is not int or kind.reach < 0):
        raise _unusable(name, "has a reach that is no number of messages")
    return kind


def spans_of(strategy: Chunker, texts: Sequence[str], reserves: Sequence[int] = ()) -> list[list[TextSpan]]:
    """Return the spans of texts; those of another package's strategy are checked.

    Raises:
        ConfigError: the strategy of another package fails, or breaks the rules of `Chunker`.
    """
    if type(strategy) is CHUNKERS.get(strategy.name):
        return strategy.spans_many(texts, reserves)
    try:
        spans = strategy.spans_many(texts, reserves)
        faults = {_fault(text, of_text) for text, of_text in zip(texts, spans, strict=True)}
    except (
        Exception,
        SystemExit,
    ) as error:  # an exit would end the thread, and whoever waits for it would wait for ever
        raise _unusable(strategy.name, f"fails: {type(error).__name__}") from error
    for fault in sorted(faults - {""}):
        raise _unusable(strategy.name, fault)
    return spans


def neighbours_of(
    strategy: MessageChunker, messages: Sequence[ConversationMessage], at: int, sizes: Sequence[int]
) -> range:
    """Return what `MessageChunker.neighbours` returns; that of another package's strategy is checked: only the chunks
    within its reach are made again when a message is forgotten.

    Raises:
        ConfigError: the strategy of another package fails, or names messages beyond its reach.
    """
    if type(strategy) is CHUNKERS.get(strategy.name):
        return strategy.neighbours(messages, at, sizes)
    try:
        around = cast("object", strategy.neighbours(messages, at, sizes))
    except (Exception, SystemExit) as error:
        raise _unusable(strategy.name, f"fails: {type(error).__name__}") from error
    if not isinstance(around, range) or around.step != 1 or at not in around:
        raise _unusable(strategy.name, "gives neighbours that are no range around the message")
    first, last = max(0, at - strategy.reach), min(len(messages) - 1, at + strategy.reach)
    if around.start < first or around.stop > last + 1:
        raise _unusable(strategy.name, "gives neighbours beyond its reach")
    return around


def _fault(text: str, spans: Sequence[TextSpan]) -> str:
    """Return how spans break the rules, or nothing. Tells no word of the text."""
    start = end = -1
    covered = 0
    for span in spans:
        if {type(span.start), type(span.end), type(span.token_count)} != {int} or not 0 <= span.token_count < _COUNTED:
            return "gives a span whose numbers are none"
        if type(span.section) is not str or len(span.section.encode()) > _SECTION:
            return "gives a section that is no short text"
        if not 0 <= span.start < span.end <= len(text):
            return "gives a span outside of its text"
        if span.start <= start or span.end <= end:
            return "gives spans that do not ascend"
        if text[covered : span.start].strip():
            return "leaves out a part of the text"
        if text[span.start : span.end].isspace():
            return "gives a blank span"
        start, end = span.start, span.end
        covered = end
    return "leaves out a part of the text" if text[covered:].strip() else ""


def _unusable(name: str, why: str) -> ConfigError:
    return ConfigError(f"the chunking strategy {name!r} {why}", hint=_HINT)
