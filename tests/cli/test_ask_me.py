"""The question who the user is: numbers, names, skipping, nonsense."""

from __future__ import annotations

import io

import pytest

from memd.daemon.cli.render.prompts import ask_who, ask_yes

PEOPLE = ["Ann", "Bob\x1b[2J", "Çelik"]


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("1\n", "Ann"),
        ("3\n", "Çelik"),
        ("ann\n", "Ann"),
        ("\n", None),
        ("", None),
        ("9\n0\nx\n", None),
        ("9\n2\n", "Bob\x1b[2J"),
    ],
)
def test_a_number_a_name_or_nothing(typed: str, answer: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    """What is typed decides; after three wrong answers nobody is asked again, and names cannot write to the terminal."""
    assert ask_who("Chat", PEOPLE, io.StringIO(typed)) == answer
    shown = capsys.readouterr()
    assert "\x1b" not in shown.err
    assert shown.out == ""


def test_only_a_yes_is_a_yes() -> None:
    """Enter, no, and an end of input are a no."""
    assert ask_yes("sure?", io.StringIO("y\n"))
    assert not ask_yes("sure?", io.StringIO("\n"))
    assert not ask_yes("sure?", io.StringIO(""))
