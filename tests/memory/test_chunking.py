"""The strategies keep the contract, with the limits of the embedder and with tight ones; breaks are the best there are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest

from memd.memory.chunking import token_splitter
from memd.memory.chunking.boundaries import CLAUSE, LINE, MARK, PARAGRAPH, SENTENCE, WORD, breaks, clusters, fences
from memd.memory.chunking.definitions import DefinitionsChunker
from memd.memory.chunking.headers import HeadersChunker
from memd.memory.chunking.message import MessageChunker
from memd.memory.chunking.recursive import RecursiveChunker
from memd.memory.chunking.registry import CHUNKERS, chunker
from memd.memory.chunking.token_splitter import cut_many
from memd.memory.embedding.bundled import BundledEmbedder
from memd.schemas.errors import ConfigError
from memd.tests.contracts.chunker import GRAPHEMES, ChunkerContract

TOKENIZER = BundledEmbedder()
TIGHT = 24


class TestMessage(ChunkerContract):
    """Messages, cut tightly, so that even short texts need several chunks."""

    tokenizer = TOKENIZER
    limit = TIGHT
    chunker = MessageChunker(TOKENIZER, limit=TIGHT)


class TestRecursive(ChunkerContract):
    """Texts, cut tightly."""

    tokenizer = TOKENIZER
    limit = TIGHT
    chunker = RecursiveChunker(TOKENIZER, limit=TIGHT, overlap=5)


class TestHeaders(ChunkerContract):
    """Markdown, cut tightly."""

    tokenizer = TOKENIZER
    limit = TIGHT
    chunker = HeadersChunker(TOKENIZER, limit=TIGHT, overlap=5)


class TestDefinitions(ChunkerContract):
    """Source code, cut tightly."""

    tokenizer = TOKENIZER
    limit = TIGHT
    chunker = DefinitionsChunker(TOKENIZER, limit=TIGHT, overlap=5)


class TestRecursiveAsShipped(ChunkerContract):
    """Texts, with the default parameters: the limit is what the embedder reads, which is less than 512."""

    tokenizer = TOKENIZER
    limit = TOKENIZER.max_tokens
    chunker = chunker("recursive", TOKENIZER)
    size = 12_000


def test_the_registry_knows_its_strategies() -> None:
    """Each is found under its name; another name is a configuration error that lists them."""
    assert [chunker(name, TOKENIZER).name for name in CHUNKERS] == list(CHUNKERS)
    with pytest.raises(ConfigError, match="'syllables'") as caught:
        chunker("syllables", TOKENIZER)
    assert "definitions, headers, message, paragraph, recursive" in caught.value.hint


def test_versions_hold_the_parameters() -> None:
    """Another parameter is another version, so that a generation changes with it."""
    assert chunker("message", TOKENIZER).version == "message-1:160"
    assert chunker("headers", TOKENIZER).version == "headers-2:512/50"
    assert chunker("definitions", TOKENIZER).version == "definitions-2:512/50"
    assert chunker("recursive", TOKENIZER).version == "recursive-1:512/50"


def test_paragraphs_are_preferred() -> None:
    """A text of two paragraphs that do not fit together is cut between them, not at the last word that fits."""
    first, second = (
        "One small paragraph. It has two sentences.",
        "And here, again, another paragraph of words follows on.",
    )
    text = f"{first}\n\n{second}"
    spans = MessageChunker(TOKENIZER, limit=18).spans(text)
    assert [text[span.start : span.end] for span in spans] == [first, second]


def test_neighbours_overlap() -> None:
    """A chunk repeats the end of the one before it, at most by the overlap."""
    text = " ".join(f"word{index}" for index in range(200))
    spans = RecursiveChunker(TOKENIZER, limit=60, overlap=10).spans(text)
    shared = [text[b.start : a.end] for a, b in pairwise(spans)]
    assert all(shared)
    assert max(TOKENIZER.count_many(shared)) <= 10


def test_a_reserve_leaves_room() -> None:
    """Speaker and message together are what the embedder reads, and no more."""
    prefix, text = "Maximiliana Beispiel: ", "many little words " * 400
    (reserve,) = TOKENIZER.count_many([prefix])
    for span in chunker("message", TOKENIZER).spans(text, reserve=reserve):
        assert TOKENIZER.count_many([prefix + text[span.start : span.end]])[0] <= TOKENIZER.max_tokens


def test_levels_of_breaks() -> None:
    """What stands in front of a break decides how good it is."""
    text = 'One two, three. "Four!" five\nsix\r\n\r\nseven/eight。九'
    found = breaks(text)
    levels = {
        text[position:].split(maxsplit=1)[0]: level
        for position, level in zip(*found, strict=True)
        if position < len(text)
    }
    assert levels["two,"] == WORD
    assert levels["three."] == CLAUSE
    assert levels["five"] == SENTENCE
    assert levels["six"] == LINE
    assert levels["seven/eight。九"] == PARAGRAPH
    assert levels["eight。九"] == MARK
    assert levels["九"] == SENTENCE


def test_fences_are_found() -> None:
    """Closed by at least as many of the same marks; an open one reaches to the end."""
    text = "a\n````\n```\n````\nb `c` ```d``` e\n~~~ js\nf"
    assert [text[fence.start : fence.end] for fence in fences(text)] == ["````\n```\n````", "~~~ js\nf"]


def test_clusters_are_whole() -> None:
    """Each known cluster ends where the next begins."""
    text = "".join(GRAPHEMES)
    ends = clusters(text, 0, len(text))
    starts = [0, *ends[:-1]]
    assert [text[start:end] for start, end in zip(starts, ends, strict=True)] == GRAPHEMES


class Scale:
    """A tokenizer that notes how many characters it gets at once."""

    max_tokens = TOKENIZER.max_tokens

    def __init__(self) -> None:
        self.most = 0

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """The bundled embedder's."""
        self.most = max(self.most, len(text))
        return TOKENIZER.token_offsets(text)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """The bundled embedder's."""
        self.most = max(self.most, sum(map(len, texts)))
        return TOKENIZER.count_many(texts)


