"""Where a terminal has fewer characters than Unicode: which stand for which, and how wide they are."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.daemon.cli.render.charset import TerminalCharset, adapt_streams, escaped_json, is_ascii_locale, nearest
from memd.daemon.cli.render.terminal import one_line, width_of, wrapped


class Screen(io.TextIOWrapper):
    """A stream that takes itself for a terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True


@pytest.fixture(autouse=True)
def adapted() -> Iterator[None]:
    """What a test made of the terminal is forgotten afterwards."""
    yield
    TerminalCharset.encoding = None


def shown_on(monkeypatch: pytest.MonkeyPatch, encoding: str, environ: dict[str, str], text: str) -> str:
    """What a text becomes on a terminal."""
    stream = Screen(io.BytesIO(), encoding=encoding)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        adapt_streams(environ)
    stream.write(text)
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode(stream.encoding)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Zoë Müller, Straße", "Zoe Muller, Strasse"),
        ("“so” … – ‘thus’", "\"so\" ... - 'thus'"),
        ("│ ┃ █ · —", "| | # - --"),
        ("Łódź Øre", "Lodz Ore"),
        ("東京 🌱", "?? ?"),
        ("e\u0301 \u200b", "e "),
    ],
)
def test_ascii_stands_for_what_is_not(monkeypatch: pytest.MonkeyPatch, text: str, shown: str) -> None:
    """The nearest letters and signs; a question mark where there are none."""
    assert shown_on(monkeypatch, "utf-8", {"LC_ALL": "C"}, text) == shown
    assert shown_on(monkeypatch, "utf-8", {"LC_ALL": "C.UTF-8"}, text) == text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])), st.integers(30, 80))
def test_lines_are_cut_by_what_will_stand_there(text: str, columns: int) -> None:
    """Also where one character becomes three."""
    TerminalCharset.encoding = "ascii"
    try:
        lines = [one_line(text, columns), *wrapped(text, "  ", columns)]
        assert all(len("".join(map(nearest, line))) == width_of(line) <= columns for line in lines)
    finally:
        TerminalCharset.encoding = None


def test_only_a_chosen_locale_restricts() -> None:
    """``LC_ALL`` wins over ``LC_CTYPE`` and ``LANG``; where none is set, nothing is known of the terminal."""
    assert is_ascii_locale({"LC_ALL": "C"})
    assert is_ascii_locale({"LC_ALL": "", "LANG": "POSIX"})
    assert not is_ascii_locale({"LC_ALL": "de_DE.UTF-8", "LANG": "C"})
    assert not is_ascii_locale({"LANG": "C.UTF-8"})
    assert not is_ascii_locale({})


def test_what_is_no_terminal_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file gets every character, in any locale."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", stream)
    adapt_streams({"LC_ALL": "C"})
    assert (stream.encoding, width_of("…")) == ("utf-8", 1)


def test_another_character_set_is_used_as_far_as_it_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Latin-1 has accents, and no ellipsis."""
    assert shown_on(monkeypatch, "iso8859-1", {"LC_ALL": "de_DE.ISO-8859-1"}, "Zoë …") == "Zoë ..."


@given(st.text())
def test_json_stays_the_same_json(text: str) -> None:
    """Codes stand for characters, in pairs where one is not enough."""
    body = json.dumps({"text": text}, ensure_ascii=False)
    TerminalCharset.encoding = "ascii"
    try:
        shown = escaped_json(body)
    finally:
        TerminalCharset.encoding = None
    assert shown.isascii()
    assert json.loads(shown) == {"text": text}
    assert escaped_json(body) == body
