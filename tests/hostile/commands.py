"""Running many commands of memd one after another in one process, with what each wrote."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memd.tests import processes
from memd.tests.command import COMMAND, MODULE_COMMAND
from memd.tests.e2e.conftest import Memd

_DRIVER = """
import json, os, sys
from memd.daemon.cli import main

codes = []
for number, words in enumerate(json.load(sys.stdin)):
    for descriptor, name in ((1, "out"), (2, "err")):
        file = os.open(f"{sys.argv[1]}/{number}.{name}", os.O_WRONLY | os.O_CREAT)
        os.dup2(file, descriptor)
        os.close(file)
    try:
        codes.append(main(words))
    except SystemExit as ended:  # as argparse ends a usage error
        codes.append(ended.code or 0)
    sys.stdout.flush()
    sys.stderr.flush()
with open(f"{sys.argv[1]}/codes", "w") as file:
    json.dump(codes, file)
"""


@dataclass(frozen=True)
class Ended:
    """A command that ended."""

    words: tuple[str, ...]
    code: int
    out: bytes
    err: bytes


def run_each(memd: Memd, commands: Sequence[Sequence[str]], seconds: float = 120) -> list[Ended]:
    """Run the commands, in one process if they are this checkout's; standard input is not theirs."""
    if COMMAND != MODULE_COMMAND:
        done = [memd(*words, seconds=seconds) for words in commands]
        return [
            Ended(tuple(words), each.returncode, each.stdout, each.stderr)
            for words, each in zip(commands, done, strict=True)
        ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        processes.run(
            [sys.executable, "-P", "-c", _DRIVER, name],
            input=json.dumps([list(words) for words in commands]).encode(),
            env=memd.environment,
            timeout=seconds,
            check=True,
        )
        codes = json.loads((folder / "codes").read_text())
        return [
            Ended(
                tuple(words),
                codes[number],
                (folder / f"{number}.out").read_bytes(),
                (folder / f"{number}.err").read_bytes(),
            )
            for number, words in enumerate(commands)
        ]
