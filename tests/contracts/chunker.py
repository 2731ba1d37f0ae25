"""What every chunking strategy must keep. A test file subclasses the suite and gives the chunker."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from functools import partial
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memd.memory.chunking.chunker import Chunker, TextSpan
from memd.memory.embedding.embedder import Tokenizer
from memd.tests.cases import check_all
from memd.tests.effort import examples
from memd.tests.executed_lines import executed_lines

GRAPHEMES = [
    "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}",
    "\N{THUMBS UP SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-5}",
    "\N{REGIONAL INDICATOR SYMBOL LETTER D}\N{REGIONAL INDICATOR SYMBOL LETTER E}",
    "e\N{COMBINING ACUTE ACCENT}\N{COMBINING CEDILLA}",
    "\N{HANGUL CHOSEONG HIEUH}\N{HANGUL JUNGSEONG A}\N{HANGUL JONGSEONG NIEUN}",
    "か\N{COMBINING KATAKANA-HIRAGANA VOICED SOUND MARK}",
    "\r\n",
    "\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}",
]
FENCE = "\n```py\na = 1\n\nb, c = 2; d\n```\n"
PIECES = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=30),
    st.sampled_from(
        [
            *GRAPHEMES,
            " ",
            "\n",
            "\n\n",
            ". ",
            ", ",
            "word ",
            "another ",
            "東京へ行く。",
            "x" * 60,
            "QUJD/x+9",
            '"(!',
            FENCE,
        ]
    ),
)
TEXTS = st.lists(PIECES, max_size=60).map("".join)
UNITS = (
    "x",
    "東京",
    "QUJD/x+9",
    "\N{WOMAN}\N{ZERO WIDTH JOINER}",
    "(",
    "\n",
    "a b, c. ",
    "```\na\n```\n\n",
    "\x00",
    "'",
)
"""Of what monotonous texts are made."""
SIZE, GROWTH = 6_000, 2.4
"""Characters of a monotonous text, and how many times the steps may be that twice as many take."""
QUICK = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.differing_executors])


class ChunkerContract:
    """Subclass it, and set the chunker, its limit in tokens, and the tokenizer it was given."""

    chunker: ClassVar[Chunker]
    limit: ClassVar[int]
    tokenizer: ClassVar[Tokenizer]
    size: ClassVar[int] = SIZE
    """Characters of a monotonous text: half of it must be cut more than once."""

    @given(text=TEXTS, reserve=st.integers(0, 4))
    @example(text="\r0:000000 0:0:0:0:A000000000300000000", reserve=1)
    @example(text="0" + "x" * 60 + ":0:0::0::010:0A\x0c\N{SMALL PLUS SIGN}:", reserve=2)
    @QUICK
    def test_every_rule_holds_for_any_text(self, text: str, reserve: int) -> None:
        """Order, coverage, limits and exact counts, whatever the text."""
        spans = self.chunker.spans(text, reserve=reserve)
        assert all(a.start < b.start and a.end < b.end for a, b in itertools.pairwise(spans))
        assert not any(text[span.start : span.end].isspace() for span in spans)
        assert uncovered(text, spans).strip() == ""
        counts = self.tokenizer.count_many([text[span.start : span.end] for span in spans])
        assert [span.token_count for span in spans] == counts
        for span in spans:
            assert span.token_count <= self.limit - reserve or span.end - span.start == 1

    @given(words=st.lists(st.sampled_from(["tree", "don't", "Übung", "fjörd", "e\N{COMBINING ACUTE ACCENT}te", "3rd"])))
    @QUICK
    def test_no_word_is_cut(self, words: list[str]) -> None:
        """Words that fit the limit are whole in every chunk."""
        text = " ".join(words)
        for span in self.chunker.spans(text):
            assert set(text[span.start : span.end].split()) <= set(words)

    @given(parts=st.lists(st.sampled_from(GRAPHEMES), min_size=1, max_size=50))
    @QUICK
    def test_no_grapheme_is_cut(self, parts: list[str]) -> None:
        """Chunks of clusters that follow each other begin and end between two of them."""
        text = "".join(parts)
        inner = {0, *itertools.accumulate(len(part) for part in parts)}
        for span in self.chunker.spans(text):
            assert {span.start, span.end} <= inner

    @given(texts=st.lists(st.sampled_from(["some words here, ", "and more. ", "\n\n", FENCE]), max_size=30))
    @QUICK
    def test_no_fence_is_cut(self, texts: list[str]) -> None:
        """A block of code that fits the limit is whole in a chunk, or not in it."""
        text = "".join(texts)
        for match in re.finditer(r"```py.*?```", text, re.DOTALL):
            if self.tokenizer.count_many([match.group()])[0] > self.limit:
                continue
            for span in self.chunker.spans(text):
                assert not match.start() < span.start < match.end()
                assert not match.start() < span.end < match.end()

    def test_a_short_text_is_one_chunk(self) -> None:
        """What fits is not cut; blanks around it are left out."""
        assert self.chunker.spans("  a few words \n") == [
            TextSpan(2, 13, self.tokenizer.count_many(["a few words"])[0])
        ]

    def test_a_blank_text_has_no_chunk(self) -> None:
        """There is nothing to find in it."""
        for text in ("", " ", "\n\t\r\n"):
            assert self.chunker.spans(text) == [], repr(text)

    @pytest.mark.slow
    @given(texts=st.lists(TEXTS, max_size=5))
    @QUICK
    def test_many_texts_are_cut_like_each(self, texts: list[str]) -> None:
        """The batch gives what single calls give."""
        assert self.chunker.spans_many(texts) == [self.chunker.spans(text) for text in texts]
        reserves = [index % 3 for index in range(len(texts))]
        expected = [self.chunker.spans(text, reserve=reserve) for text, reserve in zip(texts, reserves, strict=True)]
        assert self.chunker.spans_many(texts, reserves) == expected

    @pytest.mark.slow
    def test_long_monotonous_texts_are_cut_in_linear_time(self) -> None:
        """Twice as much of anything takes twice as many steps, and nothing of it is left out."""
        check_all(UNITS, lambda unit: check_linear(unit, self.size, self.chunker.spans, self.covered))

    @pytest.mark.long
    def test_very_long_monotonous_texts_are_cut_in_time(self) -> None:
        """100,000 characters of anything end; the test's own timeout is what is asserted."""
        check_all(UNITS, lambda unit: self.covered(repeated(unit, 100_000)))

    def covered(self, text: str) -> None:
        """Check that nothing of a text is left out."""
        assert uncovered(text, self.chunker.spans(text)).strip() == ""

    def test_it_names_its_version(self) -> None:
        """The version begins with the name, so that a generation can be read."""
        assert self.chunker.version.startswith(f"{self.chunker.name}-")


def repeated(unit: str, size: int) -> str:
    """A text of so many characters that repeats itself."""
    return unit * (size // len(unit))


def check_linear(unit: str, size: int, cut: Callable[[str], object], check: Callable[[str], object]) -> None:
    """Check the text of a size, and that the executed lines grow with the text, no faster."""
    check(repeated(unit, size))
    half, whole = (executed_lines(partial(cut, repeated(unit, part))) for part in (size // 2, size))
    assert whole <= half * GROWTH + 1_000, (half, whole)


def uncovered(text: str, spans: list[TextSpan]) -> str:
    """What lies in no span."""
    rest: list[str] = []
    at = 0
    for span in spans:
        rest.append(text[at : max(at, span.start)])
        at = max(at, span.end)
    return "".join(rest) + text[at:]
