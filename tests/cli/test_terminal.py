"""Text for people's eyes: harmless, wrapped, counted."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon.cli.render.terminal import (
    TerminalStyle,
    clean,
    counted,
    in_bytes,
    one_line,
    width_of,
    wrapped,
)
from memd.tests.cases import for_each


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("a\x1b[31mred", "a\\x1b[31mred"),
        ("bell\x07", "bell\\x07"),
        ("\x9b2Jc1", "\\x9b2Jc1"),
        ("evil\u202etxt.exe", "eviltxt.exe"),
        ("a\u2028b", "a b"),
        ("line\nline\ttab", "line\nline\ttab"),
        ("שלום 東京 👩‍👩‍👧", "שלום 東京 👩‍👩‍👧"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_instead(given_text: str, shown: str) -> None:
    """Escape sequences and overrides of the writing order become visible or go; writing of any kind stays."""
    assert clean(given_text) == shown


@given(st.text())
def test_no_control_character_passes(text: str) -> None:
    """Whatever a message holds, nothing that moves a cursor comes out, and it can be encoded."""
    shown = clean(text)
    assert not any(ord(c) < 32 and c not in "\t\n" for c in shown)
    assert "\x7f" not in shown
    shown.encode()
    assert "\n" not in one_line(text)


@given(st.text(), st.integers(1, 40))
def test_a_cut_line_fits(text: str, limit: int) -> None:
    """A line is cut by the columns it takes, not by its characters."""
    assert width_of(one_line(text, limit)) <= max(limit, 1)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=300), st.integers(30, 80))
def test_wrapping_loses_no_word_and_fits(text: str, columns: int) -> None:
    """All that is not blank survives wrapping, and no line is wider than it may be."""
    lines = list(wrapped(text, "  ", columns))
    assert all(width_of(line) <= columns for line in lines)
    assert "".join("".join(lines).split()) == "".join(clean(text).split())


def test_a_line_keeps_its_own_indentation() -> None:
    """Code and lists stay readable, also in the lines that go on; a deep one leaves half of the width."""
    text = "def trim(sail):\n    return sail and another_sail\n" + " " * 60 + "deep"
    assert list(wrapped(text, "  ", 26)) == [
        "  def trim(sail):",
        "      return sail and",
        "      another_sail",
        "              deep",
    ]


@for_each(
    (part, room) for part in ("👍🏽", "👩\u200d👩\u200d👧", "🇩🇪", "e\u0301", "❤\ufe0f", "क्") for room in range(20, 26)
)
def test_no_line_divides_what_is_one_sign(part: str, room: int) -> None:
    """A skin tone, a flag's letter, a member of a family or an accent stays with what it belongs to."""
    lines = list(wrapped(part * 60, "", room))
    assert "".join(lines) == part * 60
    for line in (*lines, one_line(part * 60, room).removesuffix("…")):
        assert line == part * (len(line) // len(part))


def test_emphasis_needs_a_terminal() -> None:
    """What is written to a file or a pipe has no escape codes."""
    assert TerminalStyle(io.StringIO()).dim("x") == "x"


def test_numbers_read_well() -> None:
    """Counts and sizes as a person writes them."""
    assert counted(1, "message") == "1 message"
    assert counted(3000, "message") == "3,000 messages"
    assert [in_bytes(n) for n in (0, 999, 1500, 216_000_000, 5e12)] == ["0 B", "999 B", "1.5 kB", "216 MB", "5.0 TB"]
