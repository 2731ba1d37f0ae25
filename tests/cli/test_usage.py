"""What a person gets who types something that is not there, or asks for help."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

import memd
from memd.connectors.live.account_registry import ACCOUNT_KINDS
from memd.daemon.cli import main
from memd.daemon.cli.errors import report
from memd.daemon.client import DaemonError
from memd.tests.cases import check_all


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a command finds is the test's alone, and never what is stored by whoever runs the tests."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))


MISTYPED = [
    ("qurey x", "there is no verb 'qurey'", "did you mean `memd query`? `memd --help` lists each verb"),
    ("Status", "there is no verb 'Status'", "did you mean `memd status`? `memd --help` lists each verb"),
    ("xyzzy", "there is no verb 'xyzzy'", "`memd --help` lists each verb"),
    (
        "sources ad",
        "there is no action 'ad'",
        "did you mean `memd sources add`? `memd sources --help` lists each action",
    ),
    (
        "'was the boat blue?'",
        "there is no verb 'was the boat blue?'",
        "to ask: memd query TEXT; `memd --help` lists each verb",
    ),
    (
        "where does bob live",
        "there is no verb 'where'",
        "to ask: memd query TEXT; `memd --help` lists each verb",
    ),
    ("help nosuch", "there is no verb 'nosuch'", "`memd --help` lists each verb"),
    (
        "query x --sinse=2024",
        "unrecognized arguments: --sinse=2024",
        "did you mean --since? try: memd query --help",
    ),
    ("sources list --jsn", "unrecognized arguments: --jsn", "did you mean --json? try: memd sources list --help"),
    ("status now", "unrecognized arguments: now", "try: memd status --help"),
    ("query", "the following arguments are required: TEXT", "try: memd query --help"),
    ("query --kind", "argument --kind: expected one argument", "try: memd query --help"),
    (
        "sources add folder /x --dry-run",
        "--dry-run says nothing of a source of the kind folder",
        "leave it out",
    ),
    (
        "sources add imap ann@example.org --app-token-file a",
        "--app-token-file says nothing of a source of the kind imap",
        "leave it out",
    ),
    (
        "sources add slack --token-file /dev/null",
        "there is no token",
        f"{ACCOUNT_KINDS['slack'].secrets[0].where}; it stands alone on one line, or is typed when it is asked for",
    ),
    (
        "sources add telegram --token-file /dev/null",
        "there is no token",
        "the token of the bot: write /token to @BotFather; it stands alone on one line, or is typed when it is asked for",
    ),
    (
        "sources add telegram --host a",
        "--host says nothing of a source of the kind telegram",
        "leave it out",
    ),
    (
        "sources add folder /x --jitter nan",
        "argument --jitter: 'nan' is no number of seconds",
        "try: memd sources add --help",
    ),
    (
        "sources add folder /x --grace 1e999",
        "argument --grace: '1e999' is no number of seconds",
        "try: memd sources add --help",
    ),
    ("query x -k abc", "argument -k/--limit: 'abc' is no whole number", "try: memd query --help"),
    ("runs -n 1.5", "argument -n/--limit: '1.5' is no whole number", "try: memd runs --help"),
    ("audit -k " + "9" * 5000, f"argument -k/--limit: '{'9' * 5000}' is no whole number", "try: memd audit --help"),
    ("ingest ''", "a path is empty", "is a variable not set? name a file, a folder, or - for standard input"),
    ("parse ''", "a path is empty", "is a variable not set? name a file, a folder, or - for standard input"),
]
"""Words, what is told, and the hint."""


@pytest.mark.slow
def test_a_mistyped_command_is_told_with_what_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 2; the hint names the help of the verb that was meant."""

    def check(mistake: tuple[str, str, str]) -> None:
        words, told, hint = mistake
        assert main(shlex.split(words)) == 2
        lines = capsys.readouterr().err.splitlines()
        assert (lines[0], lines[1]) == (f"memd: {told}", f"hint: {hint}")

    check_all(MISTYPED, check)


@pytest.mark.parametrize(
    "words", [["query", ""], ["query", " ", "\t"], ["query", "-"], ["ask", "\n"], ["query", '"'], ["query", "?!"]]
)
def test_an_empty_question_opens_nothing(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused before there is a data directory, and before a daemon is asked; also one on standard input."""
    data = tmp_path / "data"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b" \n\n")))
    assert main([*words, "--data-dir", str(data)]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "memd: the question is empty",
        "hint: `memd documents` lists what is stored, with the same filters",
    ]
    assert not data.exists()


@pytest.mark.parametrize(
    ("words", "like"),
    [("help", "--help"), ("help query", "query --help"), ("help sources add", "sources add --help")],
)
def test_help_is_that_of_the_verb(words: str, like: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`memd help VERB` prints what `memd VERB --help` prints."""
    shown: list[str] = []
    for each in (words, like):
        with pytest.raises(SystemExit) as ended:
            main(each.split())
        assert not ended.value.code
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] != ""


@pytest.mark.parametrize("words", ["version", "--version", "-V"])
def test_the_version_is_printed(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In each of the usual ways."""
    assert main([words]) == 0
    assert capsys.readouterr().out == f"memd {memd.__version__}\n"


def test_python_runs_the_package() -> None:
    """`python -m memd` is the command."""
    done = subprocess.run([sys.executable, "-P", "-m", "memd", "-V"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"memd {memd.__version__}\n")


def test_several_problems_are_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One by one, below how many there are; a single one is the sentence."""
    config = tmp_path / "c.toml"
    config.write_text("zoen = 1\nlevel = 2\n")
    assert main(["query", "x", "--config", str(config)]) == 2
    first, *listed, _ = capsys.readouterr().err.splitlines()
    assert first == "memd: 2 things are wrong:"
    assert [line[:5] for line in listed] == ["  - /", "  - /"]
    config.write_text("zoen = 1\n")
    assert main(["query", "x", "--config", str(config)]) == 2
    assert [line[:5] for line in capsys.readouterr().err.splitlines()] == ["memd:", "hint:"]


def test_a_stopped_reindex_tells_what_comes_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was made stays, and nothing else has to be remembered."""

    def stopped(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("memd.daemon.cli.commands.reindex.operate", stopped)
    assert main(["reindex"]) == 130
    assert "next: memd reindex goes on where it was" in capsys.readouterr().err


def test_a_memory_of_nothing_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fewer filters help nobody who has not ingested anything yet."""

    def nothing_found(*_: object, **__: object) -> dict[str, object]:
        return {"query": "x", "hits": []}

    monkeypatch.setenv("MEMD_CONFIG", os.devnull)
    monkeypatch.setattr("memd.daemon.cli.commands.query.request", nothing_found)
    place = ["--data-dir", str(tmp_path / "d"), "--socket", str(tmp_path / "s")]
    assert main(["query", "x", *place]) == 0
    told = r"next: nothing is stored yet in \S+; memd ingest PATH stores an export"
    assert re.search(told, capsys.readouterr().out)


def test_a_number_of_the_log_stands_where_the_log_tells_more(capsys: pytest.CaptureFixture[str]) -> None:
    """A mistake of the user's is told in full: nothing is to be looked up about it."""
    body = {"code": "VAL", "message": "no such source", "hint": "", "retryable": False, "correlation_id": "abc123"}
    report(DaemonError(body), as_json=False)
    assert "abc123" not in capsys.readouterr().err
    report(DaemonError(body | {"code": "UNEXPECTED"}), as_json=False)
    assert "correlation id: abc123" in capsys.readouterr().err
