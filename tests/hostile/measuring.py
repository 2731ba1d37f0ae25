"""Running a command of memd in a process whose memory is measured, and making inputs of any size without holding them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memd.tests import processes
from memd.tests.command import COMMAND, MODULE_COMMAND, memd_command

MIB = 1024 * 1024

# A forked process begins with the peak of the one that it was forked from; writing 5 sets it to what is held now.
_DRIVER = """
import json, re, sys
from memd.daemon.cli import main

with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
try:
    code = main(sys.argv[2:])
except SystemExit as ended:
    code = ended.code or 0
with open("/proc/self/status") as file:
    peak = int(re.search("VmHWM:\\\\s*(\\\\d+)", file.read())[1])
with open(sys.argv[1], "w") as file:
    json.dump([code, peak], file)
"""

# For an installed command: a small process between it and pytest, because the peak is inherited.
_BETWEEN = """
import json, resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
with open(sys.argv[1], "w") as file:
    json.dump([code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss], file)
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of a command and the memory that it used."""

    code: int
    peak: int
    """The highest use of memory, in bytes."""
    lines: int
    """The number of lines on standard output."""
    told: list[dict[str, Any]]
    """The JSON objects on standard error, of its first four megabytes."""
    errors: list[str]
    """The messages for people on standard error."""

    def reasons(self) -> list[str]:
        """The reasons for rejected records, and the messages of errors that ended the command."""
        return [str(line["reason"]) for line in self.told if line.get("type") == "rejected"] + self.errors


def measured(words: Sequence[str], environment: Mapping[str, str], seconds: float = 110) -> Measured:
    """Run memd with these words to its end, its output counted and not kept."""
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures"
        with (Path(folder) / "told").open("w+b") as told:
            program = [sys.executable, "-P", "-c", _DRIVER, str(figures), *words]
            if COMMAND != MODULE_COMMAND:
                program = [sys.executable, "-I", "-c", _BETWEEN, str(figures), *memd_command(*words)]
            process = processes.Popen(
                program,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=told,
                env=dict(environment),
            )
            assert process.stdout is not None
            lines = 0
            limit = threading.Timer(seconds, process.kill)
            limit.start()
            try:
                with process.stdout:
                    while part := process.stdout.read(MIB):
                        lines += part.count(b"\n")
            finally:
                process.wait()
                limit.cancel()
            told.seek(0)
            heard = told.read(4 * MIB).splitlines()
        code, peak = json.loads(figures.read_text())
        known = [json.loads(line) for line in heard if line.startswith(b"{") and line.endswith(b"}")]
        errors = [line.decode() for line in heard if line.startswith(b"memd: ")]
        return Measured(code, peak * 1024, lines, known, errors)


def sparse(path: Path, before: bytes, zeros: int, after: bytes = b"") -> Path:
    """A file with so many zero bytes in the middle, which take no space on most file systems."""
    with path.open("wb") as file:
        file.write(before)
        file.seek(zeros, 1)
        file.write(after)
        file.truncate()
    return path
