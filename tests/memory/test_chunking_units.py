"""The strategies made of sentences, paragraphs and characters keep the contract; what a sentence is, and what stays whole."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from memd.memory.chunking.adaptive import AdaptiveChunker
from memd.memory.chunking.character import CharacterChunker
from memd.memory.chunking.contextual import ContextualChunker
from memd.memory.chunking.paragraph import ParagraphChunker
from memd.memory.chunking.registry import chunker
from memd.memory.chunking.semantic import SemanticChunker
from memd.memory.chunking.semantic_similarity import SimilarityChunker
from memd.memory.chunking.sentences import SentencesChunker
from memd.memory.chunking.time_window import TimeWindowChunker
from memd.memory.chunking.units import sentences
from memd.memory.embedding.bundled import BundledEmbedder
from memd.tests.contracts.chunker import ChunkerContract

TOKENIZER = BundledEmbedder()
TIGHT = 24
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


def hashed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors that tell texts apart, without a model."""
    rows = [np.frombuffer(sha256(text.encode("utf-8", "surrogatepass")).digest(), np.uint8) for text in texts]
    vectors = np.array(rows, np.float32) - 128
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


class TestParagraph(ChunkerContract):
    """Paragraphs, cut tightly."""

    tokenizer = TOKENIZER
    limit = TIGHT
    chunker = ParagraphChunker(TOKENIZER, limit=TIGHT, least=4)


class TestSentences(ChunkerContract):
    """Sentences, cut tightly."""

    tokenizer = TOKENIZER
    limit = TIGHT
    chunker = SentencesChunker(TOKENIZER, limit=TIGHT)


class TestSemantic(ChunkerContract):
    """Runs of sentences that overlap, cut tightly."""

    tokenizer = TOKENIZER
    limit = TIGHT
    chunker = SemanticChunker(TOKENIZER, limit=TIGHT, overlap=6)


class TestSimilarity(ChunkerContract):
    """Sentences by their vectors, cut tightly; the vectors are made up."""

    tokenizer = TOKENIZER
    limit = TIGHT
    chunker = SimilarityChunker(TOKENIZER, limit=TIGHT, least=4, vectors=hashed)


class TestCharacter(ChunkerContract):
    """Sixty characters, of which fifteen are repeated."""

    tokenizer = TOKENIZER
    limit = TOKENIZER.max_tokens
    chunker = CharacterChunker(TOKENIZER, characters=60, repeat=15)
    size = 12_000


class TestContextual(ChunkerContract):
    """Messages, whose spans know nothing of other messages."""

    tokenizer = TOKENIZER
    limit = TIGHT
    chunker = ContextualChunker(TOKENIZER, limit=TIGHT)


class TestTimeWindow(ChunkerContract):
    """The same spans."""

    tokenizer = TOKENIZER
    limit = TIGHT
    chunker = TimeWindowChunker(TOKENIZER, limit=TIGHT)


class TestAdaptive(ChunkerContract):
    """Messages, of which some have headings."""

    tokenizer = TOKENIZER
    limit = TIGHT
    chunker = AdaptiveChunker(TOKENIZER, limit=TIGHT)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I saw Dr. Berg at 8. She was fine! Was she?", ["I saw Dr. Berg at 8. She was fine!", "Was she?"]),
        ("z.B. am 3. Mai. Danach nicht.", ["z.B. am 3. Mai.", "Danach nicht."]),
        ("東京へ行く。楽しい！", ["東京へ行く。", "楽しい！"]),
        ("milk\neggs\n\nbread", ["milk", "eggs", "bread"]),
        (f"{'long ' * 12}line\ngoes on. Then ends.", [f"{'long ' * 12}line\ngoes on.", "Then ends."]),
        (f"See:\n{TABLE}\nDone. Well.", ["See:", TABLE, "Done.", "Well."]),
        ("See:\n```\na. b. c\n```\nDone.", ["See:", "```\na. b. c\n```", "Done."]),
    ],
    ids=["abbreviations", "ordinals", "wide", "short lines", "wrapped lines", "a table", "code"],
)
def test_sentences(text: str, parts: list[str]) -> None:
    """A sentence ends at its mark or with a short line; abbreviations, wrapped lines, tables and code end none."""
    units = sentences(text)
    assert [text[unit.start : unit.end].strip() for unit in units] == parts
    assert "".join(text[unit.start : unit.end] for unit in units) == text


def test_a_table_that_fits_is_whole_in_every_strategy_of_units() -> None:
    """A row without its head says nothing."""
    text = f"Some words before it. And more of them.\n\n{TABLE}\n\nAnd after it. More words."
    start = text.index(TABLE)
    for each in (
        SentencesChunker(TOKENIZER, limit=48),
        SemanticChunker(TOKENIZER, limit=48, overlap=6),
        CharacterChunker(TOKENIZER, characters=40, repeat=10),
        ParagraphChunker(TOKENIZER, limit=48),
        SimilarityChunker(TOKENIZER, limit=48, vectors=hashed),
    ):
        places = {at for span in each.spans(text) for at in (span.start, span.end)}
        assert not [at for at in places if start < at < start + len(TABLE)], each.name


def test_a_short_paragraph_joins_the_next() -> None:
    """A title alone is no answer; neither is a last word."""
    text = "Pasta\n\nBoil the water, then add salt and the spaghetti, and wait for nine minutes or so.\n\nServe it."
    spans = ParagraphChunker(TOKENIZER, limit=48, least=8).spans(text)
    assert [text[span.start : span.end] for span in spans] == [text]


def test_semantic_chunks_repeat_whole_sentences() -> None:
    """Each chunk begins with the last sentences of the one before, within the overlap."""
    text = " ".join(f"This is sentence number {index} of them." for index in range(40))
    spans = chunker("semantic", TOKENIZER).spans(text)
    assert len(spans) > 1
    for before, after in pairwise(spans):
        shared = text[after.start : before.end]
        assert shared.startswith("This is")
        assert shared.endswith("them.")
        assert TOKENIZER.count_many([shared])[0] <= 32


def test_characters_overlap_between_words() -> None:
    """A chunk is as long as set, and no word is cut."""
    text = " ".join(f"word{index}" for index in range(100))
    spans = CharacterChunker(TOKENIZER, characters=100, repeat=20).spans(text)
    assert all(80 < span.end - span.start <= 100 for span in spans[:-1])
    assert all(0 < before.end - after.start <= 20 for before, after in pairwise(spans))


@pytest.mark.slow
def test_similarity_cuts_where_the_subject_changes() -> None:
    """With the bundled model, twice the same."""
    text = (
        "The cat sleeps on the sofa all day. Our cat likes to sleep in the sun on the sofa. In the evening the cat wakes."
        " The parliament passed the tax law on Monday. Members of parliament debated the new tax for hours."
    )
    spans = SimilarityChunker(TOKENIZER, least=4).spans(text)
    assert [text[span.start : span.start + 14] for span in spans] == ["The cat sleeps", "The parliament"]
    assert SimilarityChunker(TOKENIZER, least=4).spans(text) == spans


def test_versions_hold_the_parameters() -> None:
    """Another parameter is another version, so that a generation changes with it."""
    versions = {
        "paragraph": "paragraph-1:512/20",
        "sentences": "sentences-1:256",
        "semantic": "semantic-1:256/32",
        "semantic-similarity": "semantic-similarity-1:256/20",
        "character": "character-1:1000/100",
        "contextual": "contextual-1:160+128",
        "time-window": "time-window-1:160+128/5",
        "adaptive": "adaptive-1:160+128",
    }
    assert {name: chunker(name, TOKENIZER).version for name in versions} == versions
