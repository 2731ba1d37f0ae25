"""Markdown is cut at its headings, and each piece knows where it stands."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.memory.chunking.headers import HeadersChunker
from memd.memory.embedding.bundled import BundledEmbedder
from memd.tests.cases import check_all, for_each
from memd.tests.contracts.chunker import SIZE, check_linear, repeated, uncovered
from memd.tests.effort import examples

TOKENIZER = BundledEmbedder()
CHUNKER = HeadersChunker(TOKENIZER)
PIECES = st.sampled_from(
    [
        "# A\n",
        "## B #\n",
        "###### C\n",
        "#tag ",
        "Under\n=====\n",
        "Low\n---\n",
        "---\n",
        "k: v\n",
        "text. ",
        "\n",
        "\r\n",
        "\n\n",
        "```\n# code\n",
        "```\n",
        "~~~\n",
        "- item\n",
        "> quote\n",
        "é",
        "\N{COMBINING ACUTE ACCENT}",
        "    # four\n",
        "# \n",
        "+++\n",
    ]
)


def cut(text: str, chunker: HeadersChunker = CHUNKER) -> list[tuple[str, str]]:
    """The section and the text of each chunk."""
    return [(span.section, text[span.start : span.end]) for span in chunker.spans(text)]


def test_sections_have_paths() -> None:
    """Each section is one chunk with the headings above it; what stands before the first has none."""
    text = (
        "Intro.\n\n# One\n\ntext one\n\n## Two ##\r\ntext two\n### Three\ntext three\n## Four\ntext four\n# Five\nend\n"
    )
    assert cut(text) == [
        ("", "Intro."),
        ("One", "# One\n\ntext one"),
        ("One > Two", "## Two ##\r\ntext two"),
        ("One > Two > Three", "### Three\ntext three"),
        ("One > Four", "## Four\ntext four"),
        ("Five", "# Five\nend"),
    ]


def test_underlined_headings() -> None:
    """A line of its own over ``=`` or ``-``; no lists, tables, quotes and rules."""
    text = "Top\n===\n\na\n\nLow\n---\nb\n\n- item\n---\nc\n\n| x |\n---\n\ntwo\nlines\n---\nd\n"
    assert [section for section, _ in cut(text)] == ["Top", "Top > Low"]


def test_a_heading_alone_stays_with_the_next() -> None:
    """Nothing is found by a heading without words under it, so it goes with the deeper one that follows."""
    assert cut("# One\n\n## Two\ntext\n## Three\n## Four\nmore") == [
        ("One > Two", "# One\n\n## Two\ntext"),
        ("One > Three", "## Three"),
        ("One > Four", "## Four\nmore"),
    ]


@for_each(["#tag and words", "    # code of four blanks", "####### seven", "a # b", "```\n# x\n```"])
def test_what_is_no_heading(text: str) -> None:
    """Tags, code and too many marks."""
    assert [section for section, _ in cut(text)] == [""]


def test_front_matter_stays_with_what_follows() -> None:
    """Its lines are no headings, and its dashes underline nothing; two rules are no front matter."""
    assert cut("---\ntitle: T\n# comment\n---\n# H\ntext\n## I\nmore") == [
        ("H", "---\ntitle: T\n# comment\n---\n# H\ntext"),
        ("H > I", "## I\nmore"),
    ]
    assert cut('+++\na = "b"\n+++\ntext\n# H\nmore') == [("", '+++\na = "b"\n+++\ntext'), ("H", "# H\nmore")]
    assert cut("---\na: b\n---\n") == [("", "---\na: b\n---")]
    assert cut("---\na paragraph\n---\n# H\ntext") == [("", "---\na paragraph\n---"), ("H", "# H\ntext")]


def test_long_sections_are_cut_and_overlap() -> None:
    """Each of the pieces has the section's path."""
    text = "# Long\n" + " ".join(f"word{index}" for index in range(120)) + "\n# Short\nend"
    chunker = HeadersChunker(TOKENIZER, limit=60, overlap=10)
    spans = chunker.spans(text)
    assert [span.section for span in spans[-2:]] == ["Long", "Short"]
    long = [span for span in spans if span.section == "Long"]
    assert len(long) > 3
    assert all(b.start < a.end for a, b in itertools.pairwise(long))


def test_titles_in_paths_are_short_and_on_one_line() -> None:
    """80 characters, blanks as one; a heading without words adds nothing."""
    assert cut("# " + "x" * 200 + "\ntext")[0][0] == "x" * 80
    assert cut("# C#  \t and F#\ntext")[0][0] == "C# and F#"
    assert cut("# A\nb\n## \ntext\n### D\ne")[2][0] == "A > D"


@given(parts=st.lists(PIECES, max_size=40))
@settings(max_examples=examples(60), deadline=None)
def test_every_rule_holds_for_any_markdown(parts: list[str]) -> None:
    """Order and coverage, and no fence is begun in one chunk and ended in another unless it is too long."""
    text = "".join(parts)
    for limit in (8, 512):
        spans = HeadersChunker(TOKENIZER, limit=limit, overlap=2).spans(text)
        assert uncovered(text, spans).strip() == ""
        assert all(a.start < b.start and a.end < b.end for a, b in itertools.pairwise(spans))
        assert not any(text[span.start : span.end].isspace() for span in spans)
        assert [span.token_count for span in spans] == TOKENIZER.count_many([text[s.start : s.end] for s in spans])


UNITS = ("# ", "#\n", "# a\n", "a\n-\n", "a\n--\n", "=\n", "---\n", "k:\n---\n", "# #", "```\n# a\n")


def covered(text: str) -> None:
    """Check that nothing of a text is left out."""
    assert uncovered(text, CHUNKER.spans(text)).strip() == ""


@pytest.mark.slow
def test_monotonous_markdown_is_cut_in_linear_time() -> None:
    """Twice as much of anything takes twice as many steps, and nothing of it is left out."""
    check_all(UNITS, lambda unit: check_linear(unit, SIZE, CHUNKER.spans, covered))


@pytest.mark.long
def test_much_monotonous_markdown_is_cut_in_time() -> None:
    """100,000 characters of anything end; the test's own timeout is what is asserted."""
    check_all(UNITS, lambda unit: covered(repeated(unit, 100_000)))
