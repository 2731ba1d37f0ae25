"""Completion scripts and man page: what is shipped is what the parser says, and shells take it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.commands.completion import text_of
from memd.daemon.cli.dispatch import build_parser
from memd.daemon.cli.shell.command_tree import Command, command_tree
from memd.tests.shell_files import FILES, FOLDER

ROOT = command_tree(build_parser())
_ASK = """
source "$1"; shift
COMP_WORDS=("$@")
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
compopt() { :; }
_memd
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(*words: str, folder: Path | None = None) -> set[str]:
    """What bash proposes for the last of these words after `memd`."""
    command = ["bash", "-c", _ASK, "bash", str(FOLDER / "memd.bash"), "memd", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, timeout=60)
    assert done.stderr == ""
    return {line for line in done.stdout.split("\n") if line}


def flags_of(command: Command) -> set[str]:
    """All spellings."""
    return {name for flag in command.flags for name in flag.names}


@pytest.mark.parametrize("kind", FILES)
def test_the_shipped_files_are_made_of_the_parser(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """After a change of the command line: `python -m memd.tests.shell_files`."""
    assert main(["completion", kind]) == 0
    assert capsys.readouterr().out == (FOLDER / FILES[kind]).read_text(encoding="utf-8") == text_of(kind)


@pytest.mark.slow
@pytest.mark.parametrize("command", list(ROOT.walk()), ids=lambda command: command.path or "memd")
def test_bash_completes_what_the_parser_takes(command: Command) -> None:
    """Flags of each verb, and nothing else; verbs where verbs stand."""
    assert completed(*command.words, "-") == flags_of(command)
    below = {each.words[-1] for each in command.commands}
    if below:
        assert below <= completed(*command.words, "")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["que"], {"query"}),
        (["--config", "x", "quer"], {"query"}),
        (["query", "--sor"], {"--sort"}),
        (["query", "--sort", ""], {"score", "time"}),
        (["query", "--speaker", ""], set[str]()),
        (["sources", "a"], {"add"}),
        (["sources", "add", "fold"], {"folder"}),
        (["completion", "f"], {"fish"}),
        (["ingest", "my"], {"my chat.txt"}),
        (["query", "x", "--config", "my"], {"my chat.txt"}),
    ],
)
def test_bash_completes_values_and_files(words: Sequence[str], found: set[str], tmp_path: Path) -> None:
    """Choices after their flag; files, with blanks in their names, where a file is wanted."""
    (tmp_path / "my chat.txt").touch()
    assert completed(*words, folder=tmp_path) == found


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_take_the_scripts(shell: str) -> None:
    """No syntax error, where the shell is installed."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", str(FOLDER / FILES[shell])], check=True, timeout=60)


def test_every_verb_and_flag_is_in_each_script() -> None:
    """Also for the shells that are not installed here."""
    zsh, fish, man = (text_of(kind) for kind in ("zsh", "fish", "man"))
    for command in ROOT.walk():
        for word in command.words:
            assert f"'{word}:" in zsh
            assert f" -a {word} " in fish
            assert word.replace("-", "\\-") in man
        for name in flags_of(command):
            assert name in zsh
            assert (f"-l {name[2:]} " if name.startswith("--") else f"-s {name[1:]} ") in fish
            assert name.replace("-", "\\-") in man


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_page_is_good_roff() -> None:
    """Without a warning; lines that begin with a dot or an apostrophe are text."""
    page = str(FOLDER / FILES["man"])
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, check=True, timeout=60)
    assert done.stderr == b""
    assert b"MEMD(1)" in done.stdout