@pytest.mark.parametrize(
    "piece",
    ["Plain words, and a sentence. Then another one?\n\n", "1/1/1 ", "x\u0301 ", "( ", "九 "],
    ids=["words", "numbers", "marks", "brackets", "han"],
)
def test_a_tokenizer_gets_so_much_at_a_time(monkeypatch: pytest.MonkeyPatch, piece: str) -> None:
    """It takes hundreds of bytes for each token. The chunks are the same as those of a text that it gets whole."""
    text = piece * (2_000 // len(piece))
    texts = [text, "short", text]
    whole = cut_many(texts, TOKENIZER, limits=[100, 100, 90], overlap=20)
    monkeypatch.setattr(token_splitter, "SLICE", 100)
    monkeypatch.setattr(token_splitter, "AT_ONCE", 400)
    scale = Scale()
    assert cut_many(texts, scale, limits=[100, 100, 90], overlap=20) == whole
    assert scale.most <= 600


@pytest.mark.parametrize("text", ["(" * 3_000, "x" * 3_000, "九" * 3_000, "\u0301" * 3_000])
def test_an_endless_word_is_cut_for_the_tokenizer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """There is no blank to cut at; no chunk has more tokens than it may, and all of the text is in one."""
    monkeypatch.setattr(token_splitter, "SLICE", 100)
    monkeypatch.setattr(token_splitter, "AT_ONCE", 400)
    scale = Scale()
    (spans,) = cut_many([text], scale, limits=[50])
    assert "".join(text[span.start : span.end] for span in spans) == text
    assert all(TOKENIZER.count_many([text[span.start : span.end]])[0] <= 50 for span in spans)
    assert scale.most <= 600
