"""What a mistyped name or id is answered where no terminal is: the mistake, and what to do next."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.daemon.cli import main
from memd.tests.cases import check_all
from memd.tests.cli.conftest import Home

pytestmark = pytest.mark.slow

NO_TERMINAL = "memd: there is no terminal on which to confirm this"
CONFIRM = "hint: --dry-run shows what would be done, --yes does it without asking"


MISTAKES = [
    (
        "forget --person Nobody",
        7,
        ["there is no person 'Nobody'; `memd people` lists everybody who wrote", "nothing that is stored matches"],
    ),
    ("people merge Bob Nobody", 7, ["memd: there is no person 'Nobody'"]),
    ("people merge Bob Bob", 2, ["memd: they are one person already"]),
    ("people split Nobody", 7, ["memd: there is no person 'Nobody'"]),
    ("forget --person Bob", 2, ["60 messages would go, for good:", NO_TERMINAL, CONFIRM]),
    (
        "undo nope",
        7,
        [
            "memd: neither a fact nor a run has the id 'nope'",
            "hint: `memd runs` lists what was imported, `memd facts --ids` what is known, with ids",
        ],
    ),
]
"""Words, the exit code, and lines that are told."""


def test_a_mistake_is_told_before_the_question_that_cannot_be_asked(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever mistyped a name learns that, and not that a terminal is missing."""
    for name, value in home.variables.items():
        monkeypatch.setenv(name, value)

    def check(mistake: tuple[str, int, list[str]]) -> None:
        words, code, told = mistake
        assert main(words.split()) == code
        lines = capsys.readouterr().err.splitlines()
        assert [line for line in told if line not in lines] == [], lines
        assert (NO_TERMINAL in lines) == (NO_TERMINAL in told)

    check_all(MISTAKES, check)


@pytest.mark.parametrize("place", ["file/memd", "x" * 300, "/proc/memd"], ids=["in a file", "too long", "in /proc"])
def test_a_data_directory_that_cannot_be_made_is_no_empty_memory(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A question is answered by an error that names it; nothing is left where it was tried, and where one could be made."""
    monkeypatch.setenv("MEMD_EMBEDDING_ENABLED", "false")
    (tmp_path / "file").write_text("")
    assert main(["--data-dir", os.fspath(tmp_path / place), "query", "where is the key?"]) == 6
    told = capsys.readouterr()
    assert (told.out, "cannot be made" in told.err) == ("", True)
    assert main(["--data-dir", os.fspath(tmp_path / "new" / "memory"), "query", "where is the key?"]) == 0
    assert os.listdir(tmp_path) == ["file"]


def test_a_wrong_number_is_told_with_the_flag_that_was_given(capsys: pytest.CaptureFixture[str]) -> None:
    """In both of its spellings."""
    assert main(["query", "key", "-k", "0"]) == 2
    assert "memd: -k/--limit must be 1-100" in capsys.readouterr().err
