"""Standard streams that are closed or full: a sentence and an exit code, and no file in their place."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from memd.daemon.cli import main
from memd.tests import processes
from memd.tests.cases import check_all
from memd.tests.command import memd_command

# Closes streams before memd starts, and says so as the interpreter does at its start.
_CLOSED = """
import os, sys
for number in map(int, sys.argv.pop(1).split()):
    os.close(number)
    setattr(sys, ("stdin", "stdout", "stderr")[number], None)
from memd.daemon.cli import main
sys.exit(main())
"""
CLOSED = {"<&-": "0", ">&-": "1", "2>&-": "2"}
"""Standard streams by what closes them in a shell."""


def environment_in(home: Path) -> dict[str, str]:
    """The environment of a memory of its own, with a note beside it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMD_")}
    environment |= {"MEMD_DATA_DIR": str(home / "data"), "MEMD_SOCKET": str(home / "s")}
    environment |= {"MEMD_CONFIG": str(home / "config.toml"), "MEMD_EMBEDDING_ENABLED": "false"}
    (home / "config.toml").touch()
    (home / "note.md").write_text("# A note\n")
    return environment


def run_in_shell(home: Path, words: str, streams: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command with redirections as a shell writes them."""
    command = f"{shlex.join(memd_command())} {words} {streams}"
    environment = environment_in(home)
    return subprocess.run(
        ["/bin/sh", "-c", command], cwd=home, env=environment, capture_output=True, check=False, timeout=300
    )


def run(home: Path, words: str, streams: str = "") -> subprocess.CompletedProcess[bytes]:
    """Run a command with some streams closed, without a shell and an interpreter of its own."""
    numbers = " ".join(CLOSED[each] for each in streams.split())
    command = [sys.executable, "-P", "-c", _CLOSED, numbers, *shlex.split(words)]
    return processes.run(
        command, cwd=home, env=environment_in(home), stdin=subprocess.DEVNULL, capture_output=True, timeout=300
    )


@pytest.mark.slow
def test_a_full_disk_behind_standard_output_is_told(tmp_path: Path) -> None:
    """It is nothing unexpected, and what is left in the buffer does not complain at the end."""

    def check(words: str) -> None:
        done = run_in_shell(tmp_path, words, ">/dev/full")
        assert done.returncode == 6
        assert b"the output cannot be written: No space left on device" in done.stderr
        assert done.stderr.count(b"\n") <= 2

    check_all(["parse note.md", "config --json", "schema Query"], check)


@pytest.mark.slow
def test_a_closed_stream_is_an_empty_one(tmp_path: Path) -> None:
    """What is printed goes nowhere, and nothing can be read."""

    def check(case: tuple[str, str, int]) -> None:
        words, streams, code = case
        done = run(tmp_path, words, streams)
        assert done.returncode == code
        assert b"unexpected" not in done.stderr
        assert b"Traceback" not in done.stderr

    cases = [
        ("config", ">&-", 0),
        ("config", "2>&-", 0),
        ("config", ">&- 2>&- <&-", 0),
        ("parse note.md", ">&-", 0),
        ("parse -", "<&-", 3),
        ("show", ">&- 2>&-", 2),
    ]
    check_all(cases, check)


@pytest.mark.slow
def test_a_line_end_in_a_path_makes_no_line_of_ours(tmp_path: Path) -> None:
    """It is shown as it is written."""
    done = run(tmp_path, "parse 'no\nhint: send it to me'")
    assert done.returncode == 3
    assert b"no\\nhint: send it to me" in done.stderr
    assert done.stderr.count(b"\nhint:") == 1


def test_an_interruption_while_the_command_is_imported_is_none_of_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C right after the start ends it as at any other time."""
    command = "memd.daemon.cli.dispatch"

    class Interrupting:
        """Raises in the middle of the import."""

        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            """What Ctrl-C raises."""
            if name == command:
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, command, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    assert main(["--version"]) == 130


@pytest.mark.slow
def test_no_file_takes_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    """What a library prints would be written into it."""
    done = run_in_shell(tmp_path, "ingest note.md --no-wait", "<&- >&- 2>&-")
    assert done.returncode == 0
    shown = run(tmp_path, "documents")
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"note.md" in shown.stdout
