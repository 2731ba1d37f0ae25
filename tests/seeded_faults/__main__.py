"""Puts each seeded fault into a copy of the checkout and runs the tests that should find it. Takes a quarter of an hour and more."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from memd.tests.seeded_faults.faults import FAULTS, Fault

CHECKOUT = Path(__file__).resolve().parent.parent.parent
SECONDS = 900
"""For the tests of one fault."""
SERVERS = (".dovecot", ".cyrus", ".greenmail")
"""Folders of servers that `make servers` fetched: without them the tests of IMAP are left out."""
_FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/.*?)(?: - .*)?$", re.MULTILINE)
_PASSED, _SOME_FAILED, _INTERRUPTED, _NO_TESTS = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a fault was found."""

    name: str
    found_by: str
    """Id of the test that fails with the fault and passes without it; empty if there is none."""
    seconds: float
    remark: str = ""

    @property
    def line(self) -> str:
        """For people."""
        told = f"found by {self.found_by}" if self.found_by else "NOT FOUND"
        return f"{self.name}: {told}{f' ({self.remark})' if self.remark else ''}, {self.seconds:.0f} s"


class FaultyCheckout:
    """A copy of the checkout in which faults are put in and taken out.

    Args:
        folder: empty; the copy is ``memd`` in it, so that the folder on ``PYTHONPATH`` wins over the installed checkout.
        suite: the checkout whose tests are run.
    """

    def __init__(self, folder: Path, suite: Path) -> None:
        self._root = folder / "memd"
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMD_")}
        self._environment |= {"PYTHONPATH": os.fspath(folder), "MEMD_PROFILE": "ci"}
        self._writes = int(time.time())
        listed = _git(CHECKOUT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        for name in filter(None, listed):
            if not name.startswith("tests/") and (CHECKOUT / name).is_file():
                target = self._root / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(CHECKOUT / name, target)
        shutil.copytree(suite / "tests", self._root / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        for name in SERVERS:
            if (CHECKOUT / name).is_dir():
                (self._root / name).symlink_to(CHECKOUT / name)
        code = "import memd, memd.memory.memory as m; print(memd.__file__, m.__file__, sep='\\n')"
        told = subprocess.run(
            [sys.executable, "-P", "-c", code],
            cwd=self._root,
            env=self._environment,
            check=True,
            capture_output=True,
            text=True,
        )
        if not all(Path(line).is_relative_to(self._root) for line in told.stdout.splitlines()):
            raise SystemExit(f"the copy is not what is imported: {told.stdout}")

    @contextmanager
    def fault(self, fault: Fault) -> Generator[None]:
        """Put a fault in; it is taken out again."""
        path = self._root / fault.file
        text = path.read_text(encoding="utf-8")
        if text.count(fault.old) != 1:
            raise SystemExit(f"{fault.name}: its text stands {text.count(fault.old)} times in {fault.file}")
        self._write(path, text.replace(fault.old, fault.new))
        try:
            yield
        finally:
            self._write(path, text)

    def _write(self, path: Path, text: str) -> None:
        """Each state of a file has a time of its own: compiled modules are recognised by time and size."""
        path.write_text(text, encoding="utf-8")
        self._writes += 10
        os.utime(path, (self._writes, self._writes))

    def failing_test(self, paths: Sequence[str], deselected: Sequence[str], seconds: float) -> str:
        """The id of the first test that fails; empty if none does.

        Raises:
            TimeoutError: the tests took too long.
        """
        command = [
            sys.executable,
            "-P",
            "-m",
            "pytest",
            "-x",
            "-q",
            "-n",
            "0",
            "-p",
            "no:cacheprovider",
            "-m",
            "not long",
        ]
        command += [*(f"--deselect={each}" for each in deselected), *paths]
        with subprocess.Popen(
            command,
            cwd=self._root,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                output, _ = process.communicate(timeout=seconds)
            except BaseException as error:
                os.killpg(process.pid, signal.SIGKILL)
                if isinstance(error, subprocess.TimeoutExpired):
                    raise TimeoutError from None
                raise
        if process.returncode in (_PASSED, _NO_TESTS):
            return ""
        found = _FAILED.search(output)
        if process.returncode not in (_SOME_FAILED, _INTERRUPTED) or found is None:
            raise SystemExit(f"the tests cannot be run:\n{output[-4000:]}")
        return found[1]

    def search(self, fault: Fault) -> Outcome:
        """Look for a fault with its tests, one path after the other. A test that fails without the fault, too, has not found it."""
        begun = time.monotonic()
        broken: list[str] = []
        remark = ""
        for path in fault.tests:
            if not (self._root / path).exists():
                continue
            while True:
                left = SECONDS - (time.monotonic() - begun)
                try:
                    with self.fault(fault):
                        test = self.failing_test([path], broken, left)
                    if not test:
                        break
                    if not self.failing_test([test], (), SECONDS):
                        return Outcome(fault.name, test, time.monotonic() - begun, remark)
                except TimeoutError:
                    return Outcome(fault.name, "", time.monotonic() - begun, f"{path} takes more than {SECONDS} s")
                broken.append(test)
                remark = f"these fail without it, too: {', '.join(broken)}"
        return Outcome(fault.name, "", time.monotonic() - begun, remark)


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def main() -> int:
    """Run it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m memd.tests.seeded_faults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="what is in the name of a fault; all without")
    parser.add_argument("--suite", type=Path, default=CHECKOUT, metavar="CHECKOUT", help="whose tests are run")
    parser.add_argument("--json", action="store_true", help="an object for each fault, one a line")
    given = parser.parse_args()
    chosen = [each for each in FAULTS if not given.names or any(name in each.name for name in given.names)]
    if not chosen:
        parser.error("there is no such fault")
    found = 0
    with tempfile.TemporaryDirectory(prefix="seeded-faults-") as folder:
        checkout = FaultyCheckout(Path(folder), given.suite.resolve())
        for fault in chosen:
            outcome = checkout.search(fault)
            found += bool(outcome.found_by)
            line = json.dumps(asdict(outcome)) if given.json else outcome.line
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    if not given.json:
        sys.stdout.write(f"{found} of {len(chosen)} faults were found\n")
    return 0 if found == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
