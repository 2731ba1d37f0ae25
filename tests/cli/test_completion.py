"""Completion scripts and man page: they say what the parser says, and shells take them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from memd.daemon.cli import main
from memd.daemon.cli.commands.completion import INSTALL, KINDS, text_of
from memd.daemon.cli.dispatch import build_parser
from memd.daemon.cli.shell.command_tree import Command, command_tree
from memd.tests.cases import check_all

ROOT = command_tree(build_parser())
_ASK = """
source "$1"; shift
COMP_WORDBREAKS=$1; shift
COMP_WORDS=("$@")
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
compopt() { :; }
_memd
printf '%s\\n' "${COMPREPLY[@]}"
"""


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="memd-shell-")


@cache
def script(kind: str) -> Path:
    """A file with the completion script for a shell, or the man page."""
    path = Path(_folder().name) / kind
    path.write_text(text_of(kind), encoding="utf-8")
    return path


_BREAKS = " \t\n\"'><=;|&(:"


def completed(*words: str, folder: Path | None = None, breaks: str = _BREAKS) -> set[str]:
    """What bash proposes for the last of these words after `memd`."""
    command = ["bash", "-c", _ASK, "bash", str(script("bash")), breaks, "memd", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, timeout=60)
    assert done.stderr == ""
    return {line for line in done.stdout.split("\n") if line}


def flags_of(command: Command) -> set[str]:
    """All spellings."""
    return {name for flag in command.flags for name in flag.names}


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_prints_them(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As the wheel has them."""
    assert main(["completion", kind]) == 0
    assert capsys.readouterr().out == text_of(kind)


def completed_in(folder: Path, words: Sequence[str]) -> set[str]:
    """The same in a folder with one file, whose name has a blank."""
    (folder / "my chat.txt").touch()
    return completed(*words, folder=folder)


@pytest.mark.slow
def test_bash_completes_what_the_parser_takes() -> None:
    """Flags of each verb, and nothing else; verbs where verbs stand."""

    def check(command: Command) -> None:
        assert completed(*command.words, "-") == flags_of(command)
        below = {each.words[-1] for each in command.commands}
        if below:
            assert below <= completed(*command.words, "")

    check_all(ROOT.walk(), check)


PROPOSED: list[tuple[list[str], set[str]]] = [
    (["que"], {"query"}),
    (["--config", "x", "quer"], {"query"}),
    (["query", "--sor"], {"--sort"}),
    (["query", "--sort", ""], {"score", "time", "newest"}),
    (["query", "--speaker", ""], set()),
    (["sources", "a"], {"add"}),
    (["sources", "add", "fold"], {"folder"}),
    (["completion", "f"], {"fish"}),
    (["ingest", "my"], {"my chat.txt"}),
    (["query", "x", "--config", "my"], {"my chat.txt"}),
]
BESIDE_VALUES: list[tuple[list[str], set[str]]] = [
    (["query", "--sort", "="], {"score", "time", "newest"}),
    (["query", "--sort", "=", "ti"], {"time"}),
    (["query", "--config", "=", "my"], {"my chat.txt"}),
    (["query", "--speaker", "="], set()),
    (["--config", "=", "x", "quer"], {"query"}),
    (["query", "--wait", "="], set()),
    (["--config", "query", "sta"], {"stats", "status"}),
    (["--data-dir", "sources", "sync", "--ag"], {"--again"}),
    (["forget", "--chat", "sources", "--dry"], {"--dry-run"}),
    (["query", "-k", "3", "--sor"], {"--sort"}),
    (["help", "sour"], {"sources"}),
    (["help", "sources", "a"], {"add"}),
    (["help", "--config", "x", "sources", "rem"], {"remove"}),
]


@pytest.mark.slow
def test_bash_completes_values_and_files(tmp_path: Path) -> None:
    """Choices after their flag; files, with blanks in their names, where a file is wanted."""

    def check(case: tuple[list[str], set[str]]) -> None:
        words, expected = case
        assert completed_in(tmp_path, words) == expected

    check_all(PROPOSED, check)


@pytest.mark.slow
def test_bash_tells_values_from_verbs(tmp_path: Path) -> None:
    """A value behind = or a blank completes as such and is no verb, though it reads like one; `help` takes all verbs."""

    def check(case: tuple[list[str], set[str]]) -> None:
        words, expected = case
        proposed = completed_in(tmp_path, words)
        assert (expected == proposed) if expected else not {each for each in proposed if each[0] != "-"}

    check_all(BESIDE_VALUES, check)


def test_bash_completes_a_flag_in_one_word() -> None:
    """Where = cuts no word, what is proposed stands for the whole word."""
    assert completed("query", "--sort=t", breaks=" \t\n") == {"--sort=time"}
    assert completed("--config=query", "quer", breaks=" \t\n") == {"query"}


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("memd quer", {"query"}),
        ("memd query --sort=", {"--sort=score", "--sort=time"}),
        ("memd --config query sta", {"stats", "status"}),
        ("memd help sources a", {"add"}),
    ],
)
def test_fish_tells_values_from_verbs(line: str, found: set[str], tmp_path: Path) -> None:
    """As bash does."""
    command = f"set -g fish_complete_path; source {script('fish')}; complete -C '{line}'"
    environment = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(["fish", "-c", command], capture_output=True, text=True, check=True, env=environment)
    assert {each.partition("\t")[0] for each in done.stdout.splitlines()} == found


def test_zsh_takes_values_in_the_same_word() -> None:
    """A name that ends with = or + may have its value behind it."""
    script = text_of("zsh")
    assert "'*--sort=[" in script
    assert "'*'{-k+,--limit=}'[" in script
    assert "'*--again[" in script
    assert "'sources:Read folders again and again, by schedule.'" in script.partition("_memd_help() {")[2]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_take_the_scripts(shell: str) -> None:
    """No syntax error, where the shell is installed."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", str(script(shell))], check=True, timeout=60)


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
    page = str(script("man"))
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, check=True, timeout=60)
    assert done.stderr == b""
    assert b"MEMD(1)" in done.stdout


def test_help_and_completion_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """With --json both are one object."""
    assert main(["completion", "bash", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"kind": "bash", "text": text_of("bash")}
    with pytest.raises(SystemExit) as ended:
        main(["help", "query", "--json"])
    assert not ended.value.code
    assert json.loads(capsys.readouterr().out)["help"].startswith("usage: memd query")


def test_the_shell_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a word, the script of $SHELL, and on standard error how it is installed; an unknown shell is refused."""
    for path, kind in (("/bin/bash", "bash"), ("/usr/bin/zsh", "zsh"), ("/opt/fish", "fish")):
        monkeypatch.setenv("SHELL", path)
        assert main(["completion"]) == 0
        out, told = capsys.readouterr()
        assert out == text_of(kind)
        assert f"memd completion {kind} >" in told
    for path in ("/bin/tcsh", ""):
        monkeypatch.setenv("SHELL", path)
        assert main(["completion"]) == 2
        assert "memd completion bash|zsh|fish|man" in capsys.readouterr().err


def test_the_named_commands_install_the_script(tmp_path: Path) -> None:
    """Each makes its folder and writes the file."""
    command = tmp_path / "memd"
    command.write_text('#!/bin/sh\necho "$@"\n')
    command.chmod(0o755)
    environment = {"HOME": str(tmp_path), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    for kind, line in INSTALL.items():
        subprocess.run(["sh", "-c", line], env=environment, check=True)
        assert [path.read_text() for path in tmp_path.rglob("*memd*") if path != command] == [f"completion {kind}\n"]
        for path in tmp_path.rglob("*memd*"):
            if path != command:
                path.unlink()
