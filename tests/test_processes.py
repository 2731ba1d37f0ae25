"""A program that is forked behaves like one that a fresh interpreter runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memd.tests import processes
from memd.tests.cases import check_all
from memd.tests.pseudo_terminal import run_on_terminal

pytestmark = pytest.mark.slow

PROGRAMS = {
    "end": "pass",
    "exit code": "import sys; sys.exit(3)",
    "exit with a sentence": "import sys; sys.exit('no room')",
    "exception": "raise ValueError('on purpose')",
    "interrupt": "raise KeyboardInterrupt",
    "interrupt with output": "import atexit; atexit.register(print, 'last'); print('first'); raise KeyboardInterrupt",
    "signal": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "arguments": "import sys; print(sys.argv)",
    "input": "import sys; print(sys.stdin.read().upper())",
    "folder": "import os; print(os.getcwd())",
    "environment": "import os; print(sorted(each for each in os.environ.items() if each[0] != 'LC_CTYPE'))",
    "zone": "import time; print(time.strftime('%H:%M', time.localtime(0)))",
    "encodings": "import sys; print([(each.encoding, each.errors) for each in (sys.stdin, sys.stdout, sys.stderr)])",
    "unbuffered": "import sys; print([each.write_through for each in (sys.stdin, sys.stdout, sys.stderr)])",
    "bytes": "import sys; sys.stdout.buffer.write(bytes(range(256)))",
    "at exit": "import atexit; atexit.register(print, 'last')",
    "thread": "import threading, time; threading.Thread(target=lambda: (time.sleep(0.05), print('done'))).start()",
    "descriptors": "import os; print(len(os.listdir('/proc/self/fd')))",
    "session": "import os; print(os.getsid(0) == os.getpid())",
    "signals": "import signal; print([signal.getsignal(each) for each in (2, 13, 15)])",
    "parent": "import os, sys; print(os.getppid() == int(sys.argv[1]))",
    "module": "",
}
VARIABLES = ({"TZ": "Asia/Kathmandu"}, {"LC_ALL": "C", "PYTHONIOENCODING": "latin-1"}, {"PYTHONUNBUFFERED": "1"})


def test_forked_programs_do_what_others_do(tmp_path: Path) -> None:
    """Exit codes, output, errors and surroundings are equal, in each locale."""

    def check(case: tuple[str, dict[str, str]]) -> None:
        name, variables = case
        command = [sys.executable, "-P", "-c", PROGRAMS[name], str(os.getpid()), "two words"]
        if name == "module":
            command[2:] = ["-m", "json.tool", "--nothing"]
        environment = {"PATH": os.environ["PATH"], **variables}
        expected, actual = (
            run(
                command, input="žluť".encode(), capture_output=True, env=environment, cwd=tmp_path, check=False,
                start_new_session=name == "session",
            )
            for run in (subprocess.run, processes.run)
        )  # fmt: skip
        assert actual.returncode == expected.returncode
        assert actual.stdout == expected.stdout
        # A traceback of a forked program also shows the frames that run it.
        assert actual.stderr.splitlines()[-1:] == expected.stderr.splitlines()[-1:]

    check_all(((name, variables) for name in PROGRAMS for variables in VARIABLES), check)


def test_programs_are_forked() -> None:
    """Memd is imported before the program begins, unless Python's variables are others; a fresh interpreter imports nothing."""
    command = [sys.executable, "-P", "-c", "import sys; print('memd.daemon' in sys.modules)"]
    assert processes.run(command, capture_output=True).stdout == b"True\n"
    others = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    assert processes.run(command, capture_output=True, env=others).stdout == b"False\n"
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"False\n"


def test_consecutive_programs_have_different_hash_seeds() -> None:
    """An order of texts in a set that one command leaves behind is not the order of the next command by chance."""
    command = [sys.executable, "-P", "-c", "print(hash('memd'))"]
    environment = {"PATH": os.environ["PATH"]}
    first, second = (processes.run(command, capture_output=True, env=environment).stdout for _ in range(2))
    assert first != second


def test_plain_locales_share_a_server() -> None:
    """A plain variable counts where another one is not plain: it may override that one."""
    plain = {"LC_ALL": "C", "LANG": "C.UTF-8", "LANGUAGE": "", "TZ": "UTC"}
    assert processes.startup_variables(plain) == {}
    assert processes.startup_variables(plain | {"PYTHONUNBUFFERED": "1"}) == {}
    assert processes.startup_variables(plain | {"PYTHONUTF8": "1"}) == {"PYTHONUTF8": "1"}
    overridden = {"LC_ALL": "C", "LANG": "cs_CZ.ISO8859-2"}
    assert processes.startup_variables(overridden) == overridden


def test_output_that_cannot_be_written_is_an_error() -> None:
    """The exit code is that of an interpreter, too, where the last of the output finds no room."""
    for unbuffered in ("", "1"):
        command = [sys.executable, "-P", "-c", "print('x')"]
        environment = {"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": unbuffered}
        with Path("/dev/full").open("wb") as full:
            expected, actual = (
                run(command, stdout=full, stderr=subprocess.DEVNULL, env=environment, check=False).returncode
                for run in (subprocess.run, processes.run)
            )
        assert actual == expected != 0


def test_a_forked_program_is_killed_and_waited_for() -> None:
    """It is a child with a pid of its own, which `wait` reaps."""
    program = "import sys, time; print('up', flush=True); time.sleep(600)"
    process = processes.Popen([sys.executable, "-P", "-c", program], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == b"up\n"
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == -signal.SIGTERM
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, 0)


def test_a_forked_program_has_a_terminal_of_its_own() -> None:
    """All streams are terminals, and Ctrl-C interrupts it."""
    program = (
        "import sys, time; print([each.isatty() for each in (sys.stdin, sys.stdout, sys.stderr)]); print('ready');"
        "time.sleep(600)"
    )
    code, screen = run_on_terminal([sys.executable, "-P", "-c", program], dict(os.environ), keys=[("ready", b"\x03")])
    assert screen.startswith("[True, True, True]\n")
    assert code == -signal.SIGINT
