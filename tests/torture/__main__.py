"""``python -m memd.tests.torture``: the full form, with figures in the end. ``make torture`` runs it."""

# ruff: noqa: T201 - what it found is what it prints

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from memd.tests.torture.home import Broken, launcher
from memd.tests.torture.kills import SCENARIOS, Kills
from memd.tests.torture.nursery import Nursery


def main() -> int:
    """Run the rounds, then every other part; the exit code is 1 when a promise did not hold."""
    parser = argparse.ArgumentParser(prog="python -m memd.tests.torture")
    parser.add_argument("--rounds", type=int, default=300, help="kills (300)")
    parser.add_argument("--first", type=int, default=0, help="number of the first round (0)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="decides everything that is random")
    parser.add_argument("--size", type=int, default=400, help="messages of a chat (400)")
    parser.add_argument("--scenario", default="", choices=["", *(kind.name for kind in SCENARIOS)])
    parser.add_argument("--folder", type=Path, help="where to work; a memory that broke is kept there")
    arguments = parser.parse_args()
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="memd-torture-"))
    folder.mkdir(parents=True, exist_ok=True)
    failures = _kills(arguments, folder)
    if not failures:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(failures)} promises did not hold" if failures else "every promise held")
    return 1 if failures else 0


def _kills(arguments: argparse.Namespace, folder: Path) -> list[str]:
    nursery = Nursery(launcher(), folder / "nursery")
    kills = Kills(folder, arguments.seed, arguments.size, nursery)
    failures: list[str] = []
    began = time.monotonic()
    for number in range(arguments.first, arguments.first + arguments.rounds):
        _attempt(lambda number=number: kills.round(number, arguments.scenario), failures)
    nursery.close()
    print(f"\n{arguments.rounds} rounds in {time.monotonic() - began:,.0f} s, {kills.kills.total()} killed:")
    for place, count in sorted(kills.kills.items()):
        print(f"  {count:>4}  {place}")
    print(f"  {kills.survived:>4}  came to their end before")
    return failures


def _attempt(work: Callable[[], str], failures: list[str]) -> None:
    began = time.monotonic()
    try:
        print(f"ok      {work()}  ({time.monotonic() - began:.1f} s)", flush=True)
    except Broken as error:
        failures.append(str(error))
        print(f"BROKEN  {error}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
