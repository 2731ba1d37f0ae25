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

from memd.tests.own_mounts import enter_own_mounts
from memd.tests.torture import disk
from memd.tests.torture.damage import Damage
from memd.tests.torture.forgetting import Forgetting
from memd.tests.torture.home import Broken
from memd.tests.torture.kills import SCENARIOS, Kills
from memd.tests.torture.merging import Merging
from memd.tests.torture.strangers import Strangers
from memd.tests.torture.watching import Watching

PARTS = ("kills", "limits", "full", "index", "journal", "database", "strangers", "merge", "forgetting", "watching")


class Torture:
    """One run of all parts."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self._arguments = arguments
        self._folder = folder
        self._damaging: Damage | None = None
        self.failures: list[str] = []

    def kills(self) -> None:
        """SIGKILL."""
        kills = Kills(self._folder / "kills", self._arguments.seed, self._arguments.size)
        self._attempts(lambda number: kills.round(number, self._arguments.scenario), self._arguments.rounds)
        print(f"{kills.kills.total()} killed:")
        for place, count in sorted(kills.kills.items()):
            print(f"  {count:>4}  {place}")
        print(f"  {kills.survived:>4}  came to their end before")

    def limits(self) -> None:
        """Files that may not grow."""
        limited = disk.Disk(self._folder / "limits", self._arguments.seed, self._arguments.size)
        self._attempts(lambda number: limited.limited(number, self._arguments.scenario), self._arguments.rounds // 3)

    def full(self) -> None:
        """A file system that is full, in mounts of our own."""
        if not self._arguments.mounts:
            if not disk.can_unshare():
                print("skipped: this machine lets nobody have mounts of their own")
            elif disk.in_own_mounts(self._folder / "mounts", *_handed_on(self._arguments)):
                self.failures.append("the parts that mount")
            return
        small = self._folder / "small"
        disk.mount_small(small)
        full = disk.Disk(self._folder / "full", self._arguments.seed, self._arguments.size)
        self._attempts(lambda number: full.full(number, small, self._arguments.scenario), self._arguments.rounds // 3)
        if not self._arguments.scenario:
            watching = Watching(self._folder / "watching", self._arguments.seed, small=small)
            self._attempts(watching.round, self._arguments.rounds // 6)
            print(dict(watching.tally))
        disk.unmount(small)
        self._cases(mounts=True)

    def strangers(self) -> None:
        """Other processes, locks, sockets, clocks."""
        self._cases()

    def index(self) -> None:
        """Damaged indexes."""
        self._attempts(self._damage().index, self._arguments.rounds // 3)

    def journal(self) -> None:
        """A damaged journal."""
        self._attempts(self._damage().journal, self._arguments.rounds // 3)

    def database(self) -> None:
        """A damaged database."""
        self._attempts(self._damage().database, self._arguments.rounds // 3)

    def merge(self) -> None:
        """Overlapping exports, against a model."""
        merging = Merging(self._arguments.seed)
        self._attempts(merging.round, self._arguments.rounds)
        print(merging.tally)

    def forgetting(self) -> None:
        """Overlapping exports with forgetting between them, against a model."""
        self._attempts(Forgetting(self._arguments.seed).round, self._arguments.rounds)

    def watching(self) -> None:
        """Sources that change while the daemon is killed."""
        watching = Watching(self._folder / "watching", self._arguments.seed)
        self._attempts(watching.round, self._arguments.rounds // 3)
        print(dict(watching.tally))

    def _cases(self, *, mounts: bool = False) -> None:
        strangers = Strangers(self._folder / "strangers")
        for name, case in strangers.cases(mounts=mounts).items():
            self._attempt(lambda name=name, case=case: strangers.run(name, case))

    def _damage(self) -> Damage:
        if self._damaging is None:
            self._damaging = Damage(self._folder / "damage", self._arguments.seed)
        return self._damaging

    def _attempts(self, work: Callable[[int], str], rounds: int) -> None:
        first: int = self._arguments.first
        whole = time.monotonic()
        for number in range(first, first + rounds):
            self._attempt(lambda number=number: work(number))
        print(f"\n{rounds} rounds in {time.monotonic() - whole:,.0f} s")

    def _attempt(self, work: Callable[[], str]) -> None:
        began = time.monotonic()
        try:
            print(f"ok      {work()}  ({time.monotonic() - began:.1f} s)", flush=True)
        except Broken as error:
            self.failures.append(str(error))
            print(f"BROKEN  {error}", flush=True)


def main() -> int:
    """Run every part, or those named; the exit code is 1 when a promise did not hold."""
    parser = argparse.ArgumentParser(prog="python -m memd.tests.torture")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} (all)")
    parser.add_argument(
        "--rounds",
        type=int,
        default=300,
        help="kills and tens of stories of merging and of forgetting; a third as many of each other part (300)",
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first round (0)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="decides everything that is random")
    parser.add_argument("--size", type=int, default=400, help="messages of a chat (400)")
    parser.add_argument("--scenario", default="", choices=["", *(kind.name for kind in SCENARIOS)])
    parser.add_argument("--folder", type=Path, help="where to work; a memory that broke is kept there")
    parser.add_argument("--mounts", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.mounts:
        enter_own_mounts()
    folder: Path = arguments.folder or Path(tempfile.mkdtemp(prefix="memd-torture-"))
    folder.mkdir(parents=True, exist_ok=True)
    torture = Torture(arguments, folder)
    for part in arguments.parts or PARTS:
        print(f"--- {part}, seed {arguments.seed}", flush=True)
        getattr(torture, part)()
    if not torture.failures:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(torture.failures)} promises did not hold" if torture.failures else "every promise held")
    return 1 if torture.failures else 0


def _handed_on(arguments: argparse.Namespace) -> list[str]:
    names = ("rounds", "first", "seed", "size", "scenario")
    return ["full", *(f"--{name}={getattr(arguments, name)}" for name in names)]


if __name__ == "__main__":
    sys.exit(main())
